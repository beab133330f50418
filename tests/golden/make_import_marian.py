#!/usr/bin/env python3
"""Writes tests/golden/import/marian_*: small models with random weights in Marian's own formats, and what a plain
implementation of its Transformer computes with them, written from its documentation and checked by nothing else.

usage: tests/golden/make_import_marian.py [CASE...]   (needs the Python modules numpy, sentencepiece, regex)
"""
import json
import os
import struct
import sys

import numpy
import sentencepiece

from import_common import LINES, LONGEST, WORDS, fnv, fresh, has_tie, mixed_lines, sentences, train_subwords, write_case, write_marian

SIZE, HEADS, INNER, LAYERS, SENTENCES = 16, 4, 24, 2, 100


class Model:
    def __init__(self, settings, vocabularies, seed):
        self.settings, self.vocabularies = settings, vocabularies
        self.random, self.weights = numpy.random.default_rng(seed), {}
        self.pre = settings.get("transformer-preprocess", "") == "n"
        self.ssru = settings.get("transformer-decoder-autoreg") == "rnn"
        self.draw()

    def add(self, name, *shape, around=0.0, deviation=0.25):
        self.weights[name] = (around + deviation * self.random.standard_normal(shape)).astype(numpy.float32)

    def add_linear(self, prefix, suffix, rows, cols):
        self.add(f"{prefix}_W{suffix}", rows, cols)
        self.add(f"{prefix}_b{suffix}", 1, cols, deviation=0.1)

    def add_norm(self, prefix, suffix=None):
        suffix = ("_pre" if self.pre else "") if suffix is None else suffix
        self.add(f"{prefix}_ln_scale{suffix}", 1, SIZE, around=1.0, deviation=0.1)
        self.add(f"{prefix}_ln_bias{suffix}", 1, SIZE, deviation=0.1)

    def add_attention(self, prefix):
        for suffix in "qkvo":
            self.add_linear(prefix, suffix, SIZE, SIZE)
        self.add_norm(prefix + "_Wo")

    def draw(self):
        for side in ("encoder", "decoder"):
            for layer in range(1, LAYERS + 1):
                prefix = f"{side}_l{layer}"
                if side == "decoder" and self.ssru:
                    self.add(prefix + "_rnn_W", SIZE, SIZE)
                    self.add(prefix + "_rnn_Wf", SIZE, SIZE)
                    self.add(prefix + "_rnn_bf", 1, SIZE, deviation=0.1)
                    self.add_norm(prefix + "_rnn_ffn")
                else:
                    self.add_attention(prefix + "_self")
                if side == "decoder":
                    self.add_attention(prefix + "_context")
                self.add_linear(prefix + "_ffn", "1", SIZE, INNER)
                self.add_linear(prefix + "_ffn", "2", INNER, SIZE)
                self.add_norm(prefix + "_ffn_ffn")
            if self.pre:
                self.add_norm(side + "_top", "")
        if self.settings.get("tied-embeddings-all"):
            self.add("Wemb", self.vocabularies[1], SIZE)
        else:
            self.add("encoder_Wemb", self.vocabularies[0], SIZE)
            self.add("decoder_Wemb", self.vocabularies[1], SIZE)
            self.add("decoder_ff_logit_out_W", SIZE, self.vocabularies[1])
        self.add("decoder_ff_logit_out_b", 1, self.vocabularies[1], deviation=0.3)

    def __getitem__(self, name):
        return self.weights[name].astype(numpy.float64)

    # ---- forward ----

    def norm(self, x, prefix, suffix):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6)
        return scaled * self[f"{prefix}_ln_scale{suffix}"] + self[f"{prefix}_ln_bias{suffix}"]

    def block(self, x, prefix, inside):
        """A residual block with its norm before (n) or after (an) it."""
        if self.pre:
            return x + inside(self.norm(x, prefix, "_pre"))
        return self.norm(x + inside(x), prefix, "")

    def attention(self, q, memory, prefix, causal):
        def heads(x, suffix):
            projected = x @ self[f"{prefix}_W{suffix}"] + self[f"{prefix}_b{suffix}"]
            return projected.reshape(len(x), HEADS, -1).swapaxes(0, 1)

        queries, keys, values = heads(q, "q"), heads(memory, "k"), heads(memory, "v")
        scores = queries @ keys.swapaxes(1, 2) / numpy.sqrt(SIZE // HEADS)
        if causal:
            scores += numpy.triu(numpy.full(scores.shape[1:], -1e9), 1)
        weights = numpy.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return (weights @ values).swapaxes(0, 1).reshape(len(q), SIZE) @ self[f"{prefix}_Wo"] + self[f"{prefix}_bo"]

    def recurrence(self, x, prefix):
        candidates, gates = x @ self[prefix + "_W"], x @ self[prefix + "_Wf"] + self[prefix + "_bf"]
        cell, rows = numpy.zeros(SIZE), []
        for candidate, gate in zip(candidates, 1 / (1 + numpy.exp(-gates))):
            cell = gate * cell + (1 - gate) * candidate
            rows.append(numpy.maximum(cell, 0))
        return numpy.array(rows)

    def feed_forward(self, x, prefix):
        inner = x @ self[prefix + "_W1"] + self[prefix + "_b1"]
        swish = self.settings["transformer-ffn-activation"] == "swish"
        inner = inner / (1 + numpy.exp(-inner)) if swish else numpy.maximum(inner, 0)
        return inner @ self[prefix + "_W2"] + self[prefix + "_b2"]

    def positions(self, count):
        half = SIZE // 2
        angles = numpy.outer(numpy.arange(count), 10000.0 ** (-numpy.arange(half) / (half - 1)))
        return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1)

    def table(self, side):
        return self["Wemb" if self.settings.get("tied-embeddings-all") else side + "_Wemb"]

    def encode(self, ids):
        x = self.table("encoder")[ids] * numpy.sqrt(SIZE) + self.positions(len(ids))
        for layer in range(1, LAYERS + 1):
            prefix = f"encoder_l{layer}"
            x = self.block(x, prefix + "_self_Wo", lambda y: self.attention(y, y, prefix + "_self", False))
            x = self.block(x, prefix + "_ffn_ffn", lambda y: self.feed_forward(y, prefix + "_ffn"))
        return self.norm(x, "encoder_top", "") if self.pre else x

    def logits(self, memory, ids):
        """After zeros and these ids."""
        x = numpy.concatenate([numpy.zeros((1, SIZE)), self.table("decoder")[ids]]) * numpy.sqrt(SIZE)
        x = x + self.positions(len(x))
        for layer in range(1, LAYERS + 1):
            prefix = f"decoder_l{layer}"
            if self.ssru:
                x = self.block(x, prefix + "_rnn_ffn", lambda y: self.recurrence(y, prefix + "_rnn"))
            else:
                x = self.block(x, prefix + "_self_Wo", lambda y: self.attention(y, y, prefix + "_self", True))
            x = self.block(x, prefix + "_context_Wo", lambda y: self.attention(y, memory, prefix + "_context", False))
            x = self.block(x, prefix + "_ffn_ffn", lambda y: self.feed_forward(y, prefix + "_ffn"))
        x = self.norm(x, "decoder_top", "") if self.pre else x
        tied = self.settings.get("tied-embeddings-all")
        return x @ (self["Wemb"].T if tied else self["decoder_ff_logit_out_W"]) + self["decoder_ff_logit_out_b"]

    def greedy(self, memory):
        ids = []
        while len(ids) < LONGEST - 1:
            best = int(self.logits(memory, numpy.array(ids, dtype=int))[-1].argmax())
            if best == 0:
                break
            ids.append(best)
        return ids

    # ---- files ----

    def text(self):
        everything = {"type": "transformer", "dim-vocabs": list(self.vocabularies), "dim-emb": SIZE, "enc-depth": LAYERS,
                      "dec-depth": LAYERS, "transformer-heads": HEADS, "transformer-dim-ffn": INNER,
                      "transformer-ffn-depth": 2} | self.settings
        return ("".join(f"{key}: {json.dumps(value)}\n" for key, value in everything.items()) + "\0").encode()

    def save_npz(self, path):
        numpy.savez(path, **self.weights, **{"special:model.yml": numpy.frombuffer(self.text(), dtype=numpy.int8)})

    def save_bin(self, path):
        tensors = {name: (0x404, value.shape, value.tobytes()) for name, value in self.weights.items()}
        write_marian(path, tensors | {"special:model.yml": (0x101, (len(self.text()),), self.text())})

    def save_int8(self, path):
        """Rounds the matrices, as the file does."""
        tensors = {}
        for name, value in self.weights.items():
            tensors[name] = (0x404, value.shape, value.tobytes())
            if name.find("W") < 0 or value.shape[0] == 1:
                continue
            factor = numpy.float32(127 / numpy.abs(value).max())
            numbers = numpy.rint(value * factor).astype(numpy.int8)
            self.weights[name] = numbers.astype(numpy.float32) / factor
            stored = numbers if "Wemb" in name else numbers.T
            data = stored.tobytes() + struct.pack("<f", factor)
            tensors[name] = (0x4101, value.shape, data + bytes(-len(data) % 256))
            tensors[name + "_QuantMultA"] = (0x404, (1, 1), struct.pack("<f", 10.0))
        write_marian(path, tensors | {"special:model.yml": (0x101, (len(self.text()),), self.text())})


