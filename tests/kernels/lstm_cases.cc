#include <algorithm>
#include <numeric>

#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

struct LstmShape {
  std::vector<Size> lengths;
  Size hidden;
};
// So many sentences that they are not all processed at once.
std::vector<Size> many_lengths() {
  std::vector<Size> lengths(1150);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<Size>(i * 7 % 11 < 2 ? i % 4 : 1);
  return lengths;
}
const std::vector<LstmShape> kLstmShapes = {
    {{}, 4},
    {{1}, 1},
    {{0, 0}, 3},
    {{3, 0, 5, 1}, 7},
    {{6, 6, 2}, 16},
    {{4, 9, 1, 3, 8, 2, 2, 7, 5, 6}, 64},
    {{12, 3, 7, 20, 1}, 33},
    {{5, 30, 4, 11, 11, 2, 25, 8, 9, 3, 1, 14, 6}, 40},
    {{3, 1, 2, 2, 5, 0, 1, 4, 2, 3, 1, 6, 2, 2, 7, 3, 4, 1, 1, 5, 2, 3, 0, 1, 2, 4, 3, 1, 2, 8, 1, 1, 2, 3, 3, 2, 1},
     32},
    {{2, 3, 1, 4, 0}, 160},
    {{2, 1, 3}, 288},
    {many_lengths(), 64}};

enum LayerFlags {
  reversed = 1,
  first = 2,
  no_dh = 4,
  no_last = 8,
  added = 16,
  no_gradient_of_first = 32,
  no_weight = 64
};

// The arguments of forward; the gates hold the input's part.
template <class T>
LstmLayer<T> layer_arguments(const LstmShape& l, int flags, Arrays<T>& arrays) {
  const auto offsets = offsets_of(l.lengths);
  const Size sentences = std::ssize(l.lengths), rows = offsets.back();
  std::vector<std::int32_t> order(l.lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return l.lengths[a] > l.lengths[b]; });
  std::vector<std::int32_t> active;
  for (Size t = 0; sentences > 0 && t < l.lengths[order[0]]; ++t)
    active.push_back(static_cast<std::int32_t>(
        std::count_if(l.lengths.begin(), l.lengths.end(), [&](Size length) { return length > t; })));
  LstmLayer<T> a{.sentences = sentences, .hidden = l.hidden, .steps = std::ssize(active)};
  a.offsets = arrays.integers(offsets);
  a.order = arrays.integers(order);
  a.active = arrays.integers(active);
  a.reverse = flags & reversed;
  a.gates = arrays.inout("gates", rows * 4 * l.hidden, -2, 2);
  a.weight = arrays.input(4 * l.hidden * l.hidden, -0.3, 0.3);
  a.h_first = given(flags & first, arrays.input(sentences * l.hidden));
  a.c_first = given(flags & first, arrays.input(sentences * l.hidden));
  a.h = arrays.output("h", rows * l.hidden);
  a.c = arrays.output("c", rows * l.hidden);
  a.h_last = arrays.output("h_last", sentences * l.hidden);
  a.c_last = arrays.output("c_last", sentences * l.hidden);
  a.workspace = arrays.workspace(sentences * 6 * l.hidden);
  return a;
}

// The arguments of backward, after forward has run.
template <class T>
LstmLayerBackward<T> backward_arguments(const LstmShape& l, int flags, Arrays<T>& arrays, const Kernels<T>& kernels) {
  const Size sentences = std::ssize(l.lengths), rows = offsets_of(l.lengths).back();
  LstmLayerBackward<T> b{.forward = layer_arguments(l, flags, arrays)};
  kernels.lstm_layer(b.forward);
  b.dh = given(!(flags & no_dh), arrays.input(rows * l.hidden));
  b.dh_last = given(!(flags & no_last), arrays.input(sentences * l.hidden));
  b.dc_last = given(!(flags & no_last), arrays.input(sentences * l.hidden));
  b.dgates = arrays.output("dgates", rows * 4 * l.hidden);
  b.h_before = arrays.workspace(rows * l.hidden);
  b.dweight = given(!(flags & no_weight), arrays.stat_inout("dweight", 4 * l.hidden * l.hidden));
  const bool wanted = !(flags & no_gradient_of_first);
  b.dh_first = given(wanted, arrays.inout("dh_first", sentences * l.hidden));
  b.dc_first = given(wanted, arrays.inout("dc_first", sentences * l.hidden));
  b.accumulate_dh_first = b.accumulate_dc_first = flags & added;
  return b;
}

