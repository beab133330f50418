#pragma once

#include <string>
#include <vector>

namespace dragoman::report {

struct Heading {
  std::string title;
  std::string group{};  // neighbours of the same group share a heading above theirs; empty: none
  std::string hint{};   // shown on hover; in Markdown not at all
};

enum class Tone { plain, better, worse };

struct Cell {
  std::string text;
  std::string remark{};  // in small letters after the text
  std::string hint{};    // shown on hover
  bool best = false;     // bold
  Tone tone = Tone::plain;
  bool is_number = true;
};

// A table for HTML and Markdown. The first cell of each row names the row.
struct Table {
  std::string title;
  std::vector<Heading> head;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  // below the table
  bool wraps = false;              // long words in cells and headings may be broken
};

// HTML that scrolls in its own box where it is wider than the page.
std::string to_html(const Table& table);
// A table of GitHub-flavoured Markdown, without the title; notes follow as a list.
std::string to_markdown(const Table& table);

}  // namespace dragoman::report
