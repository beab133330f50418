#include "align/picture.h"

#include <fmt/core.h>

#include <algorithm>

#include "text/unicode.h"

namespace dragoman::align {
namespace {

std::string utf8(char32_t code) {
  std::string text;
  text::append_utf8(code, text);
  return text;
}

bool linked(const Links& links, int source, int target) {
  return std::binary_search(links.begin(), links.end(), Link{source, target});
}

// Target words written downwards, their ends at the matrix.
std::string draw_heads(std::span<const std::string> words) {
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

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

// Room for the longest word, in the drawing's units.
int room(std::span<const std::string> words) {
  constexpr int kLetter = 9, kLeast = 20;
  std::size_t longest = 0;
  for (const std::string& word : words) longest = std::max(longest, text::code_points(word).size());
  return kLeast + kLetter * static_cast<int>(longest);
}

}  // namespace

std::string draw_text(const PictureWords& words, const Links& links, const Shade& shade) {
  constexpr const char* kShades[] = {"·", "░", "▒", "▓"};
  std::string text = draw_heads(words.target);
  for (int i = 0; i < static_cast<int>(words.source.size()); ++i) {
    for (int j = 0; j < static_cast<int>(words.target.size()); ++j) {
      const int step = std::clamp(static_cast<int>(shade(i, j) * 4), 0, 3);
      text += linked(links, i, j) ? "█" : kShades[step];
      text += ' ';
    }
    text += words.source[i] + "\n";
  }
  return text;
}

std::string draw_svg(const PictureWords& words, const Links& links, const Shade& shade) {
  constexpr int kCell = 24;
  const int left = room(words.source), top = room(words.target);
  const int columns = static_cast<int>(words.target.size()), rows = static_cast<int>(words.source.size());
  const int width = left + kCell * columns + 10, height = top + kCell * rows + 10;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height);
  const auto out = std::back_inserter(svg);
  for (int i = 0; i < rows; ++i)
    fmt::format_to(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", left - 6, top + kCell * i + 17,
                   escaped(words.source[i]));
  for (int j = 0; j < columns; ++j)
    fmt::format_to(out, "<text transform=\"translate({},{}) rotate(-90)\">{}</text>\n", left + kCell * j + 17, top - 6,
                   escaped(words.target[j]));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const int grey = 255 - std::clamp(static_cast<int>(shade(i, j) * 235), 0, 235);
      fmt::format_to(out, "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"rgb({},{},{})\" stroke=\"{}\"/>\n",
                     left + kCell * j, top + kCell * i, kCell - 2, kCell - 2, grey, grey, grey,
                     linked(links, i, j) ? "#c03030" : "#dddddd");
    }
  svg += "</svg>\n";
  return svg;
}

}  // namespace dragoman::align
