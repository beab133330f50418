#pragma once

#include "kernels/arguments/attention.h"
#include "kernels/arguments/elements.h"
#include "kernels/arguments/optimisers.h"
#include "kernels/arguments/products.h"
#include "kernels/arguments/recurrence.h"
#include "kernels/arguments/rows.h"

// The contract: every kernel once. A kernel is a function of one argument struct over raw pointers (arguments/); it
// trusts its caller (ops check shapes) and never allocates from an arena. `Kernels<T>` is the list; `reference`, `cpu`
// and `cuda` fill it. T is the type of activations and of the weights as they are multiplied; Stat<T> that of
// statistics and parameter gradients.
//
// Common rules:
// - Matrices are row-major and contiguous unless a stride is given. N is a number of packed rows, B of sentences.
// - Any size may be 0. Pointers said to be optional may be null: not given, or not wanted.
// - Outputs are written whole. A gradient of an activation comes with a flag `accumulate_*`: add to what is there
//   instead of overwriting. Parameter gradients (Stat<T>*) are always added to.
// - Results do not depend on the number of threads, matrix products excepted; sums are in a fixed order.
namespace dragoman::kernels {

// Throws Error: the filling has no such kernel.
[[noreturn]] void fail_missing(const char* entry, const char* filling);

// One line of the list: a name and a function that a filling put there.
template <class Arguments>
class Entry {
 public:
  using Function = void (*)(const Arguments&);

  explicit Entry(const char* name) : name_(name) {}
  Entry& operator=(Function function) {
    function_ = function;
    return *this;
  }
  void operator()(const Arguments& arguments) const {
    if (function_ == nullptr) fail_missing(name_, filling_);
    function_(arguments);
  }
  const char* name() const { return name_; }
  bool available() const { return function_ != nullptr; }
  void set_filling(const char* filling) { filling_ = filling; }

 private:
  const char* name_;
  const char* filling_ = "this device";
  Function function_ = nullptr;
};

template <class T>
struct Kernels {
  explicit Kernels(const char* filling) {
    each([filling](auto& entry) { entry.set_filling(filling); });
  }

  Entry<Linear<T>> linear{"linear"};
  Entry<LinearBackward<T>> linear_backward{"linear_backward"};
  Entry<PackWeight<T>> pack_weight{"pack_weight"};
  Entry<LinearPacked<T>> linear_packed{"linear_packed"};
  Entry<TopScores<T>> top_scores{"top_scores"};
  Entry<Matmul<T>> matmul{"matmul"};
  Entry<ProjectLength<T>> project_length{"project_length"};
  Entry<ProjectLengthBackward<T>> project_length_backward{"project_length_backward"};
  Entry<GatherRows<T>> gather_rows{"gather_rows"};
  Entry<ScatterRows<T>> scatter_rows{"scatter_rows"};
  Entry<CopyBlock<T>> copy_block{"copy_block"};
  Entry<Norm<T>> norm{"norm"};
  Entry<NormBackward<T>> norm_backward{"norm_backward"};
  Entry<Softmax<T>> softmax{"softmax"};
  Entry<SoftmaxBackward<T>> softmax_backward{"softmax_backward"};
  Entry<CrossEntropy<T>> cross_entropy{"cross_entropy"};
  Entry<Attention<T>> attention{"attention"};
  Entry<AttentionBackward<T>> attention_backward{"attention_backward"};
  Entry<AdditiveScores<T>> additive_scores{"additive_scores"};
  Entry<AdditiveScoresBackward<T>> additive_scores_backward{"additive_scores_backward"};
  Entry<LstmCell<T>> lstm_cell{"lstm_cell"};
  Entry<LstmCellBackward<T>> lstm_cell_backward{"lstm_cell_backward"};
  Entry<GruCell<T>> gru_cell{"gru_cell"};
  Entry<GruCellBackward<T>> gru_cell_backward{"gru_cell_backward"};
  Entry<LstmLayer<T>> lstm_layer{"lstm_layer"};
  Entry<LstmLayerBackward<T>> lstm_layer_backward{"lstm_layer_backward"};
  Entry<LstmStep<T>> lstm_step{"lstm_step"};
  Entry<LstmStepBackward<T>> lstm_step_backward{"lstm_step_backward"};
  Entry<TanhStep<T>> tanh_step{"tanh_step"};
  Entry<TanhStepBackward<T>> tanh_step_backward{"tanh_step_backward"};
  Entry<Rotate<T>> rotate{"rotate"};
  Entry<Activate<T>> activate{"activate"};
  Entry<ActivateBackward<T>> activate_backward{"activate_backward"};
  Entry<Combine<T>> combine{"combine"};
  Entry<Multiply<T>> multiply{"multiply"};
  Entry<DropElements<T>> dropout{"dropout"};
  Entry<Fill<T>> fill{"fill"};
  Entry<ToBf16<T>> to_bf16{"to_bf16"};
  Entry<FromBf16<T>> from_bf16{"from_bf16"};
  Entry<AllFinite<T>> all_finite{"all_finite"};
  Entry<SumSquares<T>> sum_squares{"sum_squares"};
  Entry<AddSum<T>> add_sum{"add_sum"};
  Entry<Adam<T>> adam{"adam"};
  Entry<Sgd<T>> sgd{"sgd"};

  // Calls f with every entry, in order.
  template <class F>
  void each(F&& f) {
    for_each(*this, f);
  }
  template <class F>
  void each(F&& f) const {
    for_each(*this, f);
  }

 private:
  template <class Self, class F>
  static void for_each(Self& self, F& f) {
    f(self.linear), f(self.linear_backward), f(self.matmul), f(self.project_length), f(self.project_length_backward);
    f(self.pack_weight), f(self.linear_packed), f(self.top_scores);
    f(self.gather_rows), f(self.scatter_rows), f(self.copy_block);
    f(self.norm), f(self.norm_backward), f(self.softmax), f(self.softmax_backward), f(self.cross_entropy);
    f(self.attention), f(self.attention_backward), f(self.additive_scores), f(self.additive_scores_backward);
    f(self.lstm_cell), f(self.lstm_cell_backward), f(self.lstm_layer), f(self.lstm_layer_backward);
    f(self.gru_cell), f(self.gru_cell_backward), f(self.rotate);
    f(self.lstm_step), f(self.lstm_step_backward), f(self.tanh_step), f(self.tanh_step_backward);
    f(self.activate), f(self.activate_backward), f(self.combine), f(self.multiply), f(self.dropout);
    f(self.fill), f(self.to_bf16), f(self.from_bf16), f(self.all_finite);
    f(self.sum_squares), f(self.add_sum), f(self.adam), f(self.sgd);
    static_assert(sizeof(Self) == 44 * sizeof(self.linear), "an entry is missing from this list");
  }
};

}  // namespace dragoman::kernels
