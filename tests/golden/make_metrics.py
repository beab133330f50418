#!/usr/bin/env python3
"""Writes metrics/ref0.txt, metrics/ref1.txt, metrics/hyp.txt and metrics/expected.json: made-up sentences in several
scripts, corrupted copies of them as system output, and their scores by sacreBLEU, NLTK and multi-bleu's definition.

    python make_metrics.py

Made with sacreBLEU 2.6.0 and NLTK 3.8.
"""
import json
import os

import metric_peers as peers

SENTENCES = [
    "The ferry leaves at 6.45, and the last one returns at 23.10.",
    "Der Bäcker verkauft 12 Brötchen für 3,60 Euro, nicht wahr?",
    "“Nobody,” she said, “told me about the 1,250-page report.”",
    "Straßenbahnen fahren alle 10-15 Minuten; sonntags seltener.",
    "मेरी बहन कल सुबह दिल्ली से लौटेगी।",
    "यह किताब २०० रुपये की है, लेकिन वह ५० की।",
    "我们明天早上八点出发，不要迟到！",
    "图书馆（三楼）有2,000本新书。",
    "今日は雨です。でも、明日は晴れでしょう。",
    "&quot;Salt &amp; pepper&quot; costs &lt; 5 dollars &gt; 2 pounds.",
    "<skipped> The rest of the line stays <skipped> here.",
    "Emoji are words too 🙂🙂 or so they say 👍🏽!",
    "Ο ΟΔΥΣΣΕΥΣ ΤΑΞΙΔΕΥΕΙ ΣΤΗΝ ΙΘΑΚΗ: ΕΊΝΑΙ ΣΟΦΌΣ.",
    "İstanbul'da IŞIK ve ışık farklıdır.",
    "ПРИВЕТ, как дела? Всё хорошо — спасибо…",
    "The dog's bone, the dogs' bones and the boys'.",
    "a b c d e f g h i j k l m n o p",
    "the the the the the the the the",
    "One",
    "Zwei Wörter",
    "Three little words",
    "",
    "   ",
    ".",
    "...",
    "!?!?",
    "3.14159 and -2.5e-3 are numbers, 1,000,000 too, but 1.2.3 is not.",
    "In 1998- and 2001-built houses (A/B), 50% of windows leak; see §4 ¶2.",
    "E-mail: someone@example.org, http://example.org/~a_b?c=d&e=f#g",
    "Prices rose by €3 or £2 or ¥400 or $1 + 10 = 11 × 2 ÷ 3 ± 4.",
    "A no-break\u00a0space, a thin\u2009space, an ideographic\u3000space and a tab\there.",
    "Zero\u200bwidth and soft\u00adhyphen stay inside words.",
    "Trailing spaces are dropped   ",
    "Ende\u00a0",
    "ﬁne ligatures, Ǆ and ǅ titlecase, ẞ capital sharp s, Ⅷ roman.",
    "fünf Häuser, grüne Bäume, süße Äpfel, große Öfen, schöne Übungen",
    "The quick brown fox jumps over the lazy dog while the lazy dog watches the quick brown fox jump over it again.",
    "Gestern ging ich in den Wald, um Pilze zu suchen, fand aber nur Beeren, die niemand essen wollte.",
    "if it rains tomorrow we will stay at home and read the books that we bought last week in the old shop",
    "¿Dónde está la biblioteca? ¡Aquí! «Merci», dit-il; „danke“, sagte sie.",
    "x_1 = {a | b} ~ c ^ d ` e [f] \\ g",
    "Ein sehr langer Satz, der viele Wörter hat, " * 4 + "und dann doch endet.",
    "word " * 70 + "end",
    "नमस्ते दुनिया! यह एक परीक्षण है — सिर्फ़ एक परीक्षण।",
    "全角（ＡＢＣ）と半角(ABC)、「引用」・中点。",
    "Mixed 中文 and English, 50公里 per hour; 你好!",
    "Last line, with a comma, a dash – and the end.",
]

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "metrics")


def write(name, lines):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)


def keeps_sentences(flags):
    """Keeps sentence scores for settings that change the statistics, and once per smoothing method."""
    if "bleu" in flags:
        plain = "exp" in flags or ("13a" in flags and "--bleu.lowercase" not in flags)
        return plain and "--bleu.effective-order" not in flags and "2" not in flags
    return "--chrf.eps-smoothing" not in flags


def main():
    os.makedirs(FOLDER, exist_ok=True)
    first = SENTENCES
    second = peers.Corruptor("second reference", 1.5).lines(first)
    hyps = peers.Corruptor("system", 3.0).lines(first)
    hyps[1], hyps[6], hyps[-1] = "", "我们明天八点早上出发，不要迟到!", hyps[-1] + " \t"
    settings = []
    for refs in ([first], [second, first]):
        every = [peers.bleu_variants(hyps, refs), peers.chrf_variants(hyps, refs), peers.ter_variants(hyps, refs),
                 peers.nltk_variants(hyps, refs), peers.multi_bleu_variants(hyps, refs)]
        for flags, expected in (pair for variants in every for pair in variants):
            for values in expected.values():
                if not keeps_sentences(flags):
                    values.pop("sentences", None)
            settings.append({"references": len(refs), "flags": flags, "expected": expected})
    write("ref0.txt", second)
    write("ref1.txt", first)
    write("hyp.txt", hyps)
    with open(os.path.join(FOLDER, "expected.json"), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(s, separators=(",", ":")) for s in settings) + "\n]\n")


if __name__ == "__main__":
    main()
