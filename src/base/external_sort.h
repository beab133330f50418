#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/scratch_file.h"
#include "base/threads.h"

namespace dragoman {

// Fixed-size records in an anonymous temporary file: written sequentially, then read back in the same order, any
// number of times.
template <class Record>
class Spool {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  explicit Spool(const std::string& folder = {}) : file_(folder) {}

  void add(const Record& record) {
    file_.write(&record, sizeof record);
    ++size_;
  }
  // Ends writing; the next read returns the first record.
  void rewind() { file_.rewind(); }
  bool next(Record& record) { return file_.read(&record, sizeof record); }
  std::uint64_t size() const { return size_; }

 private:
  ScratchFile file_;
  std::uint64_t size_ = 0;
};

// External merge sort: sorts any number of records in bounded memory. Records beyond the limit go to disk in sorted
// runs, which are merged while reading. Equal records are combined into one. A record type has `a.before(b)`, a strict
// weak order; `a.same(b)`, whether two records are combined (they must be adjacent in the order); and `a.absorb(b)`,
// which combines them (called in any order).
template <class Record>
class ExternalSorter {
 public:
  explicit ExternalSorter(std::size_t memory_bytes, std::string folder = {})
      : capacity_(std::max<std::size_t>(memory_bytes / sizeof(Record), 16)), folder_(std::move(folder)) {}

  void add(const Record& record) {
    if (buffer_.size() == capacity_) spill();
    buffer_.push_back(record);
  }

  // Ends adding; next() then returns each distinct record once, in order.
  void finish() {
    sort_buffer();
    if (runs_.empty()) return;
    if (!buffer_.empty()) spill();
    std::vector<Record>().swap(buffer_);
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      runs_[run].rewind();
      refill(run);
    }
  }

  bool next(Record& record) {
    if (!pop(record)) return false;
    while (has_peeked_ && peeked_.same(record)) {
      record.absorb(peeked_);
      has_peeked_ = raw_next(peeked_);
    }
    return true;
  }

 private:
  // The next record of a run. The priority queue has the smallest on top; ties are broken by run.
  struct Front {
    Record record;
    std::size_t run;
    bool operator<(const Front& other) const {
      if (other.record.before(record)) return true;
      return !record.before(other.record) && other.run < run;
    }
  };

  bool pop(Record& record) {
    if (!has_peeked_) {
      if (!raw_next(record)) return false;
    } else {
      record = peeked_;
    }
    has_peeked_ = raw_next(peeked_);
    return true;
  }

  bool raw_next(Record& record) {
    if (runs_.empty()) {
      if (position_ == buffer_.size()) return false;
      record = buffer_[position_++];
      return true;
    }
    if (fronts_.empty()) return false;
    const std::size_t run = fronts_.top().run;
    record = fronts_.top().record;
    fronts_.pop();
    refill(run);
    return true;
  }

  void refill(std::size_t run) {
    Front front{{}, run};
    if (runs_[run].next(front.record)) fronts_.push(front);
  }

  // All threads sort one piece each; the pieces are then merged pairwise.
  void sort_buffer() {
    const auto before = [](const Record& a, const Record& b) { return a.before(b); };
    constexpr std::size_t kWorthSplitting = 1 << 16;
    const std::size_t pieces = buffer_.size() < kWorthSplitting ? 1 : static_cast<std::size_t>(threads::count());
    const auto border = [&](std::size_t piece) {
      return buffer_.begin() + static_cast<std::ptrdiff_t>(buffer_.size() * std::min(piece, pieces) / pieces);
    };
    threads::each(static_cast<std::int64_t>(pieces), [&](std::int64_t piece) {
      const auto p = static_cast<std::size_t>(piece);
      std::sort(border(p), border(p + 1), before);
    });
    for (std::size_t step = 1; step < pieces; step *= 2)
      for (std::size_t p = 0; p + step < pieces; p += 2 * step)
        std::inplace_merge(border(p), border(p + step), border(p + 2 * step), before);
  }

  void spill() {
    sort_buffer();
    Spool<Record> run(folder_);
    for (std::size_t i = 0; i < buffer_.size();) {
      Record record = buffer_[i++];
      while (i < buffer_.size() && buffer_[i].same(record)) record.absorb(buffer_[i++]);
      run.add(record);
    }
    buffer_.clear();
    runs_.push_back(std::move(run));
  }

  std::size_t capacity_;
  std::string folder_;
  std::vector<Record> buffer_;
  std::size_t position_ = 0;
  std::vector<Spool<Record>> runs_;
  std::priority_queue<Front> fronts_;
  Record peeked_{};
  bool has_peeked_ = false;
};

}  // namespace dragoman
