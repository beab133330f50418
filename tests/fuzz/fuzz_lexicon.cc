// A lexicon, as text, compressed text or binary file with a right checksum, is refused, or translates every word.
#include <cstdlib>

#include "align/direct.h"
#include "base/error.h"
#include "tests/fuzz/input_file.h"
#include "tests/support/repair.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("dragoman lexicon")) support::repair_checked_file(bytes);
  const fuzz::InputFile file(bytes);
  try {
    const align::Lexicon lexicon = align::Lexicon::load(file.path());
    const std::vector<std::string>& words = lexicon.sources();
    if (align::translate_directly(lexicon, words).size() != words.size()) std::abort();
    for (std::size_t row = 0; row < words.size(); ++row)
      for (const align::Lexicon::Entry& entry : lexicon.row(row))
        if (!(entry.probability > 0 && entry.probability <= 1)) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
