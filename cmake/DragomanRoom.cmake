# Sources are compiled several at a time (a "unity build"): most of the time of a small file goes into its headers. So the
# names of a room are unique, those in unnamed namespaces too. clang-tidy, and -DDRAGOMAN_UNITY=OFF, see single files.
option(DRAGOMAN_UNITY "Compile several sources at a time" ON)
set(DRAGOMAN_UNITY_FILES 10)

# The headers that nearly every source includes, compiled once for each level of optimisation: dragoman_headers_2 for rooms
# that compute, dragoman_headers_1 for those that do not, dragoman_headers_test for tests. Sources include what they use all
# the same: the build with Clang does without.
set(common_headers <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex>
    <numeric> <optional> <span> <string> <string_view> <thread> <unordered_map> <unordered_set> <vector> <fmt/core.h>)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/headers.cc" CONTENT "int main() { return 0; }\n")
function(dragoman_headers LEVEL OPTIONS)
  if(LEVEL STREQUAL "test")  # as for programs, whose code is compiled with -fPIE
    add_executable(dragoman_headers_test "${PROJECT_BINARY_DIR}/generated/headers.cc")
    target_link_libraries(dragoman_headers_test PRIVATE GTest::gtest)
  else()
    add_library(dragoman_headers_${LEVEL} OBJECT "${PROJECT_BINARY_DIR}/generated/headers.cc")
  endif()
  target_link_libraries(dragoman_headers_${LEVEL} PRIVATE fmt::fmt Threads::Threads dragoman_flags)
  target_compile_options(dragoman_headers_${LEVEL} PRIVATE ${OPTIONS})
  target_precompile_headers(dragoman_headers_${LEVEL} PRIVATE ${common_headers} ${ARGN})
endfunction()
dragoman_headers(2 "")
dragoman_headers(1 $<$<CONFIG:Release>:-O1>)
if(DRAGOMAN_TESTS)
  dragoman_headers(test $<$<CONFIG:Release>:-O1> <gtest/gtest.h>)
endif()

