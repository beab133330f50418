#include "phrasebook/patterns.h"

// Statements in all tenses, with modal verbs and with negation.
namespace dragoman::phrasebook {
namespace {

Sides habit(Draw& draw) {
  return finish(main_clause(draw.activity({.subject = draw.person(), .avoid = mark::moment})), ".");
}

Sides with_time_in_front(Draw& draw, Tense tense, unsigned avoid) {
  for (;;) {
    const Clause clause = draw.activity({.subject = draw.person(), .tense = tense, .avoid = avoid});
    if (clause.has(Slot::time)) return finish(fronted(clause, Slot::time), ".");
  }
}

Sides habit_fronted(Draw& draw) { return with_time_in_front(draw, Tense::present, mark::moment | mark::state); }
Sides past_fronted(Draw& draw) { return with_time_in_front(draw, Tense::past, 0); }
Sides future_fronted(Draw& draw) { return with_time_in_front(draw, Tense::future, mark::state); }

Sides progressive(Draw& draw) {
  return finish(main_clause(draw.activity({.subject = draw.person(), .tense = Tense::progressive})), ".");
}

Sides past(Draw& draw) {
  return finish(main_clause(draw.activity({.subject = draw.person(), .tense = Tense::past})), ".");
}

Sides future(Draw& draw) {
  return finish(main_clause(draw.activity({.subject = draw.person(), .tense = Tense::future, .avoid = mark::state})),
                ".");
}

Sides already(Draw& draw) {
  Clause clause = draw.activity({.subject = draw.person(), .tense = Tense::perfect, .avoid = mark::state});
  add_already(clause);
  return finish(main_clause(clause), ".");
}

Sides not_yet(Draw& draw) {
  return finish(
      main_clause(draw.activity(
          {.subject = draw.person(), .tense = Tense::perfect, .polarity = Polarity::not_yet, .avoid = mark::state})),
      ".");
}

Sides no_longer(Draw& draw) {
  return finish(
      main_clause(draw.activity({.subject = draw.person(), .polarity = Polarity::no_longer, .avoid = mark::moment})),
      ".");
}

Sides negated_present(Draw& draw) {
  return finish(
      main_clause(draw.activity({.subject = draw.person(), .polarity = Polarity::negative, .avoid = mark::moment})),
      ".");
}

Sides negated_past(Draw& draw) {
  Clause clause =
      draw.activity({.subject = draw.person(), .tense = Tense::past, .polarity = Polarity::negative, .time = false});
  if (draw.chance(50)) return finish(main_clause(clause), ".");
  const Expression& time = past_times()[draw.below(near_past_times)];
  clause.add(Slot::time, time.german, time.english);
  return finish(fronted(clause, Slot::time), ".");
}

Sides negated_future(Draw& draw) {
  return finish(main_clause(draw.activity({.subject = draw.person(),
                                           .tense = Tense::future,
                                           .polarity = Polarity::negative,
                                           .avoid = mark::state,
                                           .time = false})),
                ".");
}

Sides modal_present(Draw& draw) {
  return finish(main_clause(draw.activity({.subject = draw.person(), .modal = &draw.pick(modals())})), ".");
}

Sides modal_negated(Draw& draw) {
  return finish(
      main_clause(draw.activity(
          {.subject = draw.person(), .polarity = Polarity::negative, .modal = &draw.pick(modals()), .time = false})),
      ".");
}

Sides modal_past(Draw& draw) {
  const Modal* modal = &draw.pick(modals());
  while (modal->english_past == nullptr) modal = &draw.pick(modals());
  Clause clause = draw.activity({.subject = draw.person(), .tense = Tense::past, .modal = modal});
  if (clause.has(Slot::time) && draw.chance(40)) return finish(fronted(clause, Slot::time), ".");
  return finish(main_clause(clause), ".");
}

// Jeder Schüler liest.
Sides everyone(Draw& draw) {
  const Noun& noun = draw.noun(kind::person, kind::kin);
  constexpr Tense tenses[] = {Tense::present, Tense::past, Tense::future};
  return finish(main_clause(draw.activity({.subject = noun_phrase(noun, Determiner::every),
                                           .tense = draw.pick(tenses),
                                           .avoid = mark::moment | mark::state,
                                           .pronoun_object = false})),
                ".");
}

// Nobody, somebody, everybody.
Sides indefinite_subject(Draw& draw) {
  constexpr Expression words[] = {{"niemand", "nobody"}, {"jemand", "somebody"}, {"jeder", "everybody"}};
  const Expression& word = draw.pick(words);
  NounPhrase subject = pronoun(Person::he);
  subject.name = word.german;
  subject.english_name = word.english;
  return finish(main_clause(draw.activity({.subject = subject,
                                           .tense = draw.chance(60) ? Tense::past : Tense::present,
                                           .avoid = mark::moment,
                                           .pronoun_object = false})),
                ".");
}

Sides own(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &have();
  clause.tense = draw.chance(70) ? Tense::present : Tense::past;
  clause.polarity = draw.chance(50) ? Polarity::negative : Polarity::positive;
  const Noun& noun =
      draw.noun(kind::pet | kind::own_vehicle | kind::device | kind::lost | kind::clothes | kind::room, kind::text);
  const bool many = draw.chance(25);
  NounPhrase object = noun_phrase(noun, Determiner::indefinite, many ? Number::plural : Number::singular);
  if (clause.polarity == Polarity::negative) {
    object.determiner = Determiner::negative;
    clause.german_negated = false;
  } else if (many) {
    object.determiner = Determiner::count;
    object.count = &numbers()[draw.below(5)];
  }
  if (draw.chance(40)) object.adjective = draw.adjective(noun);
  clause.add(Slot::accusative, german::phrase(object, Case::accusative), english::phrase(object));
  return finish(main_clause(clause), ".");
}

// seit drei Stunden with the present: "has been waiting for three hours"
Sides since(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.tense = Tense::since;
  const Sides time = draw.duration();
  clause.add(Slot::time, time.german, time.english);
  if (draw.chance(40)) {
    clause.verb = &draw.verb("warten");
    const NounPhrase object = draw.the(kind::scheduled | kind::job);
    clause.add(Slot::prepositional, german::prepositional("auf", object, Case::accusative),
               english::prepositional("for", object));
  } else {
    clause.verb = &draw.verb(Frame::alone, 0, mark::anywhere);
    const Place& place = draw.place_for(*clause.verb);
    clause.add(Slot::place, place.at_german, place.at_english);
  }
  if (draw.chance(25)) return finish(fronted(clause, Slot::time), ".");
  return finish(main_clause(clause), ".");
}

constexpr Pattern statements_table[] = {
    {"habit", 4, habit},
    {"habit-fronted", 3, habit_fronted},
    {"progressive", 4, progressive},
    {"past", 5, past},
    {"past-fronted", 4, past_fronted},
    {"future", 3, future},
    {"future-fronted", 3, future_fronted},
    {"already", 2, already},
    {"not-yet", 2, not_yet},
    {"no-longer", 2, no_longer},
    {"negated-present", 2, negated_present},
    {"negated-past", 3, negated_past},
    {"negated-future", 1, negated_future},
    {"modal-present", 4, modal_present},
    {"modal-negated", 3, modal_negated},
    {"modal-past", 3, modal_past},
    {"everyone", 2, everyone},
    {"indefinite-subject", 2, indefinite_subject},
    {"own", 2, own},
    {"since", 2, since},
};

}  // namespace

std::span<const Pattern> statement_patterns() { return statements_table; }

}  // namespace dragoman::phrasebook
