// Runs fuzz targets without libFuzzer: every seed and known crasher of tests/fuzz/seeds/TARGET, then mutations of them.
//   test_fuzz [--mutations N] [TARGET...]   by default 2000 mutations of each target, the same every time
//   test_fuzz TARGET FILE...                these inputs
// A crash, or an input that exceeds the limits of limits.h, ends the process; the input is left in crash-TARGET.
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/log.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

#define TARGET(name)                                                  \
  extern "C" int fuzz_##name##_run(const std::uint8_t*, std::size_t); \
  extern "C" [[gnu::weak]] std::size_t fuzz_##name##_mutate(std::uint8_t*, std::size_t, std::size_t, unsigned);
#include "tests/fuzz/targets.inc"
#undef TARGET

// Of the sanitizers; tells them what to do before they end the process.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*)());

namespace dragoman::fuzz {
namespace {

constexpr std::size_t kCapacity = 1 << 16;

struct Target {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
  std::size_t (*mutate)(std::uint8_t*, std::size_t, std::size_t, unsigned);
};

const Target kTargets[] = {
#define TARGET(name) {#name, fuzz_##name##_run, fuzz_##name##_mutate},
#include "tests/fuzz/targets.inc"
#undef TARGET
};

// The input that is being run, for the handler of crashes.
std::string input, crash_file;
std::string crash_message;

void keep_input() {
  const int file = open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  [[maybe_unused]] ssize_t written = write(file, input.data(), input.size());
  written = write(STDERR_FILENO, crash_message.data(), crash_message.size());
}

void on_signal(int number) {
  keep_input();
  if (number == SIGPROF) {
    constexpr char kMessage[] = "It takes longer than kMostSeconds (tests/fuzz/limits.h).\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    _exit(1);
  }
  signal(number, SIG_DFL);
  raise(number);
}

void watch_crashes() {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_input);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPROF}) signal(number, on_signal);
}

void limit_time(int seconds) {
  const itimerval timer{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fmt::print(stderr, "{}: cannot be read\n", path.string());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const Target& target, std::string bytes, const std::string& what) {
  input = std::move(bytes);
  crash_file = std::filesystem::current_path() / fmt::format("crash-{}", target.name);
  crash_message = fmt::format("\nThe fuzz target '{}' failed on {}. To run the input again:\n  test_fuzz {} {}\n",
                              target.name, what, target.name, crash_file);
  // A copy of exactly this size, so that a sanitizer sees reads past its end.
  const std::vector<std::uint8_t> copy(input.begin(), input.end());
  count_memory();
  limit_time(kMostSeconds);
  target.run(copy.data(), copy.size());
  limit_time(0);
}

// The mutator that LLVMFuzzerMutate uses, while a target's own mutator runs.
Mutator* active = nullptr;

std::string mutated(const Target& target, std::string bytes, Mutator& mutator, unsigned seed) {
  if (target.mutate == nullptr) {
    mutator.mutate(bytes, kCapacity);
    return bytes;
  }
  active = &mutator;
  const std::size_t size = bytes.size();
  bytes.resize(std::max(size, kCapacity));
  bytes.resize(target.mutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size(), seed));
  return bytes;
}

void run_target(const Target& target, int mutations) {
  std::vector<std::string> seeds;
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path folder = std::filesystem::path(DRAGOMAN_SEEDS) / target.name;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    seeds.push_back(read_file(path));
    run(target, seeds.back(), path.string());
  }
  if (seeds.empty()) seeds.emplace_back();
  Mutator mutator(seeds, 1);
  for (int i = 0; i < mutations; ++i) {
    const std::size_t seed = static_cast<std::size_t>(i) % seeds.size();
    run(target, mutated(target, seeds[seed], mutator, static_cast<unsigned>(i)),
        fmt::format("mutation {} of {}", i, paths.empty() ? "nothing" : paths[seed].string()));
  }
  fmt::print("{}: {} seeds and {} mutations\n", target.name, paths.size(), mutations);
}

const Target& find_target(std::string_view name) {
  for (const Target& target : kTargets)
    if (target.name == name) return target;
  fmt::print(stderr, "there is no fuzz target '{}'; there are:", name);
  for (const Target& target : kTargets) fmt::print(stderr, " {}", target.name);
  fmt::print(stderr, "\n");
  std::exit(2);
}

int main_with(std::vector<std::string> words) {
  log::set_level(log::Level::quiet);
  watch_crashes();
  int mutations = 2000;
  if (words.size() >= 2 && words[0] == "--mutations") {
    mutations = std::stoi(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() >= 2 && std::filesystem::exists(words[1])) {
    for (std::size_t i = 1; i < words.size(); ++i) run(find_target(words[0]), read_file(words[i]), words[i]);
    return 0;
  }
  for (const std::string& name : words) run_target(find_target(name), mutations);
  if (words.empty())
    for (const Target& target : kTargets) run_target(target, mutations);
  return 0;
}

}  // namespace
}  // namespace dragoman::fuzz

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t capacity) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  dragoman::fuzz::active->mutate(bytes, capacity);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

int main(int count, char** words) { return dragoman::fuzz::main_with({words + 1, words + count}); }
