# The installed files, and the Debian package that `cmake --build … --target package` makes of them.
# The binary itself writes the completions and the man page, so it is run to make them.

set(own_words ${PROJECT_BINARY_DIR}/own_words)
file(MAKE_DIRECTORY ${own_words})
add_custom_command(
  OUTPUT ${own_words}/rlctl ${own_words}/_rlctl ${own_words}/rlctl.fish ${own_words}/rlctl.1.gz
  COMMAND sh -ec "\"$1\" completion bash >rlctl; \"$1\" completion zsh >_rlctl; \
\"$1\" completion fish >rlctl.fish; \"$1\" man | gzip -9n >rlctl.1.gz" sh $<TARGET_FILE:rlctl>
  WORKING_DIRECTORY ${own_words}
  DEPENDS rlctl
  VERBATIM)
add_custom_command(
  OUTPUT ${own_words}/schema
  COMMAND sh -ec "rm -rf schema && mkdir schema && for name in $(\"$1\" schema); do \
\"$1\" schema $name >schema/$name.schema.json; done" sh $<TARGET_FILE:rlctl>
  WORKING_DIRECTORY ${own_words}
  DEPENDS rlctl
  VERBATIM)
add_custom_target(own_words ALL
  DEPENDS ${own_words}/rlctl ${own_words}/_rlctl ${own_words}/rlctl.fish ${own_words}/rlctl.1.gz
          ${own_words}/schema)

include(GNUInstallDirs)
install(TARGETS rlctl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The scripts are built into the binary; these copies are to be read, or to be copied as a start.
install(DIRECTORY lua/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rlctl/lua
        FILES_MATCHING PATTERN "*.lua")
install(DIRECTORY scenarios/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rlctl/scenarios
        FILES_MATCHING PATTERN "*.json" PATTERN "kubernetes.yaml" PATTERN "slurm.sh")
install(DIRECTORY ${own_words}/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/rlctl)
install(FILES ${own_words}/rlctl
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${own_words}/_rlctl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${own_words}/rlctl.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${own_words}/rlctl.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES README.md cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Chart.js is built into the binary (src/CMakeLists.txt found it), so its licence is installed too.
install(FILES ${RLCTL_CHART_LICENCE} DESTINATION ${CMAKE_INSTALL_DOCDIR}
        RENAME chart.js.copyright)

# The package contains what is already built: making it builds nothing.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rlctl)
set(CPACK_PACKAGE_CONTACT "The rlctl authors <rlctl@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "proves that a rate limiter holds")
set(CPACK_PACKAGE_DESCRIPTION "Plays traffic that breaks rate limiters against a real Redis or any
HTTP endpoint, records every decision with its times, and judges each decision.
The result is a proof that the limiter holds, or the records that show a
violation.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "redis-server | valkey-server")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
