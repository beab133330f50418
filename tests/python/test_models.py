"""Scoring, classification, metrics, alignment, vocabularies, model files."""

import pickle
import subprocess
import sys
import unittest

import dragoman
import numpy
import support


class Scoring(unittest.TestCase):
    def test_a_translation_has_the_probability_that_the_search_found(self):
        found = support.translator().translations("It rains.", beam=1)[0]
        scorer = dragoman.Scorer(support.model(), device="cpu", threads=1)
        scored = scorer.score("It rains.", found.text, alignment=True)
        self.assertAlmostEqual(scored.log_probability, found.log_probability, places=3)
        self.assertEqual(scored.tokens, found.tokens)
        self.assertEqual(scored.token_scores.shape, (len(scored.tokens) + 1,))
        self.assertTrue(scored.alignment)
        both = scorer.score(["It rains.", "It rains."], [found.text, "Nein"])
        self.assertEqual(both[0].log_probability, scorer.score("It rains.", found.text).log_probability)
        self.assertEqual(both[1].log_probability, scorer.score("It rains.", "Nein").log_probability)
        with self.assertRaisesRegex(dragoman.Error, "2 sources have 1 translations"):
            scorer.score(["a", "b"], ["c"])


class Classification(unittest.TestCase):
    def test_texts_have_labels_with_probabilities(self):
        classifier = dragoman.Classifier(support.classifier(), device="cpu", threads=2)
        self.assertEqual(sorted(classifier.labels), ["de", "en"])
        german, english, blank = classifier.classify(["Der Hund schläft.", "The dog is sleeping.", ""])
        self.assertEqual((german.label, english.label, blank.label), ("de", "en", ""))
        self.assertAlmostEqual(sum(probability for _, probability in german.labels), 1, places=6)
        self.assertEqual(len(classifier.classify("x", top=1).labels), 1)
        with self.assertRaisesRegex(dragoman.Error, "top"):
            classifier.classify("x", top=-1)
        with self.assertRaisesRegex(dragoman.Error, "classifier"):
            dragoman.Translator(support.classifier())


class Metrics(unittest.TestCase):
    HYPOTHESES = ["the cat sat on the mat", "there is a dog in the garden today"]
    REFERENCES = ["the cat sat on a mat", "there is a dog in the yard today"]

    # The numbers are those of corpus_bleu, corpus_chrf and corpus_ter of sacrebleu 2.6.0.
    def test_scores_are_those_of_sacrebleu(self):
        self.assertAlmostEqual(dragoman.bleu(self.HYPOTHESES, self.REFERENCES).score, 64.34588841607616, places=6)
        self.assertAlmostEqual(dragoman.chrf(self.HYPOTHESES, self.REFERENCES).score, 72.7575874825326, places=6)
        self.assertAlmostEqual(dragoman.chrf(self.HYPOTHESES, self.REFERENCES, word_order=2).score, 73.64306133528797, places=6)
        self.assertAlmostEqual(dragoman.ter(self.HYPOTHESES, self.REFERENCES).score, 14.285714285714285, places=6)

    def test_a_score_has_its_signature_and_details(self):
        score = dragoman.bleu(self.HYPOTHESES, self.REFERENCES, lowercase=True, sentences=True, confidence=True)
        self.assertIn("case:lc|eff:no|tok:13a|smooth:exp", score.signature)
        self.assertIn(score.signature, str(score))
        self.assertEqual(float(score), score.score)
        self.assertEqual(len(score.sentences), 2)
        low, high = score.interval
        self.assertTrue(low <= score.score <= high)
        self.assertEqual(len(score.details["precisions"]), 4)
        self.assertIsNone(dragoman.bleu(self.HYPOTHESES, self.REFERENCES).interval)

    def test_several_references_are_several_lists(self):
        both = dragoman.bleu(self.HYPOTHESES, [self.REFERENCES, self.HYPOTHESES])
        self.assertAlmostEqual(both.score, 100, places=6)
        self.assertIn("nrefs:2", both.signature)

    def test_systems_are_compared_with_the_first(self):
        lines, references = self.HYPOTHESES * 30, self.REFERENCES * 30
        other = [line.replace("today", "now") for line in lines]
        scores = dragoman.compare({"base": lines, "near": other, "good": references}, references, resamples=200,
                                  trials=500)
        self.assertEqual(list(scores), ["base", "near", "good"])
        self.assertLess(scores["near"].score, scores["base"].score)
        self.assertIsNone(scores["base"].p_bootstrap)
        self.assertLess(scores["good"].p_bootstrap, 0.05)
        self.assertLess(scores["good"].p_randomization, 0.05)
        self.assertEqual(list(dragoman.compare([lines, references], references, metric="ter", bootstrap=False)),
                         ["1", "2"])

    def test_wrong_test_sets_are_refused(self):
        with self.assertRaisesRegex(dragoman.Error, "2 hypotheses have 1 references"):
            dragoman.bleu(self.HYPOTHESES, self.REFERENCES[:1])
        with self.assertRaisesRegex(dragoman.Error, "at least one"):
            dragoman.bleu([], [])
        with self.assertRaises(TypeError):
            dragoman.bleu("the cat", ["the cat"])
        with self.assertRaises(TypeError):
            dragoman.bleu(["the cat"], "the cat")
        with self.assertRaisesRegex(dragoman.Error, "--tokenize: expected one of"):
            dragoman.bleu(self.HYPOTHESES, self.REFERENCES, tokenize="klingon")
        with self.assertRaisesRegex(dragoman.Error, "bleu, chrf or ter"):
            dragoman.compare([self.HYPOTHESES], self.REFERENCES, metric="meteor")


