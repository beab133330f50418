#include "align/picture.h"

#include <algorithm>

#include "text/unicode.h"

namespace dragoman::align {
namespace {

std::string utf8(char32_t code) {
  std::string text;
  text::append_utf8(code, text);
  return text;
}

// The target words written vertically, bottom-aligned above the matrix.
std::string draw_column_labels(std::span<const std::string> words) {
  std::vector<std::vector<char32_t>> letters;
  std::size_t tallest = 0;
  for (const std::string& word : words) {
    letters.push_back(text::code_points(word));
    tallest = std::max(tallest, letters.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < tallest; ++line) {
    std::string drawn;
    for (const auto& word : letters) {
      const std::size_t skip = tallest - word.size();
      drawn += line < skip ? " " : utf8(word[line - skip]);
      drawn += ' ';
    }
    drawn.erase(drawn.find_last_not_of(' ') + 1);
    text += drawn + "\n";
  }
  return text;
}

}  // namespace

std::string draw_text(std::span<const std::string> source, std::span<const std::string> target, const Links& links,
                      const PairPosteriors& posteriors) {
  constexpr const char* kShades[] = {"·", "░", "▒", "▓"};
  std::string text = draw_column_labels(target);
  for (int i = 0; i < std::ssize(source); ++i) {
    for (int j = 0; j < std::ssize(target); ++j) {
      const int shade = std::clamp(static_cast<int>(posteriors.both(i, j) * 4), 0, 3);
      text += has_link(links, i, j) ? "█" : kShades[shade];
      text += ' ';
    }
    text += source[i] + "\n";
  }
  return text;
}

}  // namespace dragoman::align
