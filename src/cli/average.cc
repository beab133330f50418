#include "store/average.h"
#include "base/counted.h"
#include "base/log.h"
#include "cli/command.h"
#include "run/output_files.h"

namespace dragoman::cli {
namespace {

struct AverageOptions {
  std::string output;
  store::StoredFormat to = store::StoredFormat::f32;

  template <class V>
  void visit(V& v) {
    v("output", output, "the model file to write");
    v("to", to, "number format of the matrices in the new file, as for `dragoman quantize`");
  }
};

int run_average(const Command& self, const Words& arguments) {
  return run_with<AverageOptions>(self, arguments, [](const AverageOptions& options, const Words& models) {
    check(!options.output.empty(), "expected --output FILE, the model file to write");
    run::check_output_files(run::named_files("MODEL", models), {{"--output", options.output}});
    store::average_models(models, options.output, options.to);
    log::info("wrote the mean of {} to {}", counted(models.size(), "model"), options.output);
    return 0;
  });
}

}  // namespace

extern const Command average{"average",
                             "MODEL... --output FILE",
                             "averages the weights of models or checkpoints",
                             run_average,
                             describe_options<AverageOptions>,
                             "dragoman average run/checkpoints/*.safetensors --output mean.safetensors"};

}  // namespace dragoman::cli
