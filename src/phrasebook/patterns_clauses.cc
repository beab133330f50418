#include "phrasebook/patterns.h"

// Sentences of two clauses: conjunctions, inversion after a fronted clause, pronouns that agree.
namespace dragoman::phrasebook {
namespace {

constexpr Verb to_say{"sagen",      "", "sagt", "gesagt",         "say",  "said", "said", 0,
                      Frame::alone, 0,  "",     Case::accusative, nullptr};
constexpr Verb to_think{"glauben",   "",           "glaubt", "geglaubt", "think",          "thought", "thought",
                        mark::state, Frame::alone, 0,        "",         Case::accusative, nullptr};
constexpr Verb to_hope{"hoffen",    "",           "hofft", "gehofft", "hope",           "hoped", "hoped",
                       mark::state, Frame::alone, 0,       "",        Case::accusative, nullptr};
constexpr Verb to_ask{"fragen",     "", "fragt", "gefragt",        "ask",  "asked", "asked", 0,
                      Frame::alone, 0,  "",      Case::accusative, nullptr};

Clause feeling(const NounPhrase& subject, const Adjective& mood, Tense tense = Tense::present) {
  Clause clause;
  clause.subject = subject;
  clause.verb = &be();
  clause.tense = tense;
  clause.add(Slot::predicate, mood.german, mood.english);
  return clause;
}

// A different activity than `other`.
Clause something_else(Draw& draw, const Clause& other, const Wish& wish) {
  for (;;) {
    Clause clause = draw.activity(wish);
    if (clause.verb != other.verb) return clause;
  }
}

// A subordinate clause before its main clause: a comma, then the verb.
Sides clause_first(const Sides& first, const Clause& main) {
  return {first.german + ", " + german::verb_first(main), first.english + ", " + english::statement(main)};
}

Sides that_clause(Draw& draw) {
  const Verb* const matrix[] = {&to_say, &to_think, &to_hope, &know_that()};
  Clause main;
  main.subject = draw.person();
  main.verb = draw.pick(matrix);
  constexpr Tense tenses[] = {Tense::present, Tense::past, Tense::future};
  const Clause inner = draw.activity({.subject = draw.referent(), .tense = draw.pick(tenses), .avoid = mark::moment});
  return finish(joined(main_clause(main), ", ", " ", subordinate("dass", "that", inner)), ".");
}

Sides that_judged(Draw& draw) {
  constexpr Expression judgements[] = {{"es ist schön", "it is nice"},
                                       {"es ist möglich", "it is possible"},
                                       {"es ist schade", "it is a pity"},
                                       {"ich bin sicher", "I am sure"}};
  const Expression& judgement = draw.pick(judgements);
  constexpr Tense tenses[] = {Tense::present, Tense::past, Tense::future};
  const Clause inner =
      draw.activity({.subject = draw.person(), .tense = draw.pick(tenses), .avoid = mark::moment | mark::state});
  return finish(joined({judgement.german, judgement.english}, ", ", " ", subordinate("dass", "that", inner)), ".");
}

// An activity that goes with a mood (an index of moods()): its cause, its consequence, or what happens despite it.
struct MoodDeed {
  std::size_t mood;
  const char *verb, *prefix;
  bool negated;
};
enum Mood : std::size_t { tired, sick, happy, sad, angry, nervous };

constexpr MoodDeed causes[] = {
    {tired, "arbeiten", "", false},      {tired, "tanzen", "", false},      {tired, "putzen", "", false},
    {tired, "räumen", "auf", false},     {tired, "helfen", "", false},      {tired, "schlafen", "", true},
    {tired, "reparieren", "", false},    {tired, "waschen", "", false},     {sick, "rauchen", "", false},
    {sick, "essen", "", false},          {sick, "trinken", "", false},      {happy, "finden", "", false},
    {happy, "treffen", "", false},       {happy, "kaufen", "", false},      {happy, "besuchen", "", false},
    {happy, "fotografieren", "", false}, {sad, "verlieren", "", false},     {sad, "finden", "", true},
    {sad, "treffen", "", true},          {sad, "verkaufen", "", false},     {angry, "verlieren", "", false},
    {angry, "vergessen", "", false},     {angry, "finden", "", true},       {angry, "verstehen", "", true},
    {nervous, "bereiten", "vor", true},  {nervous, "vergessen", "", false}, {nervous, "rufen", "an", true},
};
constexpr MoodDeed results[] = {
    {tired, "arbeiten", "", true},       {tired, "ruhen", "aus", false},  {tired, "kochen", "", true},
    {tired, "räumen", "auf", true},      {tired, "putzen", "", true},     {tired, "helfen", "", true},
    {sick, "arbeiten", "", true},        {sick, "besuchen", "", true},    {sick, "lernen", "", true},
    {sick, "treffen", "", true},         {sick, "rufen", "an", false},    {happy, "lachen", "", false},
    {happy, "tanzen", "", false},        {happy, "singen", "", false},    {happy, "danken", "", false},
    {sad, "weinen", "", false},          {sad, "lachen", "", true},       {sad, "rufen", "an", false},
    {angry, "widersprechen", "", false}, {angry, "werfen", "weg", false}, {angry, "helfen", "", true},
    {angry, "antworten", "", true},      {angry, "laden", "ein", true},   {angry, "begrüßen", "", true},
    {nervous, "rauchen", "", false},     {nervous, "beeilen", "", false}, {nervous, "schlafen", "", true},
};
constexpr MoodDeed contrasts[] = {
    {tired, "arbeiten", "", false},   {tired, "tanzen", "", false},    {tired, "räumen", "auf", false},
    {tired, "lernen", "", false},     {tired, "helfen", "", false},    {tired, "lesen", "", false},
    {sick, "arbeiten", "", false},    {sick, "besuchen", "", false},   {sick, "schwimmen", "", false},
    {sick, "kaufen", "ein", false},   {sick, "treffen", "", false},    {happy, "weinen", "", false},
    {happy, "lachen", "", true},      {sad, "lachen", "", false},      {sad, "tanzen", "", false},
    {sad, "singen", "", false},       {angry, "helfen", "", false},    {angry, "antworten", "", false},
    {angry, "hören", "zu", false},    {angry, "danken", "", false},    {angry, "laden", "ein", false},
    {nervous, "schlafen", "", false}, {nervous, "hören", "zu", false}, {nervous, "beantworten", "", false},
};

Clause deed_of(Draw& draw, const MoodDeed& deed, const NounPhrase& subject, Tense tense) {
  Clause clause = draw.activity({.subject = subject,
                                 .tense = tense,
                                 .polarity = deed.negated ? Polarity::negative : Polarity::positive,
                                 .verb = &draw.verb(deed.verb, deed.prefix),
                                 .time = false});
  if (deed.negated && clause.has(Slot::place)) clause.take(Slot::place);
  return clause;
}

Sides because_of_deed(Draw& draw) {
  const NounPhrase who = draw.referent();
  const MoodDeed& cause = draw.pick(causes);
  const Clause main = feeling(who, moods()[cause.mood]);
  return finish(joined(main_clause(main), ", ", " ",
                       subordinate("weil", "because", deed_of(draw, cause, pronoun_for(who), Tense::past))),
                ".");
}

Sides because_of_feeling(Draw& draw) {
  const NounPhrase who = draw.referent();
  const Tense tense = draw.chance(50) ? Tense::past : Tense::present;
  const MoodDeed& result = draw.pick(results);
  const Clause reason = feeling(pronoun_for(who), moods()[result.mood], tense);
  return finish(
      joined(main_clause(deed_of(draw, result, who, tense)), ", ", " ", subordinate("weil", "because", reason)), ".");
}

Sides if_weather(Draw& draw) {
  constexpr Expression weather[] = {{"es regnet", "it rains"},
                                    {"es schneit", "it snows"},
                                    {"die Sonne scheint", "the sun shines"},
                                    {"es kalt ist", "it is cold"},
                                    {"es sehr heiß ist", "it is very hot"},
                                    {"das Wetter schön ist", "the weather is nice"},
                                    {"das Wetter schlecht ist", "the weather is bad"}};
  const Expression& sky = draw.pick(weather);
  const bool future = draw.chance(35);
  const Clause main = draw.activity({.subject = draw.person(),
                                     .tense = future ? Tense::future : Tense::present,
                                     .polarity = draw.chance(25) ? Polarity::negative : Polarity::positive,
                                     .avoid = mark::moment | mark::state,
                                     .time = false});
  return finish(clause_first({join({"wenn", sky.german}), join({"if", sky.english})}, main), ".");
}

Sides although(Draw& draw) {
  const NounPhrase who = draw.referent();
  const Tense tense = draw.chance(50) ? Tense::past : Tense::present;
  const MoodDeed& contrast = draw.pick(contrasts);
  const Clause state = feeling(who, moods()[contrast.mood], tense);
  return finish(
      clause_first(subordinate("obwohl", "although", state), deed_of(draw, contrast, pronoun_for(who), tense)), ".");
}

Sides whether(Draw& draw) {
  Clause main;
  main.subject = draw.person();
  const bool asks = draw.chance(50);
  main.verb = asks ? &to_ask : &know_that();
  if (asks && draw.chance(50)) main.tense = Tense::past;
  if (!asks) main.polarity = Polarity::negative;
  constexpr Tense tenses[] = {Tense::present, Tense::past, Tense::past};
  const Clause inner = draw.activity({.subject = draw.referent(), .tense = draw.pick(tenses), .avoid = mark::moment});
  return finish(joined(main_clause(main), ", ", " ", subordinate("ob", "whether", inner)), ".");
}

Sides before(Draw& draw) {
  const NounPhrase who = draw.referent();
  const Tense tense = draw.chance(50) ? Tense::past : Tense::present;
  const Clause first =
      draw.activity({.subject = who, .tense = tense, .avoid = mark::moment | mark::state, .time = false});
  const Clause main = something_else(
      draw, first, {.subject = pronoun_for(who), .tense = tense, .avoid = mark::moment | mark::state, .time = false});
  return finish(clause_first(subordinate("bevor", "before", first), main), ".");
}

Sides after(Draw& draw) {
  const NounPhrase who = draw.referent();
  const Clause first =
      draw.activity({.subject = who, .tense = Tense::pluperfect, .avoid = mark::state | mark::once, .time = false});
  const Clause main = something_else(
      draw, first,
      {.subject = pronoun_for(who), .tense = Tense::past, .avoid = mark::moment | mark::state, .time = false});
  return finish(clause_first(subordinate("nachdem", "after", first), main), ".");
}

Sides coordinated(Draw& draw) {
  constexpr Tense tenses[] = {Tense::past, Tense::future, Tense::present};
  const Tense tense = draw.pick(tenses);
  const NounPhrase first = name_phrase(draw.pick(names()));
  NounPhrase second = draw.someone();
  while (second.name == first.name) second = draw.someone();
  const Wish wish{.subject = first, .tense = tense, .avoid = mark::moment, .time = false, .pronoun_object = false};
  Wish other = wish;
  other.subject = second;
  const bool but = draw.chance(50);
  if (but) other.polarity = Polarity::negative;
  const Sides one = main_clause(draw.activity(wish));
  const Sides two = main_clause(draw.activity(other));
  return finish(joined(one, but ? ", aber " : " und ", but ? ", but " : " and ", two), ".");
}

// ..., deshalb bleibt er zu Hause
Sides therefore(Draw& draw) {
  const NounPhrase who = draw.referent();
  const Tense tense = draw.chance(50) ? Tense::past : Tense::present;
  const MoodDeed& result = draw.pick(results);
  const Clause clause = deed_of(draw, result, pronoun_for(who), tense);
  return finish(joined(main_clause(feeling(who, moods()[result.mood], tense)), ", ", ", so ",
                       {german::main_clause(clause, "deshalb"), english::statement(clause)}),
                ".");
}

// Weißt du, wo der Schlüssel ist?
Sides indirect_question(Draw& draw) {
  Clause inner;
  Expression word{"wo", "where"};
  if (draw.chance(35)) {
    inner.subject = draw.the(kind::lost | kind::pet | kind::scheduled);
    inner.verb = &be();
  } else {
    constexpr Expression words[] = {{"wann", "when"}, {"warum", "why"}, {"wo", "where"}};
    word = draw.pick(words);
    inner = draw.activity(
        {.subject = draw.referent(), .tense = Tense::past, .avoid = mark::state | mark::sein, .time = false});
    if (inner.has(Slot::place)) inner.take(Slot::place);
  }
  const Sides inside = subordinate(word.german, word.english, inner);
  Clause main;
  main.verb = &know_that();
  if (draw.chance(50)) {
    main.subject = draw.person();
    main.polarity = Polarity::negative;
    return finish(joined(main_clause(main), ", ", " ", inside), ".");
  }
  const Addressee who = draw.addressee();
  main.subject = pronoun(who.person);
  const Sides question{who.german + ", " + german::verb_first(main), who.english + ", " + english::question(main)};
  return finish(joined(question, ", ", " ", inside), "?");
}

// hat den Schlüssel gesucht, aber sie hat ihn nicht gefunden
Sides lost_and_found(Draw& draw) {
  Clause first, second;
  first.subject = draw.referent();
  second.subject = pronoun_for(first.subject);
  const NounPhrase object = draw.the(kind::lost | kind::pet);
  const NounPhrase it = pronoun_for(object);
  first.verb = &draw.verb("suchen");
  second.verb = &draw.verb("finden");
  first.tense = second.tense = Tense::past;
  const bool found = draw.chance(40);
  second.polarity = found ? Polarity::positive : Polarity::negative;
  first.add(Slot::accusative, german::phrase(object, Case::accusative), english::phrase(object));
  second.add(Slot::accusative_pronoun, german::phrase(it, Case::accusative), english::phrase(it));
  draw.add_time(first);
  return finish(
      joined(main_clause(first), found ? " und " : ", aber ", found ? " and " : ", but ", main_clause(second)), ".");
}

// Wenn Anna das Buch findet, gibt sie es dem Lehrer: the accusative pronoun precedes the dative.
Sides handing_on(Draw& draw) {
  constexpr const char* first_verbs[] = {"finden", "kaufen"};
  constexpr const char* second_verbs[] = {"geben", "zeigen", "bringen", "schicken", "leihen"};
  Clause first, second;
  first.subject = draw.referent();
  second.subject = pronoun_for(first.subject);
  first.verb = &draw.verb(draw.pick(first_verbs));
  second.verb = &draw.verb(draw.pick(second_verbs));
  const bool buys = std::string_view(first.verb->infinitive) == "kaufen";
  const NounPhrase object = draw.the(buys ? kind::gift : kind::lost);
  const NounPhrase it = pronoun_for(object);
  const NounPhrase receiver = draw.kin_of(second.subject);
  first.add(Slot::accusative, german::phrase(object, Case::accusative), english::phrase(object));
  second.add(Slot::accusative_pronoun, german::phrase(it, Case::accusative), english::phrase(it));
  second.add(Slot::recipient, german::phrase(receiver, Case::dative), english::prepositional("to", receiver));
  second.tense = draw.chance(50) ? Tense::present : Tense::future;
  return finish(clause_first(subordinate("wenn", "if", first), second), ".");
}

// nicht das Hemd, sondern den Hut
Sides not_but(Draw& draw) {
  constexpr const char* choices[] = {"kaufen",  "lesen",         "verkaufen", "reparieren", "bauen",    "bestellen",
                                     "waschen", "fotografieren", "besuchen",  "suchen",     "schreiben"};
  Clause clause;
  clause.subject = draw.person();
  clause.verb = &draw.verb(draw.pick(choices));
  clause.tense = draw.chance(70) ? Tense::past : Tense::future;
  clause.polarity = Polarity::negative;
  clause.german_negated = false;
  const Kinds kinds = clause.verb->object & ~kind::person;
  const NounPhrase wrong = draw.the(kinds);
  NounPhrase right = draw.the(kinds);
  while (right.noun == wrong.noun) right = draw.the(kinds);
  clause.add(
      Slot::accusative,
      "nicht " + german::phrase(wrong, Case::accusative) + ", sondern " + german::phrase(right, Case::accusative),
      english::phrase(wrong) + " but " + english::phrase(right));
  return finish(main_clause(clause), ".");
}

constexpr Pattern clauses_table[] = {
    {"that-clause", 4, that_clause},
    {"that-judged", 2, that_judged},
    {"because-of-deed", 2, because_of_deed},
    {"because-of-feeling", 2, because_of_feeling},
    {"if-weather", 3, if_weather},
    {"although", 2, although},
    {"whether", 2, whether},
    {"before", 2, before},
    {"after", 2, after},
    {"coordinated", 3, coordinated},
    {"therefore", 2, therefore},
    {"indirect-question", 3, indirect_question},
    {"lost-and-found", 2, lost_and_found},
    {"handing-on", 2, handing_on},
    {"not-but", 2, not_but},
};

}  // namespace

std::span<const Pattern> clause_patterns() { return clauses_table; }

}  // namespace dragoman::phrasebook
