#pragma once

#include "phrasebook/grammar.h"

// German inflection and word order.
namespace dragoman::phrasebook::german {

// The article or other determiner; "" if German has none.
std::string determiner(const NounPhrase& phrase, Case grammatical_case);
// The adjective ending after that determiner: strong, weak or mixed declension.
const char* adjective_ending(Determiner determiner, Case grammatical_case, Gender gender, Number number);
std::string noun(const Noun& noun, Case grammatical_case, Number number);
// A complete noun phrase, name or pronoun.
std::string phrase(const NounPhrase& phrase, Case grammatical_case);
const char* reflexive(Person person);
const char* relative_pronoun(Case grammatical_case, Gender gender, Number number);
// A preposition with its noun phrase, contracted as in im, am, zum, zur, beim, vom; `place` also allows ins and ans.
std::string prepositional(const char* preposition, const NounPhrase& phrase, Case grammatical_case, bool place = false);

// The present tense of a verb, without its prefix.
std::string present(const char* infinitive, const char* third, Person person);
// Imperative for du, ihr or Sie, without prefix: lies, lest, lesen Sie.
std::string imperative(const Verb& verb, Person person);

// Verb-second order, with `front` in first position, or the subject if it is empty.
std::string main_clause(const Clause& clause, std::string_view front = {});
// Verb-first order: a yes/no question, or the clause after a question word or a subordinate clause.
std::string verb_first(const Clause& clause);
// Verb-final order, after a conjunction or relative pronoun; without its subject if the pronoun is the subject.
std::string verb_final(const Clause& clause, bool with_subject = true);
// das Buch zu lesen, früh aufzustehen
std::string zu_infinitive(const Clause& clause);
// Lies das Buch; the form depends on the person of the subject.
std::string command(const Clause& clause);

}  // namespace dragoman::phrasebook::german
