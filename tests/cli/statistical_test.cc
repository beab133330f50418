#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

// The statistical translator through the commands: train, translate, inspect.
namespace dragoman::cli {
namespace {

class Statistical : public testing::Test {
 protected:
  // Object before verb in the source, after it in the target.
  Statistical() {
    const char* people[][2] = {{"mi", "i"}, {"vi", "you"}, {"ni", "we"}};
    const char* things[][2] = {{"panon", "bread"}, {"akvon", "water"}, {"libron", "books"}, {"domon", "houses"}};
    const char* verbs[][2] = {{"vidas", "see"}, {"havas", "have"}, {"deziras", "want"}};
    std::string source, target;
    for (const auto& person : people)
      for (const auto& thing : things)
        for (const auto& verb : verbs) {
          source += std::string(person[0]) + " " + thing[0] + " " + verb[0] + "\n";
          target += std::string(person[1]) + " " + verb[1] + " " + thing[1] + "\n";
        }
    folder_.write("s", source);
    folder_.write("t", target);
  }

  Outcome train(const std::string& more) const {
    return run_program(folder_,
                       "train --preset smt-phrase --source s --target t --valid-source s --valid-target t "
                       "--statistical.tuning.iterations 2 --statistical.source.truecase=false "
                       "--statistical.target.truecase=false --threads 1 --output run " +
                           more);
  }

  support::TempFolder folder_;
};

TEST_F(Statistical, TrainsTranslatesAndIsInspectedLikeAnyOtherModel) {
  const Outcome trained = train("");
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(trained.out, "run/model.safetensors\n");
  folder_.write("in", "vi akvon havas\n\nmi Xyz vidas\n");
  const Outcome translated =
      run_program(folder_, "translate --model run/model.safetensors --input in --alignments links --quiet");
  ASSERT_EQ(translated.status, 0) << translated.err;
  EXPECT_EQ(translated.out.substr(0, translated.out.find('\n')), "you have water");
  EXPECT_NE(translated.out.find("\n\n"), std::string::npos) << "an empty line stays empty";
  EXPECT_NE(translated.out.find("Xyz"), std::string::npos) << translated.out;
  EXPECT_EQ(support::read_all(folder_.file("links")).substr(0, 12), "0-0 1-2 2-1\n");

  const Outcome narrow = run_program(folder_, "translate --model run/model.safetensors --input in --precision int8");
  EXPECT_NE(narrow.err.find("the precision has no effect"), std::string::npos) << narrow.err;

  folder_.write("page", "<p>vi <b>akvon</b> havas</p>");
  const Outcome page =
      run_program(folder_, "translate --model run/model.safetensors --input page --format html --quiet");
  EXPECT_EQ(page.out, "<p>you have <b>water</b></p>") << page.err;

  const Outcome measured = run_program(folder_, "bench run/model.safetensors --input in");
  EXPECT_NE(measured.err.find("is a statistical model; bench measures neural ones"), std::string::npos) << measured.err;

  const Outcome several = run_program(folder_, "translate --model run/model.safetensors --input in --n-best 3 --quiet");
  EXPECT_EQ(several.out.find("0 ||| you have water |||"), 0u) << several.out;

  const Outcome explained =
      run_program(folder_, "translate --model run/model.safetensors --input in --json --explain --quiet");
  const nlohmann::json told_why =
      nlohmann::json::parse(explained.out.substr(0, explained.out.find('\n')))["explanations"][0];
  EXPECT_EQ(told_why["alignment"].dump(), "[[0,0],[1,2],[2,1]]");
  EXPECT_EQ(told_why["tokens"][1].dump(), R"({"begin":4,"end":8,"token":"have","word":1})");
  EXPECT_TRUE(told_why["attention"].empty());

  for (const std::string command :
       {"score --model run/model.safetensors s t", "average run/model.safetensors --output mean",
        "quantize run/model.safetensors --output small", "export run/model.safetensors --output folder",
        "shortlist run/model.safetensors --source s --target t --output short",
        "train --from run/model.safetensors --source s --target t --output tuned"}) {
    const Outcome refused = run_program(folder_, command);
    EXPECT_EQ(refused.status, 1) << command;
    EXPECT_NE(refused.err.find("is a statistical model, which `dragoman translate` uses; expected a neural one"),
              std::string::npos)
        << command << refused.err;
  }
  folder_.write("terms", "absent\tx\n");
  const Outcome terms = run_program(folder_, "translate --model run/model.safetensors --input in --terms terms");
  EXPECT_EQ(terms.status, 1);
  EXPECT_NE(terms.err.find("does not support prefixes, terms"), std::string::npos) << terms.err;

  const Outcome inspected = run_program(folder_, "inspect run/model.safetensors --json");
  ASSERT_EQ(inspected.status, 0) << inspected.err;
  const nlohmann::json told = nlohmann::json::parse(inspected.out);
  EXPECT_GT(told["phrase_pairs"], 10);
  EXPECT_EQ(told["ngrams"].size(), 5u);
  EXPECT_EQ(told["weights"].size(), 14u);
  EXPECT_EQ(told["card"]["preset"], "smt-phrase");
}

TEST_F(Statistical, LanguageModelsComeAndGoAsArpaFiles) {
  ASSERT_EQ(train("--statistical.write-arpa lm.arpa").status, 0);
  const Outcome again = train("--statistical.read-arpa lm.arpa --overwrite");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.err.find("lm.arpa, order 5; knows 10 of the 10 target words"), std::string::npos) << again.err;
  folder_.write("in", "vi akvon havas\n");
  EXPECT_EQ(run_program(folder_, "translate --model run/model.safetensors --input in --quiet").out, "you have water\n");
  std::string text = support::read_all(folder_.file("lm.arpa"));
  folder_.write("lm.arpa", text.substr(0, text.size() / 2));
  const Outcome cut = train("--statistical.read-arpa lm.arpa --overwrite");
  EXPECT_EQ(cut.status, 1);
  EXPECT_NE(cut.err.find("lm.arpa:"), std::string::npos) << cut.err;
}

TEST_F(Statistical, PresetsAreListedAndShown) {
  const Outcome list = run_program(folder_, "inspect --presets");
  for (const char* name : {"smt-monotone", "smt-phrase", "smt-word"}) {
    EXPECT_NE(list.out.find(std::string(name) + "  "), std::string::npos) << name;
    const Outcome one = run_program(folder_, std::string("inspect ") + name);
    EXPECT_NE(one.out.find("decoder.distortion-limit: "), std::string::npos) << one.out << one.err;
  }
}

TEST_F(Statistical, MistakesAreNamed) {
  EXPECT_EQ(train("").status, 0);
  EXPECT_NE(train("").err.find("--overwrite replaces it"), std::string::npos);
  folder_.write("in", "mi\n");
  const Outcome two =
      run_program(folder_, "translate --model run/model.safetensors --model run/model.safetensors --input in --quiet");
  EXPECT_NE(two.err.find("cannot be part of an ensemble"), std::string::npos) << two.err;
  const Outcome sampled = run_program(folder_, "translate --model run/model.safetensors --input in --sample --quiet");
  EXPECT_NE(sampled.err.find("does not support sampling"), std::string::npos) << sampled.err;
  std::string bytes = support::read_all(folder_.file("run/model.safetensors"));
  folder_.write("cut.safetensors", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(run_program(folder_, "translate --model cut.safetensors --input in").status, 0);
}

}  // namespace
}  // namespace dragoman::cli
