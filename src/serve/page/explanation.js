// What the page asks of an explanation (docs/reference/explanations.md): its words, and weights between words.
import { Speller } from './tokens.js';

// Words of a text: {text, begin, end, tokens, letters}. Places are counted in characters; `tokens` are indices, and
// `letters` are those of them that are more than punctuation, or all if none is.
function wordsOf(text, tokens) {
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
  let end = 0;  // a word without tokens is empty, and stands after the one before
  return Array.from(words, (word) => {
    end = Math.max(end, word?.end ?? end);
    return word ?? { text: '', begin: end, end, tokens: [], letters: [] };
  });
}

export const sourceWords = (explanation) => wordsOf(explanation.source, explanation.source_tokens);
export const targetWords = (explanation) => wordsOf(explanation.text, explanation.tokens);

// The index of the word that contains a character of the translation, or of the last one before it.
export function wordAt(explanation, character) {
  return targetWords(explanation).findLastIndex((word) => word.text !== '' && word.begin <= character);
}

export function sourceSpeller(explanation) {
  return new Speller(explanation.source_tokens.map(({ token }) => token));
}

export function targetSpeller(explanation) {
  return new Speller(explanation.tokens.flatMap(({ token, alternatives }) =>
    [token, ...(alternatives ?? []).map((one) => one.token)]));
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

// A kind of attention: the words that attend (queries) and those attended to (keys), and on which side each of them is.
const SIDES = {
  source: { queries: 'target', keys: 'source' },
  past: { queries: 'target', keys: 'target' },
  encoder: { queries: 'source', keys: 'source' },
};

export const sidesOf = (kind) => SIDES[kind];

// {queries, keys}: words whose `tokens` are rows and columns of the matrices. The first column of the past is the
// beginning of the sentence.
export function attendingWords(explanation, kind) {
  const source = sourceWords(explanation), target = targetWords(explanation);
  if (kind === 'encoder') return { queries: source, keys: source };
  if (kind === 'source') return { queries: target, keys: source };
  const start = { text: '<s>', tokens: [0], letters: [0], mark: true };
  const moved = target.map((word) => ({ ...word, tokens: word.tokens.map((token) => token + 1) }));
  return { queries: target, keys: [start, ...moved] };
}

// Weights [queries][keys] of a matrix over tokens: mean over the tokens of a query, punctuation aside, and sum over
// those of a key.
export function wordWeights(matrix, { queries, keys }) {
  return queries.map((query) => keys.map((key) => {
    let sum = 0;
    for (const i of query.letters) for (const j of key.tokens) sum += matrix[i]?.[j] ?? 0;
    return sum / Math.max(query.letters.length, 1);
  }));
}

// The same from an alignment: each target word's links share its weight.
export function alignmentWeights(alignment, { queries, keys }) {
  const weights = queries.map(() => keys.map(() => 0));
  for (const [source, target] of alignment) if (weights[target]) weights[target][source] = 1;
  return weights.map((row) => {
    const sum = row.reduce((a, b) => a + b, 0);
    return sum > 0 ? row.map((weight) => weight / sum) : row;
  });
}

// The words with the largest weights, best first: {text, weight}.
export function heaviest(words, weights, most = 3) {
  return words.map((word, i) => ({ text: word.text, weight: weights[i] ?? 0 }))
    .filter((one) => one.weight >= 0.05)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, most);
}
