#pragma once

#include <filesystem>

#include "recipe/page.h"
#include "report/json_file.h"
#include "tests/support/temp_folder.h"

// The output folder of a small recipe, written by hand: two finished systems and one that was never started; a figure
// of every kind; an output that tries to be markup.
namespace dragoman::recipe {

inline constexpr const char* kAttack = "</script><img src=x onerror='window.attacked=1'> <b>Haus</b> & \"so\" <!-- .";

inline constexpr const char* kSampleRecipe = R"(
title: A <small> comparison
about: Three systems & one test set.
source: Nobody (2020), Table 1
tests:
  news-test: {title: news 2020, source: "{data}/news-test.en", reference: "{data}/news-test.de", from: en, to: de, metrics: [bleu, nltk-bleu, chrf]}
systems:
  base: {title: Baseline, train: --preset seq2seq, year: 2014, published: {news-test.bleu: 20.5, train.seconds: 50}}
  good+one: {title: Good | one, train: --preset seq2seq, published: {news-test.bleu: 31}}
  missing: {title: Missing, train: --preset seq2seq, published: {news-test.bleu: 40}}
tables:
- title: Table 1
  note: Tested on <two> sentences.
  baseline: base
  columns: {news-test.bleu: {title: BLEU}, news-test.nltk-bleu: {title: BLEU of NLTK, digits: 1}, train.seconds: training, train.perplexity: perplexity}
figures:
  learning: {kind: curves, title: Learning, value: validation.perplexity, x: seconds, logarithmic: true}
  years: {kind: bars, title: By year, value: news-test.bleu}
  beam: {kind: sweep, title: Beam width, test: news-test, values: [1, 8], rows: {Baseline: "translate --beam {value}"}}
  time: {kind: scaling, title: Time against length, rows: {bench: bench}}
  links: {kind: alignment, title: Alignment error, gold: gold, rows: {EM: align}}
  counts: {kind: statistics, title: Corpus, rows: {Train: stats}}
  tree: {kind: tree, title: A beam, test: news-test, systems: [base]}
  attention: {kind: attention, title: Attention, test: news-test, systems: [base]}
  later: {kind: scaling, title: Not measured, rows: {bench: bench}}
)";

