#include "serve/model_set.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/join.h"
#include "base/log.h"
#include "base/quote.h"
#include "run/model_description.h"
#include "run/model_languages.h"
#include "search/engine/model.h"
#include "serve/http_message.h"
#include "store/model_file.h"
#include "text/language_codes.h"

namespace dragoman::serve {
namespace {

template <class Entry>
void add_once(std::vector<Entry>& list, const Entry& entry) {
  if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
}

std::vector<text::LanguagePair> trained_pairs(const std::string& file) {
  if (run::is_statistical(file)) return {};
  return run::trained_pairs(store::ModelFile(file).info());
}

OwnLanguages own_languages(const search::TextTranslator& translator) {
  const search::Model* const model = translator.model();
  if (model == nullptr) return {};
  const std::vector<std::string>& languages = model->source().language_tags().languages;
  const bool names_target = model->info().language_marks == store::LanguageMarks::target_before_source;
  return {names_target ? std::vector<std::string>() : languages, languages};
}

// What the model calls the language `code` of a direction.
std::string own_language(const std::string& code, const std::vector<std::string>& known, const std::string& model) {
  if (known.empty()) return "";
  const std::vector<std::string> found = text::find_languages(code, known);
  check(!found.empty(), "{}: the model does not know the language '{}' but {}", model, excerpt(code),
        excerpt(join(known, ", ")));
  check(found.size() == 1, "{}: '{}' may be {} of the model; say which", model, excerpt(code), join(found, " or "));
  return found.front();
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

// The directions that all entries for a file name, each once; without any, those that the file names.
std::vector<text::LanguagePair> pairs_of(const std::string& file, const std::vector<ModelName>& names) {
  std::vector<text::LanguagePair> pairs;
  for (const ModelName& name : names) {
    if (name.file != file) continue;
    for (const text::LanguagePair& pair : name.pairs.empty() ? trained_pairs(file) : name.pairs) add_once(pairs, pair);
  }
  return pairs;
}

std::string show(const std::vector<text::LanguagePair>& pairs) {
  constexpr std::size_t kMost = 30;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(pairs.size(), kMost); ++i) shown.push_back(pairs[i].show());
  if (pairs.size() > kMost) shown.emplace_back("...");
  return join(shown, ", ");
}

// A model for one direction that is asked for another one: probably a mistake.
void warn_of_other_languages(const std::string& file, const std::vector<text::LanguagePair>& pairs) {
  const std::vector<text::LanguagePair> trained = trained_pairs(file);
  for (const text::LanguagePair& pair : pairs)
    if (!trained.empty() && std::find(trained.begin(), trained.end(), pair) == trained.end())
      log::warning("{} was trained for {}, but is to translate {}", file, show(trained), pair.show());
}

}  // namespace

ModelName ModelName::parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || std::filesystem::exists(text)) return {text, {}};
  ModelName name{text.substr(equals + 1), {}};
  for (std::size_t begin = 0; begin <= equals;) {
    const std::size_t end = std::min(text.find(',', begin), equals);
    const std::string direction = text.substr(begin, end - begin);
    const std::size_t hyphen = std::min(direction.find('-'), direction.size());
    check(is_language_code(direction.substr(0, hyphen)) &&
              is_language_code(direction.substr(std::min(hyphen + 1, direction.size()))),
          "--model {}: expected two codes of languages before the sign =, such as en-de or pt_BR-en, but got '{}'",
          excerpt(text), excerpt(direction));
    name.pairs.push_back(text::LanguagePair::parse(direction));
    begin = end + 1;
  }
  return name;
}

void ModelSet::add(const std::string& name, const std::vector<text::LanguagePair>& pairs, const OwnLanguages& languages,
                   std::unique_ptr<search::TextTranslator> translator, const BatchLimits& limits) {
  const auto is_known = [this](const std::string& model) {
    return std::any_of(directions_.begin(), directions_.end(),
                       [&](const Direction& direction) { return direction.model == model; });
  };
  std::string unique = name;
  for (int number = 2; is_known(unique); ++number) unique = fmt::format("{} {}", name, number);
  queues_.push_back(std::make_unique<BatchQueue>(std::move(translator), limits));
  for (const text::LanguagePair& pair : pairs)
    directions_.push_back({pair, unique, queues_.back().get(), own_language(pair.target, languages.targets, name),
                           own_language(pair.source, languages.sources, name)});
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
    throw HttpError(
        400, fmt::format("{} ({}) is not available as a target language from {} ({}); there are: {}",
                         text::language_name(target), target, text::language_name(source), source, show(pairs())));
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
  for (const Direction& direction : directions_) add_once(all, direction.pair);
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
  std::vector<std::string> files;
  for (const ModelName& name : names) add_once(files, name.file);
  for (const std::string& file : files) {
    auto translator = std::make_unique<search::TextTranslator>(std::vector<std::string>{file}, options);
    if (const std::string note = translator->note(); !note.empty()) log::info("{}", note);
    const OwnLanguages languages = own_languages(*translator);
    const std::vector<text::LanguagePair> pairs = pairs_of(file, names);
    check(!pairs.empty() || languages.targets.empty(),
          "{0}: the model translates between {1}; name the directions to serve: --model en-de,de-en={0}", file,
          excerpt(join(languages.targets, ", ")));
    check(!pairs.empty(), "{0}: the file does not say its languages; name them: --model en-de={0}", file);
    if (languages.targets.empty()) warn_of_other_languages(file, pairs);
    models->add(short_name(file), pairs, languages, std::move(translator), limits);
  }
  return models;
}

}  // namespace dragoman::serve
