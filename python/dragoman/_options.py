"""Keyword arguments, with the names, defaults and limits of the program's flags (`dragoman translate --help`)."""

from __future__ import annotations

from typing import TypedDict


class OpeningOptions(TypedDict, total=False):
    """How a model is opened. Each object has its own device, precision and threads."""

    from_: str  #: source language of all texts, for a model that has to be told
    to: str  #: target language of all texts, for a model that translates into several
    device: str  #: "cpu", "cuda", "cuda:1", or "auto": a GPU if there is one
    precision: str  #: "automatic", "f32", "tf32", "bf16" or "int8"
    threads: int  #: CPU threads; 0 means one per core
    workers: int  #: batches decoded at the same time; 0 means one per thread, or four on a GPU
    batch: int  #: sentences per batch; 0 means 32, or 256 on a GPU
    max_input_tokens: int  #: longer texts are split or refused; 0 means the model's limit, at most 256
    long_lines: str  #: "split" longer texts at sentence ends, or "refuse" them
    document: bool  #: translate every sentence of a text by itself
    shortlist: bool  #: on a CPU, use the lexical shortlist of the model, if it has one


class SearchOptions(TypedDict, total=False):
    """How a translation is searched."""

    from_: str  #: source language, for a model that has to be told
    to: str  #: target language, for a model that translates into several
    beam: int  #: width of the beam, 4 by default; 1 is greedy search
    ranking: str  #: "sum", "mean", "gnmt" or "reward": how hypotheses of different lengths are compared
    length_penalty: float  #: exponent of the gnmt ranking
    word_reward: float  #: added per token by the reward ranking
    finished: int  #: stop after this many complete hypotheses; 0 means as many as the beam is wide
    min_length: int  #: minimum length of a translation in tokens
    max_length: int  #: maximum length in tokens; 0 means 3 times the source length plus 10
    truncate: bool  #: let a translation of max_length tokens end there as it is
    score_prefix: bool  #: count the probabilities of the words of a prefix
    sample: bool  #: sample at random instead of beam search
    temperature: float  #: of sampling; below 1 favours likely tokens
    top_k: int  #: sample from the k likeliest tokens only
    top_p: float  #: sample from the likeliest tokens that together have this probability
    seed: int  #: of sampling
    replace_unknown: bool  #: replace <unk> by the source word with the most attention
    protect: str  #: "on", "off" or "auto": search again if addresses or digits are lost or words repeated without end


class DetailOptions(SearchOptions, total=False):
    """What to return besides the text."""

    n_best: int  #: translations per text, at most as many as the beam is wide
    token_scores: bool  #: the log probability of each token
    alignment: bool  #: which source words and target words correspond
    attention: bool  #: attention weights


class DocumentOptions(SearchOptions, total=False):
    """How documents are read."""

    ignored_tags: list[str]  #: XML elements whose text is not translated
    splitting_tags: list[str]  #: XML elements that end sentences
    non_splitting_tags: list[str]  #: XML elements that do not end sentences
    retranslate: bool  #: translate the entries of a catalogue that have a translation as well


class VocabularyOptions(TypedDict, total=False):
    """How a vocabulary is learned (`dragoman vocab --help`)."""

    type: str  #: "words", "bpe", "unigram" or "byte-bpe"
    size: int  #: maximum number of ids; 0 means 8000 subwords or all words
    min_count: int  #: rarer words become unknown
    multiple: int  #: round the number of ids up to a multiple of this
    language: str  #: language whose tokenisation rules to use
    normalize: str  #: Unicode normalisation form of the text
    lower: bool  #: convert the text to lower case
    expand_contractions: bool  #: expand English contractions
    joiners: bool  #: mark tokens that had no space beside them
    character_coverage: float  #: fraction of character occurrences that subwords must cover
    byte_fallback: bool  #: encode characters that subwords do not cover as bytes
    split_digits: bool  #: make each digit a subword of its own
    detach_marks: bool  #: detach opening marks and hyphens from the word after them
    fold_capitals: bool  #: convert text in capitals to lower case and mark it
    sample: int  #: learn subwords from at most this many lines
    seed: int  #: of the sample
    encoder: str  #: encoder.json of an existing byte-level BPE
    merges: str  #: vocab.bpe of the same byte-level BPE
