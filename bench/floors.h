#pragma once

#include <cstdint>
#include <vector>

namespace dragoman::bench {

// An instruction that multiplies and adds.
struct Instruction {
  const char* name;  // begins with the number format
  double products;   // multiply-adds of one repetition
  bool available;    // on this CPU
  void (*run)(std::int64_t repetitions);
};

// Those of this architecture; of several for a number format, the last one that is available is the fastest.
// floors_aarch64.cc or floors_x86.cc.
std::vector<Instruction> instructions();

}  // namespace dragoman::bench

// Independent sums, since an instruction takes several cycles. Twelve leave registers 12 to 15 for the factors, which
// may not be sums: the next products would wait for them.
#define DRAGOMAN_TWELVE(one) \
  one("0") one("1") one("2") one("3") one("4") one("5") one("6") one("7") one("8") one("9") one("10") one("11")
#define DRAGOMAN_SIXTEEN(one) DRAGOMAN_TWELVE(one) one("12") one("13") one("14") one("15")
