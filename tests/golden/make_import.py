#!/usr/bin/env python3
"""Writes tests/golden/import: small models with random weights in the formats that `dragoman import` reads, and what
their own programs compute with them.

usage: tests/golden/make_import.py [CASE...]   (needs the Python modules torch, transformers, sentencepiece, regex)

Every folder holds a model as its program stores it, and expected.json:
  sentences   texts made by a rule from a list of words, with the ids of their tokens (marks included) and the ids that
              `generate` answers, greedily and with a beam of 4
  logits      of the whole vocabulary for some targets, teacher forced
  tokens      FNV-1a over the ids of lines of mixed scripts (make_byte_bpe.py's generator, seed 3), without the lines
              `ties`, which have two segmentations that are equally likely
  prefixed    texts that begin with the tag of a language, and some that do not, with their ids
Weights are drawn with a large deviation and the end of a sentence gets a bonus, so that answers differ and end.
"""
import json
import os
import shutil
import sys

import sentencepiece
import torch
import transformers

from import_common import (BEAM, HERE, LINES, LONGEST, SENTENCES, fnv, fresh, has_tie, mixed_lines, sentences,
                           train_subwords, write_case)
from make_byte_bpe import join
from make_byte_bpe import pieces as byte_pieces


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
    by a part of the output layer's row that most states of the decoder have in common."""
    model.eval()
    row = model.get_output_embeddings().weight[end].clone()
    biased = hasattr(model, "final_logits_bias")
    bias = model.final_logits_bias[0, end].clone() if biased else None
    if not biased:
        with torch.no_grad():
            states = [model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([starts + ids[1:4]]),
                            output_hidden_states=True).decoder_hidden_states[-1][0] for ids in batch]
        common = torch.cat(states).mean(0)
        common /= common.norm()
    for step in range(1, 40):
        with torch.no_grad():
            if biased:
                model.final_logits_bias[0, end] = bias + 0.3 * step
            else:
                model.get_output_embeddings().weight[end] = row + 0.1 * step * common
        found = answers(model, batch, end, pad, starts, num_beams=BEAM, **how)
        if sum(one is not None for one in found) >= 0.5 * len(batch):
            return print("  step", step)
    sys.exit("the answers do not end")


def answers(model, batch, end, pad, starts, **how):
    """The ids that `generate` appends to those that the decoder starts with. A beam that does not end within the limit
    gives None, since programs differ in what they make of it."""
    longest = max(map(len, batch))
    ids = torch.tensor([one + [pad] * (longest - len(one)) for one in batch])
    mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in batch])
    if how["num_beams"] > 1:
        how = dict(early_stopping=True, length_penalty=1.0) | how
    output = model.generate(ids, attention_mask=mask, max_new_tokens=LONGEST, do_sample=False, **how).tolist()
    result = []
    for one in output:
        answer = one[len(starts):]
        unfinished = answer[:LONGEST - 1] if how["num_beams"] == 1 else None
        result.append(answer[:answer.index(end)] if end in answer else unfinished)
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
        for ids in batch[:2]:
            target = starts + ids[1:4]
            logits = model(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([target])).logits[0]
            result["logits"].append({"source": ids, "target": target,
                                     "values": [round(value, 5) for value in logits.flatten().tolist()]})
    result["sentences"] = [{"text": text, "ids": ids, "greedy": one, "beam": other}
                           for text, ids, one, other in zip(texts, batch, greedy, beam)]
    for kind in ("greedy", "beam"):
        ended = [one[kind] for one in result["sentences"] if one[kind] is not None]
        print(f"  {kind}: {len(ended)} of {SENTENCES}, {len(set(map(str, ended)))} different, "
              f"mean length {sum(map(len, ended)) / max(len(ended), 1):.1f}")
    hashes, result["ties"] = 0, []
    for number, line in enumerate(mixed_lines(LINES, 3)):
        if processor is not None and has_tie(processor, line):
            result["ties"].append(number)
        else:
            hashes = fnv([hashes, fnv(encode_line(line))])
    result["tokens"] = hashes
    return result


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
    if tags:
        texts = [f">>{tag}<<{text}" for tag in tags for text in ("", " ", "the old house", " the old  house", "  >>fra<< a")]
        texts += [" ".join((f">>{tags[number % 2]}<<", text)) for number, text in enumerate(sentences(100, 8))]
        texts += [f" >>{tags[0]}<< the", f"the >>{tags[0]}<< house", ">>fra", ">>fra<", "a <<"]
        result["prefixed"] = [[text, tokenizer(text)["input_ids"]] for text in texts]
    write_case(folder, result)


