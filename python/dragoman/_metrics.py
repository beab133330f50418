"""Scores of translations, as sacreBLEU computes them, and their significance."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence, Union

from . import _core
from ._results import Score

#: a reference for each hypothesis, or several such lists
References = Union[Sequence[str], Sequence[Sequence[str]]]


def _reference_lists(references: References) -> list[list[str]]:
    if isinstance(references, str):
        raise TypeError("references: expected a list of str, or a list of such lists, got a str")
    references = list(references)
    if all(isinstance(one, str) for one in references):
        return [references] if references else []  # type: ignore[list-item]
    return [list(one) for one in references]


def _score(metric: str, hypotheses: Sequence[str], references: References, sentences: bool, confidence: bool,
           resamples: int, seed: int, options: dict[str, Any]) -> Score:
    sampling = {"resamples": resamples, "seed": seed}
    result = _core.score(metric, hypotheses, _reference_lists(references), options, sentences, confidence, sampling)
    return Score(**result)


def bleu(
    hypotheses: Sequence[str],
    references: References,
    *,
    tokenize: str = "13a",
    lowercase: bool = False,
    smooth: str = "exp",
    smooth_value: float = -1,
    order: int = 4,
    effective_order: bool = False,
    sentences: bool = False,
    confidence: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Score:
    """BLEU of a test set, with the signature that makes it reproducible.

    `references` is a list with a reference for each hypothesis, or several such lists. `tokenize` is "13a", "intl",
    "char" or "none", `smooth` "exp", "floor", "add-k" or "none". `confidence` adds a 95 % interval by bootstrap
    resampling, `sentences` the score of each sentence.

    >>> score = dragoman.bleu(["the cat sat"], ["the cat sat down"])
    >>> float(score), score.signature
    """
    options = {"tokenize": tokenize, "lowercase": lowercase, "smooth": smooth, "smooth_value": smooth_value,
               "order": order, "effective_order": effective_order}
    return _score("bleu", hypotheses, references, sentences, confidence, resamples, seed, options)


def chrf(
    hypotheses: Sequence[str],
    references: References,
    *,
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
    sentences: bool = False,
    confidence: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Score:
    """chrF of a test set; chrF++ with word_order=2. The other arguments are those of bleu()."""
    options = {"char_order": char_order, "word_order": word_order, "beta": beta, "lowercase": lowercase,
               "whitespace": whitespace, "eps_smoothing": eps_smoothing}
    return _score("chrf", hypotheses, references, sentences, confidence, resamples, seed, options)


def ter(
    hypotheses: Sequence[str],
    references: References,
    *,
    normalize: bool = False,
    no_punctuation: bool = False,
    asian: bool = False,
    case_sensitive: bool = False,
    sentences: bool = False,
    confidence: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Score:
    """Translation edit rate of a test set; lower is better. The other arguments are those of bleu()."""
    options = {"normalize": normalize, "no_punctuation": no_punctuation, "asian": asian,
               "case_sensitive": case_sensitive}
    return _score("ter", hypotheses, references, sentences, confidence, resamples, seed, options)


def compare(
    systems: Union[Mapping[str, Sequence[str]], Iterable[Sequence[str]]],
    references: References,
    *,
    metric: str = "bleu",
    bootstrap: bool = True,
    randomization: bool = True,
    resamples: int = 1000,
    trials: int = 10000,
    seed: int = 12345,
    **options: Any,
) -> dict[str, Score]:
    """Scores systems and tests whether they differ from the first one.

    `systems` maps names to lists of hypotheses; without names they are called "1", "2", ... Each score but the first
    has the p-values of paired bootstrap resampling and of approximate randomization. `metric` is "bleu", "chrf" or
    "ter"; its options are those of the function of that name.
    """
    named = dict(systems) if isinstance(systems, Mapping) else {str(i): one for i, one in enumerate(systems, 1)}
    sampling = {"resamples": resamples, "trials": trials, "seed": seed, "bootstrap": bootstrap,
                "randomization": randomization}
    results = _core.compare(metric, list(named.values()), _reference_lists(references), options, sampling)
    return {name: Score(**result) for name, result in zip(named, results)}
