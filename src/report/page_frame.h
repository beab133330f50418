#pragma once

#include <string>

namespace dragoman::report {

// A page of its own: HTML with style sheet and scripts, which loads nothing else, whatever its texts contain.
struct Page {
  std::string title;
  std::string style;            // beside that of all pages (page_style.h)
  std::string body_attributes;  // with a leading blank, or empty
  std::string body;
  std::string script;  // beside that of charts, which reads out their values
};
std::string to_html(const Page& page);

}  // namespace dragoman::report
