#!/usr/bin/env python3
"""Compares exported models with what dragoman computes: in transformers and in CTranslate2, as far as they are installed.

usage: PYTHONPATH=build/release/python tests/golden/check_export.py PROGRAM MODEL TEXT [REFERENCE]

PROGRAM is dragoman, MODEL a model file, TEXT a file of sentences and REFERENCE their translations, in lines. Prints, for
each program, how many sentences have the same tokens, greedily and with a beam of 4, and the largest difference of log
probabilities: of the hypotheses, and of the tokens of REFERENCE, teacher forced. Ends with 1 if sentences differ.
"""
import os
import subprocess
import sys
import tempfile

import dragoman
import dragoman.ctranslate2

LONGEST, DIFFERENCE = 60, 1e-4


def export(program, model, kind, folder):
    """Whether the format can express the model."""
    done = subprocess.run([program, "export", model, "--to", kind, "--output", folder], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"  refused: {done.stderr.strip().split(': ', 1)[-1]}")
    return done.returncode == 0


class Report:
    def __init__(self):
        self.failed = False

    def same(self, what, ours, theirs):
        equal = sum(one == other for one, other in zip(ours, theirs, strict=True))
        self.failed |= equal != len(ours)
        print(f"  {what}: {equal} of {len(ours)} the same")
        for one, other in zip(ours, theirs):
            if one != other:
                print(f"    ours   {one}\n    theirs {other}")
                break

    def near(self, what, ours, theirs):
        largest = max((abs(a - b) for one, other in zip(ours, theirs, strict=True)
                       for a, b in zip(one, other, strict=True)), default=0.0)
        self.failed |= not largest <= DIFFERENCE
        print(f"  {what}: largest difference {largest:.2g}")


def check_transformers(folder, translator, texts, references, report):
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    model, loading = transformers.MarianMTModel.from_pretrained(folder, output_loading_info=True)
    print(f"  transformers {transformers.__version__}, {loading['missing_keys'] or 'no'} missing keys")
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
    model.eval()
    source, target = translator.source_vocabulary, translator.target_vocabulary
    end = model.config.eos_token_id
    report.same("tokens of the source", [source.encode(text) for text in texts],
                [tokenizer(text)["input_ids"][:-1] for text in texts])
    tokens = [source.tokens(text) for text in texts]
    for beam in (1, 4):
        theirs = []
        for text in texts:
            batch = tokenizer([text], return_tensors="pt")
            more = dict(early_stopping=True, length_penalty=1.0) if beam > 1 else {}
            with torch.no_grad():
                found = model.generate(**batch, num_beams=beam, do_sample=False, max_new_tokens=LONGEST, **more)[0]
            ids = found.tolist()[1:]
            theirs.append(ids[:ids.index(end)] if end in ids else ids)
        ours = [[target.id(token) for token in one.hypotheses[0]] for one in
                translator.translate_batch(tokens, beam_size=beam, max_decoding_length=LONGEST)]
        report.same(f"beam {beam}", ours, theirs)
    report.same("text of the last", [target.decode(ids) for ids in theirs],
                [tokenizer.decode(ids, skip_special_tokens=True) for ids in theirs])
    ours, theirs = [], []
    for text, reference in zip(texts, references):
        ids = target.encode(reference) + [end]
        ours.append(translator.score_batch([source.tokens(text)], [target.tokens(reference)])[0].log_probs)
        with torch.no_grad():
            logits = model(**tokenizer([text], return_tensors="pt"),
                           decoder_input_ids=torch.tensor([[model.config.decoder_start_token_id] + ids[:-1]])).logits[0]
        theirs.append(logits.log_softmax(-1)[range(len(ids)), ids].tolist())
    report.near("log probabilities of the references", ours, theirs)


def check_ctranslate2(folder, translator, texts, references, report):
    import ctranslate2

    print(f"  CTranslate2 {ctranslate2.__version__}")
    other = ctranslate2.Translator(folder, device="cpu", compute_type="float32", intra_threads=2)
    source, target = translator.source_vocabulary, translator.target_vocabulary
    tokens = [source.tokens(text) for text in texts]
    for beam in (1, 4):
        options = dict(beam_size=beam, max_decoding_length=LONGEST, return_scores=True)
        ours, theirs = translator.translate_batch(tokens, **options), other.translate_batch(tokens, **options)
        report.same(f"beam {beam}", [one.hypotheses for one in ours], [one.hypotheses for one in theirs])
        report.near(f"beam {beam}, scores", [one.scores for one in ours], [one.scores for one in theirs])
    pairs = [target.tokens(reference) for reference in references]
    report.near("log probabilities of the references",
                [one.log_probs for one in translator.score_batch(tokens[:len(pairs)], pairs)],
                [one.log_probs for one in other.score_batch(tokens[:len(pairs)], pairs)])


def main():
    program, model, *files = sys.argv[1:]
    texts, references = ([line.rstrip("\n") for line in open(file, encoding="utf-8")] for file in (files * 2)[:2])
    if len(files) == 1:
        references = []
    translator = dragoman.ctranslate2.Translator(model, device="cpu", compute_type="float32")
    report = Report()
    for kind, module, check in (("huggingface", "transformers", check_transformers),
                                ("ctranslate2", "ctranslate2", check_ctranslate2)):
        print(f"{os.path.basename(os.path.dirname(model))} as {kind}")
        with tempfile.TemporaryDirectory() as folder:
            if not export(program, model, kind, os.path.join(folder, "model")):
                continue
            try:
                __import__(module)
            except ImportError:
                print(f"  {module} is not installed")
                continue
            check(os.path.join(folder, "model"), translator, texts, references, report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
