"""The cleaning of collected text keeps sentences and drops everything else. All text here is made up."""

import contextlib
import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from sources import dictionary, monolingual
from sources.align import align
from sources.catalogues import catalogue_pairs, entries
from sources.origins import DebianFile, Repository, Store, deb_file
from sources.overlap import FILES, TestSets, read_test_sets
from sources.pages import block_pairs, markdown_blocks, page_blocks
from sources.text import clean_pair, clean_sentence, key, split_sentences


class Sentences(unittest.TestCase):
    def test_abbreviations_initials_and_ordinals_end_no_sentence(self):
        self.assertEqual(split_sentences("Dr. B. Green met Mr. Hill. They talked. Why?", "en"),
                         ["Dr. B. Green met Mr. Hill.", "They talked.", "Why?"])
        self.assertEqual(split_sentences("Am 3. Mai kam er z.B. Nach Bonn fuhr er 1950. Das war früh.", "de"),
                         ["Am 3. Mai kam er z.B. Nach Bonn fuhr er 1950.", "Das war früh."])

    def test_a_quotation_stays_with_its_sentence(self):
        self.assertEqual(split_sentences('He said: "Go home." She went.', "en"), ['He said: "Go home."', "She went."])

    def test_prose_is_kept_and_normalised(self):
        self.assertEqual(clean_sentence("The cafe\u0301  (; ) opens at eight .", "en"), "The café opens at eight.")
        self.assertEqual(clean_sentence("Der Zug nach Köln ist heute pünktlich.", "de"),
                         "Der Zug nach Köln ist heute pünktlich.")

    def test_what_is_no_sentence_is_dropped(self):
        for line in ("Opening hours", "the train is late today.", "The train is late, see https://example.org today.",
                     "The value of x = 3 is what we use.", "The {name} of the file is not there.", "",
                     "The train (which is late is not here.", "The word слово is not in the book.",
                     "THE TRAIN IS LATE AND WE WAIT.", "The 12 34 56 78 90 11 22 33 44.", "The file %s is not there."):
            self.assertIsNone(clean_sentence(line, "en"), line)

    def test_the_other_language_is_dropped(self):
        self.assertIsNone(clean_sentence("Der Zug nach Köln ist heute pünktlich.", "en"))
        self.assertIsNone(clean_sentence("The train to the city is on time today.", "de"))


class Pairs(unittest.TestCase):
    def test_translations_are_kept(self):
        pair = ("The train leaves at 10:15.", "Der Zug fährt um 10:15 Uhr ab.")
        self.assertEqual(clean_pair(*pair), pair)

    def test_pairs_that_cannot_be_translations_are_dropped(self):
        for pair in (("The train is late.", "The train is late."), ("The train is late.", "Der Zug ist zu spät"),
                     ("In 1950 the house was new.", "Das Haus war 1962 neu."),
                     ("Yes.", "Das ist eine ganz andere und sehr lange Antwort auf diese Frage."),
                     ("The file %1 is new.", "Die Datei %1 ist neu."), ("", "Nichts.")):
            self.assertIsNone(clean_pair(*pair), pair)

    def test_alignment_leaves_out_what_has_no_partner(self):
        english = ["A short line.", "This line is much longer than the first and tells of Berlin in 1999.", "The end."]
        german = ["Eine kurze Zeile.", "Ein Zusatz, der in keiner anderen Fassung dieses Textes zu finden war, nirgends.",
                  "Diese Zeile ist viel länger als die erste und erzählt von Berlin im Jahr 1999.", "Das Ende."]
        self.assertEqual(align(english, german), [(english[0], german[0]), (english[1], german[2]), (english[2], german[3])])

    def test_alignment_joins_what_one_side_says_in_two_lines(self):
        english = ["We left at noon, because the weather in Bremen was good.", "Stop."]
        german = ["Wir gingen am Mittag los.", "Denn in Bremen war gutes Wetter.", "Halt."]
        self.assertEqual(align(english, german)[0], (english[0], " ".join(german[:2])))


