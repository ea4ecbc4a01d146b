# Read by ctest after the names of the tests. Those that measure time use a third of one core, so
# that several go well side by side, but not beside one that computes. So they wait for a short
# test that waits for all that compute.
set(measuring ${timed_tests_TESTS} ${real_tests_TESTS} ${probe_tests_TESTS})
if(house_tests_TESTS AND measuring)
  list(POP_BACK house_tests_TESTS between)
  set(computing ${unit_tests_TESTS} ${house_tests_TESTS} ${io_tests_TESTS} ${http_tests_TESTS}
      ${cli_tests_TESTS} ${redis_tests_TESTS})
  set_tests_properties(${between} PROPERTIES DEPENDS "${computing}")
  set_tests_properties(${measuring} PROPERTIES DEPENDS ${between})
endif()
# The longest ones begin first, or the last one would run alone.
foreach(group IN ITEMS probe io)
  if(${group}_tests_TESTS)
    set_tests_properties(${${group}_tests_TESTS} PROPERTIES COST 10)
  endif()
endforeach()
