#include "exchange/import.h"

#include "base/counted.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "run/output_files.h"

namespace dragoman::cli {
namespace {

struct ImportOptions {
  std::string output, shortlist;
  std::vector<std::string> vocabularies, subwords;
  store::StoredFormat to = store::StoredFormat::f32;

  template <class V>
  void visit(V& v) {
    v("output", output, "the model file to write");
    v("vocabulary", vocabularies,
      "vocabulary of a model of Marian, .spm or .yml; two for source and target; by default those beside the model");
    v("subwords", subwords, "SentencePiece models of source and target, for a vocabulary in .yml");
    v("shortlist", shortlist, "lexical shortlist of a model of Marian (lex.*.bin)");
    v("to", to, "number format of the matrices in the new file, as for `dragoman quantize`");
  }
};

int run_import(const Command& self, const Words& arguments) {
  return run_with<ImportOptions>(self, arguments, [](const ImportOptions& options, const Words& models) {
    expect_words(models, 1, "expected the folder or file of one model");
    check(!options.output.empty(), "expected --output FILE, the model file to write");
    std::vector<run::NamedFile> inputs = run::named_files("--vocabulary", options.vocabularies);
    for (const std::string& path : options.subwords) inputs.push_back({"--subwords", path});
    inputs.insert(inputs.end(), {{"MODEL", models[0]}, {"--shortlist", options.shortlist}});
    run::check_output_files(inputs, {{"--output", options.output}});
    const exchange::ImportSummary model = exchange::import_model(
        {models[0], options.vocabularies, options.subwords, options.shortlist}, options.output, options.to);
    log::info("wrote {}", options.output);
    fmt::print("format      {}\n", model.format);
    fmt::print("parameters  {}\n", with_commas(model.parameters));
    fmt::print("vocabulary  {} source, {} target\n", with_commas(model.source_vocabulary),
               with_commas(model.target_vocabulary));
    if (model.languages > 0) fmt::print("languages   {}\n", model.languages);
    if (model.shortlist) fmt::print("shortlist   yes\n");
    return 0;
  });
}

}  // namespace

extern const Command import_command{"import",
                                    "MODEL --output FILE",
                                    "makes a model file of a model of another program",
                                    run_import,
                                    describe_options<ImportOptions>,
                                    "dragoman import opus-mt-en-de --output en-de.safetensors\n"
                                    "dragoman translate --model en-de.safetensors < input.en"};

}  // namespace dragoman::cli
