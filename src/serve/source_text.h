#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dragoman/translator.h"

namespace dragoman::serve {

enum class TextFormat { text, html, xml, srt, po };

// The format of this name ("text", "html", ...), or of a file name's ending (".txt", ".html", ...). Throws HttpError
// 400 for others.
TextFormat format_of_name(std::string_view name);
TextFormat format_of_file(std::string_view file_name);
// Endings of files that can be translated, for clients: ".txt".
const std::vector<std::string>& file_endings();

// A text as a client sent it, taken apart into sentences, and put together again with their translations. White space,
// blank lines and list marks stay.
class SourceText {
 public:
  // With `sentences`, sentences are translated one by one; otherwise lines are. Throws HttpError 400 for text that
  // cannot be read.
  SourceText(std::string text, TextFormat format, bool sentences);

  const std::vector<std::string>& segments() const { return segments_; }
  // Whether render() makes use of word alignments.
  bool needs_alignment() const { return false; }
  // `translations`: one per segment.
  std::string render(const std::vector<const Translation*>& translations) const;

 private:
  void add_line(std::string_view line, bool sentences);

  std::vector<std::string> segments_;
  std::vector<std::string> between_;  // what stands before each segment and after the last one
};

}  // namespace dragoman::serve
