#include <algorithm>

#include "phrasebook/patterns.h"

// Descriptions of things and people: predicates, comparison, genitives, the passive, relative clauses.
namespace dragoman::phrasebook {
namespace {

constexpr Kinds describable = kind::own_vehicle | kind::clothes | kind::device | kind::text | kind::building |
                              kind::upright | kind::room | kind::question | kind::told | kind::food | kind::drink;

bool can_be_too(const Adjective& adjective) {
  constexpr std::string_view list[] = {"alt",       "groß",       "klein", "teuer",   "schwer",  "kalt",
                                       "warm",      "lang",       "kurz",  "schnell", "langsam", "dunkel",
                                       "schwierig", "langweilig", "müde",  "krank",   "nervös",  "faul"};
  return std::find(std::begin(list), std::end(list), adjective.german) != std::end(list);
}

void add_predicate(Draw& draw, Clause& clause, const Adjective& adjective) {
  clause.verb = &be();
  clause.tense = draw.chance(65) ? Tense::present : Tense::past;
  std::string german = adjective.german, english = adjective.english;
  switch (draw.below(6)) {
    case 0: clause.polarity = Polarity::negative; break;
    case 1:
      if (adjective.comparative == nullptr && adjective.kinds != kind::person) break;
      german.insert(0, "sehr ");
      english.insert(0, "very ");
      break;
    case 2:
      if (!can_be_too(adjective)) break;
      german.insert(0, "zu ");
      english.insert(0, "too ");
      break;
    default: break;
  }
  clause.add(Slot::predicate, german, english);
}

Sides predicate(Draw& draw) {
  Clause clause;
  clause.subject = draw.the(describable);
  clause.subject.adjective = nullptr;
  add_predicate(draw, clause, *draw.adjective(*clause.subject.noun));
  return finish(main_clause(clause), ".");
}

Sides mood(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  add_predicate(draw, clause, draw.pick(moods()));
  return finish(main_clause(clause), ".");
}

// Das Auto des Nachbarn: "the neighbour's car"
Sides genitive(Draw& draw) {
  Clause clause;
  const Noun& noun = draw.noun(kind::own_vehicle | kind::clothes | kind::device | kind::room | kind::container);
  clause.subject = noun_phrase(noun, Determiner::definite, draw.chance(20) ? Number::plural : Number::singular);
  NounPhrase owner = draw.human();
  while (owner.determiner != Determiner::definite && owner.determiner != Determiner::possessive) owner = draw.human();
  if (draw.chance(70)) owner.adjective = nullptr;
  clause.subject.german_genitive = german::phrase(owner, Case::genitive);
  clause.subject.english_genitive = english::possessive(owner);
  add_predicate(draw, clause, *draw.adjective(noun));
  return finish(main_clause(clause), ".");
}

// Two nouns of the same group and an adjective that fits both.
Sides comparative(Draw& draw) {
  constexpr Kinds groups[] = {kind::vehicle, kind::clothes, kind::animal,  kind::surface,
                              kind::text,    kind::gift,    kind::building};
  const Kinds group = draw.pick(groups);
  const NounPhrase first = draw.the(group);
  NounPhrase second = draw.the(group);
  const Adjective* adjective = draw.adjective(*first.noun, true);
  while (second.noun == first.noun || (second.noun->kinds & adjective->kinds) == 0) {
    second = draw.the(group);
    adjective = draw.adjective(*first.noun, true);
  }
  Clause clause;
  clause.subject = first;
  clause.subject.adjective = nullptr;
  second.adjective = nullptr;
  clause.verb = &be();
  const std::string other = german::phrase(second, Case::nominative), english_other = english::phrase(second);
  if (draw.chance(65)) {
    clause.add(Slot::predicate, join({adjective->comparative, "als", other}),
               join({adjective->english_comparative, "than", english_other}));
  } else {
    clause.add(Slot::predicate, join({"genauso", adjective->german, "wie", other}),
               join({"just as", adjective->english, "as", english_other}));
  }
  return finish(main_clause(clause), ".");
}

Sides compared_people(Draw& draw) {
  Clause clause;
  clause.subject = draw.referent();
  clause.subject.adjective = nullptr;
  clause.verb = &be();
  clause.tense = draw.chance(75) ? Tense::present : Tense::past;
  const Noun& man = draw.noun(kind::person, kind::kin | kind::child);
  const Adjective* adjective = draw.adjective(man, true);
  while ((adjective->kinds & kind::person) == 0) adjective = draw.adjective(man, true);
  const Noun* peer = &draw.noun(kind::peer);
  while (peer == clause.subject.noun) peer = &draw.noun(kind::peer);
  NounPhrase other = noun_phrase(*peer, Determiner::possessive);
  other.owner = clause.subject.person;
  other.english_owner = clause.subject.english_person;
  if (draw.chance(70)) {
    clause.add(Slot::predicate, join({adjective->comparative, "als", german::phrase(other, Case::nominative)}),
               join({adjective->english_comparative, "than", english::phrase(other)}));
  } else {
    if (draw.chance(50)) clause.polarity = Polarity::negative;
    const bool negated = clause.polarity == Polarity::negative;
    clause.add(Slot::predicate,
               join({negated ? "so" : "genauso", adjective->german, "wie", german::phrase(other, Case::nominative)}),
               join({negated ? "as" : "just as", adjective->english, "as", english::phrase(other)}));
  }
  return finish(main_clause(clause), ".");
}

// Das ist das älteste Haus der Stadt.
Sides superlative(Draw& draw) {
  constexpr Expression scopes[] = {{"der Stadt", "in the city"}, {"der Welt", "in the world"}};
  const bool building = draw.chance(50);
  const Noun& noun = building ? draw.noun(kind::building) : draw.noun(kind::animal | kind::vehicle | kind::art);
  const Adjective* const adjective = draw.adjective(noun, true);
  NounPhrase best = noun_phrase(noun, Determiner::definite);
  best.adjective = adjective;
  best.degree = Degree::superlative;
  const Expression& scope = building ? draw.pick(scopes) : scopes[1];
  Clause clause;
  clause.subject = pronoun(Person::it);
  clause.subject.name = "das";
  clause.subject.english_name = "that";
  clause.verb = &be();
  clause.tense = draw.chance(70) ? Tense::present : Tense::past;
  clause.add(Slot::predicate, join({german::phrase(best, Case::nominative), scope.german}),
             join({english::phrase(best), scope.english}));
  return finish(main_clause(clause), ".");
}

// Somebody buys the cheapest shirt.
Sides superlative_object(Draw& draw) {
  constexpr const char* choices[] = {"kaufen", "verkaufen", "suchen", "bewundern", "fotografieren", "lesen"};
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &draw.verb(draw.pick(choices));
  clause.tense = draw.chance(60) ? Tense::past : Tense::future;
  draw.add_time(clause);
  const Noun* noun = &draw.noun(clause.verb->object, kind::food | kind::drink);
  const Adjective* adjective = draw.adjective(*noun, true);
  while (adjective == nullptr) {
    noun = &draw.noun(clause.verb->object, kind::food | kind::drink);
    adjective = draw.adjective(*noun, true);
  }
  NounPhrase object = noun_phrase(*noun, Determiner::definite, draw.chance(25) ? Number::plural : Number::singular);
  object.adjective = adjective;
  object.degree = Degree::superlative;
  clause.add(Slot::accusative, german::phrase(object, Case::accusative), english::phrase(object));
  return finish(main_clause(clause), ".");
}

const Verb& passive_verb(Draw& draw) {
  constexpr const char* choices[] = {"reparieren", "bauen",  "malen",    "öffnen",    "schließen", "putzen",
                                     "kochen",     "backen", "bezahlen", "schreiben", "waschen",   "verkaufen"};
  return draw.verb(draw.pick(choices));
}

Sides passive(Draw& draw) {
  Clause clause;
  clause.verb = &passive_verb(draw);
  clause.subject = draw.the(clause.verb->object);
  clause.tense = draw.chance(70) ? Tense::passive_past : Tense::passive;
  const NounPhrase agent = draw.someone();
  clause.add(Slot::prepositional, german::prepositional("von", agent, Case::dative),
             english::prepositional("by", agent));
  if (clause.tense == Tense::passive_past && draw.chance(60)) {
    const bool far = (clause.verb->marks & mark::far) != 0;
    const Expression& time = past_times()[draw.below(far ? past_times().size() : near_past_times)];
    clause.add(Slot::time, time.german, time.english);
  }
  return finish(main_clause(clause), ".");
}

Sides passive_perfect(Draw& draw) {
  Clause clause;
  clause.verb = &passive_verb(draw);
  clause.subject = draw.the(clause.verb->object);
  clause.tense = Tense::passive_perfect;
  if (draw.chance(50)) {
    clause.polarity = Polarity::not_yet;
  } else {
    add_already(clause);
  }
  return finish(main_clause(clause), ".");
}

// A noun with a relative clause in which it is the subject, the object or the complement of a preposition.
NounPhrase with_relative_subject(Draw& draw) {
  const Noun& noun = draw.noun(kind::person, kind::kin);
  NounPhrase head = noun_phrase(noun, Determiner::definite, draw.chance(25) ? Number::plural : Number::singular);
  const Tense tense = draw.chance(60) ? Tense::past : Tense::present;
  const Clause inner = draw.activity({.subject = head, .tense = tense, .avoid = mark::moment, .pronoun_object = false});
  head.german_tail =
      join({german::relative_pronoun(Case::nominative, noun.gender, head.number), german::verb_final(inner, false)});
  head.english_tail = join({"who", english::without_subject(inner)});
  return head;
}

NounPhrase with_relative_object(Draw& draw) {
  const bool dative = draw.chance(30), prepositional = !dative && draw.chance(25);
  const Verb& verb = draw.verb(dative          ? Frame::dative
                               : prepositional ? Frame::preposition
                                               : Frame::accusative,
                               mark::state);
  const Noun& noun = draw.noun(verb.object, kind::kin);
  const bool many = (noun.kinds & kind::mass) == 0 && draw.chance(25);
  NounPhrase head = noun_phrase(noun, Determiner::definite, many ? Number::plural : Number::singular);
  Clause inner;
  inner.subject = draw.person();
  inner.verb = &verb;
  inner.tense = Tense::past;
  draw.add_time(inner);
  const bool person = (noun.kinds & kind::person) != 0;
  const char* const relative = german::relative_pronoun(dative          ? Case::dative
                                                        : prepositional ? verb.governs
                                                                        : Case::accusative,
                                                        noun.gender, head.number);
  head.german_tail = join({prepositional ? verb.german_preposition : "", relative, german::verb_final(inner)});
  if (prepositional) inner.add(Slot::prepositional, "", verb.english_preposition);
  head.english_tail = join({person ? "whom" : "that", english::statement(inner)});
  return head;
}

void enclose_tail(NounPhrase& head, bool last) {
  head.german_tail = ", " + head.german_tail + (last ? "" : ",");
  head.english_tail = " " + head.english_tail;
}

Sides relative_subject(Draw& draw) {
  NounPhrase head = with_relative_subject(draw);
  enclose_tail(head, false);
  Clause clause;
  if (draw.chance(50)) {
    clause.subject = head;
    clause.verb = &be();
    const Adjective& adjective = draw.pick(moods());
    clause.add(Slot::predicate, adjective.german, adjective.english);
    return finish(main_clause(clause), ".");
  }
  return finish(main_clause(draw.activity({.subject = head, .tense = Tense::past, .time = false})), ".");
}

Sides relative_object(Draw& draw) {
  for (;;) {
    NounPhrase head = with_relative_object(draw);
    const bool person = (head.noun->kinds & kind::person) != 0;
    const Adjective* const adjective = person ? &draw.pick(moods()) : draw.adjective(*head.noun);
    if (adjective == nullptr) continue;
    enclose_tail(head, false);
    Clause clause;
    clause.subject = head;
    add_predicate(draw, clause, *adjective);
    if ((head.noun->kinds & (kind::food | kind::drink)) != 0) clause.tense = Tense::past;
    return finish(main_clause(clause), ".");
  }
}

Sides relative_at_end(Draw& draw) {
  constexpr const char* choices[] = {"kennen", "sehen", "treffen", "besuchen", "vermissen", "begrüßen"};
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &draw.verb(draw.pick(choices));
  NounPhrase head = with_relative_subject(draw);
  const bool present = (clause.verb->marks & mark::state) != 0;
  clause.tense = present ? Tense::present : Tense::future;
  // If the verb is at the end, the relative clause follows it.
  const std::string tail = head.german_tail, english_tail = head.english_tail;
  head.german_tail.clear();
  head.english_tail.clear();
  clause.add(Slot::accusative, german::phrase(head, Case::accusative), english::phrase(head));
  return finish(joined(main_clause(clause), ", ", " ", {tail, english_tail}), ".");
}

constexpr Pattern descriptions_table[] = {
    {"predicate", 2, predicate},
    {"mood", 1, mood},
    {"genitive", 3, genitive},
    {"comparative", 2, comparative},
    {"compared-people", 2, compared_people},
    {"superlative", 1, superlative},
    {"superlative-object", 2, superlative_object},
    {"passive", 3, passive},
    {"passive-perfect", 1, passive_perfect},
    {"relative-subject", 3, relative_subject},
    {"relative-object", 3, relative_object},
    {"relative-at-end", 3, relative_at_end},
};

}  // namespace

std::span<const Pattern> description_patterns() { return descriptions_table; }

}  // namespace dragoman::phrasebook
