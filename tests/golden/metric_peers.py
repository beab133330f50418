"""Scores of other programs for every option of `dragoman evaluate`.

Needs sacrebleu and numpy, and NLTK for `nltk_bleu`. Used by make_metrics.py and check_metrics.py.
"""
import itertools
import json
import math
import random
import subprocess
import warnings
from collections import Counter

from sacrebleu.metrics import BLEU, CHRF, TER

NEVER = -9999999999.0


def sum_columns(rows):
    return [sum(column) for column in zip(*rows)]


def bleu_variants(hyps, refs, full=True):
    """Yields (flags, expected) for all tokenizers and cases; if `full`, also for all smoothing methods and orders."""
    smoothings = [("exp", None), ("floor", None), ("floor", 0.01), ("add-k", None), ("add-k", 0.5), ("none", None)]
    smoothings = smoothings if full else smoothings[:1]
    for tokenizer, lowercase, order in itertools.product(("13a", "intl", "char", "none"), (False, True), (4, 2)):
        if order == 2 and not (full and tokenizer == "13a"):
            continue
        base = BLEU(tokenize=tokenizer, lowercase=lowercase, max_ngram_order=order, force=True)
        rows = base._extract_corpus_statistics(hyps, refs)
        for (smooth, value), effective in itertools.product(smoothings, (False, True) if full else (False,)):
            metric = BLEU(tokenize=tokenizer, lowercase=lowercase, max_ngram_order=order, smooth_method=smooth,
                          smooth_value=value, effective_order=effective, force=True)
            metric.num_refs = len(refs)
            score = metric._compute_score_from_stats(sum_columns(rows))
            sentence = BLEU(tokenize=tokenizer, lowercase=lowercase, max_ngram_order=order, smooth_method=smooth,
                            smooth_value=value, effective_order=True, force=True)
            flags = ["--metrics", "bleu", "--bleu.tokenize", tokenizer, "--bleu.smooth", smooth,
                     "--bleu.order", str(order)]
            flags += ["--bleu.lowercase"] if lowercase else []
            flags += ["--bleu.smooth-value", str(value)] if value is not None else []
            flags += ["--bleu.effective-order"] if effective else []
            yield flags, {"bleu": {
                "score": score.score, "precisions": score.precisions, "bp": score.bp,
                "hyp_len": score.sys_len, "ref_len": score.ref_len,
                "signature": without_version(metric.get_signature().format()),
                "sentences": [sentence._compute_score_from_stats(list(row)).score for row in rows]}}


def chrf_variants(hyps, refs, full=True):
    choices = itertools.product((False, True), (False, True)) if full else [(False, False)]
    for lowercase, whitespace in choices:
        for word_order, beta, char_order in [(0, 2, 6), (2, 2, 6)] + ([(1, 3, 4)] if full else []):
            base = CHRF(char_order=char_order, word_order=word_order, beta=beta, lowercase=lowercase,
                        whitespace=whitespace)
            rows = base._extract_corpus_statistics(hyps, refs)
            key = "chrfpp" if word_order == 2 else "chrf"
            for eps in (False, True):
                # With several references the option also affects which reference is the best.
                if len(refs) > 1 and eps:
                    smoothed = CHRF(char_order=char_order, word_order=word_order, beta=beta, lowercase=lowercase,
                                    whitespace=whitespace, eps_smoothing=True)
                    rows = smoothed._extract_corpus_statistics(hyps, refs)
                metric = CHRF(char_order=char_order, word_order=word_order, beta=beta, lowercase=lowercase,
                              whitespace=whitespace, eps_smoothing=eps)
                metric.num_refs = len(refs)
                flags = ["--metrics", key, "--chrf.beta", str(beta), "--chrf.char-order", str(char_order)]
                flags += ["--chrf.word-order", str(word_order)] if key == "chrf" else []
                flags += ["--chrf.lowercase"] if lowercase else []
                flags += ["--chrf.whitespace"] if whitespace else []
                flags += ["--chrf.eps-smoothing"] if eps else []
                yield flags, {key: {
                    "score": metric._compute_score_from_stats(sum_columns(rows)).score,
                    "signature": without_version(metric.get_signature().format()),
                    "sentences": [metric._compute_score_from_stats(row).score for row in rows]}}


def ter_variants(hyps, refs, full=True):
    choices = itertools.product((False, True), repeat=4) if full else [(False,) * 4]
    for normalized, no_punct, asian, case in choices:
        metric = TER(normalized=normalized, no_punct=no_punct, asian_support=asian, case_sensitive=case)
        rows = metric._extract_corpus_statistics(hyps, refs)
        flags = ["--metrics", "ter"]
        flags += ["--ter.normalize"] if normalized else []
        flags += ["--ter.no-punctuation"] if no_punct else []
        flags += ["--ter.asian"] if asian else []
        flags += ["--ter.case-sensitive"] if case else []
        score = metric._compute_score_from_stats(sum_columns(rows))
        yield flags, {"ter": {
            "score": score.score, "edits": score.num_edits, "ref_len": score.ref_length,
            "signature": without_version(metric.get_signature().format()),
            "sentences": [metric._compute_score_from_stats(row).score for row in rows]}}


def nltk_variants(hyps, refs):
    from nltk.translate.bleu_score import corpus_bleu
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        score = corpus_bleu([[r.split() for r in group] for group in zip(*refs)], [h.split() for h in hyps])
    yield ["--metrics", "nltk-bleu"], {"nltk_bleu": {"score": 100 * score}}


