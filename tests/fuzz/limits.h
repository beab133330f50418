#pragma once

#include <cstddef>

// What one input may cost in the replay of the fuzz targets; tools/fuzz sets the same limits for libFuzzer.
namespace dragoman::fuzz {

// Inputs have a few kilobytes. No reader needs more than this for one of them.
constexpr std::size_t kMostMegabytes = 128;
// Seconds of processor time. The sanitizers and a build without optimisation make a program several times slower.
#ifdef DRAGOMAN_SANITIZED
constexpr int kMostSeconds = 10;
#else
constexpr int kMostSeconds = 1;
#endif

// Starts to count the memory that an input takes. If it takes more than kMostMegabytes, the process aborts. Where a
// sanitizer replaces the allocator, only single allocations are limited.
void count_memory();

}  // namespace dragoman::fuzz
