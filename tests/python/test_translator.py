"""Translation from Python."""

import base64
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

import dragoman
import support

TEXT = "Where is the station?"
TEXTS = [pair[0] for pair in dragoman.phrasebook(40, split="test")]


class Texts(unittest.TestCase):
    def setUp(self):
        self.translator = support.translator()

    def test_a_str_gives_a_str_and_a_list_a_list_in_order(self):
        one_by_one = [self.translator.translate(text) for text in TEXTS[:8]]
        self.assertTrue(all(isinstance(text, str) for text in one_by_one))
        self.assertEqual(self.translator.translate(TEXTS[:8]), one_by_one)
        self.assertEqual(self.translator.translate(tuple(TEXTS[:8])), one_by_one)
        self.assertEqual(self.translator.translate([]), [])
        self.assertEqual(self.translator.translate(""), "")

    def test_options_have_the_names_of_the_flags(self):
        self.assertEqual(self.translator.translate(TEXT, beam=1, max_length=2).count(" ") <= 1, True)
        sampled = [self.translator.translate(TEXT, sample=True, temperature=5.0, seed=seed) for seed in range(8)]
        self.assertGreater(len(set(sampled)), 1)
        self.assertEqual(sampled[3], self.translator.translate(TEXT, sample=True, temperature=5.0, seed=3))

    def test_terms_prefix_and_banned_words_are_obeyed(self):
        self.assertIn("Hauptbahnhof", self.translator.translate(TEXT, terms={"station": "Hauptbahnhof"}))
        self.assertEqual(self.translator.translate("It rains.", terms={"station": "Hauptbahnhof"}),
                         self.translator.translate("It rains."))
        self.assertTrue(self.translator.translate(TEXT, prefix="Wo ist").startswith("Wo ist"))
        both = self.translator.translate([TEXT, TEXT], prefix=["Wo", "Der"])
        self.assertTrue(both[0].startswith("Wo") and both[1].startswith("Der"))
        word = self.translator.translate(TEXT).split()[0].strip(".,!?")
        self.assertNotIn(word, self.translator.translate(TEXT, banned=[word]).replace("?", " ").split())
        with self.assertRaisesRegex(dragoman.Error, "2 texts have 1 prefixes"):
            self.translator.translate([TEXT, TEXT], prefix=["Wo"])

    def test_details_are_lists_and_arrays(self):
        best, second = self.translator.translations(TEXT, n_best=2, token_scores=True, alignment=True, attention=True)
        self.assertGreaterEqual(best.score, second.score)
        self.assertEqual(str(best), best.text)
        self.assertEqual(best.text, self.translator.translate(TEXT))
        self.assertEqual(best.token_scores.shape, (len(best.tokens) + 1,))
        self.assertAlmostEqual(float(best.token_scores.sum()), best.log_probability, places=4)
        self.assertEqual(best.attention.dtype.name, "float32")
        self.assertEqual(best.attention.shape[0], len(best.tokens))
        for row in best.attention:
            self.assertAlmostEqual(float(row.sum()), 1, places=3)
        self.assertTrue(best.alignment)
        for begin, end, other_begin, other_end in best.spans:
            self.assertIn(TEXT[begin:end].strip(), TEXT.split() + ["station"])
            self.assertTrue(best.text[other_begin:other_end].strip())
        plain = self.translator.translations(TEXT)[0]
        self.assertIsNone(plain.attention)
        self.assertIsNone(plain.token_scores)
        lists = self.translator.translations([TEXT, "It rains."], n_best=3)
        self.assertEqual([len(one) for one in lists], [3, 3])
        self.assertEqual(pickle.loads(pickle.dumps(plain)).text, plain.text)

    def test_places_are_counted_in_characters(self):
        for translation in self.translator.translations(["Élodie sees the café.", TEXT], alignment=True):
            for _, _, begin, end in translation[0].spans:
                self.assertLessEqual(end, len(translation[0].text))
                self.assertLess(begin, end)

    def test_documents_keep_their_structure(self):
        page = self.translator.translate_document("<h1>Hello</h1>\n<p>It <b>rains</b>.</p>", "html")
        self.assertTrue(page.startswith("<h1>") and "<b>" in page and page.endswith("</p>"))
        with self.assertRaisesRegex(dragoman.Error, "expected one of text"):
            self.translator.translate_document("x", format="pdf")
        with self.assertRaisesRegex(dragoman.Error, "ignored-tags has no effect"):
            self.translator.translate_document("x", "html", ignored_tags=["code"])

    def test_an_ensemble_translates(self):
        both = dragoman.Translator([support.model(), support.model()], device="cpu", threads=1)
        self.assertEqual(both.translate(TEXT), self.translator.translate(TEXT))


