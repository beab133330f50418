#pragma once

#include <filesystem>

#include "recipe/page.h"
#include "tests/support/temp_folder.h"

// The output folder of a small recipe, written by hand: two finished systems, one that is being trained and one that
// was never started; a figure of every kind; an output that tries to be markup.
namespace dragoman::recipe {

inline constexpr const char* kAttack = "</script><img src=x onerror='window.attacked=1'> <b>Haus</b> & \"so\" <!-- .";

inline constexpr const char* kSampleRecipe = R"(
title: A <small> comparison
about: Four systems & one test set.
source: Nobody (2020), Table 1
tests:
  news-test: {title: news 2020, source: "{data}/news-test.en", reference: "{data}/news-test.de", from: en, to: de, metrics: [bleu, nltk-bleu, chrf], attention: 2}
systems:
  base: {title: Baseline, train: --preset seq2seq, seed: 7, year: 2014, published: {news-test.bleu: 20.5, train.seconds: 50}}
  good+one: {title: Good | one, train: --preset seq2seq, published: {news-test.bleu: 31}}
  running: {title: Running, train: --preset seq2seq}
  missing: {title: Missing, train: --preset seq2seq, published: {news-test.bleu: 40}}
tables:
- title: Table 1
  note: Tested on <two> sentences.
  baseline: base
  columns: {news-test.bleu: {title: BLEU}, news-test.nltk-bleu: {title: BLEU of NLTK, digits: 1}, train.seconds: training}
figures:
  learning: {kind: curves, title: Learning, value: validation.perplexity, x: seconds, logarithmic: true}
  years: {kind: bars, title: By year, value: news-test.bleu}
  beam: {kind: sweep, title: Beam width, test: news-test, values: [1, 8], rows: {Baseline: {command: "translate --beam {value}"}}}
  time: {kind: scaling, title: Time against length, rows: {bench: {command: bench}}}
  links: {kind: alignment, title: Alignment error, gold: gold, rows: {EM: {command: align}}}
  counts: {kind: statistics, title: Corpus, rows: {Train: {command: stats}}}
  tree: {kind: tree, title: A beam, test: news-test, systems: [base]}
  later: {kind: scaling, title: Not measured, rows: {bench: {command: bench}}}
)";

inline std::string sample_system(const std::string& folder, const std::string& name, double bleu,
                                 const std::string& gpu) {
  nlohmann::ordered_json result = {
      {"name", name},
      {"values",
       {{"news-test.bleu", bleu},
        {"news-test.nltk_bleu", bleu + 1},
        {"train.seconds", 61.0},
        {"train.parameters", 1234567},
        {"train.updates", 2000},
        {"news-test.seconds", 1.5}}},
      {"signatures", {{"news-test.bleu", "nrefs:1|tok:13a"}}},
      {"steps", {{{"command", "dragoman train --output " + folder + "/systems/a '<x>'"}, {"seconds", 62.0}}}},
      {"environment",
       {{"version", "9.9.9"},
        {"date", "2026-11-16"},
        {"cpu", "CPU"},
        {"gpu", gpu},
        {"system", "Linux"},
        {"cores", 4}}}};
  return result.dump();
}