class SampleResults {
 public:
  SampleResults() : folder{temp_.path()}, recipe(parse_recipe(kSampleRecipe, "recipe.yaml", "sample", {})) {
    write("data/news-test.en", "the house\nthe small house is old .\n");
    write("data/news-test.de", "das Haus\ndas kleine Haus ist alt .\n");
    system("base", 22.75, "bpe", "CPU, 4 cores", "das Auto\ndas Haus ist sehr alt .\n");
    system("good+one", 30.25, "bpe", "NVIDIA H200", std::string("das \xFF Haus\n") + kAttack + "\n");
    write("comparisons/news-test.base/scores.json",
          R"({"system":"systems/base/tests/news-test.txt","bleu":{"score":22.75},
          "systems":[{"system":"x/systems/good+one/tests/news-test.txt","bleu":{"score":30.25,"p_bootstrap":0.0125}}]})");
    finish("comparisons/news-test.base");
    write_figures();
  }

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(temp_.file(name)).parent_path());
    return temp_.write(name, text);
  }
  PlanOptions options(bool is_miniature = false) const {
    return {.data = temp_.file("data"), .device = {}, .precision = {}, .threads = 0, .miniature = is_miniature};
  }
  // A finished system: the records of its steps and what they wrote.
  void system(const std::string& name, double bleu, const std::string& vocabulary, const std::string& hardware,
              const std::string& output) const {
    const std::string own = "systems/" + name + "/";
    write(own + "tests/news-test.txt", output);
    write(own + "tests/news-test.json",
          fmt::format(R"({{"system":"x","bleu":{{"score":{},"ci95":1.5,"signature":"nrefs:1|tok:13a"}},)"
                      R"("nltk_bleu":{{"score":{}}},"chrf":{{"score":null}}}})",
                      bleu, bleu + 1));
    write(own + "run/log.jsonl",
          fmt::format(R"({{"kind":"start","parameters":1234567,"hardware":"{}","settings":{{"seed":7,)"
                      R"("vocab.type":"{}","model.target-vocabulary":8000}}}})",
                      hardware, vocabulary) +
              R"(
{"kind":"train","update":1000,"epoch":1,"tokens":1000,"nll":2,"elapsed":30}
{"kind":"validation","update":1000,"epoch":1,"tokens":1000,"scores":{"perplexity":20},"seconds":1,"elapsed":30}
{"kind":"train","update":2000,"epoch":null,"tokens":3000,"nll":null,"tokens_per_second":null,"elapsed":60}
{"kind":"validation","update":2000,"epoch":2,"tokens":3000,"scores":{"perplexity":null},"elapsed":61}
{"kind":"end","update":2000,"epoch":2,"seconds":61}
{"kind":"trai)");
    finish("systems/" + name);
  }
  // Says that the steps of a job are finished.
  void finish(const std::string& folder_of_job) const {
    const Plan plan = make_plan(recipe, folder, options(false));
    std::vector<Job> jobs = plan.systems;
    jobs.insert(jobs.end(), plan.figures.begin(), plan.figures.end());
    for (const Job& job : plan_comparisons(recipe, folder, options(false), {"base", "good+one"})) jobs.push_back(job);
    for (const Job& job : jobs)
      for (std::size_t i = 0; job.folder.ends_with(folder_of_job) && i < job.steps.size(); ++i)
        write(fmt::format("{}/steps/{}.json", folder_of_job, i + 1),
              report::Json({{"recorded", job.steps[i].recorded},
                            {"command", "dragoman '<x>'"},
                            {"seconds", static_cast<double>(i) + 1.5},
                            {"finished", true},
                            {"measured", "2026-11-16: dragoman 9.9.9 on CPU (4 cores), Linux"}})
                  .dump());
  }
  std::string page(bool is_miniature = false) const {
    write_report(recipe, folder, options(is_miniature));
    return support::read_all(folder.page());
  }
  std::string markdown(bool is_miniature = false) const {
    write_report(recipe, folder, options(is_miniature));
    return support::read_all(folder.markdown());
  }

 private:
  // The results of the rows of a figure.
  void figure(const std::string& name, const std::vector<std::string>& results) const {
    for (std::size_t i = 0; i < results.size(); ++i) write(fmt::format("figures/{}/{}.json", name, i + 1), results[i]);
    finish("figures/" + name);
  }

  void write_figures() const {
    const std::string side = R"({"tokens":124031,"types":8326,"mean_length":12.4,"unknown_share":0.0315})";
    figure("beam", {R"({"system":"x","bleu":{"score":20,"signature":"s"}})",
                    R"({"system":"x","bleu":{"score":22,"signature":"s"}})"});
    figure("time", {R"({"series":[
        {"name":"exact","points":[{"length":64,"mean":0.5},{"length":128,"mean":1.5},{"length":256,"note":"out of memory"}]},
        {"name":"k = 32","points":[{"length":64,"mean":0.25},{"length":128,"mean":0.25},{"length":256,"mean":0.25}]}]})"});
    figure("links", {R"({"aer":{"score":0.213,"precision":0.8,"recall":0.75,"links":1234}})"});
    figure("counts", {R"({"source":)" + side + R"(,"target":)" + side + R"(,"shared_types":812})"});
    figure("tree", {R"({"line":1,"source":"the house","nodes":[
        {"parent":-1,"token":"","log_probability":0,"score":0,"finished":false,"best":true},
        {"parent":0,"token":"das","log_probability":-0.5,"score":-0.5,"finished":false,"best":true},
        {"parent":1,"token":"</s>","log_probability":-0.75,"score":-0.4,"finished":true,"best":true}]})"});
    figure("attention", {R"({"line":1,"source":"the house","source_tokens":["the","<house>"],"parts":1,)"
                         R"("translations":[{"text":"das Haus","tokens":["das","Haus"],)"
                         R"("attention":[[0.9,0.1],[0.25,0.75]],"past_attention":[[1],[0.5,0.5]]}]})"});
  }

  support::TempFolder temp_;

 public:
  const Folder folder;
  const Recipe recipe;
};

}  // namespace dragoman::recipe
