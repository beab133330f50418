#pragma once

#include "dragoman/export.h"

namespace dragoman {

// The version of the library that is loaded, such as "0.2.0".
DRAGOMAN_API const char* version();

}  // namespace dragoman
