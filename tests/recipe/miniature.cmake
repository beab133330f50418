# Runs the miniature of the recipe in the folder RECIPE with PROGRAM, in the folder WORK, which is emptied first. Every
# system must be finished.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND "${PROGRAM}" recipe run "${RECIPE}" --miniature --output results --threads 1
                WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "failed (${status}):\n${said}")
endif()
if(NOT said MATCHES ": finished after " OR said MATCHES "not finished|not measured")
  message(FATAL_ERROR "some systems or figures are not finished:\n${said}")
endif()
