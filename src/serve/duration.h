#pragma once

#include <chrono>
#include <string>

namespace dragoman::serve {

// "5ms", "1.5s", "2min"; at most a day. Throws Error that names the setting.
std::chrono::microseconds parse_duration(const std::string& text, const char* setting);

}  // namespace dragoman::serve
