#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace dragoman::serve {

// Characters translated for each client since the server was started.
class UsageCounts {
 public:
  void add(const std::string& client, std::size_t characters) {
    const std::lock_guard lock(mutex_);
    characters_[client] += characters;
  }
  std::uint64_t characters(const std::string& client) const {
    const std::lock_guard lock(mutex_);
    const auto found = characters_.find(client);
    return found == characters_.end() ? 0 : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> characters_;  // clients are keys, so their number is bounded
};

}  // namespace dragoman::serve
