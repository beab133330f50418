"""Translation of tokens, with the arguments and results of CTranslate2's Translator."""

from __future__ import annotations

import random
from itertools import islice, repeat
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Generic,
    Iterable,
    Iterator,
    Literal,
    NamedTuple,
    NoReturn,
    Optional,
    Sequence,
    TypeVar,
    overload,
)

from . import _core
from ._waiting import collect, stream

if TYPE_CHECKING:
    import numpy

Tokens = Sequence[str]
T = TypeVar("T")

_random = random.Random()


class TranslationResult:
    """The translations of one sentence, best first."""

    __slots__ = ("hypotheses", "scores", "attention", "logits")

    def __init__(self, hypotheses: list[list[str]], scores: list[float], attention: list[numpy.ndarray]) -> None:
        self.hypotheses = hypotheses
        self.scores = scores  #: empty unless return_scores
        self.attention = attention  #: empty unless return_attention; per hypothesis [tokens, source tokens]
        self.logits: list[numpy.ndarray] = []  #: empty: return_logits_vocab is not supported

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __getitem__(self, index: int) -> dict[str, Any]:
        hypothesis: dict[str, Any] = {"tokens": self.hypotheses[index]}
        if self.scores:
            hypothesis["score"] = self.scores[index]
        if self.attention:
            hypothesis["attention"] = self.attention[index]
        return hypothesis

    def __repr__(self) -> str:
        return f"TranslationResult(hypotheses={self.hypotheses!r}, scores={self.scores!r}, attention={self.attention!r})"


class ScoringResult:
    """The log probability of each target token; the last is that of the end of the sentence."""

    __slots__ = ("tokens", "log_probs")

    def __init__(self, tokens: list[str], log_probs: list[float]) -> None:
        self.tokens = tokens
        self.log_probs = log_probs

    def __repr__(self) -> str:
        return f"ScoringResult(tokens={self.tokens!r}, log_probs={self.log_probs!r})"


class AsyncResult(Generic[T]):
    """A result that may still be computed."""

    def __init__(self, result: Callable[[], T], done: Callable[[], bool] = lambda: True,
                 cancel: Callable[[], None] = lambda: None) -> None:
        self._result, self._done, self._cancel = result, done, cancel

    def result(self) -> T:
        """Waits for the result. Raises the error of the computation."""
        return self._result()

    def done(self) -> bool:
        """Whether result() returns at once."""
        return self._done()

    def cancel(self) -> None:
        """Nobody waits for the result any more."""
        self._cancel()


def _refuse(name: str, value: Any, neutral: Any, reason: str) -> None:
    if value != neutral:
        raise _core.Error(f"{name}={value!r} is not supported: {reason}")


def _ranking(length_penalty: float) -> str:
    if length_penalty in (0, 1):
        return "mean" if length_penalty else "sum"
    raise _core.Error(f"length_penalty={length_penalty!r} is not supported: hypotheses are ranked by the mean (1) or "
                      "the sum (0) of log probabilities; translations(ranking='gnmt', length_penalty=...) has others")


def _check_batches(max_batch_size: int, batch_type: str) -> None:
    if max_batch_size < 0:
        raise _core.Error(f"max_batch_size must be at least 0, got {max_batch_size}")
    if batch_type not in ("examples", "tokens"):
        raise _core.Error(f"expected the batch_type examples or tokens but got '{batch_type}'")


def _cut(source: Iterable[Tokens], most: int) -> list[list[str]]:
    if isinstance(source, str):
        raise TypeError("expected lists of tokens, got a str; translate() takes text")
    sentences = []
    for tokens in source:
        if isinstance(tokens, str):
            raise TypeError("expected a list of tokens for each sentence, got a str; translate() takes text")
        sentences.append(list(tokens[:most]) if most > 0 else list(tokens))
    return sentences


