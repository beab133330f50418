#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace dragoman::serve {
namespace {

void write_head(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

}  // namespace

void Metrics::count_request(const std::string& route, int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{route, status}];
  Durations& durations = durations_[route];
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++durations.counts[static_cast<std::size_t>(bucket)];
  durations.sum += seconds;
  ++durations.count;
}

void Metrics::count_characters(const std::string& key, std::size_t count) {
  const std::lock_guard lock(mutex_);
  characters_[key] += count;
}

std::uint64_t Metrics::characters(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = characters_.find(key);
  return found == characters_.end() ? 0 : found->second;
}

std::string Metrics::write(const std::vector<Value>& values) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  write_head(text, "dragoman_requests_total", "counter", "Requests answered, by route and status.");
  for (const auto& [key, count] : requests_)
    text += fmt::format("dragoman_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first, key.second, count);
  write_head(text, "dragoman_request_seconds", "histogram", "Time from the whole request to the response.");
  for (const auto& [route, durations] : durations_) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i)
      text += fmt::format("dragoman_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route, kBounds[i],
                          below += durations.counts[i]);
    text += fmt::format("dragoman_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n", route, durations.count);
    text += fmt::format("dragoman_request_seconds_sum{{route=\"{}\"}} {}\n", route, durations.sum);
    text += fmt::format("dragoman_request_seconds_count{{route=\"{}\"}} {}\n", route, durations.count);
  }
  write_head(text, "dragoman_characters_total", "counter", "Characters of the texts to translate.");
  std::uint64_t characters = 0;
  for (const auto& [key, count] : characters_) characters += count;
  text += fmt::format("dragoman_characters_total {}\n", characters);
  for (const Value& value : values) {
    write_head(text, value.name, value.type, value.help);
    text += fmt::format("{} {}\n", value.name, value.value);
  }
  return text;
}

}  // namespace dragoman::serve
