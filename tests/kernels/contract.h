#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "kernels/fillings.h"

// The walk through the contract: a case fills the arguments of one kernel and calls it. It is written once for any T
// and runs on the same numbers with `reference<double>`, `reference<float>` and the fillings under test, whose outputs
// are compared.
namespace dragoman::kernels::test {

// A number rounded to T.
template <class T>
T number(double value) {
  if constexpr (std::is_same_v<T, bf16>)
    return bf16::from(static_cast<float>(value));
  else if constexpr (std::is_integral_v<T>)
    return std::isnan(value) ? std::numeric_limits<T>::min() : static_cast<T>(value);
  else
    return static_cast<T>(value);
}
template <class T>
double number_of(T value) {
  if constexpr (std::is_same_v<T, bf16>)
    return double{value.value()};
  else
    return static_cast<double>(value);
}

struct Result {
  std::string name;
  std::vector<double> values;
};

enum class Kind { input, output, workspace };

// Arrays of one type, in memory that the kernels under test can reach. Every array has guard elements around it.
// Outputs are filled with NaN before the kernel runs, so that missing writes and writes out of bounds are detected.
template <class U>
class ArrayList {
 public:
  explicit ArrayList(std::pmr::memory_resource* memory) : memory_(memory) {}

  U* add(Kind kind, const char* name, Size count) {
    std::pmr::vector<U> poisoned(static_cast<std::size_t>(count) + 2 * kGuards,
                                 number<U>(std::numeric_limits<double>::quiet_NaN()), memory_);
    for (std::size_t i = 0; i < kGuards; ++i) poisoned[i] = poisoned[poisoned.size() - 1 - i] = number<U>(kGuard);
    arrays_.push_back(std::make_unique<Array>(Array{kind, name, std::move(poisoned), {}}));
    return arrays_.back()->memory.data() + kGuards;
  }
  // The kernel must not change the last array.
  void keep() { arrays_.back()->original.assign(arrays_.back()->memory.begin(), arrays_.back()->memory.end()); }
  void add_results(std::vector<Result>& all) const {
    for (const auto& array : arrays_) {
      if (array->kind != Kind::output) continue;
      Result result{array->name, {}};
      for (auto one = array->memory.begin() + kGuards; one != array->memory.end() - kGuards; ++one)
        result.values.push_back(number_of(*one));
      all.push_back(std::move(result));
    }
  }
  // Fails the test if a guard, or an input, was written.
  void expect_intact() const {
    for (const auto& array : arrays_) {
      const std::size_t size = array->memory.size();
      for (std::size_t i = 0; i < size; ++i) {
        const bool guard = i < kGuards || i >= size - kGuards;
        if (guard && number_of(array->memory[i]) != kGuard) {
          ADD_FAILURE() << array->name << ": written out of bounds, at element "
                        << static_cast<Size>(i) - static_cast<Size>(kGuards) << " of " << size - 2 * kGuards;
          break;
        }
      }
      if (array->kind == Kind::input &&
          !std::equal(array->memory.begin(), array->memory.end(), array->original.begin(), array->original.end()))
        ADD_FAILURE() << array->name << ": an input was changed";
    }
  }

 private:
  static constexpr std::size_t kGuards = 24;
  static constexpr double kGuard = -77;

  struct Array {
    Kind kind;
    std::string name;
    std::pmr::vector<U> memory;
    std::vector<U> original;
  };

  std::pmr::memory_resource* memory_;
  std::vector<std::unique_ptr<Array>> arrays_;
};

// The arrays of one run of a case: of T, of Stat<T>, and of bf16 for entries that write it.
template <class T>
class Arrays {
 public:
  // `coarse`: random numbers are representable in bf16.
  explicit Arrays(std::uint64_t seed, std::pmr::memory_resource* memory = std::pmr::get_default_resource(),
                  bool coarse = false)
      : random_(seed),
        coarse_(coarse),
        own_(memory),
        stats_(memory),
        halves_(memory),
        integers_(memory),
        doubles_(memory) {}

  // Random numbers that the kernel must not change.
  const T* input(Size count, double low = -1, double high = 1) {
    return draw(own_, Kind::input, "input", count, low, high);
  }
  const Stat<T>* stat_input(Size count, double low = -1, double high = 1) {
    return draw(stats_, Kind::input, "input", count, low, high);
  }
  // Random numbers that the kernel changes.
  T* inout(const char* name, Size count, double low = -1, double high = 1) {
    return draw(own_, Kind::output, name, count, low, high);
  }
  Stat<T>* stat_inout(const char* name, Size count, double low = -1, double high = 1) {
    return draw(stats_, Kind::output, name, count, low, high);
  }
  double* double_inout(const char* name, double value) {
    double* data = doubles_.add(Kind::output, name, 1);
    *data = value;
    return data;
  }
  // An output.
  T* output(const char* name, Size count) { return own_.add(Kind::output, name, count); }
  Stat<T>* stat_output(const char* name, Size count) { return stats_.add(Kind::output, name, count); }
  bf16* half_output(const char* name, Size count) { return halves_.add(Kind::output, name, count); }
  // A workspace.
  T* workspace(Size count) { return own_.add(Kind::workspace, "workspace", count); }
  // Given values that the kernel must not change.
  const T* values(const std::vector<double>& given) {
    T* data = own_.add(Kind::input, "values", std::ssize(given));
    for (std::size_t i = 0; i < given.size(); ++i) data[i] = number<T>(given[i]);
    own_.keep();
    return data;
  }
  const bf16* half_values(const std::vector<bf16>& given) {
    bf16* data = halves_.add(Kind::input, "values", std::ssize(given));
    std::copy(given.begin(), given.end(), data);
    halves_.keep();
    return data;
  }

