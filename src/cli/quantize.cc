#include <filesystem>

#include "base/log.h"
#include "base/quote.h"
#include "cli/command.h"
#include "run/output_files.h"
#include "store/convert.h"

namespace dragoman::cli {
namespace {

struct QuantizeOptions {
  store::StoredFormat to = store::StoredFormat::int8;
  std::string output;
  std::vector<std::string> card;

  template <class V>
  void visit(V& v) {
    v("to", to, "number format of the matrices in the new file");
    v("output", output, "the model file to write");
    v("card", card, "entry for the model card, as KEY=TEXT, such as licence=CC0; without a text, the entry is deleted");
  }
};

store::Metadata entries(const std::vector<std::string>& texts) {
  store::Metadata card;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    check(equals != std::string::npos && equals > 0, "--card {}: expected KEY=TEXT", excerpt(text));
    card[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return card;
}

std::string size_of(const std::string& file) {
  return fmt::format("{:.1f} MiB", static_cast<double>(std::filesystem::file_size(file)) / (1 << 20));
}

int run_quantize(const Command& self, const Words& arguments) {
  return run_with<QuantizeOptions>(self, arguments, [](const QuantizeOptions& options, const Words& models) {
    expect_words(models, 1, "expected one model file");
    check(!options.output.empty(), "expected --output FILE, the model file to write");
    std::error_code absent;
    check(!std::filesystem::equivalent(models[0], options.output, absent),
          "--output {} is the model itself, whose exact weights would be lost; write to another file", options.output);
    run::check_output_files({}, {{"--output", options.output}});
    store::convert_model(models[0], options.to, options.output, entries(options.card));
    const std::string sizes = std::filesystem::is_regular_file(options.output)
                                  ? fmt::format(": {} instead of {}", size_of(options.output), size_of(models[0]))
                                  : "";
    log::info("wrote {} in {}{}", options.output, name_of(options.to), sizes);
    return 0;
  });
}

}  // namespace

extern const Command quantize{"quantize",
                              "MODEL --to int8 --output FILE",
                              "stores a model in narrower numbers: smaller files, faster translation on a CPU",
                              run_quantize,
                              describe_options<QuantizeOptions>,
                              "dragoman quantize run/model.safetensors --to int8 --output en-de.int8.safetensors"};

}  // namespace dragoman::cli