class TokenInterface:
    """The methods of CTranslate2's Translator: tokens in, tokens out."""

    _native: _core.Translator

    @overload
    def translate_batch(self, source: Iterable[Tokens], target_prefix: Optional[Iterable[Optional[Tokens]]] = ..., *,
                        asynchronous: Literal[False] = ..., **options: Any) -> list[TranslationResult]: ...

    @overload
    def translate_batch(self, source: Iterable[Tokens], target_prefix: Optional[Iterable[Optional[Tokens]]] = ..., *,
                        asynchronous: Literal[True], **options: Any) -> list[AsyncResult[TranslationResult]]: ...

    def translate_batch(self, source: Any, target_prefix: Any = None, *, asynchronous: bool = False,
                        **options: Any) -> Any:
        """Translates sentences that are tokens of the model's vocabulary.

        The arguments are those of CTranslate2: max_batch_size=0, batch_type="examples", beam_size=2, patience=1,
        num_hypotheses=1, length_penalty=1, max_input_length=1024, max_decoding_length=256, min_decoding_length=1,
        sampling_topk=1, sampling_topp=1, sampling_temperature=1, replace_unknowns=False, return_scores=False,
        return_attention=False, return_end_token=False. One that cannot be honoured raises Error with the reason.
        Sentences are batched as the translator was opened; max_batch_size and batch_type do not change results. The
        beginning and the end of sentences, and the tag of a language, may be among the tokens or not.
        """
        pending = self._begin(source, target_prefix, **options)
        return pending if asynchronous else collect(pending, AsyncResult.result)

    def translate_iterable(
        self,
        source: Iterable[Tokens],
        target_prefix: Optional[Iterable[Tokens]] = None,
        max_batch_size: int = 32,
        batch_type: str = "examples",
        **options: Any,
    ) -> Iterator[TranslationResult]:
        """Translates sentences as they come and yields the results in order; options as in translate_batch()."""
        _check_batches(max_batch_size, batch_type)
        self._begin([], None, **options)  # wrong options are reported at once
        pairs = zip(source, repeat(None) if target_prefix is None else target_prefix)
        return stream(pairs, lambda pair: self._begin([pair[0]], [pair[1]], **options)[0], AsyncResult.result,
                      4 * max(max_batch_size, 32))

    @overload
    def score_batch(self, source: Iterable[Tokens], target: Iterable[Tokens], *, max_batch_size: int = ...,
                    batch_type: str = ..., max_input_length: int = ..., offset: int = ...,
                    asynchronous: Literal[False] = ...) -> list[ScoringResult]: ...

    @overload
    def score_batch(self, source: Iterable[Tokens], target: Iterable[Tokens], *, max_batch_size: int = ...,
                    batch_type: str = ..., max_input_length: int = ..., offset: int = ...,
                    asynchronous: Literal[True]) -> list[AsyncResult[ScoringResult]]: ...

    def score_batch(self, source: Any, target: Any, *, max_batch_size: int = 0, batch_type: str = "examples",
                    max_input_length: int = 1024, offset: int = 0, asynchronous: bool = False) -> Any:
        """The log probabilities of given translations, token by token. The first `offset` tokens are left out."""
        _check_batches(max_batch_size, batch_type)
        sources = _cut(source, self._most_tokens(max_input_length))
        targets = _cut(target, max_input_length)
        if len(sources) != len(targets):
            raise _core.Error(f"{len(sources)} sources but {len(targets)} targets")
        tags = self._take_tags(targets)
        scored: list[Any] = [None] * len(targets)
        for language in dict.fromkeys(tag.language for tag in tags):
            chosen = [i for i, tag in enumerate(tags) if tag.language == language]
            found = self._native.score_tokens([sources[i] for i in chosen], [targets[i] for i in chosen], language)
            for i, one in zip(chosen, found):
                scored[i] = one
        results = [_scoring_result(one, max(offset - len(tag.tokens), 0)) for one, tag in zip(scored, tags)]
        return [_finished(one) for one in results] if asynchronous else results

    def score_iterable(
        self,
        source: Iterable[Tokens],
        target: Iterable[Tokens],
        max_batch_size: int = 64,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        offset: int = 0,
    ) -> Iterator[ScoringResult]:
        """Scores pairs as they come and yields the results in order."""
        _check_batches(max_batch_size, batch_type)
        pairs = zip(source, target)
        while block := list(islice(pairs, max(max_batch_size, 1))):
            yield from self.score_batch([a for a, _ in block], [b for _, b in block],
                                        max_input_length=max_input_length, offset=offset)

    def _begin(
        self,
        source: Iterable[Tokens],
        target_prefix: Optional[Iterable[Optional[Tokens]]],
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        return_scores: bool = False,
        return_end_token: bool = False,
        max_input_length: int = 1024,
        **options: Any,
    ) -> list[AsyncResult[TranslationResult]]:
        _check_batches(max_batch_size, batch_type)
        search = _search_options(**options)
        sources = _cut(source, self._most_tokens(max_input_length))
        prefixes = [list(prefix or ()) for prefix in target_prefix] if target_prefix is not None else []
        if prefixes and len(prefixes) != len(sources):
            raise _core.Error(f"{len(sources)} sentences have {len(prefixes)} target prefixes; each needs one")
        tags = self._take_tags(prefixes)
        if any(tag.tokens for tag in tags):  # CTranslate2 counts the tag among the tokens
            search.update(min_length=max(search["min_length"] - 1, 0), max_length=max(search["max_length"] - 1, 1))
        shape = _Shape(return_scores, self._end_token() if return_end_token else "", search["max_length"],
                       self._native.adds_marks[0])
        pending = self._native.submit_tokens(sources, prefixes, [tag.language for tag in tags], search)
        return [_answer(one, shape, len(tokens), tag.tokens) for one, tokens, tag in
                zip(pending, sources, tags or repeat(_NO_TAG))]

    def _take_tags(self, targets: list[list[str]]) -> list[_Tag]:
        """Removes the tag of its language from each target that begins with one."""
        known = self._native.target_tags if targets else {}
        tags = [_Tag(known[tokens[0]], tokens[:1]) if tokens and tokens[0] in known else _NO_TAG for tokens in targets]
        for tokens, tag in zip(targets, tags):
            del tokens[: len(tag.tokens)]
        return tags

    def _most_tokens(self, max_input_length: int) -> int:
        """Beside the marks of a sentence; 0 means any number."""
        return max(max_input_length - sum(self._native.adds_marks), 1) if max_input_length > 0 else 0

    def _end_token(self) -> str:
        vocabulary = self._native.vocabulary(False)
        return vocabulary.piece(vocabulary.special()[2])

    def translate_file(self, *_: Any, **__: Any) -> NoReturn:
        """Not available: `dragoman translate` and translate() of an open file read files."""
        raise _core.Error("translate_file() is not supported: open the file and use translate() or translate_iterable()")


