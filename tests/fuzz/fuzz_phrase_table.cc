// A phrase table is refused, or holds only words of the vocabulary and is written as it was read.
#include <cstdlib>

#include "base/error.h"
#include "smt/phrase_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  constexpr std::uint32_t kWords = 40;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const smt::PhraseTable table = smt::PhraseTable::deserialize(bytes, kWords);
    std::vector<smt::PhraseEntry> entries;
    for (std::uint32_t word = 0; word < kWords; ++word) {
      std::uint64_t phrase = smt::kEmptyPhrase;
      for (std::uint32_t next = 0; next < 3; ++next) {
        phrase = smt::extend_phrase(phrase, (word + next * 5) % kWords);
        table.find(phrase, entries);
      }
    }
    for (const smt::PhraseEntry& entry : entries)
      for (const std::uint32_t word : entry.words)
        if (word >= kWords) std::abort();
    if (table.serialize() != bytes) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