class Languages(unittest.TestCase):
    """An imported model that must be told both languages (tests/golden/import/nllb)."""

    TEXT = "in is"

    @classmethod
    def setUpClass(cls):
        cls.file = support.folder() / "nllb.safetensors"
        dragoman.import_model(support.GOLDEN / "import" / "nllb", cls.file)
        cls.translator = dragoman.Translator(cls.file, device="cpu", threads=1)

    def test_a_call_says_the_languages(self):
        with self.assertRaisesRegex(dragoman.Error, "choose one of them"):
            self.translator.translate(self.TEXT)
        german = self.translator.translate(self.TEXT, from_="eng_Latn", to="deu_Latn")
        self.assertNotEqual(german, self.translator.translate(self.TEXT, from_="deu_Latn", to="eng_Latn"))
        self.assertEqual(list(self.translator.translate(iter([self.TEXT]), from_="eng_Latn", to="deu_Latn")), [german])
        with self.assertRaisesRegex(dragoman.Error, "deu_Latn"):
            self.translator.translate(self.TEXT, from_="eng_Latn", to="klingon")

    def test_a_translator_may_have_languages_of_its_own(self):
        own = dragoman.Translator(self.file, from_="eng_Latn", to="deu_Latn", device="cpu", threads=1)
        german = self.translator.translate(self.TEXT, from_="eng_Latn", to="deu_Latn")
        self.assertEqual(own.translate(self.TEXT), german)
        self.assertEqual(own.explain(self.TEXT).text, german)
        self.assertEqual(own.translate_document(self.TEXT), german)
        self.assertEqual(own.translate(self.TEXT, to="fra_Latn"),
                         self.translator.translate(self.TEXT, from_="eng_Latn", to="fra_Latn"))

    def test_scores_take_the_languages(self):
        best = self.translator.translations(self.TEXT, from_="eng_Latn", to="deu_Latn", beam=1, max_length=8)[0]
        scorer = dragoman.Scorer(self.file, device="cpu", threads=1)
        scored = scorer.score(self.TEXT, best.text, from_="eng_Latn", to="deu_Latn")
        other = scorer.score(self.TEXT, best.text, from_="deu_Latn", to="eng_Latn")
        self.assertNotEqual(scored.log_probability, other.log_probability)

    def test_tokens_may_name_them_as_ctranslate2_expects(self):
        own = dragoman.Translator(self.file, from_="eng_Latn", to="deu_Latn", device="cpu", threads=1)
        tokens = self.translator.source_vocabulary.tokens(self.TEXT)
        expected = own.translate_batch([tokens], max_decoding_length=8)[0].hypotheses[0]
        tagged = self.translator.translate_batch([["eng_Latn", *tokens, "</s>"], ["eng_Latn", *tokens]],
                                                 target_prefix=[["deu_Latn"], ["fra_Latn"]],
                                                 max_decoding_length=9, min_decoding_length=2)  # the tag counts
        self.assertEqual(tagged[0].hypotheses[0], ["deu_Latn", *expected])
        self.assertEqual(tagged[1].hypotheses[0][0], "fra_Latn")
        scores = self.translator.score_batch([["eng_Latn", *tokens]] * 2,
                                             [["deu_Latn", *expected], ["fra_Latn", *expected]])
        self.assertEqual(scores[0].log_probs, own.score_batch([tokens], [expected])[0].log_probs)
        self.assertNotEqual(scores[0].log_probs, scores[1].log_probs)
        self.assertEqual(scores[0].tokens[:-1], expected)

    def test_a_model_of_one_direction_refuses_them(self):
        with self.assertRaisesRegex(dragoman.Error, "one direction only"):
            support.translator().translate(TEXT, from_="en")
        with self.assertRaisesRegex(dragoman.Error, "one direction only"):
            dragoman.Translator(support.model(), from_="en", device="cpu")


class ReadyModels(unittest.TestCase):
    """In the build folder, those of the source tree."""

    def test_no_file_means_a_model_that_comes_with_the_package(self):
        self.assertEqual(dragoman.Translator(device="cpu").translate(TEXT), "Wo ist der Bahnhof?")
        back = dragoman.Translator(from_="de", to="en", device="cpu")
        self.assertIn("station", back.translate("Wo ist der Bahnhof?"))
        self.assertIn("de-en.safetensors", repr(dragoman.Translator(to="en", device="cpu")))
        with self.assertRaisesRegex(dragoman.Error, "translates to fr; there are de-en, en-de"):
            dragoman.Translator(to="fr")


