#include "align/position_model.h"

#include "align/hmm.h"
#include "align/model1.h"
#include "align/model2.h"
#include "base/error.h"

namespace dragoman::align {

std::unique_ptr<PositionModel> PositionModel::make(PositionKind kind, double null, std::span<const double> parameters) {
  check(null > 0 && null < 1, "the probability of words without a partner is {}, not between 0 and 1", null);
  switch (kind) {
    case PositionKind::model1: return std::make_unique<Model1>(null);
    case PositionKind::model2: return std::make_unique<Model2>(null, parameters);
    case PositionKind::hmm: return std::make_unique<Hmm>(null, parameters);
  }
  fail("unknown kind of alignment model: {}", static_cast<int>(kind));
}

}  // namespace dragoman::align
