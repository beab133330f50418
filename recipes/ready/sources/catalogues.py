"""Message catalogues of gettext: documentation and programs with their translations."""

import html
import re
from collections.abc import Iterable, Iterator

from .text import Pair, clean_pair, split_sentences

_FIELD = re.compile(r'^(msgctxt|msgid_plural|msgid|msgstr)(?:\[\d\])? "(.*)"$')
_ESCAPE = re.compile(r"\\(.)")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->")
_ROLE = re.compile(r":\w+:`([^`<]*?)(?:\s*<[^`]*>)?`")
_NAMES = {"%PRODUCTNAME": "LibreOffice", "%ProductName": "LibreOffice", "$[officename]": "LibreOffice",
          "&debian;": "Debian", "&debian-gnu;": "Debian GNU/Linux", "&arch-title;": "PC"}
_MNEMONIC = re.compile(r"~(?=\w)|(?<!\w)_(?=\w)")
_HOT_KEY = re.compile(r"\s?\(~?_?\w\)$")


def entries(catalogue: str) -> Iterator[Pair]:
    """The finished messages of a catalogue: neither fuzzy nor obsolete nor with a plural."""
    for block in catalogue.split("\n\n"):
        lines = block.split("\n")
        if any(line.startswith("#,") and "fuzzy" in line for line in lines):
            continue
        fields: dict[str, str] = {}
        current = ""
        for line in lines:
            field = _FIELD.match(line)
            if field:
                current = field[1]
                fields[current] = fields.get(current, "") + field[2]
            elif line.startswith('"') and current:
                fields[current] += line[1:-1]
        if fields.get("msgid") and fields.get("msgstr") and "msgid_plural" not in fields:
            yield _unescape(fields["msgid"]), _unescape(fields["msgstr"])


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda match: {"n": "\n", "t": " "}.get(match[1], match[1]), text)


def strip_markup(text: str) -> str:
    """A message without tags, roles of reStructuredText and marks of hot keys."""
    for name, value in _NAMES.items():
        text = text.replace(name, value)
    text = html.unescape(_ROLE.sub(r"\1", _TAG.sub("", text)).replace("**", "").replace("``", ""))
    return _MNEMONIC.sub("", _HOT_KEY.sub("", text))


def sentence_pairs(english: str, german: str) -> Iterator[Pair]:
    """A pair of texts cut into sentences where both have the same number of them, or the whole."""
    left, right = split_sentences(english, "en"), split_sentences(german, "de")
    pairs = zip(left, right) if len(left) == len(right) else [(english, german)]
    for pair in pairs:
        cleaned = clean_pair(*pair)
        if cleaned:
            yield cleaned


def catalogue_pairs(catalogues: Iterable[str], shortest: int = 3) -> Iterator[Pair]:
    """The clean pairs of sentences of catalogues, of at least so many English words, without cross references."""
    for catalogue in catalogues:
        for english, german in entries(catalogue):
            if "<xref" in english:
                continue
            left, right = strip_markup(english).split("\n"), strip_markup(german).split("\n")
            parts = zip(left, right) if len(left) == len(right) else [(" ".join(left), " ".join(right))]
            for part in parts:
                yield from (pair for pair in sentence_pairs(*part) if len(pair[0].split()) >= shortest)