class Overlap(unittest.TestCase):
    def test_case_and_punctuation_make_no_difference(self):
        tests = TestSets(["Where is the station?"])
        self.assertTrue(tests.contain("where is the STATION"))
        self.assertTrue(tests.contain("Where'is the station"))
        self.assertFalse(tests.contain("Where is the other station?"))

    def test_eight_words_in_a_row_are_an_overlap(self):
        tests = TestSets(["one two three four five six seven eight nine"])
        self.assertTrue(tests.contain("zero two three, four five six seven eight nine ten"))
        self.assertFalse(tests.contain("two three four five six seven eight"))

    def test_missing_test_sets_are_an_error(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(FileNotFoundError, "--data"):
            read_test_sets(Path(folder))

    def test_test_sets_are_read_in_both_languages(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in FILES:
                for language in ("en", "de"):
                    path = Path(folder, f"{name.replace('*', '1')}.{language}.gz")
                    path.parent.mkdir(exist_ok=True)
                    path.write_bytes(gzip.compress(f"Line of {name} {language}\n".encode()))
            tests = read_test_sets(Path(folder))
            self.assertTrue(all(tests.contain(f"line of {name} {language}") for name in FILES for language in ("en", "de")))


class Formats(unittest.TestCase):
    def test_catalogues_give_finished_messages_without_markup(self):
        catalogue = ('msgid "The <b>file</b> is ~open."\nmsgstr "Die <b>Datei</b> ist "\n"~offen."\n\n'
                     '#, fuzzy\nmsgid "The door is open."\nmsgstr "Das Tor."\n\n'
                     'msgid "A window is open."\nmsgstr ""\n\n'
                     'msgid "The door is new."\nmsgid_plural "The doors are new."\nmsgstr[0] "Die Tür ist neu."\n\n'
                     'msgid "Read <xref linkend=\\"a\\"/> first."\nmsgstr "Lesen Sie zuerst <xref linkend=\\"a\\"/>."\n\n'
                     '#~ msgid "The old door is open."\n#~ msgstr "Die alte Tür ist offen."')
        self.assertEqual(len(list(entries(catalogue))), 2)
        self.assertEqual(list(catalogue_pairs([catalogue])), [("The file is open.", "Die Datei ist offen.")])

    def test_a_dictionary_gives_phrases_without_remarks(self):
        text = ("# comment\n"
                "Haus {n}; Bau {m} [arch.] | Häuser {pl} | Das Haus ist alt. :: house | houses | The house is old.\n"
                "jdm. etw. geben :: to give sb. sth. for free\n")
        self.assertEqual(list(dictionary.phrases(text)), [("The house is old.", "Das Haus ist alt.")])

    def test_terms_are_known_words_with_the_translation_that_the_corpus_prefers(self):
        text = ("Bau {m} :: house\nHaus {n} :: house; building\ngehen {vi} :: to go\nTor {n} :: gate\nWall {m} :: wall\n"
                "gehen Haus :: go\n")
        english = dictionary.frequent_words(["house go wall", "house go wall gate"])
        german = dictionary.frequent_words(["Bau Haus gehen Tor Wall"] * 2)
        corpus = [("A house.", "Ein Haus.")] * 9 + [("A wall.", "Ein Bau.")] * 9 + [("A tree.", "Ein Wall.")] * 9
        self.assertEqual(sorted(dictionary.terms(text, english, german, corpus)), [("go", "gehen"), ("house", "Haus")])

    def test_pages_give_their_paragraphs(self):
        page = "<h1>News</h1><script>let x;</script><p>We are <b>here</b> &amp;\nthere.</p><ul><li>One</li><li>Two</li></ul>"
        self.assertEqual(page_blocks(page), ["News", "We are here & there.", "One", "Two"])
        self.assertEqual(markdown_blocks("---\na: b\n---\n# News\n\nWe *are* [here](x).\n\n```\ncode\n```\n- One\n- Two\n"),
                         ["News", "We are here.", "One", "Two"])

    def test_pages_are_aligned_by_sentences(self):
        english = page_blocks("<h1>News</h1><p>The gate is open today. We are glad of that.</p>")
        german = page_blocks("<h1>Neues</h1><p>Das Tor ist heute offen. Wir sind froh darüber.</p>")
        self.assertEqual(list(block_pairs(english, german)), [("The gate is open today.", "Das Tor ist heute offen."),
                                                              ("We are glad of that.", "Wir sind froh darüber.")])

    def test_news_without_the_text_of_their_links_are_dropped(self):
        kept = "The mayor opened the new bridge in the city today."
        article = f'{{"text": "{kept} {kept} The bridge of was built by and is new."}}'
        self.assertEqual(list(monolingual.news([("wiki_00", article)])), [[kept, kept]])

    def test_files_of_debian_packages_are_found(self):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w") as tar:
            member = tarfile.TarInfo("./usr/share/words")
            member.size = 3
            tar.addfile(member, io.BytesIO(b"abc"))
        parts = [(b"debian-binary", b"2.0\n"), (b"control.tar", b"odd"), (b"data.tar", archive.getvalue())]
        package = b"!<arch>\n"
        for name, data in parts:
            package += name.ljust(48) + str(len(data)).encode().ljust(10) + b"`\n" + data + b"\n" * (len(data) % 2)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "words.deb")
            path.write_bytes(package)
            self.assertEqual(deb_file(path, "/words"), "abc")

    def test_files_of_debian_are_downloaded_once_and_verified(self):
        with tempfile.TemporaryDirectory() as folder:
            archive, downloads = Path(folder, "archive"), Path(folder, "downloads")
            downloads.mkdir()
            archive.mkdir()
            (archive / "words").write_bytes(b"abc")
            store = Store(downloads, None, Path(), archive.as_uri())
            file = DebianFile("words", hashlib.sha256(b"abc").hexdigest())
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(file.fetch(store).read_bytes(), b"abc")
            (archive / "words").unlink()
            self.assertEqual(file.fetch(store), downloads / "words")

    def test_files_of_a_repository_are_those_of_the_commit(self):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder, "owner+name", "repo")
            work.mkdir(parents=True)

            def git(*arguments):
                return subprocess.run(["git", "-C", work, "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
                                      check=True, capture_output=True, text=True).stdout.strip()
            git("init", "-q")
            (work / "a.txt").write_text("old", encoding="utf-8")
            (work / "b.md").write_text("other", encoding="utf-8")
            git("add", ".")
            git("commit", "-qm", "first")
            commit = git("rev-parse", "HEAD")
            (work / "a.txt").write_text("new", encoding="utf-8")
            git("commit", "-qam", "second")
            store = Store(Path(folder, "downloads"), Path(folder), Path())
            self.assertEqual(list(Repository("owner/name", commit).files(store, "*.txt")), [("a.txt", "old")])

    def test_a_file_with_another_checksum_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "words.tar").write_bytes(b"changed")
            with self.assertRaisesRegex(ValueError, "SHA-256"):
                DebianFile("pool/words.tar", "00").fetch(Store(Path(folder), None, Path()))