void add_layers(Cases& cases) {
  for (const LstmShape& l : kLstmShapes) {
    const Size sentences = std::ssize(l.lengths);
    const bool large = l.hidden > 100 || sentences > 100;  // slow in the reference
    for (const int flags : large ? std::vector{3} : std::vector{0, 1, 2, 3})
      cases.add("lstm_layer", fmt::format("{} sentences of hidden {} flags {}", sentences, l.hidden, flags),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  kernels.lstm_layer(layer_arguments(l, flags, arrays));
                });
    cases.add("lstm_layer", fmt::format("two of {} sentences of hidden {}", sentences, l.hidden),
              [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                LstmLayer<T> there = layer_arguments(l, first, arrays);
                const LstmLayer<T> back = layer_arguments(l, reversed, arrays);
                there.beside = &back;
                kernels.lstm_layer(there);
              });
    for (const int flags : large ? std::vector{2, 19} : std::vector{0, 1, 2, 3, 5, 10, 18, 19, 34, 65, 127})
      cases.add("lstm_layer_backward", fmt::format("{} sentences of hidden {} flags {}", sentences, l.hidden, flags),
                [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                  kernels.lstm_layer_backward(backward_arguments(l, flags, arrays, kernels));
                });
    cases.add("lstm_layer_backward", fmt::format("two of {} sentences of hidden {}", sentences, l.hidden),
              [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
                LstmLayerBackward<T> there = backward_arguments(l, first, arrays, kernels);
                const LstmLayerBackward<T> back = backward_arguments(l, reversed, arrays, kernels);
                there.beside = &back;
                kernels.lstm_layer_backward(there);
              });
  }
}

void add_gru(Cases& cases) {
  for (const Size rows : {0, 1, 3, 500})
    for (const Size hidden : {1, 5, 64}) {
      const auto name = fmt::format("{}x{}", rows, hidden);
      cases.add("gru_cell", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        kernels.gru_cell({.rows = rows,
                          .hidden = hidden,
                          .x_gates = arrays.inout("x_gates", rows * 3 * hidden, -4, 4),
                          .h_gates = arrays.input(rows * 3 * hidden),
                          .h_before = arrays.input(rows * hidden),
                          .h = arrays.output("h", rows * hidden)});
      });
      for (const int flags : {0, 1, 2})
        cases.add(
            "gru_cell_backward", fmt::format("{} flags {}", name, flags),
            [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
              kernels.gru_cell_backward({.rows = rows,
                                         .hidden = hidden,
                                         .x_gates = arrays.input(rows * 3 * hidden, 0, 1),
                                         .h_gates = arrays.input(rows * 3 * hidden),
                                         .h_before = arrays.input(rows * hidden),
                                         .dh = arrays.input(rows * hidden),
                                         .dx_gates = arrays.output("dx_gates", rows * 3 * hidden),
                                         .dh_gates = arrays.output("dh_gates", rows * 3 * hidden),
                                         .dh_before = given(!(flags & 1), arrays.inout("dh_before", rows * hidden)),
                                         .accumulate_dh_before = (flags & 2) != 0});
            });
    }
}

}  // namespace

void add_lstm_cases(Cases& cases) {
  add_gru(cases);
  for (const Size rows : {0, 1, 3, 10, 300})
    for (const Size hidden : {1, 5, 64, 130}) {
      const auto name = fmt::format("{}x{}", rows, hidden);
      cases.add("lstm_cell", name, [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
        kernels.lstm_cell({.rows = rows,
                           .hidden = hidden,
                           .gates = arrays.inout("gates", rows * 4 * hidden, -4, 4),
                           .c_before = arrays.input(rows * hidden),
                           .h = arrays.output("h", rows * hidden),
                           .c = arrays.output("c", rows * hidden)});
      });
      for (const int flags : {0, 1, 2, 4, 8})
        cases.add(
            "lstm_cell_backward", fmt::format("{} flags {}", name, flags),
            [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
              kernels.lstm_cell_backward({.rows = rows,
                                          .hidden = hidden,
                                          .gates = arrays.input(rows * 4 * hidden, 0, 1),
                                          .c_before = arrays.input(rows * hidden),
                                          .c = arrays.input(rows * hidden),
                                          .dh = given(!(flags & 1), arrays.input(rows * hidden)),
                                          .dc = given(!(flags & 2), arrays.input(rows * hidden)),
                                          .dgates = arrays.output("dgates", rows * 4 * hidden),
                                          .dc_before = given(!(flags & 4), arrays.inout("dc_before", rows * hidden)),
                                          .accumulate_dc_before = (flags & 8) != 0});
            });
    }
  add_layers(cases);
}

}  // namespace dragoman::kernels::test
