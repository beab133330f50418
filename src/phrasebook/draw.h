#pragma once

#include "base/random.h"
#include "phrasebook/english.h"
#include "phrasebook/german.h"
#include "phrasebook/grammar.h"

// Random choices that make sense: subjects, objects that fit their verbs, times that fit their tenses.
namespace dragoman::phrasebook {

// The German and English text of a sentence or part of one.
struct Sides {
  std::string german, english;
};

// A person addressed by name or title, so that "you" is unambiguously du, ihr or Sie.
struct Addressee {
  std::string german, english;
  Person person;
};

// Requirements for a clause; activity() chooses the words.
struct Wish {
  NounPhrase subject;
  Tense tense = Tense::present;
  Polarity polarity = Polarity::positive;
  const Modal* modal = nullptr;
  const Verb* verb = nullptr;  // a given verb; null means any
  unsigned avoid = 0;          // verb marks to avoid
  bool time = true;            // may contain a time
  bool pronoun_object = true;  // may have a pronoun ("him") as object
};

class Draw {
 public:
  explicit Draw(Random& random) : random_(random) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  template <class T>
  const T& pick(std::span<const T> table) {
    return table[below(table.size())];
  }
  template <class T, std::size_t n>
  const T& pick(const T (&table)[n]) {
    return table[below(n)];
  }
  // A noun of at least one of the kinds `wanted` and none of `unwanted`.
  const Noun& noun(Kinds wanted, Kinds unwanted = 0);
  const Verb& verb(Frame frame, unsigned avoid, unsigned wanted = 0);
  // A place where the verb's action usually happens.
  const Place& place_for(const Verb& verb);
  const Verb& verb(std::string_view infinitive, std::string_view prefix = "");
  // An adjective that fits the noun, or null; `compared` requires comparative and superlative forms.
  const Adjective* adjective(const Noun& noun, bool compared = false);

  NounPhrase person();    // any person: noun, name or pronoun
  NounPhrase someone();   // noun or name, for objects; never the pronoun of the subject
  NounPhrase human();     // a noun for a person, third person
  NounPhrase referent();  // a noun or name that "he", "she" or "they" can refer to
  NounPhrase kin_of(const NounPhrase& owner);
  NounPhrase thing(Kinds kinds, const NounPhrase& owner);
  // A definite thing, with "the" or "this" and perhaps an adjective.
  NounPhrase the(Kinds kinds, Kinds unwanted = 0);
  Addressee addressee();
  Sides clock(int first = 1, int last = 12);  // um halb drei, "at half past two"
  Sides date();                               // am 3. Mai, "on May 3"
  Sides duration();                           // seit drei Stunden, "for three hours"

  Clause activity(const Wish& wish);
  void add_time(Clause& clause);

 private:
  const Noun* object(Clause& clause, Kinds kinds, const Wish& wish);
  void fill(Clause& clause, const Wish& wish);

  Random& random_;
};

// Clauses in German and English word order.
Sides main_clause(const Clause& clause);
// The clause with one of its parts moved to the front.
Sides fronted(Clause clause, Slot slot);
Sides subordinate(const char* german, const char* english, const Clause& clause);
// Adds "schon" and "already" to a clause in the perfect.
void add_already(Clause& clause);
// 2 to 99 in words: einundzwanzig, "twenty-one".
Sides number_words(int number);
// Capitalises the first letter and appends `mark`.
Sides finish(Sides sides, const char* mark);
Sides joined(const Sides& first, std::string_view between_german, std::string_view between_english,
             const Sides& second);

}  // namespace dragoman::phrasebook
