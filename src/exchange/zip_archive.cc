#include "exchange/zip_archive.h"

#include <zlib.h>

#include <algorithm>

#include "base/error.h"
#include "base/quote.h"
#include "exchange/little_endian.h"
#include "exchange/zip_records.h"

namespace dragoman::exchange {
namespace {

using namespace zip;

constexpr std::uint64_t kLocalSize = 30, kEndSize = 22, kLocatorSize = 20;
constexpr std::uint64_t kLongestComment = 0xFFFF;
constexpr std::uint64_t kMostEntries = 1'000'000;
constexpr std::uint64_t kLargestDirectory = std::uint64_t{1} << 28;
// Deflate makes data at most about a thousand times smaller.
constexpr std::uint64_t kMostExpansion = 1100;

std::string inflated(std::string_view packed, std::uint64_t size) {
  std::string result(static_cast<std::size_t>(size), '\0');
  z_stream stream{};
  check(inflateInit2(&stream, -MAX_WBITS) == Z_OK, "zlib cannot start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  std::size_t in = packed.size(), out = result.size();
  int status = Z_OK;
  constexpr std::size_t kStep = std::size_t{1} << 30;
  while (status == Z_OK) {
    if (stream.avail_in == 0) stream.avail_in = static_cast<uInt>(std::min(in, kStep)), in -= stream.avail_in;
    if (stream.avail_out == 0) stream.avail_out = static_cast<uInt>(std::min(out, kStep)), out -= stream.avail_out;
    status = inflate(&stream, Z_NO_FLUSH);
  }
  const bool complete = status == Z_STREAM_END && stream.avail_out == 0 && out == 0;
  inflateEnd(&stream);
  check(complete, "its compressed data is damaged");
  return result;
}

std::uint32_t checksum_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

// Replaces the sizes that do not fit 32 bits by those of the extra field.
void widen(ZipArchive::Entry& entry, std::string_view extra, std::string_view where) {
  ByteReader fields(extra, where);
  while (fields.left() >= 4) {
    const auto kind = fields.number<std::uint16_t>(), length = fields.number<std::uint16_t>();
    const std::string_view content = fields.take(std::min<std::size_t>(length, fields.left()));
    if (kind != kZip64) continue;
    ByteReader sizes(content, where);
    for (std::uint64_t* const size : {&entry.size, &entry.packed, &entry.begin})
      if (*size == kIn64) *size = sizes.number<std::uint64_t>();
  }
}

}  // namespace

ZipArchive::ZipArchive(const std::string& path) : file_(path) { read_directory(find_directory()); }

bool ZipArchive::is_archive(const InputFile& file) {
  if (file.size() < kEndSize) return false;
  std::uint32_t magic = 0;
  file.read(0, reinterpret_cast<char*>(&magic), sizeof magic);
  return magic == kLocalHeader;
}

std::string ZipArchive::bytes(std::uint64_t begin, std::uint64_t count) const {
  check(begin <= file_.size() && count <= file_.size() - begin, "{}: the archive is truncated or damaged", path());
  std::string result(static_cast<std::size_t>(count), '\0');
  file_.read(begin, result.data(), result.size());
  return result;
}

// The record at the end of the archive; a comment may follow it.
ZipArchive::Directory ZipArchive::find_directory() const {
  check(file_.size() >= kEndSize, "{}: is not a zip archive", path());
  const std::uint64_t tail = std::min(file_.size(), kEndSize + kLongestComment);
  const std::uint64_t first = file_.size() - tail;
  const std::string last = bytes(first, tail);
  std::size_t at = last.size() - kEndSize;
  const auto is_end = [&](std::size_t place) {
    return ByteReader(std::string_view(last).substr(place), path()).number<std::uint32_t>() == kEnd;
  };
  while (at > 0 && !is_end(at)) --at;
  check(is_end(at), "{}: is not a zip archive, or it is truncated", path());
  ByteReader end(std::string_view(last).substr(at), path());
  end.take(10);
  Directory directory;
  directory.entries = end.number<std::uint16_t>();
  directory.size = end.number<std::uint32_t>();
  directory.begin = end.number<std::uint32_t>();
  const std::uint64_t place = first + at;
  if (place < kLocatorSize) return directory;
  const std::string locator_bytes = bytes(place - kLocatorSize, kLocatorSize);
  ByteReader locator(locator_bytes, path());
  if (locator.number<std::uint32_t>() != kLocator64) return directory;
  locator.take(4);
  const std::string end64_bytes = bytes(locator.number<std::uint64_t>(), kEnd64Size);
  ByteReader end64(end64_bytes, path());
  check(end64.number<std::uint32_t>() == kEnd64, "{}: the archive is damaged", path());
  end64.take(28);
  directory.entries = end64.number<std::uint64_t>();
  directory.size = end64.number<std::uint64_t>();
  directory.begin = end64.number<std::uint64_t>();
  return directory;
}

void ZipArchive::read_directory(const Directory& directory) {
  check(directory.entries <= kMostEntries && directory.size <= kLargestDirectory,
        "{}: an archive of {} entries is not a model", path(), directory.entries);
  const std::string all = bytes(directory.begin, directory.size);
  ByteReader records(all, path());
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    check(records.number<std::uint32_t>() == kDirectoryEntry, "{}: the directory of the archive is damaged", path());
    records.take(4);
    const auto flags = records.number<std::uint16_t>(), method = records.number<std::uint16_t>();
    records.take(4);
    Entry entry;
    entry.checksum = records.number<std::uint32_t>();
    entry.packed = records.number<std::uint32_t>();
    entry.size = records.number<std::uint32_t>();
    const auto name = records.number<std::uint16_t>(), extra = records.number<std::uint16_t>(),
               comment = records.number<std::uint16_t>();
    records.take(8);
    entry.begin = records.number<std::uint32_t>();
    entry.name = records.take(name);
    widen(entry, records.take(extra), path());
    records.take(comment);
    check((flags & 1) == 0, "{}: the entry '{}' is encrypted", path(), excerpt(entry.name));
    check(method == 0 || method == 8, "{}: the entry '{}' is compressed by an unknown method {}", path(),
          excerpt(entry.name), method);
    entry.deflated = method == 8;
    check(entry.begin <= file_.size() && entry.packed <= file_.size() - entry.begin,
          "{}: the entry '{}' reaches beyond the end; the archive is truncated", path(), excerpt(entry.name));
    check(entry.deflated ? entry.size / kMostExpansion <= entry.packed : entry.size == entry.packed,
          "{}: the entry '{}' claims {} bytes in {}", path(), excerpt(entry.name), entry.size, entry.packed);
    entries_.push_back(std::move(entry));
  }
}

const ZipArchive::Entry* ZipArchive::find(const std::string& name) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::string ZipArchive::read(const Entry& entry) const {
  const std::string header = bytes(entry.begin, kLocalSize);
  ByteReader local(header, path());
  check(local.number<std::uint32_t>() == kLocalHeader, "{}: the entry '{}' has no header; the archive is damaged",
        path(), excerpt(entry.name));
  local.take(22);
  const auto name = local.number<std::uint16_t>(), extra = local.number<std::uint16_t>();
  std::string packed = bytes(entry.begin + kLocalSize + name + extra, entry.packed);
  try {
    std::string content = entry.deflated ? inflated(packed, entry.size) : std::move(packed);
    check(checksum_of(content) == entry.checksum, "its checksum does not match");
    return content;
  } catch (const Error& error) {
    fail("{}: the entry '{}': {}", path(), excerpt(entry.name), error.what());
  }
}

}  // namespace dragoman::exchange
