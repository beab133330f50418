#include "phrasebook/patterns.h"

// Dates, clock times, prices, ages and counts.
namespace dragoman::phrasebook {
namespace {

constexpr Verb to_begin{"beginnen",    "",           "beginnt", "begonnen", "begin",          "began", "begun",
                        mark::doubles, Frame::alone, 0,         "",         Case::accusative, nullptr};
constexpr Verb to_cost{"kosten",          "", "kostet", "gekostet",       "cost", "cost", "cost", mark::state,
                       Frame::accusative, 0,  "",       Case::accusative, nullptr};

Sides clock_time(Draw& draw) {
  Sides time = draw.clock();
  const bool already = draw.chance(40);
  return finish({join({"es ist", already ? "schon" : "", time.german.substr(3)}),
                 join({"it is", already ? "already" : "", time.english.substr(3)})},
                ".");
}

Sides event_date(Draw& draw) {
  Clause clause;
  clause.subject = noun_phrase(draw.noun(kind::event), Determiner::definite);
  if (draw.chance(40)) clause.subject.adjective = draw.adjective(*clause.subject.noun);
  clause.verb = &to_begin;
  constexpr Tense tenses[] = {Tense::present, Tense::past, Tense::future};
  clause.tense = draw.pick(tenses);
  const Sides date = draw.date(), clock = draw.clock();
  const Expression& day = draw.pick(weekdays());
  const bool weekday = draw.chance(35);
  const std::string german = weekday ? join({"am", day.german}) : date.german;
  const std::string english = weekday ? join({"on", day.english}) : date.english;
  clause.add(Slot::time, join({german, clock.german}), join({clock.english, english}));
  return finish(main_clause(clause), ".");
}

Sides birthday(Draw& draw) {
  NounPhrase who = draw.human();
  while (who.number == Number::plural || who.determiner == Determiner::indefinite) who = draw.human();
  if (draw.chance(50)) who = name_phrase(draw.pick(names()));
  const Sides date = draw.date();
  return finish({join({german::phrase(who, Case::nominative), "hat", date.german, "Geburtstag"}),
                 join({english::possessive(who), "birthday is", date.english})},
                ".");
}

// Something that happened or will happen on a date.
Sides on_a_day(Draw& draw) {
  const bool past = draw.chance(55);
  Clause clause = draw.activity(
      {.subject = draw.person(), .tense = past ? Tense::past : Tense::future, .avoid = mark::state, .time = false});
  const Sides date = draw.date();
  const Expression& day = draw.pick(weekdays());
  if (draw.chance(50)) {
    clause.add(Slot::time, date.german, date.english);
  } else {
    clause.add(Slot::time, join({"am", day.german}), join({"on", day.english}));
  }
  if (draw.chance(50)) return finish(fronted(clause, Slot::time), ".");
  return finish(main_clause(clause), ".");
}

Sides born(Draw& draw) {
  NounPhrase who = draw.chance(60) ? name_phrase(draw.pick(names())) : draw.human();
  while (who.number == Number::plural || who.determiner == Determiner::indefinite) who = draw.human();
  const std::string year = std::to_string(1940 + draw.below(65));
  const Expression& city = draw.pick(cities());
  return finish({join({german::phrase(who, Case::nominative), "wurde", year, "in", city.german, "geboren"}),
                 join({english::phrase(who, true), "was born in", city.english, "in", year})},
                ".");
}

Sides price(Draw& draw) {
  Clause clause;
  clause.subject = draw.the(kind::clothes | kind::device | kind::own_vehicle | kind::upright | kind::surface);
  clause.verb = &to_cost;
  const bool dear = (clause.subject.noun->kinds & (kind::own_vehicle | kind::device | kind::surface)) != 0;
  const std::string euros = std::to_string(dear ? 50 * (2 + draw.below(30)) : 2 + draw.below(98));
  clause.add(Slot::accusative, euros + " Euro", euros + " euros");
  return finish(main_clause(clause), ".");
}

Sides ask_price(Draw& draw) {
  Clause clause;
  clause.subject = draw.the(kind::clothes | kind::device | kind::own_vehicle | kind::upright | kind::surface);
  clause.verb = &to_cost;
  return finish({german::main_clause(clause, "wie viel"), join({"how much", english::question(clause)})}, "?");
}

Sides age(Draw& draw) {
  Clause clause;
  clause.subject = draw.referent();
  clause.verb = &be();
  while (clause.subject.number == Number::plural) clause.subject = draw.referent();
  const Noun* const noun = clause.subject.noun;
  const bool child = noun != nullptr && (noun->kinds & kind::child) != 0;
  const bool old = noun != nullptr && std::string_view(noun->singular).starts_with("Groß");
  const std::size_t years = child ? 4 + draw.below(14) : old ? 61 + draw.below(30) : 18 + draw.below(52);
  const Sides number = number_words(static_cast<int>(years));
  clause.add(Slot::predicate, join({number.german, "Jahre alt"}), join({number.english, "years old"}));
  return finish(main_clause(clause), ".");
}

Sides counted_objects(Draw& draw) {
  constexpr const char* choices[] = {"kaufen", "verkaufen", "lesen", "schreiben", "fotografieren", "bestellen"};
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &draw.verb(draw.pick(choices));
  clause.tense = draw.chance(70) ? Tense::past : Tense::future;
  draw.add_time(clause);
  const bool slow = (clause.verb->object & (kind::surface | kind::animal)) == 0;
  const Sides number = number_words(static_cast<int>(2 + draw.below(slow ? 11 : 58)));
  NounPhrase object = noun_phrase(draw.noun(clause.verb->object, kind::mass), Determiner::none, Number::plural);
  if (draw.chance(35)) object.adjective = draw.adjective(*object.noun);
  clause.add(Slot::accusative, join({number.german, german::phrase(object, Case::accusative)}),
             join({number.english, english::phrase(object)}));
  return finish(main_clause(clause), ".");
}

// In Wien gibt es drei Schlösser: "There are three castles in Vienna."
Sides there_is(Draw& draw) {
  constexpr Expression spots[] = {{"in dieser Stadt", "in this city"},
                                  {"in diesem Dorf", "in this village"},
                                  {"in unserer Straße", "in our street"}};
  const Expression& city = draw.pick(cities());
  const Expression& spot = draw.pick(spots);
  const bool in_city = draw.chance(60);
  const std::string where = in_city ? join({"in", city.german}) : spot.german;
  const std::string english_where = in_city ? join({"in", city.english}) : spot.english;
  const Noun* chosen = &draw.noun(kind::building);
  while (in_city && std::string_view(chosen->singular) == "Haus") chosen = &draw.noun(kind::building);
  const Noun& noun = *chosen;
  NounPhrase object = noun_phrase(noun, Determiner::indefinite);
  const std::size_t form = in_city ? 1 + draw.below(2) : draw.below(3);
  if (form == 0) object.determiner = Determiner::negative;
  if (form == 1) {
    object = noun_phrase(noun, Determiner::count, Number::plural);
    object.count = &draw.pick(numbers());
  }
  if (draw.chance(50)) object.adjective = draw.adjective(noun);
  std::string english = english::phrase(object);
  if (form == 0) {
    object.determiner = Determiner::none;
    english = "no " + english::phrase(object);
    object.determiner = Determiner::negative;
  }
  return finish({join({where, "gibt es", german::phrase(object, Case::accusative)}),
                 join({"there", form == 1 ? "are" : "is", english, english_where})},
                ".");
}

constexpr Pattern numbers_table[] = {
    {"clock-time", 1, clock_time},
    {"event-date", 2, event_date},
    {"birthday", 1, birthday},
    {"on-a-day", 3, on_a_day},
    {"born", 1, born},
    {"price", 2, price},
    {"ask-price", 1, ask_price},
    {"age", 1, age},
    {"counted-objects", 2, counted_objects},
    {"there-is", 2, there_is},
};

}  // namespace

std::span<const Pattern> number_patterns() { return numbers_table; }

}  // namespace dragoman::phrasebook
