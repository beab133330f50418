#pragma once

#include "kernels/arguments/attention.h"
#include "kernels/arguments/elements.h"
#include "kernels/arguments/optimisers.h"
#include "kernels/arguments/products.h"
#include "kernels/arguments/recurrence.h"
#include "kernels/arguments/row_program.h"
#include "kernels/arguments/rows.h"

// The contract: every kernel once. A kernel is a function of one argument struct over raw pointers (arguments/); it
// trusts its caller (ops check shapes) and never allocates from an arena. `Kernels<T>` has one entry per line of
// entries.def; `reference`, `cpu` and `cuda` fill it. T is the type of the activations and of the weights as they are
// multiplied; Stat<T> is the type of statistics and parameter gradients.
//
// Common rules:
// - Matrices are row-major and contiguous unless a stride is given. N counts packed rows, B sentences.
// - Any size may be 0. An optional pointer may be null: the input is not given, or the output is not needed.
// - Outputs are overwritten entirely. The gradient of an activation has a flag `accumulate_*`: add to the present
//   values instead of overwriting them. Parameter gradients (Stat<T>*) are always added to.
// - Results do not depend on the number of threads, except for matrix products; sums are taken in a fixed order.
namespace dragoman::kernels {

// Throws Error: the filling lacks this kernel.
[[noreturn]] void fail_missing(const char* entry, const char* filling);

// One entry of the list: a name and the function that a filling assigned to it.
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

#define DRAGOMAN_KERNEL(name, Arguments) Entry<Arguments<T>> name{#name};
#include "kernels/entries.def"
#undef DRAGOMAN_KERNEL

  // Calls f with every entry, in the order of the list.
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
#define DRAGOMAN_KERNEL(name, Arguments) f(self.name);
#include "kernels/entries.def"
#undef DRAGOMAN_KERNEL
  }
};

}  // namespace dragoman::kernels
