#!/usr/bin/env python3
"""Writes engine.json: values and gradients of dragoman's ops computed with PyTorch in double precision.

    python3 tests/golden/make_engine.py        (needs PyTorch 1.13 or newer, e.g. Debian's python3-torch)

Every case has `inputs`, `outputs` and `gradients`, the last for the loss  sum(outputs[i] * seeds[i]).
"""
import json
import math
import os

import torch
import torch.nn.functional as F

torch.manual_seed(20)
torch.set_default_dtype(torch.float64)
cases = {}


def tensor(t):
    return {"shape": list(t.shape), "data": [float("%.12g" % v) for v in t.detach().reshape(-1).tolist()]}


def case(name, inputs, function, **numbers):
    """Runs function(**inputs) and stores its outputs and the gradients of all inputs."""
    leaves = {key: torch.randn(shape).mul_(0.7).requires_grad_() for key, shape in inputs.items()}
    outputs = function(**leaves)
    seeds = {key: torch.randn_like(value) for key, value in outputs.items()}
    loss = sum((outputs[key] * seeds[key]).sum() for key in outputs)
    gradients = torch.autograd.grad(loss, list(leaves.values()))
    cases[name] = {
        "inputs": {k: tensor(v) for k, v in leaves.items()},
        "outputs": {k: tensor(v) for k, v in outputs.items()},
        "seeds": {k: tensor(v) for k, v in seeds.items()},
        "gradients": {k: tensor(g) for k, g in zip(leaves, gradients)},
        "numbers": numbers,
    }


for activation, function in [("none", lambda z: z), ("relu", torch.relu), ("gelu", F.gelu), ("tanh", torch.tanh)]:
    case(f"linear_{activation}", dict(x=(5, 6), weight=(4, 6), bias=(4,)),
         lambda x, weight, bias, f=function: dict(y=f(F.linear(x, weight, bias))))

case("layer_norm", dict(x=(5, 9), gain=(9,), bias=(9,)),
     lambda x, gain, bias: dict(y=F.layer_norm(x, (9,), gain, bias, 1e-5)))

case("residual_norm", dict(x=(5, 9), branch=(5, 9), gain=(9,), bias=(9,)),
     lambda x, branch, gain, bias: dict(sum=x + branch, y=F.layer_norm(x + branch, (9,), gain, bias, 1e-5)))

targets = torch.tensor([6, 0, 3, 3, 1, 10])
for smoothing in (0.0, 0.1):
    # The loss is the sum over rows, so its seed is one.
    leaves = [torch.randn(6, 5).requires_grad_(), torch.randn(11, 5).requires_grad_(), torch.randn(11).requires_grad_()]
    loss = F.cross_entropy(F.linear(*leaves), targets, label_smoothing=smoothing, reduction="none")
    gradients = torch.autograd.grad(loss.sum(), leaves)
    cases[f"cross_entropy_{smoothing}"] = {
        "inputs": {k: tensor(v) for k, v in zip(("x", "weight", "bias"), leaves)},
        "outputs": {"loss": tensor(loss)},
        "gradients": {k: tensor(v) for k, v in zip(("x", "weight", "bias"), gradients)},
        "numbers": {"targets": targets.tolist(), "smoothing": smoothing},
    }


def padded_attention(q, k, v, query_lengths, key_lengths, heads, causal):
    """Attention with padding and masks; takes and returns packed rows."""
    batch, longest_q, longest_k = len(query_lengths), max(query_lengths), max(key_lengths)

    def pad(rows, lengths, longest):
        out, at = [], 0
        for n in lengths:
            out.append(F.pad(rows[at:at + n], (0, 0, 0, longest - n)))
            at += n
        return torch.stack(out)

    def split(x):
        return x.view(batch, x.shape[1], heads, -1).transpose(1, 2)

    pq, pk, pv = (split(pad(q, query_lengths, longest_q)), split(pad(k, key_lengths, longest_k)),
                  split(pad(v, key_lengths, longest_k)))
    scores = pq @ pk.transpose(2, 3) / math.sqrt(pq.shape[-1])
    for b in range(batch):
        scores[b, :, :, key_lengths[b]:] = -math.inf
        if causal:
            for i in range(query_lengths[b]):
                scores[b, :, i, key_lengths[b] - query_lengths[b] + i + 1:] = -math.inf
    out = (torch.softmax(scores, -1) @ pv).transpose(1, 2).reshape(batch, longest_q, -1)
    return torch.cat([out[b, :query_lengths[b]] for b in range(batch)])


