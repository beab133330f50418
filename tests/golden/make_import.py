#!/usr/bin/env python3
"""Writes tests/golden/import: small models with random weights in the formats that `dragoman import` reads, and what
their own programs compute with them.

usage: tests/golden/make_import.py [CASE...]   (needs the Python modules torch, transformers, sentencepiece)

Every folder holds a model as its program stores it, and expected.json:
  sentences   texts made by a rule from a list of words, with the ids of their tokens (marks included) and the ids that
              `generate` answers, greedily and with a beam of 4
  logits      of the whole vocabulary for some targets, teacher forced
  tokens      FNV-1a over the ids of lines of mixed scripts (make_byte_bpe.py's generator, seed 3), without the lines
              `ties`, which have two segmentations that are equally likely
Weights are drawn with a large deviation and the end of a sentence gets a bonus, so that answers differ and end.
"""
import io
import json
import os
import shutil
import sys

import sentencepiece
import torch
import transformers

from make_byte_bpe import Generator, make_line, read_fragments

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "import")
WORDS = """the a old young interpreter border letter river bridge house reads writes crosses sees knows between under
over and not never der die alte junge Dolmetscher Grenze Brief Fluss Brücke Haus liest schreibt quert sieht kennt
zwischen unter über und nicht nie 12 1,234 ?! ... ( )""".split()
SENTENCES, LINES, BEAM, LONGEST = 200, 10000, 4, 40
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
    """A SentencePiece model with a few rules of normalisation of its own, since the usual ones take 240 KB."""
    rules = os.path.join("/tmp", "import_rules.tsv")
    with open(rules, "w", encoding="utf-8") as file:
        for before, after in RULES:
            file.write(" ".join(f"{ord(c):X}" for c in before) + "\t" + " ".join(f"{ord(c):X}" for c in after) + "\n")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_writer=model, vocab_size=size, model_type=kind, character_coverage=0.995,
        normalization_rule_tsv=rules, hard_vocab_limit=False, minloglevel=2, **more)
    with open(path, "wb") as file:
        file.write(model.getvalue())


def spread_weights(model, deviation=0.25):
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if not weight.requires_grad:
                continue  # sinusoids
            noise = torch.randn(weight.shape, generator=generator)
            if weight.dim() > 1:
                weight.copy_(noise * deviation)
            elif "norm" in name and name.endswith("weight"):
                weight.copy_(1 + 0.1 * noise)
            else:
                weight.copy_(0.1 * noise)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.copy_(0.3 * torch.randn(model.final_logits_bias.shape, generator=generator))


def let_end(model, batch, end, pad, starts, **how):
    """Favours the end of a sentence, as little as lets most answers end: by a bonus or, where the model has no biases,
    by a longer row of the output layer."""
    row = model.get_output_embeddings().weight[end].clone()
    biased = hasattr(model, "final_logits_bias")
    bias = model.final_logits_bias[0, end].clone() if biased else None
    for step in range(1, 40):
        with torch.no_grad():
            if biased:
                model.final_logits_bias[0, end] = bias + 0.25 * step
            else:
                model.get_output_embeddings().weight[end] = row * (1 + 0.15 * step)
        counts = [sum(one is not None for one in answers(model, batch[:40], end, pad, starts, num_beams=beams, **how))
                  for beams in (1, BEAM)]
        if min(counts) >= 28:
            return print("  step", step)
    sys.exit("the answers do not end")


def answers(model, batch, end, pad, starts, **how):
    """The ids that `generate` appends to those that the decoder starts with; None for one that does not end."""
    longest = max(map(len, batch))
    ids = torch.tensor([one + [pad] * (longest - len(one)) for one in batch])
    mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in batch])
    if how["num_beams"] > 1:
        how = dict(early_stopping=True, length_penalty=1.0) | how
    output = model.generate(ids, attention_mask=mask, max_new_tokens=LONGEST, do_sample=False, **how).tolist()
    result = []
    for one in output:
        answer = one[len(starts):]
        result.append(answer[:answer.index(end)] if end in answer else None)
    return result


def expected(model, encode, end, pad, starts, encode_line, processor=None, **how):
    """`starts`: the ids that the decoder starts with, forced ones included; `processor`: a unigram model."""
    model.eval()
    texts = sentences(SENTENCES, 5)
    batch = [encode(text) for text in texts]
    result = {"sentences": [], "logits": [], "lines": LINES}
    with torch.no_grad():
        greedy = answers(model, batch, end, pad, starts, num_beams=1, **how)
        beam = answers(model, batch, end, pad, starts, num_beams=BEAM, **how)
        for ids in batch[:3]:
            target = starts + ids[1:4]
            logits = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([target])).logits[0]
            result["logits"].append({"source": ids, "target": target,
                                     "values": [round(value, 6) for value in logits.flatten().tolist()]})
    result["sentences"] = [{"text": text, "ids": ids, "greedy": one, "beam": other}
                           for text, ids, one, other in zip(texts, batch, greedy, beam)]
    ended = [one for one in result["sentences"] if one["greedy"] is not None and one["beam"] is not None]
    print(f"  {len(ended)} of {SENTENCES} sentences end with both, "
          f"{len(set(map(str, (one['beam'] for one in ended))))} different answers, "
          f"mean length {sum(len(one['beam']) for one in ended) / max(len(ended), 1):.1f}, "
          f"beam differs from greedy {sum(one['beam'] != one['greedy'] for one in ended)} times")
    hashes, result["ties"] = 0, []
    for number, line in enumerate(mixed_lines(LINES, 3)):
        if processor is not None and has_tie(processor, line):
            result["ties"].append(number)
        else:
            hashes = fnv([hashes, fnv(encode_line(line))])
    result["tokens"] = hashes
    return result


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


