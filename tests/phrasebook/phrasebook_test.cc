#include "phrasebook/phrasebook.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>

#include "base/error.h"
#include "phrasebook/patterns.h"

namespace dragoman::phrasebook {
namespace {

TEST(Phrasebook, HasEnoughWordsAndPatterns) {
  EXPECT_GE(Phrasebook::lemma_count(), 300);
  EXPECT_GE(Phrasebook::pattern_names().size(), 40u);
  std::set<std::string> lemmas;
  for (const Noun& entry : nouns()) lemmas.insert(entry.singular);
  for (const Verb& entry : verbs()) lemmas.insert(std::string(entry.prefix) + entry.infinitive);
  for (const Adjective& entry : adjectives()) lemmas.insert(entry.german);
  EXPECT_GE(lemmas.size(), 300u);
}

// A checksum of many pairs: it must not depend on the compiler or the processor.
TEST(Phrasebook, IsTheSameOnEveryMachine) {
  const Phrasebook book(1);
  std::uint64_t sum = 0xCBF29CE484222325u;
  for (std::uint64_t index = 0; index < 3000; ++index) {
    const BilingualPhrase pair = book.pair(Split::train, index);
    for (const char c : pair.english + "\n" + pair.german + "\n")
      sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  }
  EXPECT_EQ(sum, 16911530470919438215u);
}

TEST(Phrasebook, SaysThingsTheSameWayForTheSameSeedOnly) {
  const Phrasebook first(7), again(7), other(8);
  int different = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(first.pair(Split::train, i).german, again.pair(Split::train, i).german);
    different += first.pair(Split::train, i).german != other.pair(Split::train, i).german ? 1 : 0;
  }
  EXPECT_GT(different, 190);
}

TEST(Phrasebook, KeepsEverySentenceOfEitherSideInOneSplit) {
  std::map<std::string, Split> english, german;
  for (const std::uint64_t seed : {1u, 2u}) {
    const Phrasebook book(seed);
    const std::pair<Split, std::uint64_t> parts[] = {{Split::train, 20000}, {Split::valid, 60}, {Split::test, 60}};
    for (const auto& [split, count] : parts) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const BilingualPhrase pair = book.pair(split, i);
        EXPECT_EQ(english.emplace(pair.english, split).first->second, split) << pair.english;
        EXPECT_EQ(german.emplace(pair.german, split).first->second, split) << pair.german;
      }
    }
  }
}

TEST(Phrasebook, MakesMoreThanAMillionDistinctPairs) {
  const Phrasebook book(1);
  DistinctPairs pairs(book, Split::train);
  while (pairs.count() <= 1'000'000) pairs.next();
  SUCCEED();
}

TEST(Phrasebook, TranslatesNearlyEverySentenceInOneWay) {
  const Phrasebook book(3);
  DistinctPairs pairs(book, Split::train);
  std::unordered_map<std::string, std::string> to_german, to_english;
  int ambiguous_english = 0, ambiguous_german = 0;
  constexpr int count = 200'000;
  for (int i = 0; i < count; ++i) {
    const BilingualPhrase pair = pairs.next();
    ambiguous_english += to_german.emplace(pair.english, pair.german).second ? 0 : 1;
    ambiguous_german += to_english.emplace(pair.german, pair.english).second ? 0 : 1;
  }
  EXPECT_LT(ambiguous_english, count / 1000);
  EXPECT_LT(ambiguous_german, count / 1000);
}

TEST(Phrasebook, WritesSentencesAsPeopleDo) {
  const Phrasebook book(5);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const BilingualPhrase pair = book.pair(Split::train, i);
    for (const std::string& text : {pair.english, pair.german}) {
      EXPECT_EQ(text.find("  "), std::string::npos) << text;
      EXPECT_EQ(text.find(" ,"), std::string::npos) << text;
      EXPECT_EQ(text.find(",,"), std::string::npos) << text;
      EXPECT_NE(std::string_view(".?!").find(text.back()), std::string_view::npos) << text;
      EXPECT_TRUE((text[0] >= 'A' && text[0] <= 'Z') || text[0] == '\xC3') << text;
    }
    EXPECT_EQ(pair.english.back(), pair.german.back());
  }
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string without_mark(std::string word) {
  while (!word.empty() && std::string_view(".,?!").find(word.back()) != std::string_view::npos) word.pop_back();
  return word;
}

