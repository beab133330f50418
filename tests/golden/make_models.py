#!/usr/bin/env python3
"""Writes models.json: the loss of small models and the gradient of every parameter, and classifier.json: the
probabilities of small classifiers, computed with PyTorch.

    python3 tests/golden/make_models.py        (needs PyTorch 1.13 or newer, e.g. Debian's python3-torch)

A case has the model's settings as YAML, its weights under dragoman's names, a batch, the loss summed over target words
(label smoothing 0.1) and the gradients, all in double precision. Sentences are computed one at a time, with PyTorch's
LSTM and multi-head attention.
"""
import json
import math
import os

import torch
import torch.nn.functional as F

torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
V_SOURCE, V_TARGET = 9, 10
SOURCES = [[4, 7, 2], [5, 8, 1, 3, 2], [6, 2]]
TARGETS_IN = [[1, 5, 8], [1, 9, 4, 3], [1, 7]]
TARGETS_OUT = [[5, 8, 2], [9, 4, 3, 2], [7, 2]]
cases = {}


class Weights(dict):
    """Parameters by name, created on first use."""

    def get(self, name, *shape):
        if name not in self:
            self[name] = (torch.randn(shape) * 0.4).requires_grad_()
        return self[name]


def plain(t):
    return {"shape": list(t.shape), "data": [float("%.10g" % v) for v in t.detach().reshape(-1).tolist()]}


def case(name, settings, logits_of):
    weights = Weights()
    loss = 0
    for source, target_in, target_out in zip(SOURCES, TARGETS_IN, TARGETS_OUT):
        logits = logits_of(weights, torch.tensor(source), torch.tensor(target_in))
        loss = loss + F.cross_entropy(logits, torch.tensor(target_out), label_smoothing=0.1, reduction="sum")
    gradients = torch.autograd.grad(loss, list(weights.values()))
    cases[name] = {"settings": settings, "loss": float(loss),
                   "weights": {k: plain(v) for k, v in weights.items()},
                   "gradients": {k: plain(g) for k, g in zip(weights, gradients)}}


def linear(w, name, x, out, bias=True):
    return F.linear(x, w.get(name + ".weight", out, x.shape[-1]), w.get(name + ".bias", out) if bias else None)


# ---- recurrent ----------------------------------------------------------------------------------------------------
EMBEDDING, HIDDEN = 5, 4  # HIDDEN is the size of one direction


def bi_lstm(w, x, first=None):
    """One bidirectional layer of torch.nn.LSTM over one sentence; dragoman has one bias, PyTorch two."""
    zero = torch.zeros(4 * HIDDEN)
    flat = []
    for suffix in ("_l0", "_l0_reverse"):
        flat += [w.get(f"encoder.lstm.weight_ih{suffix}", 4 * HIDDEN, x.shape[1]),
                 w.get(f"encoder.lstm.weight_hh{suffix}", 4 * HIDDEN, HIDDEN),
                 w.get(f"encoder.lstm.bias_ih{suffix}", 4 * HIDDEN), zero]
    if first is None:
        first = (torch.zeros(2, 1, HIDDEN), torch.zeros(2, 1, HIDDEN))
    out, h, c = torch._VF.lstm(x.unsqueeze(1), first, flat, True, 1, 0.0, False, True, False)
    return out.squeeze(1), h.reshape(-1), c.reshape(-1)


def cell(w, x, state, hidden):
    """PyTorch's LSTM cell for one row."""
    h, c = torch._VF.lstm_cell(x.unsqueeze(0), [s.unsqueeze(0) for s in state],
                               w.get("decoder.lstm.weight_ih_l0", 4 * hidden, x.shape[0]),
                               w.get("decoder.lstm.weight_hh_l0", 4 * hidden, hidden),
                               w.get("decoder.lstm.bias_ih_l0", 4 * hidden), torch.zeros(4 * hidden))
    return h.squeeze(0), c.squeeze(0)


