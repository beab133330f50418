#include "serve/model_set.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "base/log.h"
#include "base/quote.h"
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

// "news" for news.safetensors and for news/model.safetensors, also if these are links to other files.
std::string short_name(const std::string& file) {
  const std::filesystem::path path = std::filesystem::absolute(file).lexically_normal();
  return path.stem() == "model" ? path.parent_path().filename() : path.stem();
}

// "en", "deu", "pt_BR" or "zh_Hant_TW", as in RFC 5646 but with underscores.
bool is_language_code(std::string_view code) {
  constexpr std::size_t kLongestPart = 8;
  const std::string_view language = code.substr(0, code.find('_'));
  if (language.size() < 2 || language.size() > 3) return false;
  if (!std::all_of(language.begin(), language.end(), [](char c) { return c >= 'a' && c <= 'z'; })) return false;
  while (code.find('_') != std::string_view::npos) {
    code.remove_prefix(code.find('_') + 1);
    const std::size_t length = std::min(code.find('_'), code.size());
    if (length < 2 || length > kLongestPart) return false;
  }
  return true;
}

std::string show(const std::vector<text::LanguagePair>& pairs) {
  constexpr std::size_t kMost = 30;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(pairs.size(), kMost); ++i) shown.push_back(pairs[i].show());
  if (pairs.size() > kMost) shown.emplace_back("...");
  return join(shown, ", ");
}

}  // namespace

ModelName ModelName::parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || std::filesystem::exists(text)) return {text, {}};
  const std::string direction = text.substr(0, equals);
  const std::size_t hyphen = std::min(direction.find('-'), direction.size());
  check(is_language_code(direction.substr(0, hyphen)) &&
            is_language_code(direction.substr(std::min(hyphen + 1, direction.size()))),
        "--model {}: expected two codes of languages before the sign =, such as en-de or pt_BR-en, but got '{}'",
        excerpt(text), excerpt(direction));
  return {text.substr(equals + 1), {text::LanguagePair::parse(direction)}};
}

void ModelSet::add(const std::string& name, const std::vector<text::LanguagePair>& pairs, bool has_tags,
                   std::unique_ptr<search::TextTranslator> translator, const BatchLimits& limits) {
  const auto is_known = [this](const std::string& model) {
    return std::any_of(directions_.begin(), directions_.end(),
                       [&](const Direction& direction) { return direction.model == model; });
  };
  std::string unique = name;
  for (int number = 2; is_known(unique); ++number) unique = fmt::format("{} {}", name, number);
  queues_.push_back(std::make_unique<BatchQueue>(std::move(translator), limits));
  for (const text::LanguagePair& pair : pairs)
    directions_.push_back(
        {pair, unique, queues_.back().get(), has_tags ? pair.target : "", has_tags ? pair.source : ""});
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
    throw HttpError(400, fmt::format("{} ({}) is not available as a target language from {} ({}); there are: {}",
                                     language_name(target), target, language_name(source), source, show(pairs())));
  return route;
}

ModelSet::Route ModelSet::route(const std::string& source, const std::string& target, const std::string& model) const {
  for (const Direction& direction : directions_)
    if (direction.model == model && direction.pair.source == source && direction.pair.target == target)
      return {&direction};
  throw HttpError(400, fmt::format("there is no model \"{}\" that translates {}-{}; /v1/models lists all",
                                   excerpt(model), source, target));
}

std::vector<text::LanguagePair> ModelSet::pairs() const {
  std::vector<text::LanguagePair> all;
  for (const Direction& direction : directions_)
    if (std::find(all.begin(), all.end(), direction.pair) == all.end()) all.push_back(direction.pair);
  return all;
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
    for (const text::LanguagePair& pair : pairs)
      if (!trained.empty() && std::find(trained.begin(), trained.end(), pair) == trained.end())
        log::warning("{} was trained for {}, but is to translate {}", name.file, show(trained), pair.show());
    auto translator = std::make_unique<search::TextTranslator>(std::vector<std::string>{name.file}, options);
    if (const std::string note = translator->note(); !note.empty()) log::info("{}", note);
    models->add(short_name(name.file), pairs, has_language_tags(name.file), std::move(translator), limits);
  }
  return models;
}

}  // namespace dragoman::serve
