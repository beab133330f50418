"""Word alignment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, NoReturn, Optional, Union, overload

from . import _core
from ._results import Link, Picture

if TYPE_CHECKING:
    import numpy

Path = Union[str, "os.PathLike[str]"]
#: a file, or sentences
Corpus = Union[Path, Iterable[str]]


def _sentences(corpus: Corpus) -> list[str]:
    if isinstance(corpus, (str, os.PathLike)):
        return _core.read_lines(corpus)
    return [line.rstrip("\n") if isinstance(line, str) else line for line in corpus]


class Aligner:
    """Finds which words of a sentence and of its translation correspond.

    >>> aligner = dragoman.Aligner.learn("train.en", "train.de", tokenize=True)
    >>> aligner.align("the red house", "das rote Haus")
    [(0, 0), (1, 1), (2, 2)]
    """

    _native: _core.Aligner

    def __init__(self, path: Path) -> None:
        """Reads an alignment model that save() or `dragoman align --save` wrote."""
        self._native = _core.Aligner.load(path)

    @classmethod
    def learn(
        cls,
        source: Corpus,
        target: Corpus,
        *,
        on_iteration: Optional[Callable[[str, int, float, float], Any]] = None,
        **options: Any,
    ) -> Aligner:
        """Learns from two files, or from two lists of sentences, by expectation maximisation.

        Sentences have spaces between words; with tokenize=True they are plain text. The options are those of
        `dragoman align`: model1=5, model2=0 (fast_align), hmm=5, null, alpha, agree, prune, max_words, min_count,
        source={"language": ..., "fold": ..., "stem": ...}, target={...}. `on_iteration` is called with the name of the
        model, the number of the iteration and the mean log probability per word in both directions.
        """
        aligner = cls.__new__(cls)
        aligner._native = _core.Aligner.learn(_sentences(source), _sentences(target), options, on_iteration)
        return aligner

    def save(self, path: Path) -> None:
        """Writes the model to a file."""
        self._native.save(path)

    @overload
    def align(self, source: str, target: str, **options: Any) -> list[Link]: ...

    @overload
    def align(self, source: Iterable[str], target: Iterable[str], **options: Any) -> list[list[Link]]: ...

    def align(self, source: Any, target: Any, **options: Any) -> Any:
        """The links (source word, target word) of a pair, or of each pair of two lists; words count from 0.

        Options: tokenize, symmetrise ("product", "union", "intersection", "grow-diag-final", ...), threshold.
        """
        if isinstance(source, str) and isinstance(target, str):
            return self._native.align([source], [target], options)[0]
        return self._native.align(source, target, options)

    def posteriors(self, source: str, target: str, **options: Any) -> numpy.ndarray:
        """The probability of each link, [source words, target words]: the geometric mean of both directions."""
        return self._native.posteriors(source, target, options)[3]

    def draw(self, source: str, target: str, **options: Any) -> Picture:
        """The probabilities and links of a pair as a picture."""
        words, others, links, weights = self._native.posteriors(source, target, options)
        return Picture(_core.draw_alignment(words, others, weights.tolist(), links))

    def __reduce__(self) -> NoReturn:
        raise TypeError("an Aligner cannot be pickled: save() it to a file")

    def __repr__(self) -> str:
        return f"<dragoman.Aligner of {self._native.size} word pairs>"
