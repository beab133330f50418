#include "dragoman/classifier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "dragoman/scorer.h"
#include "search/engine/classifier.h"
#include "tests/search/c_classifier.h"
#include "tests/search/classifier_file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::search::test {
namespace {

using nlohmann::json;

ClassifierOptions classifier_on_cpu() {
  ClassifierOptions options;
  options.device = "cpu";
  return options;
}

std::vector<std::string> texts_to_classify() {
  const std::vector<std::string> words = {"the", "red", "house", "where", "is", "it", "?", "unheard-of", "dog"};
  Random random(7);
  std::vector<std::string> texts;
  for (int i = 0; i < 70; ++i) {
    std::string text;
    for (std::uint64_t n = 1 + random.below(12); n > 0; --n) text += words[random.below(words.size())] + " ";
    texts.push_back(text);
  }
  return texts;
}

// Labels and the bits of their probabilities.
using Bits = std::vector<std::vector<std::pair<std::string, double>>>;

Bits bits_of(const std::vector<Classification>& results) {
  Bits all;
  for (const Classification& result : results) {
    all.emplace_back();
    for (const LabelProbability& found : result.labels) all.back().emplace_back(found.label, found.probability);
  }
  return all;
}

class ClassifierTest : public ::testing::Test {
 protected:
  void SetUp() override { write_classifier(model_, "transformer-small", 3); }
  // The message of opening the file that `info` describes.
  std::string refusal(const store::ModelInfo& info) const {
    write_classifier(folder_.file("other"), info, 1);
    return support::message([&] { Classifier(folder_.file("other"), classifier_on_cpu()); });
  }

  support::TempFolder folder_;
  std::string model_ = folder_.file("model.safetensors");
};

TEST_F(ClassifierTest, ProbabilitiesEqualThoseOfPyTorch) {
  // Written by tests/golden/make_models.py: weights, token ids and the probabilities that PyTorch computes in double
  // precision. Ids from 4 on are words; the texts end with the end-of-sentence id 2, as in training.
  const json golden = json::parse(std::ifstream(DRAGOMAN_GOLDEN "/classifier.json"));
  EXPECT_EQ(golden["cases"].size(), 4u);
  const std::vector<std::string> words = {"e", "e", "e", "e", "e", "d", "d", "d", "d", "c", "c", "c", "b", "b", "a"};
  for (const auto& [name, expected] : golden["cases"].items()) {
    SCOPED_TRACE(name);
    store::ModelInfo info;
    info.source_tokenizer = label_tokenizer(words);  // e, d, c, b, a: ids 4 to 8, by frequency
    info.target_tokenizer = label_tokenizer({"x x x", "y y", "z"});
    info.config.source_vocabulary = golden["source_vocabulary"];
    info.config.classes = golden["classes"];
    Settings(info.config).read_yaml(expected["settings"], "settings");
    models::Classifier network(info.config);
    network.parameters().allocate(cpu_device(), DType::f32, 1, false);
    ASSERT_EQ(network.parameters().entries().size(), expected["weights"].size());
    for (const auto& [parameter, weight] : expected["weights"].items()) {
      const std::vector<float> values = weight["data"];
      const nn::Parameters::Entry* entry = network.parameters().find(parameter);
      ASSERT_NE(entry, nullptr) << parameter;
      ASSERT_EQ(entry->tensor.count(), std::ssize(values)) << parameter;
      entry->tensor.copy_from(values.data());
    }
    store::save_model(model_, info, network.parameters());
    const Classifier classifier(model_, classifier_on_cpu());
    ASSERT_EQ(classifier.labels(), (std::vector<std::string>{"x", "y", "z"}));
    for (std::size_t i = 0; i < golden["texts"].size(); ++i) {
      std::string text;
      for (const int id : golden["texts"][i])
        if (id >= 4) text += std::string("edcba").substr(static_cast<std::size_t>(id) - 4, 1) + " ";
      const std::vector<LabelProbability> found = classifier.classify(std::vector{text}).front().labels;
      ASSERT_EQ(found.size(), 3u);
      for (const LabelProbability& label : found)
        EXPECT_NEAR(label.probability, expected["probabilities"][i][static_cast<std::size_t>(label.label[0] - 'x')],
                    1e-6)
            << "text " << i << ", " << label.label;
    }
  }
}

TEST_F(ClassifierTest, ProbabilitiesDoNotDependOnTheBatchOrTheThreads) {
  const std::vector<std::string> texts = texts_to_classify();
  for (const std::string preset : {"transformer-small", "linformer-k32", "lstm-luong", "seq2seq"}) {
    SCOPED_TRACE(preset);
    write_classifier(model_, preset, 5);
    ClassifierOptions options = classifier_on_cpu();
    options.threads = 1;
    const Classifier alone(model_, options);
    std::vector<Classification> expected;
    for (const std::string& text : texts) expected.push_back(alone.classify(std::vector{text}).front());
    double sum = 0;
    for (const LabelProbability& label : expected[0].labels) sum += label.probability;
    EXPECT_NEAR(sum, 1, 1e-12);
    for (const int threads : {1, 2, 8})
      for (const int batch : {0, 1, 7}) {
        options.threads = threads;
        options.batch = batch;
        EXPECT_EQ(bits_of(Classifier(model_, options).classify(texts)), bits_of(expected))
            << threads << " threads, batch " << batch;
      }
  }
}

TEST_F(ClassifierTest, EightThreadsGetTheSameAnswersFromOneClassifier) {
  const Classifier classifier(model_, classifier_on_cpu());
  const std::vector<std::string> texts = texts_to_classify();
  const Bits expected = bits_of(classifier.classify(texts));
  std::vector<Bits> answers(8);
  std::vector<std::thread> threads;
  for (Bits& answer : answers) threads.emplace_back([&] { answer = bits_of(classifier.classify(texts)); });
  for (std::thread& thread : threads) thread.join();
  for (const Bits& answer : answers) EXPECT_EQ(answer, expected);
}

TEST_F(ClassifierTest, LabelsComeLikeliestFirstAndAtMostAsManyAsAskedFor) {
  const Classifier classifier(model_, classifier_on_cpu());
  EXPECT_EQ(classifier.labels().size(), 3u);
  for (const std::string& text : texts_to_classify()) {
    const std::vector<LabelProbability> all = classifier.classify(std::vector{text}).front().labels;
    ASSERT_EQ(all.size(), 3u);
    EXPECT_GE(all[0].probability, all[1].probability);
    EXPECT_GE(all[1].probability, all[2].probability);
    EXPECT_EQ(classifier.classify(text), all[0].label);
    const std::vector<LabelProbability> two = classifier.classify(std::vector{text}, 2).front().labels;
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[1].label, all[1].label);
    EXPECT_EQ(two[1].probability, all[1].probability);
    EXPECT_EQ(classifier.classify(std::vector{text}, 1000).front().labels.size(), 3u);
  }
}

