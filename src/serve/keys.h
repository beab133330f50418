#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::serve {

// Allows so many requests per minute, evenly, with a reserve of as many (token buckets). Remembers a bounded number of
// clients; the ones that were not seen longest are forgotten, which only fills their reserve.
class RateLimits {
 public:
  using Clock = std::chrono::steady_clock;

  // Throws HttpError 429, with the time to wait, if the client has used up its reserve. No limit if `per_minute` is 0.
  void take(const std::string& client, int per_minute, Clock::time_point now = Clock::now());
  // Throws likewise, and takes nothing.
  void expect_some(const std::string& client, int per_minute, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    std::string client;
    double left = 0;
    Clock::time_point filled{};
  };
  static void refill(Bucket& bucket, int per_minute, Clock::time_point now);

  std::mutex mutex_;
  std::list<Bucket> buckets_;  // the last one used first
  std::unordered_map<std::string, std::list<Bucket>::iterator> by_client_;
};

// The keys of clients. A file has one per line: the key, its requests per minute (optional; 0 means no limit) and a
// name for the log (optional). Lines that begin with # are comments.
class Keys {
 public:
  struct Key {
    std::string digest;   // SHA-256, so that comparing takes the same time for every wrong key
    int per_minute = -1;  // -1: the server's limit
    std::string name;
  };

  Keys() = default;
  static Keys read(const std::string& file);
  static Keys parse(const std::string& text, const std::string& where);

  // Without keys, everybody may come.
  bool are_required() const { return !keys_.empty(); }
  // Null if there is no such key. Compares with all keys, each in constant time.
  const Key* find(std::string_view key) const;

 private:
  std::vector<Key> keys_;
};

}  // namespace dragoman::serve
