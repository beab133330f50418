"""The list of sources: name, licence, origins, and the function that reads them."""

import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from . import dictionary, monolingual, parallel
from .catalogues import catalogue_pairs
from .monolingual import Document
from .origins import DebianFile, Repository, Store, deb_file, tar_files
from .pages import block_pairs, page_blocks
from .text import LANGUAGES, Pair

Origin = DebianFile | Repository


@dataclass(frozen=True)
class ParallelSource:
    """A source of pairs of sentences, English first."""

    name: str
    licence: str
    origins: tuple[Origin, ...]
    read: Callable[[Store], Iterator[Pair]]


@dataclass(frozen=True)
class MonolingualSource:
    """A source of documents in one language."""

    name: str
    language: str
    licence: str
    origins: tuple[Origin, ...]
    read: Callable[[Store], Iterator[Document]]
    limit: int = 250_000
    whole_documents: bool = False
    """Whether a document is dropped as a whole when one of its sentences is in a test set."""


FSFE = Repository("fsfe/fsfe-website", "6ae574b9a8cd768c7d2c52e6c06a0c13fee9c024")
DEBIAN_WEB = Repository("l/debian-webwml", "80cd9461d384c50e61f7c585e566ce9d00c113fc")
GNOME = Repository("GNOME/gnome-user-docs", "46747c67c12109de9234644bcbcb89d1ff5e7d37")
GODOT = Repository("godotengine/godot-docs-l10n", "98f36d335ec5606315ab58c0d8f78d4b664abb88")
XQUAD = Repository("google-deepmind/xquad", "7d30520c717524000f0d9d2f9c10a069acd9d285")
PUD_EN = Repository("UniversalDependencies/UD_English-PUD", "f16eba4ae7f3d161870ed320676c5088b8fa476c")
PUD_DE = Repository("UniversalDependencies/UD_German-PUD", "ff80846ae60a0a70fc4d6251ef73e6a483a620ee")
COMMON_VOICE = Repository("common-voice/common-voice", "bc2cc85e101dc70332aa1e55e89f547ab6874b05")
KLEXIKON = Repository("dennlinger/klexikon", "c909f38794b244c2d55d5b0037755390c56c9610")
WIKIPEDIA = Repository("jason-feng/wikiVisual", "1c0fac92f29f17c1603bfffbe864e0dfdff66897")
WIKINEWS = Repository("jshepp27/countaBot", "eac9439eff525f2f4c753983fe2a2973e22e2e7f")
BUNDESTAG = Repository("fbaierl/bundeszirkus-server", "86a2ff7316adcd78412968ad36e66439ac690654")
DIGITAL_GOV = Repository("GSA/digitalgov.gov", "4979583206d90ff1707b097454a9b169ca9e95e4")
FACTBOOK = Repository("factbook/factbook.json", "8662a8b17a784841ab4528631b04090eb2f183eb")

LIBREOFFICE = DebianFile("pool/main/libr/libreoffice/libreoffice_7.4.7.orig-translations.tar.xz",
                         "cf772d54d17fa58318dcecd064c520481d0f98a16b872d899098df3a321c247f")
INSTALLER = DebianFile("pool/main/i/installation-guide/installation-guide_20230508+deb12u1.tar.xz",
                       "c6e62001c9539c90d9025066820ec1fc830e60d0816f47f76e17c55881323017")
ISO_CODES = DebianFile("pool/main/i/iso-codes/iso-codes_4.15.0.orig.tar.xz",
                       "3d50750bf1d62d83b6085f5815ceb8392df34266a15f16bcf8d4cf7eb15d245c")
DING = DebianFile("pool/main/d/ding/trans-de-en_1.9-6_all.deb",
                  "45f6b4cf1c434776fba6811d7bc522efabb5425c43ba8afd0e289bf9e2e53df4")

WML_SINCE_2013 = re.compile(r"/News/(?:weekly/)?201[3-9]/")
"""New pages of debian.org are under the MIT licence since 25 January 2012; older ones are not."""


def _web(store: Store) -> Iterator[Pair]:
    pages = dict(FSFE.files(
        store, *(f"fsfe.org/*.{language}.{kind}" for language in LANGUAGES for kind in ("xhtml", "xml"))))
    for path, english in pages.items():
        german = pages.get(path.replace(".en.x", ".de.x"))
        if ".en.x" in path and german and "/events/" not in path and "verbatim" not in english.lower():
            yield from block_pairs(page_blocks(english), page_blocks(german))
    pages = {path: text for path, text in DEBIAN_WEB.files(store, "webwml/english/News/*.wml", "webwml/german/News/*.wml")
             if WML_SINCE_2013.search(path)}
    for path, english in pages.items():
        german = pages.get(path.replace("webwml/english", "webwml/german"))
        if path.startswith("webwml/english") and german:
            yield from block_pairs(page_blocks(english), page_blocks(german))


def _encyclopaedic(store: Store) -> Iterator[Pair]:
    treebanks = [next(text for _, text in repository.files(store, "*-ud-test.conllu"))
                 for repository in (PUD_EN, PUD_DE)]
    yield from parallel.treebanks(*treebanks)
    versions = dict(XQUAD.files(store, "xquad.en.json", "xquad.de.json"))
    yield from parallel.questions(versions["xquad.en.json"], versions["xquad.de.json"])


