#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "serve/shares.h"

namespace dragoman::serve {

// Translated files that wait to be fetched, in memory, within bounds of time and of bytes, which clients share. The
// oldest leave first.
class FileStore {
 public:
  using Clock = std::chrono::steady_clock;

  explicit FileStore(std::size_t most_bytes, std::chrono::seconds lifetime = std::chrono::minutes(10))
      : bytes_(most_bytes, Shares::Rule::cache), lifetime_(lifetime) {}

  struct File {
    std::string name;  // for the client; never a path here
    std::string content;
    std::string key{};    // a second secret, besides the identifier; empty if the identifier is enough
    std::string owner{};  // of the second secret
  };

  // Returns the identifier to fetch the file by. Throws HttpError 503 if it is larger than the client's share.
  std::string add(const std::string& client, File file, Clock::time_point now = Clock::now());
  std::optional<File> find(const std::string& id, Clock::time_point now = Clock::now()) const;

 private:
  struct Entry {
    File file;
    Clock::time_point expires;
    std::unique_ptr<Shares::Holding> bytes;
  };
  mutable std::mutex mutex_;
  Shares bytes_;
  std::chrono::seconds lifetime_;
  std::map<std::string, Entry> entries_;  // by identifier
};

}  // namespace dragoman::serve
