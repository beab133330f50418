"""What functions return: plain data, which can be compared, pickled and printed."""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from . import _core

if TYPE_CHECKING:
    import numpy

#: (source word, target word), counted from 0
Link = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Translation:
    """One translation of a text. What was not asked for is None or empty."""

    text: str
    score: float  #: the search ranks by this
    log_probability: float  #: natural logarithm, the end of the sentence included
    tokens: list[str] = field(repr=False)
    token_scores: Optional[numpy.ndarray] = field(default=None, repr=False)  #: log probabilities; the last is that of EOS
    alignment: list[Link] = field(default_factory=list, repr=False)
    #: (source begin, source end, target begin, target end): characters of the texts that correspond
    spans: list[tuple[int, int, int, int]] = field(default_factory=list, repr=False)
    attention: Optional[numpy.ndarray] = field(default=None, repr=False)  #: [tokens, source tokens]
    past_attention: Optional[numpy.ndarray] = field(default=None, repr=False)  #: [tokens, tokens]; column 0 is the start

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Place:
    """A token and its characters [begin, end) of the text. Marks, such as EOS, have none."""

    token: str
    begin: int
    end: int
    word: int  #: index of the word, between spaces, that it belongs to; -1 for none


@dataclass(frozen=True)
class Alternative:
    """A token that the model could have written."""

    token: str
    probability: float
    prefix: str  #: the translation up to this token; translate(..., prefix=prefix) goes on from there


@dataclass(frozen=True)
class WrittenToken(Place):
    """A token that the model wrote, and what else was likely there, best first."""

    log_probability: float
    alternatives: list[Alternative]


@dataclass(frozen=True, eq=False)
class AttentionLayer:
    """The weights of one attention layer, [heads, rows, columns]. A row belongs to a token and sums to 1."""

    kind: str  #: "encoder": source to source; "source": written to source; "past": written to written
    layer: int
    name: str
    mixtures: bool  #: the columns are mixtures of all source tokens (Linformer)
    weights: numpy.ndarray = field(repr=False)


@dataclass(frozen=True)
class TreeNode:
    """A hypothesis that was in the beam. Its parent comes before it."""

    parent: int
    token: str
    log_probability: float
    score: float
    finished: bool
    best: bool  #: on the path to the best translation


class Picture:
    """A drawing in SVG, which notebooks show."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Any) -> None:
        """Writes the SVG file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_html_(self) -> str:
        # As an image, its style sheet does not apply to the page around it.
        return f'<img src="data:image/svg+xml;base64,{base64.b64encode(self.svg.encode()).decode()}">'

    def __repr__(self) -> str:
        return f"<Picture: {len(self.svg)} bytes of SVG; save(path) writes it>"


@dataclass(frozen=True, eq=False)
class Explanation:
    """How a translation came about. A notebook shows its attention as a picture.

    A text that was split has one explanation for each part in `parts`, and `attention` has the rows of all parts.
    """

    source: str
    translation: Translation
    source_tokens: list[Place] = field(repr=False)
    tokens: list[WrittenToken] = field(repr=False)
    layers: list[AttentionLayer] = field(repr=False)
    tree: list[TreeNode] = field(repr=False)
    parts: list[Explanation] = field(default_factory=list, repr=False)

    @property
    def text(self) -> str:
        """The translation."""
        return self.translation.text

    @property
    def attention(self) -> Optional[numpy.ndarray]:
        """Weights [tokens, source tokens]: where the model looked when it wrote each token. None without attention."""
        return self.translation.attention

    @property
    def alignment(self) -> list[Link]:
        """Which source words and target words correspond."""
        return self.translation.alignment

    def draw_attention(self) -> Picture:
        """The attention to the source and, where the model has it, to its own past."""
        source = [token.token for token in self.source_tokens]
        best = self.translation
        rows = [] if best.attention is None else best.attention.tolist()
        past = [] if best.past_attention is None else best.past_attention.tolist()
        return Picture(_core.draw_attention(best.tokens, source, rows, past))

    def draw_beam(self) -> Picture:
        """All hypotheses that were in the beam, as a tree."""
        nodes = [(n.parent, n.token, n.log_probability, n.score, n.finished, n.best) for n in self.tree]
        return Picture(_core.draw_beam(nodes, self.source))

    def _repr_html_(self) -> Optional[str]:
        if self.parts or self.attention is None or not self.source_tokens:
            return None
        return f"<p>{html.escape(self.source)}<br>{html.escape(self.text)}</p>" + self.draw_attention()._repr_html_()


@dataclass(frozen=True, eq=False)
class ScoredPair:
    """The probability of a given translation."""

    log_probability: float  #: natural logarithm, the end of the sentence included
    tokens: list[str] = field(repr=False)
    token_scores: numpy.ndarray = field(repr=False)  #: log probabilities of the tokens; the last is that of EOS
    alignment: list[Link] = field(default_factory=list, repr=False)


@dataclass(frozen=True)
class Classification:
    """The labels of a text, likeliest first; none for a blank text."""

    labels: list[tuple[str, float]]
    truncated: bool  #: the text is longer than the limit; its first tokens were classified

    @property
    def label(self) -> str:
        """The likeliest label."""
        return self.labels[0][0] if self.labels else ""

    @property
    def probability(self) -> float:
        """Its probability."""
        return self.labels[0][1] if self.labels else 0.0


@dataclass(frozen=True)
class Score:
    """The score of a test set."""

    name: str
    score: float
    signature: str  #: the settings that make the score reproducible
    details: dict[str, Any] = field(repr=False)
    remark: str = field(default="", repr=False)
    confidence: Optional[tuple[float, float]] = None  #: mean over resamples, half the width of the 95 % interval
    sentences: Optional[list[float]] = field(default=None, repr=False)  #: the score of each sentence
    p_bootstrap: Optional[float] = None  #: against the first system of compare()
    p_randomization: Optional[float] = None

    def __float__(self) -> float:
        return self.score

    def __str__(self) -> str:
        interval = f" (95 % interval ± {self.confidence[1]:.2f})" if self.confidence else ""
        remark = f" {self.remark}" if self.remark else ""
        return f"{self.name}|{self.signature} = {self.score:.2f}{interval}{remark}"

    @property
    def interval(self) -> Optional[tuple[float, float]]:
        """The 95 % interval; None unless it was asked for."""
        if self.confidence is None:
            return None
        mean, half_width = self.confidence
        return mean - half_width, mean + half_width


@dataclass(frozen=True)
class Validation:
    """A validation of a training run."""

    updates: int
    epochs: float
    tokens: int  #: target tokens seen so far
    scores: dict[str, float]  #: loss, perplexity, bleu, chrf, accuracy, f1 ...
    samples: list[tuple[str, str, str]] = field(repr=False)  #: (source, reference, translation)
    best: bool  #: the best model so far, by the metric that selects it
    without_improvement: int
    elapsed: float  #: seconds of training and validation so far


@dataclass(frozen=True)
class Progress:
    """The means of the updates since the last report of a training run."""

    updates: int
    epochs: float
    tokens: int
    loss: float
    rate: float
    gradient_norm: float
    tokens_per_second: float
    share_done: float
    seconds_left: float
    elapsed: float


@dataclass(frozen=True)
class TrainingEnd:
    """How a training run ended."""

    model: str  #: path of the model file; empty if there is none yet
    reason: str = ""
    updates: int = 0
    epochs: float = 0.0
    tokens: int = 0
    seconds: float = 0.0  #: of training, over all processes of the run
    report: str = ""  #: path of the report page; empty if there is none
