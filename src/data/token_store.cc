#include "data/token_store.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/threads.h"

namespace dragoman::data {
namespace {

static_assert(std::endian::native == std::endian::little, "token stores are little-endian");

constexpr char kMagic[8] = {'D', 'R', 'G', 'T', 'O', 'K', 'E', 'N'};
constexpr std::uint32_t kVersion = 1;

struct Header {
  char magic[8];
  std::uint32_t version, id_bytes;
  std::uint64_t key;
  std::uint64_t rows, source_tokens, target_tokens;
  std::uint64_t index_begin, report_begin, file_bytes;
  std::uint64_t has_text;
  std::uint64_t body_hash;    // of everything after the header
  std::uint64_t header_hash;  // of the fields above

  std::uint64_t own_hash() const {
    return hash_of({reinterpret_cast<const char*>(this), offsetof(Header, header_hash)});
  }
};
static_assert(sizeof(Header) % 8 == 0 && sizeof(TokenStore::Entry) == 16);

std::string write_report(const Counts& report) {
  std::string text;
  for (const auto& [name, count] : report) text += fmt::format("{}\t{}\n", name, count);
  return text;
}

Counts read_report(std::string_view text) {
  Counts report;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1), tab = std::min(text.find('\t'), end);
    std::uint64_t count = 0;
    std::from_chars(text.data() + std::min(tab + 1, end), text.data() + end, count);
    report.emplace_back(text.substr(0, tab), count);
    text.remove_prefix(end + 1);
  }
  return report;
}

// Whether the parts that the header names lie inside the file, in order.
bool has_layout(const Header& header) {
  if (header.id_bytes != 2 && header.id_bytes != 4) return false;
  if (header.has_text > 1 || header.index_begin < sizeof header || header.index_begin % 8 != 0) return false;
  if (header.index_begin > header.report_begin || header.report_begin > header.file_bytes) return false;
  const std::uint64_t index_bytes = header.report_begin - header.index_begin;
  return index_bytes % sizeof(TokenStore::Entry) == 0 && header.rows == index_bytes / sizeof(TokenStore::Entry);
}

bool has_printable_report(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\n'; });
}

template <class Id>
bool are_below(std::string_view bytes, std::int32_t size) {
  Id most = 0;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Id)) {
    Id id;
    std::memcpy(&id, bytes.data() + at, sizeof id);
    most = std::max(most, id);
  }
  return bytes.empty() || most < static_cast<std::uint32_t>(size);
}

// Checks rows. The writer leaves no gaps between them, so that the time to check them is bounded by the file's size,
// whatever the index says.
class RowChecker {
 public:
  RowChecker(std::string_view bytes, const Header& header, VocabularySizes sizes)
      : bytes_(bytes),
        header_(header),
        sizes_(sizes),
        index_(reinterpret_cast<const TokenStore::Entry*>(bytes.data() + header.index_begin), header.rows) {}

