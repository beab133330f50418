#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "run/make_shortlist.h"

namespace dragoman::cli {
namespace {

int run(const Command& self, const Words& arguments) {
  return run_with<run::ShortlistOptions>(
      self, arguments, [](const run::ShortlistOptions& options, const Words& models) {
        expect_words(models, 1, "expected one model file");
        const run::ShortlistFit fit = run::make_shortlist(models[0], options);
        log::info("wrote {}", options.output);
        fmt::print("words     {:.0f} of {} for a sentence, on average\n", fit.words, with_commas(fit.vocabulary));
        fmt::print("coverage  {:.2f} % of the tokens of its translation\n", 100 * fit.coverage);
        return 0;
      });
}

}  // namespace

extern const Command shortlist{
    "shortlist",
    "MODEL --source FILE --target FILE --output FILE",
    "adds a lexical shortlist to a model: faster translation on a CPU",
    run,
    describe_options<run::ShortlistOptions>,
    "dragoman shortlist run/model.safetensors --source train.de.gz --target train.en.gz --output "
    "run/model.short.safetensors\n"
    "dragoman translate --model run/model.short.safetensors --precision int8 < input.de"};

}  // namespace dragoman::cli