def _search_options(
    *,
    beam_size: int = 2,
    patience: float = 1,
    num_hypotheses: int = 1,
    length_penalty: float = 1,
    coverage_penalty: float = 0,
    repetition_penalty: float = 1,
    no_repeat_ngram_size: int = 0,
    disable_unk: bool = False,
    suppress_sequences: Optional[Sequence[Tokens]] = None,
    end_token: Any = None,
    prefix_bias_beta: float = 0,
    max_decoding_length: int = 256,
    min_decoding_length: int = 1,
    use_vmap: bool = False,
    return_logits_vocab: bool = False,
    return_attention: bool = False,
    return_alternatives: bool = False,
    min_alternative_expansion_prob: float = 0,
    sampling_topk: int = 1,
    sampling_topp: float = 1,
    sampling_temperature: float = 1,
    replace_unknowns: bool = False,
    callback: Any = None,
) -> dict[str, Any]:
    """CTranslate2's options as ours."""
    _refuse("coverage_penalty", coverage_penalty, 0, "the search knows no coverage")
    _refuse("repetition_penalty", repetition_penalty, 1, "the search compares probabilities of the model as they are")
    _refuse("no_repeat_ngram_size", no_repeat_ngram_size, 0, "the search does not look for repetitions")
    _refuse("disable_unk", disable_unk, False, "<unk> is part of the output; replace_unknowns=True replaces it")
    _refuse("suppress_sequences", suppress_sequences or None, None, "translations(banned=...) takes words instead")
    _refuse("end_token", end_token, None, "a translation ends with the end-of-sentence token of the model")
    _refuse("prefix_bias_beta", prefix_bias_beta, 0, "a target_prefix is binding")
    _refuse("return_logits_vocab", return_logits_vocab, False, "explain() returns the likeliest tokens of each place")
    _refuse("return_alternatives", return_alternatives, False,
            "explain() returns alternatives at every place, with the prefix that leads to them")
    _refuse("min_alternative_expansion_prob", min_alternative_expansion_prob, 0, "it is for return_alternatives")
    _refuse("callback", callback, None, "tokens are returned when the search has ended")
    _refuse("use_vmap", use_vmap, False, "a lexical shortlist is part of the model; shortlist=... when it is opened")
    if max_decoding_length < 1:
        raise _core.Error(f"max_decoding_length must be at least 1, got {max_decoding_length}")
    search: dict[str, Any] = {
        "n_best": num_hypotheses,
        "ranking": _ranking(length_penalty),
        "truncate": True,
        "score_prefix": False,
        "min_length": min_decoding_length,
        "max_length": max_decoding_length,
        "attention": return_attention,
        "replace_unknown": replace_unknowns,
    }
    if sampling_topk == 1:
        search["beam"] = beam_size
        search["protect"] = "off"
        if patience != 1:
            search["finished"] = max(1, round(beam_size * patience))
        return search
    if beam_size != 1:
        raise _core.Error(f"beam_size={beam_size} beside sampling_topk={sampling_topk}: sampling does not search; "
                          "set beam_size=1")
    search.update(sample=True, top_k=sampling_topk, top_p=sampling_topp, temperature=sampling_temperature,
                  seed=_random.getrandbits(31))
    return search


def _finished(result: T) -> AsyncResult[T]:
    return AsyncResult(lambda: result)


class _Shape(NamedTuple):
    """What a result consists of."""

    scores: bool
    end: str  # the end-of-sentence token, if hypotheses shall have it
    longest: int  # a hypothesis of so many tokens did not end
    begins: bool  # the first column of attention is that of a mark


class _Tag(NamedTuple):
    """The language of a target, and the token that names it."""

    language: str
    tokens: list[str]


_NO_TAG = _Tag("", [])


def _scoring_result(scored: dict[str, Any], offset: int) -> ScoringResult:
    return ScoringResult(scored["tokens"][offset:], scored["token_scores"].tolist()[offset:])


def _answer(pending: _core.Pending, shape: _Shape, source: int, tag: list[str]) -> AsyncResult[TranslationResult]:
    return AsyncResult(lambda: _result(pending.result(), shape, source, tag), pending.done, pending.cancel)


def _result(result: dict[str, Any], shape: _Shape, source: int, tag: list[str]) -> TranslationResult:
    translations = result["translations"]
    hypotheses = [[*tag, *one["tokens"], *([shape.end] if shape.end and len(one["tokens"]) < shape.longest else [])]
                  for one in translations]
    scores = [one["score"] for one in translations] if shape.scores else []
    attention = [one["attention"][:, shape.begins : shape.begins + source]
                 for one in translations if one["attention"] is not None]
    return TranslationResult(hypotheses, scores, attention)
