#include "search/faithful.h"

#include <gtest/gtest.h>

#include "search/source_text.h"
#include "search/times_of_day.h"
#include "text/unicode.h"

namespace dragoman::search {
namespace {

using Numbers = std::vector<std::pair<std::string, std::string>>;

const text::LanguagePair kEnglishGerman{"en", "de"}, kGermanEnglish{"de", "en"}, kUnknown{};

// What is lost, as the source and the target write it.
Numbers lost(std::string_view source, std::string_view translation, const text::LanguagePair& languages) {
  Numbers pairs;
  for (const LostPart& part : lost_parts(source, translation, languages)) pairs.emplace_back(part.source, part.target);
  return pairs;
}

TEST(LostNumbers, AreThoseThatTheTranslationLacks) {
  EXPECT_EQ(lost("From 1998 to 2003.", "Von 1998 bis 2013.", kEnglishGerman), (Numbers{{"2003", "2003"}}));
  EXPECT_EQ(lost("From 1998 to 2003.", "2003 und 1998", kEnglishGerman), Numbers{});
  EXPECT_EQ(lost("177 orders", "1777 Bestellungen", kEnglishGerman), (Numbers{{"177", "177"}}));
  EXPECT_EQ(lost("25, 25 and 25", "", kEnglishGerman), (Numbers{{"25", "25"}})) << "each once";
}

TEST(LostNumbers, AreWrittenAsTheTargetLanguageWritesThem) {
  EXPECT_EQ(lost("$4.1 billion", "Milliarden", kEnglishGerman), (Numbers{{"4.1", "4,1"}}));
  EXPECT_EQ(lost("1,684,330.25", "", kEnglishGerman), (Numbers{{"1,684,330.25", "1.684.330,25"}}));
  EXPECT_EQ(lost("1.684.330,25", "", kGermanEnglish), (Numbers{{"1.684.330,25", "1,684,330.25"}}));
  EXPECT_EQ(lost("50\u202f000", "", kGermanEnglish), (Numbers{{"50\u202f000", "50,000"}}));
  EXPECT_EQ(lost("4.1 and 1998", "", kUnknown), (Numbers{{"1998", "1998"}})) << "which point is not known";
  EXPECT_EQ(lost("4.1 and 1998", "", {"en", "xx"}), (Numbers{{"1998", "1998"}}));
  EXPECT_EQ(lost("4.1", "", {"en_XX", "pt_BR"}), (Numbers{{"4.1", "4,1"}}));
}

TEST(LostNumbers, AreKeptHoweverTheirDigitsAreSeparated) {
  for (const char* const kept : {"684.330", "684,330", "684330", "684 330", "684\u00a0330"})
    EXPECT_EQ(lost("684,330", kept, kEnglishGerman), Numbers{}) << kept;
  EXPECT_EQ(lost("June 18 2005", "18. Juni 2005", kEnglishGerman), Numbers{});
}

TEST(LostNumbers, AreNotWhatATranslationMayWriteInAnotherWay) {
  for (const char* const text : {"7 dwarfs", "12 months", "the 9th of May", "mp3", "R2d2", "4x4", "at 3:00 a.m.",
                                 "2013-05-12", "3,5", "1234,567", "ß99"})
    EXPECT_EQ(lost(text, "", kEnglishGerman), Numbers{}) << text;
  EXPECT_EQ(lost("10.00 Uhr", "", kGermanEnglish), Numbers{});
}

TEST(LostNumbers, AreGroupsOfDigitsWithSpacesButNotFullHours) {
  EXPECT_EQ(lost("Grant nahm 14 000 Gefangene.", "Grant took 14,000 prisoners.", kGermanEnglish), Numbers{});
  EXPECT_EQ(lost("Grant nahm 14 000 Gefangene.", "Grant took 000 prisoners.", kGermanEnglish),
            (Numbers{{"14 000", "14 000"}}));
  EXPECT_EQ(lost("It is 6 628 km long.", "Er ist 628 km lang.", kEnglishGerman), (Numbers{{"6 628", "6 628"}}));
  EXPECT_EQ(lost("Gate 6 628 people", "Tor 6: 628 Leute", kEnglishGerman), Numbers{}) << "two numbers";
  EXPECT_EQ(lost("Call 030 123.", "Rufen Sie an.", kEnglishGerman), Numbers{}) << "not grouped by thousands";
  EXPECT_EQ(lost("Sie lernt bis 10 Uhr.", "She studies until ten.", kGermanEnglish), Numbers{});
  EXPECT_EQ(lost("Von 2012 142 Taten", "", kGermanEnglish), (Numbers{{"2012", "2012"}, {"142", "142"}}));
  EXPECT_EQ(lost("Um 22 kamen alle.", "", kGermanEnglish), (Numbers{{"22", "22"}}));
}

TEST(LostNumbers, MayHaveLetters) {
  EXPECT_EQ(lost("$50bn for 777s", "500 Dollar", kEnglishGerman), (Numbers{{"50bn", "50"}, {"777s", "777"}}));
  EXPECT_EQ(lost("the 19th century, 1,5m", "", kGermanEnglish), (Numbers{{"19th", "19"}, {"1,5m", "1.5"}}));
  EXPECT_EQ(lost("on the A120, 777X and W5", "", kEnglishGerman),
            (Numbers{{"A120", "A120"}, {"777X", "777X"}, {"W5", "W5"}}));
  EXPECT_EQ(lost("on the A120", "auf der A 120", kEnglishGerman), Numbers{});
}

TEST(LostNumbers, OfAWordAreSoughtOnce) {
  EXPECT_EQ(lost("the AB12CD34EF56 and 777", "", kEnglishGerman),
            (Numbers{{"AB12CD34EF56", "AB12CD34EF56"}, {"777", "777"}}));
  EXPECT_EQ(lost("the AB12CD34", "12", kEnglishGerman), (Numbers{{"AB12CD34", "AB12CD34"}}));
}

TEST(LostNumbers, AreFoundInTimeAndMemoryInProportionToTheText) {
  std::string small, large;
  for (int i = 0; i < 400'000; ++i) small += "1a", large += std::to_string(i) + "A";
  for (const std::string& word : {small, large, std::string(3'000'000, '7')})
    EXPECT_EQ(lost(word + " 1998", "", kEnglishGerman), (Numbers{{"1998", "1998"}}));
}

TEST(LostParts, AreCopiedUnchanged) {
  for (const std::string part :
       {"+49 30 1234567", "+1 (202) 555-0143", "(030) 765-4321", "0171 2345678", "555-0199", "202-555-0143",
        "192.168.0.17", "10.0.0.1:8080", "978-3-16-148410-0", "10.15.7", "👍🏽", "👩\u200d👩\u200d👧", "🇩🇪"}) {
    EXPECT_EQ(lost("Here is " + part + ".", "Hier ist es.", kEnglishGerman), (Numbers{{part, part}}));
    EXPECT_EQ(lost("Here is " + part + ".", "Hier (" + part + ") ist es.", kEnglishGerman), Numbers{}) << part;
  }
  EXPECT_EQ(lost("the ISBN 3-16-148410-X", "", kEnglishGerman), (Numbers{{"3-16-148410-X", "3-16-148410-X"}}));
  EXPECT_EQ(lost("version 4.2 and v1.2.13", "", kEnglishGerman), (Numbers{{"4.2", "4.2"}, {"v1.2.13", "v1.2.13"}}));
  EXPECT_EQ(lost("1.2.3", "1.2.3.4", kEnglishGerman), (Numbers{{"1.2.3", "1.2.3"}}));
  EXPECT_EQ(lost("👍 👍 👍", "", kEnglishGerman), (Numbers{{"👍", "👍"}})) << "each once";
}

TEST(LostParts, ArePlaceholdersTagsAndCode) {
  for (const std::string part : {"{name}",
                                 "{user.name}",
                                 "{0}",
                                 "{{name}}",
                                 "${name}",
                                 "%s",
                                 "%d",
                                 "%1$s",
                                 "%-5.2f",
                                 "%ld",
                                 "%(name)s",
                                 "%NAME%",
                                 "{{ user.name }}",
                                 "{% end %}",
                                 "$city",
                                 ":count",
                                 "%{name}",
                                 "#{name}",
                                 "<0>",
                                 "</0>",
                                 "<1/>",
                                 "<b>",
                                 "</b>",
                                 "<br/>",
                                 "<br />",
                                 "<a href=\"x y\">",
                                 "`rm -r x`"}) {
    EXPECT_EQ(lost("Here is " + part + ".", "Hier ist es.", kEnglishGerman), (Numbers{{part, part}}));
    EXPECT_EQ(lost("Here is " + part + ".", "Hier (" + part + ") ist es.", kEnglishGerman), Numbers{}) << part;
  }
  EXPECT_EQ(lost("{" + std::string(80, 'x') + "}", "", kEnglishGerman), Numbers{}) << "too long";
  EXPECT_EQ(lost("<b>Save</b> %s", "Sichern", kEnglishGerman), (Numbers{{"%s", "%s"}})) << "no elements";
  for (const std::string text : {"{see there}", "{",         "{}",   "$5", "50 %",  "50%s",  "100% sure",
                                 "%straight",   "5 < x > y", "<3",   "<>", "< b >", "<a b>", "a <b and c> d",
                                 "``",          "`",         "it`s", "$",  "US$x",  "a:b",   ": a",
                                 ":)",          ":p",        "#1"})
    EXPECT_EQ(lost(text, "50 Prozent von 100 Dollar", kEnglishGerman), Numbers{}) << text;
}

TEST(LostParts, AreSignsBesideNumbers) {
  EXPECT_EQ(lost("It costs $5.", "Es kostet 5.", kEnglishGerman), (Numbers{{"$5", "5 $"}}));
  EXPECT_EQ(lost("It costs £3.50.", "Es kostet 3,50.", kEnglishGerman), (Numbers{{"£3.50", "3,50 £"}}));
  EXPECT_EQ(lost("Es kostet 1.234,50 €.", "It costs 1,234.50.", kGermanEnglish),
            (Numbers{{"1.234,50 €", "€1,234.50"}}));
  EXPECT_EQ(lost("Etwa 20 % der Leute", "About 20 of the people", kGermanEnglish), (Numbers{{"20 %", "20%"}}));
  EXPECT_EQ(lost("at 30 °C", "bei 30", kEnglishGerman), (Numbers{{"30 °C", "30 °C"}}));
  EXPECT_EQ(lost("nach § 15", "according to 15", kGermanEnglish), (Numbers{{"§ 15", "§ 15"}}));
  EXPECT_EQ(lost("±15 and 80 m² in 2½ days", "15 und 80 m in 2 Tagen", kEnglishGerman),
            (Numbers{{"±15", "±15"}, {"m²", "m²"}, {"2½", "2½"}}));
  EXPECT_EQ(lost("It costs $50.", "Es kostet viel.", kEnglishGerman), (Numbers{{"$50", "50 $"}})) << "both at once";
  for (const char* const kept : {"5 Dollar", "5 US-Dollar", "$5", "USD 5"})
    EXPECT_EQ(lost("It costs $5.", kept, kEnglishGerman), Numbers{}) << kept;
  EXPECT_EQ(lost("20 % in ½ hour at 30 °", "20 Prozent in einer halben Stunde bei 30 Grad", kEnglishGerman), Numbers{});
  for (const char* const text : {"$5 million", "$5bn", "$5-10", "5 $ Tausend", "$ and 5", "a % b"})
    EXPECT_EQ(lost(text, "5 10", kEnglishGerman), Numbers{}) << text;
  EXPECT_EQ(lost("It costs $5.", "5", {"en", "fr"}), Numbers{}) << "words of other languages are not known";
}

TEST(LostParts, AreMarksAroundAddressesAndPlaceholders) {
  const std::string address = "https://example.org/a";
  EXPECT_EQ(lost("See (" + address + ").", "Siehe " + address + ".", kEnglishGerman),
            (Numbers{{"(" + address + ")", "(" + address + ")"}}));
  EXPECT_EQ(lost("See (" + address + ").", "Siehe (" + address + ").", kEnglishGerman), Numbers{});
  EXPECT_EQ(lost("See " + address + ".", "Siehe " + address, kEnglishGerman),
            (Numbers{{address + ".", address + "."}}));
  EXPECT_EQ(lost("See " + address + ".", "Unter " + address + " steht mehr.", kEnglishGerman), Numbers{});
  EXPECT_EQ(lost("Mail <a@b.de> now", "Mail a@b.de jetzt", kEnglishGerman), Numbers{}) << "may be a tag";
  EXPECT_EQ(lost("Open '%s' now", "Jetzt %s öffnen", kEnglishGerman), (Numbers{{"'%s'", "'%s'"}}));
  EXPECT_EQ(lost("Open \"%s\" now", "Jetzt „%s“ öffnen", kEnglishGerman), Numbers{});
  EXPECT_EQ(lost("Jetzt „%s“ öffnen", "Open %s now", kGermanEnglish), (Numbers{{"„%s“", "\"%s\""}}));
}

TEST(LostParts, AreDatesThatAreNoneAnyMore) {
  const Numbers date = {{"31.12.2025", "31.12.2025"}};
  for (const char* const text : {"31,12,2025", "31.12,2025", "31 2025,12", "31.12.", "2025", "", "31.12.2026"})
    EXPECT_EQ(lost("Am 31.12.2025", text, kGermanEnglish), date) << text;
  for (const char* const text : {"on 31.12.2025", "12/31/2025", "2025-12-31", "31 December 2025", "December 31, 2025"})
    EXPECT_EQ(lost("Am 31.12.2025", text, kGermanEnglish), Numbers{}) << text;
  EXPECT_EQ(lost("Am 5.5.2024", "on 5 May 2024", kGermanEnglish), Numbers{});
  EXPECT_EQ(lost("Am 05.03.2024", "on 5 March 2024", kGermanEnglish), Numbers{});
  EXPECT_EQ(lost("It is 2.6.32.", "Es ist 2,6.32.", kEnglishGerman), (Numbers{{"2.6.32", "2.6.32"}}));
  for (const char* const text : {"am 5.6.04", "05.06.2004", "2004-06-05", "am 5. Juni 2004"})
    EXPECT_EQ(lost("on 5.6.04", text, kEnglishGerman), Numbers{}) << text;
  EXPECT_EQ(lost("on 5.6.04", "am 5. Juni 2005", kEnglishGerman), (Numbers{{"5.6.04", "5.6.04"}}));
  EXPECT_EQ(lost("1.1.2024 und 1.1.2024", "", kGermanEnglish), (Numbers{{"1.1.2024", "1.1.2024"}})) << "each once";
}

TEST(LostParts, AreNoGroupsAndAddresses) {
  EXPECT_EQ(lost("7.000.000.000 Menschen", "7,000,000,000 people", kGermanEnglish), Numbers{}) << "no IP address";
  for (const char* const text : {"http://192.168.0.17/a", "anna-555-0199@example.org", "1998 - 2003"})
    EXPECT_EQ(lost(text, "1998 2003 http://192.168.0.17/a anna-555-0199@example.org", kEnglishGerman), Numbers{})
        << text;
  EXPECT_EQ(lost("1.684.330", "", kGermanEnglish), (Numbers{{"1.684.330", "1,684,330"}}));
}

TEST(LostParts, AreTimesWhoseMinutesAreLost) {
  EXPECT_EQ(lost("at 3:35 p.m.", "um drei Uhr", kEnglishGerman), (Numbers{{"3:35", "15:35"}}));
  EXPECT_EQ(lost("at 12:05 AM", "", kEnglishGerman), (Numbers{{"12:05", "0:05"}}));
  EXPECT_EQ(lost("um 15.30 Uhr", "at three", kGermanEnglish), (Numbers{{"15.30", "3:30 p.m."}}));
  EXPECT_EQ(lost("um 14.30 Uhr", "at 14:30 p.m.", kGermanEnglish), (Numbers{{"14.30", "2:30 p.m."}}));
  EXPECT_EQ(lost("um 8.15 Uhr", "at 8:15 p.m.", kGermanEnglish), (Numbers{{"8.15", "8:15 a.m."}}));
  EXPECT_EQ(lost("um 0.05 Uhr", "at five", kGermanEnglish), (Numbers{{"0.05", "12:05 a.m."}}));
  EXPECT_EQ(lost("um 3:35", "at three", kGermanEnglish), (Numbers{{"3:35", "3:35"}})) << "either half of the day";
  for (const char* const kept : {"15.35 Uhr", "15:35", "3:35 nachmittags", "15 Uhr 35", "15h35"})
    EXPECT_EQ(lost("at 3:35 p.m.", kept, kEnglishGerman), Numbers{}) << kept;
  for (const char* const lost_time : {"16.35 Uhr", "3:35 Uhr", "3:35 pm", "um 3.35 Uhr"})
    EXPECT_EQ(lost("at 3:35 p.m.", lost_time, kEnglishGerman), (Numbers{{"3:35", "15:35"}})) << lost_time;
  EXPECT_EQ(lost("at 3:35", "um 15.35 Uhr", kEnglishGerman), Numbers{}) << "either half of the day";
  EXPECT_EQ(lost("at 3:30", "um halb vier", kEnglishGerman), Numbers{});
  EXPECT_EQ(lost("um 15.45 Uhr", "at a quarter to four", kGermanEnglish), Numbers{});
}

TEST(LostParts, AreFullHoursOfTheAfternoon) {
  EXPECT_EQ(lost("It closes at 8pm.", "Es schließt um 8 Uhr.", kEnglishGerman), (Numbers{{"8pm", "20"}}));
  EXPECT_EQ(lost("It closes at 8pm.", "Es schließt um 8pm.", kEnglishGerman), (Numbers{{"8pm", "20"}}));
  EXPECT_EQ(lost("at 12 a.m.", "um 12 Uhr", kEnglishGerman), (Numbers{{"12 a.m.", "0"}}));
  EXPECT_EQ(lost("at 12 a.m.", "um 12.00 Uhr", kEnglishGerman), (Numbers{{"12 a.m.", "0"}}));
  EXPECT_EQ(lost("bis 22 Uhr", "until 22 p.m.", kGermanEnglish), (Numbers{{"22 Uhr", "10 p.m."}}));
  EXPECT_EQ(lost("bis 24 Uhr", "until ten", kGermanEnglish), (Numbers{{"24 Uhr", "midnight"}}));
  EXPECT_EQ(lost("bis 22.00 Uhr", "jusqu'à dix heures", {"de", "fr"}), Numbers{}) << "it may say which half";
  EXPECT_EQ(lost("at 3 p.m. or 3:30 p.m.", "um 15 Uhr oder 15.30 Uhr", kEnglishGerman), Numbers{});
  EXPECT_EQ(lost("um 15 Uhr oder 15.30 Uhr", "at 3 p.m. or 3:30 p.m.", kGermanEnglish), Numbers{});
  for (const char* const kept : {"until 10 p.m.", "until 10pm", "until 22:00", "until ten in the evening", "until 22"})
    EXPECT_EQ(lost("bis 22 Uhr", kept, kGermanEnglish), Numbers{}) << kept;
  EXPECT_EQ(lost("bis 24 Uhr", "until midnight", kGermanEnglish), Numbers{});
  EXPECT_EQ(lost("um 7 Uhr", "at 7 p.m.", kGermanEnglish), (Numbers{{"7 Uhr", "7 a.m."}}));
  for (const char* const kept : {"at 7 a.m.", "at 7", "at seven", "at 7 o'clock"})
    EXPECT_EQ(lost("um 7 Uhr", kept, kGermanEnglish), Numbers{}) << kept;
  EXPECT_EQ(lost("um 7 Uhr abends", "at 7 p.m.", kGermanEnglish), Numbers{});
  EXPECT_EQ(lost("um 7 Uhr morgens", "at 7 p.m. in the morning", kGermanEnglish), (Numbers{{"7 Uhr", "7 a.m."}}));
  EXPECT_EQ(lost("um 15:30 am Montag", "at 15:30 on Monday", kGermanEnglish), Numbers{});
  EXPECT_EQ(lost("from 9-17 Uhr", "9-17", kGermanEnglish), Numbers{});
}

TEST(SourceText, HasPlainCharacters) {
  const text::MappedText read = read_source("The ﬁrst oﬃ\u00adce\u200b is open.", kEnglishGerman);
  EXPECT_EQ(read.text(), "The first office is open.");
  EXPECT_EQ(read.original(4, 6).begin, 4u);
  EXPECT_EQ(read.original(4, 6).end, 7u) << "of the ligature";
  EXPECT_EQ(read_source("a\u200bb at 3 p.m.", {"th", "de"}).text(), "a\u200bb at 3 p.m.")
      << "a language with such spaces";
  EXPECT_EQ(read_source("at 3 p.m.", kUnknown).text(), "at 3 p.m.");
  EXPECT_EQ(read_source("\u00ad", kEnglishGerman).text(), "\u00ad") << "not nothing";
}

TEST(TimesOfDay, AreConvertedToThe24HourClock) {
  const auto read = [](const char* text) {
    text::MappedText mapped{text};
    mapped.replace(to_24_hour_clock(text));
    return mapped.text();
  };
  EXPECT_EQ(read("At 3 p.m. we met, at 8:30PM we left."), "At 15:00 we met, at 20:30 we left.");
  EXPECT_EQ(read("from 9 a.m. to 5 p.m."), "from 9:00 to 17:00.") << "the last point ends the sentence, too";
  EXPECT_EQ(read("from 3 to 5 p.m."), "from 15:00 to 17:00.");
  EXPECT_EQ(read("between 12 and 2 pm, 11:30 – 2 am"), "between 12:00 and 14:00, 23:30 – 2:00");
  EXPECT_EQ(read("from 9 to 5 p.m., or 9 a.m. and 5 p.m."), "from 9:00 to 17:00, or 9:00 and 17:00.");
  EXPECT_EQ(read("(until 12 a.m.)"), "(until 0:00.)");
  EXPECT_EQ(read("12:15 a.m. or 12:15 p.m. today"), "0:15 or 12:15 today");
  for (const char* const text : {"3-5 pm", "15 pm", "I am 3.", "3 amps", "at 3:30", "", "0 am"})
    EXPECT_EQ(read(text), text);
}

TEST(LostParts, AreIdentifiers) {
  for (const std::string part : {"DE89 3704 0044 0532 0130 00", "GB29 NWBK 6016 1331 9268 19", "2001:db8::1",
                                 "c474c0251908", "932ff2b2-d409-dd31-1ca8-71902316d984", "00:1A:2B:3C:4D:5E",
                                 "2024-05-06T10:00", "2024-05-06T10:00:00Z", "2024-05-06T10:00:00.25+02:00"}) {
    EXPECT_EQ(lost("Use " + part + ", please.", "Bitte.", kEnglishGerman), (Numbers{{part, part}}));
    EXPECT_EQ(lost("(" + part + ")", "(" + part + ")", kEnglishGerman), Numbers{}) << part;
  }
  for (const char* const text :
       {"DE89 3704", "cafe-facade-beef", "123456789012", "a1:b2", "deadbeef", "FC47 is", "12:30:45"})
    EXPECT_EQ(lost(text, text, kEnglishGerman), Numbers{}) << text;
  for (const std::string code : {"COBADEFFXXX", "DEUTDEDB110", "BYLADEM1"})
    EXPECT_EQ(lost("BIC: " + code, "BIC: COBADEFF", kEnglishGerman), (Numbers{{code, code}}));
  EXPECT_EQ(lost("The BIC of our RELIABLE bank", "", kEnglishGerman), (Numbers{{"RELIABLE", "RELIABLE"}}))
      << "could be one";
  EXPECT_EQ(lost("RELIABLE banks, BICS", "", kEnglishGerman), Numbers{});
  EXPECT_EQ(lost("https://a.org/c474c0251908", "https://a.org/c474c0251908", kEnglishGerman), Numbers{});
}

TEST(LostParts, AreCommandLineOptions) {
  EXPECT_EQ(lost("Use --verbose.", "Nutze --Verbose.", kEnglishGerman), (Numbers{{"--verbose", "--verbose"}}));
  EXPECT_EQ(lost("(--output-dir=/tmp/a)", "", kEnglishGerman),
            (Numbers{{"--output-dir=/tmp/a", "--output-dir=/tmp/a"}}));
  EXPECT_EQ(lost("Use --help, then", "Nutze --help und", kEnglishGerman), Numbers{});
  for (const char* const text : {"a --", "a--b", "well -- no", "--x", "---- cut here ----", "--- this"})
    EXPECT_EQ(lost(text, "", kEnglishGerman), Numbers{}) << text;
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

TEST(Loops, MayBeMostOfATextOrLittleOfIt) {
  EXPECT_TRUE(is_mostly_loop(Tokens{9, 1, 2, 1, 2, 1, 2, 1, 2, 3}));
  EXPECT_FALSE(is_mostly_loop(Tokens{1, 2, 3, 4, 5, 6, 6, 6, 6, 7, 8, 9}));
  EXPECT_FALSE(is_mostly_loop(Tokens{}));
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