class Streams(unittest.TestCase):
    def setUp(self):
        self.translator = support.translator()

    def test_a_generator_is_read_only_so_far_ahead(self):
        taken = []

        def lines():
            for text in TEXTS:
                taken.append(text)
                yield text

        stream = self.translator.translate(lines(), read_ahead=4)
        self.assertEqual(taken, [])
        self.assertEqual(next(stream), self.translator.translate(TEXTS[0]))
        self.assertEqual(len(taken), 4)
        self.assertEqual(list(stream), self.translator.translate(TEXTS[1:]))
        self.assertEqual(len(taken), len(TEXTS))

    def test_an_error_of_the_generator_comes_out_after_the_texts_before_it(self):
        def lines():
            yield TEXTS[0]
            raise KeyError("the end")

        stream = self.translator.translate(lines(), read_ahead=1)
        self.assertTrue(next(stream))
        with self.assertRaises(KeyError):
            next(stream)

    def test_a_stream_may_be_dropped(self):
        stream = self.translator.translate(iter(TEXTS), read_ahead=30)
        next(stream)
        stream.close()
        self.assertTrue(self.translator.translate(TEXTS[0]))

    def test_wrong_options_are_reported_at_once(self):
        for wrong, words in (({"beam": 0}, "beam"), ({"read_ahead": 0}, "read_ahead"), ({"prefix": ["a"]}, "one prefix")):
            with self.assertRaisesRegex(dragoman.Error, words):
                self.translator.translate(iter(TEXTS), **wrong)


class Explanations(unittest.TestCase):
    def setUp(self):
        self.explanation = support.translator().explain(TEXT, alternatives=3)

    def test_every_layer_has_weights_that_sum_to_one(self):
        kinds = {layer.kind for layer in self.explanation.layers}
        self.assertEqual(kinds, {"encoder", "source", "past"})
        for layer in self.explanation.layers:
            self.assertEqual(layer.weights.shape[0], 4)
            self.assertEqual(layer.weights.ndim, 3)
            self.assertLess(abs(layer.weights.sum(axis=2) - 1).max(), 1e-3)

    def test_tokens_have_places_and_alternatives(self):
        tokens = self.explanation.tokens
        self.assertEqual(len(tokens), len(self.explanation.translation.tokens) + 1)
        self.assertTrue(all(len(token.alternatives) == 3 for token in tokens))
        for token in self.explanation.source_tokens:
            self.assertLessEqual(token.end, len(TEXT))
        words = [token for token in self.explanation.source_tokens if token.word == 3]
        self.assertEqual(TEXT[words[0].begin:words[0].end].strip(), "station")
        choice = tokens[0].alternatives[1]
        if choice.prefix:
            self.assertTrue(support.translator().translate(TEXT, prefix=choice.prefix).startswith(choice.prefix))

    def test_a_notebook_shows_the_attention_as_a_picture(self):
        svg = self.explanation.draw_attention().svg
        self.assertTrue(svg.startswith("<svg") and "Where" in svg, "the source words are in the picture")
        page = self.explanation._repr_html_()
        shown = base64.b64decode(re.search('src="data:image/svg.xml;base64,([^"]+)"', page).group(1)).decode()
        self.assertTrue(shown == svg, "the page shows another picture")
        self.assertIn("<p>Where is the station?<br>", page)
        path = support.folder() / "beam.svg"
        self.explanation.draw_beam().save(path)
        self.assertIn("<svg", path.read_text(encoding="utf-8"))
        self.assertEqual(self.explanation.attention.shape[1], len(self.explanation.source_tokens))
        copy = pickle.loads(pickle.dumps(self.explanation))
        self.assertTrue(copy._repr_html_() == page, "the copy looks different")

    def test_the_parts_of_a_long_text_are_explained_one_by_one(self):
        split = dragoman.Translator(support.model(), device="cpu", threads=1, document=True)
        long = split.explain("It rains. " + TEXT)
        self.assertEqual([part.source for part in long.parts], ["It rains.", TEXT])
        self.assertEqual(len(long.tokens), sum(len(part.tokens) for part in long.parts))
        self.assertIsNone(long._repr_html_())

    def test_one_text_at_a_time(self):
        with self.assertRaisesRegex(TypeError, "one text"):
            support.translator().explain([TEXT])


class Threads(unittest.TestCase):
    def test_two_threads_translate_at_once_and_other_python_code_runs(self):
        translator = support.translator()
        expected = translator.translate(TEXTS)
        results, ticks, running = {}, [], True

        def work(name):
            results[name] = translator.translate(TEXTS * 10)

        def tick():
            while running:
                ticks.append(time.monotonic())
                time.sleep(0.001)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(2)]
        ticking = threading.Thread(target=tick)
        ticking.start()
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        running = False
        ticking.join()
        self.assertEqual(results, {0: expected * 10, 1: expected * 10})
        # The lock was released: another thread ran again and again in the meantime.
        during = [moment for moment in ticks if begin <= moment]
        self.assertGreater(len(during), 3)


