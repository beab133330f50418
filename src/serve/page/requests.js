// What the page asks of the server: translations with their explanations. A result is {name (of the model), text,
// explanations, after}, where the text is `before` and `text` of every explanation and then `after`. It has a `reason`
// if the server could not explain it, and only an `error` if it could not translate. `earlier` is the result before a
// person chose an alternative.
import * as api from './api.js';

const MOST_EXPLAINED = 1500;  // characters

const textOf = ({ explanations, after }) =>
  explanations.map((one) => one.before + one.text).join('') + after;

function fieldsOf(task) {
  return {
    source: task.from,
    target: task.to,
    ...(task.beam ? { beam: task.beam } : {}),
    ...(Object.keys(task.terms).length > 0 ? { terms: task.terms } : {}),
  };
}

async function explain(task, name, signal) {
  try {
    const { text, explanations, after, beam } =
      await api.explain({ q: task.text, model: name, ...fieldsOf(task) }, signal);
    return { name, text, explanations, after, beam };
  } catch (error) {
    if (error.name === 'AbortError' || error.status !== 400) throw error;
    return { name, explanations: [], error: error.message };
  }
}

const unexplained = (text, reason) => [{ name: '', text, explanations: [], after: '', reason }];

async function translateOnly(task, reason, signal) {
  const { beam, ...fields } = fieldsOf(task);
  const { translatedText } = await api.translate({ q: task.text, ...fields }, signal);
  return unexplained(translatedText, reason);
}

// Results of all models, in the order of `names`. task: {text, from, to, names, beam (null: the server's), terms}
export async function translateText(task, signal) {
  const length = [...task.text].length;
  if (task.from === task.to)
    return unexplained(task.text, 'No figures for this text: it is in the target language already.');
  if (task.names.length === 0)
    return translateOnly(task, 'No figures for this direction: it goes through a third language, and only direct ' +
      'translations are explained.', signal);
  if (length > MOST_EXPLAINED)
    return translateOnly(task, `No figures for this text: it has ${length.toLocaleString('en')} characters, and ` +
      `texts of up to ${MOST_EXPLAINED.toLocaleString('en')} are explained.`, signal);
  const results = await Promise.all(task.names.map((name) => explain(task, name, signal)));
  if (results.some((result) => !result.error)) return results;
  return translateOnly(task, `No figures for this text: ${results[0].error}.`, signal);
}

// The result with the rest of a sentence translated anew after a prefix.
export async function continueSentence(result, sentence, prefix, task, signal) {
  const { before, source } = result.explanations[sentence];
  const answer = await api.explain(
    { q: source, split_sentences: false, prefix, model: result.name, ...fieldsOf(task) }, signal);
  const [first, ...others] = answer.explanations;
  const explanations = result.explanations.toSpliced(sentence, 1, { ...first, before }, ...others);
  const fresh = { ...result, explanations, earlier: result.earlier ?? result };
  return { ...fresh, text: textOf(fresh) };
}

// The language of a text, as the server detects it when it translates: {code, isSure}.
export async function detectLanguage(text, to, signal) {
  const { detectedLanguage } = await api.translate({ q: text, source: 'auto', target: to }, signal);
  return { code: detectedLanguage.language, isSure: detectedLanguage.confidence > 0 };
}