def expected(model, encode, processor):
    result = {"sentences": [], "logits": [], "lines": LINES, "ties": [], "tokens": 0}
    for number, text in enumerate(sentences(SENTENCES, 5)):
        ids = encode(text) + [0]
        memory = model.encode(numpy.array(ids))
        result["sentences"].append({"text": text, "ids": ids, "greedy": model.greedy(memory)})
        if number < 2:
            target = ids[:4]
            values = model.logits(memory, numpy.array(target))
            # The row of zeros is one more word, which is never chosen.
            values = numpy.concatenate([values, numpy.full((len(values), 1), -1000.0)], 1)
            result["logits"].append({"source": ids, "target": [model.vocabularies[1]] + target,
                                     "values": [round(float(value), 5) for value in values.flatten()]})
    print("  different:", len(set(str(one["greedy"]) for one in result["sentences"])))
    for number, line in enumerate(mixed_lines(LINES, 3)):
        if has_tie(processor, line):
            result["ties"].append(number)
        else:
            result["tokens"] = fnv([result["tokens"], fnv(encode(line))])
    return result


def subwords(folder, name, size, seed):
    path = os.path.join(folder, name)
    train_subwords(path, sentences(3000, seed) + mixed_lines(100, seed), size, eos_id=0, unk_id=1, bos_id=-1, pad_id=-1)
    return sentencepiece.SentencePieceProcessor(model_file=path)