  // Returns what is wrong with the rows; empty if nothing is.
  std::string find_fault() {
    const std::uint64_t first = index_.empty() ? header_.index_begin : index_[0].begin;
    threads::split(std::ssize(index_), 4096, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end && !damaged_ && !unknown_; ++row)
        check_row(static_cast<std::size_t>(row));
    });
    std::uint64_t source_tokens = 0, target_tokens = 0;
    for (const TokenStore::Entry& entry : index_) {
      source_tokens += entry.source;
      target_tokens += entry.target;
    }
    const bool fits = first == sizeof(Header) && !damaged_ && source_tokens == header_.source_tokens &&
                      target_tokens == header_.target_tokens;
    return !fits ? "the index is damaged" : unknown_ ? "an id is not in the vocabulary" : "";
  }

 private:
  void check_row(std::size_t row) {
    const TokenStore::Entry& entry = index_[row];
    constexpr std::uint32_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::uint64_t source = std::uint64_t{entry.source} * header_.id_bytes;
    const std::uint64_t target = std::uint64_t{entry.target} * header_.id_bytes;
    std::uint64_t end = entry.begin + source + target;
    const bool inside = entry.source <= kMost && entry.target <= kMost && entry.begin <= header_.index_begin &&
                        entry.begin % 4 == 0 && end <= header_.index_begin && add_text(end);
    const bool is_last = row + 1 == index_.size();
    const std::uint64_t next = (end + 3) / 4 * 4;
    if (!inside || (is_last ? header_.index_begin - next >= 8 : index_[row + 1].begin != next)) {
      damaged_ = true;
      return;
    }
    const auto are_known = header_.id_bytes == 2 ? are_below<std::uint16_t> : are_below<std::uint32_t>;
    if (!are_known(bytes_.substr(entry.begin, source), sizes_.source) ||
        !are_known(bytes_.substr(entry.begin + source, target), sizes_.target))
      unknown_ = true;
  }

  // Moves `end` behind the texts of the row; false if they are longer than the file.
  bool add_text(std::uint64_t& end) const {
    std::uint32_t sizes[2] = {0, 0};
    if (header_.has_text == 0) return true;
    if (header_.index_begin - end < sizeof sizes) return false;
    std::memcpy(sizes, bytes_.data() + end, sizeof sizes);
    end += sizeof sizes + sizes[0] + sizes[1];
    return end <= header_.index_begin;
  }

  std::string_view bytes_;
  const Header& header_;
  VocabularySizes sizes_;
  std::span<const TokenStore::Entry> index_;
  std::atomic<bool> damaged_ = false, unknown_ = false;
};

// Returns what is wrong with the bytes; empty if they are a complete store for `key`.
std::string find_fault(std::string_view bytes, std::uint64_t key, VocabularySizes sizes, Header& header) {
  if (bytes.size() < sizeof header) return "the file is too short";
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return "the file is not a token store";
  if (header.version != kVersion) return "another version of the program wrote the file";
  if (header.header_hash != header.own_hash()) return "the header is damaged";
  if (header.key != key) return "the corpus or the settings have changed";
  if (header.file_bytes != bytes.size()) return "the file is truncated";
  if (header.body_hash != hash_of(bytes.substr(sizeof header))) return "the checksum is wrong";
  // A checksum can be made for any content.
  if (!has_layout(header) || !has_printable_report(bytes.substr(header.report_begin))) return "the header is damaged";
  return RowChecker(bytes, header, sizes).find_fault();
}

}  // namespace

std::optional<TokenStore> TokenStore::open(const std::string& path, std::uint64_t key, VocabularySizes sizes,
                                           std::string* why) {
  const auto refuse = [&](const std::string& reason) {
    if (why) *why = reason;
    return std::nullopt;
  };
  if (access(path.c_str(), R_OK) != 0) return refuse("the file does not exist");
  TokenStore store;
  store.file_ = std::make_shared<const MappedFile>(path);
  const std::string_view bytes = store.file_->bytes();
  Header header{};
  const std::string fault = find_fault(bytes, key, sizes, header);
  if (!fault.empty()) return refuse(fault);
  store.bytes_ = bytes;
  store.index_ = {reinterpret_cast<const Entry*>(bytes.data() + header.index_begin), header.rows};
  store.source_tokens_ = header.source_tokens;
  store.target_tokens_ = header.target_tokens;
  store.id_bytes_ = header.id_bytes;
  store.has_text_ = header.has_text != 0;
  store.report_ = read_report(bytes.substr(header.report_begin));
  return store;
}

const char* TokenStore::part(std::uint64_t begin, std::uint64_t size) const {
  check(begin <= bytes_.size() && size <= bytes_.size() - begin, "the token store was changed while it was in use");
  return bytes_.data() + begin;
}

void TokenStore::copy(std::uint64_t begin, std::span<std::int32_t> out) const {
  const char* const from = part(begin, out.size() * id_bytes_);
  if (id_bytes_ == 4) {
    if (!out.empty()) std::memcpy(out.data(), from, out.size_bytes());
  } else {
    const auto* const ids = reinterpret_cast<const std::uint16_t*>(from);
    std::copy_n(ids, out.size(), out.data());
  }
}

