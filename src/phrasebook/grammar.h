#pragma once

#include <string>
#include <vector>

#include "phrasebook/lexicon.h"

// The meaning of a sentence, independent of language. A pattern fills a NounPhrase or a Clause once; german.h and
// english.h each turn it into words in their own order.
namespace dragoman::phrasebook {

enum class Determiner : std::uint8_t {
  none,
  definite,
  indefinite,  // plural and mass nouns have no article
  negative,    // kein; English negates the verb instead
  demonstrative,
  every,
  which,
  possessive,  // belonging to `owner`
  count,       // a number greater than one
  name,        // Annas, "Anna's"
};

enum class Degree : std::uint8_t { positive, superlative };

struct NounPhrase {
  const Noun* noun = nullptr;  // null for a name or a pronoun
  std::string name;
  std::string english_name;  // if it differs from the German one: "Herr Weber"
  Person person = Person::he;
  Person english_person = Person::he;  // a dog is "er" in German but "it" in English
  Number number = Number::singular;
  Determiner determiner = Determiner::none;
  Person owner = Person::i, english_owner = Person::i;
  const Expression* count = nullptr;
  const char* owner_name = nullptr;
  const Adjective* adjective = nullptr;
  Degree degree = Degree::positive;
  std::string german_tail, english_tail;  // a relative clause
  std::string german_genitive;            // follows the noun: "des Nachbarn"
  std::string english_genitive;           // replaces the determiner: "the neighbour's"

  bool is_pronoun() const { return noun == nullptr && name.empty(); }
};

// A noun with the person used for agreement and for its pronoun.
NounPhrase noun_phrase(const Noun& noun, Determiner determiner, Number number = Number::singular);
NounPhrase name_phrase(const Name& name);
NounPhrase pronoun(Person person);
NounPhrase pronoun_for(const NounPhrase& phrase);

enum class Tense : std::uint8_t {
  present,
  progressive,      // German present, English present progressive: "is reading"
  past,             // German perfect (preterite of sein, haben and modals), English simple past
  perfect,          // German perfect, English present perfect
  since,            // German present, English present perfect progressive: "has been waiting"
  future,           // werden, will
  pluperfect,       // hatte gelesen, "had read"
  passive,          // wird gelesen, "is read"
  passive_past,     // wurde gelesen, "was read"
  passive_perfect,  // ist gelesen worden, "has been read"
};

enum class Polarity : std::uint8_t { positive, negative, not_yet, no_longer };

// The parts of a clause, in the order of the German middle field.
enum class Slot : std::uint8_t {
  reflexive,
  accusative_pronoun,
  dative_pronoun,
  recipient_pronoun,  // dative in German, "to him" in English
  adverb,             // oft; precedes the main verb in English
  time,
  dative,
  recipient,  // dative in German, "to the man" in English
  accusative,
  negation,
  manner,
  place,
  prepositional,
  direction,
  predicate,
  tail,
};

struct Part {
  Slot slot;
  std::string german, english;
};

struct Clause {
  NounPhrase subject;
  const Verb* verb = nullptr;
  const Modal* modal = nullptr;
  Tense tense = Tense::present;
  Polarity polarity = Polarity::positive;
  bool german_negated = true;      // false once "kein" expresses the negation
  bool indefinite_object = false;  // follows "schon"
  bool split_pronoun = false;      // an English particle follows the pronoun: "picks him up"
  std::vector<Part> parts;

  void add(Slot slot, std::string german, std::string english) {
    parts.push_back({slot, std::move(german), std::move(english)});
  }
  // Removes and returns the first part in `slot`, so that it can be fronted.
  Part take(Slot slot);
  bool has(Slot slot) const;
};

// Joins with single spaces and skips empty pieces.
std::string join(std::initializer_list<std::string_view> pieces);
void append(std::string& text, std::string_view piece);

// Verbs that are not in the tables of frames.
const Verb& be();
const Verb& have();
const Verb& know_that();  // wissen

}  // namespace dragoman::phrasebook
