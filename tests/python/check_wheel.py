"""Makes wheels of the package in a build folder, without models and with them, checks them, and imports the package from
their contents."""

import argparse
import base64
import hashlib
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

LARGEST = 20 * 1024 * 1024
ROOT = Path(__file__).resolve().parents[2]


def make(options, folder, *more):
    """The path of a new wheel."""
    command = [sys.executable, ROOT / "python" / "wheel.py", "--package", f"{options.build}/python/dragoman",
               "--version", options.version, "--strip", options.strip, "--output", folder, *more]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def check_record(archive, info):
    """RECORD lists every file with its hash."""
    lines = archive.read(f"{info}/RECORD").decode().split()
    assert len(lines) == len(archive.namelist()), lines
    for line in lines:
        name, digest, size = line.rsplit(",", 2)
        data = archive.read(name)
        if name.endswith("RECORD"):
            continue
        found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert digest == f"sha256={found}" and size == str(len(data)), line


def run(folder, code):
    """What a program prints that finds the package in a folder."""
    return subprocess.run([sys.executable, "-B", "-c", f"import dragoman; {code}"], check=True, capture_output=True,
                          text=True, env={"PYTHONPATH": folder}).stdout.split()


def check_models(options, folder):
    """A wheel with models translates without a model file."""
    with zipfile.ZipFile(make(options, folder, "--models", ROOT / "models")) as archive:
        check_record(archive, f"dragoman-{options.version}.dist-info")
        assert "dragoman/models/README.md" in archive.namelist(), "the licence of the models"
        archive.extractall(f"{folder}/models")
    code = """print(dragoman.Translator(device="cpu").translate("Where is the station?"),
                    dragoman.Translator(from_="de", device="cpu"))"""
    words = run(f"{folder}/models", code)
    assert "Bahnhof?" in words and words[-1] == f"{folder}/models/dragoman/models/de-en.safetensors>", words


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "version", "strip"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = make(options, folder)
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        assert path.name == f"dragoman-{options.version}-{python}-{python}-{machine}.whl", path.name
        assert path.stat().st_size <= LARGEST, path.stat().st_size
        first = path.read_bytes()
        assert make(options, folder).read_bytes() == first, "the same files give another wheel"
        with zipfile.ZipFile(path) as archive:
            check_record(archive, f"dragoman-{options.version}.dist-info")
            assert "dragoman/py.typed" in archive.namelist() and "dragoman/_core.pyi" in archive.namelist()
            archive.extractall(f"{folder}/site")
        words = run(f"{folder}/site", "print(dragoman.__version__, dragoman.__file__, len(dragoman.phrasebook(3)))")
        assert words == [options.version, f"{folder}/site/dragoman/__init__.py", "3"], words
        check_models(options, folder)


if __name__ == "__main__":
    main()
