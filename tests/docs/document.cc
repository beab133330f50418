#include "tests/docs/document.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "tests/support/temp_folder.h"

namespace dragoman::docs {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_fence(const std::string& line) { return line.starts_with("```"); }

// The text between "<!-- test: WORD" and "-->", or empty.
std::string directive(const std::string& line, const std::string& word) {
  const std::string begin = "<!-- test: " + word;
  if (!line.starts_with(begin)) return "";
  return line.substr(begin.size(), line.find("-->") - begin.size()) + " ";
}

std::vector<ShellBlock> shell_blocks(const std::string& text) {
  std::vector<ShellBlock> blocks;
  const std::vector<std::string> lines = lines_of(text);
  const bool all_flags_only = std::any_of(lines.begin(), lines.end(),
                                          [](const auto& line) { return !directive(line, "all flags only").empty(); });
  ShellBlock next{.flags_only = all_flags_only};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_fence(lines[i])) {
      next.setup += directive(lines[i], "setup");
      next.flags_only |= !directive(lines[i], "flags only").empty();
      continue;
    }
    const bool is_shell = lines[i] == "```sh";
    next.line = static_cast<int>(i) + 1;
    for (++i; i < lines.size() && !is_fence(lines[i]); ++i) next.text += lines[i] + "\n";
    if (is_shell) blocks.push_back(next);
    next = {.flags_only = all_flags_only};
  }
  return blocks;
}

}  // namespace

std::vector<Document> documents() {
  const fs::path root = DRAGOMAN_SOURCE;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Document> all;
  for (const fs::path& path : paths) {
    const std::string text = support::read_all(path);
    all.push_back({fs::relative(path, root), text, shell_blocks(text)});
  }
  return all;
}

std::vector<std::string> program_calls(const std::string& shell) {
  const std::string joined = std::regex_replace(shell, std::regex("\\s*\\\\\n\\s*"), " ");
  const std::regex begin(R"((^|[|;&(]|\bdo|\btime) *dragoman )");
  std::vector<std::string> calls;
  for (const std::string& line : lines_of(joined)) {
    if (line.starts_with('#')) continue;
    for (std::sregex_iterator match(line.begin(), line.end(), begin), none; match != none; ++match) {
      const std::string rest = line.substr(static_cast<std::size_t>(match->position() + match->length()));
      char quote = 0;
      std::size_t end = 0;
      for (; end < rest.size(); ++end) {
        const char c = rest[end];
        if (quote != 0)
          quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
          quote = c;
        else if (std::string_view("|;&<>()").find(c) != std::string_view::npos || (c == '#' && rest[end - 1] == ' '))
          break;
      }
      calls.push_back(rest.substr(0, end));
    }
  }
  return calls;
}

std::string without_blocks(const std::string& text) {
  std::string rest;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (is_fence(line))
      inside = !inside;
    else if (!inside)
      rest += line + "\n";
  }
  return rest;
}

std::vector<std::string> anchors(const std::string& text) {
  std::vector<std::string> all;
  for (const std::string& line : lines_of(without_blocks(text))) {
    if (!line.starts_with('#')) continue;
    // Letters, digits, '-' and '_' stay, and spaces become '-'. All other ASCII characters are dropped, as are the
    // punctuation and arrows U+2000 to U+21FF and the multiplication sign.
    const std::string heading = std::regex_replace(line, std::regex("\xE2[\x80-\x87].|\xC3\x97|^#+ "), "");
    std::string anchor;
    for (const char c : heading) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0 || c == '_' || c == '-' || byte >= 0x80)
        anchor += static_cast<char>(std::tolower(byte));
      else if (c == ' ')
        anchor += '-';
    }
    all.push_back(anchor);
  }
  return all;
}

}  // namespace dragoman::docs
