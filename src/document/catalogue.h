#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace dragoman::document {

// A catalogue of messages of gettext (po), ready to be translated: the source texts are in the place of the
// translations that are missing (with options.retranslate, of all translations), and the segments are there.
//
// The first plural form is the translation of msgid, the others are those of msgid_plural. The header, comments, flags,
// contexts, obsolete entries, and placeholders such as %s and {name} stay; tags in messages are placed like those of
// HTML. Entries whose translations are new get the flag "fuzzy", which says that a person has to check them.
struct Catalogue {
  std::string bytes;
  std::vector<Segment> segments;
};

// Throws Error if there is text but no message.
Catalogue read_catalogue(std::string_view document, const Options& options);

// Appends text as it is spelled between the quotes of a message.
void append_message_text(std::string_view text, std::string& out);

}  // namespace dragoman::document
