// The walk through the contract on a GPU, in f32 and in bf16.
#include <set>
#include <thread>

#include "kernels/cuda/cuda.h"
#include "tests/kernels/compare.h"

namespace dragoman::kernels::test {
namespace {

// Memory that the host and all GPUs can access, handed out from front to back and taken back as a whole.
class SharedMemory {
 public:
  SharedMemory() : memory_(cuda::allocate_shared(kSize)) {}
  ~SharedMemory() { cuda::release_shared(memory_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // The memory that `run` gets is taken back when it returns.
  template <class F>
  Results with(F&& run) {
    std::pmr::monotonic_buffer_resource all(memory_, kSize);
    return run(&all);
  }

 private:
  static constexpr std::size_t kSize = std::size_t{256} << 20;
  void* memory_;
};

template <class T>
Results run_cuda(const Case& one, SharedMemory& shared) {
  return shared.with([&](std::pmr::memory_resource* memory) {
    constexpr bool half = std::is_same_v<T, bf16>;
    Arrays<T> arrays(one.seed(), memory, half);
    if constexpr (half)
      one.in_half(arrays, cuda::half());
    else
      one.in_float(arrays, cuda::f32());
    cuda::wait();
    arrays.expect_intact();
    return arrays.results();
  });
}

// Rounding to bf16 changes a number by up to 1/256. Sums are f32, so the error of a result is little more than that.
void expect_close_in_half(const Results& exact, const Results& actual) {
  ASSERT_EQ(exact.size(), actual.size());
  for (std::size_t a = 0; a < exact.size(); ++a) {
    double squares = 0, wrong = 0;
    for (std::size_t i = 0; i < exact[a].values.size(); ++i) {
      const double want = exact[a].values[i], got = actual[a].values[i];
      if (!std::isfinite(want)) {
        EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : want == got) << exact[a].name << "[" << i << "]";
        continue;
      }
      squares += want * want;
      wrong += (want - got) * (want - got);
    }
    const double count = static_cast<double>(std::max<std::size_t>(exact[a].values.size(), 1));
    EXPECT_LE(std::sqrt(wrong), 1e-2 * std::sqrt(squares) + 2e-3 * std::sqrt(count)) << exact[a].name;
  }
}

class CudaContract : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!cuda::problem().empty()) GTEST_SKIP() << cuda::problem();
    if (!shared) shared = std::make_unique<SharedMemory>();
  }
  static void TearDownTestSuite() { shared.reset(); }
  static std::vector<Case> cases() {
    std::vector<Case> mine;
    for (const Case& one : all_cases())
      if (one.entry == GetParam() && one.on_gpus) mine.push_back(one);
    return mine;
  }
  static std::unique_ptr<SharedMemory> shared;
};
std::unique_ptr<SharedMemory> CudaContract::shared;

std::vector<std::string> names_of_cuda_entries() {
  std::vector<std::string> names;
  reference<float>().each([&](const auto& entry) { names.push_back(entry.name()); });
  return names;
}

TEST_P(CudaContract, GivesTheReferencesNumbersAndTheSameBitsAgain) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.entry + " " + one.name);
    const Results first = run_cuda<float>(one, *shared);
    expect_close(run_double(one), run_float(one, reference<float>()), first);
    expect_same_bits(first, run_cuda<float>(one, *shared));
    if (HasFailure()) break;
  }
}

void expect_numbers_in_half(const std::vector<Case>& cases, SharedMemory& shared) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.entry + " " + one.name);
    const Results first = run_cuda<bf16>(one, shared);
    expect_close_in_half(run_double(one, true), first);
    expect_same_bits(first, run_cuda<bf16>(one, shared));
    if (testing::Test::HasFailure()) break;
  }
}

TEST_P(CudaContract, GivesTheReferencesNumbersInHalfPrecision) {
  bool available = false;
  cuda::half().each([&](const auto& entry) { available |= entry.name() == GetParam() && entry.available(); });
  if (!available) GTEST_SKIP() << "weights and their updates are f32";
  expect_numbers_in_half(cases(), *shared);
}

