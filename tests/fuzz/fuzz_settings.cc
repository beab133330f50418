// Settings in YAML, as model files and tokenizer files contain them: refused with an Error, or written back and read to
// the same values.
#include <cstdlib>

#include "base/options.h"
#include "text/word_tokenizer.h"

namespace {

using namespace dragoman;

// One member of every type.
struct AllTypes {
  std::string text;
  std::vector<std::string> list;
  double number = 0;
  std::int64_t integer = 0;
  bool flag = false;
  text::WordOptions words;

  template <class V>
  void visit(V& v) {
    v("text", text, "text");
    v("list", list, "list");
    v("number", number, "number");
    v("integer", integer, "integer");
    v("flag", flag, "flag");
    v.group("words", words);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  AllTypes options, again;
  try {
    Settings(options).read_yaml(text, "settings.yaml");
  } catch (const Error& error) {
    if (std::string_view(error.what()).size() > 1000) std::abort();
    return 0;
  }
  const std::string dump = Settings(options).dump();
  Settings(again).read_yaml(dump, "dump");
  if (Settings(again).dump() != dump) std::abort();
  return 0;
}