def npz():
    folder = fresh("marian_npz")
    processor = subwords(folder, "vocab.spm", 260, 1)
    model = Model({"tied-embeddings-all": True, "transformer-ffn-activation": "swish", "transformer-preprocess": "",
                   "transformer-postprocess": "dan"}, (processor.get_piece_size(),) * 2, 1)
    model.save_npz(os.path.join(folder, "model.npz"))
    write_case(folder, expected(model, processor.encode, processor))


def pre_norm():
    """Separate vocabularies, as lists of pieces beside SentencePiece models."""
    folder = fresh("marian_prenorm")
    processors = [subwords(folder, "source.spm", 240, 1), subwords(folder, "target.spm", 220, 2)]
    ids = []
    for processor, name in zip(processors, ("opus.src.vocab.yml", "opus.trg.vocab.yml")):
        pieces = ["</s>", "<unk>"] + [processor.id_to_piece(number) for number in range(2, processor.get_piece_size())
                                      if number % 41 != 5]
        ids.append({piece: number for number, piece in enumerate(pieces)})
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("".join(f"{json.dumps(piece, ensure_ascii=False)}: {number}\n"
                               for number, piece in enumerate(pieces)))
    model = Model({"transformer-ffn-activation": "relu", "transformer-preprocess": "n", "transformer-postprocess": "da",
                   "transformer-postprocess-top": "n"}, (len(ids[0]), len(ids[1])), 2)
    model.save_bin(os.path.join(folder, "model.bin"))
    write_case(folder, expected(model, lambda text: [ids[0].get(piece, 1) for piece in
                                                     processors[0].encode(text, out_type=str)], processors[0]))