class Failures(unittest.TestCase):
    def test_errors_have_the_sentences_of_the_program(self):
        translator = support.translator()
        for wrong, words in (
            ({"beam": 0}, "--beam: expected a value from 1 to 1000 but got 0"),
            ({"beam": "wide"}, "--beam"),
            ({"baem": 4}, "unknown setting 'baem'; did you mean 'beam'"),
            ({"beam": [1, 2]}, "expected one value but got a list of 2"),
            ({"temperature": 2.0}, "only sampling"),
            ({"ranking": "sideways"}, "expected one of sum"),
            ({"to": "fr"}, "fr"),
        ):
            with self.assertRaisesRegex(dragoman.Error, words):
                translator.translate(TEXT, **wrong)
        with self.assertRaisesRegex(dragoman.Error, "absent.safetensors"):
            dragoman.Translator("absent.safetensors")
        with self.assertRaisesRegex(dragoman.Error, "abacus"):
            dragoman.Translator(support.model(), device="abacus")
        with self.assertRaisesRegex(dragoman.Error, "at least one model"):
            dragoman.Translator([])
        with self.assertRaisesRegex(dragoman.Error, "n-best 9 is more than the beam"):
            translator.translations(TEXT, n_best=9)

    def test_wrong_types_are_type_errors(self):
        translator = support.translator()
        for wrong in (None, 3, b"bytes", ["a", 3], [b"x"]):
            with self.assertRaises(TypeError):
                translator.translate(wrong)
        with self.assertRaises(TypeError):
            translator.translate(TEXT, beam=object())
        with self.assertRaisesRegex(TypeError, "translations"):
            translator.translate(TEXT, n_best=2)
        with self.assertRaises(UnicodeEncodeError):
            translator.translate("lone \udcff surrogate")
        with self.assertRaises(TypeError):
            dragoman.Translator(42)

    def test_models_cannot_be_pickled(self):
        for holder in (support.translator(), dragoman.Scorer(support.model(), device="cpu")):
            with self.assertRaisesRegex(TypeError, "open the model in each process"):
                pickle.dumps(holder)

    def test_a_forked_process_opens_models_of_its_own(self):
        support.translator().translate("It rains.")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(30)
                try:
                    support.translator().translate("It rains.")
                except dragoman.Error as error:
                    own = dragoman.Translator(support.model(), device="cpu", threads=2)
                    right = own.translate(["It rains."]) == own.translate(["It rains."])
                    status = 0 if right and "open the model in each process" in str(error) else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_a_process_may_end_while_a_daemon_thread_translates(self):
        program = (
            "import dragoman, sys, threading, time\n"
            "translator = dragoman.Translator(sys.argv[1], device='cpu', threads=1)\n"
            "def work():\n"
            "    while True: translator.translate(['It rains.'] * 20, beam=4)\n"
            "for _ in range(3): threading.Thread(target=work, daemon=True).start()\n"
            "time.sleep(0.3)\n")
        ended = subprocess.run([sys.executable, "-c", program, support.model()], timeout=60, check=False,
                               capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_what_is_no_text_is_refused_by_its_type(self):
        translator = support.translator()
        with self.assertRaisesRegex(TypeError, "^terms: expected str, got NoneType$"):
            translator.translate("It rains.", terms={"rain": None})
        with self.assertRaises(UnicodeEncodeError):
            translator.translate("It rains.", terms={"rain": "\udc80"})
        with self.assertRaisesRegex(TypeError, "^tokens: expected str, got NoneType$"):
            translator.translate_batch([[None]])
        with self.assertRaisesRegex(TypeError, "^target: expected lists of str, got int$"):
            translator._native.score_tokens([["a"]], [5], "")
        with self.assertRaisesRegex(ValueError, "null character"):
            dragoman.Translator("a\0b")

    def test_groups_of_settings_have_an_end(self):
        group = {}
        group["transformer"] = group
        with self.assertRaisesRegex(dragoman.Error, "nested deeper than 8 levels"):
            dragoman.plan("transformer-tiny", model=group)

    def test_annotated_options_are_those_of_the_program(self):
        from dragoman import _core, _options

        def names(described):
            return {"from_" if key == "from" else key.replace("-", "_") for key, _, _, _ in described}

        details = set(_options.DetailOptions.__annotations__) | set(_options.SearchOptions.__annotations__)
        self.assertEqual(names(_core.search_options()), details | {"tree", "explain", "alternatives"})
        self.assertEqual(names(_core.opening_options()), set(_options.OpeningOptions.__annotations__))
        self.assertEqual(names(_core.vocabulary_options()), set(_options.VocabularyOptions.__annotations__))
        self.assertEqual(names(_core.document_options()) - {"format"},
                         set(_options.DocumentOptions.__annotations__) - set(_options.SearchOptions.__annotations__))


if __name__ == "__main__":
    unittest.main()
