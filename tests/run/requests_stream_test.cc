// Requests from files, and streams of them whose translator fails.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "run/json_text.h"
#include "run/request_reader.h"
#include "run/term_list.h"
#include "run/translation_stream.h"
#include "search/constrain/source_terms.h"
#include "tests/search/fake_engine.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dragoman::run {
namespace {

using search::test::EchoEngine;
using search::test::FailingEngine;
using support::message;

// Reads `count` lines of text and translates them with `engine`.
std::vector<std::string> stream_through(std::unique_ptr<search::Engine> engine, int count, std::size_t bytes = 10) {
  search::TextTranslator translator(std::move(engine), {});
  std::vector<std::string> written;
  translate_lines(
      translator, {},
      {.read =
           [number = 0, count, bytes](Request& request) mutable {
             request.text = std::string(bytes, static_cast<char>('a' + number % 26));
             return number++ < count;
           },
       .write = [&](std::uint64_t, const Request&,
                    const TranslationResult& result) { written.push_back(result.translations.at(0).text); }});
  return written;
}

TEST(RequestStream, AnEngineThatFailsIsAnErrorOfTheStream) {
  using How = FailingEngine::How;
  EXPECT_EQ(stream_through(std::make_unique<EchoEngine>(5), 100).size(), 100u);
  for (const How how : {How::throws, How::drops, How::throws_no_exception})
    EXPECT_ANY_THROW(stream_through(std::make_unique<FailingEngine>(how), 100));
  EXPECT_EQ(message([] { stream_through(std::make_unique<FailingEngine>(How::drops), 1); }),
            "line 1: the request was dropped before it was translated");
}

TEST(RequestStream, LinesOfMegabytesAreNotReadFarAhead) {
  const std::vector<std::string> written = stream_through(std::make_unique<EchoEngine>(5), 60, 1 << 20);
  ASSERT_EQ(written.size(), 60u);
  // A line without spaces is longer than any token, so it comes back in parts.
  EXPECT_EQ(std::count(written[27].begin(), written[27].end(), 'b'), 1 << 20);
}

TEST(TermList, FindsTermsAsWholeWordsInTheOrderOfTheList) {
  const TermList list({{"dog", "Hund"}, {"red dog", "roter Hund"}, {"do", "tun"}, {"é", "e"}, {"dog", "Köter"}});
  using Terms = std::vector<TermList::Term>;
  EXPECT_EQ(list.in("a red dog."), (Terms{{"dog", "Hund"}, {"red dog", "roter Hund"}, {"dog", "Köter"}}));
  EXPECT_EQ(list.in("dogma, redo"), Terms());
  EXPECT_EQ(list.in("é"), (Terms{{"é", "e"}}));
  EXPECT_EQ(list.in(""), Terms());
}

TEST(TermList, FindsWhatASearchForEachTermFinds) {
  Random random(7);
  const auto draw = [&](std::size_t most) {
    std::string text;
    for (std::size_t length = 1 + random.below(most); text.size() < length;) text += "abA .-"[random.below(6)];
    return text;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<TermList::Term> terms;
    for (int i = 0; i < 40; ++i) terms.emplace_back(draw(5), std::to_string(i));
    const std::string text = draw(60);
    std::vector<TermList::Term> expected;
    for (const TermList::Term& term : terms)
      if (!search::find_term(text, term.first).empty()) expected.push_back(term);
    const TermList list(terms);
    ASSERT_EQ(list.in(text), expected) << text;
    ASSERT_EQ(list.in(text, 3).size(), std::min<std::size_t>(3, expected.size()));
  }
}

TEST(TermList, TermsOfManyLengthsCostLittleMoreThanOne) {
  std::vector<TermList::Term> terms;
  for (std::size_t length = 1; length < 1024; ++length) terms.emplace_back("-" + std::string(length, '.'), "t");
  const TermList list(std::move(terms));
  std::string text;
  while (text.size() < 100'000) text += "-a";
  text += "-.";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(list.in(text).size(), 1u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(TermList, AHugeListIsNotSearchedTermByTerm) {
  std::vector<TermList::Term> terms;
  for (int i = 0; i < 200'000; ++i) terms.emplace_back("term" + std::to_string(i), "t");
  const TermList list(std::move(terms));
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(list.in("a sentence of some words with term" + std::to_string(i) + " in it").size(), 1u);
}

class RequestFilesTest : public ::testing::Test {
 protected:
  std::string refusal(const RequestFiles& files) const {
    return message([&] {
      RequestReader reader(files);
      for (Request request; reader.next(request);) {
      }
    });
  }
  support::TempFolder folder_;
};

TEST_F(RequestFilesTest, PrefixesAreAsManyAsLines) {
  const std::string input = folder_.write("in", "a\nb\nc\n");
  const std::string few = folder_.write("few", "x\ny\n"), many = folder_.write("many", "x\n\n\nz\n");
  EXPECT_EQ(message([&] { RequestReader({.input = input, .prefixes = few}); }),
            input + " has 3 lines, but " + few + " has 2");
  EXPECT_EQ(message([&] { RequestReader({.input = input, .prefixes = many}); }),
            input + " has 3 lines, but " + many + " has 4");
  EXPECT_EQ(message([&] { check_line_counts("/dev/null", few); }), "nothing was thrown");
  // Of a pipe nothing is known before it is read.
  EXPECT_EQ(refusal({.input = "/dev/null", .prefixes = few}), few + " has more lines than the 0 of the input");
  const std::string good = folder_.write("good", "x\n\nz\n");
  RequestReader reader({.input = input, .prefixes = good});
  Request request;
  for (const char* prefix : {"x", "", "z"}) {
    ASSERT_TRUE(reader.next(request));
    EXPECT_EQ(request.prefix, prefix);
  }
  EXPECT_FALSE(reader.next(request));
}

TEST_F(RequestFilesTest, LinesAndTermsHaveALongestLength) {
  const std::string input = folder_.write("in", "short\n" + std::string(5000, 'x') + "\n");
  EXPECT_EQ(refusal({.input = input, .max_line_bytes = 4999}), "line 2: is longer than --max-line-bytes allows");
  EXPECT_EQ(refusal({.input = input, .max_line_bytes = 5000}), "nothing was thrown");
  EXPECT_NE(refusal({.input = input, .banned = folder_.write("b", std::string(1 << 17, 'x'))}).find("b:1: is longer"),
            std::string::npos);
  EXPECT_NE(refusal({.input = input, .terms = folder_.write("t", "dog\t  \n")}).find("t:1: expected a source term"),
            std::string::npos);
  for (const char* const terms : {"dog\tHund\tKatze\n", "dog\tHund\rcat\tKatze\r"})
    EXPECT_NE(refusal({.input = input, .terms = folder_.write("t", terms)}).find("t:1: expected a source term"),
              std::string::npos);
  EXPECT_NE(
      refusal({.input = input, .terms = folder_.write("t", "a\tb\ndog\t\xff\n")}).find("t:2: byte 5 is not UTF-8"),
      std::string::npos);
}

TEST_F(RequestFilesTest, ConstraintsAreKnownBeforeTheFirstLine) {
  RequestReader reader({.input = "/dev/null",
                        .terms = folder_.write("t", "dog\tHund\n"),
                        .banned = folder_.write("b", "x\n\n \ny\n"),
                        .prefixes = folder_.write("p", "")});
  const Request all = reader.constraints();
  EXPECT_EQ(all.terms.size(), 1u);
  EXPECT_EQ(all.banned, (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(all.prefix.empty());
}

TEST(JsonText, ReplacesBytesThatAreNotUtf8) {
  const nlohmann::ordered_json json = {{"file",
                                        "a\xff"
                                        "b"}};
  EXPECT_EQ(to_text(json), "{\"file\":\"a\ufffdb\"}");
}

TEST(JsonText, EscapesEveryControlCharacter) {
  const nlohmann::ordered_json json = {"\x1B[2J", "\x7F", "\u0080\u009B31m", "\u00A0\u00E9\u20AC"};
  EXPECT_EQ(to_text(json), R"(["\u001b[2J","\u007f","\u0080\u009b31m",")"
                           "\u00A0\u00E9\u20AC\"]");
  EXPECT_EQ(nlohmann::ordered_json::parse(to_text(json)), json);
}

}  // namespace
}  // namespace dragoman::run
