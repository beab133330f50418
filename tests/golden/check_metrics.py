#!/usr/bin/env python3
"""Compares `dragoman evaluate --json` with sacreBLEU, NLTK and the definition of multi-bleu on newstest2008-2014.

    python check_metrics.py --program build/release/dragoman --data FOLDER [--years 2014] [--ter-lines 400] [--light]

FOLDER contains newstestYEAR.de.gz and newstestYEAR.en.gz. System outputs are corrupted references. Compares all options
of all metrics; the non-default options of TER (slow in Python) only on the first --ter-lines sentences.
--light compares one reference, the tokenizers and cases of BLEU, and the defaults of the other metrics.
Needs sacrebleu, numpy and nltk. Prints a row per test set, metric and number of references.
"""
import argparse
import gzip
import os
import sys
import tempfile

import metric_peers as peers


def read(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def write(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def check(program, label, hyps, refs, variants):
    worst, same, count = 0.0, True, 0
    with tempfile.TemporaryDirectory() as folder:
        hyp_path = write(folder, "hyp", hyps)
        ref_paths = [write(folder, f"ref{i}", ref) for i, ref in enumerate(refs)]
        for flags, expected in variants:
            difference, agrees = peers.compare(expected, peers.ask_dragoman(program, hyp_path, ref_paths, flags))
            worst, same, count = max(worst, difference), same and agrees, count + 1
            if difference > 1e-9 or not agrees:
                print("DIFFERS", label, " ".join(flags), difference, file=sys.stderr)
    print(f"{label:<40} {len(hyps):>5} sentences {count:>4} settings   largest difference {worst:.1e}   "
          f"printed digits and signatures {'equal' if same else 'DIFFER'}", flush=True)
    return worst <= 1e-9 and same


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--years", default="2008,2009,2010,2011,2012,2013,2014")
    parser.add_argument("--sides", default="de,en")
    parser.add_argument("--metrics", default="bleu,chrf,ter,nltk,multi-bleu")
    parser.add_argument("--ter-lines", type=int, default=400)
    parser.add_argument("--light", action="store_true")
    args = parser.parse_args()
    good = True
    wanted = args.metrics.split(",")
    for year in args.years.split(","):
        for side in args.sides.split(","):
            ref = read(os.path.join(args.data, f"newstest{year}.{side}.gz"))
            hyps = peers.Corruptor(f"{year}{side}", 2.0).lines(ref)
            second = peers.Corruptor(f"second{year}{side}", 1.0).lines(ref)
            for refs in ([ref],) if args.light else ([ref], [second, ref]):
                label = f"newstest{year}.{side} {len(refs)} ref"
                run = lambda name, h, r, variants: check(args.program, f"{label} {name}", h, r, variants)
                if "bleu" in wanted:
                    good &= run("BLEU", hyps, refs, peers.bleu_variants(hyps, refs, not args.light))
                if "nltk" in wanted:
                    good &= run("NLTK", hyps, refs, peers.nltk_variants(hyps, refs))
                if "multi-bleu" in wanted:
                    good &= run("multi-bleu", hyps, refs, peers.multi_bleu_variants(hyps, refs))
                    print(f"{label} multi-bleu's definition against sacreBLEU and NLTK where they must agree: "
                          f"{peers.multi_bleu_disagreement(hyps, refs):.1e}", flush=True)
                if "chrf" in wanted:
                    full = len(refs) == 1 and not args.light
                    good &= run("chrF", hyps, refs, peers.chrf_variants(hyps, refs, full))
                if "ter" in wanted and not args.light:
                    few_hyps, few_refs = hyps[:args.ter_lines], [r[:args.ter_lines] for r in refs]
                    good &= run("TER, all options", few_hyps, few_refs, peers.ter_variants(few_hyps, few_refs))
                if "ter" in wanted:
                    good &= run("TER", hyps, refs, peers.ter_variants(hyps, refs, full=False))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
