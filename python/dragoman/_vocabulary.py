"""Vocabularies: words, SentencePiece subwords, byte-level BPE."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable, NoReturn, Sequence, Union

from . import _core

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import VocabularyOptions

Path = Union[str, "os.PathLike[str]"]


class Vocabulary:
    """Converts text to tokens and ids, and back.

    >>> vocabulary = dragoman.Vocabulary("joint.tok")
    >>> vocabulary.tokens("Where is it?")
    ['▁Where', '▁is', '▁it', '?']
    """

    _native: _core.Tokenizer

    def __init__(self, path: Path) -> None:
        """Reads a file that save(), `dragoman vocab` or `dragoman train` wrote."""
        self._native = _core.Tokenizer.load(path)

    @classmethod
    def _wrap(cls, core: _core.Tokenizer) -> Vocabulary:
        vocabulary = cls.__new__(cls)
        vocabulary._native = core
        return vocabulary

    @classmethod
    def of_model(cls, path: Path, side: str = "source") -> Vocabulary:
        """The vocabulary in a model file: that of its "source" or of its "target"."""
        if side not in ("source", "target"):
            raise _core.Error(f"expected the side source or target but got '{side}'")
        return cls._wrap(_core.Tokenizer.of_model(path, side == "source"))

    @classmethod
    def learn(cls, corpus: Union[Path, Iterable[str]], *more: Path, **options: Unpack[VocabularyOptions]) -> Vocabulary:
        """Learns a vocabulary from files, or from an iterable of sentences. `VocabularyOptions` lists the options."""
        if isinstance(corpus, (str, os.PathLike)):
            return cls._wrap(_core.Tokenizer.learn_from_files([corpus, *more], options))
        if more:
            raise TypeError("expected files or one iterable of sentences, not both")
        return cls._wrap(_core.Tokenizer.learn_from_lines(corpus, options))

    def save(self, path: Path) -> None:
        """Writes the vocabulary to a file."""
        self._native.save(path)

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without the marks of a sentence."""
        return self._native.encode(text)

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text, as the vocabulary spells them."""
        return [self._native.piece(id) for id in self._native.encode(text)]

    def decode(self, tokens: Sequence[Union[int, str]]) -> str:
        """The text of ids or tokens. Marks are dropped; an unknown token becomes <unk>."""
        return self._native.decode([self.id(token) if isinstance(token, str) else token for token in tokens])

    def id(self, token: str) -> int:
        """The id of a token; that of <unk> for a token that is not here."""
        return self._native.find(token)

    def token(self, id: int) -> str:  # pylint: disable=redefined-builtin
        """The token of an id; empty for an id that exists only for rounding."""
        return self._native.piece(id)

    @property
    def unknown_id(self) -> int:
        """The id of <unk>."""
        return self._native.special()[0]

    @property
    def begin_id(self) -> int:
        """The id of the beginning of a sentence."""
        return self._native.special()[1]

    @property
    def end_id(self) -> int:
        """The id of the end of a sentence."""
        return self._native.special()[2]

    @property
    def languages(self) -> list[str]:
        """The target languages that it has tags for."""
        return self._native.languages

    def __len__(self) -> int:
        return self._native.size()

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and self._native.contains(token)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Vocabulary cannot be pickled: save() it to a file")

    def __repr__(self) -> str:
        return f"<dragoman.Vocabulary of {len(self)} ids>"
