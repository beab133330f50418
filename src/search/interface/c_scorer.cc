#include <cmath>

#include "dragoman/scorer.h"
#include "search/interface/c_support.h"

using dragoman::check;
using namespace dragoman::search::c;

struct dragoman_scorer {
  dragoman::Scorer scorer;
};

struct dragoman_scored {
  dragoman::ScoredPair pair;
};

namespace {

const dragoman::ScoredPair& pair_of(const dragoman_scored* scored) { return deref(scored, "a scored pair").pair; }

}  // namespace

dragoman_scorer* dragoman_scorer_open(const char* model_file, const dragoman_options* options) {
  return guarded<dragoman_scorer*>(nullptr, [&] {
    const dragoman::TranslatorOptions given = options ? options->for_opening() : dragoman::TranslatorOptions();
    return new dragoman_scorer{
        dragoman::Scorer(texts_of(&model_file, 1, "model file").front(),
                         {.device = given.device, .precision = given.precision, .threads = given.threads})};
  });
}

void dragoman_scorer_free(dragoman_scorer* scorer) { delete scorer; }

dragoman_scored* dragoman_scorer_score(dragoman_scorer* scorer, const char* source, const char* target,
                                       const dragoman_options* options) {
  dragoman_scored* scored = nullptr;
  dragoman_scorer_score_batch(scorer, &source, &target, 1, options, &scored);
  return scored;
}

int dragoman_scorer_score_batch(dragoman_scorer* scorer, const char* const* sources, const char* const* targets,
                                int count, const dragoman_options* options, dragoman_scored** results) {
  return guarded(-1, [&] {
    check(count <= 0 || results != nullptr, "expected an array for the results but got a null pointer");
    const std::vector<std::string> from = texts_of(sources, count, "source"), to = texts_of(targets, count, "target");
    std::vector<dragoman::SentencePair> pairs(from.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {from[i], to[i]};
    std::vector<std::unique_ptr<dragoman_scored>> made;
    for (dragoman::ScoredPair& pair :
         deref(scorer, "a scorer")
             .scorer.score(pairs, options != nullptr && options->search.alignment, options ? options->search.to : "",
                           options ? options->search.from : ""))
      made.push_back(std::make_unique<dragoman_scored>(dragoman_scored{std::move(pair)}));
    for (auto& scored : made) *results++ = scored.release();
    return 0;
  });
}

void dragoman_scored_free(dragoman_scored* scored) { delete scored; }

double dragoman_scored_log_probability(const dragoman_scored* scored) {
  return guarded<double>(NAN, [&] { return pair_of(scored).log_probability; });
}

int dragoman_scored_token_count(const dragoman_scored* scored) {
  return guarded(-1, [&] { return static_cast<int>(pair_of(scored).tokens.size()); });
}

const char* dragoman_scored_token(const dragoman_scored* scored, int token) {
  return guarded<const char*>(nullptr, [&] { return item(pair_of(scored).tokens, token, "token").c_str(); });
}

double dragoman_scored_token_score(const dragoman_scored* scored, int token) {
  return guarded<double>(NAN, [&] { return item(pair_of(scored).token_scores, token, "token score"); });
}

int dragoman_scored_link_count(const dragoman_scored* scored) {
  return guarded(-1, [&] { return static_cast<int>(pair_of(scored).alignment.size()); });
}

int dragoman_scored_link(const dragoman_scored* scored, int link, int* source, int* target) {
  return guarded(-1, [&] { return fill_link(pair_of(scored).alignment, link, source, target); });
}