for name, ql, kl, causal in [("cross", [3, 1, 4], [2, 5, 3], False), ("causal", [3, 1, 4], [3, 1, 4], True),
                             ("append", [2, 1, 1], [4, 3, 1], True)]:
    case(f"attention_{name}", dict(q=(sum(ql), 8), k=(sum(kl), 8), v=(sum(kl), 6)),
         lambda q, k, v, a=(ql, kl), c=causal: dict(out=padded_attention(q, k, v, *a, 2, c)),
         query_lengths=ql, key_lengths=kl, causal=causal)


def lstm(x, w_ih, w_hh, b_ih, b_hh, h_first, c_first, lengths, reverse):
    """One direction of torch.nn.LSTM over a packed sequence; takes and returns packed rows in sentence order."""
    hidden = w_hh.shape[1]
    module = torch.nn.LSTM(x.shape[1], hidden, bidirectional=reverse)
    suffix = "_l0_reverse" if reverse else "_l0"
    names = dict(zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), (w_ih, w_hh, b_ih, b_hh)))
    for key, value in names.items():
        delattr(module, key + suffix)
        setattr(module, key + suffix, value)
    module._flat_weights = [getattr(module, n) for n in module._flat_weights_names]
    rows, at = [], 0
    for n in lengths:
        rows.append(x[at:at + n])
        at += n
    packed = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
    state = [s.unsqueeze(0) for s in (h_first, c_first)]
    if reverse:
        state = [torch.cat([torch.zeros_like(s), s]) for s in state]
    out, (h, c) = module(packed, tuple(state))
    padded, _ = torch.nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
    part = slice(hidden, 2 * hidden) if reverse else slice(0, hidden)
    return dict(h=torch.cat([padded[b, :n, part] for b, n in enumerate(lengths)]), h_last=h[-1], c_last=c[-1])


for reverse in (False, True):
    lengths = [3, 1, 5, 2]
    case("lstm_reverse" if reverse else "lstm_forward",
         dict(x=(11, 4), w_ih=(12, 4), w_hh=(12, 3), b_ih=(12,), b_hh=(12,), h_first=(4, 3), c_first=(4, 3)),
         lambda r=reverse, **leaves: lstm(lengths=lengths, reverse=r, **leaves), lengths=lengths, reverse=reverse)

for kind in ("adam", "adamw", "sgd"):
    weight = torch.randn(23).requires_grad_()
    start = weight.detach().clone()
    gradients = [torch.randn(23) * 3 for _ in range(3)]
    rate, decay = 0.05, 0.1
    optimiser = {"adam": lambda: torch.optim.Adam([weight], rate, (0.8, 0.95), 1e-6, decay),
                 "adamw": lambda: torch.optim.AdamW([weight], rate, (0.8, 0.95), 1e-6, decay),
                 "sgd": lambda: torch.optim.SGD([weight], rate, 0.9, weight_decay=decay)}[kind]()
    steps, norms = [], []
    for gradient in gradients:
        weight.grad = gradient.clone()
        norms.append(float(torch.nn.utils.clip_grad_norm_([weight], 4.0)))
        optimiser.step()
        steps.append(tensor(weight))
    cases[f"optimiser_{kind}"] = {"start": tensor(start), "given": [tensor(g) for g in gradients], "steps": steps,
                                  "numbers": {"rate": rate, "decay": decay, "clip": 4.0, "norms": norms}}

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "engine.json")
with open(path, "w") as file:
    json.dump(cases, file, separators=(",", ":"))
    file.write("\n")
print(f"{len(cases)} cases written to {path}")
