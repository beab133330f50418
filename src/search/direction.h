#pragma once

#include <string_view>

namespace dragoman::search {

// The languages of a translation, as a model names them; empty where there is no choice.
struct Direction {
  std::string_view to{}, from{};
};

}  // namespace dragoman::search
