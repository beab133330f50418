# Installs the build in BUILD below WORK, checks what is there, builds the consumers in C++ and C against it, and runs the
# program and the consumers from there.
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_in_output TEXT)
  if(NOT output MATCHES "${TEXT}")
    message(FATAL_ERROR "expected '${TEXT}' in:\n${output}")
  endif()
endfunction()

# Fails unless every item of LIST matches the regular expression ALLOWED.
function(expect_only WHAT ALLOWED)
  set(others ${ARGN})
  list(FILTER others EXCLUDE REGEX "${ALLOWED}")
  if(others)
    list(JOIN others "\n" others)
    message(FATAL_ERROR "${WHAT} that should not be there:\n${others}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")

# The program, the recipes, the models, the versioned library, the public headers and the package files, and nothing else.
file(GLOB_RECURSE installed RELATIVE "${WORK}/prefix" "${WORK}/prefix/*")
file(GLOB headers RELATIVE "${CMAKE_CURRENT_LIST_DIR}/../../include" "${CMAKE_CURRENT_LIST_DIR}/../../include/dragoman/*.h")
foreach(header IN LISTS headers)
  if(NOT "include/${header}" IN_LIST installed)
    message(FATAL_ERROR "${header} is not installed")
  endif()
  list(REMOVE_ITEM installed "include/${header}")
endforeach()
expect_only("installed files" "^(bin/dragoman|share/dragoman/recipes/([a-z0-9-]+/)?[a-z0-9.-]+|share/dragoman/recipes/ready/sources/[a-z_]+\\.py|share/dragoman/models/(README\\.md|[a-z]+-[a-z]+\\.safetensors)|lib[^/]*(/[^/]+)?/libdragoman\\.so[.0-9]*|lib[^/]*(/[^/]+)?/cmake/dragoman/dragoman[A-Za-z-]*\\.cmake|lib[^/]*(/[^/]+)?/pkgconfig/dragoman\\.pc)$"
            ${installed})

# Only the public interface is exported: the functions of dragoman.h, and Translator, Scorer, Classifier, Error, evaluate() and version().
file(GLOB_RECURSE library "${WORK}/prefix/libdragoman.so.*.*.*")
run(nm -D --defined-only --format=posix "${library}")
string(REGEX MATCHALL "[^\n]+" symbols "${output}")
expect_only("exported symbols" "^(dragoman_[a-z_]+|_ZNK?8dragoman(10Translator|6Scorer|10Classifier|5Error|7version|8evaluate)[^ ]*|_ZT[ISV]N8dragoman5ErrorE) "
            ${symbols})
expect_in_output("dragoman_translate ")
expect_in_output("dragoman_classifier_open ")
expect_in_output("_ZNK8dragoman10Classifier8classify")
expect_in_output("_ZTIN8dragoman5ErrorE ")

run("${WORK}/prefix/bin/dragoman" --version)
expect_in_output("${VERSION}")
run("${WORK}/prefix/bin/dragoman" recipe list)
expect_in_output("attention")
run(sh -c "echo 'Where is the station?' | '${WORK}/prefix/bin/dragoman' translate")
expect_in_output("Bahnhof")
expect_in_output("prefix/share/dragoman/models/en-de.safetensors")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${WORK}/consumer" -G Ninja
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_C_FLAGS=${FLAGS}"
    "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
run("${CMAKE_COMMAND}" --build "${WORK}/consumer")
foreach(consumer consumer consumer_c)
  run("${WORK}/consumer/${consumer}")
  expect_in_output("${VERSION}")
  expect_in_output("absent.safetensors")
endforeach()

# Without CMake: by pkg-config, where it is installed.
find_program(pkg_config NAMES pkg-config)
if(pkg_config)
  file(GLOB_RECURSE description "${WORK}/prefix/*/dragoman.pc")
  cmake_path(GET description PARENT_PATH descriptions)
  run("${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${descriptions}" "${pkg_config}" --cflags --libs dragoman)
  separate_arguments(options UNIX_COMMAND "${output}")
  cmake_path(GET library PARENT_PATH libraries)
  run(cc "${CMAKE_CURRENT_LIST_DIR}/consumer/main.c" ${options} "-Wl,-rpath,${libraries}" -o "${WORK}/consumer_pc")
  run("${WORK}/consumer_pc")
  expect_in_output("${VERSION}")
endif()
