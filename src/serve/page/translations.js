// The translations, one card per model. Words are buttons: arrow keys move between them, Enter or a click chooses one.
import { html } from './element.js';
import { targetWords, wordProbability } from './explanation.js';
import { differingWords } from './differences.js';
import { percent } from './numbers.js';
import { choose, rove } from './roving.js';

const allWords = (result) => result.explanations.flatMap((one) => targetWords(one).map((word) => word.text));

const nameOf = ({ model, sentence, word }) => `${model}-${sentence}-${word}`;

// A word's confidence is the strength of the line below it.
function wordButton(explanation, word, place, actions, differs) {
  const probability = wordProbability(explanation, word);
  const look = () => actions.look(place);
  const button = html('button', {
    type: 'button',
    class: `word${differs ? ' differs' : ''}`,
    tabindex: '-1',
    'data-place': nameOf(place),
    'aria-label': [word.text, probability === null ? '' : percent(probability), differs ? 'differs' : '']
      .filter(Boolean).join(', '),
    onmouseenter: look,
    onfocus: look,
    onclick: (event) => choose(event.currentTarget, () => actions.choose(place)),
  }, word.text);
  if (probability !== null) button.style.setProperty('--doubt', (1 - probability).toFixed(3));
  return button;
}

// The text of a sentence, with buttons in the place of its words.
function* sentenceParts(explanation, button) {
  const characters = [...explanation.text];
  let end = 0;
  for (const [index, word] of targetWords(explanation).entries()) {
    yield characters.slice(end, word.begin).join('');
    yield button(word, index);
    end = word.end;
  }
  yield characters.slice(end).join('');
}

function textOf(result, model, actions, reference) {
  const words = html('p', {
    class: 'text',
    dir: 'auto',
    lang: actions.language,
    role: 'group',
    'aria-label': `Translation by ${result.name}. Arrow keys move from word to word.`,
    onmouseleave: actions.leave,
  });
  const differing = reference ? differingWords(allWords(result), allWords(reference)) : [];
  let count = 0;
  result.explanations.forEach((explanation, sentence) => {
    const button = (word, index) => wordButton(
      explanation, word, { model, sentence, side: 'target', role: 'query', word: index }, actions, differing[count++]);
    words.append(explanation.before, ...sentenceParts(explanation, button));
  });
  words.append(result.explanations.length > 0 ? result.after : result.text);
  rove(words, '.word');
  return words;
}

function card(result, model, actions, reference) {
  if (result.error)
    return html('article', { class: 'translation', 'data-model': result.name },
      html('h3', {}, result.name), html('p', { class: 'note bad' }, result.error));
  const tool = (name, text, onclick) => html('button', { type: 'button', class: name, onclick }, text);
  return html('article', { class: 'translation', 'data-model': result.name },
    html('div', { class: 'tools' },
      html('h3', {}, actions.several ? result.name : ''),
      result.earlier ? tool('undo', 'Undo the choice', () => actions.undo(model)) : null,
      tool('copy', 'Copy', (event) => actions.copy(result, event.currentTarget))),
    textOf(result, model, actions, reference));
}

// `results` are those of requests.js; the first one is what the others are compared with.
export function showTranslations(box, results, actions) {
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.place : null;
  const reference = results.find((result) => !result.error);
  box.replaceChildren(...results.map((result, i) => card(result, i, actions, result === reference ? null : reference)));
  if (focused) box.querySelector(`[data-place="${focused}"]`)?.focus();
}

// Marks a word; null marks none.
export function markChosen(box, place) {
  const name = place?.side === 'target' && place.role === 'query' ? nameOf(place) : null;
  for (const word of box.querySelectorAll('.word')) word.toggleAttribute('data-chosen', word.dataset.place === name);
}
