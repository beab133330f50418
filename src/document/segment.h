#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dragoman::document {

// Bytes [begin, end) of a document.
struct Range {
  std::size_t begin = 0, end = 0;
};

// Something inside a segment that is not text: an inline tag, or a stretch that stays as it is, such as an image, a
// comment or a piece of code.
struct Tag {
  enum class Kind { open, close, point };
  // What becomes of an element whose words have no counterpart in a translation: it stays, without them; it goes; or it
  // stays with the words of the document.
  enum class Emptied { stays, goes, keeps_words };
  static constexpr int kNoPartner = -1;

  Kind kind = Kind::point;
  Range bytes{};
  std::size_t position = 0;                        // in the text: before the byte with this index
  int partner = kNoPartner;                        // index of the tag that closes or opens the same element
  bool space_before = false, space_after = false;  // whether there is a space directly beside it
  Emptied emptied = Emptied::stays;                // of opening tags
};

// A stretch of text to translate and its place in the document. Its tags are in order and properly nested; the partner
// of a tag may be outside the segment.
struct Segment {
  std::string text;
  Range place{};  // the bytes that the translation replaces
  std::vector<Tag> tags{};
};

}  // namespace dragoman::document
