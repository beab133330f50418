#include "search/protect/protection.h"

#include <gtest/gtest.h>

namespace dragoman::search {
namespace {

using Texts = std::vector<std::string>;

Texts lost(std::string_view source, std::string_view translation) {
  Texts texts;
  for (const LostPart& part : lost_parts(source, translation)) texts.push_back(part.target);
  return texts;
}

// Whether a translation must contain `part`, and its presence is noticed.
void expect_copied(const std::string& part) {
  EXPECT_EQ(lost("Here is " + part + ".", "Hier ist es."), Texts{part});
  EXPECT_EQ(lost("Here is " + part + ".", "Hier (" + part + ") ist es."), Texts{}) << part;
}

TEST(Protection, IsAskedForByTheOptionsOrTheCardOfTheModel) {
  store::ModelInfo asks, asks_not;
  asks.card[kProtectCard] = "on";
  asks_not.card[kProtectCard] = "off";
  SearchOptions options;
  EXPECT_TRUE(is_protected(options, &asks));
  for (const store::ModelInfo* const model : std::vector<const store::ModelInfo*>{&asks_not, nullptr}) {
    options.protect = Protect::automatic;
    EXPECT_FALSE(is_protected(options, model));
    options.protect = Protect::on;
    EXPECT_TRUE(is_protected(options, model));
  }
  options.protect = Protect::off;
  EXPECT_FALSE(is_protected(options, &asks));
  options = {.sample = true, .protect = Protect::on};
  EXPECT_FALSE(is_protected(options, &asks)) << "sampling is not a search";
}

TEST(LostParts, AreAddresses) {
  for (const std::string part :
       {"https://example.org/a?b=1#c", "www.example.net/about", "example.org", "anna.maria+news@mail.example.org",
        "<https://example.org/a>", "<a@b.de>", "http://192.168.0.17:8080/status"})
    expect_copied(part);
  EXPECT_EQ(lost("See https://a.org/x.", "https://a.org/xy https://a.org/x-y"), Texts{"https://a.org/x"});
  EXPECT_EQ(lost("a@b.de, a@b.de and c@d.de", "c@d.de"), Texts{"a@b.de"}) << "each once";
}

TEST(LostParts, ArePathsAndOptions) {
  for (const std::string part : {"/usr/bin/env", "~/notes.txt", "./run", "../a/b", "C:\\data\\x", "src/main.cc",
                                 "--verbose", "--output-dir=/tmp/a"})
    expect_copied(part);
  for (const char* const text : {"and/or", "km/h.", "u.a./z.B.", "/", "a / b", "/me", "well -- no", "--x", "----"})
    EXPECT_EQ(lost(text, ""), Texts{}) << text;
}

TEST(LostParts, ArePlaceholdersTagsCodeAndEmoji) {
  for (const std::string part : {"{name}",    "{0}",      "{{ user.name }}",
                                 "{% end %}", "${name}",  "#{name}",
                                 "%{name}",   "%(name)s", "%1$s",
                                 "%-5.2f",    "%s",       "%NAME%",
                                 "$city",     ":count",   "<0>",
                                 "</0>",      "<1/>",     "<b>",
                                 "</b>",      "<br />",   "<a href=\"x y\">",
                                 "`rm -r x`", "👍🏽", "👩\u200d👩\u200d👧"})
    expect_copied(part);
  EXPECT_EQ(lost("<b>Save</b> %s", "Sichern"), Texts{"%s"}) << "the model places elements";
  for (const char* const text :
       {"{see there}", "{",     "{}", "$5",   "5 %", "5%s",  "10% sure", "%straight", "5 < x > y", "<3", "<>",
        "< b >",       "<a b>", "``", "it`s", "$",   "US$x", "a:b",      ":)",        ":p",        "#1"})
    EXPECT_EQ(lost(text, "1 5 10"), Texts{}) << text;
}

TEST(LostNumbers, AreThoseWhoseDigitsTheTranslationLacks) {
  EXPECT_EQ(lost("From 1998 to 2003.", "Von 1998 bis 2013."), Texts{"2003"});
  EXPECT_EQ(lost("From 1998-2003.", "2003 und 1998"), Texts{});
  EXPECT_EQ(lost("177 orders", "1777 Bestellungen"), Texts{"177"});
  EXPECT_EQ(lost("5% of $1,300 for €3m", "5 1 $ 300"), (Texts{"1,300", "3"})) << "beside signs";
  EXPECT_EQ(lost("1.2.3 and 4.1", "1 2 3 4"), (Texts{"1.2.3", "4.1"}));
  EXPECT_EQ(lost("25, 25 and 25", ""), Texts{"25"}) << "each once";
  EXPECT_EQ(lost("在1998年", "in the year"), Texts{"1998"}) << "a script without spaces";
}

TEST(LostNumbers, AreKeptHoweverTheirDigitsAreSeparated) {
  for (const char* const kept :
       {"684.330", "684,330", "684330", "684 330", "684'330", "684\u00a0330", "684\u202f330"}) {
    EXPECT_EQ(lost("684,330", kept), Texts{}) << kept;
    EXPECT_EQ(lost(kept, "684,330"), Texts{}) << kept;
  }
  EXPECT_EQ(lost("14 000 Gefangene", "000 prisoners"), Texts{"14 000"});
  EXPECT_EQ(lost("Gate 6 628 people", "Tor 6: 628 Leute"), Texts{}) << "two numbers";
  EXPECT_EQ(lost("Von 2012 142 Taten", ""), (Texts{"2012", "142"}));
}

TEST(LostNumbers, MayExchangePointsAndCommas) {
  const auto spellings = [](std::string_view source) {
    const std::vector<LostPart> parts = lost_parts(source, "");
    return parts.size() == 1 ? std::pair(parts[0].target, parts[0].other) : std::pair<std::string, std::string>();
  };
  using Both = std::pair<std::string, std::string>;
  EXPECT_EQ(spellings("$4.1 billion"), Both("4.1", "4,1"));
  EXPECT_EQ(spellings("1,684,330.25"), Both("1,684,330.25", "1.684.330,25"));
  EXPECT_EQ(spellings("1998"), Both("1998", ""));
  for (const char* const text : {"10.15.7", "192.168.0.17", "31.12.2025", "2024-05-06", "14 000"})
    EXPECT_EQ(spellings(text), Both(text, "")) << text;
}

TEST(LostNumbers, AreNotWhatATranslationMayWriteInAnotherWay) {
  for (const char* const text : {"7 dwarfs", "12 months", "the 9th of May", "mp3", "R2d2", "4x4", "at 3:00 a.m."})
    EXPECT_EQ(lost(text, ""), Texts{}) << text;
  EXPECT_EQ(lost("bis 22 Uhr", "until 10 p.m."), Texts{}) << "another clock";
  EXPECT_EQ(lost("um 15.30 Uhr", "at 3:30 p.m."), Texts{});
  EXPECT_EQ(lost("um 15.30 Uhr", "at three"), Texts{"15.30"});
  EXPECT_EQ(lost("Am 31.12.2025", "on December 31, 2025"), Texts{});
  EXPECT_EQ(lost("Am 31.12.2025", "on December 31"), Texts{"31.12.2025"});
  EXPECT_EQ(lost("on 5.6.2004", "am 5. Juni 2004"), Texts{});
}

TEST(LostNumbers, MayHaveLetters) {
  EXPECT_EQ(lost("$50bn for 777s", "500 Dollar"), (Texts{"50", "777"}));
  EXPECT_EQ(lost("on the A120, 777X and c474c0251908", ""), (Texts{"A120", "777X", "c474c0251908"}));
  EXPECT_EQ(lost("on the A120", "auf der A 120"), Texts{});
  EXPECT_EQ(lost("at 2024-05-06T10:00:25Z", ""), Texts{"2024-05-06T10:00:25Z"});
  EXPECT_EQ(lost("the AB12CD34EF56", ""), Texts{"AB12CD34EF56"}) << "a word is sought once";
}

TEST(LostNumbers, AreFoundInTimeAndMemoryInProportionToTheText) {
  std::string small, large;
  for (int i = 0; i < 400'000; ++i) small += "1a", large += std::to_string(i) + "A";
  for (const std::string& word : {small, large, std::string(3'000'000, '7')})
    EXPECT_EQ(lost(word + " 1998", ""), Texts{"1998"});
  std::string many;
  for (int i = 0; i < 400'000; ++i) many += std::to_string(1000 + i % 9000) + " / ";
  EXPECT_EQ(lost(many, "").size(), 9000u);
}

TEST(LostParts, AreFewerInABetterTranslation) {
  const LostPart one{"17", "17"}, two{"18", "18"}, three{"19", "19"};
  using Parts = std::vector<LostPart>;
  EXPECT_TRUE(lacks_less(Parts{}, Parts{one}));
  EXPECT_TRUE(lacks_less(Parts{two}, Parts{one, two}));
  EXPECT_FALSE(lacks_less(Parts{one}, Parts{one}));
  EXPECT_FALSE(lacks_less(Parts{three}, Parts{one})) << "one number for another";
  EXPECT_FALSE(lacks_less(Parts{three}, Parts{one, two}));
}

TEST(LostParts, AreNotExchangedForSmallNumbers) {
  const std::string source = "On 12 October, after 23:05, 7 men";
  EXPECT_TRUE(loses_digits(source, "Am 12. Oktober, 7 Mann", "Am Oktober, nach 23:05, 7 Mann"));
  EXPECT_FALSE(loses_digits(source, "Am 12. Oktober, sieben Mann", "Am 12. Oktober, nach 23:05, 7 Mann"));
  EXPECT_FALSE(loses_digits(source, "14", "")) << "not of the source";
}

TEST(Loops, AreTokensThatFollowThemselvesThreeTimes) {
  EXPECT_EQ(find_loop(Tokens{1, 2, 2, 2, 2, 3}), Tokens{2});
  EXPECT_EQ(find_loop(Tokens{9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}), (Tokens{1, 2, 3}));
  EXPECT_EQ(find_loop(Tokens{1, 2, 2, 2, 3}), Tokens{});
  EXPECT_EQ(find_loop(Tokens{1, 2, 1, 2, 1, 2, 1}), Tokens{});
  EXPECT_EQ(find_loop(Tokens{}), Tokens{});
}

TEST(Loops, AreCountedInARow) {
  EXPECT_EQ(times_in_a_row(Tokens{2}, Tokens{2, 1, 2, 2, 2, 3, 2}), 3u);
  EXPECT_EQ(times_in_a_row(Tokens{1, 2}, Tokens{1, 1, 2, 1, 2, 1, 3, 1, 2}), 2u);
  EXPECT_EQ(times_in_a_row(Tokens{4}, Tokens{1, 2}), 0u);
  EXPECT_EQ(times_in_a_row(Tokens{}, Tokens{1, 2}), 0u);
  EXPECT_EQ(times_in_a_row(Tokens{1, 2}, Tokens{1}), 0u);
}

TEST(Loops, AreFaultsUnlessTheyAreDigitsOrMarksThatTheSourceRepeats) {
  EXPECT_TRUE(is_fault("Reg ", "the registration"));
  EXPECT_TRUE(is_fault("» ", "Why change them? »"));
  EXPECT_FALSE(is_fault("0", "1000000"));
  EXPECT_FALSE(is_fault("0 ", "1000000"));
  EXPECT_FALSE(is_fault(". ", "Chapter 1 ........ 5"));
  EXPECT_FALSE(is_fault("–", "1 - - - - 5"));
  EXPECT_FALSE(is_fault("", "nothing is repeated"));
}

}  // namespace
}  // namespace dragoman::search
