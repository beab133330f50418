"""Text in both languages that is neither a message catalogue nor a page."""

import bz2
import json
import lzma
import re
from collections.abc import Iterator
from pathlib import Path

from .catalogues import entries, sentence_pairs
from .text import clean_pair, normalise

Pair = tuple[str, str]

_SENTENCE_TEXT = re.compile(r"^# text = (.*)$", re.MULTILINE)
_DESCRIPTION = re.compile(r"^Description-md5: (\w+)\nDescription-(?:en|de): (.*)\n((?: .*\n)*)", re.MULTILINE)


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
