#include "align/position_model.h"

#include "align/hmm.h"
#include "align/model1.h"
#include "align/model2.h"
#include "base/error.h"

namespace dragoman::align {

std::unique_ptr<PositionModel> PositionModel::make(AlignmentKind kind, double null,
                                                   std::span<const double> parameters) {
  check(null > 0 && null < 1, "expected a NULL probability between 0 and 1 but got {}", null);
  switch (kind) {
    case AlignmentKind::model1: return std::make_unique<Model1>(null);
    case AlignmentKind::model2: return std::make_unique<Model2>(null, parameters);
    case AlignmentKind::hmm: return std::make_unique<Hmm>(null, parameters);
  }
  fail("unknown alignment model: {}", static_cast<int>(kind));
}

}  // namespace dragoman::align