def score_multiplicative(w, s, keys, name="decoder.attention"):
    return keys @ F.linear(s, w.get(name + ".score.weight", keys.shape[1], s.shape[0]))


def score_additive(w, s, keys, name="decoder.attention"):
    size = s.shape[0]
    inner = torch.tanh(linear(w, name + ".score_query", s, size, False) + linear(w, name + ".score_key", keys, size))
    return inner @ w.get(name + ".score_v", size)


def luong(w, source, target, lexical):
    """Multiplicative attention with input feeding (Luong et al. 2015), optionally with the lexical model (Nguyen &
    Chiang 2018)."""
    hidden = 2 * HIDDEN
    embedded = w.get("encoder.embed_tokens.weight", V_SOURCE, EMBEDDING)[source]
    states, h, c = bi_lstm(w, embedded)
    words = w.get("decoder.embed_tokens.weight", V_TARGET, EMBEDDING)[target]
    feed, rows = torch.zeros(hidden), []
    for word in words:
        h, c = cell(w, torch.cat([word, feed]), (h, c), hidden)
        a = torch.softmax(score_multiplicative(w, h, states), 0)
        feed = torch.tanh(linear(w, "decoder.hidden", torch.cat([h, a @ states]), hidden))
        row = feed
        if lexical:
            f = torch.tanh(a @ embedded)
            row = torch.cat([row, torch.tanh(linear(w, "decoder.lexical_hidden", f, EMBEDDING, False)) + f])
        rows.append(row)
    return linear(w, "output", torch.stack(rows), V_TARGET)


def compared(w, source, target, score, split=None, heads=0, past=False, direct=False):
    """Additive attention (Bahdanau et al. 2015) or key-value attention (Daniluk et al. 2017) without input feeding,
    with trainable initial states and projected encoder states. `split`: sizes of keys and values; `past`: attention over
    the states before the current one, too; `heads`: self-attention below both; `direct`: prediction without a tanh
    layer."""
    hidden = 6

    def context(name, s, states):
        keys, values = states, states
        if split:
            keys, values = linear(w, name + ".key_value", states, sum(split), False).split(split, 1)
        return torch.softmax(score(w, s, keys, name), 0) @ values
    embedded = w.get("encoder.embed_tokens.weight", V_SOURCE, EMBEDDING)[source]

    def first(what):
        return torch.stack([w.get(f"encoder.start.{what}_{d}_l0", 1, HIDDEN) for d in ("forward", "backward")])

    states, h, c = bi_lstm(w, embedded, (first("h"), first("c")))
    states = linear(w, "encoder.project_states", states, hidden)
    h, c = linear(w, "decoder.start.h_l0", h, hidden), linear(w, "decoder.start.c_l0", c, hidden)
    if heads:
        states = attention(w, "encoder.self_attn", states, states, False, heads=heads)
    before, own, rows = [h], [], []
    for word in w.get("decoder.embed_tokens.weight", V_TARGET, EMBEDDING)[target]:
        h, c = cell(w, word, (h, c), hidden)
        row = [h, context("decoder.attention", h, states)]
        if past:
            row.append(context("decoder.past_attention", h, torch.stack(before)))
            own.append(h)
            seen = attention(w, "decoder.self_attn", torch.stack(own), torch.stack(own), True, heads=heads)[-1]
            before.append(seen)
        rows.append(torch.cat(row))
    rows = torch.stack(rows)
    if not direct:
        rows = torch.tanh(linear(w, "decoder.hidden", rows, hidden))
    return linear(w, "output", rows, V_TARGET)