class Survey(unittest.TestCase):
    """What the card of the models says is counted by recipes/ready/survey."""

    def count(self, source: str, translation: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("source", "translation")]
            for file, line in zip(files, (source, translation)):
                file.write_text(line + "\n", encoding="utf-8")
            script = Path(__file__).parents[2] / "recipes/ready/survey"
            return subprocess.run([sys.executable, "-B", script, *files], check=True, capture_output=True, text=True).stdout

    def test_a_number_is_kept_however_it_is_written(self):
        for source, translation in (("1,234.5 litres", "1.234,5 Liter"), ("14 thousand", "14 000"),
                                    ("at 5 a.m.", "um 5.00 Uhr"), ("in 2012 142 crimes", "2012 waren es 142 Taten"),
                                    ("142 in 2012", "im Jahr 2012 142 Taten"), ("7 dwarfs", "sieben Zwerge"),
                                    ("at 3:35 p.m.", "um 15.35 Uhr"), ("um 22 Uhr", "at 10 p.m."),
                                    ("12 a.m.", "0 Uhr")):
            self.assertIn("numbers: 1 of 1", self.count(source, translation), source)

    def test_another_number_is_not_the_same(self):
        for source, translation in (("50 metres", "500 Meter"), ("5 thousand", "50 000"), ("at 3:30", "um 3.00 Uhr"),
                                    ("in 2010", "im Jahr"), ("777s", "7777s"), ("at 3:35 p.m.", "um 3.35 Uhr")):
            self.assertIn("numbers: 0 of 1", self.count(source, translation), source)

    def test_addresses_are_added_to_every_line(self):
        lines = ["One two three four.", "Why?"] * 30
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "source")
            source.write_text("\n".join(lines) + "\n", encoding="utf-8")
            script = Path(__file__).parents[2] / "recipes/ready/survey"
            added = subprocess.run([sys.executable, "-B", script, "--add-addresses", source], check=True,
                                   capture_output=True, text=True).stdout
        self.assertEqual(len(added.splitlines()), len(lines))
        self.assertIn("addresses: 60 of 60", self.count(added.strip(), added.strip()))
        self.assertIn("addresses: 0 of 60", self.count(added.strip(), "\n".join(lines)))

    def test_words_four_times_in_a_row_are_a_loop(self):
        self.assertIn("loops: 1 of 1", self.count("Why?", "Warum ? » » » »"))
        self.assertIn("loops: 0 of 1", self.count("no no no no", "nein nein nein nein"))


class Keys(unittest.TestCase):
    def test_a_key_has_words_only(self):
        self.assertEqual(key(" „Hallo“, Welt_2! "), "hallo welt 2")


if __name__ == "__main__":
    unittest.main()
