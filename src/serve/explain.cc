#include "serve/endpoints.h"

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "data/utf8.h"
#include "run/explanation_json.h"
#include "serve/text_task.h"

namespace dragoman::serve {
namespace {

using Json = nlohmann::ordered_json;
using CallPointer = std::shared_ptr<Call>;

// Attention and trees grow with the square of a sentence.
constexpr std::size_t kMostCharacters = 2000;
constexpr std::size_t kMostSentences = 50;
constexpr int kMostTokensOfSentence = 200, kMostTokens = 600;
constexpr int kWidestBeam = 16;
constexpr int kMostAlternatives = 10;

Json describe_models(const ModelSet& models) {
  Json list = Json::array();
  for (const ModelSet::Direction& direction : models.directions()) {
    if (list.empty() || list.back()["name"] != direction.model)
      list.push_back({{"name", direction.model}, {"directions", Json::array()}});
    list.back()["directions"].push_back({{"source", direction.pair.source}, {"target", direction.pair.target}});
  }
  return list;
}

// The search that an explanation needs, as far as the client may change it.
SearchOptions search_of(const Backend& backend, const Fields& fields) {
  SearchOptions search = backend.search;
  search.explain = true;
  search.beam = fields.integer_or("beam", search.beam, 1, kWidestBeam);
  search.alternatives = fields.integer_or("alternatives", search.alternatives, 0, kMostAlternatives);
  return search;
}

std::string prefix_of(const Fields& fields) {
  std::string prefix = fields.text_or("prefix", "");
  if (data::count_characters(prefix) > kMostCharacters)
    throw HttpError(400, fmt::format("Invalid request: prefix exceeds the limit of {} characters", kMostCharacters));
  return prefix;
}

// Characters that a model does not know have several tokens each.
void check_tokens(const search::TextTranslator& translator, const SentenceTask& task) {
  const auto check_part = [&](const char* what, const std::string& text) {
    const int tokens = translator.count_tokens(text);
    if (tokens > kMostTokensOfSentence)
      throw HttpError(400, fmt::format("Invalid request: {} of {} tokens exceeds the limit of {}: '{}'", what, tokens,
                                       kMostTokensOfSentence, excerpt(text)));
    return tokens;
  };
  int tokens = check_part("a prefix", task.prefix);
  for (const SentenceTask::Sentence& sentence : task.sentences) tokens += check_part("a sentence", sentence.text);
  if (tokens > kMostTokens)
    throw HttpError(400, fmt::format("Invalid request: {} tokens exceed the limit of {}", tokens, kMostTokens));
}

// A text in sentences, and what stands before each of them and after the last one.
struct CutText {
  std::vector<std::string> sentences, gaps;
};

CutText cut(const std::string& text, const std::string& language, bool split_sentences) {
  if (!split_sentences) return {{text}, {"", ""}};
  document::Options parsing;
  parsing.language = text::language_of(language);
  parsing.cuts_at_addresses = true;  // so that all of the text is in sentences or between them
  const document::Document document = document::Document::parse(text, document::Format::text, parsing);
  CutText result{document.segments(), document.gaps()};
  if (result.sentences.size() > kMostSentences)
    throw HttpError(400, fmt::format("Invalid request: {} sentences exceed the limit of {}", result.sentences.size(),
                                     kMostSentences));
  return result;
}

// {"text", "explanations", "after"}. The text is what /translate returns, unless there are addresses or emoji inside a
// sentence: `before` and `text` of every explanation, then `after`.
Json put_together(const Call& call, const std::vector<std::string>& gaps, const Service::Results& results) {
  Json explanations = Json::array();
  std::string whole, between = gaps.front();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string translated = results[i].translations.empty() ? "" : results[i].translations.front().text;
    std::size_t done = 0;
    for (const Explanation& explanation : results[i].explanations) {
      if (call.fate()->cancelled) throw search::Cancelled();
      const std::size_t begin = std::min(translated.find(explanation.text, done), translated.size());
      between += translated.substr(done, begin - done);
      whole += between + explanation.text;
      done = std::min(begin + explanation.text.size(), translated.size());
      explanations.push_back({{"before", std::exchange(between, "")}});
      explanations.back().update(run::to_json(explanation));
    }
    between += translated.substr(done) + gaps[i + 1];
  }
  return {{"text", whole + between}, {"explanations", std::move(explanations)}, {"after", between}};
}

Json make_answer(const text::LanguagePair& pair, const std::string& model, int beam, const Json& explained) {
  Json answer = {{"source_language", pair.source}, {"target_language", pair.target}, {"model", model}, {"beam", beam}};
  answer.update(explained);
  return answer;
}

// {"q", "source", "target", "model", "beam", "alternatives", "prefix", "split_sentences", "terms", "glossary_id"}: one
// text, which is translated sentence by sentence, without pivot languages. A text in the target language stays as it
// is.
void explain(const Backend& backend, const CallPointer& call) {
  const Fields& fields = call->fields();
  const std::string text = fields.text("q");
  const std::size_t characters = check_texts(backend, {text}, kMostCharacters);
  backend.metrics.count_characters(call->caller().key, characters);
  const auto models = backend.service.models();
  const std::string target = require_language(fields.text("target"), models->targets());
  const std::string asked = fields.text_or("source", "auto");
  const std::string source = asked == "auto" ? detect_source(text, models->sources_of(target), target).language
                                             : require_language(asked, models->sources());
  const SearchOptions search = search_of(backend, fields);
  if (source == target)
    return call->respond(make_answer({source, target}, "", search.beam,
                                     {{"text", text}, {"explanations", Json::array()}, {"after", text}}));
  const std::string model = fields.text_or("model", "");
  const ModelSet::Route route = model.empty() ? models->route(source, target) : models->route(source, target, model);
  if (route.size() > 1)
    throw HttpError(400, fmt::format("only direct translations can be explained, but {}-{} goes through {}", source,
                                     target, route.front()->pair.target));
  SentenceTask task{{},
                    target,
                    search,
                    find_terms(backend, *call, {source, target}),
                    call->caller(),
                    call->fate(),
                    false,
                    route.front()->model,
                    prefix_of(fields)};
  CutText parts = cut(text, source, fields.flag_or("split_sentences", true));
  for (std::string& sentence : parts.sentences) task.sentences.push_back({std::move(sentence), source});
  check_tokens(route.front()->queue->translator(), task);
  task.weight = weight_of(backend, task.search);
  const auto respond = [call, pair = text::LanguagePair{source, target}, model = task.model, beam = search.beam,
                        gaps = std::move(parts.gaps)](const Service::Results& results,
                                                      const std::exception_ptr& error) {
    call->attempt([&] {
      if (error) std::rethrow_exception(error);
      call->respond(make_answer(pair, model, beam, put_together(*call, gaps, results)));
    });
  };
  backend.service.translate(task, respond);
}

}  // namespace

std::vector<Route> explain_routes(Backend& backend) {
  return {{"POST", "/v1/explain", Access::clients, [&backend](const CallPointer& call) { explain(backend, call); }},
          {"GET", "/v1/models", Access::everybody,
           [&backend](const CallPointer& call) { call->respond(describe_models(*backend.service.models())); }}};
}

}  // namespace dragoman::serve