INPUT_FEEDING = """
family: recurrent
embedding: 5
attention.score: multiplicative
recurrent: {encoder-hidden: 4, decoder-hidden: 8, decoder-start: concatenated, input-feeding: true}
"""
PROJECTED = """
family: recurrent
embedding: 5
recurrent: {encoder-hidden: 4, decoder-hidden: 6, decoder-start: projected, project-states: true, trainable-start: true}
"""
case("lstm_luong", INPUT_FEEDING, lambda w, s, t: luong(w, s, t, False))
case("lstm_lexical", INPUT_FEEDING + "lexical: true\n", lambda w, s, t: luong(w, s, t, True))
case("lstm_additive", PROJECTED + "attention.score: additive\n", lambda w, s, t: compared(w, s, t, score_additive))
case("lstm_key_value", PROJECTED + "attention: {score: multiplicative, key-size: 5, value-size: 3}\n",
     lambda w, s, t: compared(w, s, t, score_multiplicative, [5, 3]))

# ---- Transformers -------------------------------------------------------------------------------------------------
SIZE, HEADS, INNER = 8, 2, 10


def positions(n):
    table = torch.zeros(n, SIZE)
    for p in range(n):
        for i in range(0, SIZE, 2):
            angle = p / 10000 ** (i / SIZE)
            table[p, i], table[p, i + 1] = math.sin(angle), math.cos(angle)
    return table


def attention(w, name, x, memory, causal, projection=None, heads=HEADS):
    size = x.shape[1]
    in_weight, in_bias = w.get(name + ".in_proj_weight", 3 * size, size), w.get(name + ".in_proj_bias", 3 * size)
    out_weight, out_bias = w.get(name + ".out_proj.weight", size, size), w.get(name + ".out_proj.bias", size)
    if projection is None:
        mask = torch.ones(len(x), len(memory)).triu(1).bool() if causal else None
        out, _ = F.multi_head_attention_forward(
            x.unsqueeze(1), memory.unsqueeze(1), memory.unsqueeze(1), size, heads, in_weight, in_bias, None, None, False,
            0.0, out_weight, out_bias, False, attn_mask=mask, need_weights=False)
        return out.squeeze(1)
    k, n_max = projection
    n = len(memory)
    project_keys = w.get(name + ".linformer_keys", k, n_max)[:, :n]
    project_values = w.get(name + ".linformer_values", k, n_max)[:, :n]
    (wq, wk, wv), (bq, bk, bv) = in_weight.chunk(3), in_bias.chunk(3)
    q, keys, values = F.linear(x, wq, bq), F.linear(project_keys @ memory, wk, bk), F.linear(project_values @ memory, wv, bv)

    def split(y):
        return y.view(len(y), heads, -1).transpose(0, 1)

    scores = split(q) @ split(keys).transpose(1, 2) / math.sqrt(size // heads)
    out = (torch.softmax(scores, -1) @ split(values)).transpose(0, 1).reshape(len(x), size)
    return F.linear(out, out_weight, out_bias)


def norm(w, name, x):
    return F.layer_norm(x, (SIZE,), w.get(name + ".weight", SIZE), w.get(name + ".bias", SIZE))


def feed_forward(w, name, x):
    return linear(w, name + ".linear2", torch.relu(linear(w, name + ".linear1", x, INNER)), SIZE)


def blocks(w, name, x, branches, pre):
    for i, branch in enumerate(branches, 1):
        if pre:
            x = x + branch(norm(w, f"{name}.norm{i}", x))
        else:
            x = norm(w, f"{name}.norm{i}", x + branch(x))
    return x


def embed(w, side, words, tokens):
    table = w.get(f"{side}.embed_tokens.weight", words, SIZE)
    return table[tokens] * math.sqrt(SIZE) + positions(len(tokens))


def transformer_encoder(w, source, pre, projection=None):
    x = embed(w, "encoder", V_SOURCE, source)
    for i in range(2):
        name = f"encoder.layers.{i}"
        x = blocks(w, name, x, [lambda y: attention(w, name + ".self_attn", y, y, False, projection),
                                lambda y: feed_forward(w, name, y)], pre)
    return norm(w, "encoder.norm", x) if pre else x


def transformer(w, source, target, pre, projection=None):
    memory = transformer_encoder(w, source, pre, projection)
    x = embed(w, "decoder", V_TARGET, target)
    for i in range(2):
        name = f"decoder.layers.{i}"
        x = blocks(w, name, x, [lambda y: attention(w, name + ".self_attn", y, y, True),
                                lambda y: attention(w, name + ".multihead_attn", y, memory, False, projection),
                                lambda y: feed_forward(w, name, y)], pre)
    return linear(w, "output", norm(w, "decoder.norm", x) if pre else x, V_TARGET)


T = """
family: transformer
embedding: 8
attention.heads: 2
transformer: {size: 8, feed-forward: 10, encoder-layers: 2, decoder-layers: 2, norm: %s, dropout: 0}
"""
case("transformer_post", T % "post", lambda w, s, t: transformer(w, s, t, False))
case("transformer_pre", T % "pre", lambda w, s, t: transformer(w, s, t, True))
case("linformer", T % "post" + "attention: {linformer: 3, linformer-length: 7}\n",
     lambda w, s, t: transformer(w, s, t, False, (3, 7)))

# ---- recurrent, without a tanh layer before the output layer ---------------------------------------------------------
DIRECT = PROJECTED + "recurrent.prediction: direct\n"
OVER_PAST = "recurrent.attention-over: source_and_past\nrecurrent.self-attention-heads: 2\n"
case("direct_key_value", DIRECT + "attention: {score: multiplicative, key-size: 5, value-size: 3}\n",
     lambda w, s, t: compared(w, s, t, score_multiplicative, [5, 3], direct=True))
case("direct_past_self", DIRECT + OVER_PAST + "attention.score: additive\n",
     lambda w, s, t: compared(w, s, t, score_additive, heads=2, past=True, direct=True))
case("direct_key_value_past_self",
     DIRECT + OVER_PAST + "attention: {score: multiplicative, key-size: 5, value-size: 3}\n",
     lambda w, s, t: compared(w, s, t, score_multiplicative, [5, 3], heads=2, past=True, direct=True))

out = {"sources": SOURCES, "inputs": TARGETS_IN, "targets": TARGETS_OUT, "source_vocabulary": V_SOURCE,
       "target_vocabulary": V_TARGET, "cases": cases}


def save(name, what, count):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, "w") as file:
        json.dump(what, file, separators=(",", ":"))
        file.write("\n")
    print(f"{count} cases written to {path}")


