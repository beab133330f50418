#include "phrasebook/patterns.h"

// Questions and commands.
namespace dragoman::phrasebook {
namespace {

Sides ask(const Clause& clause, std::string_view german, std::string_view english) {
  if (german.empty()) return {german::verb_first(clause), english::question(clause)};
  return {german::main_clause(clause, german), join({english, english::question(clause)})};
}

// "Anna, ..." before a question or a command.
Sides addressed(const Addressee& who, const Sides& rest) { return joined({who.german, who.english}, ", ", ", ", rest); }

Tense any_tense(Draw& draw) {
  constexpr Tense tenses[] = {Tense::present, Tense::past, Tense::past, Tense::future};
  return draw.pick(tenses);
}

Sides ask_you(Draw& draw) {
  const Addressee who = draw.addressee();
  const Tense tense = any_tense(draw);
  const Modal* const modal = tense == Tense::present && draw.chance(60) ? &draw.pick(modals()) : nullptr;
  const Clause clause = draw.activity(
      {.subject = pronoun(who.person), .tense = tense, .modal = modal, .avoid = mark::moment | mark::state});
  return finish(addressed(who, ask(clause, "", "")), "?");
}

Sides ask_third(Draw& draw) {
  const Clause clause = draw.activity({.subject = draw.referent(), .tense = any_tense(draw), .avoid = mark::moment});
  return finish(ask(clause, "", ""), "?");
}

Sides ask_already(Draw& draw) {
  Clause clause = draw.activity({.subject = draw.referent(), .tense = Tense::perfect, .avoid = mark::state});
  add_already(clause);
  return finish(ask(clause, "", ""), "?");
}

Sides ask_who(Draw& draw) {
  NounPhrase who = pronoun(Person::he);
  who.name = "wer";
  who.english_name = "who";
  const Clause clause =
      draw.activity({.subject = who, .tense = any_tense(draw), .avoid = mark::moment, .pronoun_object = false});
  return finish({german::main_clause(clause), english::statement(clause)}, "?");
}

Clause half_asked(Draw& draw, const Verb& verb, Tense tense) {
  Clause clause;
  clause.subject = draw.referent();
  clause.verb = &verb;
  clause.tense = tense;
  draw.add_time(clause);
  return clause;
}

// Wen hat Anna besucht? Wem hilft Anna?
Sides ask_whom(Draw& draw) {
  const bool dative = draw.chance(50);
  const Tense tense = draw.chance(60) ? Tense::past : Tense::future;
  for (;;) {
    const Verb& verb = draw.verb(dative ? Frame::dative : Frame::accusative, mark::state);
    if ((verb.object & kind::person) == 0) continue;
    return finish(ask(half_asked(draw, verb, tense), dative ? "wem" : "wen", "whom"), "?");
  }
}

Sides ask_what(Draw& draw) {
  constexpr const char* choices[] = {"lesen",  "schreiben", "kaufen", "verkaufen", "essen", "trinken",
                                     "suchen", "finden",    "kochen", "bestellen", "malen", "reparieren"};
  const Verb& verb = draw.verb(draw.pick(choices));
  return finish(ask(half_asked(draw, verb, draw.chance(60) ? Tense::past : Tense::future), "was", "what"), "?");
}

// Auf wen hat Anna gewartet?
Sides ask_preposition(Draw& draw) {
  for (;;) {
    const Verb& verb = draw.verb(Frame::preposition, 0);
    if ((verb.object & (kind::person | kind::kin)) == 0) continue;
    Clause clause = half_asked(draw, verb, Tense::past);
    const std::string front = join({verb.german_preposition, verb.governs == Case::dative ? "wem" : "wen"});
    clause.add(Slot::prepositional, "", verb.english_preposition);
    return finish(ask(clause, front, "whom"), "?");
  }
}

Sides ask_where(Draw& draw) {
  Clause clause;
  clause.verb = &be();
  clause.tense = draw.chance(75) ? Tense::present : Tense::past;
  clause.subject = draw.chance(50) ? draw.the(kind::lost | kind::pet | kind::scheduled) : draw.referent();
  if (clause.tense == Tense::past) draw.add_time(clause);
  return finish(ask(clause, "wo", "where"), "?");
}

Sides ask_where_to(Draw& draw) {
  constexpr const char* choices[] = {"gehen", "fahren", "laufen"};
  const Verb& verb = draw.verb(draw.pick(choices));
  return finish(ask(half_asked(draw, verb, draw.chance(60) ? Tense::past : Tense::future), "wohin", "where"), "?");
}

Sides ask_when_or_why(Draw& draw) {
  constexpr Expression words[] = {{"wann", "when"}, {"warum", "why"}};
  const Expression& word = draw.pick(words);
  const bool past = draw.chance(65);
  const Clause clause = draw.activity(
      {.subject = draw.referent(), .tense = past ? Tense::past : Tense::future, .avoid = mark::state, .time = false});
  return finish(ask(clause, word.german, word.english), "?");
}

// Warum weint das Kind?
Sides ask_why_now(Draw& draw) {
  Clause clause;
  clause.subject = draw.someone();
  clause.verb = &draw.verb(Frame::alone, 0, mark::anywhere);
  clause.tense = Tense::progressive;
  if (draw.chance(70)) {
    const Place& place = draw.place_for(*clause.verb);
    clause.add(Slot::place, place.at_german, place.at_english);
  }
  return finish(ask(clause, "warum", "why"), "?");
}

Sides ask_which(Draw& draw) {
  constexpr const char* choices[] = {"lesen", "kaufen",     "verkaufen", "tragen",
                                     "bauen", "reparieren", "füttern",   "malen"};
  const Verb& verb = draw.verb(draw.pick(choices));
  const Clause clause = half_asked(draw, verb, draw.chance(60) ? Tense::past : Tense::future);
  const Noun& noun = draw.noun(verb.object, kind::mass);
  const NounPhrase object = noun_phrase(noun, Determiner::which, draw.chance(30) ? Number::plural : Number::singular);
  return finish(ask(clause, german::phrase(object, Case::accusative), english::phrase(object)), "?");
}

Sides ask_how_many(Draw& draw) {
  constexpr const char* choices[] = {"lesen", "kaufen", "verkaufen", "essen", "schreiben", "füttern", "finden"};
  const Verb& verb = draw.verb(draw.pick(choices));
  const Clause clause = half_asked(draw, verb, draw.chance(70) ? Tense::past : Tense::future);
  const Noun& noun = draw.noun(verb.object, kind::mass);
  return finish(ask(clause, join({"wie viele", noun.plural}), join({"how many", noun.english_plural})), "?");
}

Sides ask_whose(Draw& draw) {
  static constexpr Verb belong{"gehören",  "",           "gehört",    "gehört",      "belong to",
                               "belonged", "belonged",   mark::state, Frame::dative, 0,
                               "",         Case::dative, nullptr};
  Clause clause;
  clause.verb = &belong;
  clause.subject = draw.the(kind::own_vehicle | kind::clothes | kind::lost | kind::device | kind::building | kind::pet);
  return finish(ask(clause, "wem", "whom"), "?");
}

Sides command(Draw& draw) {
  const Addressee who = draw.addressee();
  Clause clause = draw.activity({.subject = pronoun(who.person),
                                 .tense = Tense::future,
                                 .avoid = mark::state | mark::moment | mark::rude,
                                 .time = false});
  clause.add(Slot::adverb, "bitte", "");
  return finish(addressed(who, {german::command(clause), join({"please", english::command(clause)})}), "!");
}

Sides forbidden(Draw& draw) {
  const Addressee who = draw.addressee();
  const Clause clause = draw.activity({.subject = pronoun(who.person),
                                       .tense = Tense::future,
                                       .polarity = Polarity::negative,
                                       .avoid = mark::state | mark::moment,
                                       .time = false});
  return finish(addressed(who, {german::command(clause), english::command(clause)}), "!");
}

Sides request(Draw& draw) {
  const Addressee who = draw.addressee();
  Clause clause =
      draw.activity({.subject = pronoun(who.person), .modal = &modals()[0], .avoid = mark::rude, .time = false});
  clause.add(Slot::adverb, "bitte", "please");
  return finish(addressed(who, ask(clause, "", "")), "?");
}

constexpr Pattern questions_table[] = {
    {"ask-you", 4, ask_you},
    {"ask-third", 3, ask_third},
    {"ask-already", 1, ask_already},
    {"ask-who", 2, ask_who},
    {"ask-whom", 2, ask_whom},
    {"ask-what", 1, ask_what},
    {"ask-preposition", 1, ask_preposition},
    {"ask-where", 1, ask_where},
    {"ask-where-to", 1, ask_where_to},
    {"ask-when-or-why", 3, ask_when_or_why},
    {"ask-why-now", 1, ask_why_now},
    {"ask-which", 2, ask_which},
    {"ask-how-many", 1, ask_how_many},
    {"ask-whose", 1, ask_whose},
    {"command", 3, command},
    {"forbidden", 2, forbidden},
    {"request", 2, request},
};

}  // namespace

std::span<const Pattern> question_patterns() { return questions_table; }

}  // namespace dragoman::phrasebook
