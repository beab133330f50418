// The grammar that generates the sentences.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "phrasebook/english.h"
#include "phrasebook/german.h"
#include "phrasebook/patterns.h"

namespace dragoman::phrasebook {
namespace {

const Noun& noun(std::string_view singular) {
  for (const Noun& entry : nouns())
    if (singular == entry.singular) return entry;
  fail("no noun {}", singular);
}

const Adjective& adjective(std::string_view german, std::string_view english = "") {
  for (const Adjective& entry : adjectives())
    if (german == entry.german && (english.empty() || english == entry.english)) return entry;
  fail("no adjective {}", german);
}

const Verb& verb(std::string_view infinitive, std::string_view prefix = "") {
  for (const Verb& entry : verbs())
    if (infinitive == entry.infinitive && prefix == entry.prefix) return entry;
  fail("no verb {}", infinitive);
}

NounPhrase the(std::string_view singular, Number number = Number::singular) {
  return noun_phrase(noun(singular), Determiner::definite, number);
}

// All four cases of "determiner alt noun", joined with bars: nominative|accusative|dative|genitive.
std::string declined(Determiner determiner, std::string_view singular, Number number) {
  NounPhrase phrase = noun_phrase(noun(singular), determiner, number);
  phrase.adjective = &adjective("alt");
  std::string row;
  for (const Case c : {Case::nominative, Case::accusative, Case::dative, Case::genitive})
    row += (row.empty() ? "" : "|") + german::phrase(phrase, c);
  return row;
}

Clause clause_of(const NounPhrase& subject, const Verb& verb, Tense tense) {
  Clause clause;
  clause.subject = subject;
  clause.verb = &verb;
  clause.tense = tense;
  return clause;
}

Clause reads_the_book(Tense tense, Polarity polarity = Polarity::positive) {
  Clause clause = clause_of(the("Mann"), verb("lesen"), tense);
  clause.polarity = polarity;
  clause.add(Slot::accusative, "das Buch", "the book");
  return clause;
}

TEST(PhrasebookGerman, DeclinesAfterTheDefiniteArticle) {
  EXPECT_EQ(declined(Determiner::definite, "Mann", Number::singular),
            "der alte Mann|den alten Mann|dem alten Mann|des alten Mannes");
  EXPECT_EQ(declined(Determiner::definite, "Frau", Number::singular),
            "die alte Frau|die alte Frau|der alten Frau|der alten Frau");
  EXPECT_EQ(declined(Determiner::definite, "Haus", Number::singular),
            "das alte Haus|das alte Haus|dem alten Haus|des alten Hauses");
  EXPECT_EQ(declined(Determiner::definite, "Haus", Number::plural),
            "die alten Häuser|die alten Häuser|den alten Häusern|der alten Häuser");
}

TEST(PhrasebookGerman, DeclinesAfterTheIndefiniteArticle) {
  EXPECT_EQ(declined(Determiner::indefinite, "Mann", Number::singular),
            "ein alter Mann|einen alten Mann|einem alten Mann|eines alten Mannes");
  EXPECT_EQ(declined(Determiner::indefinite, "Frau", Number::singular),
            "eine alte Frau|eine alte Frau|einer alten Frau|einer alten Frau");
  EXPECT_EQ(declined(Determiner::indefinite, "Haus", Number::singular),
            "ein altes Haus|ein altes Haus|einem alten Haus|eines alten Hauses");
  EXPECT_EQ(declined(Determiner::indefinite, "Frau", Number::plural),
            "alte Frauen|alte Frauen|alten Frauen|alter Frauen");
}

TEST(PhrasebookGerman, DeclinesAfterKeinAndPossessives) {
  EXPECT_EQ(declined(Determiner::negative, "Hund", Number::singular),
            "kein alter Hund|keinen alten Hund|keinem alten Hund|keines alten Hundes");
  EXPECT_EQ(declined(Determiner::negative, "Hund", Number::plural),
            "keine alten Hunde|keine alten Hunde|keinen alten Hunden|keiner alten Hunde");
  EXPECT_EQ(declined(Determiner::possessive, "Katze", Number::singular),
            "meine alte Katze|meine alte Katze|meiner alten Katze|meiner alten Katze");
  EXPECT_EQ(declined(Determiner::possessive, "Auto", Number::singular),
            "mein altes Auto|mein altes Auto|meinem alten Auto|meines alten Autos");
}

TEST(PhrasebookGerman, DeclinesAfterDieserJederAndWelcher) {
  EXPECT_EQ(declined(Determiner::demonstrative, "Baum", Number::singular),
            "dieser alte Baum|diesen alten Baum|diesem alten Baum|dieses alten Baumes");
  EXPECT_EQ(declined(Determiner::demonstrative, "Auto", Number::plural),
            "diese alten Autos|diese alten Autos|diesen alten Autos|dieser alten Autos");
  EXPECT_EQ(declined(Determiner::every, "Bett", Number::singular),
            "jedes alte Bett|jedes alte Bett|jedem alten Bett|jedes alten Bettes");
  EXPECT_EQ(declined(Determiner::which, "Stadt", Number::singular),
            "welche alte Stadt|welche alte Stadt|welcher alten Stadt|welcher alten Stadt");
}

TEST(PhrasebookGerman, DeclinesStronglyWithoutADeterminer) {
  NounPhrase wine = noun_phrase(noun("Wein"), Determiner::indefinite);
  wine.determiner = Determiner::none;
  wine.adjective = &adjective("kalt");
  EXPECT_EQ(german::phrase(wine, Case::nominative), "kalter Wein");
  EXPECT_EQ(german::phrase(wine, Case::accusative), "kalten Wein");
  EXPECT_EQ(german::phrase(wine, Case::dative), "kaltem Wein");
  EXPECT_EQ(german::phrase(wine, Case::genitive), "kalten Weines");
  NounPhrase houses = the("Haus", Number::plural);
  houses.determiner = Determiner::count;
  houses.count = &numbers()[1];
  houses.adjective = &adjective("teuer");
  EXPECT_EQ(german::phrase(houses, Case::nominative), "drei teure Häuser");
  EXPECT_EQ(german::phrase(houses, Case::dative), "drei teuren Häusern");
  NounPhrase hat = the("Hut");
  hat.determiner = Determiner::name;
  hat.owner_name = "Anna";
  hat.adjective = &adjective("neu");
  EXPECT_EQ(german::phrase(hat, Case::nominative), "Annas neuer Hut");
  EXPECT_EQ(german::phrase(hat, Case::dative), "Annas neuem Hut");
}

TEST(PhrasebookGerman, MassNounsWithoutArticleTakeStrongEndings) {
  NounPhrase tea = noun_phrase(noun("Tee"), Determiner::indefinite);
  tea.adjective = &adjective("kalt");
  EXPECT_EQ(german::phrase(tea, Case::accusative), "kalten Tee");
  EXPECT_EQ(german::phrase(tea, Case::dative), "kaltem Tee");
  NounPhrase milk = noun_phrase(noun("Milch"), Determiner::indefinite);
  milk.adjective = &adjective("warm");
  EXPECT_EQ(german::phrase(milk, Case::dative), "warmer Milch");
}

TEST(PhrasebookGerman, WeakNounsTakeNInAllCasesButTheNominative) {
  const std::map<std::string, std::string> expected = {
      {"Student", "der Student|den Studenten|dem Studenten|des Studenten"},
      {"Junge", "der Junge|den Jungen|dem Jungen|des Jungen"},
      {"Herr", "der Herr|den Herrn|dem Herrn|des Herrn"},
      {"Nachbar", "der Nachbar|den Nachbarn|dem Nachbarn|des Nachbarn"},
      {"Bauer", "der Bauer|den Bauern|dem Bauern|des Bauern"},
      {"Polizist", "der Polizist|den Polizisten|dem Polizisten|des Polizisten"},
      {"Kollege", "der Kollege|den Kollegen|dem Kollegen|des Kollegen"},
      {"Tourist", "der Tourist|den Touristen|dem Touristen|des Touristen"},
      {"Soldat", "der Soldat|den Soldaten|dem Soldaten|des Soldaten"},
      {"Prinz", "der Prinz|den Prinzen|dem Prinzen|des Prinzen"},
      {"Neffe", "der Neffe|den Neffen|dem Neffen|des Neffen"},
      {"Bär", "der Bär|den Bären|dem Bären|des Bären"},
      {"Löwe", "der Löwe|den Löwen|dem Löwen|des Löwen"},
      {"Affe", "der Affe|den Affen|dem Affen|des Affen"},
      {"Elefant", "der Elefant|den Elefanten|dem Elefanten|des Elefanten"},
  };
  for (const Noun& entry : nouns()) {
    if ((entry.kinds & kind::weak) == 0) continue;
    ASSERT_TRUE(expected.count(entry.singular)) << entry.singular;
    std::string row;
    for (const Case c : {Case::nominative, Case::accusative, Case::dative, Case::genitive})
      row += (row.empty() ? "" : "|") + german::phrase(noun_phrase(entry, Determiner::definite), c);
    EXPECT_EQ(row, expected.at(entry.singular));
  }
}

TEST(PhrasebookGerman, DativePluralTakesNUnlessItEndsInNOrS) {
  EXPECT_EQ(german::noun(noun("Kind"), Case::dative, Number::plural), "Kindern");
  EXPECT_EQ(german::noun(noun("Frau"), Case::dative, Number::plural), "Frauen");
  EXPECT_EQ(german::noun(noun("Auto"), Case::dative, Number::plural), "Autos");
  EXPECT_EQ(german::noun(noun("Lehrer"), Case::dative, Number::plural), "Lehrern");
}

TEST(PhrasebookGerman, ConjugatesThePresentOfEveryVerbWithAChangingStem) {
  const std::map<std::string, std::string> expected = {
      {"schlafen", "schlafe|schläfst|schläft|schlafen|schlaft|schlafen"},
      {"lesen", "lese|liest|liest|lesen|lest|lesen"},
      {"essen", "esse|isst|isst|essen|esst|essen"},
      {"sehen", "sehe|siehst|sieht|sehen|seht|sehen"},
      {"vergessen", "vergesse|vergisst|vergisst|vergessen|vergesst|vergessen"},
      {"treffen", "treffe|triffst|trifft|treffen|trefft|treffen"},
      {"tragen", "trage|trägst|trägt|tragen|tragt|tragen"},
      {"waschen", "wasche|wäschst|wäscht|waschen|wascht|waschen"},
      {"laden", "lade|lädst|lädt|laden|ladet|laden"},
      {"nehmen", "nehme|nimmst|nimmt|nehmen|nehmt|nehmen"},
      {"werfen", "werfe|wirfst|wirft|werfen|werft|werfen"},
      {"helfen", "helfe|hilfst|hilft|helfen|helft|helfen"},
      {"widersprechen", "widerspreche|widersprichst|widerspricht|widersprechen|widersprecht|widersprechen"},
      {"geben", "gebe|gibst|gibt|geben|gebt|geben"},
      {"empfehlen", "empfehle|empfiehlst|empfiehlt|empfehlen|empfehlt|empfehlen"},
      {"sprechen", "spreche|sprichst|spricht|sprechen|sprecht|sprechen"},
      {"verlaufen", "verlaufe|verläufst|verläuft|verlaufen|verlauft|verlaufen"},
      {"fahren", "fahre|fährst|fährt|fahren|fahrt|fahren"},
      {"laufen", "laufe|läufst|läuft|laufen|lauft|laufen"},
  };
  constexpr Person persons[] = {Person::i, Person::thou, Person::he, Person::we, Person::ye, Person::they};
  std::set<std::string> seen;
  for (const Verb& entry : verbs()) {
    const std::string stem(entry.infinitive, std::string_view(entry.infinitive).size() - 2);
    const bool regular = german::present(entry.infinitive, entry.third, Person::he) == stem + "t" ||
                         german::present(entry.infinitive, entry.third, Person::he) == stem + "et" ||
                         std::string_view(entry.infinitive).ends_with("ern");
    if (regular) continue;
    ASSERT_TRUE(expected.count(entry.infinitive)) << entry.infinitive;
    std::string row;
    for (const Person person : persons)
      row += (row.empty() ? "" : "|") + german::present(entry.infinitive, entry.third, person);
    EXPECT_EQ(row, expected.at(entry.infinitive));
    seen.insert(entry.infinitive);
  }
  EXPECT_EQ(seen.size(), expected.size());
}

TEST(PhrasebookGerman, ConjugatesRegularStemsByTheirSound) {
  const auto form = [](std::string_view infinitive, Person person) {
    const Verb& entry = verb(infinitive);
    return german::present(entry.infinitive, entry.third, person);
  };
  EXPECT_EQ(form("arbeiten", Person::thou), "arbeitest");
  EXPECT_EQ(form("arbeiten", Person::ye), "arbeitet");
  EXPECT_EQ(form("tanzen", Person::thou), "tanzt");
  EXPECT_EQ(form("begrüßen", Person::thou), "begrüßt");
  EXPECT_EQ(form("finden", Person::thou), "findest");
  EXPECT_EQ(form("öffnen", Person::thou), "öffnest");
  EXPECT_EQ(form("öffnen", Person::ye), "öffnet");
  EXPECT_EQ(form("füttern", Person::i), "füttere");
  EXPECT_EQ(form("füttern", Person::thou), "fütterst");
  EXPECT_EQ(form("bewundern", Person::they), "bewundern");
}

TEST(PhrasebookGerman, MakesImperatives) {
  const auto forms = [](std::string_view infinitive, std::string_view prefix = "") {
    const Verb& entry = verb(infinitive, prefix);
    return german::imperative(entry, Person::thou) + "|" + german::imperative(entry, Person::ye) + "|" +
           german::imperative(entry, Person::polite);
  };
  EXPECT_EQ(forms("lesen"), "lies|lest|lesen Sie");
  EXPECT_EQ(forms("geben"), "gib|gebt|geben Sie");
  EXPECT_EQ(forms("nehmen", "mit"), "nimm|nehmt|nehmen Sie");
  EXPECT_EQ(forms("essen"), "iss|esst|essen Sie");
  EXPECT_EQ(forms("fahren"), "fahr|fahrt|fahren Sie");
  EXPECT_EQ(forms("laden", "ein"), "lade|ladet|laden Sie");
  EXPECT_EQ(forms("arbeiten"), "arbeite|arbeitet|arbeiten Sie");
  EXPECT_EQ(forms("öffnen"), "öffne|öffnet|öffnen Sie");
  EXPECT_EQ(forms("reparieren"), "repariere|repariert|reparieren Sie");
  EXPECT_EQ(forms("gehen"), "geh|geht|gehen Sie");
}

TEST(PhrasebookGerman, DrawsPrepositionsAndArticlesTogether) {
  EXPECT_EQ(german::prepositional("an", the("Bericht"), Case::dative), "am Bericht");
  EXPECT_EQ(german::prepositional("von", the("Lehrer"), Case::dative), "vom Lehrer");
  EXPECT_EQ(german::prepositional("zu", the("Frau"), Case::dative), "zur Frau");
  EXPECT_EQ(german::prepositional("in", the("Haus"), Case::accusative, true), "ins Haus");
  EXPECT_EQ(german::prepositional("an", the("Kind"), Case::accusative), "an das Kind");
  EXPECT_EQ(german::prepositional("von", the("Lehrer", Number::plural), Case::dative), "von den Lehrern");
  EXPECT_EQ(german::prepositional("auf", the("Tisch"), Case::accusative), "auf den Tisch");
  EXPECT_EQ(german::prepositional("auf", the("Tisch"), Case::dative), "auf dem Tisch");
}

TEST(PhrasebookGerman, PutsTheVerbSecondFirstOrLast) {
  const Clause clause = reads_the_book(Tense::past);
  EXPECT_EQ(german::main_clause(clause), "der Mann hat das Buch gelesen");
  EXPECT_EQ(german::main_clause(clause, "gestern"), "gestern hat der Mann das Buch gelesen");
  EXPECT_EQ(german::verb_first(clause), "hat der Mann das Buch gelesen");
  EXPECT_EQ(german::verb_final(clause), "der Mann das Buch gelesen hat");
  EXPECT_EQ(german::zu_infinitive(clause), "das Buch zu lesen");
}

TEST(PhrasebookGerman, SeparatesPrefixesInMainClausesOnly) {
  const Verb& get_up = verb("stehen", "auf");
  EXPECT_EQ(german::main_clause(clause_of(the("Kind"), get_up, Tense::present)), "das Kind steht auf");
  EXPECT_EQ(german::verb_final(clause_of(the("Kind"), get_up, Tense::present)), "das Kind aufsteht");
  EXPECT_EQ(german::main_clause(clause_of(the("Kind"), get_up, Tense::past)), "das Kind ist aufgestanden");
  EXPECT_EQ(german::main_clause(clause_of(the("Kind"), get_up, Tense::future)), "das Kind wird aufstehen");
  EXPECT_EQ(german::zu_infinitive(clause_of(the("Kind"), get_up, Tense::present)), "aufzustehen");
}

TEST(PhrasebookGerman, PutsNichtBehindObjectsAndBeforePrepositions) {
  EXPECT_EQ(german::main_clause(reads_the_book(Tense::past, Polarity::negative)),
            "der Mann hat das Buch nicht gelesen");
  EXPECT_EQ(german::main_clause(reads_the_book(Tense::perfect, Polarity::not_yet)),
            "der Mann hat das Buch noch nicht gelesen");
  Clause waits = clause_of(the("Frau"), verb("warten"), Tense::present);
  waits.polarity = Polarity::negative;
  waits.add(Slot::prepositional, "auf den Zug", "for the train");
  EXPECT_EQ(german::main_clause(waits), "die Frau wartet nicht auf den Zug");
  EXPECT_EQ(english::statement(waits), "the woman does not wait for the train");
}

TEST(PhrasebookGerman, OrdersObjectsByCaseAndPronouns) {
  Clause gives = clause_of(the("Mann"), verb("geben"), Tense::past);
  gives.add(Slot::accusative, "das Buch", "the book");
  gives.add(Slot::dative, "dem Kind", "the child");
  gives.add(Slot::time, "gestern", "yesterday");
  EXPECT_EQ(german::main_clause(gives), "der Mann hat gestern dem Kind das Buch gegeben");
  EXPECT_EQ(english::statement(gives), "the man gave the child the book yesterday");
  Clause pronouns = clause_of(the("Mann"), verb("geben"), Tense::present);
  pronouns.add(Slot::recipient, "dem Kind", "to the child");
  pronouns.add(Slot::accusative_pronoun, "es", "it");
  EXPECT_EQ(german::main_clause(pronouns), "der Mann gibt es dem Kind");
  EXPECT_EQ(english::statement(pronouns), "the man gives it to the child");
}

TEST(PhrasebookGerman, PutsTheReflexivePronounBeforeANounSubject) {
  Clause hurries = clause_of(the("Frau"), verb("beeilen"), Tense::past);
  hurries.add(Slot::reflexive, german::reflexive(Person::she), "");
  EXPECT_EQ(german::main_clause(hurries), "die Frau hat sich beeilt");
  EXPECT_EQ(german::main_clause(hurries, "gestern"), "gestern hat sich die Frau beeilt");
  EXPECT_EQ(german::verb_final(hurries), "sich die Frau beeilt hat");
  hurries.subject = pronoun(Person::she);
  EXPECT_EQ(german::verb_final(hurries), "sie sich beeilt hat");
}

TEST(PhrasebookEnglish, ChoosesAOrAnBySound) {
  EXPECT_STREQ(english::indefinite_article("apple"), "an");
  EXPECT_STREQ(english::indefinite_article("honest man"), "an");
  EXPECT_STREQ(english::indefinite_article("university"), "a");
  EXPECT_STREQ(english::indefinite_article("dog"), "a");
}

TEST(PhrasebookEnglish, InflectsVerbs) {
  EXPECT_EQ(english::third_person("watch"), "watches");
  EXPECT_EQ(english::third_person("go"), "goes");
  EXPECT_EQ(english::third_person("study"), "studies");
  EXPECT_EQ(english::third_person("buy"), "buys");
  EXPECT_EQ(english::third_person("have"), "has");
  EXPECT_EQ(english::progressive(verb("schwimmen")), "swimming");
  EXPECT_EQ(english::progressive(verb("tanzen")), "dancing");
  EXPECT_EQ(english::progressive(verb("sehen")), "seeing");
  EXPECT_EQ(english::progressive(verb("stehen", "auf")), "getting");
}

TEST(PhrasebookEnglish, SaysEveryTense) {
  EXPECT_EQ(english::statement(reads_the_book(Tense::present)), "the man reads the book");
  EXPECT_EQ(english::statement(reads_the_book(Tense::progressive)), "the man is reading the book");
  EXPECT_EQ(english::statement(reads_the_book(Tense::past, Polarity::negative)), "the man did not read the book");
  EXPECT_EQ(english::statement(reads_the_book(Tense::perfect, Polarity::not_yet)), "the man has not read the book yet");
  EXPECT_EQ(english::statement(reads_the_book(Tense::since)), "the man has been reading the book");
  EXPECT_EQ(english::statement(reads_the_book(Tense::pluperfect)), "the man had read the book");
  EXPECT_EQ(english::question(reads_the_book(Tense::present)), "does the man read the book");
  EXPECT_EQ(english::question(reads_the_book(Tense::future)), "will the man read the book");
}

TEST(PhrasebookEnglish, SaysModalVerbs) {
  Clause clause = reads_the_book(Tense::present, Polarity::negative);
  const char* const expected[] = {"the man cannot read the book",
                                  "the man does not have to read the book",
                                  "the man does not want to read the book",
                                  "the man should not read the book",
                                  "the man is not allowed to read the book",
                                  "the man would not like to read the book"};
  for (std::size_t i = 0; i < modals().size(); ++i) {
    clause.modal = &modals()[i];
    EXPECT_EQ(english::statement(clause), expected[i]);
  }
  clause.modal = &modals()[1];
  EXPECT_EQ(german::main_clause(clause), "der Mann muss das Buch nicht lesen");
  EXPECT_EQ(german::verb_final(clause), "der Mann das Buch nicht lesen muss");
}

TEST(PhrasebookEnglish, PutsPronounsBeforeTheParticle) {
  Clause clause = clause_of(the("Frau"), verb("holen", "ab"), Tense::past);
  clause.add(Slot::accusative_pronoun, "ihn", "him");
  clause.split_pronoun = true;
  EXPECT_EQ(english::statement(clause), "the woman picked him up");
  EXPECT_EQ(german::main_clause(clause), "die Frau hat ihn abgeholt");
}

TEST(PhrasebookGerman, MakesThePerfectWithSeinForMotionAndChange) {
  std::set<std::string> with_sein;
  for (const Verb& entry : verbs())
    if ((entry.marks & mark::sein) != 0) with_sein.insert(std::string(entry.prefix) + entry.infinitive);
  const std::set<std::string> expected = {"schwimmen", "aufstehen",    "einschlafen", "aufwachen",
                                          "ankommen",  "zurückkommen", "folgen",      "gehen",
                                          "fahren",    "laufen",       "kommen"};
  EXPECT_EQ(with_sein, expected);
}

TEST(PhrasebookGerman, RelativePronounsAgreeWithTheirNoun) {
  EXPECT_STREQ(german::relative_pronoun(Case::nominative, Gender::masculine, Number::singular), "der");
  EXPECT_STREQ(german::relative_pronoun(Case::accusative, Gender::masculine, Number::singular), "den");
  EXPECT_STREQ(german::relative_pronoun(Case::dative, Gender::feminine, Number::singular), "der");
  EXPECT_STREQ(german::relative_pronoun(Case::accusative, Gender::neuter, Number::singular), "das");
  EXPECT_STREQ(german::relative_pronoun(Case::dative, Gender::neuter, Number::plural), "denen");
}

TEST(PhrasebookGerman, PossessivesAgreeWithOwnerAndNoun) {
  NounPhrase mother = the("Mutter"), brother = the("Bruder");
  mother.determiner = brother.determiner = Determiner::possessive;
  mother.owner = mother.english_owner = Person::he;
  brother.owner = brother.english_owner = Person::she;
  EXPECT_EQ(german::phrase(mother, Case::nominative), "seine Mutter");
  EXPECT_EQ(german::phrase(brother, Case::dative), "ihrem Bruder");
  EXPECT_EQ(english::phrase(brother), "her brother");
  brother.owner = Person::ye;
  EXPECT_EQ(german::phrase(brother, Case::nominative), "euer Bruder");
  EXPECT_EQ(german::phrase(brother, Case::accusative), "euren Bruder");
}

TEST(PhrasebookEnglish, PronounsFollowTheMeaningNotTheGermanGender) {
  const NounPhrase dog = pronoun_for(the("Hund")), girl = pronoun_for(the("Mädchen"));
  EXPECT_EQ(german::phrase(dog, Case::accusative), "ihn");
  EXPECT_EQ(english::phrase(dog), "it");
  EXPECT_EQ(german::phrase(girl, Case::nominative), "es");
  EXPECT_EQ(english::phrase(girl, true), "she");
}

TEST(PhrasebookNumbers, AreWordsUpToNinetyNine) {
  EXPECT_EQ(number_words(21).german, "einundzwanzig");
  EXPECT_EQ(number_words(21).english, "twenty-one");
  EXPECT_EQ(number_words(67).german, "siebenundsechzig");
  EXPECT_EQ(number_words(30).german, "dreißig");
  EXPECT_EQ(number_words(12).english, "twelve");
  EXPECT_THROW(number_words(100), Error);
}

}  // namespace
}  // namespace dragoman::phrasebook