save("models.json", out, len(cases))

# ---- classifiers: an output layer over the mean of the encoder's states ------------------------------------------------
CLASSES = 3
TEXTS = [[4, 7, 2], [5, 8, 4, 6, 2], [6, 2], [4, 5, 6, 7, 8, 4, 2]]  # words, then the end of the sentence
classifiers = {}


def classifier(name, settings, states_of):
    weights = Weights()
    probabilities = []
    for text in TEXTS:
        logits = linear(weights, "output", states_of(weights, torch.tensor(text)).mean(0), CLASSES)
        probabilities.append(torch.softmax(logits, 0).tolist())
    classifiers[name] = {"settings": settings, "weights": {k: plain(v) for k, v in weights.items()},
                         "probabilities": probabilities}


classifier("transformer_post", T % "post", lambda w, s: transformer_encoder(w, s, False))
classifier("transformer_pre", T % "pre", lambda w, s: transformer_encoder(w, s, True))
classifier("linformer", T % "post" + "attention: {linformer: 3, linformer-length: 7}\n",
           lambda w, s: transformer_encoder(w, s, False, (3, 7)))
classifier("lstm", "family: recurrent\nembedding: 5\nrecurrent: {encoder-hidden: 4, decoder-hidden: 8}\n",
           lambda w, s: bi_lstm(w, w.get("encoder.embed_tokens.weight", V_SOURCE, EMBEDDING)[s])[0])
save("classifier.json", {"texts": TEXTS, "source_vocabulary": V_SOURCE, "classes": CLASSES, "cases": classifiers},
     len(classifiers))
