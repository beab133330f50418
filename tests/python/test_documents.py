"""The Python code of the documents runs as it is written."""

import contextlib
import io
import json
import os
import re
import shutil
import unittest
from pathlib import Path

import support

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"^(<!-- not run: .*? -->\n)?```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_of(document):
    """The Python blocks of a page that need nothing but the files of run_blocks()."""
    found = CODE.findall((ROOT / document).read_text(encoding="utf-8"))
    return [code for reason, code in found if not reason]


class Documents(unittest.TestCase):
    def run_blocks(self, document):
        """Runs the code in a folder with the files that it names. Returns the folder and the names it defines."""
        folder = support.folder() / document.replace("/", "-")
        folder.mkdir()
        shutil.copy(support.model(), folder / "en-de.safetensors")
        shutil.copy(support.classifier(), folder / "languages.safetensors")
        for name, path in support.corpus().items():
            shutil.copy(path, folder / name)
        (folder / "lines.txt").write_text("It rains.\n\nGood morning.\n", encoding="utf-8")
        before = os.getcwd()
        names = {}
        try:
            os.chdir(folder)
            for block in code_of(document):
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block, document, "exec"), names)  # pylint: disable=exec-used
        finally:
            os.chdir(before)
        return folder, names

    def test_the_code_of_the_how_to_page_runs(self):
        self.assertGreater(len(code_of("docs/howto/python.md")), 5)
        folder, names = self.run_blocks("docs/howto/python.md")
        self.assertEqual(names["classifier"].classify("Wo ist der Bahnhof?").label, "de")
        self.assertEqual(names["best"].attention.shape[0], len(names["best"].tokens))
        self.assertTrue((folder / "beam.svg").is_file() and (folder / "run" / "model.safetensors").is_file())

    def test_the_code_of_the_front_page_runs(self):
        _, names = self.run_blocks("README.md")
        self.assertTrue(names["r"].text)

    def test_the_code_of_the_notebook_compiles(self):
        notebook = json.loads((ROOT / "examples" / "python" / "tour.ipynb").read_text(encoding="utf-8"))
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertGreater(len(cells), 8)
        for cell in cells:
            compile(cell, "tour.ipynb", "exec")


if __name__ == "__main__":
    unittest.main()
