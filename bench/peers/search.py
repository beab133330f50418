#!/usr/bin/env python3
"""Target tokens per second of CTranslate2 with the same architecture, sentences and lengths as bench_search.

    search.py --beam 4 --batch 32 [--precision int8] [--threads 2]

Needs the Python packages ctranslate2 and numpy. Batches run on --threads workers of one thread each, single sentences
on one worker with all threads.
"""
import argparse
import os
import random
import statistics
import tempfile
import time


KINDS = {"f32": "float32", "int8": "int8"}


def make_model(folder, vocabulary, size=512, heads=8, inner=2048, layers=6):
    import ctranslate2
    import numpy as np

    rng = np.random.default_rng(1)
    spec = ctranslate2.specs.TransformerSpec.from_config(layers, heads, pre_norm=False)

    def uniform(rows, cols):
        bound = (6 / (rows + cols)) ** 0.5
        return rng.uniform(-bound, bound, (rows, cols)).astype(np.float32)

    def linear(part, out, into):
        part.weight = uniform(out, into)
        part.bias = np.zeros(out, np.float32)

    def norm(part):
        part.gamma, part.beta = np.ones(size, np.float32), np.zeros(size, np.float32)

    def attention(part, self_attention):
        norm(part.layer_norm)
        sizes = [3 * size, size] if self_attention else [size, 2 * size, size]
        for linear_part, out in zip(part.linear, sizes):
            linear(linear_part, out, size)

    for side in (spec.encoder, spec.decoder):
        for embeddings in side.embeddings if isinstance(side.embeddings, list) else [side.embeddings]:
            embeddings.weight = uniform(vocabulary, size)
        side.scale_embeddings = True
        positions = np.arange(1024)[:, None] / 10000 ** (np.arange(size // 2)[None] * 2 / size)
        side.position_encodings.encodings = np.concatenate([np.sin(positions), np.cos(positions)], 1).astype(np.float32)
        for layer in side.layer:
            attention(layer.self_attention, True)
            if side is spec.decoder:
                attention(layer.attention, False)
            norm(layer.ffn.layer_norm)
            linear(layer.ffn.linear_0, inner, size)
            linear(layer.ffn.linear_1, size, inner)
    linear(spec.decoder.projection, vocabulary, size)
    words = ["<unk>", "<s>", "</s>", "<pad>"] + [f"w{i}" for i in range(4, vocabulary)]
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.validate()
    spec.save(folder)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--length", type=int, default=25)
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--precision", choices=["f32", "int8"], default="f32")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.batch == 1:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    import ctranslate2

    rng = random.Random(1)
    sentences = [[f"w{rng.randrange(4, options.vocabulary)}" for _ in range(options.length)] + ["</s>"]
                 for _ in range(options.sentences)]
    with tempfile.TemporaryDirectory() as folder:
        make_model(folder, options.vocabulary)
        workers = {"inter_threads": options.threads, "intra_threads": 1}
        if options.batch == 1:
            workers = {"inter_threads": 1, "intra_threads": options.threads}
        translator = ctranslate2.Translator(folder, device="cpu", compute_type=KINDS[options.precision], **workers)
        search = {"beam_size": options.beam, "min_decoding_length": options.length,
                  "max_decoding_length": options.length}

        def translate(lines):
            if options.batch > 1:
                return translator.translate_batch(lines, max_batch_size=options.batch, **search)
            return [translator.translate_batch([line], **search)[0] for line in lines]

        translate(sentences[:4])
        rates = []
        for _ in range(options.rounds):
            start = time.perf_counter()
            tokens = sum(len(result.hypotheses[0]) for result in translate(sentences))
            rates.append(tokens / (time.perf_counter() - start))
    print(f"ctranslate2 beam {options.beam} batch {options.batch} {options.precision} tokens/s {statistics.median(rates):.1f}")


if __name__ == "__main__":
    main()
