#pragma once

#include <cstdint>
#include <span>

// The phrasebook's vocabulary as plain tables. german.h and english.h do the inflection.
namespace dragoman::phrasebook {

enum class Gender : std::uint8_t { masculine, feminine, neuter };
enum class Number : std::uint8_t { singular, plural };
enum class Case : std::uint8_t { nominative, accusative, dative, genitive };
// Grammatical persons; `polite` is German "Sie", `ye` is German "ihr".
enum class Person : std::uint8_t { i, thou, he, she, it, we, ye, they, polite };

// Semantic classes of nouns, so that people eat food and read books. Verbs list the kinds that fit as objects;
// adjectives list the kinds they can describe.
using Kinds = std::uint64_t;
namespace kind {
inline constexpr Kinds weak = 1ull << 0;  // n-declension: den Studenten
inline constexpr Kinds mass = 1ull << 1;  // mass noun: no plural, no "a"
inline constexpr Kinds person = 1ull << 2;
inline constexpr Kinds kin = 1ull << 3;  // takes a possessive: my brother
inline constexpr Kinds job = 1ull << 4;  // "er ist Arzt", "he is a doctor"
inline constexpr Kinds animal = 1ull << 5;
inline constexpr Kinds food = 1ull << 6;
inline constexpr Kinds dish = 1ull << 7;  // can be cooked
inline constexpr Kinds drink = 1ull << 8;
inline constexpr Kinds text = 1ull << 9;
inline constexpr Kinds flat = 1ull << 10;     // lies flat (legen, liegen)
inline constexpr Kinds upright = 1ull << 11;  // stands upright (stellen, stehen)
inline constexpr Kinds clothes = 1ull << 12;
inline constexpr Kinds vehicle = 1ull << 13;
inline constexpr Kinds building = 1ull << 14;
inline constexpr Kinds surface = 1ull << 15;  // things lie on, under or beside it
inline constexpr Kinds device = 1ull << 16;   // can be turned on and off
inline constexpr Kinds art = 1ull << 17;      // can please people (gefallen)
inline constexpr Kinds gift = 1ull << 18;
inline constexpr Kinds event = 1ull << 19;  // begins; people look forward to it
inline constexpr Kinds topic = 1ull << 20;  // people think and talk about it
inline constexpr Kinds scary = 1ull << 21;
inline constexpr Kinds opening = 1ull << 22;  // can be opened and closed
inline constexpr Kinds room = 1ull << 23;     // can be tidied up and cleaned
inline constexpr Kinds sound = 1ull << 24;    // people listen to it
inline constexpr Kinds question = 1ull << 25;
inline constexpr Kinds baked = 1ull << 26;
inline constexpr Kinds picture = 1ull << 27;
inline constexpr Kinds scheduled = 1ull << 28;  // arrives and leaves by timetable
inline constexpr Kinds own_vehicle = 1ull << 29;
inline constexpr Kinds liquid_food = 1ull << 30;
inline constexpr Kinds pet = 1ull << 31;
inline constexpr Kinds tree = 1ull << 32;
inline constexpr Kinds child = 1ull << 33;
inline constexpr Kinds written = 1ull << 34;  // a person writes it
inline constexpr Kinds made = 1ull << 35;     // people prepare it: concerts, parties
inline constexpr Kinds lost = 1ull << 36;     // people lose, seek and forget it
inline constexpr Kinds sight = 1ull << 37;    // people visit and photograph it
inline constexpr Kinds told = 1ull << 38;     // people tell it to somebody
inline constexpr Kinds fierce = 1ull << 39;
inline constexpr Kinds container = 1ull << 40;
inline constexpr Kinds sole = 1ull << 41;     // people have only one: no "my fathers"
inline constexpr Kinds female = 1ull << 42;   // neuter in German, "she" in English
inline constexpr Kinds dressed = 1ull << 43;  // people put it on and take it off (not a hat: aufsetzen)
inline constexpr Kinds peer = 1ull << 44;     // people compare themselves with them
inline constexpr Kinds womens = 1ull << 45;   // worn by women
}  // namespace kind

struct Noun {
  const char* singular;
  Gender gender;
  const char* plural;
  const char* genitive;  // of the singular; for a weak noun also its accusative and dative
  const char* english;
  const char* english_plural;
  Kinds kinds;
};

struct Adjective {
  const char* german;
  const char* stem;         // before an ending: "teur" for teuer
  const char* comparative;  // null if the phrasebook does not compare it
  const char* superlative;  // before an ending: "ältest"
  const char* english;
  const char* english_comparative;
  const char* english_superlative;
  Kinds kinds;
};

// Verb frames: the complements of a verb.
enum class Frame : std::uint8_t {
  alone,             // schläft
  accusative,        // liest das Buch
  dative,            // hilft dem Mann
  giving,            // gibt dem Mann das Buch; "gives the man the book"
  telling,           // erklärt dem Mann die Frage; "explains the question to the man"
  preposition,       // wartet auf den Zug
  reflexive,         // setzt sich
  reflexive_object,  // freut sich auf das Fest
  placing,           // legt das Buch auf den Tisch
  motion             // geht ins Kino
};

// Properties of a verb.
namespace mark {
inline constexpr unsigned sein = 1;       // perfect with sein
inline constexpr unsigned state = 2;      // no progressive, no imperative
inline constexpr unsigned doubles = 4;    // sit, sitting
inline constexpr unsigned split = 8;      // picks him up
inline constexpr unsigned moment = 16;    // momentary: no progressive, no "for two hours"
inline constexpr unsigned anywhere = 64;  // can happen anywhere
inline constexpr unsigned once = 128;     // only in the past
inline constexpr unsigned still = 256;    // only in the present
inline constexpr unsigned rude = 1024;    // not requested, promised or attempted
inline constexpr unsigned far = 512;      // may be weeks or months away
}  // namespace mark

struct Verb {
  const char* infinitive;  // without the separable prefix
  const char* prefix;      // separable prefix or ""
  const char* third;       // third person singular without the prefix
  const char* participle;
  const char* english;  // only the first word is inflected: "look for"
  const char* english_past;
  const char* english_participle;
  unsigned marks;
  Frame frame;
  Kinds object;                     // kinds its object may have
  const char* german_preposition;   // for frames with a preposition
  Case governs;                     // the case that the preposition governs
  const char* english_preposition;  // null if the object follows directly
};

// sein, haben, werden, wissen and the modal verbs: ich, du, er, wir, ihr, sie.
struct Irregular {
  const char* infinitive;
  const char* present[6];
  const char* preterite[6];
};

struct Modal {
  const char* infinitive;
  const char* english;          // "can", or a verb with do-support such as "want to"
  const char* english_past;     // null if the phrasebook has no past of it
  bool english_auxiliary;       // inverts and is negated directly
  const char* english_present;  // third person singular if it differs from the auxiliary
};

// Activities that suit a place.
namespace suits {
inline constexpr unsigned eating = 1, studying = 2, working = 4, sleeping = 8, leisure = 16;
}  // namespace suits

struct Place {
  const char* at_german;  // im Garten
  const char* to_german;  // in den Garten
  const char* at_english;
  const char* to_english;
  bool by_car;     // far enough to drive to
  unsigned suits;  // activities that suit it
};

// A pair of fixed expressions.
struct Expression {
  const char* german;
  const char* english;
};

struct Name {
  const char* name;
  Person person;  // he or she
};

struct Country {
  const char* german;
  const char* in_german;
  const char* to_german;
  const char* from_german;
  const char* english;
};

std::span<const Noun> nouns();
std::span<const Verb> verbs();
std::span<const Adjective> adjectives();
std::span<const Adjective> moods();  // how people feel: predicates of people
std::span<const Irregular> irregulars();
std::span<const Modal> modals();
std::span<const Place> places();
std::span<const Name> names();
std::span<const Expression> surnames();
std::span<const Expression> cities();
std::span<const Country> countries();
std::span<const Expression> languages();
std::span<const Expression> habits();      // every day, in the evening
std::span<const Expression> frequency();   // often: precedes the English verb
std::span<const Expression> past_times();  // recent ones first
std::span<const Expression> future_times();
inline constexpr int near_past_times = 4, near_future_times = 5;
std::span<const Expression> instruments();
std::span<const Expression> months();
std::span<const Expression> weekdays();
std::span<const Expression> numbers();  // from two, in words
std::span<const Expression> hours();    // one to twelve
std::span<const Expression> travel();   // mit dem Zug, "the train"; two for long distances, then those for town

// Number of dictionary words: nouns, verbs, adjectives, adverbs and other expressions, without names and numbers.
int lemma_count();

}  // namespace dragoman::phrasebook
