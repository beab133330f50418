#include <pybind11/numpy.h>

#include "align/aligner.h"
#include "base/threads.h"
#include "python.h"
#include "results.h"

namespace dragoman::python {
namespace {

struct LearningOptions {
  bool tokenize = false;
  std::int64_t max_words = 400, min_count = 1;
  align::SideOptions source, target;
  align::EmOptions train;

  template <class V>
  void visit(V& v) {
    v("tokenize", tokenize, "the sentences are plain text: split them into words first");
    v("max-words", max_words, "pairs with more words on a side are left out", between(1, 5000));
    v("min-count", min_count, "rarer words count as one unknown word", at_least(1));
    v.group("source", source);
    v.group("target", target);
    train.visit(v);
  }
};

struct LinkOptions {
  bool tokenize = false;
  align::DecodingOptions decode;

  template <class V>
  void visit(V& v) {
    v("tokenize", tokenize, "the sentences are plain text: split them into words first");
    decode.visit(v);
  }
};

using Words = std::vector<std::string>;
using Watch = std::function<void(const std::string& model, int iteration, double forward, double backward)>;

std::shared_ptr<align::Aligner> learn(const py::iterable& source, const py::iterable& target, const py::dict& arguments,
                                      const Watch& watch) {
  LearningOptions options;
  Settings settings(options);
  Arguments(arguments).apply(settings);
  const Words sources = texts_of(source, "source"), targets = texts_of(target, "target");
  check(sources.size() == targets.size(), "{} source sentences have {} translations", sources.size(), targets.size());
  const Unlocked unlocked;
  align::Bitext bitext(options.source, options.target, static_cast<std::size_t>(options.max_words));
  for (std::size_t i = 0; i < sources.size(); ++i) bitext.add(sources[i], targets[i], options.tokenize);
  bitext.cut(options.min_count);
  check(bitext.source().tokens() > 0, "no pair has words on both sides, so nothing can be learned");
  align::Cooccurrence cooccurrence(bitext);
  align::EmTraining training(bitext, cooccurrence, options.train);
  const auto per_word = [](double sum, std::size_t words) { return sum / static_cast<double>(words); };
  training.run([&](const align::Iteration& iteration, const align::Directions&) {
    const py::gil_scoped_acquire acquire;
    check_signals();
    if (watch)
      watch(name_of(iteration.kind), iteration.number, per_word(iteration.forward, bitext.target().tokens()),
            per_word(iteration.backward, bitext.source().tokens()));
  });
  return std::make_shared<align::Aligner>(training, bitext);
}

struct AlignedPair {
  Words source, target;
  align::Links links;
  align::PairPosteriors posteriors;
};

AlignedPair align_pair(const align::Aligner& aligner, const std::string& source, const std::string& target,
                       const LinkOptions& options) {
  AlignedPair pair;
  pair.source = aligner.source_side().words(source, options.tokenize);
  pair.target = aligner.target_side().words(target, options.tokenize);
  if (pair.source.empty() || pair.target.empty()) return pair;
  constexpr std::size_t kMostWords = 5000;  // a matrix of posteriors has a cell per pair of words
  check(std::max(pair.source.size(), pair.target.size()) <= kMostWords,
        "a pair of {} and {} words is longer than the {} allowed", pair.source.size(), pair.target.size(), kMostWords);
  pair.posteriors = aligner.posteriors(aligner.source_ids(pair.source), aligner.target_ids(pair.target));
  pair.links = align::decode(pair.posteriors, options.decode);
  return pair;
}

LinkOptions link_options(const py::dict& arguments) {
  LinkOptions options;
  Settings settings(options);
  Arguments(arguments).apply(settings);
  return options;
}

py::list align_all(const align::Aligner& aligner, const py::iterable& source, const py::iterable& target,
                   const py::dict& arguments) {
  const LinkOptions options = link_options(arguments);
  const Words sources = texts_of(source, "source"), targets = texts_of(target, "target");
  check(sources.size() == targets.size(), "{} source sentences have {} translations", sources.size(), targets.size());
  std::vector<align::Links> all(sources.size());
  {
    const Unlocked unlocked;
    threads::each(std::ssize(sources), [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      all[at] = align_pair(aligner, sources[at], targets[at], options).links;
    });
  }
  py::list list;
  for (const align::Links& found : all) list.append(links(found));
  return list;
}

// The words of a pair, its links and the posterior of every pair of words, [source words, target words].
py::tuple posteriors(const align::Aligner& aligner, const py::object& source, const py::object& target,
                     const py::dict& arguments) {
  const AlignedPair pair =
      align_pair(aligner, text_of(source, "source"), text_of(target, "target"), link_options(arguments));
  std::vector<std::vector<float>> weights(pair.source.size());
  for (int i = 0; i < std::ssize(pair.source); ++i)
    for (int j = 0; j < std::ssize(pair.target); ++j)
      weights[static_cast<std::size_t>(i)].push_back(pair.posteriors.both(i, j));
  return py::make_tuple(as_strs(pair.source), as_strs(pair.target), links(pair.links), matrix(weights));
}

}  // namespace

void define_alignment(py::module_& module) {
  py::class_<align::Aligner, std::shared_ptr<align::Aligner>>(module, "Aligner")
      .def_static(
          "load",
          [](const py::object& path) {
            const std::string name = path_of(path);
            const Unlocked unlocked;
            return std::make_shared<align::Aligner>(align::Aligner::load(name));
          },
          py::arg("path"))
      .def_static("learn", learn, py::arg("source"), py::arg("target"), py::arg("options"), py::arg("watch"))
      .def(
          "save", [](const align::Aligner& self, const py::object& path) { self.save(path_of(path)); }, py::arg("path"))
      .def("align", align_all, py::arg("source"), py::arg("target"), py::arg("options"))
      .def("posteriors", posteriors, py::arg("source"), py::arg("target"), py::arg("options"))
      .def_property_readonly("size", &align::Aligner::size);
}

}  // namespace dragoman::python
