#pragma once

#include <string>

namespace dragoman {

// The word as a shell reads it: in quotes if it has signs that mean something to a shell.
std::string shell_word(const std::string& word);

}  // namespace dragoman
