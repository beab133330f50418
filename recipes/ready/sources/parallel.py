"""Text in both languages that is neither a message catalogue nor a page."""

import bz2
import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from .catalogues import entries, sentence_pairs
from .text import clean_pair, key, normalise

Pair = tuple[str, str]

_REMARK = re.compile(r"\{[^}]*\}|\[[^\]]*\]|<[^>]*>|\([^)]*\)")
_SOMEBODY = re.compile(r"\b(?:jd[nms]?|etw|sb|sth|so|sb/sth)\b\.?(?:['’]s)?", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE_TEXT = re.compile(r"^# text = (.*)$", re.MULTILINE)
_DESCRIPTION = re.compile(r"^Description-md5: (\w+)\nDescription-(?:en|de): (.*)\n((?: .*\n)*)", re.MULTILINE)


def _variant(entry: str) -> str:
    """The first variant of an entry of a dictionary, without remarks on grammar and use."""
    return normalise(_REMARK.sub(" ", entry.split(";")[0]))


def frequent_words(texts: Iterable[str], least: int = 2) -> frozenset[str]:
    """The words that occur at least so often in texts, in lower case."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_WORD.findall(text.lower()))
    return frozenset(word for word, count in counts.items() if count >= least)


def known(line: str, words: frozenset[str]) -> bool:
    """Whether all words of a line are among the words."""
    return all(word in words for word in _WORD.findall(line.lower()))


def dictionary(text: str) -> Iterator[Pair]:
    """Words, phrases and examples of the dictionary of Ding: the first translation of each, once per language."""
    seen: tuple[set[str], set[str]] = (set(), set())
    for line in text.splitlines():
        if line.startswith("#") or line.count("::") != 1:
            continue
        german, english = (side.split("|") for side in line.split("::"))
        if len(english) != len(german):
            continue
        for at, (left, right) in enumerate(zip(english, german)):
            pair = _dictionary_pair(left, right, at == 0)
            if pair and not any(key(word) in words for word, words in zip(pair, seen)):
                for word, words in zip(pair, seen):
                    words.add(key(word))
                yield pair


def is_phrase(pair: Pair) -> bool:
    """Whether a pair of the dictionary is a sentence or a longer phrase rather than a term."""
    return len(pair[0].split()) > 3 or pair[0][-1] in ".!?"


def _dictionary_pair(left: str, right: str, is_headword: bool) -> Pair | None:
    english, german = _variant(left), _variant(right)
    if any(mark in english + german for mark in "…/,") and is_headword:
        return None
    if not english or not german or _SOMEBODY.search(english) or _SOMEBODY.search(german) or "{pl}" in right:
        return None
    if english.startswith("to ") and german[:1].islower() and german.endswith(("n", "sein")):
        english = english[3:] if len(english.split()) == 2 and len(german.split()) == 1 else english
    if len(english.split()) > 25 or "/" in english + german or "…" in english + german:
        return None
    if key(english) == key(german):
        return (english, german) if is_headword and english.isalpha() else None
    is_prose = english[-1:] in ".!?" or len(english.split()) > 3
    return clean_pair(english, german) if is_prose else _short_pair(english, german)


def _short_pair(english: str, german: str) -> Pair | None:
    if re.search(r"[^\w\s'’.-]|\d", english + german) or len(german) > 3 * len(english) + 12:
        return None
    return english, german


def treebanks(english: str, german: str) -> Iterator[Pair]:
    """The texts of two parallel treebanks in CoNLL-U."""
    for pair in zip(_SENTENCE_TEXT.findall(english), _SENTENCE_TEXT.findall(german), strict=True):
        if cleaned := clean_pair(*pair):
            yield cleaned


def questions(english: str, german: str) -> Iterator[Pair]:
    """Paragraphs and questions of two versions of a reading comprehension test in the format of SQuAD."""
    for pair in zip(_question_texts(english), _question_texts(german), strict=True):
        yield from sentence_pairs(*pair)


def _question_texts(text: str) -> Iterator[str]:
    for article in json.loads(text)["data"]:
        for paragraph in article["paragraphs"]:
            yield paragraph["context"]
            yield from (question["question"] for question in paragraph["qas"])


def descriptions(english: Path, german: Path) -> Iterator[Pair]:
    """Descriptions of Debian packages, paired by the checksum of the English text."""
    sources = {digest: (title, body) for digest, title, body in _DESCRIPTION.findall(lzma.open(english, "rt").read())}
    for digest, title, body in _DESCRIPTION.findall(bz2.open(german, "rt").read()):
        source = sources.get(digest)
        if source:
            yield from _description_pairs(source[0], title)
            left, right = _paragraphs(source[1]), _paragraphs(body)
            if len(left) == len(right):
                for pair in zip(left, right):
                    yield from sentence_pairs(*pair)


def _description_pairs(english: str, german: str) -> Iterator[Pair]:
    if len(english.split()) > 2 and (pair := clean_pair(english, german)):
        yield pair


def _paragraphs(body: str) -> list[str]:
    return [" ".join(part.split()) for part in re.split(r"^ \.$", body, flags=re.MULTILINE) if "\n  " not in "\n" + part]


def names(text: str) -> Iterator[Pair]:
    """Names of countries, languages and currencies in a message catalogue: short and without remarks."""
    for english, german in entries(text):
        if english != german and not re.search(r"[(),;\d/]", english + german) and len(english.split()) <= 5:
            yield normalise(english), normalise(german)
