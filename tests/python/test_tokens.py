"""The interface of CTranslate2: tokens in, tokens out."""

import unittest

import dragoman
import dragoman.ctranslate2 as ctranslate2
import support

TEXT = "Where is the station?"


# The model has learned little and would write until it must end.
SHORT = {"max_decoding_length": 12}


class Tokens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.translator = ctranslate2.Translator(str(support.model()), device="cpu", compute_type="float32",
                                                inter_threads=1, intra_threads=2)
        cls.tokens = cls.translator.source_vocabulary.tokens(TEXT)

    def test_tokens_give_the_translation_of_their_text(self):
        results = self.translator.translate_batch([self.tokens, ["It"]], beam_size=4, **SHORT)
        expected = self.translator.translations(TEXT, max_length=12, min_length=1, truncate=True)[0]
        self.assertEqual(results[0].hypotheses, [expected.tokens])
        self.assertEqual(results[0].scores, [])
        self.assertEqual(results[0].attention, [])
        self.assertEqual(len(results), 2)

    def test_programs_may_ask_for_devices_and_types(self):
        self.assertEqual((self.translator.device, self.translator.device_index, self.translator.compute_type),
                         ("cpu", [0], "float32"))
        self.assertGreaterEqual(ctranslate2.get_cuda_device_count(), 0)
        for kind in ctranslate2.get_supported_compute_types("cpu"):
            self.assertTrue(ctranslate2.Translator(support.model(), compute_type=kind).translate(TEXT))

    def test_marks_may_be_among_the_tokens(self):
        plain = self.translator.translate_batch([self.tokens], **SHORT)[0].hypotheses
        marked = self.translator.translate_batch([["<s>", *self.tokens, "</s>"]], **SHORT)[0].hypotheses
        self.assertEqual(plain, marked)

    def test_results_have_scores_and_attention_on_request(self):
        result = self.translator.translate_batch([self.tokens], beam_size=4, num_hypotheses=3, return_scores=True,
                                                 return_attention=True, return_end_token=True, **SHORT)[0]
        self.assertEqual(len(result), 3)
        self.assertEqual(len(result.hypotheses), 3)
        self.assertEqual(sorted(result.scores, reverse=True), result.scores)
        self.assertEqual(result[0], {"tokens": result.hypotheses[0], "score": result.scores[0],
                                     "attention": result.attention[0]})
        ended = result.hypotheses[0][-1] == "</s>"
        self.assertEqual(result.attention[0].shape, (len(result.hypotheses[0]) - ended, len(self.tokens)))

    def test_a_translation_that_is_cut_off_has_no_end(self):
        def translate(longest):
            return self.translator.translate_batch([self.tokens], beam_size=1, max_decoding_length=longest,
                                                   return_scores=True, return_end_token=True)[0]

        cut = translate(3)
        self.assertEqual(len(cut.hypotheses[0]), 3)
        self.assertNotIn("</s>", cut.hypotheses[0])
        scored = self.translator.score_batch([self.tokens], cut.hypotheses)[0]
        self.assertAlmostEqual(cut.scores[0], sum(scored.log_probs[:3]) / 3, places=4)
        whole = translate(256)
        if len(whole.hypotheses[0]) < 256:
            self.assertEqual(whole.hypotheses[0][-1], "</s>")

    def test_the_probability_of_a_prefix_does_not_count(self):
        prefix = self.translator.target_vocabulary.tokens("Wo ist")
        result = self.translator.translate_batch([self.tokens], target_prefix=[prefix], beam_size=1, return_scores=True,
                                                 **SHORT)[0]
        scored = self.translator.score_batch([self.tokens], result.hypotheses)[0]
        length = min(len(result.hypotheses[0]) + 1, SHORT["max_decoding_length"])
        self.assertAlmostEqual(result.scores[0], sum(scored.log_probs[len(prefix):length]) / length, places=4)

    def test_a_target_prefix_is_binding(self):
        words = self.translator.target_vocabulary
        prefix = words.tokens("Wo ist")
        result = self.translator.translate_batch([self.tokens, self.tokens], target_prefix=[prefix, None], **SHORT)
        self.assertEqual(result[0].hypotheses[0][: len(prefix)], prefix)
        self.assertEqual(result[1].hypotheses, self.translator.translate_batch([self.tokens], **SHORT)[0:1][0].hypotheses)
        with self.assertRaisesRegex(dragoman.Error, "2 sentences have 1 target prefixes"):
            self.translator.translate_batch([self.tokens, self.tokens], target_prefix=[prefix])

    def test_scores_are_means_or_sums_of_log_probabilities(self):
        mean = self.translator.translate_batch([self.tokens], beam_size=1, return_scores=True, **SHORT)[0]
        total = self.translator.translate_batch([self.tokens], beam_size=1, length_penalty=0, return_scores=True,
                                                **SHORT)[0]
        self.assertEqual(mean.hypotheses, total.hypotheses)
        length = min(len(mean.hypotheses[0]) + 1, SHORT["max_decoding_length"])
        self.assertAlmostEqual(mean.scores[0] * length, total.scores[0], places=4)
        scored = self.translator.score_batch([self.tokens], mean.hypotheses)[0]
        self.assertEqual(scored.tokens, [*mean.hypotheses[0], "</s>"])
        self.assertAlmostEqual(sum(scored.log_probs[:length]), total.scores[0], places=3)
        self.assertEqual(self.translator.score_batch([self.tokens], mean.hypotheses, offset=1)[0].log_probs,
                         scored.log_probs[1:])

    def test_results_may_be_asked_for_later(self):
        (later,) = self.translator.translate_batch([self.tokens], asynchronous=True, **SHORT)
        result = later.result()
        self.assertTrue(later.done())
        self.assertEqual(result.hypotheses, self.translator.translate_batch([self.tokens], **SHORT)[0].hypotheses)
        (scored,) = self.translator.score_batch([self.tokens], result.hypotheses, asynchronous=True)
        self.assertEqual(len(scored.result().tokens), len(result.hypotheses[0]) + 1)

    def test_iterables_are_streams(self):
        vocabulary = self.translator.source_vocabulary
        texts = [pair[0] for pair in dragoman.phrasebook(150, split="test")]
        lists = [vocabulary.tokens(text) for text in texts]
        stream = self.translator.translate_iterable((tokens for tokens in lists), max_batch_size=16, beam_size=1,
                                                    **SHORT)
        self.assertEqual([one.hypotheses for one in stream],
                         [one.hypotheses for one in self.translator.translate_batch(lists, beam_size=1, **SHORT)])
        pairs = [one.hypotheses[0] for one in self.translator.translate_batch(lists[:10], **SHORT)]
        scores = self.translator.score_iterable(iter(lists[:10]), iter(pairs), max_batch_size=4)
        self.assertEqual([one.tokens[:-1] for one in scores], pairs)

    def test_sampling_follows_the_seed(self):
        def draw():
            ctranslate2.set_random_seed(7)
            return [self.translator.translate_batch([self.tokens], beam_size=1, sampling_topk=0,
                                                    sampling_temperature=4.0, **SHORT)[0].hypotheses for _ in range(4)]

        first = draw()
        self.assertEqual(first, draw())
        self.assertGreater(len({str(one) for one in first}), 1)

    def test_inputs_are_truncated(self):
        cut = self.translator.translate_batch([self.tokens * 3], max_input_length=len(self.tokens) + 1, **SHORT)[0]
        self.assertEqual(cut.hypotheses, self.translator.translate_batch([self.tokens], **SHORT)[0].hypotheses)

    def test_what_cannot_be_honoured_raises_with_the_reason(self):
        for wrong, words in (
            ({"no_repeat_ngram_size": 3}, "no_repeat_ngram_size=3 is not supported: the search"),
            ({"length_penalty": 0.7}, "length_penalty=0.7 is not supported"),
            ({"callback": print}, "callback"),
            ({"max_decoding_length": 0}, "max_decoding_length must be at least 1"),
            ({"sampling_topk": 10, "beam_size": 2}, "sampling does not search"),
            ({"batch_type": "words"}, "examples or tokens"),
            ({"num_hypotheses": 3}, "n-best 3 is more than the beam"),
        ):
            with self.assertRaisesRegex(dragoman.Error, words):
                self.translator.translate_batch([self.tokens], **wrong)
        with self.assertRaises(TypeError):
            self.translator.translate_batch([self.tokens], beam_width=3)
        with self.assertRaisesRegex(TypeError, "list of tokens"):
            self.translator.translate_batch([TEXT])
        with self.assertRaisesRegex(dragoman.Error, "float16"):
            ctranslate2.Translator(support.model(), compute_type="float16")
        with self.assertRaisesRegex(dragoman.Error, "longer than"):
            self.translator.translate_batch([["the"] * 20000], max_input_length=0)


if __name__ == "__main__":
    unittest.main()