class SampleResults {
 public:
  SampleResults() : folder{temp_.path()}, recipe(parse_recipe(kSampleRecipe, "recipe.yaml", "sample", {})) {
    write("data/news-test.en", "the house\nthe small house is old .\n");
    write("data/news-test.de", "das Haus\ndas kleine Haus ist alt .\n");
    system("base", 22.75, "", "das Auto\ndas Haus ist sehr alt .\n");
    system("good+one", 30.25, "NVIDIA H200", std::string("das Haus\n") + kAttack + "\n");
    write("systems/base/run/config.yaml", "batch:\n  seed: 1\nseed: 7                # random seed\n");
    write("systems/running/run/log.jsonl", R"({"kind":"train","update":10,"tokens":500,"tokens_per_second":100}
{"kind":"validation","update":10,"tokens":500,"scores":{"perplexity":90}}
{"kind":"trai)");
    write("comparisons/news-test.json",
          R"({"system":"systems/base/tests/news-test.txt","bleu":{"score":22.75,"ci95":1.5},
          "systems":[{"system":"x/systems/good+one/tests/news-test.txt","bleu":{"score":30.25,"ci95":1.25,"p_bootstrap":0.0125}}]})");
    write_figures();
  }

  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = temp_.file(name);
    std::filesystem::create_directories(path.parent_path());
    return temp_.write(name, text);
  }
  std::string page() const {
    write_report(recipe, folder, temp_.file("data"));
    return support::read_all(folder.page());
  }
  std::string markdown() const {
    write_report(recipe, folder, temp_.file("data"));
    return support::read_all(folder.markdown());
  }

 private:
  support::TempFolder temp_;

 public:
  const Folder folder;
  const Recipe recipe;

 private:
  void system(const std::string& name, double bleu, const std::string& gpu, const std::string& output) const {
    const std::string own = "systems/" + name + "/";
    write(own + "result.json", sample_system(temp_.path(), name, bleu, gpu));
    write(own + "tests/news-test.txt", output);
    write(own + "tests/news-test.json", R"({"system":"x","bleu":{"score":22.75,"ci95":1.5}})");
    const auto attention = nlohmann::json::parse(R"({"line":1,"source":"the house","source_tokens":["the","<house>"],
        "parts":1,"translations":[{"text":"das Haus","tokens":["das","Haus"],"attention":[[0.9,0.1],[0.25,0.75]],
        "past_attention":[[1],[0.5,0.5]]}]})");
    write(own + "tests/news-test.attention.jsonl", attention.dump() + "\n");
    write(own + "run/log.jsonl",
          R"({"kind":"train","update":100,"epoch":1,"tokens":1000,"nll":2,"tokens_per_second":100}
{"kind":"validation","update":100,"epoch":1,"tokens":1000,"scores":{"perplexity":40}}
{"kind":"train","update":200,"epoch":2,"tokens":3000,"nll":1,"tokens_per_second":200}
{"kind":"validation","update":200,"epoch":2,"tokens":3000,"scores":{"perplexity":20}}
)");
  }

  void figure(const std::string& name, const std::string& rows) const {
    write("figures/" + name + ".json", R"({"name":")" + name + R"(","rows":[)" + rows +
                                           R"(],"environment":{"version":"9.9.9","date":"2026-11-16","cpu":"CPU",
          "gpu":"","system":"Linux","cores":4}})");
  }

  void write_figures() const {
    const std::string side = R"({"tokens":124031,"types":8326,"mean_length":12.4,"unknown_share":0.0315})";
    figure("beam", R"({"title":"Baseline","command":"c","seconds":2,"result":{"value":1,"bleu":{"score":20}}},
        {"title":"Baseline","command":"c","seconds":9,"result":{"value":8,"bleu":{"score":22}}})");
    figure("time", R"({"title":"bench","command":"c","seconds":2,"result":{"series":[
        {"name":"exact","points":[{"length":64,"mean":0.5},{"length":128,"mean":1.5},{"length":256,"note":"out of memory"}]},
        {"name":"k = 32","points":[{"length":64,"mean":0.25},{"length":128,"mean":0.25},{"length":256,"mean":0.25}]}]}})");
    figure("links", R"({"title":"EM","command":"c","seconds":2,"result":{"aer":{"score":0.213,"precision":0.8,
        "recall":0.75,"links":1234}}})");
    figure("counts", R"({"title":"Train","command":"c","seconds":2,"result":{"source":)" + side + R"(,"target":)" +
                         side + R"(,"shared_types":812}})");
    figure("tree", R"({"title":"Baseline","command":"c","seconds":2,"result":{"line":1,"source":"the house","nodes":[
        {"parent":-1,"token":"","log_probability":0,"score":0,"finished":false,"best":true},
        {"parent":0,"token":"das","log_probability":-0.5,"score":-0.5,"finished":false,"best":true},
        {"parent":1,"token":"</s>","log_probability":-0.75,"score":-0.4,"finished":true,"best":true}]}})");
  }
};

}  // namespace dragoman::recipe
