#pragma once

#include <filesystem>
#include <string>
#include <vector>

// The documents of the project as tests read them.
namespace dragoman::docs {

// A fenced block of shell commands. A comment in the lines before the fence says how it is tested:
//   <!-- test: setup COMMANDS -->        run these first
//   <!-- test: flags only, REASON -->    do not run it; check that its commands and flags exist
//   <!-- test: all flags only, REASON -->  the same for every block of the document
struct ShellBlock {
  int line = 0;  // of the opening fence
  std::string text{}, setup{};
  bool flags_only = false;
};

struct Document {
  std::filesystem::path path;  // below the project's folder
  std::string text;
  std::vector<ShellBlock> shell;

  std::string where(const ShellBlock& block) const { return path.string() + ":" + std::to_string(block.line); }
};

// Every Markdown file of the root and of docs/, by path.
std::vector<Document> documents();

// The invocations of `dragoman` in a block, each as one line without redirections and comments.
std::vector<std::string> program_calls(const std::string& shell);

// `text` without its fenced blocks.
std::string without_blocks(const std::string& text);

// The anchors of a document's headings.
std::vector<std::string> anchors(const std::string& text);

}  // namespace dragoman::docs
