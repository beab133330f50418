#!/usr/bin/env python3
"""Compares the significance tests of `dragoman evaluate` with those of sacreBLEU on corrupted references.

    python check_significance.py --program build/release/dragoman --reference FILE.gz

The random numbers differ, so p-values and intervals agree only statistically: each program runs with several seeds,
and the table shows mean and range over the seeds. Needs sacrebleu, numpy.
"""
import argparse
import json
import os
import subprocess
import tempfile

import metric_peers as peers
from check_metrics import read, write
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

SEEDS = [1, 2, 3, 4, 5]


def ours(program, paths, ref_path, seed):
    command = [program, "evaluate", paths[0], ref_path, "--json", "--seed", str(seed)]
    for path in paths[1:]:
        command += ["--systems", path]
    result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return {(system, key, name): entry[key][field] for system, entry in enumerate(result["systems"])
            for key in ("bleu", "chrf", "ter")
            for name, field in (("p bootstrap", "p_bootstrap"), ("p randomization", "p_randomization"),
                                ("interval", "ci95"), ("mean", "mean"))}


def theirs(systems, ref, seed):
    os.environ["SACREBLEU_SEED"] = str(seed)
    values = {}
    for kind, fields in (("bs", (("p bootstrap", "p_value"), ("interval", "ci"), ("mean", "mean"))),
                         ("ar", (("p randomization", "p_value"),))):
        metrics = {"bleu": BLEU(references=[ref]), "chrf": CHRF(references=[ref]), "ter": TER(references=[ref])}
        _, scores = PairedTest(list(systems.items()), metrics, None, test_type=kind)()
        for key, title in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER")):
            for system, result in enumerate(scores[title][1:]):
                for name, field in fields:
                    values[(system, key, name)] = float(getattr(result, field))
    return values


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--lines", type=int, default=1000)
    args = parser.parse_args()
    ref = read(args.reference)[:args.lines]
    systems = {f"system {s}": peers.Corruptor(f"system {s}", s).lines(ref) for s in (2.0, 2.05, 2.2, 2.4)}
    with tempfile.TemporaryDirectory() as folder:
        ref_path = write(folder, "ref", ref)
        paths = [write(folder, name.replace(" ", "-"), lines) for name, lines in systems.items()]
        our_runs = [ours(args.program, paths, ref_path, seed) for seed in SEEDS]
    their_runs = [theirs(systems, ref, seed) for seed in SEEDS]
    names = list(systems)[1:]
    print(f"{'system':<12} {'metric':<6} {'value':<16} {'dragoman':>28} {'sacreBLEU':>28}")
    for system, key, name in our_runs[0]:
        cells = []
        for runs in (our_runs, their_runs):
            values = [run[(system, key, name)] for run in runs]
            cells.append(f"{sum(values) / len(values):.4f} ({min(values):.4f} .. {max(values):.4f})")
        print(f"{names[system]:<12} {key:<6} {name:<16} {cells[0]:>28} {cells[1]:>28}")


if __name__ == "__main__":
    main()
