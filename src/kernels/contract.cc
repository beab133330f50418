#include "kernels/contract.h"

#include "base/error.h"

namespace dragoman::kernels {

void fail_missing(const char* entry, const char* filling) { fail("[{}] not available on {}", entry, filling); }

}  // namespace dragoman::kernels
