#!/usr/bin/env python3
"""The measurements of bench_models with PyTorch: the same architectures, sizes and lengths, padded and masked.

Eager mode with its fastest parts: scaled_dot_product_attention, fused Adam, no masks where nothing is padded, a KV
cache in greedy decoding. Speeds are real target tokens per second; padding is not counted.
Takes the options of bench_models and prints the same columns. bf16 is automatic mixed precision.
"""
import argparse
import math
import time
from statistics import median

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

PAD = 0
TRANSFORMERS = {  # layers, size, feed-forward, heads, dropout, attention dropout, activation dropout; as in configs/
    "transformer-base": (6, 512, 2048, 8, 0.1, 0.0, 0.0),
    "transformer-small": (2, 128, 512, 2, 0.1, 0.2, 0.1),
}


class Attention(nn.Module):
    def __init__(self, size, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.key_value, self.out = nn.Linear(size, size), nn.Linear(size, 2 * size), nn.Linear(size, size)

    def split(self, x):  # [B, T, d] -> [B, heads, T, d / heads]
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def keys(self, x):
        k, v = self.key_value(x).chunk(2, dim=2)
        return self.split(k), self.split(v)

    def forward(self, x, keys, mask=None, causal=False):
        dropout = self.dropout if self.training else 0.0
        q = self.split(self.query(x))
        out = F.scaled_dot_product_attention(q, *keys, attn_mask=mask, dropout_p=dropout, is_causal=causal)
        return self.out(out.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Post-norm; decoder layers also have cross-attention."""

    def __init__(self, size, inner, heads, dropout, attention, activation, decoder):
        super().__init__()
        self.own = Attention(size, heads, attention)
        self.source = Attention(size, heads, attention) if decoder else None
        self.up, self.down = nn.Linear(size, inner), nn.Linear(inner, size)
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3 if decoder else 2))
        self.dropout, self.inner_dropout = nn.Dropout(dropout), nn.Dropout(activation)

    def forward(self, x, own_keys, own_mask, causal, source_keys=None, source_mask=None):
        x = self.norms[0](x + self.dropout(self.own(x, own_keys, own_mask, causal)))
        if self.source is not None:
            x = self.norms[1](x + self.dropout(self.source(x, source_keys, source_mask)))
        return self.norms[-1](x + self.dropout(self.down(self.inner_dropout(F.relu(self.up(x))))))


class Transformer(nn.Module):
    def __init__(self, words, layers, size, inner, heads, dropout, attention, activation):
        super().__init__()
        make = lambda decoder: nn.ModuleList(
            Layer(size, inner, heads, dropout, attention, activation, decoder) for _ in range(layers))
        self.encoder, self.decoder = make(False), make(True)
        self.source, self.target = nn.Embedding(words, size), nn.Embedding(words, size)
        self.output, self.dropout, self.scale = nn.Linear(size, words), nn.Dropout(dropout), math.sqrt(size)
        angles = torch.arange(1024)[:, None] / 10000 ** (torch.arange(0, size, 2) / size)
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1))

    def embed(self, table, tokens, first=0):
        return self.dropout(table(tokens) * self.scale + self.positions[first:first + tokens.shape[1]])

    def encode(self, source, mask):
        x = self.embed(self.source, source)
        attention_mask = None if mask is None else mask[:, None, None, :]
        for layer in self.encoder:
            x = layer(x, layer.own.keys(x), attention_mask, False)
        return [layer.source.keys(x) for layer in self.decoder], attention_mask

    # The causal mask suffices: no real word attends to the padding behind it.
    def features(self, target, memory):
        keys, mask = memory
        x = self.embed(self.target, target)
        for layer, source in zip(self.decoder, keys):
            x = layer(x, layer.own.keys(x), None, True, source, mask)
        return x

    def start(self, memory):
        return [None] * len(self.decoder), 0

    def step(self, words, memory, state):
        keys, mask = memory
        past, length = state
        x = self.embed(self.target, words[:, None], length)
        for i, layer in enumerate(self.decoder):
            new = layer.own.keys(x)
            past[i] = new if past[i] is None else tuple(torch.cat(pair, dim=2) for pair in zip(past[i], new))
            x = layer(x, past[i], None, False, keys[i], mask)
        return self.output(x[:, 0]), (past, length + 1)


class LstmLuong(nn.Module):
    """Multiplicative attention and input feeding (Luong et al. 2015), step by step."""

    def __init__(self, words, embedding=64, encoder_hidden=64, hidden=128, dropout=0.25):
        super().__init__()
        self.source, self.target = nn.Embedding(words, embedding), nn.Embedding(words, embedding)
        self.lstm = nn.LSTM(embedding, encoder_hidden, bidirectional=True, batch_first=True)
        self.cell = nn.LSTMCell(embedding + hidden, hidden)
        self.score = nn.Linear(hidden, hidden, bias=False)
        self.hidden, self.output, self.dropout = nn.Linear(2 * hidden, hidden), nn.Linear(hidden, words), nn.Dropout(dropout)

    def encode(self, source, mask):
        x = self.dropout(self.source(source))
        if mask is None:
            states, last = self.lstm(x)
        else:
            packed = pack_padded_sequence(x, mask.sum(1), batch_first=True, enforce_sorted=False)
            packed, last = self.lstm(packed)
            states, _ = pad_packed_sequence(packed, batch_first=True)
        return self.dropout(states), None if mask is None else ~mask, last

    def start(self, memory):
        states, _, last = memory
        h, c = (torch.cat([part[0], part[1]], dim=1) for part in last)
        return h, c, torch.zeros_like(h)

    def advance(self, embedded, memory, state):
        states, padding, _ = memory
        h, c, fed = state
        h, c = self.cell(torch.cat([embedded, fed], dim=1), (h, c))
        scores = torch.bmm(states, self.score(h)[:, :, None])[:, :, 0]
        if padding is not None:
            scores = scores.masked_fill(padding, -torch.inf)
        context = torch.bmm(scores.softmax(1)[:, None], states)[:, 0]
        return h, c, self.dropout(self.hidden(torch.cat([h, context], dim=1)).tanh())

    def features(self, target, memory):
        embedded = self.dropout(self.target(target))
        state, outputs = self.start(memory), []
        for t in range(target.shape[1]):
            state = self.advance(embedded[:, t], memory, state)
            outputs.append(state[2])
        return torch.stack(outputs, dim=1)

    def step(self, words, memory, state):
        state = self.advance(self.target(words), memory, state)
        return self.output(state[2]), state


def make_model(name, words):
    if name == "lstm-luong":
        return LstmLuong(words)
    if name in TRANSFORMERS:
        return Transformer(words, *TRANSFORMERS[name])
    raise SystemExit(f"{name} is not among {', '.join(['lstm-luong', *TRANSFORMERS])}")


def padded(lengths, vocabulary):
    tokens = torch.full((len(lengths), max(lengths)), PAD)
    for row, length in zip(tokens, lengths):
        row[:length] = torch.randint(1, vocabulary, (length,))
    mask = tokens != PAD
    return tokens, None if mask.all() else mask


def make_batches(options):
    if options.lengths.startswith("equal:"):
        lengths = [(int(options.lengths[6:]),) * 2]
    else:
        with open(options.lengths) as file:
            lengths = [tuple(map(int, line.split())) for line in file]
    batches = []
    for step in range(options.steps):
        chosen = [lengths[(step * options.batch + i) % len(lengths)] for i in range(options.batch)]
        source, target = zip(*chosen)
        batches.append((*padded(source, options.vocabulary), padded(target, options.vocabulary)[0], sum(target)))
    return batches


def train_step(model, optimiser, batch):
    source, mask, target, _ = batch
    optimiser.zero_grad(set_to_none=False)
    logits = model.output(model.features(target, model.encode(source, mask)))
    F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, label_smoothing=0.1).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 4.0, foreach=True)
    optimiser.step()


class Clock:
    """Tokens per second of wall time, and per second of CPU time of all threads."""

    def __init__(self):
        self.start, self.worked = time.perf_counter(), time.process_time()

    def rates(self, tokens):
        return tokens / (time.perf_counter() - self.start), tokens / (time.process_time() - self.worked)


def train_rates(model, batches):
    model.train()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
    train_step(model, optimiser, batches[0])
    rates = []
    for batch in batches:
        clock = Clock()
        train_step(model, optimiser, batch)
        rates.append(clock.rates(batch[3]))
    return rates


@torch.inference_mode()
def greedy(model, batch):
    source, mask, target, _ = batch
    memory = model.encode(source, mask)
    words = torch.ones(len(source), dtype=torch.long)
    clock = Clock()
    state = model.start(memory)
    for _ in range(target.shape[1]):
        logits, state = model.step(words, memory, state)
        words = logits.argmax(1)
    return clock.rates(target.numel())


def greedy_rates(model, batches):
    model.eval()
    greedy(model, batches[0])
    return [greedy(model, batch) for batch in batches]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", nargs="+", default=["lstm-luong", *TRANSFORMERS])
    parser.add_argument("--mode", nargs="+", default=["train", "greedy"], choices=["train", "greedy"])
    parser.add_argument("--lengths", default="equal:25")
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--vocabulary", type=int, default=8000)
    parser.add_argument("--steps", type=int, default=7)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--precision", default="f32", choices=["f32", "bf16"])
    options = parser.parse_args()
    if options.threads > 0:
        torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    batches = make_batches(options)
    print(f"{'preset':<44} {'what':<8} {'tokens/s':>12} {'per CPU second':>26}")
    for name in options.preset:
        model = make_model(name, options.vocabulary)
        for mode in options.mode:
            with torch.autocast("cpu", torch.bfloat16, enabled=options.precision == "bf16"):
                wall, processor = zip(*(train_rates if mode == "train" else greedy_rates)(model, batches))
            print(f"{name:<44} {mode:<8} {median(wall):>12.1f} {median(processor):>26.1f}", flush=True)


if __name__ == "__main__":
    main()
