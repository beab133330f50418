"""Scoring and classification, and model files."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Iterable, NoReturn, Sequence, Union, overload

from . import _core
from ._results import Classification, ScoredPair

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import OpeningOptions

Path = Union[str, "os.PathLike[str]"]


class Scorer:
    """Log probabilities of given translations.

    >>> scorer = dragoman.Scorer("en-de.safetensors")
    >>> scorer.score("Where is it?", "Wo ist es?").log_probability
    """

    def __init__(self, model: Path, **options: Unpack[OpeningOptions]) -> None:
        """Opens a translation model; options: device, precision, threads."""
        self._file = os.fspath(model)
        self._native = _core.Scorer(model, options)

    @overload
    def score(self, source: str, target: str, *, alignment: bool = ..., to: str = ...,  # type: ignore[overload-overlap]
              from_: str = ...) -> ScoredPair: ...

    @overload
    def score(self, source: Sequence[str], target: Sequence[str], *, alignment: bool = ..., to: str = ...,
              from_: str = ...) -> list[ScoredPair]: ...

    def score(self, source: Any, target: Any, *, alignment: bool = False, to: str = "", from_: str = "") -> Any:
        """The score of a pair, or of each pair of two lists.

        `to` is the target language of a model for several, and `from_` the source language if it has to be told.
        """
        if isinstance(source, str) and isinstance(target, str):
            return self.score([source], [target], alignment=alignment, to=to, from_=from_)[0]
        return [ScoredPair(**one) for one in self._native.score(source, target, alignment, to, from_)]

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Scorer cannot be pickled: open the model in each process")

    def __repr__(self) -> str:
        return f"<dragoman.Scorer of {self._file}>"


class Classifier:
    """Labels of texts, by a model trained with task="classify".

    >>> dragoman.Classifier("languages.safetensors").classify("Wo ist der Bahnhof?").label
    'de'
    """

    def __init__(self, model: Path, **options: Unpack[OpeningOptions]) -> None:
        """Opens a classifier; options: device, precision, threads, batch, max_input_tokens."""
        self._file = os.fspath(model)
        self._native = _core.Classifier(model, options)

    @property
    def labels(self) -> list[str]:
        """All labels, in the order of the model's classes."""
        return self._native.labels

    @overload
    def classify(self, text: str, *, top: int = ...) -> Classification: ...  # type: ignore[overload-overlap]

    @overload
    def classify(self, text: Iterable[str], *, top: int = ...) -> list[Classification]: ...

    def classify(self, text: Any, *, top: int = 0) -> Any:
        """The `top` likeliest labels of a text, or of each text of a list; 0 means all labels."""
        if isinstance(text, str):
            return self.classify([text], top=top)[0]
        return [Classification(*one) for one in self._native.classify(text, top)]

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Classifier cannot be pickled: open the model in each process")

    def __repr__(self) -> str:
        return f"<dragoman.Classifier of {self._file}>"


def inspect(model: Path) -> dict[str, Any]:
    """The configuration, the parameters and the card of a model file or a preset."""
    described: dict[str, Any] = json.loads(_core.inspect(model))
    return described


def presets() -> dict[str, str]:
    """The names of all presets with a summary of each."""
    return _core.presets()


def quantize(model: Path, output: Path, to: str = "int8") -> None:
    """Writes a model file with its matrices in another number format: "int8", "bf16", "f16" or "f32"."""
    _core.quantize(model, output, to)


def import_model(model: Path, output: Path, to: str = "f32", *, vocabulary: Sequence[Path] = (),
                 subwords: Sequence[Path] = (), shortlist: Path = "") -> dict[str, Any]:
    """Makes a model file of a model of another program, and returns what it is (`dragoman import`).

    `vocabulary`, `subwords` and `shortlist` name the files of a model of Marian that are not beside it.
    """
    return _core.import_model(model, output, to, vocabulary, subwords, shortlist)


def export_model(model: Path, output: Path, to: str) -> dict[str, Any]:
    """Writes a model file as a folder for another program: "huggingface", "ctranslate2" or "numpy" (`dragoman export`).

    Returns what it consists of. Raises Error with the reasons if that program cannot compute it.
    """
    return _core.export_model(model, output, to)


def average(models: Sequence[Path], output: Path, to: str = "f32") -> None:
    """Writes the mean of the weights of several models or checkpoints."""
    _core.average(models, output, to)
