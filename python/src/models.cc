#include <filesystem>
#include <nlohmann/json.hpp>

#include "dragoman/classifier.h"
#include "dragoman/scorer.h"
#include "exchange/export.h"
#include "exchange/import.h"
#include "models/presets.h"
#include "python.h"
#include "results.h"
#include "run/json_text.h"
#include "run/model_description.h"
#include "store/average.h"
#include "store/convert.h"
#include "tensor/placement.h"

namespace dragoman::python {
namespace {

// The settings that scorers and classifiers are opened with.
struct ModelOptions {
  ComputeOptions compute;
  int batch = 0, max_input_tokens = 0;
  bool classifies = true;

  template <class V>
  void visit(V& v) {
    compute.visit(v);
    v("batch", batch, "texts per batch; 0 means 32, or 256 on a GPU", between(0, 10'000));
    v("max-input-tokens", max_input_tokens, "longer texts are truncated; 0 means the model's limit, at most 1024",
      between(0, 10'000));
    v.only_if(
        "batch max-input-tokens", [this] { return classifies; }, "it is for classifiers");
  }
};

ModelOptions read_options(const py::dict& arguments, bool classifies) {
  ModelOptions options;
  options.classifies = classifies;
  Settings settings(options);
  Arguments(arguments).apply(settings);
  return options;
}

std::unique_ptr<Scorer> open_scorer(const py::object& file, const py::dict& arguments) {
  const ModelOptions options = read_options(arguments, false);
  const std::string path = path_of(file);
  const Unlocked unlocked;
  return std::make_unique<Scorer>(
      path, ScorerOptions{options.compute.device, options.compute.precision, options.compute.threads});
}

py::list score_pairs(const Scorer& scorer, const py::iterable& sources, const py::iterable& targets, bool alignment,
                     const std::string& to, const std::string& from) {
  const std::vector<std::string> source = texts_of(sources, "source"), target = texts_of(targets, "target");
  check(source.size() == target.size(), "{} sources have {} translations", source.size(), target.size());
  std::vector<SentencePair> pairs(source.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {source[i], target[i]};
  std::vector<ScoredPair> scores;
  in_blocks(pairs.size(), [&](std::size_t begin, std::size_t end) {
    const auto first = pairs.begin();
    for (ScoredPair& score :
         scorer.score({first + std::ptrdiff_t(begin), first + std::ptrdiff_t(end)}, alignment, to, from, begin + 1))
      scores.push_back(std::move(score));
  });
  py::list list;
  for (const ScoredPair& pair : scores) list.append(to_python(pair));
  return list;
}

std::unique_ptr<Classifier> open_classifier(const py::object& file, const py::dict& arguments) {
  const ModelOptions options = read_options(arguments, true);
  const std::string path = path_of(file);
  const Unlocked unlocked;
  return std::make_unique<Classifier>(
      path, ClassifierOptions{options.compute.device, options.compute.precision, options.compute.threads, options.batch,
                              options.max_input_tokens});
}

// Per text: its labels with their probabilities, and whether it was truncated.
py::list classify(const Classifier& classifier, const py::iterable& texts, int top) {
  const std::vector<std::string> copies = texts_of(texts, "text");
  std::vector<Classification> found;
  {
    const Unlocked unlocked;
    found = classifier.classify(copies, top);
  }
  py::list list;
  for (const Classification& one : found) {
    py::list labels;
    for (const LabelProbability& label : one.labels)
      labels.append(py::make_tuple(as_str(label.label), label.probability));
    list.append(py::make_tuple(labels, one.truncated));
  }
  return list;
}

std::string inspect(const py::object& name) {
  const std::string model = path_of(name);
  const Unlocked unlocked;
  if (run::is_statistical(model)) return run::to_text(run::describe_statistical(model));
  return run::to_text(run::to_json(run::describe_model(model)));
}

store::StoredFormat stored_format(const py::object& to) {
  store::StoredFormat format = store::StoredFormat::f32;
  Settings settings;
  settings("to", format, "number format of the matrices in the new file");
  Arguments(py::dict(py::arg("to") = to)).apply(settings);
  return format;
}

void quantize(const py::object& model, const py::object& output, const py::object& to) {
  const store::StoredFormat format = stored_format(to);
  const std::string from = path_of(model), into = path_of(output);
  std::error_code absent;
  check(!std::filesystem::equivalent(from, into, absent),
        "{} is the model itself, whose exact weights would be lost; write to another file", into);
  const Unlocked unlocked;
  store::convert_model(from, format, into);
}

void average(const py::iterable& models, const py::object& output, const py::object& to) {
  const store::StoredFormat format = stored_format(to);
  const std::vector<std::string> paths = paths_of(models);
  const std::string into = path_of(output);
  const Unlocked unlocked;
  store::average_models(paths, into, format);
}

py::dict import_model(const py::object& model, const py::object& output, const py::object& to,
                      const py::iterable& vocabulary, const py::iterable& subwords, const py::object& shortlist) {
  const store::StoredFormat format = stored_format(to);
  const exchange::ImportFiles files{path_of(model), paths_of(vocabulary), paths_of(subwords), path_of(shortlist)};
  const std::string into = path_of(output);
  exchange::ImportSummary summary;
  {
    const Unlocked unlocked;
    summary = exchange::import_model(files, into, format);
  }
  py::dict dict;
  dict["format"] = as_str(summary.format);
  dict["parameters"] = summary.parameters;
  dict["source_vocabulary"] = summary.source_vocabulary;
  dict["target_vocabulary"] = summary.target_vocabulary;
  dict["languages"] = summary.languages;
  dict["shortlist"] = summary.shortlist;
  return dict;
}

py::dict export_model(const py::object& model, const py::object& output, const py::object& to) {
  exchange::ExportFormat format{};
  Settings settings;
  settings("to", format, "the program to write it for");
  Arguments(py::dict(py::arg("to") = to)).apply(settings);
  const std::string from = path_of(model), into = path_of(output);
  exchange::ExportSummary summary;
  {
    const Unlocked unlocked;
    summary = exchange::export_model(from, format, into);
  }
  py::dict dict;
  dict["parameters"] = summary.parameters;
  dict["files"] = as_strs(summary.files);
  dict["left_out"] = as_strs(summary.left_out);
  return dict;
}

py::dict presets() {
  py::dict dict;
  for (const auto* names : {&models::preset_names(), &models::statistical_preset_names()})
    for (const std::string& name : *names) dict[as_str(name)] = models::preset_summary(name);
  return dict;
}

}  // namespace

void define_models(py::module_& module) {
  py::class_<Scorer>(module, "Scorer")
      .def(py::init(&open_scorer), py::arg("model"), py::arg("options"))
      .def("score", score_pairs, py::arg("sources"), py::arg("targets"), py::arg("alignment"), py::arg("to"),
           py::arg("from_"));
  py::class_<Classifier>(module, "Classifier")
      .def(py::init(&open_classifier), py::arg("model"), py::arg("options"))
      .def("classify", classify, py::arg("texts"), py::arg("top"))
      .def_property_readonly("labels", [](const Classifier& self) { return as_strs(self.labels()); });
  module.def("inspect", inspect, py::arg("model"));
  module.def("quantize", quantize, py::arg("model"), py::arg("output"), py::arg("to"));
  module.def("average", average, py::arg("models"), py::arg("output"), py::arg("to"));
  module.def("import_model", import_model, py::arg("model"), py::arg("output"), py::arg("to"), py::arg("vocabulary"),
             py::arg("subwords"), py::arg("shortlist"));
  module.def("export_model", export_model, py::arg("model"), py::arg("output"), py::arg("to"));
  module.def("presets", presets);
}

}  // namespace dragoman::python
