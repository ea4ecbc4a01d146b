# Installs the npm packages of FROM/package-lock.json into TO, for tests of real limiters. Without npm
# or without its registry it says so, and TO/installed is missing: those tests are skipped.
file(MAKE_DIRECTORY ${TO})
file(REMOVE ${TO}/installed)
file(COPY ${FROM}/package.json ${FROM}/package-lock.json DESTINATION ${TO})
execute_process(
  COMMAND npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000
  WORKING_DIRECTORY ${TO} RESULT_VARIABLE failure OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failure)
  message(WARNING "npm ci failed, so tests of npm limiters are skipped: ${output}")
else()
  file(TOUCH ${TO}/installed)
endif()
