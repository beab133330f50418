"""Text in one language: encyclopaedias, news, speeches, sentences to be read aloud."""

import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator

from .pages import markdown_blocks
from .text import clean_sentence, split_sentences

Document = list[str]
"""The clean sentences of one article or file."""

_ARTICLE = re.compile(r"<doc [^>]*>\n(.*?)</doc>", re.DOTALL)
_SPEECH = re.compile(r'<p klasse="(?:J|J_1|O)">(.*?)</p>')
_TAG = re.compile(r"<[^>]+>")
_LOST_LINK = re.compile(
    r"\b(?:the|a|an|of|in|by|to|for|with|from|at|and|on|as)(?:[,.;:)]| (?:of|and|was|is|were|has|had|are|by|from|on|at|for|"
    r"to|with|in|or)\b)|\(\s|^[,;]|[,;] [,;]|(?:^| )'s\b|\bMr\.? (?:said|was|of)\b", re.IGNORECASE)
_LEGAL_LOSS = re.compile(r"\b(?:on and on|by and|to and from|for and against|in and out|on to|in on|in at|in to|in for)\b",
                         re.IGNORECASE)
_FOREIGN_LETTERS_LOST = re.compile(r"Aussprache|/i\b|\(\w+isch [,;)]|\?/")


def share(name: str, percent: int) -> bool:
    """Whether a name is in a fixed pseudo-random share of all names."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % 100 < percent


def sentences(paragraphs: Iterable[str], language: str, shortest: int = 4, longest: int = 60) -> Document:
    """The clean sentences of paragraphs."""
    cut = (line for paragraph in paragraphs for line in split_sentences(paragraph, language))
    return [clean for line in cut if (clean := clean_sentence(line, language, shortest, longest))]


def encyclopaedia(files: Iterable[tuple[str, str]], percent: int) -> Iterator[Document]:
    """A share of the articles in files of WikiExtractor; headings have no verb and are dropped by their length."""
    for path, text in files:
        for at, article in enumerate(_ARTICLE.finditer(text)):
            if share(f"{path} {at}", percent):
                yield sentences(html.unescape(article[1]).split("\n")[1:], "en", shortest=6, longest=50)


def news(files: Iterable[tuple[str, str]]) -> Iterator[Document]:
    """Articles in JSON lines of WikiExtractor, without sentences that lost the text of a link."""
    for _, text in files:
        for line in text.splitlines():
            article = json.loads(line)
            found = sentences(html.unescape(article["text"]).split("\n"), "en", shortest=5, longest=50)
            kept = [sentence for sentence in found if not _lost_link(sentence)]
            if len(kept) * 3 >= len(found) * 2:
                yield kept


def _lost_link(sentence: str) -> bool:
    return bool(_LOST_LINK.search(_LEGAL_LOSS.sub("X", sentence)))


def lines(files: Iterable[tuple[str, str]], language: str, shortest: int = 3, longest: int = 60) -> Iterator[Document]:
    """Files with one sentence per line."""
    for _, text in files:
        found = (clean_sentence(line, language, shortest, longest) for line in text.splitlines()
                 if not _FOREIGN_LETTERS_LOST.search(line))
        yield [line for line in found if line]


def speeches(files: Iterable[tuple[str, str]], percent: int) -> Iterator[Document]:
    """A share of the paragraphs of speeches in minutes of the Bundestag."""
    for path, text in files:
        paragraphs = (html.unescape(_TAG.sub("", match[1])) for match in _SPEECH.finditer(text))
        chosen = (part for at, part in enumerate(paragraphs) if share(f"{path} {at}", percent))
        yield sentences(chosen, "de", shortest=5, longest=45)


def articles(files: Iterable[tuple[str, str]]) -> Iterator[Document]:
    """Articles in English, written in Markdown."""
    for _, text in files:
        yield sentences(markdown_blocks(text), "en", shortest=5, longest=45)


def factbook(files: Iterable[tuple[str, str]]) -> Iterator[Document]:
    """The descriptions of countries in The World Factbook."""
    for _, text in files:
        yield sentences(_texts(json.loads(text)), "en", shortest=6, longest=50)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, str):
        yield from re.split(r"<[^>]+>|; (?=note)", html.unescape(value))
