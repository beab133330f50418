# Libraries from the distribution. Each becomes one imported target so that a room names what it needs.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Boost 1.74 REQUIRED)

# Declares the imported target `external::NAME` from a header and a library found on the usual paths.
function(dragoman_find NAME HEADER LIBRARY PACKAGE)
  find_path(${NAME}_INCLUDE ${HEADER} PATH_SUFFIXES aarch64-linux-gnu x86_64-linux-gnu)
  find_library(${NAME}_LIBRARY ${LIBRARY})
  if(NOT ${NAME}_INCLUDE OR NOT ${NAME}_LIBRARY)
    message(FATAL_ERROR "${NAME} was not found: install the Debian package ${PACKAGE}, or run ./test, which installs all")
  endif()
  add_library(external::${NAME} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(external::${NAME} PROPERTIES IMPORTED_LOCATION "${${NAME}_LIBRARY}"
                                                     INTERFACE_INCLUDE_DIRECTORIES "${${NAME}_INCLUDE}")
endfunction()

dragoman_find(highway hwy/highway.h hwy libhwy-dev)
dragoman_find(utf8proc utf8proc.h utf8proc libutf8proc-dev)
dragoman_find(sentencepiece sentencepiece_processor.h sentencepiece libsentencepiece-dev)
dragoman_find(cld2 cld2/public/compact_lang_det.h cld2 libcld2-dev)
dragoman_find(gumbo gumbo.h gumbo libgumbo-dev)
find_library(sentencepiece_train_LIBRARY sentencepiece_train REQUIRED)
set_property(TARGET external::sentencepiece PROPERTY INTERFACE_LINK_LIBRARIES "${sentencepiece_train_LIBRARY}")

# OpenBLAS is loaded at run time (kernels/cpu/blas.cc): only its header is needed here.
find_path(openblas_INCLUDE cblas.h PATH_SUFFIXES openblas-pthread openblas)
if(NOT openblas_INCLUDE)
  message(FATAL_ERROR "cblas.h was not found: install the Debian package libopenblas-dev, or run ./test, which installs all")
endif()
add_library(external::openblas INTERFACE IMPORTED GLOBAL)
set_property(TARGET external::openblas PROPERTY INTERFACE_INCLUDE_DIRECTORIES "${openblas_INCLUDE}")

# yaml-cpp's target changed its name between the releases of our distributions.
if(TARGET yaml-cpp::yaml-cpp)
  add_library(external::yaml ALIAS yaml-cpp::yaml-cpp)
else()
  add_library(external::yaml INTERFACE IMPORTED GLOBAL)
  target_link_libraries(external::yaml INTERFACE yaml-cpp)
endif()

# Recipes download their data by libcurl, which is loaded at run time; its headers must be here.
find_package(CURL 7.85)
option(DRAGOMAN_CURL "Build the downloader of recipes (libcurl)" ${CURL_FOUND})
if(DRAGOMAN_CURL AND NOT CURL_FOUND)
  message(FATAL_ERROR "libcurl 7.85 or newer was not found: install the Debian package libcurl4-openssl-dev, or set -DDRAGOMAN_CURL=OFF")
endif()

# The Python package needs Python's headers and pybind11. With a sanitizer it can be compiled but not loaded.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python to build the package for")
endif()
find_package(Python 3.9 COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 QUIET)
if(Python_Development.Module_FOUND AND pybind11_FOUND AND NOT DRAGOMAN_SANITIZE)
  set(has_python ON)
else()
  set(has_python OFF)
endif()
option(DRAGOMAN_PYTHON "Build the Python package" ${has_python})
if(DRAGOMAN_PYTHON AND NOT (Python_Development.Module_FOUND AND pybind11_FOUND))
  message(FATAL_ERROR "The Python package needs the Debian packages python3-dev and pybind11-dev; install them, or set -DDRAGOMAN_PYTHON=OFF")
endif()

if(DRAGOMAN_TESTS)
  find_package(GTest REQUIRED)
endif()
