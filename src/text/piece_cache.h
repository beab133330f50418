#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace dragoman::text {

// A bounded cache from pieces to ids: direct-mapped, the newest entry wins. Long pieces and pieces of many ids are not
// cached.
class PieceCache {
 public:
  static constexpr std::size_t kMaxBytes = 15, kMaxIds = 7;

  struct Key {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Key&) const = default;
  };
  struct Slot {
    Key key;
    std::uint32_t count = 0;  // 0 means empty
    std::int32_t ids[kMaxIds] = {};
  };

  PieceCache() : slots_(kSlots) {}

  // The last byte of the key is the length, so keys are unique. piece.size() <= kMaxBytes.
  static Key key_of(std::string_view piece) {
    unsigned char bytes[16] = {};
    std::memcpy(bytes, piece.data(), piece.size());
    bytes[15] = static_cast<unsigned char>(piece.size());
    Key key;
    std::memcpy(&key.low, bytes, 8);
    std::memcpy(&key.high, bytes + 8, 8);
    return key;
  }

  // The slot of `key`.
  Slot& slot(const Key& key) {
    std::uint64_t hash = (key.low ^ (key.high * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    return slots_[(hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u >> (64 - kBits)];
  }
  static bool holds(const Slot& slot, const Key& key) { return slot.count > 0 && slot.key == key; }

  static void store(Slot& slot, const Key& key, std::span<const std::int32_t> ids) {
    if (ids.empty() || ids.size() > kMaxIds) return;
    slot.key = key;
    slot.count = static_cast<std::uint32_t>(ids.size());
    std::memcpy(slot.ids, ids.data(), ids.size_bytes());
  }

 private:
  static constexpr int kBits = 15;
  static constexpr std::size_t kSlots = std::size_t{1} << kBits;
  std::vector<Slot> slots_;
};

// Lends each caller a cache for the duration of one line, so that threads can share a tokenizer.
class PieceCaches {
 public:
  class Loan {
   public:
    explicit Loan(PieceCaches& owner) : owner_(owner), cache_(owner.take()) {}
    ~Loan() { owner_.give(std::move(cache_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    PieceCache& operator*() { return *cache_; }

   private:
    PieceCaches& owner_;
    std::unique_ptr<PieceCache> cache_;
  };

 private:
  std::unique_ptr<PieceCache> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto cache = std::move(idle_.back());
        idle_.pop_back();
        return cache;
      }
    }
    return std::make_unique<PieceCache>();
  }
  void give(std::unique_ptr<PieceCache> cache) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(cache));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<PieceCache>> idle_;
};

}  // namespace dragoman::text