def words():
    """Vocabularies of words, of different sizes, without subwords. In the model file ids of words begin with <unk>, <s>,
    </s>, <pad>, so the ids expected here are in that order."""
    folder = fresh("marian_words")
    ids, order = [], []
    for name, chosen in (("vocab.src.yml", WORDS[:30]), ("vocab.trg.yml", WORDS[20:])):
        pieces = ["</s>", "<unk>"] + sorted(set(chosen))
        ids.append({piece: number for number, piece in enumerate(pieces)})
        order.append([1, None, 0, None] + list(range(2, len(pieces))))
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("".join(f"{json.dumps(piece, ensure_ascii=False)}: {number}\n"
                               for number, piece in enumerate(pieces)))
    model = Model({"transformer-ffn-activation": "relu", "transformer-preprocess": "", "transformer-postprocess": "dan"},
                  (len(ids[0]), len(ids[1])), 4)
    model.save_npz(os.path.join(folder, "model.npz"))
    result = {"sentences": [], "logits": []}
    for number, text in enumerate(sentences(SENTENCES, 5)):
        source = [ids[0].get(word, 1) for word in text.split(" ")] + [0]
        memory = model.encode(numpy.array(source))
        result["sentences"].append({"text": text, "ids": [order[0].index(one) for one in source],
                                    "greedy": [order[1].index(one) for one in model.greedy(memory)]})
        if number < 2:
            target = [3, 5, 2]
            rows = model.logits(memory, numpy.array(target))
            values = [[-1000.0 if one is None else round(float(row[one]), 5) for one in order[1]] for row in rows]
            result["logits"].append({"source": result["sentences"][-1]["ids"],
                                     "target": [1] + [order[1].index(one) for one in target], "values": sum(values, [])})
    print("  different:", len(set(str(one["greedy"]) for one in result["sentences"])))
    write_case(folder, result)


def firefox():
    folder = fresh("marian_firefox")
    processor = subwords(folder, "vocab.deen.spm", 260, 1)
    words = processor.get_piece_size()
    model = Model({"tied-embeddings-all": True, "transformer-ffn-activation": "relu", "transformer-preprocess": "",
                   "transformer-postprocess": "dan", "transformer-decoder-autoreg": "rnn", "dec-cell": "ssru"},
                  (words, words), 3)
    model.save_int8(os.path.join(folder, "model.deen.intgemm.alphas.bin"))
    begins = [2 * word for word in range(words + 1)]
    targets = [target for word in range(words) for target in sorted({word, (7 * word + 3) % words} | {(word + 1) % words})[:2]]
    with open(os.path.join(folder, "lex.50.50.deen.s2t.bin"), "wb") as file:
        file.write(struct.pack("<6Q", 0xF11A48D5013417F5, 0, 50, 50, len(begins), len(targets)))
        file.write(struct.pack(f"<{len(begins)}Q", *begins) + struct.pack(f"<{len(targets)}I", *targets))
    result = expected(model, processor.encode, processor)
    write_case(folder, result | {"shortlist": {"begins": begins[:10], "targets": targets[:20]}})


CASES = {"marian_npz": npz, "marian_prenorm": pre_norm, "marian_firefox": firefox, "marian_words": words}

if __name__ == "__main__":
    for case in sys.argv[1:] or CASES:
        CASES[case]()
