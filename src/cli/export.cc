#include "exchange/export.h"

#include "base/counted.h"
#include "base/join.h"
#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"

namespace dragoman::cli {
namespace {

struct ExportOptions {
  std::string output;
  exchange::ExportFormat to = exchange::ExportFormat::huggingface;

  template <class V>
  void visit(V& v) {
    v("to", to, "program to write it for: a MarianMT model of transformers, CTranslate2, or plain arrays of NumPy");
    v("output", output, "the folder to write, new or empty");
  }
};

int run_export(const Command& self, const Words& arguments) {
  return run_with<ExportOptions>(self, arguments, [](const ExportOptions& options, const Words& models) {
    expect_words(models, 1, "expected one model file");
    check(!options.output.empty(), "expected --output FOLDER, the folder to write");
    const exchange::ExportSummary model = exchange::export_model(models[0], options.to, options.output);
    for (const std::string& what : model.left_out) log::warning("{} is not part of the folder", what);
    log::info("wrote {}", options.output);
    fmt::print("format      {}\n", name_of(options.to));
    fmt::print("parameters  {}\n", with_commas(model.parameters));
    fmt::print("files       {}\n", join(model.files, " "));
    return 0;
  });
}

}  // namespace

extern const Command export_command{"export",
                                    "MODEL --to huggingface|ctranslate2|numpy --output FOLDER",
                                    "writes a model file as a model of another program",
                                    run_export,
                                    describe_options<ExportOptions>,
                                    "dragoman export run/model.safetensors --to ctranslate2 --output en-de\n"
                                    "dragoman export run/model.safetensors --to huggingface --output marian-en-de"};

}  // namespace dragoman::cli
