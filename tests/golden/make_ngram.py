#!/usr/bin/env python3
"""Writes ngram.json: probabilities of interpolated modified Kneser-Ney models of made-up text, computed directly from the
definitions (Chen and Goodman 1998; n-grams at the beginning of a sentence keep their counts, words are interpolated with
the uniform distribution over the vocabulary, </s> and <unk>). Slow and simple on purpose; independent of the program.

    python3 tests/golden/make_ngram.py > tests/golden/ngram.json
"""
import json
import math
import random
from collections import Counter, defaultdict


def make_text(rng, sentences):
    """Sentences of a small random grammar: each word has a few preferred successors with a Zipf distribution."""
    words = [f"w{i}" for i in range(80)]
    follow = {w: rng.sample(words, 12) for w in words}
    weights = [1 / (r + 1) for r in range(12)]
    lines = []
    for _ in range(sentences):
        word, line = rng.choice(words[:10]), []
        for _ in range(rng.randint(1, 14)):
            line.append(word)
            word = rng.choices(follow[word], weights)[0]
        lines.append(" ".join(line))
    return lines


class KneserNey:
    def __init__(self, lines, order):
        self.order = order
        raw = Counter()
        vocabulary = set()
        for line in lines:
            words = ["<s>"] + line.split() + ["</s>"]
            vocabulary.update(words[1:])
            for n in range(1, order + 1):
                for i in range(len(words) - n + 1):
                    raw[tuple(words[i:i + n])] += 1
        del raw[("<s>",)]
        self.vocabulary = vocabulary | {"<unk>"}
        left = defaultdict(set)
        for ngram in raw:
            left[ngram[1:]].add(ngram[0])
        self.count = {}
        for ngram, c in raw.items():
            keeps = len(ngram) == order or ngram[0] == "<s>"
            self.count[ngram] = c if keeps else len(left[ngram])
        self.discounts = {n: self.estimate(n) for n in range(1, order + 1)}
        self.followers = defaultdict(dict)
        for ngram, c in self.count.items():
            self.followers[ngram[:-1]][ngram[-1]] = c

    def estimate(self, n):
        t = Counter(c for ngram, c in self.count.items() if len(ngram) == n)
        if any(t[k] == 0 for k in (1, 2, 3, 4)):
            return [0.5, 1.0, 1.5]
        y = t[1] / (t[1] + 2 * t[2])
        d = [k - (k + 1) * y * t[k + 1] / t[k] for k in (1, 2, 3)]
        return d if all(0 < x <= k + 1 for k, x in enumerate(d)) else [0.5, 1.0, 1.5]

    def p(self, word, context):
        """P(word | context), context a tuple of at most order - 1 words."""
        lower = self.p(word, context[1:]) if context else 1 / len(self.vocabulary)
        seen = self.followers.get(context)
        if not seen:
            return lower
        d = self.discounts[len(context) + 1]
        total = sum(seen.values())
        gamma = sum(d[min(c, 3) - 1] for c in seen.values()) / total
        c = seen.get(word, 0)
        return (c - d[min(c, 3) - 1] if c else 0) / total + gamma * lower

    def sentence(self, line):
        """log10 probabilities of the words of a line and of its end."""
        words = ["<s>"] + [w if w in self.vocabulary else "<unk>" for w in line.split()] + ["</s>"]
        return [math.log10(self.p(words[i], tuple(words[max(0, i - self.order + 1):i]))) for i in range(1, len(words))]


def main():
    rng = random.Random(8)
    lines = make_text(rng, 460)
    train, test = lines[:400], lines[400:] + ["w1 never seen w2", ""]
    models = []
    for order in (1, 2, 3, 5):
        model = KneserNey(train, order)
        logs = [model.sentence(line) for line in test]
        flat = [x for line in logs for x in line]
        models.append({
            "order": order,
            "discounts": [model.discounts[n] for n in range(1, order + 1)],
            "ngrams": [sum(len(g) == n for g in model.count) for n in range(1, order + 1)],
            "log10": [[round(x, 10) for x in line] for line in logs],
            "perplexity": 10 ** (-sum(flat) / len(flat)),
        })
    print(json.dumps({"train": train, "test": test, "models": models}, separators=(",", ":")))


main()
