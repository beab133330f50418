#include "recipe/command_line.h"

#include <cctype>

#include "base/error.h"
#include "base/join.h"
#include "base/shell_word.h"
#include "base/text_value.h"

namespace dragoman::recipe {
namespace {

constexpr std::size_t kMostWords = 10'000;
// Signs that mean something to a shell if they are not quoted.
constexpr std::string_view kBlanks = " \t\r\n", kShellSigns = "|&;<()$`\\";

// The word, or its alternatives: the innermost braces with a comma between them are replaced, from left to right.
// Braces without a comma are placeholders.
std::vector<std::string> alternatives(const std::string& word) {
  std::vector<std::string> words = {word};
  for (std::size_t i = 0, open = 0; i < words.size();) {
    open = words[i].find('{', open);
    if (open == std::string::npos) {
      ++i;
      open = 0;
      continue;
    }
    const std::string own = words[i];
    const std::size_t close = own.find_first_of("{}", open + 1);
    const bool is_choice = close != std::string::npos && own[close] == '}' && own.find(',', open) < close;
    if (!is_choice) {
      ++open;
      continue;
    }
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    for (std::size_t begin = open + 1; begin <= close;) {
      const std::size_t end = std::min(own.find(',', begin), close);
      at = words.insert(at, own.substr(0, open) + own.substr(begin, end - begin) + own.substr(close + 1)) + 1;
      begin = end + 1;
    }
    check(words.size() <= kMostWords, "the braces of '{}' stand for more than {} words", word, kMostWords);
    open = 0;
  }
  return words;
}

// Calls on_text and on_name for the parts of a text. Braces around anything but a name are text.
template <class OnText, class OnName>
void for_each_part(const std::string& text, OnText on_text, OnName on_name) {
  const auto is_name_sign = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_/.+-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  std::size_t done = 0;
  for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos;) {
    std::size_t close = open + 1;
    while (close < text.size() && is_name_sign(static_cast<unsigned char>(text[close]))) ++close;
    if (close == open + 1 || close == text.size() || text[close] != '}') {
      ++open;
      continue;
    }
    on_text(text.substr(done, open - done));
    on_name(text.substr(open + 1, close - open - 1));
    open = done = close + 1;
  }
  on_text(text.substr(done));
}

}  // namespace

CommandLine split_command(const std::string& text) {
  CommandLine command;
  std::string word;
  bool in_word = false, is_quoted = false, is_redirected = false;
  char quote = '\0';
  const auto end_word = [&] {
    if (!in_word) return;
    check(command.output.empty(), "expected nothing after > FILE in: {}", text);
    if (is_redirected) {
      command.output = word;
    } else {
      const std::vector<std::string> words = is_quoted ? std::vector<std::string>{word} : alternatives(word);
      command.words.insert(command.words.end(), words.begin(), words.end());
    }
    word.clear();
    in_word = is_quoted = false;
  };
  for (const char sign : text) {
    if (quote != '\0') {
      if (sign == quote)
        quote = '\0';
      else
        word += sign;
    } else if (sign == '\'' || sign == '"') {
      quote = sign;
      in_word = is_quoted = true;
    } else if (kBlanks.find(sign) != std::string_view::npos) {
      end_word();
    } else if (sign == '>') {
      end_word();
      check(!is_redirected, "expected one > FILE in: {}", text);
      is_redirected = true;
    } else {
      check(kShellSigns.find(sign) == std::string_view::npos,
            "'{}' has no meaning here, since commands are not run by a shell; quote it if it belongs to a word: {}",
            sign, text);
      word += sign;
      in_word = true;
    }
  }
  check(quote == '\0', "expected a closing {} before the end of: {}", quote, text);
  end_word();
  check(!is_redirected || !command.output.empty(), "expected a file name after > in: {}", text);
  return command;
}

std::string show(const CommandLine& command) {
  std::string text = "dragoman";
  for (const std::string& word : command.words) text += " " + shell_word(word);
  if (!command.output.empty()) text += " > " + shell_word(command.output);
  return text;
}

std::vector<std::string> flag_values(const std::vector<std::string>& words, const std::string& flag) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) values.push_back(words[i + 1]);
    if (words[i].starts_with(flag + "=")) values.push_back(words[i].substr(flag.size() + 1));
  }
  return values;
}

std::string fill(const std::string& text, const Places& places) {
  std::string filled;
  for_each_part(
      text, [&](const std::string& part) { filled += part; },
      [&](const std::string& name) {
        const auto place = places.find(name);
        if (place == places.end()) {
          std::vector<std::string> known;
          for (const auto& entry : places) known.push_back(entry.first);
          const std::string near = nearest(name, known);
          fail("unknown placeholder {{{}}}; {} in: {}", name,
               near.empty() ? "known here are {" + join(known, "}, {") + "}" : "did you mean {" + near + "}?", text);
        }
        filled += place->second;
      });
  return filled;
}

CommandLine fill(CommandLine command, const Places& places) {
  for (std::string& word : command.words) word = fill(word, places);
  command.output = fill(command.output, places);
  return command;
}

std::vector<std::string> placeholders(const std::string& text) {
  std::vector<std::string> names;
  for_each_part(
      text, [](const std::string&) {}, [&](const std::string& name) { names.push_back(name); });
  return names;
}

}  // namespace dragoman::recipe
