#include <cmath>

#include "dragoman/classifier.h"
#include "search/interface/c_support.h"

using dragoman::check;
using namespace dragoman::search::c;

struct dragoman_classifier {
  dragoman::Classifier classifier;
};

struct dragoman_classification {
  dragoman::Classification result;
};

namespace {

dragoman::ClassifierOptions options_for_opening(const dragoman_options& given) {
  const dragoman::TranslatorOptions options = given.for_opening();
  return {.device = options.device,
          .precision = options.precision,
          .threads = options.threads,
          .batch = options.batch,
          .max_input_tokens = options.max_input_tokens};
}

const dragoman::LabelProbability& label_of(const dragoman_classification* classification, int index) {
  return item(deref(classification, "a classification").result.labels, index, "label");
}

}  // namespace

dragoman_classifier* dragoman_classifier_open(const char* model_file, const dragoman_options* options) {
  return guarded<dragoman_classifier*>(nullptr, [&] {
    return new dragoman_classifier{
        dragoman::Classifier(texts_of(&model_file, 1, "model file").front(),
                             options ? options_for_opening(*options) : dragoman::ClassifierOptions())};
  });
}

void dragoman_classifier_free(dragoman_classifier* classifier) { delete classifier; }

int dragoman_classifier_label_count(const dragoman_classifier* classifier) {
  return guarded(-1, [&] { return static_cast<int>(deref(classifier, "a classifier").classifier.labels().size()); });
}

const char* dragoman_classifier_label(const dragoman_classifier* classifier, int label) {
  return guarded<const char*>(
      nullptr, [&] { return item(deref(classifier, "a classifier").classifier.labels(), label, "label").c_str(); });
}

dragoman_classification* dragoman_classifier_classify(dragoman_classifier* classifier, const char* text, int top) {
  dragoman_classification* result = nullptr;
  dragoman_classifier_classify_batch(classifier, &text, 1, top, &result);
  return result;
}

int dragoman_classifier_classify_batch(dragoman_classifier* classifier, const char* const* texts, int count, int top,
                                       dragoman_classification** results) {
  return guarded(-1, [&] {
    check(count <= 0 || results != nullptr, "expected an array for the results but got a null pointer");
    std::vector<std::unique_ptr<dragoman_classification>> made;
    for (dragoman::Classification& result :
         deref(classifier, "a classifier").classifier.classify(texts_of(texts, count, "text"), top))
      made.push_back(std::make_unique<dragoman_classification>(dragoman_classification{std::move(result)}));
    for (auto& result : made) *results++ = result.release();
    return 0;
  });
}

void dragoman_classification_free(dragoman_classification* classification) { delete classification; }

int dragoman_classification_count(const dragoman_classification* classification) {
  return guarded(-1, [&] { return static_cast<int>(deref(classification, "a classification").result.labels.size()); });
}

const char* dragoman_classification_label(const dragoman_classification* classification, int index) {
  return guarded<const char*>(nullptr, [&] { return label_of(classification, index).label.c_str(); });
}

double dragoman_classification_probability(const dragoman_classification* classification, int index) {
  return guarded<double>(NAN, [&] { return label_of(classification, index).probability; });
}

int dragoman_classification_truncated(const dragoman_classification* classification) {
  return guarded(-1, [&] { return deref(classification, "a classification").result.truncated ? 1 : 0; });
}
