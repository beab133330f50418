#include "recipe/command_line.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/error.h"
#include "base/join.h"
#include "base/shell_word.h"
#include "base/text_value.h"

namespace dragoman::recipe {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
// Signs that mean something to a shell if they are not quoted.
constexpr std::string_view kShellSigns = "|&;<()$`";

// Reads a text word by word.
class WordReader {
 public:
  explicit WordReader(const std::string& text) : text_(text) {}

  // False at the end. An unquoted > is a word of its own.
  bool next(std::string& word, bool& redirects) {
    at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
    if (at_ == text_.size()) return false;
    word.clear();
    redirects = text_[at_] == '>';
    if (redirects) {
      ++at_;
      return true;
    }
    while (at_ < text_.size() && kBlanks.find(text_[at_]) == std::string_view::npos && text_[at_] != '>') read(word);
    return true;
  }

 private:
  void read(std::string& word) {
    const char sign = text_[at_++];
    if (sign == '\'') {
      for (; peek("a closing '") != '\''; ++at_) word += text_[at_];
      ++at_;
    } else if (sign == '"') {
      for (; peek("a closing \"") != '"'; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size() && (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\')) ++at_;
        word += text_[at_];
      }
      ++at_;
    } else if (sign == '\\') {
      const char escaped = peek("a sign after \\");
      ++at_;
      if (escaped != '\n') word += escaped;
    } else {
      check(kShellSigns.find(sign) == std::string_view::npos,
            "'{}' has no meaning here, since commands are not run by a shell; quote it if it belongs to a word: {}",
            sign, text_);
      word += sign;
    }
  }

  char peek(const char* expected) const {
    check(at_ < text_.size(), "expected {} before the end of: {}", expected, text_);
    return text_[at_];
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

// Flags with their values and arguments, sorted.
std::vector<std::string> parts_of(const std::string& text) {
  const CommandLine command = split_command(text);
  std::vector<std::string> parts;
  for (const std::string& word : command.words) {
    const bool is_value = !parts.empty() && parts.back().starts_with("--") && !word.starts_with("--") &&
                          parts.back().find_first_of(" =") == std::string::npos;
    if (is_value)
      parts.back() += " " + shell_word(word);
    else
      parts.push_back(shell_word(word));
  }
  if (!command.output.empty()) parts.push_back("> " + shell_word(command.output));
  std::sort(parts.begin(), parts.end());
  return parts;
}

// What is in `parts` but not in `others`.
std::string only_in(const std::vector<std::string>& parts, const std::vector<std::string>& others) {
  std::vector<std::string> own;
  std::set_difference(parts.begin(), parts.end(), others.begin(), others.end(), std::back_inserter(own));
  return join(own, " ");
}

bool is_name_sign(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_/.+-").find(c) != std::string_view::npos;
}

// Calls on_text and on_name for the parts of a text. Braces around anything but a name are text.
template <class OnText, class OnName>
void for_each_part(const std::string& text, OnText on_text, OnName on_name) {
  std::size_t done = 0;
  for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos;) {
    std::size_t close = open + 1;
    while (close < text.size() && is_name_sign(text[close])) ++close;
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
  WordReader reader(text);
  std::string word;
  for (bool redirects = false; reader.next(word, redirects);) {
    if (redirects) {
      check(command.output.empty() && reader.next(command.output, redirects) && !redirects,
            "expected one file name after > in: {}", text);
    } else {
      check(command.output.empty(), "expected nothing after > FILE in: {}", text);
      command.words.push_back(word);
    }
  }
  return command;
}

std::string show(const CommandLine& command) {
  std::string text = "dragoman";
  for (const std::string& word : command.words) text += " " + shell_word(word);
  if (!command.output.empty()) text += " > " + shell_word(command.output);
  return text;
}

bool has_flag(const CommandLine& command, const std::string& flag) {
  return std::any_of(command.words.begin(), command.words.end(),
                     [&](const std::string& word) { return word == flag || word.starts_with(flag + "="); });
}

std::vector<std::string> flag_values(const CommandLine& command, const std::string& flag) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    if (word == flag && i + 1 < command.words.size()) values.push_back(command.words[i + 1]);
    if (word.starts_with(flag + "=")) values.push_back(word.substr(flag.size() + 1));
  }
  return values;
}

std::string changes(const std::string& before, const std::string& after) {
  const std::vector<std::string> old_parts = parts_of(before), new_parts = parts_of(after);
  const std::string removed = only_in(old_parts, new_parts), added = only_in(new_parts, old_parts);
  if (removed.empty()) return added.empty() ? "" : "with " + added;
  return added.empty() ? "without " + removed : added + " instead of " + removed;
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
