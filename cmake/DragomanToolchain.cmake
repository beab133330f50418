# Language level, warnings, build types and sanitizers, the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# The shared library exports what DRAGOMAN_API marks and nothing else.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, Sanitize or Check" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g -fno-omit-frame-pointer")
# For a build that only looks for mistakes: compiling counts, not running.
set(CMAKE_CXX_FLAGS_CHECK "-O0 -gline-tables-only -fno-omit-frame-pointer")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

add_library(dragoman_flags INTERFACE)
function(dragoman_cxx_options)
  foreach(option IN LISTS ARGN)
    target_compile_options(dragoman_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${option}>)
  endforeach()
endfunction()
# Contraction is off, so a product and a sum round the same way with every compiler and optimisation level; kernels call
# fused multiply-add explicitly.
dragoman_cxx_options(-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Known false positives of GCC 12 and 13 inside the standard library and fmt. Sources are compiled several at a time, so
  # that the unnamed namespace of one is seen by the next: names there may be shadowed and give a class its type.
  dragoman_cxx_options(-Wshadow=local -Wno-subobject-linkage -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds
                       -Wno-maybe-uninitialized -Wno-dangling-reference)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  dragoman_cxx_options(-Wcast-qual -Wconditional-uninitialized -Wdeprecated-copy-dtor -Wextra-semi -Wformat=2
                       -Wheader-hygiene -Wmissing-prototypes -Wnon-virtual-dtor -Wnull-dereference -Woverloaded-virtual
                       -Wrange-loop-analysis -Wshadow-uncaptured-local -Wstring-conversion -Wsuggest-destructor-override
                       -Wunreachable-code -Wunused-member-function -Wunused-template)
  if(NOT DRAGOMAN_CUDA)
    # Without CUDA, the classes of kernels/cuda have fields that no function reads.
    dragoman_cxx_options(-Wno-unused-private-field)
  endif()
endif()
if(DRAGOMAN_NATIVE)
  dragoman_cxx_options(-march=native)
endif()
if(DRAGOMAN_SANITIZE)
  add_compile_options(-fsanitize=${DRAGOMAN_SANITIZE} -fno-sanitize-recover=all)
  string(REPLACE "fuzzer-no-link," "" link_sanitizers "${DRAGOMAN_SANITIZE}")
  add_link_options(-fsanitize=${link_sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND DRAGOMAN_SANITIZE MATCHES "thread")
    # Boost.Asio has fences beside its mutexes; GCC warns that the sanitizer does not see them.
    dragoman_cxx_options(-Wno-tsan)
  endif()
endif()
if(DRAGOMAN_CUDA)
  # Compute capability 8.0 or newer. On a machine with a GPU, compile for that GPU; elsewhere, compile PTX for 8.0, which is
  # quick and which the driver of any newer GPU translates.
  if(EXISTS /dev/nvidiactl)
    set(architectures native)
  else()
    set(architectures 80-virtual)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "GPU generations to compile for")
  set(CMAKE_CUDA_COMPILER "${DRAGOMAN_NVCC}" CACHE FILEPATH "")
  if(CCACHE)
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE}")
  endif()
  enable_language(CUDA)
  # Releases of CMake older than the CUDA compiler do not know that it supports C++20.
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    message(FATAL_ERROR "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is too old: 12.8 or newer is needed, or -DDRAGOMAN_CUDA=OFF")
  endif()
  target_compile_options(dragoman_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings --expt-relaxed-constexpr --extended-lambda -Xcompiler=-Wall,-Werror>")
endif()