# ---- MarianMT ---------------------------------------------------------------------------------------------------


def marian_vocabulary(folder, tags=(), separate=False):
    """The ids are not those of the SentencePiece models, and some pieces have none."""
    text = sentences(3000, 1) + mixed_lines(150, 1)
    train_subwords(os.path.join(folder, "source.spm"), text, 300)
    train_subwords(os.path.join(folder, "target.spm"), sentences(3000, 2) + mixed_lines(50, 2), 240)
    vocabularies = []
    for sides in (["source"], ["target"]) if separate else (["source", "target"],):
        pieces = ["</s>", "<unk>"] + [f">>{tag}<<" for tag in tags]
        for side in sides:
            processor = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, side + ".spm"))
            for number in range(3, processor.get_piece_size()):
                if number % 41 != 5 and processor.id_to_piece(number) not in pieces:
                    pieces.append(processor.id_to_piece(number))
        pieces.append("<pad>")
        vocabularies.append({piece: number for number, piece in enumerate(pieces)})
    for name, vocabulary in zip(["vocab.json", "target_vocab.json"], vocabularies):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump(vocabulary, file, ensure_ascii=False)
    return vocabularies


def marian(name, save, tags=(), separate=False, **settings):
    folder = fresh(name)
    vocabularies = marian_vocabulary(folder, tags, separate)
    source, target = vocabularies[0], vocabularies[-1]
    config = transformers.MarianConfig(
        vocab_size=len(source), decoder_vocab_size=len(target), d_model=16, encoder_layers=2, decoder_layers=2,
        encoder_ffn_dim=24, decoder_ffn_dim=24, encoder_attention_heads=4, decoder_attention_heads=4,
        max_position_embeddings=64, pad_token_id=target["<pad>"], eos_token_id=0, forced_eos_token_id=None,
        decoder_start_token_id=target["<pad>"], **settings)
    model = transformers.MarianMTModel(config)
    spread_weights(model)
    model.generation_config.bad_words_ids = [[target["<pad>"]]]
    model.generation_config.num_beams = BEAM
    model.generation_config.forced_eos_token_id = None
    tokenizer = transformers.MarianTokenizer(
        os.path.join(folder, "source.spm"), os.path.join(folder, "target.spm"), os.path.join(folder, "vocab.json"),
        target_vocab_file=os.path.join(folder, "target_vocab.json") if separate else None, separate_vocabs=separate)
    prefix = f">>{tags[0]}<< " if tags else ""
    processor = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "source.spm"))

    def encode(text):
        # Without the prefix, MarianTokenizer takes a space after it for a token.
        ids = [source[prefix.strip()]] if prefix else []
        ids += [source.get(piece, 1) for piece in processor.encode(text, out_type=str)]
        return ids + [0]

    for text in sentences(300, 9):
        assert tokenizer(text)["input_ids"] == encode(text)[len(prefix) > 0:], text
    let_end(model, [encode(text) for text in sentences(60, 5)], 0, target["<pad>"], [target["<pad>"]])
    save(model, folder)
    result = expected(model, encode, 0, target["<pad>"], [target["<pad>"]], lambda line: encode(line)[len(prefix) > 0:-1],
                      processor)
    result["decoded"] = [[one["beam"], tokenizer.decode(one["beam"], skip_special_tokens=True)]
                         for one in result["sentences"][:50] if one["beam"]]
    result["to"] = tags[0] if tags else ""
    write_case(folder, result)


def save_safetensors(model, folder):
    model.save_pretrained(folder)


def save_torch(half=False, legacy=False):
    def save(model, folder):
        model.save_pretrained(folder)
        os.remove(os.path.join(folder, "model.safetensors"))
        if half:
            model.half().float()
        state = {name: (value.half() if half else value).clone() for name, value in model.state_dict().items()}
        model.load_state_dict({name: value.float() for name, value in state.items()})
        torch.save(state, os.path.join(folder, "pytorch_model.bin"), _use_new_zipfile_serialization=not legacy)
    return save


CASES = {
    "marian": lambda: marian("marian", save_safetensors, activation_function="swish", scale_embedding=True),
    "marian_tags": lambda: marian("marian_tags", save_torch(), tags=("fra", "cmn_Hans"), activation_function="relu"),
    "marian_separate": lambda: marian("marian_separate", save_torch(half=True, legacy=True), separate=True,
                                      share_encoder_decoder_embeddings=False, activation_function="gelu"),
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    for case in sys.argv[1:] or CASES:
        CASES[case]()
