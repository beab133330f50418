#include "data/random_text.h"

#include <array>
#include <string_view>

#include "text/unicode.h"

namespace dragoman::data {
namespace {

template <class T, std::size_t n>
const T& one_of(const std::array<T, n>& list, Random& random) {
  return list[random.below(n)];
}

std::string random_name(Random& random) {
  static constexpr std::string_view kConsonants = "bcdfghjklmnpqrstvwxz", kVowels = "aeiouy";
  std::string name;
  for (std::uint64_t syllables = 1 + random.below(3); syllables > 0; --syllables) {
    name += kConsonants[random.below(kConsonants.size())];
    name += kVowels[random.below(kVowels.size())];
    if (random.below(3) == 0) name += kConsonants[random.below(kConsonants.size())];
  }
  if (random.below(8) == 0) name += static_cast<char>('0' + random.below(10));
  return name;
}

std::string random_domain(Random& random) {
  static constexpr std::array<std::string_view, 8> kEndings = {"com", "de", "org", "net", "eu", "co.uk", "io", "info"};
  std::string domain = random_name(random);
  if (random.below(4) == 0) domain += "-" + random_name(random);
  return domain + "." + std::string(one_of(kEndings, random));
}

}  // namespace

std::string random_number(Random& random) {
  static constexpr std::array<std::uint64_t, 5> kBounds = {10, 100, 1000, 10000, 100000};
  return std::to_string(2 + random.below(one_of(kBounds, random)));
}

std::string random_mail_address(Random& random) {
  static constexpr std::array<std::string_view, 4> kJoints = {"", ".", "_", "-"};
  std::string name = random_name(random);
  name.append(one_of(kJoints, random)).append(random_name(random));
  return name + "@" + random_domain(random);
}

std::string random_url(Random& random) {
  static constexpr std::array<std::string_view, 4> kBeginnings = {"https://", "http://", "https://www.", "www."};
  static constexpr std::array<std::string_view, 5> kFiles = {"", "", "/", ".html", ".pdf"};
  std::string url(one_of(kBeginnings, random));
  url += random_domain(random);
  for (std::uint64_t folders = random.below(4); folders > 0; --folders) {
    url += "/" + random_name(random);
    if (random.below(4) == 0) url += "-" + random_number(random);
  }
  if (url.find('/', 8) != std::string::npos) url += one_of(kFiles, random);
  if (random.below(6) == 0) {
    url += "?" + random_name(random);
    url += "=" + random_number(random);
  }
  return url;
}

std::string random_emoji(Random& random) {
  static constexpr std::array<std::string_view, 16> kEmoji = {"😀", "😂", "😊",      "😍", "😢", "😡", "👍", "👎",
                                                              "🙏", "🎉", "❤️", "🔥", "✅", "❌", "🚀", "☀️"};
  return std::string(one_of(kEmoji, random));
}

std::string random_code(Random& random) {
  // N is a name, 0 a number.
  static constexpr std::array<std::string_view, 50> kShapes = {
      "~0",    "< 0",   "> 0", "<= 0",  ">= 0",   "N^0",    "\\N",     "N;N",   "N | N | N", "^N",
      "{N}",   "{N}",   "{0}", "{{N}}", "{N_N}",  "${N}",   "%N%",     "%s",    "%d",        "$N",
      "@N",    "#N",    "#N",  "#0",    "[N]",    "[0]",    "<N>",     "<N/>",  "</N>",      "`N`",
      "`N()`", "N_N",   "N=0", "N = 0", "N == 0", "N -> N", "N => N",  "N → N", "N | N",     "N & N",
      "N + N", "0 * 0", "--N", "--N=0", "-N",     "~/N",    "~/N/N.N", "/N/N",  "C:\\N\\N",  "N::N"};
  std::string code;
  for (const char sign : one_of(kShapes, random)) {
    if (sign == 'N')
      code += random_name(random);
    else if (sign == '0')
      code += random_number(random);
    else
      code += sign;
  }
  return code;
}

Markup random_markup(Random& random) {
  struct Signs {
    std::string_view before, after;
  };
  static constexpr std::array<Signs, 40> kSigns = {
      {{"[ ] ", ""}, {"[x] ", ""},    {"a) ", ""},     {"1) ", ""},      {"# ", ""},       {"## ", ""},  {"### ", ""},
       {"* ", ""},   {"* ", ""},      {"- ", ""},      {"- ", ""},       {"– ", ""},       {"• ", ""},   {"• ", ""},
       {"> ", ""},   {"+ ", ""},      {"// ", ""},     {"→ ", ""},       {"-> ", ""},      {"=> ", ""},  {"| ", ""},
       {"| ", " |"}, {"*", "*"},      {"**", "**"},    {"***", "***"},   {"_", "_"},       {"__", "__"}, {"`", "`"},
       {"~~", "~~"}, {"= ", " ="},    {"== ", " =="},  {"=== ", " ==="}, {"--- ", " ---"}, {"{", "}"},   {"[", "]"},
       {"<", ">"},   {"<b>", "</b>"}, {"<i>", "</i>"}, {"<p>", "</p>"},  {"", "<br>"}}};
  const Signs& signs = one_of(kSigns, random);
  return {std::string(signs.before), std::string(signs.after)};
}

std::string random_foreign_words(Random& random) {
  struct Letters {
    char32_t first, last;
    std::uint64_t longest;  // word
  };
  static constexpr std::array<Letters, 8> kScripts = {{{U'а', U'я', 10},
                                                       {U'α', U'ω', 10},
                                                       {U'א', U'ת', 7},
                                                       {U'ا', U'ي', 8},
                                                       {U'अ', U'ह', 6},
                                                       {U'一', U'龥', 12},
                                                       {U'ぁ', U'ゖ', 12},
                                                       {U'가', U'힣', 5}}};
  const Letters& letters = one_of(kScripts, random);
  std::string words;
  for (std::uint64_t count = 1 + random.below(6); count > 0; --count) {
    if (!words.empty()) words += ' ';
    for (std::uint64_t length = 1 + random.below(letters.longest); length > 0; --length)
      text::append_utf8(letters.first + static_cast<char32_t>(random.below(letters.last - letters.first + 1)), words);
  }
  return words;
}

}  // namespace dragoman::data
