#!/usr/bin/env python3
"""Compares dragoman.ctranslate2 with CTranslate2, option by option, with a model and its export.

usage: PYTHONPATH=build/release/python tests/golden/check_ctranslate2.py MODEL FOLDER TEXT   (needs ctranslate2, numpy)

MODEL is a model file, FOLDER what `dragoman export --to ctranslate2` made of it, TEXT a file of sentences, in lines. Prints
for each set of options how many of 200 sentences have the same hypotheses, and the largest difference of scores and of
attention; of attention without the first row.
"""
import sys

import ctranslate2
import numpy

import dragoman.ctranslate2

SENTENCES = 200
OPTIONS = [
    {},
    {"beam_size": 1},
    {"beam_size": 4},
    {"beam_size": 4, "num_hypotheses": 4},
    {"beam_size": 4, "length_penalty": 0},
    {"beam_size": 4, "length_penalty": 0, "num_hypotheses": 2},
    {"beam_size": 3, "patience": 2},
    {"beam_size": 4, "max_decoding_length": 5},
    {"beam_size": 3, "min_decoding_length": 15},
    {"max_input_length": 4},
    {"return_end_token": True},
    {"replace_unknowns": True},
    {"max_batch_size": 7},
    {"max_batch_size": 64, "batch_type": "tokens"},
    {"beam_size": 4, "target_prefix": True},
    {"beam_size": 1, "target_prefix": True},
]


def difference(ours, theirs):
    """Of scores and of attention, where the hypotheses are the same."""
    scores = rows = 0.0
    for one, other in zip(ours, theirs):
        if one.hypotheses != other.hypotheses:
            continue
        scores = max(scores, numpy.abs(numpy.subtract(one.scores, other.scores)).max())
        for found, expected in zip(one.attention, other.attention):
            if len(expected) > 1:
                # CTranslate2 has columns of zeros for an input that was cut, and a row for an end that is returned.
                rows = max(rows, numpy.abs(found[1:] - numpy.array(expected)[1:len(found), :found.shape[1]]).max())
    return scores, rows


def main():
    model, folder, text = sys.argv[1:]
    ours = dragoman.ctranslate2.Translator(model, device="cpu", compute_type="float32")
    theirs = ctranslate2.Translator(folder, device="cpu", compute_type="float32")
    with open(text, encoding="utf-8") as file:
        tokens = [ours.source_vocabulary.tokens(line.strip()) for line in file][:SENTENCES]
    prefix = ours.translate_batch(tokens[:1])[0].hypotheses[0][:3]
    for options in OPTIONS:
        how = dict(options, return_scores=True, return_attention=True)
        if how.get("target_prefix"):
            how["target_prefix"] = [prefix] * len(tokens)
        found, expected = ours.translate_batch(tokens, **how), theirs.translate_batch(tokens, **how)
        same = sum(one.hypotheses == other.hypotheses for one, other in zip(found, expected))
        scores, rows = difference(found, expected)
        print(f"{same} of {len(tokens)}, scores {scores:.2g}, attention {rows:.2g}: {options}")


if __name__ == "__main__":
    main()
