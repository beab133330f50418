#pragma once

#include "base/random.h"
#include "phrasebook/english.h"
#include "phrasebook/german.h"
#include "phrasebook/grammar.h"

// Random choices that make sense: subjects, objects that fit their verb, times that fit their tense.
namespace dragoman::phrasebook {

// The two sides of a sentence that is being put together.
struct Sides {
  std::string german, english;
};

// Someone who is spoken to, so that "you" is du, ihr or Sie for a visible reason.
struct Addressee {
  std::string german, english;
  Person person;
};

// What a clause should be like; activity() finds words for it.
struct Wish {
  NounPhrase subject;
  Tense tense = Tense::present;
  Polarity polarity = Polarity::positive;
  const Modal* modal = nullptr;
  const Verb* verb = nullptr;  // a given verb instead of any
  unsigned avoid = 0;          // marks the verb must not have
  bool time = true;            // may say when
  bool pronoun_object = true;  // may have "him" as its object
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
  // A noun of any of `wanted` and none of `unwanted`.
  const Noun& noun(Kinds wanted, Kinds unwanted = 0);
  const Verb& verb(Frame frame, unsigned avoid, unsigned wanted = 0);
  // Where the verb is usually done.
  const Place& place_for(const Verb& verb);
  const Verb& verb(std::string_view infinitive, std::string_view prefix = "");
  // An adjective that fits the noun, or null; `compared` asks for one with comparative and superlative.
  const Adjective* adjective(const Noun& noun, bool compared = false);

  NounPhrase person();    // anybody: noun, name or pronoun
  NounPhrase someone();   // noun or name, for objects; never the subject's own pronoun
  NounPhrase human();     // a noun for a person, third person
  NounPhrase referent();  // human or name that "he", "she" or "they" can take up again
  NounPhrase kin_of(const NounPhrase& owner);
  NounPhrase thing(Kinds kinds, const NounPhrase& owner);
  // A definite thing: with "the" or "this", perhaps an adjective.
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

// "Wenn es regnet, ..." and other ways to put clauses together.
Sides main_clause(const Clause& clause);
// The clause with one of its parts in front.
Sides fronted(Clause clause, Slot slot);
Sides subordinate(const char* german, const char* english, const Clause& clause);
// The perfect with "schon" and "already" at their places.
void add_already(Clause& clause);
// 2 to 99 in words: einundzwanzig, "twenty-one".
Sides number_words(int number);
// Capital letter first, `mark` at the end.
Sides finish(Sides sides, const char* mark);
Sides joined(const Sides& first, std::string_view between_german, std::string_view between_english,
             const Sides& second);

}  // namespace dragoman::phrasebook
