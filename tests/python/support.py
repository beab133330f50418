"""A small corpus and models trained on it, made once for each test program."""

import atexit
import functools
import shutil
import signal
import tempfile
from pathlib import Path

import dragoman

# Tests send SIGINT, whatever the process that has started them ignores or blocks (nohup, setsid).
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.pthread_sigmask(signal.SIG_SETMASK, [])

GOLDEN = Path(__file__).resolve().parents[1] / "golden"

TINY = {
    "threads": 2,
    "device": "cpu",
    "model": {
        "embedding": 32,
        "transformer": {"size": 32, "feed_forward": 64, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0},
    },
    "report": False,
    "tensorboard": False,
}


@functools.lru_cache(maxsize=None)
def folder():
    """A folder that is removed in the end."""
    path = Path(tempfile.mkdtemp(prefix="dragoman-python-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@functools.lru_cache(maxsize=None)
def corpus():
    """Paths of train.en, train.de, valid.en and valid.de."""
    paths = {}
    for split, count in (("train", 400), ("valid", 20)):
        pairs = dragoman.phrasebook(count, split=split)
        for side, language in enumerate(("en", "de")):
            path = folder() / f"{split}.{language}"
            path.write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")
            paths[f"{split}.{language}"] = path
    return paths


def sources():
    """The arguments of train() that name the corpus."""
    paths = corpus()
    return {
        "source": paths["train.en"],
        "target": paths["train.de"],
        "valid_source": paths["valid.en"],
        "valid_target": paths["valid.de"],
        "cache": folder(),
    }


def train(output, **options):
    """A tiny run in the folder `output`."""
    settings = {**TINY, "until": "30u", "validate": "15u", "validation": {"sentences": 4}, **sources(), **options}
    return dragoman.train("transformer-tiny", output=folder() / output, **settings)


@functools.lru_cache(maxsize=None)
def model():
    """The path of a translation model."""
    return train("model").model


@functools.lru_cache(maxsize=None)
def translator():
    """A translator on two threads."""
    return dragoman.Translator(model(), device="cpu", threads=2)


@functools.lru_cache(maxsize=None)
def classifier():
    """The path of a model that tells English from German."""
    pairs = dragoman.phrasebook(200)
    texts, labels = folder() / "texts", folder() / "labels"
    texts.write_text("".join(text + "\n" for pair in pairs for text in pair), encoding="utf-8")
    labels.write_text("en\nde\n" * len(pairs), encoding="utf-8")
    settings = {**TINY, "model": {"embedding": 32, "transformer": {"size": 32, "feed_forward": 64, "encoder_layers": 1}}}
    return dragoman.train("transformer-tiny", task="classify", source=texts, target=labels, until="60u",
                          output=folder() / "classifier", cache=folder(), **settings).model
