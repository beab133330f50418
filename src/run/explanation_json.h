#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dragoman/explanation.h"

namespace dragoman::run {

// An explanation as JSON; docs/reference/explanations.md describes the fields. Places in texts are counted in
// characters, weights are rounded to four digits.
nlohmann::ordered_json to_json(const Explanation& explanation);

// A node of a beam: {"parent", "token", "log_probability", "score", "finished", "best"}.
nlohmann::ordered_json to_json(const TreeNode& node);

}  // namespace dragoman::run
