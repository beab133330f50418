// Measures batching from a memory-mapped token store, and tokenisation of corpora into one.
//
//   bench_data                                     batches of a synthetic corpus of a million pairs
//   bench_data TOKENIZER SOURCE TARGET ...         tokenises corpora (pairs of files), then makes batches of them
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "bench/clock.h"
#include "data/batcher.h"
#include "data/prefetcher.h"
#include "data/tokenize.h"
#include "text/tokenizer_file.h"

namespace dragoman::data {
namespace {

rusage usage_so_far() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double resident_mib() { return static_cast<double>(usage_so_far().ru_maxrss) / 1024; }

// CPU time of all threads of the process.
double cpu_seconds() {
  const rusage usage = usage_so_far();
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// A tokenizer that only has special ids: all that batching needs when ids are stored.
class Marks final : public text::Tokenizer {
 public:
  void encode(std::string_view, std::vector<std::int32_t>&) const override {}
  text::Encoded encode_spans(std::string_view) const override { return {}; }
  void encode_sampled(std::string_view, double, Random&, std::vector<std::int32_t>&) const override {}
  std::string decode(std::span<const std::int32_t>) const override { return ""; }
  std::int32_t size() const override { return 32000; }
  text::SpecialIds special() const override { return {}; }
  std::string piece(std::int32_t) const override { return ""; }
  std::string serialize() const override { return "marks"; }
};

// A million pairs with sentence lengths as in parliament speeches: log-normal, 30 tokens on average.
TokenStore made_up_store(const std::string& path) {
  TokenStoreWriter writer(path, 2, false);
  Random random(1);
  std::vector<std::int32_t> source, target;
  const auto fill = [&](std::vector<std::int32_t>& ids, double length) {
    ids.resize(static_cast<std::size_t>(std::clamp(length, 1.0, 256.0)));
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.bits() % 32000);
  };
  for (int block = 0; block < 1000; ++block) {
    TokenBlock rows = writer.block();
    for (int i = 0; i < 1000; ++i) {
      const double length = std::exp(3.2 + 0.65 * random.normal());
      fill(source, length);
      fill(target, length * std::exp(0.15 * random.normal()));
      rows.add({source, target, {}, {}});
    }
    writer.append(rows);
  }
  writer.finish(1, {});
  return *TokenStore::open(path, 1, {32000, 32000});
}

// Tokens per second of one epoch, by wall clock and by CPU time.
struct Speed {
  double wall = 0, processor = 0;
  bool operator<(const Speed& other) const { return wall < other.wall; }
};

template <class Source>
Speed epoch_speed(Source& source, std::uint64_t epoch, std::uint64_t steps) {
  Batch batch;
  std::uint64_t tokens = 0;
  const double worked_before = cpu_seconds();
  const double seconds = bench::seconds([&] {
    source.seek(epoch, 0);
    for (std::uint64_t i = 0; i < steps; ++i) {
      source.next(batch);
      tokens += batch.source.tokens.size() + batch.target.tokens.size();
    }
  });
  return {static_cast<double>(tokens) / seconds, static_cast<double>(tokens) / (cpu_seconds() - worked_before)};
}

void batch_speeds(const std::vector<BatchSource>& sources, const text::Tokenizer& tokenizer) {
  fmt::print("{:<40} {:>8} {:>14} {:>26}\n", "one epoch including its plan", "steps", "M tokens/s", "per CPU second");
  const auto row = [&](const char* name, BatchOptions options, bool ahead) {
    options.rows.max_source_length = options.rows.max_target_length = 256;
    Batcher batcher(sources, {&tokenizer, &tokenizer}, options);
    const std::uint64_t steps = batcher.steps(0);
    std::vector<Speed> speeds;
    Prefetcher prefetcher(batcher);
    for (std::uint64_t epoch = 1; epoch <= 5; ++epoch)
      speeds.push_back(ahead ? epoch_speed(prefetcher, epoch, steps) : epoch_speed(batcher, epoch, steps));
    std::sort(speeds.begin(), speeds.end());
    fmt::print("{:<40} {:>8} {:>6.0f} ({:.0f} to {:.0f}) {:>16.0f}\n", name, steps, speeds[2].wall / 1e6,
               speeds[0].wall / 1e6, speeds[4].wall / 1e6, speeds[2].processor / 1e6);
  };
  BatchOptions options;
  options.plan.size = 88;
  row("88 random sentences", options, false);
  options.plan.size = 10;
  row("10 random sentences", options, false);
  options.plan = {.by = BatchBy::tokens, .size = 25000, .order = BatchOrder::length};
  row("25,000 tokens, similar lengths", options, false);
  row("the same, prefetched", options, true);
  options.rows.mask_source = 0.1;
  row("the same, 10 % of the source masked", options, false);
}

void run(const std::vector<std::string>& arguments) {
  const std::string folder = (std::filesystem::temp_directory_path() / fmt::format("bench_data-{}", getpid())).string();
  struct Remove {
    const std::string& folder;
    ~Remove() { std::filesystem::remove_all(folder); }
  } remove{folder};
  std::filesystem::create_directories(folder);
  if (arguments.empty()) {
    const Marks marks;
    return batch_speeds({{made_up_store(folder + "/made-up")}}, marks);
  }
  check(arguments.size() % 2 == 1 && arguments.size() > 1, "usage: bench_data [TOKENIZER SOURCE TARGET ...]");
  const auto tokenizer = text::load_tokenizer(arguments[0]);
  std::vector<BatchSource> sources;
  std::uint64_t pairs = 0, tokens = 0;
  const double worked_before = cpu_seconds();
  const double seconds = bench::seconds([&] {
    for (std::size_t i = 1; i < arguments.size(); i += 2) {
      TokenRequest request;
      request.corpus = {arguments[i], arguments[i + 1]};
      request.source = request.target = tokenizer.get();
      request.cache_folder = folder;
      sources.push_back({open_tokens(request)});
      pairs += sources.back().store.rows();
      tokens += sources.back().store.source_tokens() + sources.back().store.target_tokens();
    }
  });
  const double worked = cpu_seconds() - worked_before;
  fmt::print(
      "tokenised {} pairs, {} tokens in {:.1f} s on {} threads ({:.1f} s of CPU time), "
      "at most {:.0f} MiB resident\n",
      with_commas(static_cast<std::int64_t>(pairs)), with_commas(static_cast<std::int64_t>(tokens)), seconds,
      threads::count(), worked, resident_mib());
  batch_speeds(sources, *tokenizer);
}

}  // namespace
}  // namespace dragoman::data

int main(int argc, char** argv) {
  try {
    dragoman::data::run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
