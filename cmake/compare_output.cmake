# cmake -DPROGRAM=... -DEXPECTED=... -P compare_output.cmake: runs PROGRAM and fails unless it ends
# well and prints exactly the content of EXPECTED.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE code)
file(READ ${EXPECTED} expected)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM}: ended with ${code}, expected 0; it printed\n${printed}")
elseif(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${PROGRAM}: printed\n${printed}\nexpected (${EXPECTED})\n${expected}")
endif()
