#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/random.h"
#include "kernels/fillings.h"

// The walk through the contract: a case fills the arguments of one kernel and calls it. It is written once for any T,
// runs with `reference<double>`, `reference<float>` and the filling under test, on the same numbers, and what they
// wrote is compared.
namespace dragoman::kernels::test {

// The arrays of one run of a case. Every array has guard elements around it. Outputs are poisoned with NaN
// before the kernel runs, so an element that was not written, or written outside, shows.
template <class T>
class Arrays {
 public:
  explicit Arrays(std::uint64_t seed) : random_(seed) {}

  // Random numbers that the kernel must not change.
  const T* input(Size count, double low = -1, double high = 1) { return draw(Kind::input, "input", count, low, high); }
  // Random numbers that the kernel changes.
  T* inout(const char* name, Size count, double low = -1, double high = 1) {
    return draw(Kind::output, name, count, low, high);
  }
  // What the kernel writes.
  T* output(const char* name, Size count) { return add(Kind::output, name, count); }
  // What the kernel may use as it likes.
  T* workspace(Size count) { return add(Kind::workspace, "workspace", count); }
  // Values given one by one, which the kernel must not change.
  const T* values(const std::vector<double>& given) {
    T* data = add(Kind::input, "values", std::ssize(given));
    for (std::size_t i = 0; i < given.size(); ++i) data[i] = static_cast<T>(given[i]);
    keep();
    return data;
  }
  // What a kernel wrote for the next one to read.
  void freeze() {
    for (auto& array : arrays_) array->original = array->memory;
  }

  const std::int32_t* integers(std::vector<std::int32_t> numbers) {
    integers_.push_back(std::make_unique<std::vector<std::int32_t>>(std::move(numbers)));
    return integers_.back()->data();
  }
  // Uniform in [0, bound).
  const std::int32_t* integers(Size count, Size bound) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    for (auto& n : numbers) n = static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(bound)));
    return integers(std::move(numbers));
  }
  std::int32_t* integer_workspace(Size count) {
    return const_cast<std::int32_t*>(integers(std::vector<std::int32_t>(static_cast<std::size_t>(count), -1)));
  }

  // Results that are not arrays of T; compared as they are.
  void result(const char* name, const std::vector<double>& values) {
    T* data = add(Kind::output, name, std::ssize(values));
    for (std::size_t i = 0; i < values.size(); ++i) data[i] = static_cast<T>(values[i]);
  }

  struct Result {
    std::string name;
    std::vector<T> values;
  };
  std::vector<Result> results() const {
    std::vector<Result> all;
    for (const auto& array : arrays_)
      if (array->kind == Kind::output)
        all.push_back({array->name, {array->memory.begin() + kGuards, array->memory.end() - kGuards}});
    return all;
  }

  // Fails the test if a guard, or an input, was written.
  void expect_intact() const {
    for (const auto& array : arrays_) {
      const std::size_t size = array->memory.size();
      for (std::size_t i = 0; i < size; ++i) {
        const bool guard = i < kGuards || i >= size - kGuards;
        if (guard && array->memory[i] != kGuard) {
          ADD_FAILURE() << array->name << ": written outside, at element "
                        << static_cast<Size>(i) - static_cast<Size>(kGuards) << " of " << size - 2 * kGuards;
          break;
        }
      }
      if (array->kind == Kind::input && array->memory != array->original)
        ADD_FAILURE() << array->name << ": an input was changed";
    }
  }

 private:
  enum class Kind { input, output, workspace };
  static constexpr std::size_t kGuards = 24;
  static constexpr T kGuard = T(-77.25);

  struct Array {
    Kind kind;
    std::string name;
    std::vector<T> memory, original;
  };

  T* add(Kind kind, const char* name, Size count) {
    auto array = std::make_unique<Array>(Array{kind, name, {}, {}});
    array->memory.assign(static_cast<std::size_t>(count) + 2 * kGuards, std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < kGuards; ++i) array->memory[i] = array->memory[array->memory.size() - 1 - i] = kGuard;
    arrays_.push_back(std::move(array));
    return arrays_.back()->memory.data() + kGuards;
  }
  T* draw(Kind kind, const char* name, Size count, double low, double high) {
    T* data = add(kind, name, count);
    for (Size i = 0; i < count; ++i) data[i] = static_cast<T>(static_cast<float>(random_.uniform(low, high)));
    keep();
    return data;
  }
  void keep() { arrays_.back()->original = arrays_.back()->memory; }

  Random random_;
  std::vector<std::unique_ptr<Array>> arrays_;
  std::vector<std::unique_ptr<std::vector<std::int32_t>>> integers_;
};

struct Case {
  std::string entry;  // the kernel's name in the list
  std::string name;   // what is special about the arguments
  std::function<void(Arrays<float>&, const Kernels<float>&)> in_float;
  std::function<void(Arrays<double>&, const Kernels<double>&)> in_double;

  std::uint64_t seed() const { return std::hash<std::string>{}(entry + name); }
};

class Cases {
 public:
  // `body` is called as body(arrays, kernels) with either type.
  template <class F>
  void add(const char* entry, std::string name, F body) {
    all_.push_back({entry, std::move(name), body, body});
  }
  const std::vector<Case>& all() const { return all_; }

 private:
  std::vector<Case> all_;
};

void add_linear_cases(Cases& cases);
void add_packed_cases(Cases& cases);
void add_row_cases(Cases& cases);
void add_softmax_cases(Cases& cases);
void add_attention_cases(Cases& cases);
void add_lstm_cases(Cases& cases);
void add_elementwise_cases(Cases& cases);

const std::vector<Case>& all_cases();

// The lengths of sentences, as offsets.
inline std::vector<std::int32_t> offsets_of(const std::vector<Size>& lengths) {
  std::vector<std::int32_t> offsets{0};
  for (const Size length : lengths) offsets.push_back(offsets.back() + static_cast<std::int32_t>(length));
  return offsets;
}

// A pointer that is there, or null.
template <class T>
T* given(bool wanted, T* pointer) {
  return wanted ? pointer : nullptr;
}

}  // namespace dragoman::kernels::test
