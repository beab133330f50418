#pragma once

#include <string>

#include "report/escape.h"

namespace dragoman::report {

// The caption of a figure; none for an empty title.
inline std::string caption(const std::string& title) {
  return title.empty() ? "" : "<figcaption>" + escape(title) + "</figcaption>";
}

}  // namespace dragoman::report
