#include "phrasebook/grammar.h"

#include <algorithm>

#include "base/error.h"

namespace dragoman::phrasebook {

NounPhrase noun_phrase(const Noun& noun, Determiner determiner, Number number) {
  NounPhrase phrase;
  phrase.noun = &noun;
  phrase.determiner = determiner;
  phrase.number = number;
  if (number == Number::plural) {
    phrase.person = phrase.english_person = Person::they;
    return phrase;
  }
  constexpr Person by_gender[] = {Person::he, Person::she, Person::it};
  phrase.person = by_gender[static_cast<int>(noun.gender)];
  const bool person = (noun.kinds & kind::person) != 0, female = (noun.kinds & kind::female) != 0;
  phrase.english_person = female ? Person::she : person ? phrase.person : Person::it;
  return phrase;
}

NounPhrase name_phrase(const Name& name) {
  NounPhrase phrase;
  phrase.name = phrase.english_name = name.name;
  phrase.person = phrase.english_person = name.person;
  return phrase;
}

NounPhrase pronoun(Person person) {
  NounPhrase phrase;
  phrase.person = phrase.english_person = person;
  if (person >= Person::we) phrase.number = Number::plural;
  return phrase;
}

NounPhrase pronoun_for(const NounPhrase& phrase) {
  NounPhrase result = pronoun(phrase.person);
  result.english_person = phrase.english_person;
  return result;
}

Part Clause::take(Slot slot) {
  const auto found = std::find_if(parts.begin(), parts.end(), [slot](const Part& part) { return part.slot == slot; });
  check(found != parts.end(), "[phrasebook] the clause has no part in slot {}", static_cast<int>(slot));
  Part part = *found;
  parts.erase(found);
  return part;
}

bool Clause::has(Slot slot) const {
  return std::any_of(parts.begin(), parts.end(), [slot](const Part& part) { return part.slot == slot; });
}

void append(std::string& text, std::string_view piece) {
  if (piece.empty()) return;
  if (!text.empty()) text += ' ';
  text += piece;
}

std::string join(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) append(text, piece);
  return text;
}

const Verb& be() {
  static constexpr Verb verb{"sein",       "", "ist", "gewesen",        "be",   "was", "been", mark::sein | mark::state,
                             Frame::alone, 0,  "",    Case::nominative, nullptr};
  return verb;
}

const Verb& have() {
  static constexpr Verb verb{"haben",           "", "hat", "gehabt",         "have", "had", "had", mark::state,
                             Frame::accusative, 0,  "",    Case::accusative, nullptr};
  return verb;
}

const Verb& know_that() {
  static constexpr Verb verb{"wissen",    "",           "weiß", "gewusst", "know",           "knew", "known",
                             mark::state, Frame::alone, 0,      "",        Case::accusative, nullptr};
  return verb;
}

}  // namespace dragoman::phrasebook
