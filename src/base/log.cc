#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace dragoman::log {
namespace {

spdlog::level::level_enum native(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warning: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
    case Level::quiet: break;
  }
  return spdlog::level::off;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    // Not registered with spdlog: if memory runs out here, the next message tries again.
    auto made = std::make_shared<spdlog::logger>("dragoman", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%^%L%$ %H:%M:%S %v");
    return made;
  }();
  return *instance;
}

}  // namespace

void set_level(Level level) { logger().set_level(native(level)); }

bool shows(Level level) { return logger().should_log(native(level)); }

void write(Level level, fmt::string_view format, fmt::format_args args) {
  if (logger().should_log(native(level))) logger().log(native(level), fmt::vformat(format, args));
}

}  // namespace dragoman::log
