#include "data/text_file.h"
#include "phrasebook/phrasebook.h"
#include "python.h"
#include "run/make_vocabulary.h"
#include "store/model_file.h"
#include "text/tokenizer_file.h"
#include "tokenizer.h"

namespace dragoman {
template <>
struct EnumNames<phrasebook::Split> {
  static constexpr std::pair<phrasebook::Split, const char*> list[] = {
      {phrasebook::Split::train, "train"}, {phrasebook::Split::valid, "valid"}, {phrasebook::Split::test, "test"}};
};
}  // namespace dragoman

namespace dragoman::python {
namespace {

Tokenizer load(const py::object& file) {
  const std::string path = path_of(file);
  const Unlocked unlocked;
  return Tokenizer(text::load_tokenizer(path));
}

Tokenizer of_model(const py::object& file, bool source) {
  const store::ModelInfo info = store::ModelFile(path_of(file)).info();
  const std::string& bytes = source ? info.source_tokenizer : info.target_tokenizer;
  check(!bytes.empty(), "{}: contains no vocabularies", path_of(file));
  return Tokenizer(text::deserialize_tokenizer(bytes));
}

run::VocabularyOptions vocabulary_options(const py::dict& arguments) {
  run::VocabularyOptions options;
  Settings settings(options);
  Arguments(arguments).apply(settings);
  return options;
}

Tokenizer learn_from_lines(const py::iterable& lines, const py::dict& arguments) {
  const run::VocabularyOptions options = vocabulary_options(arguments);
  const std::vector<std::string> texts = texts_of(lines, "a line");
  const Unlocked unlocked;
  std::size_t next = 0;
  return Tokenizer(run::make_vocabulary(options, [&](std::string& line) {
    if (next == texts.size()) return false;
    line = texts[next++];
    return true;
  }));
}

Tokenizer learn_from_files(const py::iterable& files, const py::dict& arguments) {
  const run::VocabularyOptions options = vocabulary_options(arguments);
  const std::vector<std::string> paths = paths_of(files);
  const Unlocked unlocked;
  return Tokenizer(run::make_vocabulary(options, paths));
}

void check_ids(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids) {
  for (const std::int32_t id : ids)
    check(id >= 0 && id < tokenizer->size(), "there is no id {}; the vocabulary has {}", id, tokenizer->size());
}

std::vector<std::int32_t> encode(const Tokenizer& tokenizer, const py::object& line) {
  std::vector<std::int32_t> ids;
  tokenizer->encode(text_of(line, "text"), ids);
  return ids;
}

std::vector<std::pair<std::string, std::string>> phrases(std::int64_t count, std::uint64_t seed,
                                                         const py::object& split_name,
                                                         const std::vector<std::string>& patterns) {
  phrasebook::Split split = phrasebook::Split::train;
  Settings settings;
  settings("split", split, "the part of the phrasebook");
  Arguments(py::dict(py::arg("split") = split_name)).apply(settings);
  check(count >= 0, "expected a number of pairs, got {}", count);
  const Unlocked unlocked;
  const phrasebook::Phrasebook book(seed, patterns);
  phrasebook::DistinctPairs pairs(book, split);
  std::vector<std::pair<std::string, std::string>> list;
  for (std::int64_t i = 0; i < count; ++i) {
    phrasebook::BilingualPhrase pair = pairs.next();
    list.emplace_back(std::move(pair.english), std::move(pair.german));
  }
  return list;
}

}  // namespace

void define_text(py::module_& module) {
  py::class_<Tokenizer>(module, "Tokenizer")
      .def_static("load", load, py::arg("path"))
      .def_static("of_model", of_model, py::arg("path"), py::arg("source"))
      .def_static("learn_from_lines", learn_from_lines, py::arg("lines"), py::arg("options"))
      .def_static("learn_from_files", learn_from_files, py::arg("files"), py::arg("options"))
      .def(
          "save", [](const Tokenizer& self, const py::object& path) { text::save_tokenizer(*self, path_of(path)); },
          py::arg("path"))
      .def("encode", encode, py::arg("text"))
      .def(
          "decode",
          [](const Tokenizer& self, const std::vector<std::int32_t>& ids) {
            check_ids(self, ids);
            return as_str(self->decode(ids));
          },
          py::arg("ids"))
      .def(
          "piece",
          [](const Tokenizer& self, std::int32_t id) {
            check_ids(self, {id});
            return as_str(self->piece(id));
          },
          py::arg("id"))
      .def(
          "find",
          [](const Tokenizer& self, const py::object& token) { return self.pieces().find(text_of(token, "token")); },
          py::arg("token"))
      .def(
          "contains",
          [](const Tokenizer& self, const py::object& token) {
            return self.pieces().contains(text_of(token, "token"));
          },
          py::arg("token"))
      .def("size", [](const Tokenizer& self) { return self->size(); })
      .def("special",
           [](const Tokenizer& self) {
             const text::SpecialIds special = self->special();
             return py::make_tuple(special.unknown, special.begin, special.end, special.pad);
           })
      .def_property_readonly("languages", [](const Tokenizer& self) { return self->language_tags().languages; });
  module.def("vocabulary_options", describe<run::VocabularyOptions>);
  module.def("phrasebook", phrases, py::arg("count"), py::arg("seed"), py::arg("split"), py::arg("patterns"));
  module.def(
      "read_lines",
      [](const py::object& path) {
        const std::string name = path_of(path);
        const Unlocked unlocked;
        return data::read_lines(name);
      },
      py::arg("path"));
}

}  // namespace dragoman::python
