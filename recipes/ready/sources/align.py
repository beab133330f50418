"""Alignment of blocks or sentences of two documents by their lengths (Gale and Church 1993) and common words."""

import math
import re
from collections.abc import Sequence
from itertools import accumulate

from .text import Pair

_SHIFTS = {(1, 1): 0.0, (1, 0): 5.0, (0, 1): 5.0, (2, 1): 2.5, (1, 2): 2.5}
_ANCHOR = re.compile(r"\d+|\b[A-Z][\w-]+")
GERMAN_PER_ENGLISH = 1.12


def align(english: Sequence[str], german: Sequence[str]) -> list[Pair]:
    """The pairs of the cheapest monotone alignment; lines without a partner are left out."""
    rows, columns = len(english), len(german)
    left, right = _Lines(english), _Lines(german)
    costs = {(0, 0): 0.0}
    steps: dict[tuple[int, int], tuple[int, int]] = {}
    for i in range(rows + 1):
        for j in range(columns + 1):
            if abs(i * columns - j * rows) > 12 * max(rows, columns):
                continue
            for (di, dj), penalty in _SHIFTS.items():
                before = costs.get((i - di, j - dj))
                if before is None:
                    continue
                cost = before + penalty + _distance(left, i - di, i, right, j - dj, j)
                if cost < costs.get((i, j), float("inf")):
                    costs[i, j] = cost
                    steps[i, j] = (di, dj)
    return _walk_back(english, german, steps)


class _Lines:
    """Lengths of lines, summed up, and the words in them that translations often share: numbers and names."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.ends = [0, *accumulate(len(line) + 1 for line in lines)]
        self.anchors = [set(_ANCHOR.findall(line)) for line in lines]


def _distance(english: _Lines, i: int, i_end: int, german: _Lines, j: int, j_end: int) -> float:
    if i == i_end or j == j_end:
        return 0.0
    expected = (english.ends[i_end] - english.ends[i]) * GERMAN_PER_ENGLISH
    length = german.ends[j_end] - german.ends[j]
    common = set().union(*english.anchors[i:i_end]) & set().union(*german.anchors[j:j_end])
    return abs(expected - length) / math.sqrt(expected + length) - min(2.0, 0.5 * len(common))


def _walk_back(english: Sequence[str], german: Sequence[str],
               steps: dict[tuple[int, int], tuple[int, int]]) -> list[Pair]:
    pairs: list[Pair] = []
    i, j = len(english), len(german)
    while (i, j) in steps:
        di, dj = steps[i, j]
        if di and dj:
            pairs.append((" ".join(english[i - di:i]), " ".join(german[j - dj:j])))
        i, j = i - di, j - dj
    return pairs[::-1]
