#include "data/token_store.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/error.h"

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

// Returns what is wrong with the bytes; empty if they are a complete store for `key`.
std::string find_fault(std::string_view bytes, std::uint64_t key, Header& header) {
  if (bytes.size() < sizeof header) return "the file is too short";
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return "the file is not a token store";
  if (header.version != kVersion) return "another version of the program wrote the file";
  if (header.header_hash != header.own_hash()) return "the header is damaged";
  if (header.key != key) return "the corpus or the settings have changed";
  if (header.file_bytes != bytes.size()) return "the file is truncated";
  if (header.body_hash != hash_of(bytes.substr(sizeof header))) return "the checksum is wrong";
  return "";
}

}  // namespace

std::optional<TokenStore> TokenStore::open(const std::string& path, std::uint64_t key, std::string* why) {
  const auto refuse = [&](const std::string& reason) {
    if (why) *why = reason;
    return std::nullopt;
  };
  if (access(path.c_str(), R_OK) != 0) return refuse("the file does not exist");
  TokenStore store;
  store.file_ = std::make_shared<const MappedFile>(path);
  const std::string_view bytes = store.file_->bytes();
  Header header{};
  const std::string fault = find_fault(bytes, key, header);
  if (!fault.empty()) return refuse(fault);
  store.bytes_ = bytes.data();
  store.index_ = {reinterpret_cast<const Entry*>(bytes.data() + header.index_begin), header.rows};
  store.source_tokens_ = header.source_tokens;
  store.target_tokens_ = header.target_tokens;
  store.id_bytes_ = header.id_bytes;
  store.has_text_ = header.has_text != 0;
  store.report_ = read_report(bytes.substr(header.report_begin));
  return store;
}

void TokenStore::copy(std::uint64_t begin, std::span<std::int32_t> out) const {
  const char* const from = bytes_ + begin;
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
  for (std::uint64_t at = entry.begin; at < end; at += kLine) __builtin_prefetch(bytes_ + at);
}

std::pair<std::string_view, std::string_view> TokenStore::texts(std::uint64_t row) const {
  const Entry& entry = index_[row];
  const char* from = bytes_ + entry.begin + (std::uint64_t{entry.source} + entry.target) * id_bytes_;
  std::uint32_t sizes[2];
  std::memcpy(sizes, from, sizeof sizes);
  from += sizeof sizes;
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
