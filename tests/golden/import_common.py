"""What make_import.py and make_import_marian.py share: texts made by a rule, subword models, and how cases are written."""
import contextlib
import io
import json
import os
import shutil
import struct
import tempfile

import sentencepiece

from make_byte_bpe import Generator, make_line, read_fragments

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "import")
WORDS = """the a old young interpreter border letter river bridge house reads writes crosses sees knows between under
over and not never der die alte junge Dolmetscher Grenze Brief Fluss Brücke Haus liest schreibt quert sieht kennt
zwischen unter über und nicht nie 12 1,234 ?! ... ( )""".split()
SENTENCES, LINES, BEAM, LONGEST = 200, 10000, 4, 24
RULES = [("\uff21", "A"), ("\ufb01", "fi"), ("\u00a0", " "), ("\u3000", " "), ("\u2026", "..."), ("\t", " "), ("\n", " ")]


def sentences(count, seed):
    generator = Generator(seed)
    return [" ".join(WORDS[generator.below(len(WORDS))] for _ in range(1 + generator.below(9))) for _ in range(count)]


def mixed_lines(count, seed):
    """The first lines of the generator of make_byte_bpe.py that are UTF-8."""
    fragments, generator, lines = read_fragments(), Generator(seed), []
    while len(lines) < count:
        try:
            lines.append(make_line(generator, fragments).decode("utf-8"))
        except UnicodeDecodeError:
            pass
    return lines


def fnv(ids):
    value = 0x811C9DC5
    for one in ids:
        for byte in int(one).to_bytes(4, "little"):
            value = (value ^ byte) * 0x01000193 % 2**32
    return value


def train_subwords(path, text, size, kind="unigram", **more):
    """A SentencePiece model with a few rules of normalisation of its own, since the usual ones take 240 KB. Its file
    names the file of the rules as it is given here, so that is a name without a folder."""
    model, path = io.BytesIO(), os.path.abspath(path)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with open("rules.tsv", "w", encoding="utf-8") as file:
            for before, after in RULES:
                file.write(" ".join(f"{ord(c):X}" for c in before) + "\t" + " ".join(f"{ord(c):X}" for c in after) + "\n")
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(text), model_writer=model, vocab_size=size, model_type=kind,
            character_coverage=0.995, normalization_rule_tsv="rules.tsv", hard_vocab_limit=False, minloglevel=2, **more)
    with open(path, "wb") as file:
        file.write(model.getvalue())


def has_tie(processor, line):
    """Whether two segmentations are equally likely. Versions of SentencePiece choose differently between them."""
    scores = [sum(processor.get_score(processor.piece_to_id(piece)) for piece in pieces)
              for pieces in processor.nbest_encode(line, nbest_size=2, out_type=str)]
    return len(scores) == 2 and abs(scores[0] - scores[1]) < 1e-3


def write_case(folder, result):
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as file:
        json.dump(result, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")
    print("  bytes:", sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)))


def fresh(name):
    folder = os.path.join(ROOT, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    print(name)
    return folder


def write_marian(file, tensors):
    """tensors: name -> (type number, shape, bytes)."""
    names = [name.encode() + b"\0" for name in tensors]
    head = struct.pack("<QQ", 1, len(tensors))
    for name, (kind, shape, data) in zip(names, tensors.values()):
        head += struct.pack("<QQQQ", len(name), kind, len(shape), len(data))
    head += b"".join(names) + b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, shape, _ in tensors.values())
    gap = -(len(head) + 8) % 256
    with open(file, "wb") as out:
        out.write(head + struct.pack("<Q", gap) + bytes(gap) + b"".join(data for _, _, data in tensors.values()))
