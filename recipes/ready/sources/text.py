"""Cleaning: one line of text in, one clean sentence out, or nothing."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

Pair = tuple[str, str]
"""A line of English and its translation into German."""

LANGUAGES = ("en", "de")

_ENGLISH = frozenset(
    "the of and to in a is that it for was on with as be by at this are from or an have not you which were his he she "
    "they we has had but its can been if there will who more one all their your when also into than do what no how "
    "use used using may about my our so me i would where".split())
_GERMAN = frozenset(
    "der die und das ist den von zu mit sich des auf für im ein eine nicht es dem als auch an wird bei einer aus sie "
    "er nach werden wurde sind hat am oder um dass einen über zum kann so einem durch war noch nur wie vor haben zur "
    "ihre man wenn aber diese wir ich unter mehr können ihr wo mich dieser dieses keine bis was mein uns".split())
_SHARED = frozenset("in an war die so am man was".split())
_STOP_WORDS = {"en": _ENGLISH - _SHARED, "de": _GERMAN - _SHARED}

_ABBREVIATIONS = {
    "en": frozenset("mr mrs ms det maj adm cpl messrs dr prof st jr sr vs etc no vol fig inc ltd co corp gen col lt "
                    "sgt capt rev hon gov sen rep jan feb mar apr jun jul aug sep sept oct nov dec approx ca cf ed "
                    "eds pp al e.g i.e u.s u.k a.m p.m ph.d".split()),
    "de": frozenset("dr prof st nr bzw usw ca vgl z.b u.a d.h z.t u.ä o.ä i.d.r s.o bspw evtl ggf etc sog jh abb bd "
                    "hr fr frl mio mrd tel str art abs jan feb mär apr jun jul aug sep sept okt nov dez geb gest inkl "
                    "exkl max min v.a u.u s.u v.chr n.chr chr lat engl franz griech ital span russ türk dt österr "
                    "schweiz allg bes insb mind rd hl kath ev ehem urspr eigtl chin jap arab hebr poln tschech ung "
                    "niederl dän schwed norw port".split()),
}
_SENTENCE_END = re.compile(r"([.!?…]+[\"”“’'»)\]]*)\s+(?=[\"“„‘'«»(\[]?[A-ZÄÖÜ0-9])")
_LAST_WORD = re.compile(r"([^\s(\"“„]+)$")

_SPACES = re.compile(r"\s+")
_EMPTY_BRACKETS = re.compile(r"\s*[(\[][\s,;:/–-]*[)\]]")
_SPACE_BEFORE_STOP = re.compile(r"\s+([,.;:!?])(?=\s|$)")
_MARKUP = re.compile(
    r"[<>{}\\|=*#^~@_`\[\]§†•→←■]|https?:|www\.|//|&\w+;|&#"  # tags, formulas, addresses, entities
    r"|%[a-zA-Z0-9(]|\$[\w(]|(?:^|\s):\w"  # placeholders and roles
    r"|--|\.\.\.\.|''|\"\"| ', |\(\s*[,;)]|[,;]\s*\)"  # what is left where something was removed
    r"|\w:in"  # forms such as "Leser:innen"
    r"|[\u00ad\ufffd\u200b-\u200f\ue000-\uf8ff]")
_FOREIGN = re.compile("[^\u0000-\u017f\u2010-\u203a€−ȘșȚț]")
_NO_LETTER = re.compile(r"[^\w\s]|[\d_]")
_CAPITALS = re.compile(r"\b[A-ZÄÖÜ]{2,}\b")
_PLAIN = re.compile(r"[^\w\s]+|_")
_NUMBER = re.compile(r"\d+")


def normalise(line: str) -> str:
    """The line in NFC, with single spaces, without brackets that lost their contents."""
    line = unicodedata.normalize("NFC", line.replace("\u00ad", ""))
    line = _EMPTY_BRACKETS.sub("", line)
    line = _SPACES.sub(" ", line).strip()
    return _SPACE_BEFORE_STOP.sub(r"\1", line)


def key(line: str) -> str:
    """What two lines have in common when they differ in case, punctuation and blanks only."""
    return " ".join(_PLAIN.sub(" ", line.lower()).split())


def once_per_language(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs whose keys are not empty and whose English and German are both in no pair before."""
    seen: tuple[set[str], set[str]] = (set(), set())
    for pair in pairs:
        keys = key(pair[0]), key(pair[1])
        if all(keys) and not any(text in before for text, before in zip(keys, seen)):
            for text, before in zip(keys, seen):
                before.add(text)
            yield pair


