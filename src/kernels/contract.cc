#include "kernels/contract.h"

#include <cmath>

#include "base/error.h"

namespace dragoman::kernels {

void fail_missing(const char* entry, const char* filling) { fail("[{}] not available on {}", entry, filling); }

double clipping_factor(const Clipping& clip) {
  if (clip.squares == nullptr || clip.limit == 0) return 1;
  const double norm = std::sqrt(*clip.squares);
  return norm > clip.limit ? clip.limit / norm : 1;
}

}  // namespace dragoman::kernels
