#pragma once

#include <fmt/core.h>

// Log messages on stderr. Results go to stdout.
namespace dragoman::log {

enum class Level { debug, info, warning, error, quiet };

// Messages below `level` are dropped. The default is info.
void set_level(Level level);
bool shows(Level level);

void write(Level level, fmt::string_view format, fmt::format_args args);

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::debug, format, fmt::make_format_args(args...));
}

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, format, fmt::make_format_args(args...));
}

template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warning, format, fmt::make_format_args(args...));
}

template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, format, fmt::make_format_args(args...));
}

}  // namespace dragoman::log