void TokenStore::expect_tokens(std::uint64_t row) const {
  constexpr std::uint64_t kLine = 64, kMostLines = 8;
  const Entry& entry = index_[row];
  const std::uint64_t bytes = (std::uint64_t{entry.source} + entry.target) * id_bytes_;
  const std::uint64_t end = entry.begin + std::min(bytes, kMostLines * kLine);
  for (std::uint64_t at = entry.begin; at < end; at += kLine) __builtin_prefetch(bytes_.data() + at);
}

std::pair<std::string_view, std::string_view> TokenStore::texts(std::uint64_t row) const {
  const Entry& entry = index_[row];
  const std::uint64_t begin = entry.begin + (std::uint64_t{entry.source} + entry.target) * id_bytes_;
  std::uint32_t sizes[2];
  std::memcpy(sizes, part(begin, sizeof sizes), sizeof sizes);
  const char* const from = part(begin + sizeof sizes, std::uint64_t{sizes[0]} + sizes[1]);
  return {{from, sizes[0]}, {from + sizes[0], sizes[1]}};
}

void TokenBlock::put_ids(std::span<const std::int32_t> ids) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + ids.size() * id_bytes_);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    check(ids[i] >= 0 && (id_bytes_ == 4 || ids[i] < 65536), "the tokenizer returned id {}, which is out of range",
          ids[i]);
    std::memcpy(bytes_.data() + at + i * id_bytes_, &ids[i], id_bytes_);
  }
}

void TokenBlock::add(const TokenRow& row) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  check(row.source.size() <= kMost && row.target.size() <= kMost, "a sentence has more than {} tokens", kMost);
  entries_.push_back(
      {bytes_.size(), static_cast<std::uint32_t>(row.source.size()), static_cast<std::uint32_t>(row.target.size())});
  put_ids(row.source);
  put_ids(row.target);
  if (has_text_) {
    const std::uint32_t sizes[2] = {static_cast<std::uint32_t>(row.source_text.size()),
                                    static_cast<std::uint32_t>(row.target_text.size())};
    bytes_.append(reinterpret_cast<const char*>(sizes), sizeof sizes);
    bytes_.append(row.source_text).append(row.target_text);
  }
  bytes_.resize((bytes_.size() + 3) / 4 * 4);
}

TokenStoreWriter::TokenStoreWriter(std::string path, std::uint32_t id_bytes, bool has_text)
    : file_(std::move(path)), id_bytes_(id_bytes), has_text_(has_text) {
  const Header empty{};
  file_.write({reinterpret_cast<const char*>(&empty), sizeof empty});
}

void TokenStoreWriter::write(std::string_view bytes) {
  file_.write(bytes);
  hasher_.add(bytes);
}

void TokenStoreWriter::append(const TokenBlock& block) {
  for (TokenStore::Entry entry : block.entries_) {
    entry.begin += file_.size();
    index_.push_back(entry);
    source_tokens_ += entry.source;
    target_tokens_ += entry.target;
  }
  write(block.bytes_);
}

void TokenStoreWriter::finish(std::uint64_t key, const Counts& report) {
  write(std::string((8 - file_.size() % 8) % 8, '\0'));
  Header header{};
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  header.version = kVersion;
  header.id_bytes = id_bytes_;
  header.key = key;
  header.rows = index_.size();
  header.source_tokens = source_tokens_;
  header.target_tokens = target_tokens_;
  header.index_begin = file_.size();
  write({reinterpret_cast<const char*>(index_.data()), index_.size() * sizeof(TokenStore::Entry)});
  header.report_begin = file_.size();
  write(write_report(report));
  header.file_bytes = file_.size();
  header.has_text = has_text_ ? 1 : 0;
  header.body_hash = hasher_.value();
  header.header_hash = header.own_hash();
  file_.write_at({reinterpret_cast<const char*>(&header), sizeof header}, 0);
  file_.commit();
}

}  // namespace dragoman::data