TEST_F(ClassifierTest, EqualProbabilitiesComeInTheOrderOfTheClasses) {
  write_classifier(model_, classifier_info("transformer-small"), 1, 0.0f);
  const Classifier classifier(model_, classifier_on_cpu());
  const std::vector<LabelProbability> all = classifier.classify(std::vector<std::string>{"the dog"}).front().labels;
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(all[c].label, classifier.labels()[c]);
    EXPECT_DOUBLE_EQ(all[c].probability, 1.0 / 3);
  }
}

TEST_F(ClassifierTest, BlankTextsHaveNoLabelAndOddBytesAreRead) {
  const Classifier classifier(model_, classifier_on_cpu());
  const std::vector<std::string> texts = {"", "the dog", " \t ", "\xff\xfe dog", std::string("the\0dog", 7)};
  const std::vector<Classification> results = classifier.classify(texts);
  ASSERT_EQ(results.size(), 5u);
  for (const std::size_t blank : {0, 2}) EXPECT_TRUE(results[blank].labels.empty());
  for (const std::size_t text : {1, 3, 4}) EXPECT_EQ(results[text].labels.size(), 3u);
  EXPECT_EQ(classifier.classify(""), "");
  EXPECT_TRUE(classifier.classify(std::vector<std::string>{}).empty());
}

TEST_F(ClassifierTest, LongTextsAreClassifiedByTheirBeginning) {
  ClassifierOptions options = classifier_on_cpu();
  options.max_input_tokens = 3;
  const Classifier cut(model_, options), whole(model_, classifier_on_cpu());
  const std::vector<std::string> texts = {"where is the dog ?", "where is the"};
  const std::vector<Classification> results = cut.classify(texts);
  EXPECT_TRUE(results[0].truncated);
  EXPECT_FALSE(results[1].truncated);
  EXPECT_EQ(bits_of(results)[0], bits_of(results)[1]);
  EXPECT_NE(bits_of(whole.classify(texts))[0], bits_of(results)[0]);
  std::string endless;
  for (int i = 0; i < 5000; ++i) endless += "dog ";
  const Classification long_one = whole.classify(std::vector{endless}).front();
  EXPECT_TRUE(long_one.truncated) << "the model has 64 positions";
  EXPECT_EQ(long_one.labels.size(), 3u);
  write_classifier(model_, "lstm-luong", 2);
  EXPECT_TRUE(Classifier(model_, classifier_on_cpu()).classify(std::vector{endless}).front().truncated)
      << "a recurrent model has no limit of its own";
}

