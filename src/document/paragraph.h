#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "document/document.h"
#include "document/segment.h"

namespace dragoman::document {

// Collects the text of a paragraph and the tags in it, and cuts it into segments. Readers of formats call add_*() in
// the order of the document, without gaps except for bytes that are neither text nor tags, and finish() at its end.
class Paragraph {
 public:
  // Segments are appended to `segments`.
  Paragraph(const Options& options, std::vector<Segment>& segments) : options_(options), segments_(segments) {}

  // Text that is spelled in the document as it is.
  void add_text(std::string_view text, std::size_t begin);
  // The same, where runs of white space count as one space.
  void add_words(std::string_view text, std::size_t begin);
  // Text that is spelled otherwise in the document, such as a character reference.
  void add_decoded(std::string_view text, Range bytes);
  // White space that counts as one space; `verbatim` if it is one.
  void add_space(Range bytes, bool verbatim = false);
  // Tags of elements. A closing tag belongs to the last open element of its name.
  void open(std::string_view name, Range bytes, Tag::Emptied emptied = Tag::Emptied::stays);
  void close(std::string_view name, Range bytes);
  // Bytes that stay as they are.
  void add_point(Range bytes);
  // An address stays as well; those in text are found without being named.
  void add_address(Range bytes);

  // Ends the paragraph and begins the next one.
  void finish();

 private:
  // A stretch of the text and the bytes of the document that it comes from: the same bytes, or all of them together.
  struct Chunk {
    std::size_t begin = 0;  // in the text
    Range bytes{};
    bool verbatim = false;
  };
  // Elements of one name.
  struct Count {
    int open = 0;
    int overlapping = 0;  // those whose opening tag is a point, and whose closing tag is still to come
  };
  using Counts = std::unordered_map<std::string, Count>;
  struct Open {
    std::string name;
    int tag = 0;
  };
  enum class Last { nothing, text, space, tag };

  void append(std::string_view text, Range bytes, bool verbatim);
  void add_plain_text(std::string_view text, std::size_t begin);
  void add_plain_words(std::string_view text, std::size_t begin);
  void drop_space_before_points();
  int add_tag(Tag::Kind kind, Range bytes);
  const Chunk& chunk_at(std::size_t position) const;
  std::size_t begin_in_document(std::size_t position) const;
  std::size_t end_in_document(std::size_t position) const;
  void add_segment(std::size_t begin, std::size_t end);
  std::size_t find_lead(std::size_t begin, std::size_t end, std::size_t inner) const;
  std::size_t find_tail(std::size_t end, std::size_t lead, std::size_t inner_end) const;

  const Options& options_;
  std::vector<Segment>& segments_;
  std::string text_;
  std::vector<Chunk> chunks_;
  std::vector<Tag> tags_;
  std::vector<Open> stack_;  // elements that are open
  Counts count_of_name_;
  std::size_t next_tag_ = 0;  // the first tag after the last segment
  Last last_ = Last::nothing;
};

}  // namespace dragoman::document