def split_sentences(paragraph: str, language: str) -> list[str]:
    """The sentences of a paragraph: cut after a stop, unless it belongs to an abbreviation, an initial or an ordinal."""
    sentences, start = [], 0
    for end in _SENTENCE_END.finditer(paragraph):
        if not _belongs_to_word(paragraph[start:end.start()], end[1], language):
            sentences.append(paragraph[start:end.end(1)].strip())
            start = end.end()
    sentences.append(paragraph[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _belongs_to_word(before: str, stop: str, language: str) -> bool:
    last = _LAST_WORD.search(before)
    if stop != "." or not last:
        return False
    word = last[1]
    if len(word) == 1 and word.isupper():
        return True
    if language == "de" and word.isdigit() and len(word) <= 2:
        return True
    return word.lower() in _ABBREVIATIONS[language]


def has_markup(line: str) -> bool:
    """Whether anything in the line is not prose: tags, placeholders, addresses, formulas."""
    return bool(_MARKUP.search(line))


def is_balanced(line: str) -> bool:
    """Whether brackets and quotation marks of the line come in pairs."""
    marks = sum(map(line.count, "„“”"))
    return (line.count("(") == line.count(")") and line.count('"') % 2 == 0 and marks % 2 == 0
            and line.count("«") == line.count("»"))


def is_latin(line: str) -> bool:
    """Whether all letters are Latin letters of European languages, which leaves out phonetic alphabets."""
    return not _FOREIGN.search(line)


def is_prose(line: str) -> bool:
    """Whether letters dominate and few words are in capitals only."""
    capitals = len(_CAPITALS.findall(line))
    return len(_NO_LETTER.findall(line)) <= 0.25 * len(line) and capitals <= max(1, (line.count(" ") + 1) // 4)


def stop_words(line: str, language: str) -> int:
    """How many words of the line are frequent words of the language and of no other."""
    return sum(word in _STOP_WORDS[language] for word in line.lower().split())


def is_in(line: str, language: str) -> bool:
    """Whether the frequent words in the line are rather those of the language."""
    other = "de" if language == "en" else "en"
    own, foreign = stop_words(line, language), stop_words(line, other)
    return own > foreign or (own == foreign and own == 0 and len(line.split()) <= 6)


def clean_sentence(line: str, language: str, shortest: int = 4, longest: int = 60) -> str | None:
    """The line as a sentence of running text, or None where it is none."""
    line = normalise(line)
    words = line.count(" ") + 1
    if not shortest <= words <= longest or line[-1:] not in ".!?\"“”»":
        return None
    first = line.lstrip("\"“„»«'‚‘(")[:1]
    if not (first.isupper() or first.isdigit()) or has_markup(line):
        return None
    if not (is_latin(line) and is_balanced(line) and is_prose(line)):
        return None
    return line if stop_words(line, language) and is_in(line, language) else None


def _numbers(line: str) -> set[str]:
    return {number for number in _NUMBER.findall(line) if len(number) > 1}


def is_pair(english: str, german: str, longest: int = 80) -> bool:
    """Whether two clean lines can be translations of each other: languages, lengths, numbers."""
    words = (len(english.split()), len(german.split()))
    if min(words) < 1 or max(words) > longest or key(english) == key(german):
        return False
    if max(len(english), len(german)) > 1.9 * min(len(english), len(german)) + 12:
        return False
    if not (is_in(english, "en") and is_in(german, "de")):
        return False
    common = _numbers(english) & _numbers(german)
    return len(common) * 2 >= max(len(_numbers(english)), len(_numbers(german)))


def clean_pair(english: str, german: str) -> Pair | None:
    """Both lines cleaned, or None where one is not prose or they cannot be a pair."""
    english, german = normalise(english), normalise(german)
    for line in (english, german):
        if not line or has_markup(line) or not is_latin(line) or not is_balanced(line):
            return None
        if len(line) > 3 and not is_prose(line):
            return None
    if (english[-1] in ".!?") != (german[-1] in ".!?"):
        return None
    return (english, german) if is_pair(english, german) else None
