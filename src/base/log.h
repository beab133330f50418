#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

// Messages for the person at the terminal. Results go to stdout; everything here goes to stderr.
namespace dragoman::log {

enum class Level { debug, info, warning, error, quiet };

// Messages below `level` are dropped. The default is info.
void set_level(Level level);

void write(Level level, std::string_view message);

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace dragoman::log
