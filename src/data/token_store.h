#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "data/filters.h"

namespace dragoman::data {

// One pair as ids; the texts are set only if the store keeps them.
struct TokenRow {
  std::span<const std::int32_t> source, target;
  std::string_view source_text, target_text;
};

// Ids of a side are below its size.
struct VocabularySizes {
  std::int32_t source = 0, target = 0;
};

// A tokenised corpus in a memory-mapped file. Layout, little-endian:
//   header | rows | index | report
// A row is the source ids, the target ids (16 or 32 bits each) and, if the store keeps text, two 32-bit sizes and the
// two texts; it is aligned to 4 bytes. The index holds each row's first byte and two lengths. A copy of a TokenStore is
// another handle on the same mapping.
class TokenStore {
 public:
  struct Entry {
    std::uint64_t begin;  // byte in the file
    std::uint32_t source, target;
  };

  // Opens the store at `path` if it is complete, consistent and was made for `key`, and if all ids are in the
  // vocabularies; otherwise `why` gives the reason.
  static std::optional<TokenStore> open(const std::string& path, std::uint64_t key, VocabularySizes sizes,
                                        std::string* why = nullptr);

  std::uint64_t rows() const { return index_.size(); }
  std::uint32_t source_length(std::uint64_t row) const { return index_[row].source; }
  std::uint32_t target_length(std::uint64_t row) const { return index_[row].target; }
  std::uint64_t source_tokens() const { return source_tokens_; }
  std::uint64_t target_tokens() const { return target_tokens_; }

  // Copies the first out.size() ids of a side; out may be shorter than the row.
  void copy_source(std::uint64_t row, std::span<std::int32_t> out) const { copy(index_[row].begin, out); }
  void copy_target(std::uint64_t row, std::span<std::int32_t> out) const {
    copy(index_[row].begin + std::uint64_t{index_[row].source} * id_bytes_, out);
  }

  // Prefetch hints for a row: first its index entry, later its data. Rows are accessed in random order, and many hints
  // in flight hide the memory latency.
  void expect(std::uint64_t row) const { __builtin_prefetch(&index_[row]); }
  void expect_tokens(std::uint64_t row) const;

  bool has_text() const { return has_text_; }
  // Only if has_text().
  std::string_view source_text(std::uint64_t row) const { return texts(row).first; }
  std::string_view target_text(std::uint64_t row) const { return texts(row).second; }

  const Counts& report() const { return report_; }

  // Throws if the file has been written to since it was opened; what was read before may be wrong, too.
  void check_unchanged() const { file_->check_unchanged(); }

 private:
  // The bytes from `begin`. The file may have changed since it was checked, so that this is checked again.
  const char* part(std::uint64_t begin, std::uint64_t size) const;
  void copy(std::uint64_t begin, std::span<std::int32_t> out) const;
  std::pair<std::string_view, std::string_view> texts(std::uint64_t row) const;

  std::shared_ptr<const MappedFile> file_;
  std::string_view bytes_;
  std::span<const Entry> index_;
  std::uint64_t source_tokens_ = 0, target_tokens_ = 0;
  std::uint32_t id_bytes_ = 4;
  bool has_text_ = false;
  Counts report_;
};

// Rows in file format, built by any thread and then appended in order.
class TokenBlock {
 public:
  TokenBlock(std::uint32_t id_bytes, bool has_text) : id_bytes_(id_bytes), has_text_(has_text) {}
  void add(const TokenRow& row);

 private:
  friend class TokenStoreWriter;
  void put_ids(std::span<const std::int32_t> ids);

  std::uint32_t id_bytes_;
  bool has_text_;
  std::string bytes_;
  std::vector<TokenStore::Entry> entries_;  // begin is relative to the block
};

// Writes a store atomically: the file appears when finish() returns.
class TokenStoreWriter {
 public:
  // `id_bytes` is 2 if all ids are below 65,536, otherwise 4.
  TokenStoreWriter(std::string path, std::uint32_t id_bytes, bool has_text);

  TokenBlock block() const { return {id_bytes_, has_text_}; }
  void append(const TokenBlock& block);
  void finish(std::uint64_t key, const Counts& report);

 private:
  void write(std::string_view bytes);

  AtomicFile file_;
  std::uint32_t id_bytes_;
  bool has_text_;
  Hasher hasher_;
  std::vector<TokenStore::Entry> index_;
  std::uint64_t source_tokens_ = 0, target_tokens_ = 0;
};

}  // namespace dragoman::data
