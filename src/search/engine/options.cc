#include "search/engine/options.h"

#include "search/engine/worker_threads.h"

namespace dragoman::search {
namespace {

// Sets every option to the value that it has, which checks the value against the range that `visit` gives.
template <class Described, class Options>
void check_ranges(const Options& options) {
  Described copy;
  static_cast<Options&>(copy) = options;
  Settings settings(copy);
  for (const Setting& setting : settings.all()) {
    const std::string key = setting.key;
    settings.set(key, setting.text ? setting.text() : setting.get());
  }
}

}  // namespace

void check_options(const SearchOptions& options) {
  SearchOptions bounded = options;
  bounded.seed = 0;  // any number is a seed, also one beyond the integers that settings can be
  check_ranges<SearchSettings>(bounded);
  check(options.max_length == 0 || options.min_length <= options.max_length, "min-length {} is more than max-length {}",
        options.min_length, options.max_length);
  check(options.alternatives >= 0 && options.alternatives <= kMostAlternatives,
        "alternatives must be between 0 and {}, got {}", kMostAlternatives, options.alternatives);
}

void check_options(const TranslatorOptions& options) {
  check_ranges<TranslatorSettings>(options);
  threads_or(options.threads, 0);
  threads_or(options.workers, 0);
}

}  // namespace dragoman::search
