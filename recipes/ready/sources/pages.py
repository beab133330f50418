"""Web pages that exist in both languages: their blocks of text, aligned."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from .align import align
from .catalogues import sentence_pairs
from .text import Pair, normalise, split_sentences

SHORTEST = 4
"""Headings and items of fewer English words are often not translations of each other."""

_BLOCKS = frozenset("p li h1 h2 h3 h4 h5 h6 td th dt dd title div blockquote figcaption body section ul ol table tr "
                    "dl br".split())
_SILENT = frozenset("script style code pre version translator legal tags tag figure sidebar".split())
_WML = re.compile(r"^(#.*|<(?:define-tag|/define-tag).*)$", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_CODE = re.compile(r"```.*?```", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"[*_]{1,3}(?=\S)(.+?)(?<=\S)[*_]{1,3}")
_BULLET = re.compile(r"^\s*(?:[-*+>]|\d+\.|#+)\s+", re.MULTILINE)
_TAG = re.compile(r"<[^>]+>|\{%.*?%\}|\{\{.*?\}\}|\{:.*?\}")


class _BlockReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self._parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in _SILENT
        if tag in _BLOCKS:
            self.finish()
        elif tag == "q":
            self._parts.append('"')

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.finish()

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(0, self._silent - (tag in _SILENT))
        if tag in _BLOCKS:
            self.finish()
        elif tag == "q":
            self._parts.append('"')

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._parts.append(data)

    def finish(self) -> None:
        """Closes a block of text."""
        block = normalise("".join(self._parts))
        self._parts = []
        if block:
            self.blocks.append(block)


def page_blocks(page: str) -> list[str]:
    """The paragraphs, headings and items of a page of HTML or of the Website Meta Language."""
    reader = _BlockReader()
    reader.feed(_WML.sub("", page))
    reader.close()
    reader.finish()
    return reader.blocks


def markdown_blocks(page: str) -> list[str]:
    """The paragraphs, headings and items of a page of Markdown."""
    page = _CODE.sub("", _FRONT_MATTER.sub("", page))
    page = _BULLET.sub("\n\n", page)
    blocks = (_EMPHASIS.sub(r"\1", _TAG.sub("", _LINK.sub(r"\1", block))) for block in page.split("\n\n"))
    return [block for block in map(normalise, blocks) if block]


def block_pairs(english: list[str], german: list[str]) -> Iterator[Pair]:
    """The clean pairs of sentences of two lists of blocks."""
    for left, right in align(english, german):
        for pair in align(split_sentences(left, "en"), split_sentences(right, "de")):
            yield from (clean for clean in sentence_pairs(*pair) if len(clean[0].split()) >= SHORTEST)
