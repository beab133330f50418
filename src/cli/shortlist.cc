#include "base/log.h"
#include "base/progress.h"
#include "cli/command.h"
#include "run/make_shortlist.h"

namespace dragoman::cli {
namespace {

int run_shortlist(const Command& self, const Words& arguments) {
  return run_with<
      run::ShortlistOptions>(self, arguments, [](const run::ShortlistOptions& options, const Words& models) {
    expect_words(models, 1, "expected one model file");
    const run::ShortlistFit fit = run::make_shortlist(models[0], options);
    log::info("wrote {}", options.output);
    if (fit.pairs == 0) {
      log::warning("how the list fits was not measured: the text has one pair only");
      return 0;
    }
    fmt::print("words     {:.0f} of {} for a sentence, on average\n", fit.words, with_commas(fit.vocabulary));
    fmt::print("coverage  {:.2f} % of the tokens of its translation, in pairs of the text that were set aside\n",
               100 * fit.coverage);
    if (fit.coverage < 0.97)
      log::warning(
          "a list that lacks so many words may cost quality, even several BLEU; give more text, or raise --best and "
          "--frequent");
    return 0;
  });
}

}  // namespace

extern const Command shortlist{
    "shortlist",
    "MODEL --source FILE --target FILE --output FILE",
    "adds a lexical shortlist to a model: faster translation on a CPU",
    run_shortlist,
    describe_options<run::ShortlistOptions>,
    "dragoman shortlist run/model.safetensors --source train.de.gz --target train.en.gz --output "
    "run/model.short.safetensors\n"
    "dragoman translate --model run/model.short.safetensors --precision int8 < input.de"};

}  // namespace dragoman::cli
