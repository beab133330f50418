#!/usr/bin/env python3
"""Writes the golden files of byte-level BPE with an independent implementation.

usage: tests/golden/make_byte_bpe.py    (needs the Python module `regex`)

byte_bpe_fragments.txt is the input: one fragment per line, either
  word TEXT              the text, with \\n \\t \\xNN (a raw byte) \\u{HEX} escapes
  range FIRST LAST       any code point of the range (hexadecimal)
Lines are concatenations of fragments chosen by a linear congruential generator, which the test repeats. Output:
  byte_bpe_encoder.json, byte_bpe_vocab.bpe   a small model trained on lines of generator seed 1
  byte_bpe_hashes.txt                         FNV-1a over the ids of each of 10,000 lines of generator seed 2
"""
import collections
import json
import os
import re

import regex

HERE = os.path.dirname(os.path.abspath(__file__))
PATTERN = regex.compile(r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""")
MERGES, TRAINING_LINES, LINES = 1200, 4000, 10000


class Generator:
    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % bound


def unescape(text):
    def one(match):
        body = match.group(1)
        if body[0] == "x":
            return bytes([int(body[1:], 16)])
        if body[0] == "u":
            return chr(int(body[2:-1], 16)).encode("utf-8")
        return {"n": b"\n", "t": b"\t", "s": b" "}[body]

    parts, last = [], 0
    for match in re.finditer(r"\\(n|t|s|x[0-9A-F]{2}|u\{[0-9A-F]+\})", text):
        parts += [text[last:match.start()].encode("utf-8"), one(match)]
        last = match.end()
    return b"".join(parts + [text[last:].encode("utf-8")])


def read_fragments():
    fragments = []
    with open(os.path.join(HERE, "byte_bpe_fragments.txt"), encoding="utf-8", newline="\n") as file:
        for line in file.read().split("\n"):
            kind, _, rest = line.partition(" ")
            if kind == "word":
                fragments.append(unescape(rest))
            elif kind == "range":
                fragments.append(tuple(int(number, 16) for number in rest.split()))
    return fragments


def make_line(generator, fragments):
    line = b""
    for _ in range(generator.below(15)):
        fragment = fragments[generator.below(len(fragments))]
        if isinstance(fragment, tuple):
            fragment = chr(fragment[0] + generator.below(fragment[1] - fragment[0] + 1)).encode("utf-8")
        line += fragment
        if generator.below(3) == 0:
            line += b" "
    return line


def byte_alphabet():
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}


ALPHABET = byte_alphabet()


def pieces(line):
    for piece in PATTERN.findall(line.decode("utf-8", "surrogateescape")):
        yield tuple(ALPHABET[byte] for byte in piece.encode("utf-8", "surrogateescape"))


def join(word, pair):
    joined, i = [], 0
    while i < len(word):
        if word[i:i + 2] == pair:
            joined.append(pair[0] + pair[1])
            i += 2
        else:
            joined.append(word[i])
            i += 1
    return tuple(joined)


def train(lines):
    words = collections.Counter(piece for line in lines for piece in pieces(line))
    merges = []
    while len(merges) < MERGES:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        changed = collections.Counter()
        for word, count in words.items():
            changed[join(word, best)] += count
        words = changed
    return merges


def encode(line, encoder, ranks, memory):
    ids = []
    for word in pieces(line):
        if word not in memory:
            symbols = word
            while len(symbols) > 1:
                best = min(zip(symbols, symbols[1:]), key=lambda pair: ranks.get(pair, len(ranks)))
                if best not in ranks:
                    break
                symbols = join(symbols, best)
            memory[word] = [encoder[symbol] for symbol in symbols]
        ids += memory[word]
    return ids


def fnv(ids):
    state = 0x811C9DC5
    for number in ids:
        for byte in number.to_bytes(4, "little"):
            state = (state ^ byte) * 0x01000193 % 2**32
    return state


def main():
    fragments = read_fragments()
    generator = Generator(1)
    merges = train([make_line(generator, fragments) for _ in range(TRAINING_LINES)])
    encoder = {ALPHABET[byte]: i for i, byte in enumerate(sorted(ALPHABET, key=lambda byte: ord(ALPHABET[byte])))}
    for left, right in merges:
        encoder.setdefault(left + right, len(encoder))
    with open(os.path.join(HERE, "byte_bpe_encoder.json"), "w", encoding="utf-8") as file:
        json.dump(encoder, file)
        file.write("\n")
    with open(os.path.join(HERE, "byte_bpe_vocab.bpe"), "w", encoding="utf-8") as file:
        file.write("#version: 0.2\n" + "".join(f"{left} {right}\n" for left, right in merges))
    ranks = {pair: i for i, pair in enumerate(merges)}
    generator, memory = Generator(2), {}
    with open(os.path.join(HERE, "byte_bpe_hashes.txt"), "w") as file:
        for _ in range(LINES):
            file.write("%08x\n" % fnv(encode(make_line(generator, fragments), encoder, ranks, memory)))


main()
