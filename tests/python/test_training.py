"""Training from Python: watched, stopped, resumed."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import dragoman
import support


class Training(unittest.TestCase):
    def test_a_run_is_watched_and_ends_with_a_model(self):
        validations, reports = [], []
        end = support.train("watched", on_validation=validations.append, on_log=reports.append)
        self.assertTrue(Path(end.model).is_file())
        self.assertEqual((end.updates, end.reason), (30, "reached 30u"))
        self.assertEqual([one.updates for one in validations], [15, 30])
        self.assertEqual(reports[-1].updates, 30)
        self.assertEqual(sorted({one.updates for one in reports}), [one.updates for one in reports])
        self.assertTrue({"loss", "perplexity", "bleu"} <= set(validations[0].scores))
        self.assertLess(validations[1].scores["loss"], validations[0].scores["loss"])
        self.assertEqual(len(validations[0].samples[0]), 3)
        self.assertGreater(reports[0].tokens_per_second, 0)

    def test_a_callback_that_returns_true_ends_the_run_and_resume_goes_on(self):
        end = support.train("stopped", on_validation=lambda validation: True)
        self.assertLess(end.updates, 30)
        self.assertEqual(end.reason, "asked to stop")
        again = support.train("stopped", resume=True)
        self.assertEqual(again.updates, 30)

    def test_an_exception_of_a_callback_ends_the_run_after_saving(self):
        def fails(validation):
            raise LookupError(f"at {validation.updates}")

        with self.assertRaisesRegex(LookupError, "at 15"):
            support.train("failed", on_validation=fails)
        self.assertEqual(support.train("failed", resume=True).updates, 30)

    def test_settings_of_a_file_and_arguments_are_combined(self):
        config = support.folder() / "settings.yaml"
        config.write_text("preset: transformer-tiny\nuntil: 1000u\nvalidate: 5u\n", encoding="utf-8")
        settings = {**support.TINY, **support.sources(), "validation": {"sentences": 0}}
        end = dragoman.train(config, output=support.folder() / "config", until="5u", **settings)
        self.assertEqual(end.updates, 5)
        facts = dragoman.plan(config, output=support.folder() / "planned", until="5u", **settings)
        self.assertIn("parameters", " ".join(facts))
        self.assertFalse((support.folder() / "planned").exists())

    def test_errors_have_the_sentences_of_the_program(self):
        for wrong, words in (
            ({"source": "absent.en"}, "absent.en"),
            ({"model": {"transformer": {"sise": 3}}}, "model.transformer.sise.*did you mean 'model.transformer.size'"),
            ({"until": "soon"}, "soon"),
            ({"dry_run": True}, "dry_run"),
            ({"preset": "lstm-luong"}, "two presets"),
        ):
            with self.assertRaisesRegex(dragoman.Error, words):
                support.train("wrong", **wrong)
        with self.assertRaisesRegex(dragoman.Error, "transformer-tiny"):
            dragoman.train("transformer-tini", output=support.folder() / "wrong", **support.sources())
        self.assertFalse((support.folder() / "wrong").exists())

    def test_other_threads_run_meanwhile(self):
        counted = []
        done = threading.Event()

        def count():
            while not done.wait(0.002):
                counted.append(1)

        thread = threading.Thread(target=count)
        thread.start()
        support.train("beside")
        done.set()
        thread.join()
        self.assertGreater(len(counted), 5)

    def test_a_statistical_model_is_trained_and_translates(self):
        paths = support.sources()
        end = dragoman.train("smt-word", source=paths["source"], target=paths["target"],
                             output=support.folder() / "statistical", threads=2)
        translator = dragoman.Translator(end.model)
        self.assertTrue(translator.translate("It rains."))
        with self.assertRaisesRegex(dragoman.Error, "a statistical model"):
            translator.source_vocabulary


class Interrupts(unittest.TestCase):
    PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
import dragoman, support
try:
    support.train({output!r}, until="1000000u", validate="1000000u", log="1u",
                  on_log=lambda report: print(report.updates, flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

    def test_ctrl_c_saves_the_run_and_raises_keyboard_interrupt(self):
        output = support.folder() / "interrupted"
        code = self.PROGRAM.format(tests=str(Path(__file__).parent), output=str(output))
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as program:
            first = program.stdout.readline()
            program.send_signal(signal.SIGINT)
            last = program.stdout.read().split()
            self.assertEqual(program.wait(timeout=60), 0)
        self.assertTrue(first.strip().isdigit())
        self.assertEqual(last[-1], "interrupted")
        checkpoints = [name for _, _, files in os.walk(output) for name in files if name.endswith(".safetensors")]
        self.assertTrue(checkpoints)
        shutil.rmtree(output)

    def check_interruption(self, call):
        """Ctrl-C ends a call that would take minutes, and the model goes on."""
        code = f"""
import sys, threading, time, signal, os
sys.path.insert(0, {str(Path(__file__).parent)!r})
import dragoman
translator = dragoman.Translator({str(support.model())!r}, device="cpu", threads=1)
text = "The old man sees the big dog in the small house near the station. " * 4
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", translator.translate("It rains.") != "")
"""
        # The texts that are left are dropped, not translated, before the next one.
        program = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(program.stdout.split(), ["interrupted", "True"], program.stderr)

    def test_ctrl_c_interrupts_a_translation(self):
        self.check_interruption("translator.translate([text] * 3000, beam=8)")

    def test_ctrl_c_while_texts_are_submitted_drops_them_all(self):
        self.check_interruption("translator.translate([text] * 30000)")

    def test_ctrl_c_interrupts_the_translation_of_a_document(self):
        self.check_interruption("translator.translate_document('\\n\\n'.join(f'{number} {text}' "
                                "for number in range(3000)), format='text', beam=8)")

    def test_ctrl_c_interrupts_scoring(self):
        self.check_interruption(f"dragoman.Scorer({str(support.model())!r}, device='cpu', threads=1)"
                                ".score([text] * 100000, [text] * 100000)")
        self.check_interruption("translator.score_batch([text.split()] * 100000, [text.split()] * 100000)")


if __name__ == "__main__":
    unittest.main()
