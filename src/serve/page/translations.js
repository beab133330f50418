// The translations, one card per model. Words are buttons: arrow keys move between them, Enter or a click chooses one.
import { html } from './element.js';
import { separators, wordProbability, wordsOf } from './explanation.js';
import { differingWords } from './differences.js';
import { percent } from './numbers.js';

const allWords = (result) =>
  result.explanations.flatMap((explanation) => wordsOf(explanation.text, explanation.tokens).map((word) => word.text));

function moveFocus(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const words = [...event.currentTarget.querySelectorAll('.word')];
  const at = words.indexOf(document.activeElement);
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? words.length - 1 : at + (step ?? 0);
  if (next === at || !words[next]) return;
  event.preventDefault();
  words[at]?.setAttribute('tabindex', '-1');
  words[next].setAttribute('tabindex', '0');
  words[next].focus();
}

// A word's confidence is the strength of the line below it.
function wordButton(explanation, word, place, actions, differs) {
  const probability = wordProbability(explanation, word);
  const look = () => actions.look(place);
  const button = html('button', {
    type: 'button',
    class: `word${differs ? ' differs' : ''}`,
    tabindex: '-1',
    'data-place': `${place.model}-${place.sentence}-${place.word}`,
    'aria-label': [word.text, probability === null ? '' : percent(probability), differs ? 'differs' : '']
      .filter(Boolean).join(', '),
    onmouseenter: look,
    onfocus: look,
    onclick: () => actions.choose(place),
  }, word.text);
  if (probability !== null) button.style.setProperty('--doubt', (1 - probability).toFixed(3));
  return button;
}

function card(result, model, actions, reference) {
  const words = html('p', {
    class: 'text',
    dir: 'auto',
    lang: actions.language,
    role: 'group',
    'aria-label': `Translation by ${result.model}. Arrow keys move from word to word.`,
    onkeydown: moveFocus,
    onmouseleave: actions.leave,
  });
  const differing = reference ? differingWords(allWords(result), allWords(reference)) : [];
  const before = separators(result.original ?? '', result.explanations);
  let count = 0;
  result.explanations.forEach((explanation, sentence) => {
    wordsOf(explanation.text, explanation.tokens).forEach((word, index) => {
      words.append(index === 0 ? before[sentence] : ' ',
        wordButton(explanation, word, { model, sentence, word: index }, actions, differing[count++]));
    });
  });
  if (result.explanations.length === 0) words.append(result.text);
  words.querySelector('.word')?.setAttribute('tabindex', '0');
  return html('article', { class: 'translation', 'data-model': result.model },
    html('div', { class: 'tools' },
      html('h3', {}, actions.several ? result.model : ''),
      result.before
        ? html('button', { type: 'button', class: 'undo', onclick: () => actions.undo(model) }, 'Undo the choice')
        : null,
      html('button', { type: 'button', class: 'copy', onclick: (event) => actions.copy(result, event.currentTarget) },
        'Copy')),
    words);
}

// `results` are {model, text, explanations}; the first one is what the others are compared with. `before` are the
// explanations before a person chose an alternative.
export function showTranslations(box, results, actions) {
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.place : null;
  box.replaceChildren(...results.map((result, i) => card(result, i, actions, i > 0 ? results[0] : null)));
  if (focused) box.querySelector(`[data-place="${focused}"]`)?.focus();
}

export function markChosen(box, place) {
  for (const word of box.querySelectorAll('.word'))
    word.toggleAttribute('data-chosen', word.dataset.place === `${place.model}-${place.sentence}-${place.word}`);
}