def _manuals(store: Store) -> Iterator[Pair]:
    yield from catalogue_pairs(text for _, text in GNOME.files(store, "*/de/de.po"))
    yield from catalogue_pairs(text for _, text in GODOT.files(store, "sphinx/po/de"))
    archive = tar_files(INSTALLER.fetch(store), ".po")
    yield from catalogue_pairs(text for path, text in archive if "/po/de/" in path)


def _libreoffice(store: Store) -> Iterator[Pair]:
    archive = tar_files(LIBREOFFICE.fetch(store), ".po")
    return catalogue_pairs(text for path, text in archive if "/source/de/" in path)


def _dictionary(store: Store) -> Iterator[Pair]:
    for path, text in tar_files(ISO_CODES.fetch(store), "/de.po"):
        if any(part in path for part in ("3166-1/", "4217/", "639-2/")):
            yield from parallel.names(text)
    english = dictionary.frequent_words(text for _, text in WIKIPEDIA.files(store, "text/AA"))
    german = dictionary.frequent_words(text for _, text in KLEXIKON.files(store, "data/raw/wiki"))
    yield from dictionary.terms(deb_file(DING.fetch(store), "/trans/de-en"), english, german, _translations(store))


def _translations(store: Store) -> Iterator[Pair]:
    for name in ("europarl/train1", "tatoeba-en-de/train"):
        with (gzip.open(store.data / f"{name}.en.gz", "rt", encoding="utf-8") as english,
              gzip.open(store.data / f"{name}.de.gz", "rt", encoding="utf-8") as german):
            yield from zip(english, german, strict=True)


def _phrases(store: Store) -> Iterator[Pair]:
    return dictionary.phrases(deb_file(DING.fetch(store), "/trans/de-en"))


def _common_voice(language: str) -> Callable[[Store], Iterator[Document]]:
    names = {"en": ("sentence-collector.txt", "jf99.txt", "DNGros.txt", "ajaydee.txt", "elleo.txt", "harvsents.txt"),
             "de": ("sentence-collector.txt", "jf99.txt", "wiki.de.rerun-2022-08.txt", "DonHege.txt", "zeno.txt")}
    paths = [f"server/data/{language}/{name}" for name in names[language]]
    return lambda store: monolingual.lines(COMMON_VOICE.files(store, *paths), language)


def _government(store: Store) -> Iterator[Document]:
    yield from monolingual.articles(DIGITAL_GOV.files(store, "content/*.md"))
    yield from monolingual.factbook(FACTBOOK.files(store, "*.json"))


PARALLEL = (
    ParallelSource("encyclopaedic", "CC BY-SA 3.0 (PUD), CC BY-SA 4.0 (XQuAD)", (PUD_EN, PUD_DE, XQUAD), _encyclopaedic),
    ParallelSource("web", "CC BY-SA 4.0 (FSFE), MIT or GPL 2 or later (Debian)", (FSFE, DEBIAN_WEB), _web),
    ParallelSource("phrases", "GPL 2 or later (Ding)", (DING,), _phrases),
    ParallelSource("dictionary", "GPL 2 or later (Ding), LGPL 2.1 or later (iso-codes)",
                   (DING, ISO_CODES, WIKIPEDIA, KLEXIKON), _dictionary),
    ParallelSource("manuals", "CC BY-SA 3.0 (GNOME), CC BY 3.0 (Godot), GPL 2 or later (Debian installer)",
                   (GNOME, GODOT, INSTALLER), _manuals),
    ParallelSource("libreoffice", "MPL 2.0", (LIBREOFFICE,), _libreoffice),
)

MONOLINGUAL = (
    MonolingualSource("mono-news", "en", "CC BY 2.5 (Wikinews)", (WIKINEWS,),
                      lambda store: monolingual.news(WIKINEWS.files(store, "text")), whole_documents=True),
    MonolingualSource("mono-wikipedia", "en", "CC BY-SA 3.0 (Wikipedia)", (WIKIPEDIA,),
                      lambda store: monolingual.encyclopaedia(WIKIPEDIA.files(store, "text"), 30), limit=500_000),
    MonolingualSource("mono-wikipedia", "de", "CC BY-SA 3.0 (Wikipedia)", (KLEXIKON,),
                      lambda store: monolingual.lines(KLEXIKON.files(store, "data/raw/wiki"), "de", 6, 50), limit=750_000),
    MonolingualSource("mono-klexikon", "de", "CC BY-SA 4.0 (Klexikon)", (KLEXIKON,),
                      lambda store: monolingual.lines(KLEXIKON.files(store, "data/raw/klexikon"), "de")),
    MonolingualSource("mono-common-voice", "en", "CC0 (Common Voice)", (COMMON_VOICE,), _common_voice("en")),
    MonolingualSource("mono-common-voice", "de", "CC0 (Common Voice), CC BY-SA 3.0 (its sentences of Wikipedia)",
                      (COMMON_VOICE,), _common_voice("de")),
    MonolingualSource("mono-bundestag", "de", "official minutes, free under §§ 5 and 48 UrhG", (BUNDESTAG,),
                      lambda store: monolingual.speeches(BUNDESTAG.files(store, "data/*.xml"), 15), limit=50_000),
    MonolingualSource("mono-government", "en", "public domain (works of the United States government)",
                      (DIGITAL_GOV, FACTBOOK), _government, limit=20_000),
)
