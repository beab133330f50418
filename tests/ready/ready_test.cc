// The models that come with the program, on text that small models stumble over. Translations may change with the
// models; these properties may not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/random.h"
#include "data/augment.h"
#include "dragoman/translator.h"
#include "search/constrain/term_endings.h"
#include "tests/ready/properties.h"
#include "tests/ready/sentences.h"

namespace dragoman::ready {
namespace {

class ReadyModel : public testing::TestWithParam<const char*> {
 protected:
  static const Translator& model() {
    static std::map<std::string, Translator> loaded;
    const std::string file = std::string(DRAGOMAN_SOURCE "/models/") + GetParam() + ".safetensors";
    return loaded.try_emplace(file, file, TranslatorOptions{.device = "cpu"}).first->second;
  }
  static const Sentences& sentences() { return std::string(GetParam()) == "en-de" ? english() : german(); }

  // Calls look(source, translation) for all texts.
  template <class Look>
  static void translate(const std::vector<std::string>& texts, Look look) {
    const std::vector<std::string> translations = model().translate(texts);
    ASSERT_EQ(translations.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_TRUE(is_sound(texts[i], translations[i])) << texts[i] << "\n" << translations[i];
      look(texts[i], translations[i]);
    }
  }
  static void translate(const std::vector<std::string>& texts) {
    translate(texts, [](const std::string&, const std::string&) {});
  }
};
INSTANTIATE_TEST_SUITE_P(Directions, ReadyModel, testing::Values("en-de", "de-en"),
                         [](const auto& direction) { return std::string(direction.param).replace(2, 1, "_"); });

// Each of `patterns` with each of `fillings` in the place of `mark`.
std::vector<std::string> filled(const std::vector<std::string>& patterns, const std::string& mark,
                                const std::vector<std::string>& fillings) {
  std::vector<std::string> all;
  for (const std::string& pattern : patterns)
    for (const std::string& filling : fillings) all.push_back(replaced(pattern, mark, filling));
  return all;
}

TEST_P(ReadyModel, TranslatesPlainSentences) {
  translate(sentences().plain, [](const std::string& source, const std::string& translation) {
    EXPECT_NE(source, translation);
    EXPECT_EQ(last_mark(source), last_mark(translation)) << translation;
  });
}

TEST_P(ReadyModel, KeepsNumbers) {
  Random random(7);
  std::vector<std::string> texts;
  for (int round = 0; round < 12; ++round)
    for (std::string text : sentences().numbers) {
      while (text.find("{n}") != std::string::npos)
        text.replace(text.find("{n}"), 3, std::to_string(2 + random.below(round % 3 == 0 ? 1000 : 100)));
      while (text.find("{y}") != std::string::npos)
        text.replace(text.find("{y}"), 3, std::to_string(1700 + random.below(330)));
      texts.push_back(text);
    }
  int kept = 0;
  translate(texts, [&](const std::string& source, const std::string& translation) {
    kept += numbers_of(source) == numbers_of(translation);
  });
  EXPECT_GE(kept, static_cast<int>(texts.size()) - 1) << "of " << texts.size();
}

// The word for the term is in the place of the usual one, which is gone.
// What the checks of a translation ask for must not end in an error, nor change what the user asked for.
TEST_P(ReadyModel, KeepsToTermsPrefixesAndBannedWordsBesideAddresses) {
  const auto translated = [&](Request request) {
    return model().translate(std::vector<Request>{std::move(request)}, {}).front().translations.front().text;
  };
  std::string address = "https://example.com/";
  for (int i = 0; i < 250; ++i) address += "a1b2/";
  EXPECT_NE(translated({"https://example.com/foo: 3.", "", {}, {"example"}}), "");
  EXPECT_NE(translated({address, "", {}, {}}), "");
  Request terms{"http://a.org http://b.org http://c.org http://d.org http://e.org http://f.org", "", {}, {}};
  for (int i = 0; i < 62; ++i) {
    terms.text += fmt::format(" w{}", i);
    terms.terms.emplace_back(fmt::format("w{}", i), fmt::format("w{}", i));
  }
  EXPECT_NE(translated(terms), "");
  const std::string capitals = std::string(GetParam()) == "en-de" ? "I BOUGHT A NEW FOO TODAY IN THE CITY."
                                                                  : "ICH HABE HEUTE EIN NEUES FOO GEKAUFT.";
  EXPECT_NE(translated({capitals, "", {{"FOO", "iPhone"}}, {}}).find("iPhone"), std::string::npos);
  const std::string plain = std::string(GetParam()) == "en-de" ? "The minister said that he will resign."
                                                               : "Der Minister sagte, er werde gehen.";
  const std::string with_prefix = translated({plain, "WASHINGTON (AP)", {}, {}});
  EXPECT_TRUE(with_prefix.starts_with("WASHINGTON (AP)")) << with_prefix;
  EXPECT_TRUE(std::any_of(with_prefix.begin(), with_prefix.end(), [](char c) { return c >= 'a' && c <= 'z'; }));
  const std::string quoted = translated({"\"" + plain + "\"", "\"", {}, {}});
  EXPECT_TRUE(quoted.starts_with("\"") && quoted[1] != ' ') << quoted;
}

TEST_P(ReadyModel, WritesTermsWhereTheirSourceWasTranslated) {
  struct Case {
    std::string direction, text;
    std::vector<std::pair<std::string, std::string>> terms;
    std::vector<std::string> replaced;
  };
  const std::vector<Case> cases = {
      {"en-de", "The dog barks.", {{"dog", "Köter"}}, {"Hund"}},
      {"en-de", "Dogs are not allowed in this house.", {{"dogs", "Köter"}}, {"Hunde"}},
      {"en-de", "We sold the house and the car.", {{"house", "Bude"}, {"car", "Kraftfahrzeug"}}, {"Haus", "Auto"}},
      {"en-de",
       "The company said that the meeting was a success.",
       {{"meeting", "Sitzung"}, {"company", "Unternehmung"}},
       {"Treffen", "Firma"}},
      {"de-en", "Der Hund bellt.", {{"Hund", "hound"}}, {"dog"}},
      {"de-en", "Der Hund ist im Haus.", {{"Hund", "hound"}, {"Haus", "home"}}, {"dog", "house"}}};
  for (const Case& one : cases) {
    if (one.direction != GetParam()) continue;
    Request request;
    request.text = one.text;
    request.terms = one.terms;
    const std::string text = model().translate(std::vector<Request>{request}, {}).front().translations.front().text;
    EXPECT_TRUE(is_sound(one.text, text)) << text;
    for (const auto& [source, term] : one.terms) EXPECT_NE(text.find(term), std::string::npos) << term << ": " << text;
    for (const std::string& word : one.replaced) EXPECT_EQ(text.find(word), std::string::npos) << word << ": " << text;
    EXPECT_EQ(last_mark(one.text), last_mark(text)) << text;
  }
}

// Each place of a term is translated with it, as a word of its own or with an ending of the language.
TEST_P(ReadyModel, WritesTermsAsWordsOfTheirOwnAndAsOftenAsTheSource) {
  struct Case {
    std::string direction, text;
    std::pair<std::string, std::string> term;
    std::size_t times;
  };
  const std::vector<Case> cases = {
      {"en-de", "My mother is a teacher.", {"teacher", "Lehrer"}, 1},
      {"en-de", "The cable is connected to the other cable.", {"cable", "Strippe"}, 2},
      {"en-de", "The contract replaces every older contract.", {"contract", "Vereinbarung"}, 2},
      {"en-de", "The city council met in the city.", {"city", "Stadt"}, 2},
      {"de-en", "Legen Sie die Manschette um den Arm.", {"Manschette", "cuff"}, 1},
      {"de-en", "Der Hund jagt den anderen Hund.", {"Hund", "hound"}, 2},
      {"de-en", "Der Vertrag ersetzt jeden älteren Vertrag.", {"Vertrag", "covenant"}, 2}};
  for (const Case& one : cases) {
    if (one.direction != GetParam()) continue;
    Request request;
    request.text = one.text;
    request.terms = {one.term};
    const std::string text = model().translate(std::vector<Request>{request}, {}).front().translations.front().text;
    EXPECT_TRUE(is_sound(one.text, text)) << text;
    EXPECT_EQ(search::count_whole(text, one.term.second, search::Ending::inflected), one.times) << text;
  }
}

TEST_P(ReadyModel, KeepsTextsOfMarksOnly) {
  for (const std::string text : {"!!!", "---", "***", "…", "???", "😀 🎉"})
    EXPECT_EQ(model().translate(std::vector{text}).front(), text);
}

TEST_P(ReadyModel, CopiesAddresses) {
  int texts = 0, kept = 0;
  for (const std::string& address : kAddresses)
    translate(filled(sentences().addresses, "{a}", {address}), [&](const std::string&, const std::string& translation) {
      ++texts;
      kept += contains_alone(translation, address);
    });
  EXPECT_GE(kept, texts - 1) << "of " << texts;
}

TEST_P(ReadyModel, CopiesTelephoneNumbersAndTheLike) {
  int texts = 0, kept = 0;
  for (const std::string& copy : kCopies)
    translate(filled(sentences().copies, "{c}", {copy}), [&](const std::string&, const std::string& translation) {
      ++texts;
      kept += contains_alone(translation, copy);
    });
  EXPECT_GE(kept, texts - 1) << "of " << texts;
}

TEST_P(ReadyModel, CopiesPlaceholders) {
  int texts = 0, kept = 0;
  for (const std::string& placeholder : kPlaceholders)
    translate(filled(sentences().copies, "{c}", {placeholder}),
              [&](const std::string&, const std::string& translation) {
                ++texts;
                kept += contains_alone(translation, placeholder);
              });
  EXPECT_GE(kept, texts - 1) << "of " << texts;
}

TEST_P(ReadyModel, KeepsAngleBracketsAroundAddresses) {
  for (const std::string address : {"<https://example.com/x>", "<a@b.de>", "<https://example.com>"}) {
    std::vector<std::string> texts;
    for (const std::string& text : sentences().plain) texts.push_back(address + " " + text);
    translate(texts, [&](const std::string& text, const std::string& translation) {
      EXPECT_NE(translation.find(address), std::string::npos) << text << "\n" << translation;
    });
  }
}

TEST_P(ReadyModel, KeepsMostMarkup) {
  int texts = 0, kept = 0;
  for (const auto& [before, after] : kMarkup) {
    std::vector<std::string> marked;
    for (const std::string& text : sentences().plain) marked.push_back(before + text + after);
    translate(marked, [&, &before = before, &after = after](const std::string&, const std::string& translation) {
      ++texts;
      kept += translation.starts_with(before) && translation.ends_with(after);
    });
  }
  EXPECT_GE(100 * kept, 98 * texts) << kept << " of " << texts;
}

TEST_P(ReadyModel, KeepsTheMinutesOfTimes) {
  int texts = 0, kept = 0;
  for (const auto& [hour, minute] : kTimes)
    translate(filled(sentences().times, "{t}", {hour + ":" + minute}),
              [&, &minute = minute](const std::string&, const std::string& translation) {
                ++texts;
                kept += numbers_of(translation).contains(minute) || translation.find("." + minute) != std::string::npos;
              });
  EXPECT_GE(kept, texts - 1) << "of " << texts;
}

TEST_P(ReadyModel, KeepsNames) {
  int texts = 0, kept = 0;
  for (const std::string& name : kNames)
    translate(filled(sentences().names, "{p}", {name}), [&](const std::string&, const std::string& translation) {
      ++texts;
      kept += translation.find(name.substr(name.rfind(' ') + 1)) != std::string::npos;
    });
  EXPECT_GE(kept, texts * 6 / 10) << "of " << texts;
}

TEST_P(ReadyModel, TranslatesSingleWords) {
  translate(sentences().words, [](const std::string& source, const std::string& translation) {
    EXPECT_LE(words_of(translation).size(), words_of(source).size() + 2) << source << ": " << translation;
  });
}

TEST_P(ReadyModel, KeepsCapitals) {
  int kept = 0;
  std::vector<std::string> texts;
  for (const std::string& text : sentences().plain) texts.push_back(upper_case(text));
  const std::vector<std::string> translations = model().translate(texts);
  for (std::size_t i = 0; i < texts.size(); ++i)
    kept += is_sound(texts[i], translations[i]) && share_of_capitals(translations[i]) > 0.8;
  EXPECT_GE(kept, static_cast<int>(texts.size()) - 2) << "of " << texts.size();
}

TEST_P(ReadyModel, TakesSentencesWithoutCapitalsAndFinalMarks) {
  std::vector<std::string> texts;
  for (const std::string& text : sentences().plain) {
    texts.push_back(text::lower_case(text));
    texts.push_back(text.substr(0, text.size() - 1));
    texts.push_back(text::lower_case(text.substr(0, text.size() - 1)));
  }
  translate(texts);
}

TEST_P(ReadyModel, KeepsEmoji) {
  int texts = 0, kept = 0;
  for (const std::string emoji : {"😀", "🎉", "👍", "❤️", "👍🏽", "👩‍👩‍👧", "🇩🇪", "😂😂😂"})
    for (const std::string& text : sentences().plain)
      translate({text + " " + emoji}, [&](const std::string&, const std::string& translation) {
        ++texts;
        kept += translation.find(emoji) != std::string::npos;
      });
  EXPECT_GE(kept, texts * 95 / 100) << "of " << texts;
}

// Such text makes models repeat themselves up to their limit.
TEST_P(ReadyModel, RepeatsNumbersAboutAsOftenAsTheSource) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "123 ";
  const std::string translation = model().translate(std::vector{text}).front();
  EXPECT_TRUE(is_sound(text, translation)) << translation;
  EXPECT_LE(words_of(translation).size(), 320u);
}

TEST_P(ReadyModel, ForgivesTypingErrors) {
  data::Augmenter typist({.typos = 1, .seed = 3});
  std::vector<std::string> texts;
  for (int round = 0; round < 4; ++round)
    for (const std::string& text : sentences().plain)
      typist.augment({text, text, 1}, [&](const data::Pair& copy) { texts.push_back(copy.source); });
  translate(texts);
}

TEST_P(ReadyModel, TakesLongTextAndOtherLanguages) {
  std::string whole;
  for (const std::string& text : sentences().plain) whole += text + " ";
  std::string clauses = sentences().plain[2].substr(0, sentences().plain[2].size() - 1);
  for (const std::string& text : sentences().plain) clauses += ", " + text::lower_case(text.substr(0, text.size() - 1));
  translate({whole, whole + whole + whole, clauses, clauses + ", " + clauses,
             "Il fait beau aujourd'hui et nous allons à la plage.", "xkcd qwrtz plmk", "?!?!?!", "12.5 % + 7 = 19.5",
             "a b c d e f g h i j k l m n o p q r s t u v w x y z", "ha ha ha ha ha ha ha ha ha ha ha ha"});
}

}  // namespace
}  // namespace dragoman::ready
