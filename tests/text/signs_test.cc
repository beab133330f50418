#include "text/signs.h"

#include <gtest/gtest.h>

#include "tests/text/support.h"

namespace dragoman::text {
namespace {

constexpr SignOptions kBoth{.detach_marks = true, .fold_capitals = true};

std::string with_signs(std::string_view line, const SignOptions& options = kBoth) {
  MappedText text(line);
  insert_signs(text, options);
  return text.text();
}

TEST(Signs, MarksThatOpenAreDetachedFromTheirWord) {
  EXPECT_EQ(with_signs("„Das Haus“ (alt)"), "„￭ Das Haus“ (￭ alt)");
  EXPECT_EQ(with_signs("\"Yes,\" he said."), "\"￭ Yes,\" he said.");
  EXPECT_EQ(with_signs("(\"No\")"), "(\"￭ No\")") << "a run of marks has one sign";
  EXPECT_EQ(with_signs("*so* --help #tag"), "*￭ so* --￭ help #￭ tag");
  EXPECT_EQ(with_signs("Lehrer(innen)"), "Lehrer(￭ innen)");
}

TEST(Signs, HyphensAndDashesBetweenWordsAreDetached) {
  EXPECT_EQ(with_signs("US-Regierung"), "US-￭ Regierung");
  EXPECT_EQ(with_signs("one—“two”"), "one—“￭ two”");
  EXPECT_EQ(with_signs("1980er-Jahre, 2014-2015"), "1980er-￭ Jahre, 2014-2015");
}

TEST(Signs, MarksInsideOfWordsStay) {
  for (const char* line : {"don't don’t e.g. and/or", "www.example.org/a_b?c=d", "a@b.org", "R&B", "3.5 %", "(2014)"})
    EXPECT_EQ(with_signs(line), line);
}

TEST(Signs, CapitalsAreFoldedIfAllLettersAreCapitals) {
  EXPECT_EQ(with_signs("THE DOOR IS OPEN!"), "⇪ the door is open!");
  EXPECT_EQ(with_signs("ÄPFEL UND „BIRNEN“"), "⇪ äpfel und „￭ birnen“");
  EXPECT_EQ(with_signs("DIE STRAßE"), "⇪ die straße") << "ß is ordinary among capitals";
  EXPECT_EQ(resolve_signs("⇪ die straße", kBoth), "DIE STRASSE");
  for (const char* line : {"NATO", "The NATO", "12345", "...", "", "iPHONE", "ABCDEⅰ", "ABCDEⓐ", "日本語日本語"})
    EXPECT_EQ(with_signs(line), line);
}

TEST(Signs, TextComesBackAsItWas) {
  for (const char* line : {"„Das Haus“ (alt)", "THE US-LED \"FORCES\"", "one—“two”", "*so* --help", "a - b", "ΑΒΓΔΕ",
                           "(\"No\")", "-", "„", "\"", "ÀÉÎÕÜ-ÇŠŽ"})
    EXPECT_EQ(resolve_signs(with_signs(line), kBoth), line);
}

TEST(Signs, RandomTextComesBackAsItWas) {
  const std::vector<std::string> parts = {"a", "B", "ⅰ", "Ω", "İ", "1", " ", "-", "\"",
                                          "(", "'", "’", "„", "»", ".", "￭", "⇪"};
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    std::string line, expected;
    for (std::uint64_t n = random.below(12); n > 0; --n) {
      const std::string& part = parts[random.below(parts.size())];
      line += part;
      expected += part == "￭" ? "■" : part == "⇪" ? "⇧" : part;
    }
    ASSERT_EQ(resolve_signs(with_signs(line), kBoth), expected) << line;
  }
}

TEST(Signs, SignsThatAModelMisplacesAreDropped) {
  EXPECT_EQ(resolve_signs("ein ￭Haus￭", kBoth), "ein Haus");
  EXPECT_EQ(resolve_signs("ein ⇪ Haus", kBoth), "ein Haus");
  EXPECT_EQ(resolve_signs("⇪ die straße", kBoth), "DIE STRASSE");
  EXPECT_EQ(resolve_signs("a￭ b ⇪", {}), "a￭ b ⇪") << "without the options they are text";
}

TEST(Signs, PointToTheirBytesOfTheLine) {
  MappedText text("DIE „TÜR“");
  insert_signs(text, kBoth);
  ASSERT_EQ(text.text(), "⇪ die „￭ tür“");
  const auto place = [&](std::string_view part) {
    const auto at = static_cast<std::uint32_t>(text.text().find(part));
    return text.original(at, at + static_cast<std::uint32_t>(part.size()));
  };
  EXPECT_EQ(place("⇪ d"), (Span{0, 1}));
  EXPECT_EQ(place("„￭ "), (Span{4, 7}));
  EXPECT_EQ(place("tür"), (Span{7, 11}));
}

}  // namespace
}  // namespace dragoman::text