def save_safetensors(model, folder):
    model.save_pretrained(folder)


def save_torch(half=False, legacy=False):
    def save(model, folder):
        model.save_pretrained(folder)
        os.remove(os.path.join(folder, "model.safetensors"))
        state = {name: (value.half() if half else value).clone() for name, value in model.state_dict().items()
                 if "embed_positions" not in name}
        model.load_state_dict({name: value.float() for name, value in state.items()}, strict=False)
        torch.save(state, os.path.join(folder, "pytorch_model.bin"), _use_new_zipfile_serialization=not legacy)
    return save


# ---- M2M100, NLLB-200, mBART, BART ----------------------------------------------------------------------------------

SMALL = dict(d_model=16, encoder_layers=2, decoder_layers=2, encoder_ffn_dim=24, decoder_ffn_dim=24,
             encoder_attention_heads=4, decoder_attention_heads=4, max_position_embeddings=64, pad_token_id=1,
             bos_token_id=0, eos_token_id=2)
MARKS = ["<s>", "<pad>", "</s>", "<unk>"]


def fairseq_tokenizer(folder, languages, listed):
    """A SentencePiece model of BPE; returns the ids of its pieces by fairseq's numbers. `listed`: in vocab.json, where
    some pieces are missing."""
    path = os.path.join(folder, "sentencepiece.bpe.model")
    train_subwords(path, sentences(3000, 1) + mixed_lines(150, 1), 300, kind="bpe")
    processor = sentencepiece.SentencePieceProcessor(model_file=path)
    pieces = MARKS + [processor.id_to_piece(number) for number in range(3, processor.get_piece_size())
                      if not listed or number % 41 != 5]
    ids = {piece: number for number, piece in enumerate(pieces)}
    if listed:
        with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as file:
            json.dump(ids, file, ensure_ascii=False)
    with open(os.path.join(folder, "special_tokens_map.json"), "w", encoding="utf-8") as file:
        json.dump({"bos_token": "<s>", "additional_special_tokens": languages}, file)
    tags = {language: len(pieces) + number for number, language in enumerate(languages)}
    return (lambda text: [ids.get(piece, 3) for piece in processor.encode(text, out_type=str)]), tags


def fairseq(name, kind, languages, start, listed=False, after=False, **settings):
    """`start`: what the decoder starts with before the target language; `after`: the source language is after the end."""
    folder = fresh(name)
    pieces, tags = fairseq_tokenizer(folder, languages, listed)
    source, target = tags[languages[0]], tags[languages[2]]
    config = getattr(transformers, kind + "Config")(
        vocab_size=max(tags.values()) + 3, decoder_start_token_id=start[0] if start else target,
        forced_eos_token_id=None, **SMALL, **settings)
    model = getattr(transformers, kind + "ForConditionalGeneration")(config)
    spread_weights(model)
    model.generation_config.forced_eos_token_id = None

    def encode(text):
        return pieces(text) + [2, source] if after else [source] + pieces(text) + [2]

    starts = start + [target]
    how = dict(forced_bos_token_id=target) if start else dict(decoder_start_token_id=target)
    let_end(model, [encode(text) for text in sentences(60, 5)], 2, 1, starts, **how)
    model.save_pretrained(folder)
    result = expected(model, encode, 2, 1, starts, pieces, **how, length_penalty=0.0)
    result |= {"from": languages[0].strip("_"), "to": languages[2].strip("_"), "ranking": "sum"}
    write_case(folder, result)


