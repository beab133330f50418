#include "phrasebook/lexicon.h"

namespace dragoman::phrasebook {
namespace {

using namespace kind;

constexpr Kinds people = person, beasts = animal;
constexpr Kinds things = upright | clothes | own_vehicle | device | surface | picture | gift;
constexpr Kinds houses = building | room | sight;

constexpr Adjective adjective_table[] = {
    {"alt", "alt", "älter", "ältest", "old", "older", "oldest",
     people | beasts | things | vehicle | houses | flat | tree},
    {"jung", "jung", "jünger", "jüngst", "young", "younger", "youngest", people | beasts},
    {"groß", "groß", "größer", "größt", "tall", "taller", "tallest", people | tree},
    {"groß", "groß", "größer", "größt", "big", "bigger", "biggest", beasts | things | vehicle | houses | event},
    {"klein", "klein", "kleiner", "kleinst", "small", "smaller", "smallest",
     beasts | things | houses | flat | event | child | tree},
    {"neu", "neu", nullptr, nullptr, "new", nullptr, nullptr,
     things | vehicle | flat | text | topic | job | building | room},
    {"nett", "nett", "netter", "nettest", "nice", "nicer", "nicest", people | kin | child},
    {"freundlich", "freundlich", "freundlicher", "freundlichst", "friendly", "friendlier", "friendliest",
     people | kin | child},
    {"reich", "reich", "reicher", "reichst", "rich", "richer", "richest", people | kin},
    {"arm", "arm", "ärmer", "ärmst", "poor", "poorer", "poorest", people},
    {"berühmt", "berühmt", "berühmter", "berühmtest", "famous", "more famous", "most famous", job | sight},
    {"fleißig", "fleißig", nullptr, nullptr, "hard-working", nullptr, nullptr, people | kin | child},
    {"faul", "faul", "fauler", "faulst", "lazy", "lazier", "laziest", people | kin | child},
    {"klug", "klug", "klüger", "klügst", "clever", "cleverer", "cleverest", people | kin | child | beasts},
    {"stark", "stark", "stärker", "stärkst", "strong", "stronger", "strongest", people | beasts},
    {"höflich", "höflich", "höflicher", "höflichst", "polite", "more polite", "most polite", people | child},
    {"mutig", "mutig", "mutiger", "mutigst", "brave", "braver", "bravest", people | kin | child},
    {"ehrlich", "ehrlich", "ehrlicher", "ehrlichst", "honest", "more honest", "most honest", people},
    {"wild", "wild", nullptr, nullptr, "wild", nullptr, nullptr, fierce},
    {"gefährlich", "gefährlich", "gefährlicher", "gefährlichst", "dangerous", "more dangerous", "most dangerous",
     fierce},
    {"rot", "rot", nullptr, nullptr, "red", nullptr, nullptr, things | vehicle},
    {"blau", "blau", nullptr, nullptr, "blue", nullptr, nullptr, things | vehicle},
    {"grün", "grün", nullptr, nullptr, "green", nullptr, nullptr, things | vehicle},
    {"gelb", "gelb", nullptr, nullptr, "yellow", nullptr, nullptr, things | vehicle},
    {"schwarz", "schwarz", nullptr, nullptr, "black", nullptr, nullptr, clothes | vehicle | device | upright | pet},
    {"weiß", "weiß", nullptr, nullptr, "white", nullptr, nullptr, clothes | vehicle | surface | upright | pet},
    {"schön", "schön", "schöner", "schönst", "beautiful", "more beautiful", "most beautiful",
     clothes | art | gift | houses | picture},
    {"teuer", "teur", "teurer", "teuerst", "expensive", "more expensive", "most expensive", things | own_vehicle},
    {"billig", "billig", "billiger", "billigst", "cheap", "cheaper", "cheapest", things | own_vehicle},
    {"schwer", "schwer", "schwerer", "schwerst", "heavy", "heavier", "heaviest", surface | opening},
    {"sauber", "sauber", nullptr, nullptr, "clean", nullptr, nullptr, upright | clothes | room},
    {"schmutzig", "schmutzig", nullptr, nullptr, "dirty", nullptr, nullptr, upright | clothes | room | own_vehicle},
    {"kaputt", "kaputt", nullptr, nullptr, "broken", nullptr, nullptr, device | own_vehicle},
    {"kalt", "kalt", "kälter", "kältest", "cold", "colder", "coldest", drink | liquid_food},
    {"warm", "warm", "wärmer", "wärmst", "warm", "warmer", "warmest", drink | liquid_food | clothes},
    {"heiß", "heiß", nullptr, nullptr, "hot", nullptr, nullptr, liquid_food},
    {"frisch", "frisch", nullptr, nullptr, "fresh", nullptr, nullptr, food},
    {"lecker", "lecker", nullptr, nullptr, "tasty", nullptr, nullptr, food},
    {"interessant", "interessant", "interessanter", "interessantest", "interesting", "more interesting",
     "most interesting", text | topic | told | question | sight},
    {"langweilig", "langweilig", "langweiliger", "langweiligst", "boring", "more boring", "most boring", text | told},
    {"spannend", "spannend", "spannender", "spannendst", "exciting", "more exciting", "most exciting", text | topic},
    {"lustig", "lustig", "lustiger", "lustigst", "funny", "funnier", "funniest", told},
    {"wichtig", "wichtig", "wichtiger", "wichtigst", "important", "more important", "most important",
     question | topic | event | written},
    {"schwierig", "schwierig", "schwieriger", "schwierigst", "difficult", "more difficult", "most difficult", question},
    {"lang", "lang", "länger", "längst", "long", "longer", "longest", written | dressed},
    {"kurz", "kurz", "kürzer", "kürzest", "short", "shorter", "shortest", written | question},
    {"schnell", "schnell", "schneller", "schnellst", "fast", "faster", "fastest", vehicle},
    {"langsam", "langsam", "langsamer", "langsamst", "slow", "slower", "slowest", vehicle},
    {"leer", "leer", nullptr, nullptr, "empty", nullptr, nullptr, container},
    {"hoch", "hoh", "höher", "höchst", "high", "higher", "highest", building},
    {"dunkel", "dunkl", "dunkler", "dunkelst", "dark", "darker", "darkest", room},
};

constexpr Adjective mood_table[] = {
    {"müde", "müd", nullptr, nullptr, "tired", nullptr, nullptr, person},
    {"krank", "krank", nullptr, nullptr, "sick", nullptr, nullptr, person},
    {"glücklich", "glücklich", nullptr, nullptr, "happy", nullptr, nullptr, person},
    {"traurig", "traurig", nullptr, nullptr, "sad", nullptr, nullptr, person},
    {"wütend", "wütend", nullptr, nullptr, "angry", nullptr, nullptr, person},
    {"nervös", "nervös", nullptr, nullptr, "nervous", nullptr, nullptr, person},
    {"hungrig", "hungrig", nullptr, nullptr, "hungry", nullptr, nullptr, person},
    {"durstig", "durstig", nullptr, nullptr, "thirsty", nullptr, nullptr, person},
};

constexpr Place place_table[] = {
    {"im Garten", "in den Garten", "in the garden", "into the garden", false,
     suits::eating | suits::studying | suits::working | suits::sleeping | suits::leisure},
    {"in der Küche", "in die Küche", "in the kitchen", "into the kitchen", false,
     suits::eating | suits::studying | suits::working | suits::leisure},
    {"im Wald", "in den Wald", "in the forest", "into the forest", false, suits::sleeping | suits::leisure},
    {"im Büro", "ins Büro", "at the office", "to the office", true, suits::working | suits::sleeping | suits::leisure},
    {"im Kino", "ins Kino", "at the cinema", "to the cinema", false, suits::working | suits::sleeping | suits::leisure},
    {"im Theater", "ins Theater", "at the theatre", "to the theatre", false,
     suits::working | suits::sleeping | suits::leisure},
    {"im Museum", "ins Museum", "at the museum", "to the museum", false, suits::working | suits::leisure},
    {"im Restaurant", "ins Restaurant", "at the restaurant", "to the restaurant", false,
     suits::eating | suits::working | suits::leisure},
    {"im Park", "in den Park", "in the park", "to the park", false,
     suits::eating | suits::studying | suits::sleeping | suits::leisure},
    {"im Hotel", "ins Hotel", "at the hotel", "to the hotel", true,
     suits::eating | suits::working | suits::sleeping | suits::leisure},
    {"im Krankenhaus", "ins Krankenhaus", "at the hospital", "to the hospital", true,
     suits::working | suits::sleeping | suits::leisure},
    {"in der Schule", "in die Schule", "at school", "to school", false,
     suits::studying | suits::working | suits::leisure},
    {"in der Bibliothek", "in die Bibliothek", "at the library", "to the library", false,
     suits::studying | suits::working | suits::sleeping},
    {"am Bahnhof", "zum Bahnhof", "at the station", "to the station", true,
     suits::eating | suits::working | suits::leisure},
    {"am Flughafen", "zum Flughafen", "at the airport", "to the airport", true,
     suits::eating | suits::working | suits::sleeping | suits::leisure},
    {"an der Universität", "zur Universität", "at the university", "to the university", true,
     suits::studying | suits::working | suits::leisure},
    {"auf dem Markt", "auf den Markt", "at the market", "to the market", false, suits::working | suits::leisure},
    {"am Strand", "an den Strand", "on the beach", "to the beach", true,
     suits::eating | suits::sleeping | suits::leisure},
    {"am See", "an den See", "at the lake", "to the lake", true, suits::eating | suits::sleeping | suits::leisure},
    {"am Meer", "ans Meer", "by the sea", "to the sea", true, suits::eating | suits::leisure},
    {"zu Hause", "nach Hause", "at home", "home", true,
     suits::eating | suits::studying | suits::working | suits::sleeping | suits::leisure},
    {"beim Arzt", "zum Arzt", "at the doctor's", "to the doctor's", false, 0},
};

constexpr Name name_table[] = {
    {"Anna", Person::she},   {"Paul", Person::he},   {"Maria", Person::she}, {"Peter", Person::he},
    {"Julia", Person::she},  {"Martin", Person::he}, {"Laura", Person::she}, {"David", Person::he},
    {"Sophie", Person::she}, {"Daniel", Person::he}, {"Emma", Person::she},  {"Karl", Person::he},
    {"Eva", Person::she},    {"Simon", Person::he},  {"Clara", Person::she}, {"Anton", Person::he},
    {"Lena", Person::she},   {"Oskar", Person::he},  {"Nina", Person::she},  {"Jakob", Person::he},
};

constexpr Expression surname_table[] = {
    {"Herr Weber", "Mr. Weber"},      {"Frau Weber", "Mrs. Weber"},     {"Herr Schmidt", "Mr. Schmidt"},
    {"Frau Schmidt", "Mrs. Schmidt"}, {"Herr Müller", "Mr. Müller"},    {"Frau Müller", "Mrs. Müller"},
    {"Herr Fischer", "Mr. Fischer"},  {"Frau Fischer", "Mrs. Fischer"}, {"Herr Becker", "Mr. Becker"},
    {"Frau Becker", "Mrs. Becker"},
};

constexpr Expression city_table[] = {
    {"Berlin", "Berlin"}, {"Hamburg", "Hamburg"}, {"München", "Munich"},  {"Köln", "Cologne"},
    {"Wien", "Vienna"},   {"Zürich", "Zurich"},   {"Rom", "Rome"},        {"Paris", "Paris"},
    {"London", "London"}, {"Prag", "Prague"},     {"Leipzig", "Leipzig"}, {"Mailand", "Milan"},
};

constexpr Country country_table[] = {
    {"Deutschland", "in Deutschland", "nach Deutschland", "aus Deutschland", "Germany"},
    {"Frankreich", "in Frankreich", "nach Frankreich", "aus Frankreich", "France"},
    {"Italien", "in Italien", "nach Italien", "aus Italien", "Italy"},
    {"Spanien", "in Spanien", "nach Spanien", "aus Spanien", "Spain"},
    {"Österreich", "in Österreich", "nach Österreich", "aus Österreich", "Austria"},
    {"die Schweiz", "in der Schweiz", "in die Schweiz", "aus der Schweiz", "Switzerland"},
    {"die Türkei", "in der Türkei", "in die Türkei", "aus der Türkei", "Turkey"},
    {"Polen", "in Polen", "nach Polen", "aus Polen", "Poland"},
    {"England", "in England", "nach England", "aus England", "England"},
    {"Japan", "in Japan", "nach Japan", "aus Japan", "Japan"},
};

constexpr Expression language_table[] = {
    {"Deutsch", "German"},   {"Englisch", "English"},    {"Französisch", "French"},
    {"Spanisch", "Spanish"}, {"Italienisch", "Italian"}, {"Polnisch", "Polish"},
};

constexpr Expression habit_table[] = {
    {"jeden Tag", "every day"},          {"jeden Morgen", "every morning"},
    {"jeden Abend", "every evening"},    {"jede Woche", "every week"},
    {"am Wochenende", "at the weekend"}, {"im Sommer", "in summer"},
    {"im Winter", "in winter"},          {"am Morgen", "in the morning"},
    {"am Abend", "in the evening"},      {"am Nachmittag", "in the afternoon"},
    {"nach der Arbeit", "after work"},
};

constexpr Expression frequency_table[] = {
    {"oft", "often"}, {"nie", "never"}, {"selten", "rarely"}, {"manchmal", "sometimes"}, {"immer", "always"},
};

constexpr Expression past_table[] = {
    {"gestern", "yesterday"},
    {"gestern Abend", "yesterday evening"},
    {"heute Morgen", "this morning"},
    {"vor einer Stunde", "an hour ago"},
    {"letzte Woche", "last week"},
    {"letztes Jahr", "last year"},
    {"letzten Sommer", "last summer"},
    {"letzten Monat", "last month"},
    {"vor einem Monat", "a month ago"},
    {"vor drei Tagen", "three days ago"},
    {"vor zwei Wochen", "two weeks ago"},
};

constexpr Expression future_table[] = {
    {"morgen", "tomorrow"},
    {"morgen Abend", "tomorrow evening"},
    {"heute Abend", "this evening"},
    {"bald", "soon"},
    {"in einer Stunde", "in an hour"},
    {"nächste Woche", "next week"},
    {"nächstes Jahr", "next year"},
    {"nächsten Monat", "next month"},
    {"in drei Tagen", "in three days"},
    {"in zwei Wochen", "in two weeks"},
};

constexpr Expression instrument_table[] = {
    {"Klavier", "the piano"}, {"Gitarre", "the guitar"},   {"Geige", "the violin"},
    {"Flöte", "the flute"},   {"Trompete", "the trumpet"}, {"Schlagzeug", "the drums"},
};

constexpr Expression month_table[] = {
    {"Januar", "January"},  {"Februar", "February"},  {"März", "March"},
    {"April", "April"},     {"Mai", "May"},           {"Juni", "June"},
    {"Juli", "July"},       {"August", "August"},     {"September", "September"},
    {"Oktober", "October"}, {"November", "November"}, {"Dezember", "December"},
};

constexpr Expression weekday_table[] = {
    {"Montag", "Monday"},  {"Dienstag", "Tuesday"}, {"Mittwoch", "Wednesday"}, {"Donnerstag", "Thursday"},
    {"Freitag", "Friday"}, {"Samstag", "Saturday"}, {"Sonntag", "Sunday"},
};

constexpr Expression number_table[] = {
    {"zwei", "two"},          {"drei", "three"},        {"vier", "four"},        {"fünf", "five"},
    {"sechs", "six"},         {"sieben", "seven"},      {"acht", "eight"},       {"neun", "nine"},
    {"zehn", "ten"},          {"elf", "eleven"},        {"zwölf", "twelve"},     {"dreizehn", "thirteen"},
    {"vierzehn", "fourteen"}, {"fünfzehn", "fifteen"},  {"sechzehn", "sixteen"}, {"siebzehn", "seventeen"},
    {"achtzehn", "eighteen"}, {"neunzehn", "nineteen"}, {"zwanzig", "twenty"},
};

constexpr Expression hour_table[] = {
    {"eins", "one"},     {"zwei", "two"},   {"drei", "three"}, {"vier", "four"}, {"fünf", "five"},  {"sechs", "six"},
    {"sieben", "seven"}, {"acht", "eight"}, {"neun", "nine"},  {"zehn", "ten"},  {"elf", "eleven"}, {"zwölf", "twelve"},
};

constexpr Expression travel_table[] = {
    {"mit dem Zug", "the train"},
    {"mit dem Bus", "the bus"},
    {"mit dem Taxi", "a taxi"},
    {"mit der Straßenbahn", "the tram"},
    {"mit der U-Bahn", "the underground"},
};

}  // namespace

std::span<const Adjective> adjectives() { return adjective_table; }
std::span<const Adjective> moods() { return mood_table; }
std::span<const Place> places() { return place_table; }
std::span<const Name> names() { return name_table; }
std::span<const Expression> surnames() { return surname_table; }
std::span<const Expression> cities() { return city_table; }
std::span<const Country> countries() { return country_table; }
std::span<const Expression> languages() { return language_table; }
std::span<const Expression> habits() { return habit_table; }
std::span<const Expression> frequency() { return frequency_table; }
std::span<const Expression> past_times() { return past_table; }
std::span<const Expression> future_times() { return future_table; }
std::span<const Expression> instruments() { return instrument_table; }
std::span<const Expression> months() { return month_table; }
std::span<const Expression> weekdays() { return weekday_table; }
std::span<const Expression> numbers() { return number_table; }
std::span<const Expression> hours() { return hour_table; }
std::span<const Expression> travel() { return travel_table; }

int lemma_count() {
  const std::size_t count = nouns().size() + verbs().size() + adjectives().size() + moods().size() + modals().size() +
                            frequency().size() + places().size() + languages().size() + instruments().size() +
                            months().size() + weekdays().size();
  return static_cast<int>(count);
}

}  // namespace dragoman::phrasebook
