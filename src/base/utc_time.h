#pragma once

#include <chrono>
#include <ctime>
#include <string>

namespace dragoman {

// The time now in UTC as ISO 8601 writes it: "2026-11-16T08:30:00Z".
inline std::string utc_time() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof "2026-01-01T00:00:00Z"];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace dragoman