def multi_bleu(hyps, refs, lowercase):
    """Moses' multi-bleu by its definition: clipped n-gram precisions up to 4 against the best count of any reference,
    the closest reference length (the shorter of two equally close), no smoothing. Works on bytes, like the script.
    """
    def words(line):
        raw = line.encode()
        return [w for w in (raw.lower() if lowercase else raw).split()]

    correct, total, hyp_len, ref_len = [0] * 4, [0] * 4, 0, 0
    for hyp, group in zip(hyps, zip(*refs)):
        h, rs = words(hyp), [words(r) for r in group]
        hyp_len += len(h)
        ref_len += min((abs(len(r) - len(h)), len(r)) for r in rs)[1]
        for n in range(1, 5):
            grams = [Counter(tuple(side[i:i + n]) for i in range(len(side) - n + 1)) for side in [h] + rs]
            total[n - 1] += sum(grams[0].values())
            correct[n - 1] += sum(min(c, max(g[gram] for g in grams[1:])) for gram, c in grams[0].items())
    precisions = [c / t if t else 0 for c, t in zip(correct, total)]
    bp = 1.0 if hyp_len >= ref_len else math.exp(1 - ref_len / hyp_len) if hyp_len else 0.0
    log = sum(math.log(p) if p else NEVER for p in precisions) / 4
    return {"score": 100 * bp * math.exp(log), "precisions": [100 * p for p in precisions], "bp": bp,
            "hyp_len": hyp_len, "ref_len": ref_len}


def multi_bleu_variants(hyps, refs):
    yield ["--metrics", "multi-bleu"], {"multi_bleu": multi_bleu(hyps, refs, False)}
    yield ["--metrics", "multi-bleu", "--multi-bleu.lowercase"], {"multi_bleu": multi_bleu(hyps, refs, True)}


def multi_bleu_disagreement(hyps, refs):
    """The difference between multi_bleu() and sacreBLEU without tokenisation and smoothing, and NLTK, on text where the
    three agree by definition: plain white space, and for NLTK no hypothesis of fewer than four words."""
    from nltk.translate.bleu_score import corpus_bleu
    plain = [[" ".join(line.split()) for line in side] for side in [hyps, *refs]]
    own = multi_bleu(plain[0], plain[1:], False)["score"]
    sacre = BLEU(tokenize="none", smooth_method="none", force=True).corpus_score(plain[0], plain[1:]).score
    groups = [group for group in zip(*plain) if len(group[0].split()) >= 4]
    longer = [list(side) for side in zip(*groups)]
    own_longer = multi_bleu(longer[0], longer[1:], False)["score"]
    nltk = 100 * corpus_bleu([[r.split() for r in g[1:]] for g in groups], [g[0].split() for g in groups])
    return max(abs(own - sacre), abs(own_longer - nltk))


def without_version(signature):
    return signature[:signature.index("|version:")]


def ask_dragoman(program, hyp_path, ref_paths, flags):
    command = [program, "evaluate", hyp_path, *ref_paths, "--json", "--sentence", "--force", *flags]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def compare(expected, got):
    """The largest difference of all corpus and sentence scores, and whether printed digits and signatures agree."""
    worst, same = 0.0, True
    for key, values in expected.items():
        for name, value in values.items():
            if name == "sentences":
                pairs = list(zip(value, (line[key] for line in got["sentences"]), strict=True))
            elif name == "signature":
                # dragoman's signature includes an unusual n-gram order, sacreBLEU's does not.
                same = same and without_version(got[key]["signature"]).split("|order:")[0] == value
                continue
            elif isinstance(value, list):
                pairs = list(zip(value, got[key][name], strict=True))
            else:
                pairs = [(value, got[key][name])]
            for a, b in pairs:
                worst = max(worst, abs(a - b))
                same = same and f"{a:.2f}" == f"{b:.2f}"
    return worst, same


class Corruptor:
    """Turns references into system outputs: deletions, swaps, moved blocks, repeated and foreign words, case, Unicode
    punctuation, odd white space, empty lines."""
    PUNCTUATION = {'"': ["“", "”", "„", "«", "&quot;"], "'": ["’", "‘", "`"], "-": ["–", "—", "‑"],
                   "...": ["…"], ".": ["。", "!", "?!"], ",": ["，", ";", "、"], "%": ["％", " %"]}
    SPACES = ["\u00a0", "  ", "\u2009", "\u3000", "\t"]

    def __init__(self, seed, strength):
        self.random, self.strength = random.Random(seed), strength

    def line(self, line, foreign):
        r, words = self.random, line.split(" ")
        if r.random() < 0.01 * self.strength:
            return ""
        for _ in range(max(1, int(len(words) * 0.08 * self.strength))):
            if len(words) < 2:
                break
            at, kind = r.randrange(len(words)), r.random()
            if kind < 0.25:
                del words[at]
            elif kind < 0.45:
                other = min(at + 1, len(words) - 1)
                words[at], words[other] = words[other], words[at]
            elif kind < 0.6:
                size = r.randint(1, min(6, len(words)))
                block = words[at:at + size]
                del words[at:at + size]
                to = r.randint(0, len(words))
                words[to:to] = block
            elif kind < 0.7:
                words.insert(at, words[at])
            elif kind < 0.85:
                words[at] = r.choice(foreign.split(" "))
            else:
                words[at] = r.choice([str.upper, str.lower, str.title, str.swapcase])(words[at])
        text = " ".join(words)
        for plain, others in self.PUNCTUATION.items():
            if plain in text and r.random() < 0.15 * self.strength:
                text = text.replace(plain, r.choice(others), r.randint(1, 2))
        if r.random() < 0.03 * self.strength:
            text = text.replace(" ", r.choice(self.SPACES), r.randint(1, 3)) + r.choice(["", " ", "\u00a0"])
        return text

    def lines(self, lines):
        return [self.line(line, self.random.choice(lines)) for line in lines]
