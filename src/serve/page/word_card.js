// What the model thought of one word: its probability, where it looked, and what it could have written instead.
import { html } from './element.js';
import { decimal, isMark, percent, plainToken } from './numbers.js';

const MOST_SOURCES = 3;

function meter(probability) {
  const bar = html('span', { class: 'meter', 'aria-hidden': 'true' }, html('span', {}));
  bar.firstChild.style.inlineSize = `${(100 * Math.min(probability, 1)).toFixed(1)}%`;
  return bar;
}

function alternative(one, isWritten, choose) {
  const name = isMark(one.token) ? (one.token === '</s>' ? 'end of the sentence' : one.token) : plainToken(one.token);
  const content = [
    html('span', { class: `alternative-word${isMark(one.token) ? ' mark' : ''}` }, name),
    meter(one.probability),
    html('span', { class: 'number' }, percent(one.probability)),
  ];
  if (isWritten || !one.prefix)
    return html('li', { class: isWritten ? 'written' : '' }, html('span', { class: 'alternative' }, ...content));
  return html('li', {}, html('button', {
    type: 'button',
    class: 'alternative',
    title: `Continue from “${one.prefix}”`,
    'aria-label': `${name}, ${percent(one.probability)}: translate the rest from here`,
    onclick: () => choose(one.prefix),
  }, ...content));
}

function tokenPart(token, several, choose) {
  const written = token.token;
  return html('div', { class: 'token' }, ...[
    several ? html('h4', {}, plainToken(written)) : null,
    html('ol', { class: 'alternatives' },
      ...token.alternatives.map((one) => alternative(one, one.token === written, choose))),
    token.alternatives.some((one) => one.token === written)
      ? null
      : html('p', { class: 'note' },
        `The search wrote “${plainToken(written)}” (${percent(Math.exp(token.log_probability))}), ` +
        'because it led to a better sentence.'),
  ]);
}

function lookedAt(weights, sourceWords) {
  if (!weights) return null;
  const best = weights
    .map((weight, i) => ({ weight, word: sourceWords[i].text }))
    .filter((one) => one.weight >= 0.05)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_SOURCES);
  if (best.length === 0) return null;
  return html('p', { class: 'looked' }, 'Looked at ',
    ...best.flatMap((one, i) => [
      i > 0 ? ' · ' : null,
      html('b', {}, one.word),
      html('span', { class: 'number' }, ` ${percent(one.weight)}`),
    ]));
}

// view: {explanation, word, weights (of this word) or null, sourceWords, language}; null shows how to begin.
export function showCard(box, view, choose) {
  if (!view) {
    box.replaceChildren(
      html('p', { class: 'note' }, 'Point at a word of the translation, or move to it with the arrow keys.'));
    return;
  }
  const tokens = view.word.tokens.map((index) => view.explanation.tokens[index]);
  const scored = tokens.every((token) => token.log_probability !== undefined);
  const sum = tokens.reduce((total, token) => total + (token.log_probability ?? 0), 0);
  box.replaceChildren(...[
    html('h3', { lang: view.language, dir: 'auto' }, view.word.text),
    scored
      ? html('p', { class: 'note' }, `probability ${percent(Math.exp(sum))}, log ${decimal(sum)}`)
      : html('p', { class: 'note' }, 'This model has no probabilities of words.'),
    lookedAt(view.weights, view.sourceWords),
    scored ? html('p', { class: 'note label' }, 'Instead, from here:') : null,
    ...(scored ? tokens.map((token) => tokenPart(token, tokens.length > 1, choose)) : []),
  ].filter(Boolean));
}
