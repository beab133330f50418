"""Neural machine translation: train, translate, score, align, explain.

>>> import dragoman
>>> en_de = dragoman.Translator("en-de.safetensors")
>>> en_de.translate("Where is the station?")
'Wo ist der Bahnhof?'

Failures raise dragoman.Error, whose message says what was expected, what came instead, and where. Functions that compute
release the interpreter's lock.
"""

from __future__ import annotations

from typing import Optional, Sequence

from . import _core
from ._alignment import Aligner
from ._core import Error
from ._metrics import bleu, chrf, compare, ter
from ._models import Classifier, Scorer, average, export_model, import_model, inspect, presets, quantize
from ._results import (
    Alternative,
    AttentionLayer,
    Classification,
    Explanation,
    Picture,
    Place,
    Progress,
    Score,
    ScoredPair,
    TrainingEnd,
    Translation,
    TreeNode,
    Validation,
    WrittenToken,
)
from ._tokens import ScoringResult, TranslationResult
from ._training import plan, train
from ._translator import Translator
from ._vocabulary import Vocabulary

__version__: str = _core.version

__all__ = [
    "Aligner",
    "Alternative",
    "AttentionLayer",
    "Classification",
    "Classifier",
    "Error",
    "Explanation",
    "Picture",
    "Place",
    "Progress",
    "Score",
    "ScoredPair",
    "Scorer",
    "ScoringResult",
    "TrainingEnd",
    "Translation",
    "TranslationResult",
    "Translator",
    "TreeNode",
    "Validation",
    "Vocabulary",
    "WrittenToken",
    "average",
    "bleu",
    "chrf",
    "compare",
    "export_model",
    "import_model",
    "inspect",
    "phrasebook",
    "plan",
    "presets",
    "quantize",
    "set_log_level",
    "ter",
    "train",
]


def phrasebook(
    count: int, *, seed: int = 1, split: str = "train", patterns: Optional[Sequence[str]] = None
) -> list[tuple[str, str]]:
    """Distinct English-German sentence pairs from the built-in grammar: a corpus for first experiments.

    `split` is "train", "valid" or "test"; no sentence is in two of them. `patterns` restricts the sentences.
    """
    return _core.phrasebook(count, seed, split, list(patterns or ()))


def set_log_level(level: str) -> None:
    """What is printed to stderr: "debug", "info" (with progress), "warning" (the default), "error" or "quiet"."""
    _core.set_log_level(level)
