#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

struct SsruSize {
  std::vector<Size> lengths;
  Size hidden;
};
const std::vector<SsruSize> kSsruSizes = {{{}, 4},
                                          {{1}, 1},
                                          {{0, 0}, 3},
                                          {{3, 0, 5, 1}, 7},
                                          {{1, 1, 1, 1, 1, 1}, 256},
                                          {{40, 9, 17}, 33},
                                          {{4, 9, 1, 0, 8, 16, 2, 7, 5, 6}, 64},
                                          {{2, 30, 1}, 700}};

enum SsruFlags { with_first = 1, without_c = 2, without_dh = 4, without_last = 8, adding = 16, nothing_wanted = 32 };

template <class T>
Ssru<T> ssru_arguments(const SsruSize& size, int flags, Arrays<T>& arrays) {
  const auto offsets = offsets_of(size.lengths);
  const Size sentences = std::ssize(size.lengths), rows = offsets.back();
  return {.sentences = sentences,
          .rows = rows,
          .hidden = size.hidden,
          .offsets = arrays.integers(offsets),
          .gates = arrays.input(rows * 2 * size.hidden, -3, 3),
          .c_first = given(flags & with_first, arrays.stat_input(sentences * size.hidden)),
          .h = arrays.output("h", rows * size.hidden),
          .c = flags & without_c ? nullptr : arrays.stat_output("c", rows * size.hidden),
          .c_last = arrays.stat_output("c_last", sentences * size.hidden)};
}

}  // namespace

void add_ssru_cases(Cases& cases) {
  for (const SsruSize& size : kSsruSizes) {
    const Size sentences = std::ssize(size.lengths), rows = offsets_of(size.lengths).back();
    const std::string name = fmt::format("{} sentences, {} rows of {}", sentences, rows, size.hidden);
    for (const int flags : {0, 1, 2, 3})
      cases.add("ssru", fmt::format("{}, flags {}", name, flags),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  kernels.ssru(ssru_arguments(size, flags, arrays));
                });
    for (const int flags : {0, 1, 4, 9, 17, 33, 49})
      cases.add("ssru_backward", fmt::format("{}, flags {}", name, flags),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  const Ssru<T> forward = ssru_arguments(size, flags, arrays);
                  kernels.ssru(forward);
                  const bool wanted = !(flags & nothing_wanted);
                  kernels.ssru_backward(
                      {.forward = forward,
                       .dh = given(!(flags & without_dh), arrays.input(rows * size.hidden)),
                       .dc_last = given(!(flags & without_last), arrays.stat_input(sentences * size.hidden)),
                       .dgates = given(wanted, arrays.inout("dgates", rows * 2 * size.hidden)),
                       .dc_first = given(flags & with_first, arrays.stat_inout("dc_first", sentences * size.hidden)),
                       .accumulate_dgates = (flags & adding) != 0,
                       .accumulate_dc_first = (flags & adding) != 0});
                });
  }
}

}  // namespace dragoman::kernels::test
