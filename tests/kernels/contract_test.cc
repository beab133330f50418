#include "tests/kernels/contract.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/threads.h"

namespace dragoman::kernels::test {

const std::vector<Case>& all_cases() {
  static const std::vector<Case> all = [] {
    Cases cases;
    add_linear_cases(cases);
    add_packed_cases(cases);
    add_row_cases(cases);
    add_softmax_cases(cases);
    add_attention_cases(cases);
    add_lstm_cases(cases);
    add_elementwise_cases(cases);
    return cases.all();
  }();
  return all;
}

namespace {

using Results = std::vector<Arrays<float>::Result>;

Results run_float(const Case& one, const Kernels<float>& kernels) {
  Arrays<float> arrays(one.seed());
  one.in_float(arrays, kernels);
  arrays.expect_intact();
  return arrays.results();
}

std::vector<Arrays<double>::Result> run_double(const Case& one) {
  Arrays<double> arrays(one.seed());
  one.in_double(arrays, reference<double>());
  return arrays.results();
}

// How far single precision may be from double: a few units of the last place of the array's typical value, or, for
// long sums, a few times as far as the plain scalar sum is.
struct Bounds {
  // What is left where sums of terms of about one cancel each other.
  static constexpr double kLeast = 0.25;

  double typical = 0, scalar_error = 0;

  Bounds(const std::vector<double>& exact, const std::vector<float>& scalar) {
    double squares = 0;
    Size finite = 0;
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (std::isfinite(exact[i])) {
        squares += exact[i] * exact[i];
        ++finite;
        if (std::isfinite(scalar[i])) scalar_error = std::max(scalar_error, std::abs(exact[i] - double{scalar[i]}));
      }
    if (finite > 0) typical = std::sqrt(squares / static_cast<double>(finite));
  }

  bool accept(double exact, float value) const {
    if (std::isnan(exact)) return std::isnan(value);
    if (std::isinf(exact)) return static_cast<double>(value) == exact;
    return std::abs(exact - double{value}) <= 4e-6 * (typical + std::abs(exact) + kLeast) + 4 * scalar_error;
  }
};

void expect_close(const std::vector<Arrays<double>::Result>& exact, const Results& scalar, const Results& actual) {
  ASSERT_EQ(exact.size(), actual.size());
  for (std::size_t a = 0; a < exact.size(); ++a) {
    const Bounds bounds(exact[a].values, scalar[a].values);
    for (std::size_t i = 0; i < exact[a].values.size(); ++i)
      if (!bounds.accept(exact[a].values[i], actual[a].values[i])) {
        ADD_FAILURE() << exact[a].name << "[" << i << "] of " << exact[a].values.size() << ": expected "
                      << exact[a].values[i] << " but got " << actual[a].values[i];
        break;
      }
  }
}

void expect_same_bits(const Results& first, const Results& second) {
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t a = 0; a < first.size(); ++a) {
    ASSERT_EQ(first[a].values.size(), second[a].values.size());
    if (first[a].values.empty()) continue;
    EXPECT_EQ(std::memcmp(first[a].values.data(), second[a].values.data(), first[a].values.size() * sizeof(float)), 0)
        << first[a].name;
  }
}

// Gives the pool its usual size back.
struct ThreadCount {
  explicit ThreadCount(int count) { threads::set_count(count); }
  ~ThreadCount() { threads::set_count(0); }
};

class Contract : public testing::TestWithParam<std::string> {
 protected:
  std::vector<Case> cases() const {
    std::vector<Case> mine;
    for (const Case& one : all_cases())
      if (one.entry == GetParam()) mine.push_back(one);
    return mine;
  }
};

std::vector<std::string> names_of_entries() {
  std::vector<std::string> names;
  reference<float>().each([&](const auto& entry) { names.push_back(entry.name()); });
  return names;
}

TEST_P(Contract, HasACase) { EXPECT_FALSE(cases().empty()) << "no case tests " << GetParam(); }

TEST_P(Contract, IsFilledByTheCpu) {
  bool available = false;
  cpu().each([&](const auto& entry) { available |= entry.name() == GetParam() && entry.available(); });
  EXPECT_TRUE(available);
}

TEST_P(Contract, GivesTheReferencesNumbersOnAnyNumberOfThreads) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.entry + " " + one.name);
    const auto exact = run_double(one);
    const Results scalar = run_float(one, reference<float>());
    for (const int count : {1, 3}) {
      SCOPED_TRACE("threads: " + std::to_string(count));
      const ThreadCount scope(count);
      expect_close(exact, scalar, run_float(one, cpu()));
    }
  }
}

// Matrix products may sum in an order that depends on how they are split; everything else must not.
TEST_P(Contract, GivesTheSameBitsOnAnyNumberOfThreads) {
  static const std::set<std::string> products = {"linear", "linear_backward", "matmul", "lstm_layer_backward"};
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.entry + " " + one.name);
    std::vector<int> counts = {2, 5};
    if (products.contains(one.entry)) counts = {1};
    threads::set_count(1);
    const Results alone = run_float(one, cpu());
    for (const int count : counts) {
      const ThreadCount scope(count);
      expect_same_bits(alone, run_float(one, cpu()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Entry, Contract, testing::ValuesIn(names_of_entries()),
                         [](const auto& entry) { return entry.param; });

TEST(Kernels, CasesAreForEntriesOfTheList) {
  const auto names = names_of_entries();
  for (const Case& one : all_cases())
    EXPECT_NE(std::find(names.begin(), names.end(), one.entry), names.end()) << one.entry;
}

TEST(Kernels, AMissingEntrySaysWhatIsMissingAndWhere) {
  const Kernels<float> empty("cuda");
  try {
    empty.softmax(Softmax<float>{});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[softmax] not available on cuda");
  }
}

TEST(Kernels, TellWhichInstructionsAndWhichLibraryTheyUse) {
  EXPECT_NE(std::string(cpu_instruction_set()), "");
  EXPECT_NE(blas_info().configuration, "");
  EXPECT_NE(blas_info().core, "");
}

}  // namespace
}  // namespace dragoman::kernels::test
