#pragma once

#include "phrasebook/grammar.h"

// German inflection and word order.
namespace dragoman::phrasebook::german {

// The article or other word before the noun; "" where German has none.
std::string determiner(const NounPhrase& phrase, Case grammatical_case);
// The ending of an adjective after that determiner: strong, weak or mixed.
const char* adjective_ending(Determiner determiner, Case grammatical_case, Gender gender, Number number);
std::string noun(const Noun& noun, Case grammatical_case, Number number);
// A whole noun phrase, name or pronoun.
std::string phrase(const NounPhrase& phrase, Case grammatical_case);
const char* reflexive(Person person);
const char* relative_pronoun(Case grammatical_case, Gender gender, Number number);
// A preposition and its phrase, drawn together where German does so: im, am, zum, zur, beim, vom; `place` also allows
// ins and ans.
std::string prepositional(const char* preposition, const NounPhrase& phrase, Case grammatical_case, bool place = false);

// The present of a verb without its prefix.
std::string present(const char* infinitive, const char* third, Person person);
// Imperative for du, ihr or Sie, without prefix: lies, lest, lesen Sie.
std::string imperative(const Verb& verb, Person person);

// Verb-second order; `front` stands first, or the subject where it is empty.
std::string main_clause(const Clause& clause, std::string_view front = {});
// Verb-first: a yes/no question, or what follows a question word or a subordinate clause.
std::string verb_first(const Clause& clause);
// Verb-final, after a conjunction or a relative pronoun; a null subject is one the pronoun has taken.
std::string verb_final(const Clause& clause, bool with_subject = true);
// das Buch zu lesen, früh aufzustehen
std::string zu_infinitive(const Clause& clause);
// Lies das Buch; the subject's person decides the form.
std::string command(const Clause& clause);

}  // namespace dragoman::phrasebook::german
