#pragma once

#include <cstdint>

#include "base/threads.h"
#include "kernels/cpu/cpu.h"

namespace dragoman::kernels::test {

// Sets the size of the thread pool and restores the default in the end.
struct ThreadCount {
  explicit ThreadCount(int count) { threads::set_count(count); }
  ~ThreadCount() { threads::set_count(0); }
};

// Computes by one instruction set, and by the best in the end.
struct InstructionSet {
  explicit InstructionSet(std::int64_t target) { cpu_filling::use_instruction_set(target); }
  ~InstructionSet() { cpu_filling::use_instruction_set(0); }
};

}  // namespace dragoman::kernels::test
