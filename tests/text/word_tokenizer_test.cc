#include "text/word_tokenizer.h"

#include <gtest/gtest.h>

#include <ctime>
#include <sstream>

#include "base/random.h"
#include "text/contractions.h"
#include "text/word_join.h"
#include "text/word_split.h"

namespace dragoman::text {
namespace {

using Tokens = std::vector<std::string>;

Tokens cut(std::string_view line, const WordOptions& options) {
  Tokens tokens;
  for (const Word& word : WordRules(options).tokenize(line)) tokens.push_back(word.text);
  return tokens;
}
Tokens english(std::string_view line) { return cut(line, {.language = Language::english}); }
Tokens german(std::string_view line) { return cut(line, {.language = Language::german}); }
Tokens hindi(std::string_view line) { return cut(line, {.language = Language::hindi}); }
Tokens generic(std::string_view line) { return cut(line, {.language = Language::generic}); }

std::string written(Language language, const Tokens& tokens) {
  return WordRules({.language = language}).detokenize(tokens);
}

TEST(WordTokenizer, EnglishCliticsLeaveTheirWord) {
  EXPECT_EQ(english("I don't think it's theirs."), (Tokens{"I", "do", "n't", "think", "it", "'s", "theirs", "."}));
  EXPECT_EQ(english("They’re here, I’ll go."), (Tokens{"They", "’re", "here", ",", "I", "’ll", "go", "."}));
  EXPECT_EQ(english("The boys' kites and Ann's boat"),
            (Tokens{"The", "boys", "'", "kites", "and", "Ann", "'s", "boat"}));
  EXPECT_EQ(english("Five o'clock in the '90s, O'Neill"),
            (Tokens{"Five", "o'clock", "in", "the", "'90s", ",", "O'Neill"}));
}

TEST(WordTokenizer, EnglishAbbreviationsNumbersAndAddressesStayWhole) {
  EXPECT_EQ(english("Mr. Hill of the U.S. paid $1,234.56, e.g. to J. Doe."),
            (Tokens{"Mr.", "Hill", "of", "the", "U.S.", "paid", "$", "1,234.56", ",", "e.g.", "to", "J.", "Doe", "."}));
  EXPECT_EQ(english("See https://a.example/b?c=d, or write to me@mail.example."),
            (Tokens{"See", "https://a.example/b?c=d", ",", "or", "write", "to", "me@mail.example", "."}));
  EXPECT_EQ(english("A well-known 10% rise at 10:30 :-)"),
            (Tokens{"A", "well-known", "10", "%", "rise", "at", "10:30", ":-)"}));
  EXPECT_EQ(english("\"Yes,\" she said (twice)."),
            (Tokens{"\"", "Yes", ",", "\"", "she", "said", "(", "twice", ")", "."}));
}

TEST(WordTokenizer, TokenisedTextIsTakenAndGivenBackAsItIs) {
  const WordRules rules({.language = Language::tokenized});
  const std::string line = "i am the co - author ( or not ) , aren't i ? &quot; z.b. 3 . mai";
  const Tokens tokens = cut(line, {.language = Language::tokenized});
  EXPECT_EQ(tokens.size(), 19u);
  EXPECT_EQ(rules.detokenize(tokens), line);
  EXPECT_EQ(cut("  a\t b  ", {.language = Language::tokenized}), (Tokens{"a", "b"}));
  EXPECT_TRUE(cut(" ", {.language = Language::tokenized}).empty());
}

TEST(WordTokenizer, GermanOrdinalsAbbreviationsAndQuotes) {
  EXPECT_EQ(german("Am 3. Mai kam Dr. Kurz, z. B. mit Gästen usw. an."),
            (Tokens{"Am", "3.", "Mai", "kam", "Dr.", "Kurz", ",", "z.", "B.", "mit", "Gästen", "usw.", "an", "."}));
  EXPECT_EQ(german("Sie kam am 3."), (Tokens{"Sie", "kam", "am", "3", "."}));
  EXPECT_EQ(german("Es war 1990. Dann kam er, d.h. bald."),
            (Tokens{"Es", "war", "1990", ".", "Dann", "kam", "er", ",", "d.h.", "bald", "."}));
  EXPECT_EQ(german("„Ja“, rief »sie«."), (Tokens{"„", "Ja", "“", ",", "rief", "»", "sie", "«", "."}));
  EXPECT_EQ(german("Ost- und West-Teil, geht's?"), (Tokens{"Ost-", "und", "West-Teil", ",", "geht's", "?"}));
}

TEST(WordTokenizer, HindiMarksStayWithTheirWordAndDandaLeavesIt) {
  EXPECT_EQ(hindi("क्षत्रिय ने १२३ रुपये दिए। ठीक है?"), (Tokens{"क्षत्रिय", "ने", "१२३", "रुपये", "दिए", "।", "ठीक", "है", "?"}));
  EXPECT_EQ(hindi("डॉ. शर्मा १,२३४.५ कि.मी. चले॥"), (Tokens{"डॉ.", "शर्मा", "१,२३४.५", "कि.मी.", "चले", "॥"}));
}

TEST(WordTokenizer, GenericRulesKnowElisionsIdeographsAndNoBreakSpaces) {
  EXPECT_EQ(generic("L'homme d’hier, aujourd'hui"), (Tokens{"L'", "homme", "d’", "hier", ",", "aujourd'hui"}));
  EXPECT_EQ(generic("翻訳者 です"), (Tokens{"翻", "訳", "者", "で", "す"}));
  EXPECT_EQ(generic("«\u00A0Oui\u00A0!\u00A0» 10\u00A0000"),
            (Tokens{"«\u00A0", "Oui", "\u00A0!", "\u00A0»", "10\u00A0000"}));
  EXPECT_EQ(generic("e\u0301te\u0301 👩‍👩‍👧 👍🏽"), (Tokens{"été", "👩‍👩‍👧", "👍🏽"}));
}

TEST(WordTokenizer, TokensOfAModelAreWrittenAsTheLanguageWritesThem) {
  EXPECT_EQ(written(Language::english,
                    {"\"", "I", "do", "n't", "know", ",", "\"", "he", "said", "(", "it", "'s", "$", "5", ")", "."}),
            "\"I don't know,\" he said (it's $5).");
  EXPECT_EQ(written(Language::english, {"The", "boys", "'", "kites", "and", "'", "this", "'"}),
            "The boys' kites and 'this'");
  EXPECT_EQ(written(Language::german, {"„", "Ja", "“", ",", "10", "%", "am", "3.", "Mai", "!"}),
            "„Ja“, 10 % am 3. Mai!");
  EXPECT_EQ(written(Language::hindi, {"ठीक", "है", "।"}), "ठीक है।");
  EXPECT_EQ(written(Language::generic, {"l'", "homme", "et", "翻", "訳", "。"}), "l'homme et 翻訳。");
  EXPECT_EQ(written(Language::english, {}), "");
  EXPECT_EQ(written(Language::english, {"", "a", "", ","}), " a ,");
}

// Natural lines with tight and odd punctuation from a random grammar.
std::string random_line(Random& random) {
  static const std::vector<std::string> parts = {
      "word", "Ärger", "don't", "e.g.",   "10%", "$5", "(",  ")",   "\"", "'",    ",",  ".", "...", "!",
      "?",    "-",     "–",     "/",      "„",   "“",  "»",  "«",   "3.", "x/y",  "&",  "😀", "क्षि", "।",
      "१२",   "翻",    "l'eau", "\u00A0", "’s",  ":)", "#1", "a_b", "*",  "\xFF", "``", "''"};
  std::string line;
  for (std::uint64_t i = random.below(14); i-- > 0;) {
    line += parts[random.below(parts.size())];
    if (random.below(2) == 0) line += ' ';
  }
  return line;
}

TEST(WordTokenizer, WhatStoodTogetherIsWrittenTogetherAgain) {
  Random random(5);
  for (int round = 0; round < 20000; ++round) {
    const std::string line = random_line(random);
    for (const Language language : {Language::generic, Language::english, Language::german, Language::hindi}) {
      std::vector<std::string_view> tokens;
      const std::vector<WordSpan> words = split_words_joinable(line, language);
      for (const WordSpan& word : words)
        tokens.push_back(std::string_view(line).substr(word.span.begin, word.span.end - word.span.begin));
      const std::vector<bool> spaces = spaces_before(tokens, language);
      for (std::size_t i = 0; i < words.size(); ++i)
        ASSERT_FALSE(words[i].tight && spaces[i]) << line << " | " << tokens[i];
    }
  }
}

TEST(WordTokenizer, SpansNeverOverlapAndLeaveOnlySpacesOut) {
  Random random(6);
  for (int round = 0; round < 5000; ++round) {
    const std::string line = random_line(random);
    std::string rest = line;
    std::uint32_t last = 0;
    for (const Word& word : WordRules({.language = Language::english}).tokenize(line)) {
      ASSERT_LE(last, word.span.begin);
      last = word.span.end;
      for (std::uint32_t i = word.span.begin; i < word.span.end; ++i) rest[i] = ' ';
    }
    for (std::size_t at; (at = rest.find("\u00A0")) != std::string::npos;) rest.replace(at, 2, " ");
    ASSERT_EQ(rest.find_first_not_of(' '), std::string::npos) << line;
  }
}

TEST(WordTokenizer, JoinersLoseNothingButRepeatedSpaces) {
  Random random(7);
  const WordRules rules({.language = Language::english, .prepare = {.normalize = NormalForm::none}, .joiners = true});
  for (int round = 0; round < 5000; ++round) {
    std::string line;
    std::istringstream parts(random_line(random));
    for (std::string part; parts >> part;)
      if (part.find("\u00A0") == std::string::npos) line += (line.empty() ? "" : " ") + part;
    Tokens tokens;
    for (const Word& word : rules.tokenize(line)) tokens.push_back(word.text);
    ASSERT_EQ(rules.detokenize(tokens), line);
  }
  EXPECT_EQ(cut("Well, (no).", {.language = Language::english, .joiners = true}),
            (Tokens{"Well", "￭,", "(￭", "no", "￭)", "￭."}));
}

TEST(WordTokenizer, OptionsChangeTheTextAndSpansStillPointIntoTheLine) {
  const std::string line = "Ich weiß: U\u0308ber DON'T";
  const WordRules rules({.language = Language::english, .prepare = {.lower = true, .expand_contractions = true}});
  Tokens tokens, sources;
  for (const Word& word : rules.tokenize(line)) {
    tokens.push_back(word.text);
    sources.push_back(line.substr(word.span.begin, word.span.end - word.span.begin));
  }
  EXPECT_EQ(tokens, (Tokens{"ich", "weiß", ":", "über", "do", "not"}));
  EXPECT_EQ(sources, (Tokens{"Ich", "weiß", ":", "U\u0308ber", "DO", "N'T"}));
}

// Looking for an address to the line's end from every word would take 16 times as long for 4 times the text.
TEST(WordTokenizer, ALongLineWithoutSpacesIsSplitInTimeProportionalToItsLength) {
  const auto seconds = [](std::size_t bytes) {
    const std::clock_t begin = std::clock();
    for (const char* const part : {"\"-'»(", "a,", "a@", "a@b,", "a@b.c;", "a:/", "a://", "www.,", "\u4e2d", "1%"}) {
      std::string line;
      while (line.size() < bytes) line += part;
      EXPECT_FALSE(english(line).empty());
    }
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds(200'000), 9 * seconds(50'000));
}

TEST(WordTokenizer, AnAddressIsFoundBehindOthersAndBehindTextThatOnlyLooksLikeOne) {
  const auto split = [](const std::string& line) {
    Tokens tokens;
    for (const WordSpan& word : split_words(line, Language::english))
      tokens.push_back(line.substr(word.span.begin, word.span.end - word.span.begin));
    return tokens;
  };
  EXPECT_EQ(split("(a,b@c.org)"), (Tokens{"(", "a", ",", "b@c.org", ")"}));
  EXPECT_EQ(split("a@b,c \"c@d.org\" e.f g-h://i j://k"),
            (Tokens{"a", "@", "b", ",", "c", "\"", "c@d.org", "\"", "e.f", "g-h", ":", "/", "/", "i", "j://k"}));
}

TEST(Contractions, AreWrittenOutInTheirCase) {
  EXPECT_EQ(expand_contractions("I don't, you won't, he can't, she shan't."),
            "I do not, you will not, he can not, she shall not.");
  EXPECT_EQ(expand_contractions("It's late. Let's go, that's all. They've come and we'd stay."),
            "It is late. Let us go, that is all. They have come and we would stay.");
  EXPECT_EQ(expand_contractions("WON'T Won't I'm I’M DON’T"), "WILL NOT Will not I am I AM DO NOT");
}

TEST(Contractions, PossessivesAndOtherApostrophesStay) {
  for (const char* text : {"Ann's boat", "the boys' kites", "o'clock", "O'Neill", "rock'n'roll", "n't", "'s"})
    EXPECT_EQ(expand_contractions(text), text);
}

}  // namespace
}  // namespace dragoman::text
