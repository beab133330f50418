# Runs the miniature of the recipe in the folder RECIPE with PROGRAM, in the folder WORK, which is emptied first. Every
# system must be finished.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND "${PROGRAM}" recipe run "${RECIPE}" --miniature --output results --threads 1
                WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "failed (${status}):\n${said}")
endif()
file(GLOB results "${WORK}/results/systems/*/result.json")
file(GLOB systems "${WORK}/results/systems/*")
list(LENGTH results finished)
list(LENGTH systems started)
if(finished EQUAL 0 OR NOT finished EQUAL started)
  message(FATAL_ERROR "${finished} of ${started} systems are finished:\n${said}")
endif()
