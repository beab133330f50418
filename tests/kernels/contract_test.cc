#include "tests/kernels/contract.h"

#include <algorithm>
#include <map>
#include <set>

#include "tests/kernels/compare.h"
#include "tests/kernels/scopes.h"

namespace dragoman::kernels::test {

const std::vector<Case>& all_cases() {
  static const std::vector<Case> all = [] {
    Cases cases;
    add_linear_cases(cases);
    add_packed_cases(cases);
    add_decoder_cases(cases);
    add_row_cases(cases);
    add_softmax_cases(cases);
    add_attention_cases(cases);
    add_lstm_cases(cases);
    add_ssru_cases(cases);
    add_step_cases(cases);
    add_elementwise_cases(cases);
    return cases.all();
  }();
  return all;
}

namespace {

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

TEST_P(Contract, GivesTheReferencesNumbersByEveryInstructionSetOnAnyNumberOfThreads) {
  const std::vector<std::int64_t> sets = cpu_filling::instruction_sets();
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.entry + " " + one.name);
    const auto exact = run_double(one);
    const Results scalar = run_float(one, reference<float>());
    const auto check = [&](int count) {
      SCOPED_TRACE("threads: " + std::to_string(count));
      const ThreadCount scope(count);
      expect_close(exact, scalar, run_float(one, cpu()));
    };
    check(1);
    for (const std::int64_t set : sets) {
      const InstructionSet scope(set);
      SCOPED_TRACE(cpu_instruction_set());
      check(3);
    }
  }
}

// Matrix products may sum in an order that depends on how they are split; all other kernels must not.
TEST_P(Contract, GivesTheSameBitsOnAnyNumberOfThreads) {
  static const std::set<std::string> products = {"linear",    "linear_backward",    "matmul",    "lstm_layer_backward",
                                                 "lstm_step", "lstm_step_backward", "tanh_step", "tanh_step_backward"};
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

TEST(Kernels, OptimisersRoundTheNewWeightsForMixedPrecision) {
  for (const Kernels<float>* kernels : {&reference<float>(), &cpu()}) {
    std::vector<float> weight(1000, 0.3f), gradient(1000), first(1000), second(1000);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = static_cast<float>(i) - 500.5f;
    std::vector<bf16> copy(1000);
    const auto expect_rounded = [&] {
      for (std::size_t i = 0; i < weight.size(); ++i) ASSERT_EQ(copy[i], bf16::from(weight[i])) << i;
    };
    kernels->adam({.count = 1000,
                   .weight = weight.data(),
                   .gradient = gradient.data(),
                   .first = first.data(),
                   .second = second.data(),
                   .copy = copy.data()});
    expect_rounded();
    kernels->sgd({.count = 1000, .weight = weight.data(), .gradient = gradient.data(), .copy = copy.data()});
    expect_rounded();
  }
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

TEST(Kernels, NameTheirInstructionSetAndBlasLibrary) {
  EXPECT_NE(std::string(cpu_instruction_set()), "");
  EXPECT_NE(blas_info().configuration, "");
  EXPECT_NE(blas_info().core, "");
}

}  // namespace
}  // namespace dragoman::kernels::test
