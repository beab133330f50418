#include "phrasebook/patterns.h"

// Likes and plans: gern, lieber, infinitives with zu, professions.
namespace dragoman::phrasebook {
namespace {

bool third(Person person) { return person == Person::he || person == Person::she || person == Person::it; }

// A generic object: apples, bread, music.
NounPhrase in_general(Draw& draw, Kinds kinds) {
  const Noun& noun = draw.noun(kinds);
  const bool mass = (noun.kinds & kind::mass) != 0;
  return noun_phrase(noun, Determiner::indefinite, mass ? Number::singular : Number::plural);
}

const Verb& favourite_verb(Draw& draw) {
  constexpr const char* verbs[] = {"lesen",  "schreiben", "essen",     "trinken",       "hören",   "kochen",
                                   "backen", "tragen",    "bewundern", "fotografieren", "füttern", "malen"};
  return draw.verb(draw.pick(verbs));
}

Sides likes_doing(Draw& draw) {
  Clause clause;
  clause.subject = draw.person();
  clause.add(Slot::adverb, "gern", "");
  if (draw.chance(25)) {
    do clause.verb = &draw.verb(Frame::alone, 0, mark::anywhere);
    while (std::string_view(clause.verb->infinitive) == "weinen");
    const Place& place = draw.place_for(*clause.verb);
    clause.add(Slot::place, place.at_german, place.at_english);
  } else {
    clause.verb = &favourite_verb(draw);
    NounPhrase object = in_general(draw, clause.verb->object);
    if (draw.chance(40)) object.adjective = draw.adjective(*object.noun);
    clause.add(Slot::accusative, german::phrase(object, Case::accusative), english::phrase(object));
  }
  const char* const like = third(clause.subject.english_person) ? "likes" : "like";
  return finish(
      {german::main_clause(clause), join({english::phrase(clause.subject, true), like, english::gerund(clause)})}, ".");
}

Sides would_rather(Draw& draw) {
  constexpr const char* verbs[] = {"essen", "trinken", "lesen", "tragen", "kochen", "malen"};
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &draw.verb(draw.pick(verbs));
  const NounPhrase better = in_general(draw, clause.verb->object);
  NounPhrase worse = in_general(draw, clause.verb->object);
  while (worse.noun == better.noun) worse = in_general(draw, clause.verb->object);
  clause.add(Slot::adverb, "lieber", "");
  clause.add(Slot::accusative,
             german::phrase(better, Case::accusative) + " als " + german::phrase(worse, Case::accusative),
             english::phrase(better) + " than " + english::phrase(worse));
  return finish({german::main_clause(clause),
                 join({english::phrase(clause.subject, true), "would rather", english::infinitive(clause)})},
                ".");
}

// versucht, das Fenster zu öffnen
Sides infinitive_clause(Draw& draw) {
  constexpr Verb governors[] = {
      {"versuchen", "", "versucht", "versucht", "try", "tried", "tried", 0, Frame::alone, 0, "", Case::accusative,
       nullptr},
      {"versprechen", "", "verspricht", "versprochen", "promise", "promised", "promised", 0, Frame::alone, 0, "",
       Case::accusative, nullptr},
      {"vergessen", "", "vergisst", "vergessen", "forget", "forgot", "forgotten", 0, Frame::alone, 0, "",
       Case::accusative, nullptr},
      {"beschließen", "", "beschließt", "beschlossen", "decide", "decided", "decided", 0, Frame::alone, 0, "",
       Case::accusative, nullptr},
      {"fangen", "an", "fängt", "angefangen", "start", "started", "started", 0, Frame::alone, 0, "", Case::accusative,
       nullptr},
  };
  const Verb& governor = draw.pick(governors);
  Clause main;
  main.subject = draw.person();
  main.verb = &governor;
  main.tense = draw.chance(70) ? Tense::past : Tense::present;
  const Clause inner = draw.activity(
      {.subject = main.subject, .tense = Tense::past, .avoid = mark::state | mark::moment | mark::rude, .time = false});
  return finish(joined(main_clause(main), ", ", " to ", {german::zu_infinitive(inner), english::infinitive(inner)}),
                ".");
}

// geht auf den Markt, um Äpfel zu kaufen
Sides errand(Draw& draw) {
  struct Errand {
    Expression to;
    const char *verb, *prefix;
    Kinds object;
  };
  constexpr Errand errands[] = {
      {{"auf den Markt", "to the market"}, "kaufen", "", kind::food},
      {{"in den Supermarkt", "to the supermarket"}, "kaufen", "", kind::food | kind::drink},
      {{"in die Stadt", "into town"}, "kaufen", "", kind::clothes | kind::gift},
      {{"zum Bahnhof", "to the station"}, "holen", "ab", kind::person},
      {{"zum Flughafen", "to the airport"}, "holen", "ab", kind::person},
      {{"in die Küche", "into the kitchen"}, "kochen", "", kind::dish},
      {{"in den Garten", "into the garden"}, "füttern", "", kind::pet},
      {{"ins Restaurant", "to the restaurant"}, "treffen", "", kind::person},
      {{"ins Krankenhaus", "to the hospital"}, "besuchen", "", kind::person},
      {{"an den See", "to the lake"}, "schwimmen", "", 0},
      {{"in die Bibliothek", "to the library"}, "lernen", "", 0},
      {{"nach Hause", "home"}, "schlafen", "", 0},
  };
  const Errand& errand = draw.pick(errands);
  Clause main;
  main.subject = draw.person();
  main.verb = &draw.verb("gehen");
  main.tense = draw.chance(60) ? Tense::past : Tense::present;
  if (main.tense == Tense::past) draw.add_time(main);
  main.add(Slot::direction, errand.to.german, errand.to.english);
  Clause purpose;
  purpose.subject = main.subject;
  purpose.verb = &draw.verb(errand.verb, errand.prefix);
  if (errand.object != 0) {
    const NounPhrase object = errand.object == kind::person ? draw.kin_of(main.subject)
                              : (errand.object & (kind::food | kind::drink)) != 0
                                  ? in_general(draw, errand.object)
                                  : draw.thing(errand.object, main.subject);
    purpose.add(Slot::accusative, german::phrase(object, Case::accusative), english::phrase(object));
  }
  const Sides start = main.has(Slot::time) ? fronted(main, Slot::time) : main_clause(main);
  return finish(joined(start, ", um ", " to ", {german::zu_infinitive(purpose), english::infinitive(purpose)}), ".");
}

NounPhrase worker(Draw& draw) {
  if (draw.chance(40)) return name_phrase(draw.pick(names()));
  for (;;) {
    NounPhrase phrase = draw.human();
    const bool kin = (phrase.noun->kinds & kind::kin) != 0;
    if (kin && phrase.number == Number::singular) return phrase;
  }
}

const Noun& job_for(Draw& draw, Person person) {
  for (;;) {
    const Noun& noun = draw.noun(kind::job);
    if ((noun.gender == Gender::feminine) == (person == Person::she)) return noun;
  }
}

Sides profession(Draw& draw) {
  Clause clause;
  clause.subject = worker(draw);
  clause.verb = &be();
  clause.tense = draw.chance(65) ? Tense::present : Tense::past;
  const Noun& job = job_for(draw, clause.subject.person);
  const std::string article = std::string(english::indefinite_article(job.english)) + " ";
  clause.add(Slot::predicate, job.singular, article + job.english);
  if (draw.chance(50)) {
    const Expression& city = draw.pick(cities());
    clause.add(Slot::tail, join({"in", city.german}), join({"in", city.english}));
  }
  return finish(main_clause(clause), ".");
}

Sides ambition(Draw& draw) {
  static constexpr Verb become{"werden",   "",           "wird", "geworden", "become",         "became", "become",
                               mark::sein, Frame::alone, 0,      "",         Case::nominative, nullptr};
  Clause clause;
  clause.subject = worker(draw);
  clause.verb = &become;
  constexpr std::size_t choices[] = {2, 5};  // wants to, would like to
  clause.modal = &modals()[draw.pick(choices)];
  const Noun& job = job_for(draw, clause.subject.person);
  clause.add(Slot::predicate, job.singular, join({english::indefinite_article(job.english), job.english}));
  return finish(main_clause(clause), ".");
}

constexpr Pattern wishes_table[] = {
    {"likes-doing", 3, likes_doing}, {"would-rather", 2, would_rather}, {"infinitive-clause", 3, infinitive_clause},
    {"errand", 3, errand},           {"profession", 1, profession},     {"ambition", 1, ambition},
};

}  // namespace

std::span<const Pattern> wish_patterns() { return wishes_table; }

}  // namespace dragoman::phrasebook