// All valid combinations of article and noun, by gender and case.
std::set<std::pair<std::string, std::string>> allowed_articles() {
  const char* const table[4][4][2] = {{{"der", "ein"}, {"den", "einen"}, {"dem", "einem"}, {"des", "eines"}},
                                      {{"die", "eine"}, {"die", "eine"}, {"der", "einer"}, {"der", "einer"}},
                                      {{"das", "ein"}, {"das", "ein"}, {"dem", "einem"}, {"des", "eines"}},
                                      {{"die", ""}, {"die", ""}, {"den", ""}, {"der", ""}}};
  std::set<std::pair<std::string, std::string>> allowed;
  for (const Noun& entry : nouns()) {
    const bool weak = (entry.kinds & kind::weak) != 0;
    const std::string oblique = weak ? entry.genitive : entry.singular;
    const std::string plural = entry.plural;
    const bool n = plural.ends_with("n") || plural.ends_with("s");
    const std::string singular[] = {entry.singular, oblique, oblique, entry.genitive};
    const std::string plurals[] = {plural, plural, n ? plural : plural + "n", plural};
    for (int c = 0; c < 4; ++c) {
      for (const char* article : table[static_cast<int>(entry.gender)][c]) allowed.emplace(article, singular[c]);
      allowed.emplace(table[3][c][0], plurals[c]);
    }
  }
  return allowed;
}

TEST(Phrasebook, PutsOnlyAgreeingArticlesBeforeNouns) {
  const auto allowed = allowed_articles();
  std::set<std::string> articles, known;
  for (const auto& [article, word] : allowed) {
    articles.insert(article);
    known.insert(word);
  }
  const Phrasebook book(11);
  int seen = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::string text = book.pair(Split::train, i).german;
    std::vector<std::string> words = words_of(text);
    if (words[0].size() < 6) words[0][0] = static_cast<char>(std::tolower(words[0][0]));
    for (std::size_t w = 0; w + 1 < words.size(); ++w) {
      // After a comma it may be a relative pronoun, also after a preposition.
      const bool relative = (w > 0 && words[w - 1].back() == ',') || (w > 1 && words[w - 2].back() == ',');
      const std::string word = without_mark(words[w + 1]);
      const bool clock = words[w] == "ein" && word == "Uhr";  // ein Uhr, one o'clock
      if (clock || relative || !articles.count(words[w]) || !known.count(word)) continue;
      EXPECT_TRUE(allowed.count({words[w], word})) << text;
      ++seen;
    }
  }
  EXPECT_GT(seen, 10000);
}

TEST(Phrasebook, SetsCommasBeforeConjunctions) {
  const Phrasebook book(12);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::string text = book.pair(Split::train, i).german;
    const std::vector<std::string> words = words_of(text);
    for (std::size_t w = 1; w < words.size(); ++w) {
      static const std::set<std::string> conjunctions = {"dass", "weil", "ob", "sondern", "obwohl", "deshalb"};
      if (conjunctions.count(words[w])) {
        EXPECT_EQ(words[w - 1].back(), ',') << text;
      }
    }
  }
}

TEST(Phrasebook, ChoosesTheEnglishArticleBySoundEverywhere) {
  const Phrasebook book(13);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::string text = book.pair(Split::train, i).english;
    const std::vector<std::string> words = words_of(text);
    for (std::size_t w = 0; w + 1 < words.size(); ++w) {
      const bool vowel = std::string_view("aeiou").find(words[w + 1][0]) != std::string_view::npos;
      const bool sounds =
          (vowel && !words[w + 1].starts_with("uni")) || words[w + 1].starts_with("hour") || words[w + 1] == "honest";
      if (words[w] == "a") {
        EXPECT_FALSE(sounds) << text;
      }
      if (words[w] == "an") {
        EXPECT_TRUE(sounds) << text;
      }
    }
  }
}

TEST(Phrasebook, RefusesMoreSentencesThanItsPatternsMake) {
  const Phrasebook book(1, {"clock-time"});
  DistinctPairs pairs(book, Split::train);
  EXPECT_THROW(
      {
        for (int i = 0; i < 1000; ++i) pairs.next();
      },
      Error);
  EXPECT_GT(pairs.count(), 50u);
}

TEST(Phrasebook, NamesTheNearestPatternForAnUnknownOne) {
  try {
    Phrasebook book(1, {"habits"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'habit'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dragoman::phrasebook
