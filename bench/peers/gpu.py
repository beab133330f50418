#!/usr/bin/env python3
"""The measurements of bench/gpu with PyTorch on the same GPU: bf16 autocast, scaled_dot_product_attention, fused AdamW,
and torch.compile where compilation does not take most of the time. Batches are padded; speeds count real target tokens.

    bench/peers/gpu.py [--lengths FILE] [--only NAME ...]

bench/gpu_table runs it with a time limit per name and prints the numbers next to ours.
"""
import argparse
import gc
import time

import models as peer
import torch
from torch import nn
from torch.nn import functional as F


class LinformerAttention(peer.Attention):
    """Linformer (Wang et al. 2020): the length is projected first, so fewer rows become keys and values; padding is masked."""

    def __init__(self, size, heads, dropout, rows=32, longest=256):
        super().__init__(size, heads, dropout)
        self.length_keys = nn.Parameter(torch.randn(rows, longest) / rows**0.5)
        self.length_values = nn.Parameter(torch.randn(rows, longest) / rows**0.5)
        self.mask = None

    def keys(self, x):
        if self.mask is not None:
            x = x * self.mask
        n, size = x.shape[1], x.shape[2]
        mixtures = self.length_keys[:, :n] @ x, self.length_values[:, :n] @ x
        layers = zip(self.key_value.weight.split(size), self.key_value.bias.split(size))
        return tuple(self.split(F.linear(mixed, *layer)) for mixed, layer in zip(mixtures, layers))

    def forward(self, x, keys, mask=None, causal=False):
        return super().forward(x, keys, None, causal)


class Linformer(peer.Transformer):
    def __init__(self, words):
        super().__init__(words, *peer.TRANSFORMERS["transformer-base"])
        for layer in [*self.encoder, *self.decoder]:
            name = "own" if layer.source is None else "source"
            setattr(layer, name, LinformerAttention(512, 8, 0.0))

    def encode(self, source, mask):
        for layer in [*self.encoder, *self.decoder]:
            attention = layer.own if layer.source is None else layer.source
            attention.mask = None if mask is None else mask[:, :, None].to(torch.bfloat16)
        return super().encode(source, mask)


def batches_of(lengths, batch, vocabulary, steps, multiple):
    """Widths are rounded up to a multiple, so that few shapes occur."""
    batches = []
    for step in range(steps):
        chosen = [lengths[(step * batch + i) % len(lengths)] for i in range(batch)]
        sides = []
        for side in range(2):
            own = [pair[side] for pair in chosen]
            width = -(-max(own) // multiple) * multiple
            tokens = torch.full((batch, width), peer.PAD)
            for row, length in zip(tokens, own):
                row[:length] = torch.randint(1, vocabulary, (length,))
            mask = tokens != peer.PAD
            sides.append((tokens.cuda(), None if mask.all() else mask.cuda()))
        (source, mask), (target, _) = sides
        batches.append((source, mask, target, sum(pair[1] for pair in chosen)))
    return batches


def train_rate(model, batches, compiled, warm_up=4):
    model = model.cuda().train()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def loss_of(source, mask, target):
        logits = model.output(model.features(target, model.encode(source, mask)))
        return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=peer.PAD, label_smoothing=0.1)

    if compiled:
        loss_of = torch.compile(loss_of, dynamic=len({b[0].shape + b[2].shape for b in batches}) > 1)

    def step(batch):
        source, mask, target, _ = batch
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = loss_of(source, mask, target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 4.0, foreach=True)
        optimiser.step()

    for batch in batches[:warm_up]:
        step(batch)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for batch in batches:
        step(batch)
    torch.cuda.synchronize()
    return sum(batch[3] for batch in batches) / (time.perf_counter() - start)


