#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/batch_queue.h"
#include "serve/translation_cache.h"
#include "text/language_tags.h"

namespace dragoman::serve {

// What --model says: a file, and the directions it translates in if the file itself does not know: "en-de,de-en=FILE".
struct ModelName {
  std::string file;
  std::vector<text::LanguagePair> pairs;

  // Throws Error unless pairs of codes of languages stand before the sign or the text is the name of a file.
  static ModelName parse(const std::string& text);
};

// The languages that a model must be told, as it calls them: "eng_Latn". Empty if it has one direction, or if it need
// not be told the language of the source.
struct OwnLanguages {
  std::vector<std::string> sources{}, targets{};
};

// The models of a server and the directions they translate in. Immutable once it serves; replaced as a whole.
class ModelSet {
 public:
  struct Direction {
    text::LanguagePair pair;
    std::string model;  // its name
    BatchQueue* queue = nullptr;
    std::string to;    // the target language as the model knows it; empty for a model with one target language
    std::string from;  // the source language, likewise
  };
  // One direction or, through a third language, two.
  using Route = std::vector<const Direction*>;

  explicit ModelSet(std::size_t cache_bytes) : cache_(cache_bytes) {}

  // If a direction has a model already, requests for the other one must name it. A name that exists gets a number.
  // Throws Error if the model lacks a language.
  void add(const std::string& name, const std::vector<text::LanguagePair>& pairs, const OwnLanguages& languages,
           std::unique_ptr<search::TextTranslator> translator, const BatchLimits& limits);

  // By the first model of each direction. Throws HttpError 400 if no models lead from one language to the other.
  Route route(const std::string& source, const std::string& target) const;
  // By the model of this name. Throws HttpError 400 if there is none for this direction.
  Route route(const std::string& source, const std::string& target, const std::string& model) const;
  // Those of all models, in the order in which they were added.
  const std::vector<Direction>& directions() const { return directions_; }
  // Each once.
  std::vector<text::LanguagePair> pairs() const;
  std::vector<std::string> sources() const;
  std::vector<std::string> targets() const;
  // Those that can be reached from `source`, also through a third language.
  std::vector<std::string> targets_of(const std::string& source) const;
  std::vector<std::string> sources_of(const std::string& target) const;

  TranslationCache& cache() const { return cache_; }
  // Sums over all models.
  BatchQueue::Counts counts() const;

 private:
  const Direction* direct(const std::string& source, const std::string& target) const;
  Route find(const std::string& source, const std::string& target) const;

  std::vector<std::unique_ptr<BatchQueue>> queues_;
  std::vector<Direction> directions_;
  mutable TranslationCache cache_;
};

// Loads the models, each file once. Throws Error if a file cannot be used or does not say its languages.
std::unique_ptr<ModelSet> load_models(const std::vector<ModelName>& names, const TranslatorOptions& options,
                                      const BatchLimits& limits, std::size_t cache_bytes);

}  // namespace dragoman::serve
