#include "serve/model_set.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "run/model_description.h"
#include "run/model_languages.h"
#include "serve/http_message.h"
#include "serve/languages.h"
#include "store/model_file.h"

namespace dragoman::serve {
namespace {

void add_once(std::vector<std::string>& list, const std::string& entry) {
  if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
}

std::vector<text::LanguagePair> trained_pairs(const std::string& file) {
  if (run::is_statistical(file)) return {};
  return run::trained_pairs(store::ModelFile(file).info());
}

bool has_language_tags(const std::string& file) {
  if (run::is_statistical(file)) return false;
  const std::string tokenizer = store::ModelFile(file).info().source_tokenizer;
  return !tokenizer.empty() && !text::deserialize_tokenizer(tokenizer)->language_tags().languages.empty();
}

// "news" for news.safetensors and for news/model.safetensors.
std::string short_name(const std::string& file) {
  const std::filesystem::path path = std::filesystem::weakly_canonical(file);
  return path.stem() == "model" ? path.parent_path().filename() : path.stem();
}

}  // namespace

ModelName ModelName::parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {text, {}};
  try {
    return {text.substr(equals + 1), {text::LanguagePair::parse(text.substr(0, equals))}};
  } catch (const Error&) {
    return {text, {}};  // a file whose name contains the sign
  }
}

void ModelSet::add(const std::string& name, const std::vector<text::LanguagePair>& pairs, bool has_tags,
                   std::unique_ptr<search::TextTranslator> translator, const BatchLimits& limits) {
  const auto is_known = [this](const std::string& model) {
    const auto has_name = [&](const Direction& direction) { return direction.model == model; };
    return std::any_of(directions_.begin(), directions_.end(), has_name) ||
           std::any_of(others_.begin(), others_.end(), has_name);
  };
  std::string unique = name;
  for (int number = 2; is_known(unique); ++number) unique = fmt::format("{} {}", name, number);
  queues_.push_back(std::make_unique<BatchQueue>(std::move(translator), limits));
  for (const text::LanguagePair& pair : pairs) {
    std::vector<Direction>& list = direct(pair.source, pair.target) ? others_ : directions_;
    list.push_back({pair, unique, queues_.back().get(), has_tags ? pair.target : "", has_tags ? pair.source : ""});
  }
}

const ModelSet::Direction* ModelSet::direct(const std::string& source, const std::string& target) const {
  const auto found = std::find_if(directions_.begin(), directions_.end(), [&](const Direction& direction) {
    return direction.pair.source == source && direction.pair.target == target;
  });
  return found == directions_.end() ? nullptr : &*found;
}

// Empty if there is no way.
ModelSet::Route ModelSet::find(const std::string& source, const std::string& target) const {
  if (source == target) return {};
  if (const Direction* const one = direct(source, target)) return {one};
  for (const Direction& first : directions_) {
    if (first.pair.source != source) continue;
    if (const Direction* const second = direct(first.pair.target, target)) return {&first, second};
  }
  return {};
}

ModelSet::Route ModelSet::route(const std::string& source, const std::string& target) const {
  Route route = find(source, target);
  if (route.empty())
    throw HttpError(400, fmt::format("{} ({}) is not available as a target language from {} ({})",
                                     language_name(target), target, language_name(source), source));
  return route;
}

ModelSet::Route ModelSet::route(const std::string& source, const std::string& target, const std::string& model) const {
  for (const std::vector<Direction>* list : {&directions_, &others_})
    for (const Direction& direction : *list)
      if (direction.model == model && direction.pair.source == source && direction.pair.target == target)
        return {&direction};
  throw HttpError(400, fmt::format("there is no model \"{}\" that translates {}-{}", model, source, target));
}

std::vector<std::string> ModelSet::sources() const {
  std::vector<std::string> all;
  for (const Direction& direction : directions_) add_once(all, direction.pair.source);
  return all;
}

std::vector<std::string> ModelSet::targets() const {
  std::vector<std::string> all;
  for (const Direction& direction : directions_) add_once(all, direction.pair.target);
  return all;
}

std::vector<std::string> ModelSet::targets_of(const std::string& source) const {
  std::vector<std::string> all = targets();
  std::erase_if(all, [&](const std::string& target) { return find(source, target).empty(); });
  return all;
}

std::vector<std::string> ModelSet::sources_of(const std::string& target) const {
  std::vector<std::string> all = sources();
  std::erase_if(all, [&](const std::string& source) { return find(source, target).empty(); });
  return all;
}

BatchQueue::Counts ModelSet::counts() const {
  BatchQueue::Counts sum;
  for (const auto& queue : queues_) {
    const BatchQueue::Counts one = queue->counts();
    sum.waiting += one.waiting;
    sum.underway += one.underway;
    sum.batches += one.batches;
    sum.texts += one.texts;
  }
  return sum;
}

std::unique_ptr<ModelSet> load_models(const std::vector<ModelName>& names, const TranslatorOptions& options,
                                      const BatchLimits& limits, std::size_t cache_bytes) {
  auto models = std::make_unique<ModelSet>(cache_bytes);
  for (const ModelName& name : names) {
    const std::vector<text::LanguagePair> trained = trained_pairs(name.file);
    const std::vector<text::LanguagePair>& pairs = name.pairs.empty() ? trained : name.pairs;
    check(!pairs.empty(), "{0}: the file does not say its languages; name them: --model en-de={0}", name.file);
    auto translator = std::make_unique<search::TextTranslator>(std::vector<std::string>{name.file}, options);
    if (const std::string note = translator->note(); !note.empty()) log::info("{}", note);
    models->add(short_name(name.file), pairs, has_language_tags(name.file), std::move(translator), limits);
  }
  return models;
}

}  // namespace dragoman::serve
