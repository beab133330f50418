"""Text in both languages that is neither a message catalogue nor a page."""

import json
import re
from collections.abc import Iterator

from .catalogues import entries, sentence_pairs
from .text import Pair, clean_pair, normalise

_SENTENCE_TEXT = re.compile(r"^# text = (.*)$", re.MULTILINE)


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


def names(text: str) -> Iterator[Pair]:
    """Names of countries, languages and currencies in a message catalogue: short and without remarks."""
    for english, german in entries(text):
        if english != german and not re.search(r"[(),;\d/]", english + german) and len(english.split()) <= 5:
            yield normalise(english), normalise(german)
