// The parts of a statistical model are refused, or translate. The input holds the parts in the order of kNames, each
// after its size in two bytes; a part that ends early is cut.
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "smt/phrase_system.h"

namespace {

constexpr const char* kNames[] = {
    "config",      "weights",     "tuned_score",  "source_vocabulary", "target_vocabulary",
    "source_case", "target_case", "phrase_table", "language_model"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::map<std::string, std::string_view> sections;
  for (const char* const name : kNames) {
    if (bytes.size() < 2) break;
    const std::size_t length = static_cast<std::uint8_t>(bytes[0]) + 256u * static_cast<std::uint8_t>(bytes[1]);
    sections[name] = bytes.substr(2, length);
    bytes.remove_prefix(std::min(bytes.size(), 2 + length));
  }
  try {
    const smt::PhraseSystem system = smt::PhraseSystem::from_sections(sections);
    for (const smt::PhraseTranslation& translation : system.translate("das Haus ist klein .", 3)) {
      if (!std::isfinite(translation.score) || translation.text.find('\n') != std::string::npos) std::abort();
      align::check_links(translation.links, 100, translation.words.size(), "links");
    }
    system.translate(std::string(40, ','), 1);
  } catch (const Error&) {
  }
  return 0;
}
