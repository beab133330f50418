#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "data/text_file.h"
#include "eval/bleu.h"
#include "eval/chrf.h"
#include "eval/ter.h"

// Scores of sacreBLEU, NLTK and multi-bleu on synthetic text, for all options. The numbers were made by
// golden/make_metrics.py.
namespace dragoman::eval {
namespace {

using Json = nlohmann::json;

// The settings of `dragoman evaluate` that select and configure a metric.
struct Options {
  std::string metrics;
  BleuOptions bleu;
  ChrfOptions chrf;
  TerOptions ter;
  MultiBleuOptions multi_bleu;
  template <class V>
  void visit(V& v) {
    v("metrics", metrics, "");
    v.group("bleu", bleu);
    v.group("chrf", chrf);
    v.group("ter", ter);
    v.group("multi-bleu", multi_bleu);
  }
};

std::unique_ptr<Metric> make_metric(const std::vector<std::string>& flags) {
  Options options;
  Settings(options).parse(flags);
  if (options.metrics == "bleu") return std::make_unique<Bleu>(options.bleu);
  if (options.metrics == "ter") return std::make_unique<Ter>(options.ter);
  if (options.metrics == "nltk-bleu") return std::make_unique<NltkBleu>();
  if (options.metrics == "multi-bleu") return std::make_unique<MultiBleu>(options.multi_bleu);
  if (options.metrics == "chrfpp") options.chrf.word_order = 2;
  return std::make_unique<Chrf>(options.chrf);
}

class GoldenMetrics : public testing::Test {
 protected:
  static std::string path(const std::string& name) { return std::string(DRAGOMAN_GOLDEN) + "/metrics/" + name; }

  // Calls body(metric, statistics, the expected values) for every setting in the golden file.
  template <class Body>
  void for_each_setting(Body body) const {
    std::ifstream file(path("expected.json"));
    const Json settings = Json::parse(file);
    ASSERT_GT(settings.size(), 300u);
    for (const Json& setting : settings) {
      const auto flags = setting["flags"].get<std::vector<std::string>>();
      const std::unique_ptr<Metric> metric = make_metric(flags);
      const std::vector<Lines> references =
          setting["references"] == 1 ? std::vector<Lines>{second_} : std::vector<Lines>{first_, second_};
      SCOPED_TRACE(setting["flags"].dump() + " references: " + setting["references"].dump());
      body(*metric, references.size(), count_all(*metric, hypotheses_, references),
           setting["expected"].at(metric->key()));
    }
  }

  Lines hypotheses_ = data::read_lines(path("hyp.txt"));
  Lines first_ = data::read_lines(path("ref0.txt")), second_ = data::read_lines(path("ref1.txt"));
};

constexpr double kTolerance = 1e-9;

TEST_F(GoldenMetrics, CorpusScoresAgreeInAllOptions) {
  for_each_setting([](const Metric& metric, std::size_t, const Statistics& statistics, const Json& expected) {
    EXPECT_NEAR(metric.score(statistics.sum()), expected["score"].get<double>(), kTolerance);
  });
}

TEST_F(GoldenMetrics, PrecisionsBrevityPenaltyLengthsAndEditsAgree) {
  for_each_setting([](const Metric& metric, std::size_t, const Statistics& statistics, const Json& expected) {
    for (const Detail& detail : metric.details(statistics.sum())) {
      if (!expected.contains(detail.name)) continue;
      const Json& value = expected[detail.name];
      ASSERT_EQ(value.is_array(), detail.is_list) << detail.name;
      ASSERT_EQ(value.is_array() ? value.size() : 1, detail.values.size()) << detail.name;
      for (std::size_t i = 0; i < detail.values.size(); ++i)
        EXPECT_NEAR(detail.values[i], (value.is_array() ? value[i] : value).get<double>(), kTolerance) << detail.name;
    }
  });
}

TEST_F(GoldenMetrics, SentenceScoresAgree) {
  for_each_setting([](const Metric& metric, std::size_t, const Statistics& statistics, const Json& expected) {
    if (!expected.contains("sentences")) return;
    ASSERT_EQ(expected["sentences"].size(), statistics.rows());
    for (std::size_t i = 0; i < statistics.rows(); ++i)
      EXPECT_NEAR(metric.sentence_score(statistics.row(i)), expected["sentences"][i].get<double>(), kTolerance)
          << "line " << i + 1;
  });
}

TEST_F(GoldenMetrics, SignaturesAreSacreBleusWithOurVersion) {
  for_each_setting([](const Metric& metric, std::size_t references, const Statistics&, const Json& expected) {
    if (!expected.contains("signature")) return;
    const std::string signature = metric.signature(references);
    EXPECT_TRUE(signature.starts_with(expected["signature"].get<std::string>() + "|")) << signature;
    EXPECT_TRUE(signature.ends_with(version_tag())) << signature;
  });
}

}  // namespace
}  // namespace dragoman::eval
