#include "base/error.h"

namespace dragoman {

void fail_with(fmt::string_view format, fmt::format_args args) { throw Error(fmt::vformat(format, args)); }

}  // namespace dragoman
