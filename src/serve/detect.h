#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman::serve {

struct DetectedLanguage {
  std::string language;
  int confidence = 0;  // percent
};

// The languages that the text is probably written in, the likeliest first, by CLD2. Empty if nothing can be said.
std::vector<DetectedLanguage> detect_languages(std::string_view text);

// The likeliest of the `known` languages; the first of them, with confidence 0, if nothing speaks for any.
DetectedLanguage detect_among(std::string_view text, const std::vector<std::string>& known);

// The same for a text that is to be translated into `target` from one of the `sources`; the target itself if nearly all
// of the text is written in it already.
DetectedLanguage detect_source(std::string_view text, const std::vector<std::string>& sources,
                               const std::string& target);

}  // namespace dragoman::serve
