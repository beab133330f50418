// What the model thought of one word: its probability, where it looked, and what it could have written instead.
import { html } from './element.js';
import { targetSpeller } from './explanation.js';
import { decimal, percent } from './numbers.js';
import { isMark } from './tokens.js';

function meter(probability) {
  const bar = html('span', { class: 'meter', 'aria-hidden': 'true' }, html('span', {}));
  bar.firstChild.style.inlineSize = `${(100 * Math.min(probability, 1)).toFixed(1)}%`;
  return bar;
}

function alternative(one, label, isWritten, choose) {
  const name = one.token === '</s>' ? 'end of the sentence' : label;
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

// spelled: {label, before} of the token, by `speller`
function tokenPart(token, spelled, speller, several, choose) {
  const written = token.token;
  return html('div', { class: 'token' },
    several ? html('h4', {}, spelled.label) : null,
    html('ol', { class: 'alternatives' }, ...token.alternatives.map((one) =>
      alternative(one, speller.read(one.token, spelled.before).label, one.token === written, choose))),
    token.alternatives.some((one) => one.token === written)
      ? null
      : html('p', { class: 'note' },
        `The search wrote “${spelled.label}” (${percent(Math.exp(token.log_probability))}), ` +
        'because it led to a better sentence.'));
}

function looked({ verb, words }) {
  if (words.length === 0) return null;
  return html('p', { class: 'looked' }, `${verb} `, ...words.flatMap((one, i) => [
    i > 0 ? ' · ' : null,
    html('b', {}, one.text),
    html('span', { class: 'number' }, ` ${percent(one.weight)}`),
  ]));
}

// The probability of a translated word, and the alternatives of its tokens.
function written(explanation, word, choose) {
  const tokens = word.tokens.map((index) => explanation.tokens[index]);
  if (!tokens.every((token) => token.log_probability !== undefined))
    return [html('p', { class: 'note' }, 'This model does not give probabilities of words.')];
  const sum = tokens.reduce((total, token) => total + token.log_probability, 0);
  const speller = targetSpeller(explanation);
  const spelled = speller.sequence(explanation.tokens.map(({ token }) => token));
  return [
    html('p', { class: 'note' }, `probability ${percent(Math.exp(sum))}, log ${decimal(sum)}`),
    html('p', { class: 'note label' }, 'Alternatives. Choosing one translates the rest anew.'),
    ...tokens.map((token, i) => tokenPart(token, spelled[word.tokens[i]], speller, tokens.length > 1, choose)),
  ];
}

// view: {word, language, looked: {verb, words}, explanation (of a translated word) or null}; null shows how to begin.
// actions: {continueFrom(prefix), close()}
export function showCard(box, view, actions) {
  box.toggleAttribute('data-empty', !view);
  if (!view) {
    box.replaceChildren(html('p', { class: 'note' },
      'Point at a word, above or below, or move through the words with the arrow keys. Click to keep one.'));
    return;
  }
  const [first, ...rest] = view.explanation ? written(view.explanation, view.word, actions.continueFrom) : [null];
  box.replaceChildren(...[
    html('div', { class: 'card-head' },
      html('h3', { lang: view.language, dir: 'auto' }, view.word.text),
      html('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: actions.close }, '×')),
    first,
    looked(view.looked),
    ...rest,
  ].filter(Boolean));
}
