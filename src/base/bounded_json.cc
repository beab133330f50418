#include "base/bounded_json.h"

namespace dragoman {

// One pass over the text, before anything is built. Counts brackets and commas outside strings, whether or not the text
// is valid otherwise.
void check_json_limits(std::string_view text) {
  constexpr int kDeepest = 32;
  constexpr std::size_t kMostValues = 1 << 20;
  int depth = 0;
  std::size_t values = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == '[' || c == '{' || c == ',') ++values;
    check(depth <= kDeepest, "JSON nested deeper than {} levels", kDeepest);
    check(values <= kMostValues, "JSON of more than {} values", kMostValues);
  }
}

}  // namespace dragoman
