#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets that read files of other programs: tests/fuzz/seeds/{torch_file,npz_file,
marian_file,marian_shortlist}.

usage: tests/golden/make_import_seeds.py   (needs the Python modules torch and numpy)
"""
import os
import struct

import numpy
import torch

from import_common import write_marian

SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "seeds")


def path(target, name):
    os.makedirs(os.path.join(SEEDS, target), exist_ok=True)
    return os.path.join(SEEDS, target, name)


def main():
    tensors = {"a.weight": torch.arange(6.0).reshape(2, 3), "b": torch.ones(3).half(),
               "turned": torch.arange(6.0).reshape(2, 3).t(), "n": torch.tensor([1, 2])}
    torch.save(tensors, path("torch_file", "zip.bin"))
    torch.save(tensors, path("torch_file", "legacy.bin"), _use_new_zipfile_serialization=False)
    arrays = {"Wemb": numpy.arange(6, dtype=numpy.float32).reshape(2, 3),
              "special:model.yml": numpy.frombuffer(b"type: transformer\n", dtype=numpy.int8)}
    numpy.savez(path("npz_file", "stored.npz"), **arrays)
    numpy.savez_compressed(path("npz_file", "deflated.npz"), **arrays)
    settings = b"type: transformer\ndim-vocabs: [4, 4]\ndim-emb: 4\ntransformer-heads: 2\n\0"
    numbers = numpy.arange(8, dtype=numpy.float32)
    write_marian(path("marian_file", "small.bin"), {
        "Wemb": (0x404, (2, 4), numbers.tobytes()),
        "decoder_l1_ffn_W1": (0x4101, (2, 4), numbers.astype(numpy.int8).tobytes() + struct.pack("<f", 12.5)),
        "special:model.yml": (0x101, (len(settings),), settings)})
    begins, targets = [0, 1, 1, 3], [4, 5, 6]
    with open(path("marian_shortlist", "small.bin"), "wb") as out:
        out.write(struct.pack("<6Q", 0xF11A48D5013417F5, 0, 2, 2, len(begins), len(targets)))
        out.write(struct.pack(f"<{len(begins)}Q", *begins) + struct.pack(f"<{len(targets)}I", *targets))


if __name__ == "__main__":
    main()
