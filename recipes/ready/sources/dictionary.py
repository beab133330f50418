"""The dictionary of Ding: phrases as they are, and of the terms the best translation of each."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from .text import Pair, clean_pair, key, normalise, once_per_language

FREQUENT = 5
"""Words that occur as often in known translations are expected to occur together."""
LEAST_DICE = 0.05
"""The least Dice coefficient of two frequent words that are translations of each other."""

_REMARK = re.compile(r"\{[^}]*\}|\[[^\]]*\]|<[^>]*>|\([^)]*\)")
_SOMEBODY = re.compile(r"\b(?:jd[nms]?|etw|sb|sth|so|sb/sth)\b\.?(?:['’]s)?", re.IGNORECASE)
_NOT_IN_TERMS = re.compile(r"[^\w\s'’.-]|\d")
_WORD = re.compile(r"[^\W\d_]+")


def read_dictionary(text: str) -> Iterator[Pair]:
    """The first translation of each headword and example, without remarks on grammar and use."""
    for line in text.splitlines():
        if line.startswith("#") or line.count("::") != 1:
            continue
        german, english = (side.split("|") for side in line.split("::"))
        if len(english) != len(german):
            continue
        for at, (left, right) in enumerate(zip(english, german)):
            pair = _first_variant(left), _first_variant(right)
            if all(pair) and (at == 0 or is_phrase(pair)) and not any(map(_SOMEBODY.search, pair)):
                yield _without_infinitive(pair)


def _first_variant(entry: str) -> str:
    return normalise(_REMARK.sub(" ", entry.split(";")[0]))


def _without_infinitive(pair: Pair) -> Pair:
    english, german = pair
    is_verb = english.startswith("to ") and len(english.split()) == 2 and len(german.split()) == 1
    return (english[3:] if is_verb else english), german


def is_phrase(pair: Pair) -> bool:
    """Whether a pair is a sentence or a longer phrase rather than a term."""
    return len(pair[0].split()) > 3 or pair[0][-1] in ".!?"


def phrases(text: str) -> Iterator[Pair]:
    """The clean phrases and sentences of the dictionary."""
    for pair in read_dictionary(text):
        if is_phrase(pair) and not any(mark in part for part in pair for mark in "/…"):
            if cleaned := clean_pair(*pair):
                yield cleaned


def frequent_words(texts: Iterable[str], least: int = 2) -> frozenset[str]:
    """The words that occur at least so often in texts, in lower case."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_WORD.findall(text.lower()))
    return frozenset(word for word, count in counts.items() if count >= least)


def terms(text: str, english: frozenset[str], german: frozenset[str], corpus: Iterable[Pair]) -> list[Pair]:
    """Terms whose words are known, each with the translation that the corpus prefers, once per language."""
    candidates = [pair for pair in read_dictionary(text)
                  if _is_term(pair) and _all_known(pair[0], english) and _all_known(pair[1], german)]
    scores = dice_coefficients({(key(left), key(right)) for left, right in candidates}, corpus)
    ranked = sorted(candidates, key=lambda pair: -scores[key(pair[0]), key(pair[1])])
    return list(once_per_language(pair for pair in ranked if scores[key(pair[0]), key(pair[1])] >= LEAST_DICE))


def _is_term(pair: Pair) -> bool:
    """Whether a pair is a term; German that takes more words than English explains rather than translates."""
    is_short = not is_phrase(pair) and len(pair[1].split()) <= len(pair[0].split())
    return is_short and not any(map(_NOT_IN_TERMS.search, pair))


def _all_known(line: str, words: frozenset[str]) -> bool:
    return all(word in words for word in _WORD.findall(line.lower()))


def dice_coefficients(pairs: Iterable[Pair], corpus: Iterable[Pair]) -> dict[Pair, float]:
    """How often the words of each pair occur together; LEAST_DICE where they are too rare, or several words, to tell."""
    translations: dict[str, set[str]] = defaultdict(set)
    for left, right in pairs:
        translations[left].add(right)
    counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    together: Counter[Pair] = Counter()
    for left_line, right_line in corpus:
        left_words, right_words = set(key(left_line).split()), set(key(right_line).split())
        counts[0].update(left_words)
        counts[1].update(right_words)
        for left in left_words:
            if found := translations.get(left, set()) & right_words:
                together.update((left, right) for right in found)
    scores = {}
    for left, rights in translations.items():
        for right in rights:
            both = counts[0][left], counts[1][right]
            is_frequent = min(both) >= FREQUENT
            scores[left, right] = 2 * together[left, right] / sum(both) if is_frequent else LEAST_DICE
    return scores
