#include "exchange/zip_writer.h"

#include <zlib.h>

#include "base/error.h"
#include "exchange/little_endian.h"
#include "exchange/zip_records.h"

namespace dragoman::exchange {
namespace {

constexpr std::uint16_t kZipVersion = 45;             // the first with sizes of 64 bits
constexpr std::uint16_t kStored = 0, kFirstDay = 33;  // 1 January 1980
constexpr std::size_t kLongestEntryName = 0xFFFF;

template <class... T>
std::string all(T... numbers) {
  return (bytes_of(numbers) + ...);
}

std::uint32_t checksum_of(std::string_view head, std::string_view body) {
  uLong sum = 0;
  for (const std::string_view part : {head, body})
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), static_cast<z_size_t>(part.size()));
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

void ZipWriter::add(const std::string& name, std::string_view head, std::string_view body) {
  check(name.size() <= kLongestEntryName, "the name of an entry of an archive has {} characters", name.size());
  const std::uint64_t begin = file_.size(), size = head.size() + body.size();
  const std::uint16_t none = 0, name_size = static_cast<std::uint16_t>(name.size());
  // What the record of the entry and that of the directory have in common.
  const std::string common =
      all(kZipVersion, none, kStored, none, kFirstDay, checksum_of(head, body), zip::kIn64, zip::kIn64, name_size);
  const auto extra = [](const std::string& sizes) {
    return all(zip::kZip64, static_cast<std::uint16_t>(sizes.size())) + sizes;
  };
  const std::string sizes = extra(all(size, size)), sizes_and_place = extra(all(size, size, begin));
  file_.write(all(zip::kLocalHeader) + common + all(static_cast<std::uint16_t>(sizes.size())) + name + sizes);
  file_.write(head);
  file_.write(body);
  directory_ +=
      all(zip::kDirectoryEntry, kZipVersion) + common +
      all(static_cast<std::uint16_t>(sizes_and_place.size()), none, none, none, std::uint32_t{0}, zip::kIn64) + name +
      sizes_and_place;
  ++entries_;
}

void ZipWriter::commit() {
  const std::uint64_t begin = file_.size(), end = begin + directory_.size();
  constexpr std::uint64_t kRest = zip::kEnd64Size - 12;  // of the record, after this number
  constexpr std::uint16_t kManyEntries = 0xFFFF, kNone = 0;
  constexpr std::uint32_t kThisDisk = 0, kDisks = 1;
  file_.write(directory_);
  file_.write(all(zip::kEnd64, kRest, kZipVersion, kZipVersion, kThisDisk, kThisDisk, entries_, entries_,
                  static_cast<std::uint64_t>(directory_.size()), begin));
  file_.write(all(zip::kLocator64, kThisDisk, end, kDisks));
  file_.write(all(zip::kEnd, kNone, kNone, kManyEntries, kManyEntries, zip::kIn64, zip::kIn64, kNone));
  file_.commit();
}

}  // namespace dragoman::exchange
