# The page parts of an HTML report become part of the binary: one source made at build time.
find_file(RLCTL_CHART_JS chart.min.js PATH_SUFFIXES share/javascript/chart.js)
find_file(RLCTL_CHART_LICENCE copyright PATH_SUFFIXES share/doc/libjs-chart.js)
if(NOT RLCTL_CHART_JS OR NOT RLCTL_CHART_LICENCE)
  message(FATAL_ERROR "Chart.js is missing: apt-get install libjs-chart.js")
endif()
set(html_dir ${CMAKE_CURRENT_LIST_DIR})
set(html_files ${RLCTL_CHART_JS} ${RLCTL_CHART_LICENCE} ${html_dir}/report.js ${html_dir}/report.css)
add_custom_command(
  OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp
  COMMAND ${CMAKE_COMMAND} -DLIBRARY=${RLCTL_CHART_JS} -DLICENCE=${RLCTL_CHART_LICENCE}
          -DSCRIPT=${html_dir}/report.js -DSTYLE=${html_dir}/report.css
          -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp -P ${html_dir}/embed.cmake
  DEPENDS ${html_dir}/embed.cmake ${html_files}
  VERBATIM)