TEST_F(ClassifierTest, LabelsAreReadFromTheFile) {
  const ClassifierModel model(model_, kHost);
  const auto found = [&](std::string_view label) { return model.find_label(label).value_or(-1); };
  for (std::int32_t c = 0; c < 3; ++c) EXPECT_EQ(found(model.labels()[static_cast<std::size_t>(c)]), c);
  EXPECT_EQ(found(" question "), found("question"));
  EXPECT_EQ(found("quest"), -1);
  EXPECT_EQ(found("question question"), -1);
  EXPECT_EQ(found(""), -1);
}

TEST_F(ClassifierTest, ClassesOfAFileWithoutLabelsAreNumbered) {
  store::ModelInfo info = classifier_info("transformer-small");
  info.target_tokenizer.clear();
  write_classifier(model_, info, 3);
  const ClassifierModel model(model_, kHost);
  EXPECT_EQ(model.labels(), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(model.find_label("2").value_or(-1), 2);
  EXPECT_FALSE(model.find_label("3").has_value());
}

TEST_F(ClassifierTest, FilesThatAreNoClassifiersAreRefusedWithTheRightCommand) {
  store::ModelInfo info = classifier_info("transformer-small");
  info.target_tokenizer = label_tokenizer({"one", "two"});
  EXPECT_NE(refusal(info).find("2 labels do not fit its 3 classes"), std::string::npos) << refusal(info);
  info = classifier_info("transformer-small");
  info.source_tokenizer.clear();
  EXPECT_NE(refusal(info).find("no vocabulary"), std::string::npos);
  info = classifier_info("transformer-small");
  info.config.transformer.max_positions = 1;
  EXPECT_NE(refusal(info).find("leaves none for text"), std::string::npos);
  const auto message = [&] { return support::message([&] { Classifier(model_, classifier_on_cpu()); }); };
  write_text_model(model_, "transformer-small", 3);
  EXPECT_NE(message().find("is a translation model, not a classifier; `dragoman translate`"), std::string::npos);
  EXPECT_NE(support::message([] { Classifier("absent", classifier_on_cpu()); }).find("absent"), std::string::npos);
}

TEST_F(ClassifierTest, TranslationOfAClassifierIsRefusedWithTheRightCommand) {
  EXPECT_NE(support::message([&] { Translator(model_, on_cpu()); }).find("`dragoman classify`"), std::string::npos);
  EXPECT_NE(support::message([&] { Scorer(model_, {.device = "cpu"}); }).find("`dragoman classify`"),
            std::string::npos);
}

TEST_F(ClassifierTest, InvalidOptionsAreRefusedBeforeTheModelIsLoaded) {
  const auto refused = [](ClassifierOptions options) {
    options.device = "cpu";
    return support::message([&] { Classifier("absent", options); });
  };
  EXPECT_NE(refused({.threads = 200000}).find("between 0 and 1024"), std::string::npos);
  EXPECT_NE(refused({.batch = -1}).find("batch must be at least 0"), std::string::npos);
  EXPECT_NE(refused({.max_input_tokens = -5}).find("max-input-tokens must be at least 0"), std::string::npos);
  const Classifier classifier(model_, classifier_on_cpu());
  EXPECT_NE(support::message([&] { classifier.classify(std::vector<std::string>{"dog"}, -1); }).find("top"),
            std::string::npos);
}

TEST_F(ClassifierTest, NumbersThatAreNotFiniteAreAnError) {
  write_classifier(model_, classifier_info("transformer-small"), 3, std::numeric_limits<float>::max());
  EXPECT_NE(support::message([&] { Classifier(model_, classifier_on_cpu()).classify("the dog"); }).find("finite"),
            std::string::npos);
}

TEST_F(ClassifierTest, TheCInterfaceKeepsItsWord) {
  write_text_model(folder_.file("translator"), "transformer-small", 3);
  const char* const problem = check_c_classifier(model_.c_str(), folder_.file("translator").c_str());
  EXPECT_EQ(problem, nullptr) << problem;
}

}  // namespace
}  // namespace dragoman::search::test
