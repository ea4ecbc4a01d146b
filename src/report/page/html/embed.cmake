# Writes OUTPUT, a C++ source with the report's page parts as text, and the hash by which its
# Content-Security-Policy knows each: LIBRARY, its LICENCE, SCRIPT and STYLE are paths.
function(embed name path)
  file(READ "${path}" text)
  string(REGEX MATCH "</(script|style)" ends "${text}")
  if(NOT ends STREQUAL "")
    message(FATAL_ERROR "${path} holds ${ends}, which would end it inside of a page")
  endif()
  # A browser reads it as a line feed: the hash would be that of another text.
  if(text MATCHES "\r")
    message(FATAL_ERROR "${path} holds carriage returns, with which a browser ignores it")
  endif()
  string(SHA256 hash "${text}")
  string(APPEND source
    "HtmlAsset ${name}() {\n  static constexpr char kText[] = R\"rlctl_html(${text})rlctl_html\";\n"
    "  return {{kText, sizeof kText - 1}, \"${hash}\"};\n}\n\n")
  set(source "${source}" PARENT_SCOPE)
endfunction()

set(source "// Made by embed.cmake.\n#include \"report/page/html_asset.h\"\n\nnamespace rlctl {\n\n")
embed(chart_library "${LIBRARY}")
embed(chart_licence "${LICENCE}")
embed(report_script "${SCRIPT}")
embed(report_style "${STYLE}")
string(APPEND source "}  // namespace rlctl\n")
file(WRITE "${OUTPUT}" "${source}")