# dragoman_room(NAME [CALLS] [NEEDS room...] [LIBS library...]): builds the folder src/NAME as one static library.
# NEEDS lists the lower rooms it may use, so a wrong dependency fails to link; LIBS lists external libraries.
# CALLS marks a room that does no heavy computation itself: it is compiled with -O1 to save build time.
function(dragoman_room NAME)
  cmake_parse_arguments(ROOM "CALLS" "" "NEEDS;LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  if(DRAGOMAN_CUDA)
    file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cu")
    list(APPEND sources ${cuda_sources})
    set_source_files_properties(${cuda_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # newer releases of CMake would
  endif()
  add_library(dragoman_${NAME} STATIC ${sources})
  set_target_properties(dragoman_${NAME} PROPERTIES UNITY_BUILD ${DRAGOMAN_UNITY} UNITY_BUILD_BATCH_SIZE ${DRAGOMAN_UNITY_FILES})
  target_include_directories(dragoman_${NAME} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>"
                                                     "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                                     "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>")
  target_link_libraries(dragoman_${NAME} PUBLIC fmt::fmt Threads::Threads ${ROOM_LIBS} PRIVATE dragoman_flags)
  if(ROOM_CALLS)
    target_compile_options(dragoman_${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
    target_precompile_headers(dragoman_${NAME} REUSE_FROM dragoman_headers_1)
  elseif(NOT NAME STREQUAL "kernels")  # whose sources differ in their instruction sets
    target_precompile_headers(dragoman_${NAME} REUSE_FROM dragoman_headers_2)
  endif()
  foreach(room IN LISTS ROOM_NEEDS)
    target_link_libraries(dragoman_${NAME} PUBLIC dragoman_${room})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY DRAGOMAN_ROOMS ${NAME})
endfunction()

# dragoman_embed(ROOM part...): text files of src/ROOM, as string literals to include as "ROOM/PART.inc".
function(dragoman_embed ROOM)
  foreach(part IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${part}")
    file(READ "${CMAKE_CURRENT_SOURCE_DIR}/${part}" text)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${ROOM}/${part}.inc" CONTENT "R\"part(${text})part\"" @ONLY)
  endforeach()
endfunction()

# dragoman_tests(NAME [LIBS library...]): one test program from tests/NAME/*.cc, linked with the room NAME where there is one.
# Programs that take long run in parts beside each other (DRAGOMAN_TEST_PARTS_NAME), before the others.
set(DRAGOMAN_TEST_PARTS_kernels 5)
set(DRAGOMAN_TEST_PARTS_cli 4)
set(DRAGOMAN_TEST_PARTS_browser 4)
set(DRAGOMAN_TEST_PARTS_recipe 3)
function(dragoman_tests NAME)
  cmake_parse_arguments(TESTS "" "" "LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${NAME}/*.cc")
  add_executable(test_${NAME} ${sources})
  target_include_directories(test_${NAME} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(test_${NAME} PRIVATE DRAGOMAN_GOLDEN="${CMAKE_CURRENT_SOURCE_DIR}/golden"
                                                  DRAGOMAN_SOURCE="${PROJECT_SOURCE_DIR}"
                                                  DRAGOMAN_PROGRAM="$<TARGET_FILE:dragoman_program>"
                                                  DRAGOMAN_EXAMPLES="${PROJECT_BINARY_DIR}/examples")
  if(DRAGOMAN_SANITIZE)
    target_compile_definitions(test_${NAME} PRIVATE DRAGOMAN_SANITIZED)
  endif()
  target_link_libraries(test_${NAME} PRIVATE ${TESTS_LIBS} GTest::gtest GTest::gtest_main dragoman_flags)
  if(TARGET dragoman_${NAME})
    target_link_libraries(test_${NAME} PRIVATE dragoman_${NAME})
  endif()
  # Test code is compiled with -O1 to save build time; the rooms under test keep their full optimisation.
  target_compile_options(test_${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_precompile_headers(test_${NAME} REUSE_FROM dragoman_headers_test)
  file(GLOB_RECURSE c_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${NAME}/*.c")
  if(c_sources)
    add_library(test_${NAME}_c OBJECT ${c_sources})
    set_target_properties(test_${NAME}_c PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    target_include_directories(test_${NAME}_c PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(test_${NAME} PRIVATE test_${NAME}_c)
  endif()
  set_target_properties(test_${NAME} PROPERTIES UNITY_BUILD ${DRAGOMAN_UNITY} UNITY_BUILD_BATCH_SIZE ${DRAGOMAN_UNITY_FILES})
  # Some tests fork processes that start threads; the thread sanitizer allows this only with die_after_fork=0.
  set(environment "TSAN_OPTIONS=die_after_fork=0:suppressions=${PROJECT_SOURCE_DIR}/tests/thread_sanitizer.txt")
  if(NOT DRAGOMAN_TEST_PARTS_${NAME})
    add_test(NAME ${NAME} COMMAND test_${NAME} --gtest_brief=1)
    set_tests_properties(${NAME} PROPERTIES ENVIRONMENT "${environment}")
    return()
  endif()
  math(EXPR last "${DRAGOMAN_TEST_PARTS_${NAME}} - 1")
  foreach(part RANGE ${last})
    add_test(NAME ${NAME}_${part} COMMAND test_${NAME} --gtest_brief=1)
    set_tests_properties(${NAME}_${part} PROPERTIES COST 100 ENVIRONMENT
      "${environment};GTEST_TOTAL_SHARDS=${DRAGOMAN_TEST_PARTS_${NAME}};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

# dragoman_nightly_test(NAME COMMAND ...): a test that takes long and rarely finds anything. `ctest --preset nightly` runs it,
# the other presets leave it out.
function(dragoman_nightly_test NAME)
  add_test(NAME ${NAME} ${ARGN})
  set_tests_properties(${NAME} PROPERTIES LABELS nightly)
endfunction()
