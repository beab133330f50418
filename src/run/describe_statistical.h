#pragma once

#include <string>

namespace dragoman::run {

// Whether `name` is a file that holds a statistical model, or the preset of one.
bool is_statistical(const std::string& name);

// What there is to know of it; the exit status.
int inspect_statistical(const std::string& name, bool json);

}  // namespace dragoman::run