class Alignment(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.iterations = []
        english, german = zip(*dragoman.phrasebook(1500))
        cls.aligner = dragoman.Aligner.learn(english, german, tokenize=True, model1=3, hmm=3,
                                             on_iteration=lambda *report: cls.iterations.append(report))

    def test_words_that_translate_each_other_are_linked(self):
        links = self.aligner.align("The dog sleeps .", "Der Hund schläft .")
        self.assertIn((1, 1), links)
        self.assertEqual(self.aligner.align(["The dog sleeps ."], ["Der Hund schläft ."]), [links])
        weights = self.aligner.posteriors("The dog sleeps .", "Der Hund schläft .")
        self.assertEqual(weights.shape, (4, 4))
        self.assertGreater(weights[1, 1], 0.5)
        self.assertIn("Hund", self.aligner.draw("The dog sleeps .", "Der Hund schläft .").svg)

    def test_learning_can_be_watched(self):
        self.assertEqual([(name, number) for name, number, _, _ in self.iterations],
                         [("model1", 1), ("model1", 2), ("model1", 3), ("hmm", 1), ("hmm", 2), ("hmm", 3)])
        likelihoods = [forward for _, _, forward, _ in self.iterations[:3]]
        self.assertEqual(likelihoods, sorted(likelihoods))

    def test_models_are_files(self):
        path = support.folder() / "aligner"
        self.aligner.save(path)
        copy = dragoman.Aligner(path)
        pair = ("The dog sleeps .", "Der Hund schläft .")
        self.assertEqual(copy.align(*pair), self.aligner.align(*pair))
        learned = dragoman.Aligner.learn(support.corpus()["train.en"], support.corpus()["train.de"], tokenize=True)
        self.assertTrue(learned.align(*pair))
        with self.assertRaisesRegex(TypeError, "save"):
            pickle.dumps(copy)

    def test_wrong_input_is_refused(self):
        with self.assertRaisesRegex(dragoman.Error, "2 source sentences have 1"):
            dragoman.Aligner.learn(["a", "b"], ["c"])
        with self.assertRaisesRegex(dragoman.Error, "nothing can be learned"):
            dragoman.Aligner.learn([], [])
        with self.assertRaisesRegex(dragoman.Error, "absent"):
            dragoman.Aligner("absent")
        with self.assertRaisesRegex(dragoman.Error, "threshold has no effect"):
            self.aligner.align("a", "b", symmetrise="union", threshold=0.5)


class Vocabularies(unittest.TestCase):
    def test_text_becomes_tokens_and_ids_and_text_again(self):
        for type_ in ("unigram", "bpe", "byte-bpe", "words"):
            lines = [text for pair in dragoman.phrasebook(300) for text in pair]
            vocabulary = dragoman.Vocabulary.learn(lines, type=type_, size=0 if type_ == "words" else 600)
            ids = vocabulary.encode(lines[0])
            self.assertEqual(vocabulary.tokens(lines[0]), [vocabulary.token(id) for id in ids])
            self.assertEqual(vocabulary.decode(ids), lines[0], type_)
            self.assertEqual(vocabulary.decode(vocabulary.tokens(lines[0])), lines[0], type_)
            self.assertEqual([vocabulary.id(token) for token in vocabulary.tokens(lines[0])], ids)
            self.assertIn(vocabulary.tokens(lines[0])[0], vocabulary)
            self.assertNotIn("no such token", vocabulary)
            self.assertEqual(vocabulary.id("no such token"), vocabulary.unknown_id)
            self.assertGreaterEqual(len(vocabulary), max(ids) + 1)

    def test_vocabularies_are_files(self):
        path = support.folder() / "joint.tok"
        dragoman.Vocabulary.learn(support.corpus()["train.en"], support.corpus()["train.de"], size=400).save(path)
        self.assertEqual(dragoman.Vocabulary(path).decode(dragoman.Vocabulary(path).encode("It rains.")), "It rains.")
        own = dragoman.Vocabulary.of_model(support.model(), "target")
        self.assertEqual(len(own), len(support.translator().target_vocabulary))

    def test_wrong_ids_and_options_are_refused(self):
        vocabulary = support.translator().source_vocabulary
        for wrong in (-1, len(vocabulary)):
            with self.assertRaisesRegex(dragoman.Error, "there is no id"):
                vocabulary.token(wrong)
            with self.assertRaisesRegex(dragoman.Error, "there is no id"):
                vocabulary.decode([wrong])
        with self.assertRaisesRegex(dragoman.Error, "--type: expected one of"):
            dragoman.Vocabulary.learn(["a"], type="letters")
        with self.assertRaisesRegex(dragoman.Error, "source or target"):
            dragoman.Vocabulary.of_model(support.model(), "left")


class Files(unittest.TestCase):
    def test_models_are_described_quantized_and_averaged(self):
        described = dragoman.inspect(support.model())
        self.assertIn("card", described)
        small, mean = support.folder() / "int8.safetensors", support.folder() / "mean.safetensors"
        dragoman.quantize(support.model(), small, to="int8")
        self.assertTrue(dragoman.Translator(small, device="cpu", precision="int8", threads=1).translate("It rains."))
        dragoman.average([support.model(), support.model()], mean)
        self.assertEqual(dragoman.Translator(mean, device="cpu", threads=1).translate("It rains."),
                         support.translator().translate("It rains."))
        self.assertIn("transformer-tiny", dragoman.presets())
        with self.assertRaisesRegex(dragoman.Error, "absent"):
            dragoman.import_model("absent", mean)
        with self.assertRaisesRegex(dragoman.Error, "the model itself"):
            dragoman.quantize(support.model(), support.model())
        with self.assertRaisesRegex(dragoman.Error, "--to: expected one of"):
            dragoman.quantize(support.model(), small, to="int3")

    def test_models_are_exported_for_numpy_alone(self):
        folder = support.folder() / "numpy"
        exported = dragoman.export_model(support.model(), folder, to="numpy")
        self.assertEqual(sorted(exported["files"]), sorted(path.name for path in folder.iterdir()))
        with numpy.load(folder / "weights.npz") as weights:
            self.assertEqual(sum(array.size for array in weights.values()), exported["parameters"])
            self.assertTrue(all(array.dtype == numpy.float32 for array in weights.values()))
            self.assertIn("decoder.embed_tokens.weight", weights)
        with self.assertRaisesRegex(dragoman.Error, "exists already"):
            dragoman.export_model(support.model(), folder, to="ctranslate2")
        with self.assertRaisesRegex(dragoman.Error, "--to: expected one of"):
            dragoman.export_model(support.model(), folder, to="onnx")

    def test_the_phrasebook_has_distinct_pairs_in_separate_splits(self):
        train, test = dragoman.phrasebook(50), dragoman.phrasebook(50, split="test")
        self.assertEqual(len(set(train) | set(test)), 100)
        self.assertEqual(train, dragoman.phrasebook(50))
        self.assertNotEqual(train, dragoman.phrasebook(50, seed=2))
        with self.assertRaisesRegex(dragoman.Error, "--split: expected one of"):
            dragoman.phrasebook(1, split="all")
        with self.assertRaises(dragoman.Error):
            dragoman.phrasebook(-1)


class Import(unittest.TestCase):
    def test_numpy_is_imported_only_when_it_is_needed(self):
        code = "import sys, dragoman; assert 'numpy' not in sys.modules; dragoman.bleu(['a'], ['a']); " \
               "assert 'numpy' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_the_log_is_quiet_unless_asked(self):
        code = "import dragoman; {}; dragoman.Aligner.learn(['a b'] * 3, ['c d'] * 3); dragoman.Vocabulary.learn(['a b c'] * 5, type='words')"
        run = subprocess.run([sys.executable, "-c", code.format("pass")], check=True, capture_output=True, text=True)
        self.assertEqual(run.stderr + run.stdout, "")
        with self.assertRaisesRegex(dragoman.Error, "--level: expected one of"):
            dragoman.set_log_level("loud")


if __name__ == "__main__":
    unittest.main()
