#include "exchange/marian_shortlist.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "exchange/little_endian.h"

namespace dragoman::exchange {
namespace {

constexpr std::uint64_t kShortlistMagic = 0xF11A48D5013417F5;
// Far beyond any shortlist in use, and within 32 bits.
constexpr std::uint64_t kMost = std::uint64_t{1} << 30;

}  // namespace

// Magic number, checksum, number of frequent words, number of translations per word, sizes of two arrays; where the
// translations of each source word begin; the translations.
align::Shortlist read_marian_shortlist(const std::string& path, const align::Shortlist::Vocabularies& vocabularies) {
  const std::string bytes = read_file(path);
  ByteReader reader(bytes, path);
  check(reader.number<std::uint64_t>() == kShortlistMagic, "{}: is not a binary shortlist of Marian", path);
  reader.take(sizeof(std::uint64_t));
  const auto frequent_count = reader.number<std::uint64_t>();
  reader.take(sizeof(std::uint64_t));
  const auto begins_count = reader.number<std::uint64_t>(), targets_count = reader.number<std::uint64_t>();
  check(frequent_count <= kMost && begins_count <= kMost && targets_count <= kMost &&
            begins_count * sizeof(std::uint64_t) + targets_count * sizeof(std::uint32_t) == reader.left(),
        "{}: the shortlist is truncated or damaged", path);
  std::vector<std::int32_t> frequent, begins, targets;
  const auto target_words = static_cast<std::uint64_t>(vocabularies.target);
  for (std::uint64_t id = 0; id < std::min(frequent_count, target_words); ++id)
    frequent.push_back(static_cast<std::int32_t>(id));
  for (std::uint64_t i = 0; i < begins_count; ++i) {
    const auto begin = reader.number<std::uint64_t>();
    check(begin <= targets_count, "{}: the shortlist is damaged", path);
    begins.push_back(static_cast<std::int32_t>(begin));
  }
  for (std::uint64_t i = 0; i < targets_count; ++i) {
    const auto target = reader.number<std::uint32_t>();
    check(target < target_words, "{}: lists the word {}, but the target vocabulary has {}", path, target, target_words);
    targets.push_back(static_cast<std::int32_t>(target));
  }
  check(begins_count >= 1 && begins_count <= static_cast<std::uint64_t>(vocabularies.source) + 1,
        "{}: lists translations of {} words, but the source vocabulary has {}", path, begins_count,
        vocabularies.source);
  begins.resize(static_cast<std::size_t>(vocabularies.source) + 1, begins.back());
  try {
    return {vocabularies, std::move(frequent), std::move(begins), std::move(targets)};
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
}

}  // namespace dragoman::exchange