def bart():
    folder = fresh("bart")
    shutil.copy(os.path.join(HERE, "byte_bpe_vocab.bpe"), os.path.join(folder, "merges.txt"))
    with open(os.path.join(HERE, "byte_bpe_encoder.json"), encoding="utf-8") as file:
        ids = json.load(file)
    ids = {mark: number for number, mark in enumerate(MARKS)} | {piece: number + 4 for piece, number in ids.items()}
    with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as file:
        json.dump(ids, file, ensure_ascii=False)
    config = transformers.BartConfig(vocab_size=len(ids), decoder_start_token_id=2, forced_bos_token_id=0,
                                     forced_eos_token_id=None, **SMALL)
    model = transformers.BartForConditionalGeneration(config)
    spread_weights(model)
    model.generation_config.forced_eos_token_id = None
    model.generation_config.forced_bos_token_id = 0
    ranks = {pair: number for number, pair in enumerate(
        tuple(line.split()) for line in open(os.path.join(folder, "merges.txt"), encoding="utf-8").read().split("\n")[1:]
        if line)}

    def pieces(text):
        result = []
        for word in byte_pieces(text.encode("utf-8")):
            while len(word) > 1:
                best = min(zip(word, word[1:]), key=lambda pair: ranks.get(pair, len(ranks)))
                if best not in ranks:
                    break
                word = join(word, best)
            result += [ids[piece] for piece in word]
        return result

    def encode(text):
        return [0] + pieces(text) + [2]

    let_end(model, [encode(text) for text in sentences(60, 5)], 2, 1, [2, 0], forced_bos_token_id=0, bad_words_ids=[[0], [1]])
    model.save_pretrained(folder)
    result = expected(model, encode, 2, 1, [2, 0], pieces, forced_bos_token_id=0, bad_words_ids=[[0], [1]],
                      length_penalty=0.0)
    write_case(folder, result | {"ranking": "sum"})


# ---- T5 and MADLAD-400 ------------------------------------------------------------------------------------------------


def t5(name, languages=(), untied=False, **settings):
    folder = fresh(name)
    path = os.path.join(folder, "spiece.model")
    train_subwords(path, sentences(3000, 1) + mixed_lines(150, 1), 500 if languages else 300, pad_id=0, eos_id=1, unk_id=2, bos_id=-1,
                   user_defined_symbols=[f"<2{language}>" for language in languages], byte_fallback=bool(languages))
    processor = sentencepiece.SentencePieceProcessor(model_file=path)
    config = transformers.T5Config(
        vocab_size=processor.get_piece_size() + 5, d_model=16, d_kv=6, d_ff=24, num_layers=2, num_heads=3,
        relative_attention_num_buckets=8, relative_attention_max_distance=20, decoder_start_token_id=0, **settings)
    model = transformers.T5ForConditionalGeneration(config)
    if untied:
        model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.clone())
    spread_weights(model)

    def encode(text):
        tag = [processor.piece_to_id(f"<2{languages[1]}>")] if languages else []
        return tag + processor.encode(text) + [1]

    # Ids that the vocabulary lacks.
    how = dict(bad_words_ids=[[number] for number in range(processor.get_piece_size(), config.vocab_size)])
    let_end(model, [encode(text) for text in sentences(60, 5)], 1, 0, [0], **how)
    config.save_pretrained(folder)
    model.generation_config.save_pretrained(folder)
    if untied:
        state = {name: value for name, value in model.state_dict().items() if "embed_tokens" not in name}
        torch.save(state, os.path.join(folder, "pytorch_model.bin"))
    else:
        model.save_pretrained(folder)
    result = expected(model, encode, 1, 0, [0], processor.encode, processor, **how)
    write_case(folder, result | {"to": languages[1] if languages else ""})


CASES = {
    "marian": lambda: marian("marian", save_safetensors, activation_function="swish", scale_embedding=True),
    "marian_tags": lambda: marian("marian_tags", save_torch(), tags=("fra", "cmn_Hans"), activation_function="relu"),
    "marian_separate": lambda: marian("marian_separate", save_torch(half=True, legacy=True), separate=True,
                                      share_encoder_decoder_embeddings=False, activation_function="gelu"),
    "m2m100": lambda: fairseq("m2m100", "M2M100", ["__de__", "__en__", "__fr__"], [2], listed=True,
                              activation_function="relu", scale_embedding=True),
    "nllb": lambda: fairseq("nllb", "M2M100", ["eng_Latn", "deu_Latn", "fra_Latn"], [2], activation_function="relu",
                            scale_embedding=True),
    "mbart50": lambda: fairseq("mbart50", "MBart", ["ar_AR", "cs_CZ", "de_DE"], [2], scale_embedding=True),
    "mbart": lambda: fairseq("mbart", "MBart", ["en_XX", "cs_CZ", "ro_RO"], [], after=True),
    "bart": bart,
    "t5": lambda: t5("t5", feed_forward_proj="relu"),
    "madlad": lambda: t5("madlad", ("de", "fr"), untied=True, feed_forward_proj="gated-gelu",
                         tie_word_embeddings=False),
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    for case in sys.argv[1:] or CASES:
        CASES[case]()
