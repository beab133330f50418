#include "serve/keys.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <unordered_map>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text_value.h"
#include "serve/http_message.h"

namespace dragoman::serve {
namespace {

constexpr std::size_t kMostClients = 10'000;
constexpr std::size_t kShortestKey = 8, kLongestKey = 1024;

bool is_visible(char c) { return c > ' ' && c < 0x7F; }

// Looks at all characters, wherever the first difference is. Both have the length of a digest.
bool same_digest(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return difference == 0;
}

}  // namespace

void RateLimits::take(const std::string& client, int per_minute, Clock::time_point now) {
  if (per_minute <= 0) return;
  const std::lock_guard lock(mutex_);
  const auto found = by_client_.find(client);
  if (found == by_client_.end()) {
    buckets_.push_front({client, static_cast<double>(per_minute), now});
    by_client_[client] = buckets_.begin();
    if (buckets_.size() > kMostClients) {
      by_client_.erase(buckets_.back().client);
      buckets_.pop_back();
    }
  } else {
    buckets_.splice(buckets_.begin(), buckets_, found->second);
  }
  refill(buckets_.front(), per_minute, now);
  buckets_.front().left -= 1;
}

void RateLimits::expect_some(const std::string& client, int per_minute, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const auto found = by_client_.find(client);
  if (found != by_client_.end()) refill(*found->second, per_minute, now);
}

// Throws HttpError if there is still nothing to take.
void RateLimits::refill(Bucket& bucket, int per_minute, Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.left = std::min<double>(per_minute, bucket.left + seconds * per_minute / 60);
  bucket.filled = now;
  if (bucket.left < 1)
    throw HttpError(429, fmt::format("Slowdown: {} per minute", per_minute),
                    static_cast<int>(std::ceil((1 - bucket.left) * 60 / per_minute)));
}

Keys Keys::read(const std::string& file) { return parse(read_file(file), file); }

Keys Keys::parse(const std::string& text, const std::string& where) {
  Keys keys;
  std::istringstream lines(text);
  std::unordered_map<std::string, int> lines_of_keys;  // by digest
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string key, limit, name;
    if (!(words >> key) || key.starts_with('#')) continue;
    check(key.size() >= kShortestKey, "{}:{}: a key must have at least {} characters", where, number, kShortestKey);
    check(key.size() <= kLongestKey && std::all_of(key.begin(), key.end(), is_visible),
          "{}:{}: a key must have at most {} characters, all visible ones of ASCII, so that clients can send it", where,
          number, kLongestKey);
    Key entry;
    entry.digest = sha256_of(key);
    const auto [first, is_new] = lines_of_keys.try_emplace(entry.digest, number);
    check(is_new, "{}:{}: the key of line {} again; list each key once", where, number, first->second);
    if (words >> limit) {
      std::int64_t per_minute = -1;
      try {
        per_minute = text_value::parse_integer(limit);
      } catch (const Error&) {
      }
      check(per_minute >= 0 && per_minute <= 1'000'000,
            "{}:{}: expected requests per minute after the key, from 0 to 1000000", where, number);
      entry.per_minute = static_cast<int>(per_minute);
    }
    entry.name = words >> name ? name : fmt::format("key-{}", number);
    keys.keys_.push_back(std::move(entry));
  }
  check(!keys.keys_.empty(), "{}: expected one key per line but found none", where);
  return keys;
}

const Keys::Key* Keys::find(std::string_view key) const {
  const std::string digest = sha256_of(key);
  const Key* found = nullptr;
  for (const Key& one : keys_)
    if (same_digest(one.digest, digest)) found = &one;
  return found;
}

}  // namespace dragoman::serve