  const std::int32_t* integers(const std::vector<std::int32_t>& numbers) {
    std::int32_t* data = integers_.add(Kind::workspace, "integers", std::ssize(numbers));
    std::copy(numbers.begin(), numbers.end(), data);
    return data;
  }
  // Uniform in [0, bound).
  const std::int32_t* integers(Size count, Size bound) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    for (auto& n : numbers) n = static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(bound)));
    return integers(numbers);
  }
  std::int32_t* integer_workspace(Size count) {
    return const_cast<std::int32_t*>(integers(std::vector<std::int32_t>(static_cast<std::size_t>(count), -1)));
  }

  std::int32_t* integer_output(const char* name, Size count) { return integers_.add(Kind::output, name, count); }

  // Results that are not arrays of T; compared exactly.
  void result(const char* name, const std::vector<double>& values) {
    T* data = own_.add(Kind::output, name, std::ssize(values));
    for (std::size_t i = 0; i < values.size(); ++i) data[i] = number<T>(values[i]);
  }

  std::vector<Result> results() const {
    std::vector<Result> all;
    own_.add_results(all);
    stats_.add_results(all);
    halves_.add_results(all);
    integers_.add_results(all);
    doubles_.add_results(all);
    return all;
  }
  void expect_intact() const {
    own_.expect_intact();
    stats_.expect_intact();
    halves_.expect_intact();
    integers_.expect_intact();
    doubles_.expect_intact();
  }

 private:
  template <class U>
  U* draw(ArrayList<U>& list, Kind kind, const char* name, Size count, double low, double high) {
    U* data = list.add(kind, name, count);
    for (Size i = 0; i < count; ++i) {
      const auto value = static_cast<float>(random_.uniform(low, high));
      data[i] = number<U>(double{coarse_ ? bf16::from(value).value() : value});
    }
    list.keep();
    return data;
  }

  Random random_;
  bool coarse_;
  ArrayList<T> own_;
  ArrayList<Stat<T>> stats_;
  ArrayList<bf16> halves_;
  ArrayList<std::int32_t> integers_;
  ArrayList<double> doubles_;
};

struct Case {
  std::string entry;  // the kernel's name in the list
  std::string name;   // what is special about the arguments
  std::function<void(Arrays<float>&, const Kernels<float>&)> in_float;
  std::function<void(Arrays<double>&, const Kernels<double>&)> in_double;
  std::function<void(Arrays<bf16>&, const Kernels<bf16>&)> in_half;
  bool on_gpus = true;

  std::uint64_t seed() const { return std::hash<std::string>{}(entry + name); }
};

class Cases {
 public:
  // `body` is called as body(arrays, kernels) with any of the types.
  template <class F>
  void add(const char* entry, std::string name, F body) {
    all_.push_back({entry, std::move(name), body, body, body});
  }
  // The same for arguments that GPUs do not support.
  template <class F>
  void add_for_host(const char* entry, std::string name, F body) {
    all_.push_back({entry, std::move(name), body, body, {}, false});
  }
  const std::vector<Case>& all() const { return all_; }

 private:
  std::vector<Case> all_;
};

void add_linear_cases(Cases& cases);
void add_packed_cases(Cases& cases);
void add_decoder_cases(Cases& cases);
void add_row_cases(Cases& cases);
void add_softmax_cases(Cases& cases);
void add_attention_cases(Cases& cases);
void add_lstm_cases(Cases& cases);
void add_ssru_cases(Cases& cases);
void add_step_cases(Cases& cases);
void add_elementwise_cases(Cases& cases);

const std::vector<Case>& all_cases();

// A weight of this shape in the layout of the kernels under test.
template <class T>
const void* packed(Arrays<T>& arrays, const Kernels<T>& kernels, PackWeight<T> pack, const T* weight) {
  Size bytes = 0;
  pack.weight = weight;
  pack.bytes = &bytes;
  kernels.pack_weight(pack);
  pack.packed = arrays.workspace((bytes + Size{sizeof(T)} - 1) / Size{sizeof(T)});
  pack.bytes = nullptr;
  kernels.pack_weight(pack);
  return pack.packed;
}

// The lengths of sentences, as offsets.
inline std::vector<std::int32_t> offsets_of(const std::vector<Size>& lengths) {
  std::vector<std::int32_t> offsets{0};
  for (const Size length : lengths) offsets.push_back(offsets.back() + static_cast<std::int32_t>(length));
  return offsets;
}

// The pointer if `present`, otherwise null.
template <class T>
T* given(bool wanted, T* pointer) {
  return wanted ? pointer : nullptr;
}

}  // namespace dragoman::kernels::test