TEST_P(CudaContract, GivesThemOnOtherGenerationsOfGpus) {
  static const std::set<std::string> differ = {"lstm_step",  "lstm_step_backward", "tanh_step", "tanh_step_backward",
                                               "linear",     "linear_packed",      "matmul",    "attention",
                                               "row_program"};
  if (!differ.contains(GetParam())) GTEST_SKIP() << "uses the same instructions on all GPUs";
  struct Common {
    Common() { cuda::set_common(true); }
    ~Common() { cuda::set_common(false); }
  } scope;
  expect_numbers_in_half(cases(), *shared);
}

INSTANTIATE_TEST_SUITE_P(Entry, CudaContract, testing::ValuesIn(names_of_cuda_entries()),
                         [](const auto& entry) { return entry.param; });

TEST(Cuda, AProgramWithoutAGpuSaysWhy) {
  if (cuda::problem().empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(cuda::count(), 0);
  EXPECT_NE(cuda::problem().find(' '), std::string::npos) << "a sentence, not a code";
}

TEST(Cuda, AGpuThatIsNotThereCannotBeEntered) {
  if (!cuda::problem().empty()) GTEST_SKIP() << cuda::problem();
  EXPECT_THROW(cuda::enter(cuda::count()), Error);
  EXPECT_THROW(cuda::enter(-1), Error);
  EXPECT_EQ(cuda::current_gpu(), 0);
}

TEST(Cuda, MemoryIsReleasedByThreadsThatDidNotAllocateIt) {
  if (!cuda::problem().empty()) GTEST_SKIP() << cuda::problem();
  void* memory = cuda::allocate(1 << 20);
  cuda::clear(memory, 1 << 20);
  cuda::wait();
  std::thread([memory] {
    char last = 1;
    cuda::copy_to_host(&last, static_cast<char*>(memory) + (1 << 20) - 1, 1);
    EXPECT_EQ(last, 0);
    cuda::release(memory);
    cuda::wait();
  }).join();
}

// Kernels whose attributes, clusters or library handles are kept for the whole process.
std::vector<Case> cases_with_attributes() {
  static const std::set<std::string> entries = {"linear",    "attention",      "attention_backward",     "lstm_layer",
                                                "lstm_step", "project_length", "project_length_backward"};
  std::vector<Case> some;
  for (const Case& one : all_cases())
    if (entries.contains(one.entry) && one.on_gpus) some.push_back(one);
  return some;
}

// Each thread begins elsewhere in the list, so that different sizes of one kernel meet.
TEST(Cuda, GivesTheSameBitsToSeveralThreadsAtOnce) {
  if (!cuda::problem().empty()) GTEST_SKIP() << cuda::problem();
  constexpr std::size_t kThreads = 4;
  const std::vector<Case> all = cases_with_attributes();
  std::vector<Results> alone, beside[kThreads];
  const auto run_all = [&](std::vector<Results>& results, std::size_t first) {
    SharedMemory shared;
    results.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t at = (first + i) % all.size();
      results[at] = run_cuda<bf16>(all[at], shared);
    }
  };
  run_all(alone, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] { run_all(beside[t], t * all.size() / kThreads); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < all.size() && !HasFailure(); ++i) {
    SCOPED_TRACE(all[i].entry + " " + all[i].name);
    for (const std::vector<Results>& results : beside) expect_same_bits(alone[i], results[i]);
  }
}

class TwoGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda::count() < 2) GTEST_SKIP() << "needs two GPUs; this machine has " << cuda::count();
    const auto name_of = [](int gpu) {
      const cuda::OnGpu here(gpu);
      return cuda::name();
    };
    if (name_of(0) != name_of(1)) GTEST_SKIP() << "needs two GPUs of the same kind";
  }
  static Results run_on(int gpu, const Case& one, SharedMemory& shared) {
    const cuda::OnGpu here(gpu);
    return run_cuda<bf16>(one, shared);
  }
};

