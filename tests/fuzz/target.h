#pragma once

#include <cstddef>
#include <cstdint>

// What a fuzz target defines. Every target is compiled with this header included first, once for libFuzzer and once for
// the replay (replay.cc).
extern "C" {

// Feeds one input to a reader. Returns 0; anything but a return is a defect of the reader.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Optional: changes an input in place, using at most `capacity` bytes, and returns its new size. For formats with a
// checksum, which a random change makes wrong: call LLVMFuzzerMutate, then repair the checksum.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t capacity, unsigned seed);

// Provided by libFuzzer and by the replay.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t capacity);
}
