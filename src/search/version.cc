#include "dragoman/version.h"

#include "base/version.h"

namespace dragoman {

const char* version() { return DRAGOMAN_VERSION; }

}  // namespace dragoman
