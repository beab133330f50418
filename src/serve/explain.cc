#include "serve/explain.h"

#include "run/result_json.h"
#include "serve/text_task.h"

namespace dragoman::serve {
namespace {

using Json = nlohmann::ordered_json;
using CallPointer = std::shared_ptr<Call>;

// Attention and trees grow with the square of the text.
constexpr std::size_t kMostCharacters = 2000;
constexpr int kWidestBeam = 16;

// {"q", "source", "target", "n_best", "beam", "alignment", "token_scores", "attention", "tree", "terms",
// "glossary_id"}: one text, and what to return beside its translations. The text is translated as a whole, without
// pivot languages.
void explain(const Backend& backend, const CallPointer& call) {
  const Fields& fields = call->fields();
  const std::string text = fields.text("q");
  RequestLimits limits = backend.limits;
  limits.characters = std::min(limits.characters, kMostCharacters);
  backend.metrics.count_characters(check_texts(limits, {text}));
  const auto models = backend.service.models();
  const std::string target = require_language(fields.text("target"), models->targets());
  const std::string asked = fields.text_or("source", "auto");
  const std::string source = asked == "auto" ? detect_among(text, models->sources_of(target)).language
                                             : require_language(asked, models->sources());
  const ModelSet::Route route = models->route(source, target);
  if (route.size() > 1)
    throw HttpError(400, fmt::format("only direct translations can be explained, but {}-{} goes through {}", source,
                                     target, route.front()->pair.target));
  SentenceTask task{{{text, source}},  target, backend.search, find_terms(backend, *call, {source, target}),
                    call->cancelled(), false};
  task.search.n_best = fields.integer_or("n_best", 1, 1, limits.alternatives + 1);
  task.search.beam = std::max(fields.integer_or("beam", task.search.beam, 1, kWidestBeam), task.search.n_best);
  task.search.alignment = fields.flag_or("alignment", route.front()->queue->translator().aligns());
  task.search.token_scores = fields.flag_or("token_scores", true);
  task.search.attention = fields.flag_or("attention", false);
  task.search.tree = fields.flag_or("tree", false);
  const auto respond = [call, text, source, target, tree = task.search.tree](const Service::Results& results,
                                                                             const std::exception_ptr& error) {
    call->attempt([&] {
      if (error) std::rethrow_exception(error);
      Request request;
      request.text = text;
      Json json = {{"source_language", source}, {"target_language", target}};
      json.update(run::to_json(1, request, results.front()));
      if (tree) json["tree"] = run::tree_to_json(1, request, results.front()).at("nodes");
      call->respond(json);
    });
  };
  backend.service.translate(task, respond);
}

}  // namespace

std::vector<Route> explain_routes(Backend& backend) {
  return {{"POST", "/v1/explain", Access::clients, [&backend](const CallPointer& call) { explain(backend, call); }}};
}

}  // namespace dragoman::serve
