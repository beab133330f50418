#include "data/augment.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "text/unicode.h"

namespace dragoman::data {
namespace {

// All copies of `pairs`, in order.
std::vector<Pair> copies_of(const std::vector<Pair>& pairs, const AugmentOptions& options) {
  Augmenter augmenter(options);
  std::vector<Pair> copies;
  for (const Pair& pair : pairs) augmenter.augment(pair, [&](const Pair& copy) { copies.push_back(copy); });
  return copies;
}

Pair only_copy_of(const Pair& pair, const AugmentOptions& options) {
  const std::vector<Pair> copies = copies_of({pair}, options);
  EXPECT_EQ(copies.size(), 1u);
  return copies.empty() ? Pair{} : copies[0];
}

const Pair kStreet{"The street is long.", "Die Straße ist lang.", 1};

TEST(Augment, MakesNothingUnlessAsked) { EXPECT_TRUE(copies_of({kStreet}, {}).empty()); }

TEST(Augment, WritesBothSidesInCapitals) {
  const Pair copy = only_copy_of(kStreet, {.upper = 1});
  EXPECT_EQ(copy.source, "THE STREET IS LONG.");
  EXPECT_EQ(copy.target, "DIE STRASSE IST LANG.");
}

TEST(Augment, WritesTheSourceInSmallLetters) {
  const Pair copy = only_copy_of(kStreet, {.lower = 1});
  EXPECT_EQ(copy.source, "the street is long.");
  EXPECT_EQ(copy.target, kStreet.target);
  EXPECT_TRUE(copies_of({{"so be it.", "So sei es.", 1}}, {.lower = 1}).empty()) << "nothing to change";
}

TEST(Augment, DropsTheMarkAtTheEndOfBothSides) {
  const Pair copy = only_copy_of(kStreet, {.unpunctuated = 1});
  EXPECT_EQ(copy.source, "The street is long");
  EXPECT_EQ(copy.target, "Die Straße ist lang");
  EXPECT_TRUE(copies_of({{"Oh dear", "Oje!", 1}}, {.unpunctuated = 1}).empty()) << "one side has none";
}

TEST(Augment, DropsTheApostrophesOfTheSource) {
  const Pair copy = only_copy_of({"Don't say it’s 'late'.", "Sag nicht, dass's spät ist.", 1}, {.apostrophes = 1});
  EXPECT_EQ(copy.source, "Dont say its late.");
  EXPECT_EQ(copy.target, "Sag nicht, dass's spät ist.");
  EXPECT_TRUE(copies_of({{"It is late.", "Es ist spät.", 1}}, {.apostrophes = 1}).empty()) << "nothing to change";
}

TEST(Augment, MistypesLongWordsOfTheSourceOnly) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Pair copy = only_copy_of({"At 12 the Übergang is it.", "target", 1}, {.typos = 1, .seed = seed});
    EXPECT_EQ(copy.target, "target");
    EXPECT_TRUE(copy.source.starts_with("At 12 the ") && copy.source.ends_with(" is it.")) << copy.source;
    const auto length = static_cast<std::ptrdiff_t>(text::code_points(copy.source).size());
    EXPECT_LE(std::abs(length - 25), 1) << copy.source;
    seen.insert(copy.source);
  }
  EXPECT_GT(seen.size(), 50u);
  EXPECT_TRUE(copies_of({{"To be or 1234?", "x", 1}}, {.typos = 1}).empty()) << "no word is long enough";
}

// Whether `text` is `middle` with something before or after it; what that is.
std::optional<std::pair<std::string, std::string>> around(const std::string& middle, const std::string& text) {
  const std::size_t at = text.find(middle);
  if (at == std::string::npos) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + middle.size()));
}

TEST(Augment, GivesBothSidesTheSameSigns) {
  std::set<std::string> frames, words;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Pair copy = only_copy_of({"He saw Anna in May.", "Er sah Anna im Mai.", 1}, {.signs = 1, .seed = seed});
    ASSERT_NE(copy.source, "He saw Anna in May.");
    if (const auto source = around("He saw Anna in May", copy.source)) {
      EXPECT_EQ(source, around("Er sah Anna im Mai", copy.target)) << copy.source << "\n" << copy.target;
      frames.insert(source->first + " " + source->second);
    } else {  // the name is marked or replaced
      ASSERT_TRUE(copy.source.starts_with("He saw ") && copy.source.ends_with(" in May.")) << copy.source;
      const std::string word = copy.source.substr(7, copy.source.size() - 15);
      EXPECT_EQ(copy.target, "Er sah " + word + " im Mai.");
      words.insert(word);
    }
  }
  EXPECT_TRUE(frames.contains("#  .") && frames.contains("** .**"));
  EXPECT_TRUE(words.contains("<b>Anna</b>"));
  EXPECT_GT(frames.size(), 100u);
  EXPECT_GT(words.size(), 100u);
}

TEST(Augment, GivesBothSidesTheSameOtherNumbers) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Pair copy = only_copy_of({"In 1994, 25 of 300 came (7).", "Im Jahr 1994 kamen 25 von 300 (7).", 1},
                                   {.numbers = 1, .seed = seed});
    int year = 0, some = 0, all = 0, last = 0;
    ASSERT_EQ(std::sscanf(copy.source.c_str(), "In %d, %d of %d came (%d).", &year, &some, &all, &last), 4)
        << copy.source;
    EXPECT_EQ(copy.target, "Im Jahr " + std::to_string(year) + " kamen " + std::to_string(some) + " von " +
                               std::to_string(all) + " (" + std::to_string(last) + ").");
    EXPECT_TRUE(year >= 1000 && year < 2100 && some > 1 && all > 1 && last > 1) << copy.source;
  }
}