class DeepLstm(peer.LstmLuong):
    """Two encoder and two decoder layers of 512 units."""

    def __init__(self, words):
        super().__init__(words, 512, 256, 512, 0.0)
        self.lstm = nn.LSTM(512, 256, num_layers=2, bidirectional=True, batch_first=True)
        self.upper = nn.LSTMCell(512, 512)

    def start(self, memory):
        states, _, last = memory
        layers = [[torch.cat([part[2 * i], part[2 * i + 1]], dim=1) for part in last] for i in range(2)]
        return layers[0], layers[1], torch.zeros_like(layers[0][0])

    def advance(self, embedded, memory, state):
        states, _, _ = memory
        lower, upper, fed = state
        lower = self.cell(torch.cat([embedded, fed], dim=1), lower)
        upper = self.upper(lower[0], upper)
        scores = torch.bmm(states, self.score(upper[0])[:, :, None])[:, :, 0]
        context = torch.bmm(scores.softmax(1)[:, None], states)[:, 0]
        return lower, upper, self.hidden(torch.cat([upper[0], context], dim=1)).tanh()


class Comparison(nn.Module):
    """The LSTM of the attention comparison: whole sequences through cuDNN, then attention for all positions at once."""

    SCORES = ("none", "additive", "multiplicative", "scaled-dot", "key-value")

    def __init__(self, words, score, past=False, size=64, embedding=128):
        super().__init__()
        self.score, self.past = score, past
        self.source, self.target = nn.Embedding(words, embedding), nn.Embedding(words, embedding)
        self.encoder = nn.LSTM(embedding, size, num_layers=2, bidirectional=True, batch_first=True)
        self.decoder = nn.LSTM(embedding, size, num_layers=2, batch_first=True)
        self.first = nn.ParameterList(nn.Parameter(torch.zeros(4, 1, size)) for _ in range(2))
        self.project = nn.Linear(2 * size, size)
        self.starts = nn.ModuleList(nn.Linear(2 * size, size) for _ in range(4))
        self.attentions = nn.ModuleList(self.parts(size) for _ in range(2 if past else 1))
        self.own = nn.ModuleList(peer.Attention(size, 2, 0.0) for _ in range(2)) if past else []
        contexts = {"none": 0, "key-value": size // 4}.get(score, size)
        self.hidden = nn.Linear(size + contexts * len(self.attentions), size)
        self.output = nn.Linear(size, words)

    def parts(self, size):
        linear = lambda bias: nn.Linear(size, size, bias=bias)
        if self.score == "additive":
            return nn.ModuleDict({"query": linear(False), "key": linear(True), "v": nn.Linear(size, 1, bias=False)})
        if self.score == "multiplicative":
            return nn.ModuleDict({"query": linear(False)})
        if self.score == "key-value":
            return nn.ModuleDict({"query": nn.Linear(size, size * 3 // 4, bias=False), "split": linear(False)})
        return nn.ModuleDict()

    def context(self, parts, x, memory, causal):
        keys, values, scale = memory, memory, None
        if self.score == "additive":
            scores = parts["v"](torch.tanh(parts["query"](x)[:, :, None] + parts["key"](keys)[:, None]))[..., 0]
            if causal:
                scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
            return scores.softmax(2).to(values.dtype) @ values
        if self.score == "key-value":
            keys, values = parts["split"](memory).tensor_split([memory.shape[2] * 3 // 4], dim=2)
        if "query" in parts:
            x, scale = parts["query"](x), 1.0
        return F.scaled_dot_product_attention(x, keys, values, is_causal=causal, scale=scale)

    def encode(self, source, mask):
        count = source.shape[0]
        states, last = self.encoder(self.source(source), tuple(f.expand(-1, count, -1).contiguous() for f in self.first))
        states = self.project(states)
        if self.past:
            states = self.own[0](states, self.own[0].keys(states))
        return states, last

    def features(self, target, memory):
        states, last = memory
        start = [torch.stack([self.starts[2 * i + layer](torch.cat([part[2 * layer], part[2 * layer + 1]], dim=1))
                              for layer in range(2)]) for i, part in enumerate(last)]
        x, _ = self.decoder(self.target(target), tuple(part.to(start[0].dtype) for part in start))
        contexts = [] if self.score == "none" else [self.context(self.attentions[0], x, states, False)]
        if self.past:
            own = self.own[1](x, self.own[1].keys(x), causal=True)
            before = torch.cat([start[0][1][:, None].to(own.dtype), own[:, :-1]], dim=1)
            contexts.append(self.context(self.attentions[1], x, before, True))
        return self.hidden(torch.cat([x, *contexts], dim=2)).tanh()


@torch.inference_mode()
def encode_rate(model, length, compiled=True):
    model = model.cuda().eval()
    tokens = torch.randint(1, 32000, (65536 // length, length)).cuda()

    def states(source):
        x = model.embed(model.source, source)
        for layer in model.encoder:
            x = layer(x, layer.own.keys(x), None, False)
        return x

    run = torch.compile(states) if compiled else states
    with torch.autocast("cuda", torch.bfloat16):
        for _ in range(3):
            run(tokens)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(10):
            run(tokens)
        torch.cuda.synchronize()
    return 10 * 65536 / (time.perf_counter() - start)


@torch.inference_mode()
def beam_rate(sentences=128, length=30, beams=4):
    from transformers import MarianConfig, MarianMTModel
    config = MarianConfig(vocab_size=32000, d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8,
                          decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048, pad_token_id=0,
                          eos_token_id=2, decoder_start_token_id=0, forced_eos_token_id=None)
    model = MarianMTModel(config).cuda().to(torch.bfloat16).eval()
    tokens = torch.randint(3, 32000, (sentences, length)).cuda()
    options = dict(num_beams=beams, min_new_tokens=length, max_new_tokens=length, do_sample=False)
    model.generate(tokens, **options)
    torch.cuda.synchronize()
    start = time.perf_counter()
    model.generate(tokens, **options)
    torch.cuda.synchronize()
    return sentences * length / (time.perf_counter() - start)


def base(words):
    return peer.make_model("transformer-base", words)


def read_lengths(path):
    with open(path) as file:
        return [tuple(map(int, line.split())) for line in file]


def long_encoder(length):
    model = base(32000)
    angles = torch.arange(4096)[:, None] / 10000 ** (torch.arange(0, 512, 2) / 512)
    model.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1))
    return encode_rate(model, length)


def measures(lengths):
    """All measurements: name -> function that returns tokens per second."""
    real = lambda model, compiled: lambda: train_rate(
        model(50272), batches_of(read_lengths(lengths), 88, 50272, 60, 32), compiled, 60 if compiled else 4)
    lstm = lambda compiled: lambda: train_rate(DeepLstm(8000), batches_of([(25, 25)], 256, 8000, 10, 1), compiled)
    comparison = lambda *kind: lambda: train_rate(
        Comparison(8000, *kind), batches_of([(15, 15)], 300, 8000, 20, 1), False)
    table = {"base compiled": lambda: train_rate(base(32000), batches_of([(64, 64)], 256, 32000, 20, 1), True),
             "lstm eager": lstm(False), "lstm compiled": lstm(True), "beam eager": beam_rate,
             "comparison past eager": comparison("additive", True)}
    for score in Comparison.SCORES:
        table[f"comparison {score} eager"] = comparison(score)
    for n in (64, 256, 1024, 4096):
        table[f"encoder {n} compiled"] = lambda n=n: long_encoder(n)
    if lengths:
        for name, model in (("real", base), ("linformer", Linformer)):
            table[f"{name} eager"], table[f"{name} compiled"] = real(model, False), real(model, True)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", default="", help="file of lines SOURCE_LENGTH TARGET_LENGTH: real sentences")
    parser.add_argument("--only", nargs="+", help="names of measurements, such as 'base compiled'")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    table = measures(options.lengths)
    for name in options.only or table:
        print(f"{name:<32} {table[name]():>12.1f} tokens/s", flush=True)
        torch.compiler.reset()
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
