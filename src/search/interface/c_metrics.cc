#include <cmath>

#include "dragoman/metrics.h"
#include "search/interface/c_support.h"

using dragoman::check;
using namespace dragoman::search::c;

struct dragoman_metric_score {
  dragoman::MetricScore found;
};

namespace {

const dragoman::MetricScore& score_of(const dragoman_metric_score* score) { return deref(score, "a score").found; }

}  // namespace

dragoman_metric_score* dragoman_evaluate(const char* metric, const char* const* hypotheses, int count,
                                         const char* const* const* references, int sets) {
  return guarded<dragoman_metric_score*>(nullptr, [&] {
    check(sets > 0 && references != nullptr, "expected at least one set of references");
    std::vector<std::vector<std::string>> lists;
    for (int set = 0; set < sets; ++set) lists.push_back(texts_of(references[set], count, "reference"));
    return new dragoman_metric_score{
        dragoman::evaluate(texts_of(&metric, 1, "metric").front(), texts_of(hypotheses, count, "hypothesis"), lists)};
  });
}

void dragoman_metric_score_free(dragoman_metric_score* score) { delete score; }

double dragoman_metric_score_value(const dragoman_metric_score* score) {
  return guarded<double>(NAN, [&] { return score_of(score).score; });
}

const char* dragoman_metric_score_name(const dragoman_metric_score* score) {
  return guarded<const char*>(nullptr, [&] { return score_of(score).name.c_str(); });
}

const char* dragoman_metric_score_signature(const dragoman_metric_score* score) {
  return guarded<const char*>(nullptr, [&] { return score_of(score).signature.c_str(); });
}
