#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>

namespace dragoman::serve {

// Translated files that wait to be fetched, in memory, within bounds of bytes and time. The oldest leave first.
class FileStore {
 public:
  using Clock = std::chrono::steady_clock;

  explicit FileStore(std::size_t most_bytes, std::chrono::seconds lifetime = std::chrono::minutes(10))
      : most_(most_bytes), lifetime_(lifetime) {}

  struct File {
    std::string name;  // for the client; never a path here
    std::string content;
    std::string key{};    // a second secret, besides the identifier; empty if the identifier is enough
    std::string owner{};  // the client that it belongs to, if it has a key
  };

  // Returns the identifier to fetch the file by.
  std::string add(File file, Clock::time_point now = Clock::now());
  std::optional<File> find(const std::string& id, Clock::time_point now = Clock::now()) const;

 private:
  static std::size_t bytes_of(const File& file);

  struct Entry {
    std::string id;
    File file;
    Clock::time_point expires;
  };
  mutable std::mutex mutex_;
  std::size_t most_, bytes_ = 0;
  std::chrono::seconds lifetime_;
  std::list<Entry> entries_;  // the oldest first
};

}  // namespace dragoman::serve
