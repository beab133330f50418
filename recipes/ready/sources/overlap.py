"""Test sets: what must never be in the training text."""

import gzip
from collections.abc import Iterable
from pathlib import Path

from .text import key

SPAN = 8
"""Lines that share this many consecutive words with a test sentence are dropped."""

FILES = ("europarl/test", "europarl/valid", "tatoeba-en-de/test-*", "tatoeba-en-de/valid", "flores/dev",
         "wmt-news/newstest*")


class TestSets:
    """Sentences of test sets, to be compared regardless of case, punctuation and blanks."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines: set[str] = set()
        self._spans: set[int] = set()
        for line in lines:
            words = key(line).split()
            self._lines.add("".join(words))
            self._spans.update(_spans(words))

    def contain(self, line: str) -> bool:
        """Whether the line is in a test set, or shares SPAN consecutive words with a sentence of one."""
        words = key(line).split()
        return "".join(words) in self._lines or any(span in self._spans for span in _spans(words))


def _spans(words: list[str]) -> Iterable[int]:
    return (hash(tuple(words[at:at + SPAN])) for at in range(len(words) - SPAN + 1))


def read_test_sets(folder: Path) -> TestSets:
    """The English and German test and validation sets in the data folder of the recipes."""
    lines: list[str] = []
    for name in FILES:
        for language in ("en", "de"):
            paths = sorted(folder.glob(f"{name}.{language}.gz"))
            if not paths:
                raise FileNotFoundError(f"no test set {folder}/{name}.{language}.gz; --data wants the data of the recipes")
            for path in paths:
                with gzip.open(path, "rt", encoding="utf-8") as file:
                    lines.extend(file)
    return TestSets(lines)
