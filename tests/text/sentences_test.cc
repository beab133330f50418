#include "text/sentences.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace dragoman::text {
namespace {

std::vector<std::string> sentences(const std::string& text, Language language = Language::generic) {
  std::vector<std::string> all;
  for (const Span& span : split_sentences(text, language))
    all.push_back(text.substr(span.begin, span.end - span.begin));
  return all;
}
using Strings = std::vector<std::string>;

TEST(Sentences, EndWithMarksBeforeSomethingThatCanBeginOne) {
  EXPECT_EQ(sentences("It rains. We stay! Do you? Yes."), (Strings{"It rains.", "We stay!", "Do you?", "Yes."}));
  EXPECT_EQ(sentences("He said \"Go.\" Then he left."), (Strings{"He said \"Go.\"", "Then he left."}));
  EXPECT_EQ(sentences("Wait... what? no. 3 came."), (Strings{"Wait... what? no.", "3 came."}));
  EXPECT_EQ(sentences("The file a.txt is small"), (Strings{"The file a.txt is small"}));
  EXPECT_EQ(sentences("  "), Strings{});
}

TEST(Sentences, DoNotEndAfterAbbreviationsInitialsAndOrdinals) {
  EXPECT_EQ(sentences("Dr. Smith met J. S. Bach. They spoke.", Language::english),
            (Strings{"Dr. Smith met J. S. Bach.", "They spoke."}));
  EXPECT_EQ(sentences("Am 3. Oktober war es soweit. Alle kamen.", Language::german),
            (Strings{"Am 3. Oktober war es soweit.", "Alle kamen."}));
  EXPECT_EQ(sentences("Das gilt z. B. Hunden bzw. Katzen. Ende.", Language::german),
            (Strings{"Das gilt z. B. Hunden bzw. Katzen.", "Ende."}));
  EXPECT_EQ(sentences("See No. 5 on p. 3 of vol. 2. Then stop.", Language::english),
            (Strings{"See No. 5 on p. 3 of vol. 2.", "Then stop."}));
  EXPECT_EQ(sentences("Dear Mr. Smith, bzw. Frau Smith. Hello."),
            (Strings{"Dear Mr. Smith, bzw. Frau Smith.", "Hello."}));
}

TEST(Sentences, DoNotEndBeforeTheNumberOfAnAbbreviation) {
  for (const char* const text : {"See item no. 4711.", "max. 10 kg, min. 5 pcs", "Tel. 123 456", "cf. Smith and Eq. 4"})
    EXPECT_EQ(sentences(text, Language::english), Strings{text});
  for (const char* const text : {"Bahnhofstr. 12, Kiel", "Fa. Meier, Tel. 0431 12", "5 Tsd. Euro"})
    EXPECT_EQ(sentences(text, Language::german), Strings{text});
  EXPECT_EQ(sentences("He said no. They left.", Language::english), (Strings{"He said no.", "They left."}));
}

TEST(Sentences, FollowTheRulesOfALanguageByItsCode) {
  EXPECT_EQ(language_of("de"), Language::german);
  EXPECT_EQ(language_of("de-AT"), Language::german);
  EXPECT_EQ(language_of("EN_us"), Language::english);
  EXPECT_EQ(language_of("den"), Language::generic);
  EXPECT_EQ(language_of("tokenized"), Language::generic);
  EXPECT_EQ(language_of(""), Language::generic);
}

TEST(Sentences, NeedNoSpacesWhereAScriptHasNone) {
  EXPECT_EQ(sentences("\u4f60\u597d\u3002\u518d\u89c1\u3002"), (Strings{"\u4f60\u597d\u3002", "\u518d\u89c1\u3002"}));
  EXPECT_EQ(sentences("\u092f\u0939 \u0939\u0948\u0964 \u0935\u0939 \u0939\u0948\u0964"),
            (Strings{"\u092f\u0939 \u0939\u0948\u0964", "\u0935\u0939 \u0939\u0948\u0964"}));
}

TEST(SplitToFit, LosesNothingButSpacesAndFitsEverywhere) {
  Random random(1);
  const Strings pieces = {"a", "Bc", "def", ". ", ", ", " ", "! ", "\u00e4\u00f6", "  ", "longerword"};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(40); n > 0; --n) text += pieces[random.below(pieces.size())];
    const std::size_t limit = 4 + random.below(20);
    std::string kept, all;
    for (const char c : text)
      if (c != ' ') all += c;
    for (const Span& span : split_to_fit(text, [&](std::string_view part) { return part.size() <= limit; })) {
      const std::string part = text.substr(span.begin, span.end - span.begin);
      EXPECT_LE(part.size(), limit);
      EXPECT_FALSE(part.empty() || part.front() == ' ' || part.back() == ' ');
      for (const char c : part)
        if (c != ' ') kept += c;
    }
    ASSERT_EQ(kept, all) << text;
  }
}

}  // namespace
}  // namespace dragoman::text
