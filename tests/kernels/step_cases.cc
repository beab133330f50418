#include "tests/kernels/contract.h"

namespace dragoman::kernels::test {
namespace {

struct Step {
  Size rows, hidden;
};
const std::vector<Step> kSteps = {{0, 4}, {1, 1}, {3, 5}, {10, 64}, {70, 80}, {9, 256}};
// One case of each large size is enough: the reference is slow.
std::vector<int> choose(const Step& step, std::vector<int> flags, int large) {
  return step.rows * step.hidden > 1000 ? std::vector{large} : flags;
}

// fewer: the second term has fewer rows; alone: there is no second term; plain: no bias, or nothing else arrives;
// wider: the second term is the first columns of something wider; first_early, second_early: what a term multiplies was
// there long before.
enum StepFlags { drops = 1, fewer = 2, alone = 4, plain = 8, wider = 16, first_early = 32, second_early = 64 };

template <class T>
Terms<T> terms(Arrays<T>& arrays, Size rows, std::array<Size, 2> sizes, Size out, int flags) {
  Terms<T> both{};
  for (std::size_t i = 0; i < 2; ++i) {
    Term<T>& term = both[i];
    term.rows = i == 0 ? rows : flags & alone ? 0 : flags & fewer ? rows * 2 / 3 : rows;
    term.size = sizes[i];
    term.x_stride = sizes[i] + (i == 1 && flags & wider ? 8 : 0);
    term.x = arrays.input(term.rows * term.x_stride);
    term.independent = (flags & (i == 0 ? first_early : second_early)) != 0;
    term.weight = arrays.input(sizes[i] * out, -0.2, 0.2);
  }
  return both;
}

Dropout dropout_of(int flags) { return {.rate = flags & drops ? 0.3 : 0.0, .key = RandomKey{7, 9}}; }

void add_lstm_steps(Cases& cases, const Step& s) {
  const Size rows = s.rows, n = s.hidden;
  const auto name = [&](int flags) { return fmt::format("{}x{} flags {}", rows, n, flags); };
  for (const int flags : choose(s, {0, 1, 4, 8, 9, 16, 64, 96}, 65))
    cases.add("lstm_step", name(flags), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      LstmStep<T> a{.cell = {.rows = rows,
                             .hidden = n,
                             .gates = arrays.inout("gates", rows * 4 * n, -2, 2),
                             .c_before = arrays.input(rows * n),
                             .h = arrays.output("h", rows * n),
                             .c = arrays.output("c", rows * n)}};
      a.terms = terms(arrays, rows, {n, 2 * n}, 4 * n, flags);
      a.bias = given(!(flags & plain), arrays.input(4 * n));
      a.dropout = dropout_of(flags);
      if (flags & drops) a.dropped = arrays.output("dropped", rows * n);
      kernels.lstm_step(a);
    });
  for (const int flags : choose(s, {0, 1, 2, 3, 4, 8, 9, 16, 64, 67, 69, 99}, 67))
    cases.add("lstm_step_backward", name(flags), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      LstmStepBackward<T> a{.cell = {.rows = rows,
                                     .hidden = n,
                                     .gates = arrays.input(rows * 4 * n, 0, 1),
                                     .c_before = arrays.input(rows * n),
                                     .c = arrays.input(rows * n),
                                     .dh = given(!(flags & plain), arrays.input(rows * n)),
                                     .dgates = arrays.output("dgates", rows * 4 * n)}};
      a.cell.dc = a.cell.dc_before = arrays.inout("dc", rows * n);
      a.terms = terms(arrays, rows, {n, 4 * n}, n, flags);
      a.dropout = dropout_of(flags);
      a.dh = arrays.workspace(rows * n);
      kernels.lstm_step_backward(a);
    });
}

void add_tanh_steps(Cases& cases, const Step& s) {
  const Size rows = s.rows, n = s.hidden;
  const auto name = [&](int flags) { return fmt::format("{}x{} flags {}", rows, n, flags); };
  for (const int flags : choose(s, {0, 1, 4, 17, 33}, 33))
    cases.add("tanh_step", name(flags), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      TanhStep<T> a{.rows = rows, .out = n, .terms = terms(arrays, rows, {n, 3 * n}, n, flags)};
      a.bias = arrays.input(n);
      a.y = arrays.output("y", rows * n);
      a.dropout = dropout_of(flags);
      if (flags & drops) a.dropped = arrays.output("dropped", rows * n);
      kernels.tanh_step(a);
    });
  for (const int flags : choose(s, {0, 1, 2, 3, 4, 17}, 3))
    cases.add("tanh_step_backward", name(flags), [=]<class T>(Arrays<T>& arrays, const Kernels<T>& kernels) {
      kernels.tanh_step_backward({.rows = rows,
                                  .out = n,
                                  .terms = terms(arrays, rows, {4 * n, n}, n, flags),
                                  .y = arrays.input(rows * n),
                                  .dy = arrays.input(rows * n),
                                  .dropout = dropout_of(flags),
                                  .dz = arrays.output("dz", rows * n)});
    });
}

}  // namespace

void add_step_cases(Cases& cases) {
  for (const Step& step : kSteps) {
    add_lstm_steps(cases, step);
    add_tanh_steps(cases, step);
  }
}

}  // namespace dragoman::kernels::test
