"""Translation."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, NoReturn, Optional, Sequence, Union, overload

from . import _core
from ._results import Alternative, AttentionLayer, Explanation, Place, Translation, TreeNode, WrittenToken
from ._tokens import TokenInterface
from ._vocabulary import Vocabulary
from ._waiting import collect, stream

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import DetailOptions, DocumentOptions, OpeningOptions, SearchOptions

Path = Union[str, "os.PathLike[str]"]
#: {"station": "Bahnhof"}, or pairs
Terms = Union[Mapping[str, str], Iterable[tuple[str, str]]]
Prefix = Union[str, Sequence[str], None]

_READ_AHEAD = 512


def _term_list(terms: Optional[Terms]) -> list[tuple[str, str]]:
    if terms is None:
        return []
    return [(a, b) for a, b in (terms.items() if isinstance(terms, Mapping) else terms)]


def _word_list(words: Union[str, Iterable[str], None]) -> list[str]:
    if words is None:
        return []
    return [words] if isinstance(words, str) else list(words)


def _explanation(result: dict[str, Any], source: str) -> Explanation:
    parts = [_explained_part(one) for one in result["explanations"]]
    best = Translation(**result["translations"][0])
    if len(parts) == 1:
        part = parts[0]
        return Explanation(source, best, part.source_tokens, part.tokens, part.layers, part.tree)
    tokens = [token for part in parts for token in part.tokens]
    source_tokens = [token for part in parts for token in part.source_tokens]
    return Explanation(source, best, source_tokens, tokens, [], [], parts)


def _explained_part(part: dict[str, Any]) -> Explanation:
    tokens = [
        WrittenToken(token, begin, end, word, log_probability, [Alternative(*one) for one in alternatives])
        for token, begin, end, word, log_probability, alternatives in part["tokens"]
    ]
    layers = [AttentionLayer(*layer) for layer in part["layers"]]
    total = sum(token.log_probability for token in tokens)
    words = [token.token for token in tokens[:-1]]
    translation = Translation(part["text"], total, total, words, alignment=part["alignment"])
    tree = [TreeNode(*node) for node in part["tree"]]
    source_tokens = [Place(*token) for token in part["source_tokens"]]
    return Explanation(part["source"], translation, source_tokens, tokens, layers, tree)


class Translator(TokenInterface):
    """A translation model, or an ensemble of several.

    >>> dragoman.Translator(to="de").translate("Where is the station?")  # with a model that comes with the package
    'Wo ist der Bahnhof?'
    >>> en_de = dragoman.Translator("en-de.safetensors", device="auto", precision="int8")

    Any number of threads may use one translator at a time: it computes with the interpreter's lock released, and the
    requests of all threads share batches. Device, precision and threads belong to the object.
    """

    def __init__(self, model: Union[Path, Sequence[Path], None] = None, **options: Unpack[OpeningOptions]) -> None:
        """Opens a model file; several files make an ensemble. `OpeningOptions` lists the keyword arguments.

        Without a file it opens the model that comes with the package for the languages `from_` and `to`, English to
        German by default.
        """
        if model is None:
            model = _core.ready_model(os.path.dirname(__file__), options.pop("from_", ""), options.pop("to", ""))
        files = [model] if isinstance(model, (str, bytes, os.PathLike)) else list(model)
        self._files = [os.fspath(file) for file in files]
        self._native = _core.Translator(files, options)

    @overload
    def translate(self, text: str, *, terms: Optional[Terms] = ..., banned: Union[str, Iterable[str], None] = ...,  # type: ignore[overload-overlap]
                  prefix: Prefix = ..., read_ahead: int = ..., **options: Unpack[SearchOptions]) -> str: ...

    @overload
    def translate(self, text: Union[list[str], tuple[str, ...]], *, terms: Optional[Terms] = ...,  # type: ignore[overload-overlap]
                  banned: Union[str, Iterable[str], None] = ..., prefix: Prefix = ..., read_ahead: int = ...,
                  **options: Unpack[SearchOptions]) -> list[str]: ...

    @overload
    def translate(self, text: Iterable[str], *, terms: Optional[Terms] = ...,
                  banned: Union[str, Iterable[str], None] = ..., prefix: Prefix = ..., read_ahead: int = ...,
                  **options: Unpack[SearchOptions]) -> Iterator[str]: ...

    def translate(
        self,
        text: Union[str, Iterable[str]],
        *,
        terms: Optional[Terms] = None,
        banned: Union[str, Iterable[str], None] = None,
        prefix: Prefix = None,
        read_ahead: int = _READ_AHEAD,
        **options: Unpack[SearchOptions],
    ) -> Union[str, list[str], Iterator[str]]:
        """The best translation of a text, or of each text of a list or an iterator.

        A str gives a str. A list or tuple gives a list, translated in batches, which is much faster than one by one.
        Any other iterable, such as a generator or an open file, gives an iterator: it reads up to `read_ahead` texts
        ahead and yields translations in order.

        If the text contains the first of a pair of `terms`, the translation contains the second. `banned` words never
        appear. The translation begins with `prefix`, one for all texts or a list with one for each.
        `SearchOptions` lists the other keyword arguments.
        """
        _refuse_details(options)
        if isinstance(text, (bytes, bytearray, Mapping)):
            raise TypeError(f"text: expected str, a list or an iterator of str, got {type(text).__name__}")
        if isinstance(text, str):
            return self._submit([text], terms, banned, prefix, options)[0].text()
        if isinstance(text, (list, tuple)):
            return collect(self._submit(text, terms, banned, prefix, options), _core.Pending.text)
        return self._stream(text, terms, banned, prefix, read_ahead, options)

    @overload
    def translations(self, text: str, *, terms: Optional[Terms] = ..., banned: Union[str, Iterable[str], None] = ...,  # type: ignore[overload-overlap]
                     prefix: Prefix = ..., **options: Unpack[DetailOptions]) -> list[Translation]: ...

    @overload
    def translations(self, text: Iterable[str], *, terms: Optional[Terms] = ...,
                     banned: Union[str, Iterable[str], None] = ..., prefix: Prefix = ...,
                     **options: Unpack[DetailOptions]) -> list[list[Translation]]: ...

    def translations(
        self,
        text: Union[str, Iterable[str]],
        *,
        terms: Optional[Terms] = None,
        banned: Union[str, Iterable[str], None] = None,
        prefix: Prefix = None,
        **options: Unpack[DetailOptions],
    ) -> Union[list[Translation], list[list[Translation]]]:
        """The `n_best` translations of a text, best first, with their scores; a list of such lists for several texts.

        `DetailOptions` lists what else to return: token_scores, alignment, attention.
        """
        texts = [text] if isinstance(text, str) else list(text)
        results = collect(self._submit(texts, terms, banned, prefix, options), _core.Pending.result)
        lists = [[Translation(**one) for one in result["translations"]] for result in results]
        return lists[0] if isinstance(text, str) else lists

    def explain(
        self,
        text: str,
        *,
        alternatives: int = 5,
        terms: Optional[Terms] = None,
        banned: Union[str, Iterable[str], None] = None,
        prefix: Prefix = None,
        **options: Unpack[SearchOptions],
    ) -> Explanation:
        """How the best translation of a text came about: what every layer attended to, likely tokens, the beam.

        A notebook shows the result as a picture.
        """
        if not isinstance(text, str):
            raise TypeError(f"explain() takes one text, a str, not {type(text).__name__}")
        details: dict[str, Any] = {"explain": True, "attention": True, "token_scores": True}
        details.update(alternatives=alternatives, alignment=self._native.aligns, **options)
        result = self._submit([text], terms, banned, prefix, details)[0].result()
        return _explanation(result, text)

    def translate_document(
        self,
        text: str,
        format: str = "text",  # pylint: disable=redefined-builtin
        *,
        terms: Optional[Terms] = None,
        banned: Union[str, Iterable[str], None] = None,
        ignored_tags: Sequence[str] = (),
        splitting_tags: Sequence[str] = (),
        non_splitting_tags: Sequence[str] = (),
        retranslate: Optional[bool] = None,
        **options: Unpack[SearchOptions],
    ) -> str:
        """A document with its text translated and everything else as it was.

        The format is "text", "html", "xml", "srt" (subtitles), "po" (message
        catalogues) or "markdown".
        """
        document: dict[str, Any] = {"format": format, "retranslate": retranslate}
        for name, tags in (("ignored_tags", ignored_tags), ("splitting_tags", splitting_tags),
                           ("non_splitting_tags", non_splitting_tags)):
            if tags:
                document[name] = list(tags)
        _refuse_details(options)
        rendered = self._native.translate_documents([text], document, _term_list(terms), _word_list(banned), options)
        return rendered[0]

    @property
    def languages(self) -> list[str]:
        """The languages that the model translates into; empty for a model of one."""
        return self._native.languages

    @property
    def source_vocabulary(self) -> Vocabulary:
        """The tokens of the source."""
        return Vocabulary._wrap(self._native.vocabulary(True))

    @property
    def target_vocabulary(self) -> Vocabulary:
        """The tokens of translations."""
        return Vocabulary._wrap(self._native.vocabulary(False))

    def _submit(self, texts: Sequence[str], terms: Optional[Terms], banned: Union[str, Iterable[str], None],
                prefix: Prefix, options: Any) -> list[_core.Pending]:
        prefixes: Sequence[str] = []
        if prefix is not None:
            prefixes = [prefix] * len(texts) if isinstance(prefix, str) else list(prefix)
            if len(prefixes) != len(texts):
                raise _core.Error(f"{len(texts)} texts have {len(prefixes)} prefixes; each needs one")
        return self._native.submit(texts, prefixes, _term_list(terms), _word_list(banned), options)

    def _stream(self, texts: Iterable[str], terms: Optional[Terms], banned: Union[str, Iterable[str], None],
                prefix: Prefix, read_ahead: int, options: Any) -> Iterator[str]:
        if read_ahead < 1:
            raise _core.Error(f"read_ahead must be at least 1, got {read_ahead}")
        if prefix is not None and not isinstance(prefix, str):
            raise _core.Error("an iterator of texts takes one prefix for all of them; give a list of texts instead")
        terms, banned = _term_list(terms), _word_list(banned)
        # Wrong options are reported at once, not when the first translation is asked for.
        self._submit([], terms, banned, prefix, options)
        return stream(iter(texts), lambda text: self._submit([text], terms, banned, prefix, options)[0],
                      _core.Pending.text, read_ahead)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Translator cannot be pickled: open the model in each process")

    def __repr__(self) -> str:
        return f"<dragoman.Translator of {', '.join(self._files)}>"


def _refuse_details(options: Mapping[str, Any]) -> None:
    for name in ("n_best", "token_scores", "alignment", "attention"):
        if name in options:
            raise TypeError(f"translate() returns text only; translations(..., {name}=...) returns more")
    for name in ("explain", "tree", "alternatives"):
        if name in options:
            raise TypeError(f"translate() returns text only; explain() returns more than {name}")