TEST_F(TwoGpus, GiveTheSameBitsToAThreadThatAlternates) {
  SharedMemory shared;
  for (const Case& one : cases_with_attributes()) {
    SCOPED_TRACE(one.entry + " " + one.name);
    expect_same_bits(run_on(0, one, shared), run_on(1, one, shared));
    EXPECT_EQ(cuda::current_gpu(), 0);
    if (HasFailure()) break;
  }
}

TEST_F(TwoGpus, GiveTheSameBitsToTwoThreadsAtOnce) {
  const std::vector<Case> all = cases_with_attributes();
  std::vector<Results> results[2];
  std::vector<std::thread> threads;
  for (const int gpu : {0, 1})
    threads.emplace_back([&, gpu] {
      const cuda::OnGpu here(gpu);
      SharedMemory shared;
      for (const Case& one : all) results[gpu].push_back(run_cuda<bf16>(one, shared));
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < all.size() && !HasFailure(); ++i) {
    SCOPED_TRACE(all[i].entry + " " + all[i].name);
    expect_same_bits(results[0][i], results[1][i]);
  }
}

TEST_F(TwoGpus, KeepMemoryApart) {
  void* memory[2] = {};
  for (const int gpu : {0, 1}) {
    const cuda::OnGpu here(gpu);
    const FreeMemory before = cuda::free_memory();
    memory[gpu] = cuda::allocate(64 << 20);
    EXPECT_LE(cuda::free_memory().free, before.free - (64 << 20));
  }
  for (const int gpu : {0, 1}) {
    const cuda::OnGpu here(gpu);
    cuda::release(memory[gpu]);
  }
}

TEST(Cuda, FillsTheWholeListInF32) {
  if (!cuda::problem().empty()) GTEST_SKIP() << cuda::problem();
  cuda::f32().each([](const auto& entry) { EXPECT_TRUE(entry.available()) << entry.name(); });
}

// There are more pairs of sentence and head than persistent blocks of the wgmma kernel.
TEST(Cuda, LongSentencesOfABatchGetTheAttentionThatEachGetsAlone) {
  if (!cuda::problem().empty()) GTEST_SKIP() << cuda::problem();
  constexpr Size kHeads = 8, kSize = 64, kCols = kHeads * kSize;
  std::vector<Size> lengths;
  // With 59 sentences the arrays behind the offsets stay aligned to 16 bytes.
  for (Size s = 0; s < 59; ++s) lengths.push_back(128 + s * 89 % 400);
  const std::vector<std::int32_t> starts = offsets_of(lengths);
  SharedMemory shared;
  for (const bool causal : {false, true})
    shared.with([&](std::pmr::memory_resource* memory) {
      Arrays<bf16> arrays(1, memory, true);
      Attention<bf16> all{.sentences = std::ssize(lengths), .heads = kHeads, .key_size = kSize, .value_size = kSize};
      all.queries = all.keys = starts.back();
      all.query_offsets = all.key_offsets = arrays.integers(starts);
      all.longest_queries = all.longest = *std::max_element(lengths.begin(), lengths.end());
      all.causal = causal, all.scale = 0.5;
      all.q_stride = all.k_stride = all.v_stride = 3 * kCols;
      all.q = arrays.input(all.queries * all.q_stride), all.k = all.q + kCols, all.v = all.k + kCols;
      all.out = arrays.output("out", all.queries * kCols);
      all.log_sum = arrays.stat_output("log_sum", all.queries * kHeads);
      cuda::half().attention(all);
      for (std::size_t s = 0; s < lengths.size(); ++s) {
        const Size first = starts[s], length = lengths[s];
        Attention<bf16> one = all;
        one.sentences = 1;
        one.queries = one.keys = one.longest_queries = one.longest = length;
        one.query_offsets = one.key_offsets = arrays.integers({0, static_cast<std::int32_t>(length), 0, 0});
        one.q += first * one.q_stride, one.k += first * one.k_stride, one.v += first * one.v_stride;
        one.out = arrays.output("out", length * kCols);
        one.log_sum = arrays.stat_output("log_sum", length * kHeads);
        cuda::half().attention(one);
        cuda::wait();
        EXPECT_EQ(std::memcmp(one.out, all.out + first * kCols, length * kCols * sizeof(bf16)), 0) << "sentence " << s;
      }
      arrays.expect_intact();
      return Results{};
    });
}

// `rows` rows of a step from `first` on; a term may have fewer rows than the step.
template <class Step>
Step rows_of(Step step, Size first, Size rows) {
  for (Term<bf16>& term : step.terms) {
    term.x += first * term.x_stride;
    term.rows = std::clamp<Size>(term.rows - first, 0, rows);
  }
  return step;
}

// With many rows a block computes whole sums; with few, several blocks split the depth (split-K).
TEST(Cuda, AStepOfManyRowsIsTheSameAsItsRowsInParts) {
  if (!cuda::problem().empty()) GTEST_SKIP() << cuda::problem();
  constexpr Size kRows = 1000, kFew = 100, kHidden = 512, kGates = 4 * kHidden;
  SharedMemory shared;
  for (const Size second : {kRows, Size{700}})
    shared.with([&](std::pmr::memory_resource* memory) {
      Arrays<bf16> arrays(1, memory, true);
      const auto term = [&](Size rows, Size size, Size out) {
        return Term<bf16>{.rows = rows,
                          .size = size,
                          .x = arrays.input(rows * size),
                          .x_stride = size,
                          .weight = arrays.input(size * out, -0.1, 0.1)};
      };
      const bf16 *states = arrays.input(kRows * kHidden), *gates = arrays.input(kRows * kGates, 0, 1);
      LstmStep<bf16> step{.bias = arrays.input(kGates)};
      step.terms = {term(kRows, kHidden, kGates), term(kRows, kHidden, kGates)};
      LstmStepBackward<bf16> back{.dh = arrays.workspace(kRows * kHidden)};
      back.terms = {term(kRows, kHidden, kHidden), term(second, kGates, kHidden)};
      TanhStep<bf16> out{.out = kHidden, .bias = step.bias};
      out.terms = {term(kRows, kHidden, kHidden), term(kRows, kHidden, kHidden)};
      std::vector<const bf16*> whole, parts;
      for (const Size most : {kRows, kFew}) {
        bf16 *activated = arrays.output("gates", kRows * kGates), *dgates = arrays.output("dgates", kRows * kGates);
        bf16 *h = arrays.output("h", kRows * kHidden), *c = arrays.output("c", kRows * kHidden);
        bf16* y = arrays.output("y", kRows * kHidden);
        for (Size first = 0; first < kRows; first += most) {
          const Size here = first * kHidden, rows = std::min(most, kRows - first);
          auto one = rows_of(step, first, rows);
          one.cell = {rows, kHidden, activated + 4 * here, states + here, h + here, c + here};
          cuda::half().lstm_step(one);
          auto other = rows_of(back, first, rows);
          other.cell = {.rows = rows,
                        .hidden = kHidden,
                        .gates = gates + 4 * here,
                        .c_before = states + here,
                        .c = states + here,
                        .dgates = dgates + 4 * here};
          cuda::half().lstm_step_backward(other);
          auto last = rows_of(out, first, rows);
          last.rows = rows, last.y = y + here;
          cuda::half().tanh_step(last);
        }
        cuda::wait();
        (most == kRows ? whole : parts) = {activated, dgates, h, c, y};
      }
      for (std::size_t a = 0; a < whole.size(); ++a) {
        const Size count = kRows * (a < 2 ? kGates : kHidden);
        Size wrong = 0;
        for (Size i = 0; i < count; ++i) {
          const float x = whole[a][i].value(), y = parts[a][i].value();
          if (!(std::abs(x - y) <= std::abs(y) / 64 + 1e-3f)) ++wrong;
        }
        EXPECT_EQ(wrong, 0) << "array " << a << " with " << second << " rows of the second term";
      }
      arrays.expect_intact();
      return Results{};
    });
}

}  // namespace
}  // namespace dragoman::kernels::test
