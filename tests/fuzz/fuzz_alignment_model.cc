// An alignment model with a right checksum but any content is refused, or aligns text with links inside the pair.
#include <cmath>
#include <cstdlib>

#include "align/aligner.h"
#include "base/error.h"
#include "tests/fuzz/input_file.h"
#include "tests/support/repair.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  support::repair_checked_file(bytes);
  const fuzz::InputFile file(bytes);
  try {
    const align::Aligner aligner = align::Aligner::load(file.path());
    const std::vector<std::string> source = aligner.source_side().words("das Haus ist klein unbekannt", false);
    const std::vector<std::string> target = aligner.target_side().words("the house is small unknown .", true);
    const auto posteriors = aligner.posteriors(aligner.source_ids(source), aligner.target_ids(target));
    for (int i = 0; i < std::ssize(source); ++i)
      for (int j = 0; j < std::ssize(target); ++j)
        if (!std::isfinite(posteriors.both(i, j))) std::abort();
    align::check_links(align::decode(posteriors, {}), source.size(), target.size(), "links");
  } catch (const Error&) {
  }
  return 0;
}
