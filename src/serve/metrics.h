#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::serve {

// Counts what the server does, for Prometheus.
class Metrics {
 public:
  void count_request(const std::string& route, int status, double seconds);
  // Of the texts to translate, counted per key; without keys, in one sum.
  void count_characters(const std::string& key, std::size_t count);
  std::uint64_t characters(const std::string& key) const;

  // A value that is known elsewhere at the moment of writing.
  struct Value {
    const char *name, *type, *help;  // type: "gauge" or "counter"
    double value;
  };
  // The text format of Prometheus, with `values` after the own counters.
  std::string write(const std::vector<Value>& values) const;

 private:
  static constexpr std::array kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};  // seconds
  struct Durations {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    double sum = 0;
    std::uint64_t count = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;  // by route and status
  std::map<std::string, Durations> durations_;                     // by route
  std::map<std::string, std::uint64_t> characters_;                // by key
};

}  // namespace dragoman::serve
