// What the page asks of an explanation (docs/reference/explanations.md): its words, and weights between words.

// Words of a text: {text, begin, end, tokens, letters}. Places are counted in characters; `tokens` are indices, and
// `letters` are those of them that are more than punctuation, or all if none is.
export function wordsOf(text, tokens) {
  const characters = [...text];
  const words = [];
  tokens.forEach((token, index) => {
    if (token.word === undefined) return;
    const word = (words[token.word] ??= { begin: token.begin, end: token.end, tokens: [] });
    word.begin = Math.min(word.begin, token.begin);
    word.end = Math.max(word.end, token.end);
    word.tokens.push(index);
  });
  for (const word of words.filter(Boolean)) {
    while (word.begin < word.end && /\s/.test(characters[word.begin])) ++word.begin;
    word.text = characters.slice(word.begin, word.end).join('');
    const lettered = word.tokens.filter((index) => /[\p{L}\p{N}]/u.test(tokens[index].token));
    word.letters = lettered.length > 0 ? lettered : word.tokens;
  }
  return Array.from(words, (word) => word ?? { text: '', begin: 0, end: 0, tokens: [], letters: [] });
}

// The product of the probabilities of a word's tokens; null if the model has none.
export function wordProbability(explanation, word) {
  let sum = 0;
  for (const index of word.tokens) {
    const token = explanation.tokens[index];
    if (token.log_probability === undefined) return null;
    sum += token.log_probability;
  }
  return Math.exp(sum);
}

// The matrix of one head, or the mean over all heads of a layer.
export function headMatrix(layer, head) {
  if (head !== 'mean') return layer.heads[head];
  return layer.heads[0].map((row, i) =>
    row.map((_, j) => layer.heads.reduce((sum, matrix) => sum + matrix[i][j], 0) / layer.heads.length));
}

export function layersOf(explanation, kind) {
  return explanation.attention.filter((layer) => layer.kind === kind);
}

// Weights [target words][source words] of a matrix over tokens: mean over the tokens of a target word, punctuation
// aside, and sum over those of a source word.
export function wordWeights(matrix, targetWords, sourceWords) {
  return targetWords.map((target) => sourceWords.map((source) => {
    let sum = 0;
    for (const i of target.letters) for (const j of source.tokens) sum += matrix[i]?.[j] ?? 0;
    return sum / Math.max(target.letters.length, 1);
  }));
}

// The same from an alignment: each target word's links share its weight.
export function alignmentWeights(alignment, targetWords, sourceWords) {
  const weights = targetWords.map(() => sourceWords.map(() => 0));
  for (const [source, target] of alignment) if (weights[target]) weights[target][source] = 1;
  return weights.map((row) => {
    const sum = row.reduce((a, b) => a + b, 0);
    return sum > 0 ? row.map((weight) => weight / sum) : row;
  });
}

// What stands before each sentence: the line breaks of the original text, or a space.
export function separators(original, explanations) {
  let end = 0;
  return explanations.map((explanation, i) => {
    const begin = original.indexOf(explanation.source, end);
    const gap = begin < 0 ? '' : original.slice(end, begin);
    if (begin >= 0) end = begin + explanation.source.length;
    if (i === 0) return '';
    return gap.includes('\n') ? gap.replace(/[^\n]/g, '') : ' ';
  });
}