TEST(Augment, LeavesNumbersAloneThatLanguagesWriteDifferently) {
  for (const auto& [source, target] :
       std::vector<std::pair<const char*, const char*>>{{"It costs 3.50 euros.", "Es kostet 3,50 Euro."},
                                                        {"On the 3rd of May", "Am 3. Mai"},
                                                        {"A B52 flew.", "Eine B52 flog."},
                                                        {"1 house", "1 Haus"},
                                                        {"2 plus 2", "2 plus 2"},
                                                        {"5 dogs", "fünf Hunde"}})
    EXPECT_TRUE(copies_of({{source, target, 1}}, {.numbers = 1}).empty()) << source;
}

TEST(Augment, AddsTheSameAddressToBothSides) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Pair copy = only_copy_of(kStreet, {.addresses = 1, .seed = seed});
    // What is added is what remains between the words of the pair.
    std::string added = copy.source;
    added.erase(added.find("The street is long"), std::string("The street is long").size());
    std::string target = copy.target;
    target.erase(target.find("Die Straße ist lang"), std::string("Die Straße ist lang").size());
    EXPECT_EQ(added, target);
    EXPECT_TRUE(added.find('@') != std::string::npos || added.find("www.") != std::string::npos ||
                added.find("://") != std::string::npos)
        << added;
  }
}

TEST(Augment, AddsAnEmojiToBothSides) {
  const Pair copy = only_copy_of(kStreet, {.emoji = 1});
  EXPECT_GT(copy.source.size(), kStreet.source.size());
  EXPECT_EQ(copy.source.size() - kStreet.source.size(), copy.target.size() - kStreet.target.size());
}

TEST(Augment, AddsTheSameWordsOfAnotherScriptToBothSides) {
  int alone = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Pair copy = only_copy_of({"a", "b", 1}, {.foreign = 1, .seed = seed});
    if (copy.source == copy.target) {
      ++alone;
    } else {
      std::string source = copy.source, target = copy.target;
      source.erase(source.find('a'), 1);
      target.erase(target.find('b'), 1);
      EXPECT_EQ(source, target);
    }
    EXPECT_LT(text::code_points(copy.source).size(), copy.source.size()) << "more than Latin letters";
  }
  EXPECT_NEAR(alone, 50, 25);
}

TEST(Augment, JoinsAPairWithThoseBeforeIt) {
  const std::vector<Pair> pairs = {{"a", "A", 1}, {"b", "B", 2}, {"c", "C", 3}, {"d", "D", 4}, {"e", "E", 5}};
  std::set<std::string> last;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<Pair> copies = copies_of(pairs, {.joined = 1, .seed = seed});
    ASSERT_EQ(copies.size(), 4u) << "nothing is before the first pair";
    EXPECT_EQ(copies[0].source, "a b");
    EXPECT_EQ(copies[0].target, "A B");
    last.insert(copies[3].source);
  }
  EXPECT_EQ(last, (std::set<std::string>{"d e", "c d e", "b c d e"}));
  const std::string length(400, 'x');
  EXPECT_TRUE(copies_of({{length, "y", 1}, {length, "y", 2}}, {.joined = 1}).empty()) << "too long together";
}

TEST(Augment, CopiesTheTarget) {
  const Pair copy = only_copy_of(kStreet, {.copied = 1});
  EXPECT_EQ(copy.source, kStreet.target);
  EXPECT_EQ(copy.target, kStreet.target);
}

TEST(Augment, LeavesPairsWithAnEmptySideAlone) {
  EXPECT_TRUE(copies_of({{"", "x", 1}, {"x", "", 2}}, {.upper = 1, .addresses = 1, .copied = 1}).empty());
}

TEST(Augment, MakesTheFractionAskedForAndTheSameEveryTime) {
  const std::vector<Pair> pairs(10000, kStreet);
  Augmenter augmenter({.upper = 0.1, .emoji = 0.02});
  std::size_t copies = 0;
  for (const Pair& pair : pairs) augmenter.augment(pair, [&](const Pair&) { ++copies; });
  const Counts made = augmenter.made();
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(made[0].first, "upper");
  EXPECT_NEAR(static_cast<double>(made[0].second), 1000, 120);
  EXPECT_EQ(made[1].first, "emoji");
  EXPECT_NEAR(static_cast<double>(made[1].second), 200, 60);
  EXPECT_EQ(copies, made[0].second + made[1].second);
  const AugmentOptions options{.typos = 0.5, .addresses = 0.5, .seed = 9};
  const std::vector<Pair> once = copies_of(pairs, options), again = copies_of(pairs, options);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) ASSERT_EQ(once[i].source, again[i].source);
}

// Any bytes: the reader has made them valid UTF-8, but nothing else is known about them.
TEST(Augment, TakesAnyText) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Pair pair{"", "", 1};
    for (std::string* side : {&pair.source, &pair.target})
      for (std::uint64_t length = 1 + random.below(40); length > 0; --length) {
        static constexpr std::u32string_view kAlphabet = U"aZ0 19.,()!?ßé\u0301漢字😀\u200d@:/";
        text::append_utf8(kAlphabet[random.below(kAlphabet.size())], *side);
      }
    for (const Pair& copy : copies_of({pair, pair}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, seed})) {
      EXPECT_FALSE(copy.source.empty() && copy.target.empty());
      EXPECT_EQ(copy.source.find('\n'), std::string::npos);
      for (const std::string& side : {copy.source, copy.target})
        for (std::size_t at = 0; at < side.size(); at += text::code_point_at(side, at).length)
          ASSERT_TRUE(text::code_point_at(side, at).valid) << side;
    }
  }
}

}  // namespace
}  // namespace dragoman::data
