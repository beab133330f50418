#include <memory>
#include <optional>

#include "eval/bleu.h"
#include "eval/chrf.h"
#include "eval/significance.h"
#include "eval/ter.h"
#include "python.h"

namespace dragoman::python {
namespace {

using eval::Lines;

template <class Options>
Options options_from(const py::dict& arguments) {
  Options options;
  Settings settings(options);
  Arguments(arguments).apply(settings);
  return options;
}

std::unique_ptr<eval::Metric> make_metric(const std::string& name, const py::dict& arguments) {
  if (name == "bleu") return std::make_unique<eval::Bleu>(options_from<eval::BleuOptions>(arguments));
  if (name == "chrf") return std::make_unique<eval::Chrf>(options_from<eval::ChrfOptions>(arguments));
  check(name == "ter", "expected the metric bleu, chrf or ter but got '{}'", name);
  return std::make_unique<eval::Ter>(options_from<eval::TerOptions>(arguments));
}

// Test sets of the same number of sentences.
struct TestSet {
  std::vector<Lines> systems, references;

  TestSet(const py::iterable& outputs, const py::iterable& given) {
    for (const py::handle lines : outputs)
      systems.push_back(texts_of(py::reinterpret_borrow<py::iterable>(lines), "hypotheses"));
    for (const py::handle lines : given)
      references.push_back(texts_of(py::reinterpret_borrow<py::iterable>(lines), "references"));
    check(!systems.empty() && !references.empty(), "expected hypotheses and at least one list of references");
    const std::size_t sentences = systems.front().size();
    check(sentences > 0, "expected at least one hypothesis");
    for (const Lines& lines : systems)
      check(lines.size() == sentences, "systems have {} and {} hypotheses", sentences, lines.size());
    for (const Lines& lines : references)
      check(lines.size() == sentences, "{} hypotheses have {} references; each needs one", sentences, lines.size());
  }
};

struct Significance {
  int resamples = 1000, trials = 10000;
  std::uint32_t seed = 12345;
  bool bootstrap = true, randomization = true;

  template <class V>
  void visit(V& v) {
    v("resamples", resamples, "bootstrap resamples", between(2, 1e6));
    v("trials", trials, "trials of approximate randomization", between(1, 1e7));
    v("seed", seed, "seed of both tests");
    v("bootstrap", bootstrap, "paired bootstrap resampling");
    v("randomization", randomization, "approximate randomization");
  }
};

struct Result {
  std::vector<double> sums, sentences;
  double score = 0;
  std::optional<eval::Confidence> confidence;
  std::optional<double> p_bootstrap, p_randomization;
};

py::dict to_python(const eval::Metric& metric, const Result& result, std::size_t references) {
  py::dict details;
  for (const eval::Detail& detail : metric.details(result.sums))
    details[as_str(detail.name)] = detail.is_list ? py::cast(detail.values) : py::cast(detail.values.front());
  py::dict dict;
  dict["name"] = metric.name();
  dict["score"] = result.score;
  dict["signature"] = metric.signature(references);
  dict["remark"] = metric.remark(result.sums);
  dict["details"] = details;
  dict["confidence"] = result.confidence
                           ? py::object(py::make_tuple(result.confidence->mean, result.confidence->half_width))
                           : py::none();
  dict["sentences"] = result.sentences.empty() ? py::object(py::none()) : py::cast(result.sentences);
  dict["p_bootstrap"] = result.p_bootstrap;
  dict["p_randomization"] = result.p_randomization;
  return dict;
}

Result score_of(const eval::Metric& metric, const eval::Statistics& statistics, bool sentences) {
  Result result;
  result.sums = statistics.sum();
  result.score = metric.score(result.sums);
  for (std::size_t i = 0; sentences && i < statistics.rows(); ++i)
    result.sentences.push_back(metric.sentence_score(statistics.row(i)));
  return result;
}

py::dict score(const std::string& name, const py::iterable& hypotheses, const py::iterable& references,
               const py::dict& arguments, bool sentences, bool confidence, const py::dict& sampling) {
  const std::unique_ptr<eval::Metric> metric = make_metric(name, arguments);
  const auto significance = options_from<Significance>(sampling);
  const TestSet test(py::make_tuple(hypotheses), references);
  Result result;
  {
    const Unlocked unlocked;
    const eval::Statistics statistics = eval::count_all(*metric, test.systems.front(), test.references);
    result = score_of(*metric, statistics, sentences);
    if (confidence)
      result.confidence =
          eval::confidence(eval::bootstrap_scores(*metric, statistics, significance.resamples, significance.seed));
  }
  return to_python(*metric, result, test.references.size());
}

// The first system is the baseline of the others.
py::list compare(const std::string& name, const py::iterable& systems, const py::iterable& references,
                 const py::dict& arguments, const py::dict& sampling) {
  const std::unique_ptr<eval::Metric> metric = make_metric(name, arguments);
  const auto significance = options_from<Significance>(sampling);
  const TestSet test(systems, references);
  std::vector<Result> results;
  {
    const Unlocked unlocked;
    std::optional<eval::Statistics> first;
    std::vector<double> first_scores;
    for (const Lines& output : test.systems) {
      eval::Statistics statistics = eval::count_all(*metric, output, test.references);
      Result& result = results.emplace_back(score_of(*metric, statistics, false));
      const double difference = result.score - results.front().score;
      if (significance.bootstrap) {
        const std::vector<double> scores =
            eval::bootstrap_scores(*metric, statistics, significance.resamples, significance.seed);
        result.confidence = eval::confidence(scores);
        if (!first) first_scores = scores;
        if (first) result.p_bootstrap = eval::paired_bootstrap(first_scores, scores, difference);
      }
      if (first && significance.randomization)
        result.p_randomization =
            eval::approximate_randomization(*metric, *first, statistics, significance.trials, significance.seed);
      if (!first) first.emplace(std::move(statistics));
    }
  }
  py::list list;
  for (const Result& result : results) list.append(to_python(*metric, result, test.references.size()));
  return list;
}

}  // namespace

void define_metrics(py::module_& module) {
  module.def("score", score, py::arg("metric"), py::arg("hypotheses"), py::arg("references"), py::arg("options"),
             py::arg("sentences"), py::arg("confidence"), py::arg("sampling"));
  module.def("compare", compare, py::arg("metric"), py::arg("systems"), py::arg("references"), py::arg("options"),
             py::arg("sampling"));
}

}  // namespace dragoman::python
