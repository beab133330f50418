// The page: reads the controls, asks the server, and shows what comes back.
import * as api from './api.js';
import { Choice } from './choice.js';
import { wordAt } from './explanation.js';
import { offerFiles } from './files.js';
import { readGlossary } from './glossary.js';
import { Insight } from './insight.js';
import { continueSentence, detectLanguage, translateText } from './requests.js';
import { markChosen, showTranslations } from './translations.js';

const TYPING_PAUSE = 200;  // milliseconds after the last key
const BUSY_NOTICE = 400;   // milliseconds before the page says that it waits
const find = (id) => document.getElementById(id);

const state = {
  results: [],  // one per chosen model, in their order; replaced whenever one of them changes
  place: null,  // the word that stays lit: {model, sentence, side, role, word}
  model: 0,     // of the figures: index in results
  sentence: 0,
  beam: null,   // null: the server's
  limit: 0,     // of characters; 0: none
};
let running = null;  // the AbortController of the current requests
let timer = 0;

const choice = new Choice(() => translate());

const placed = (lit, model) => lit && { model, sentence: state.sentence, ...lit };

const insight = new Insight({
  look: (lit, model) => light(placed(lit, model)),
  leave: () => light(state.place),
  choose: (lit, model) => pin(placed(lit, model)),
  close: () => {
    pin(null);
    insight.clearCard();
  },
  continueFrom,
  turn: (step) => {
    turnTo(state.model, state.sentence + step);
    pin(null);
  },
  turnToModel: (model) => {
    turnTo(model, state.sentence);
    pin(null);
  },
});

// ---- problems and status

function showProblem(error) {
  find('problem').hidden = false;
  find('problem-text').textContent = error.message;
}

function say(text) {
  find('status').textContent = text;
}

// ---- translating

function taskOf(text) {
  const { terms } = readGlossary(find('glossary').value);
  return { text, from: choice.askedFrom, to: choice.to, names: choice.names(), beam: state.beam, terms };
}

// Runs `work` with a signal that the next work aborts, and `failed` before an error is shown.
async function attempt(work, failed = () => {}) {
  running?.abort();
  const { signal } = running = new AbortController();
  find('problem').hidden = true;
  const busy = setTimeout(() => say('Translating…'), BUSY_NOTICE);
  signal.addEventListener('abort', () => clearTimeout(busy));
  try {
    await work(signal);
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted) return;
    say('');
    failed();
    showProblem(error);
  } finally {
    clearTimeout(busy);
  }
}

function translate() {
  return attempt(async (signal) => {
    const text = find('source').value;
    if (text.trim() === '') return showResults([]);
    const started = performance.now();
    if (choice.isDetecting) choice.setDetected(await detectLanguage(text, choice.to, signal));
    const results = await translateText(taskOf(text), signal);
    if (signal.aborted) return;
    showBeamSize(results[0].beam);
    say(`Translated in ${Math.max(1, Math.round(performance.now() - started))} ms`);
    showResults(results);
  }, () => showResults([]));  // nothing old is left below an error
}

// Translates the rest of a sentence anew after a prefix. The word that was chosen stays lit.
function continueFrom(prefix) {
  return attempt(async (signal) => {
    const { model, sentence, results } = state;
    const result = await continueSentence(results[model], sentence, prefix, taskOf(''), signal);
    if (signal.aborted) return;
    say(`Continued from “${prefix}”`);
    const word = wordAt(result.explanations[sentence], [...prefix].length - 1);
    const place = word < 0 ? null : { model, sentence, side: 'target', role: 'query', word };
    showResults(results.with(model, result), place);
  });
}

function undo(model) {
  say('');
  showResults(state.results.with(model, state.results[model].earlier));
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(translate, TYPING_PAUSE);
}

// ---- showing

function showResults(results, place = null) {
  const isExplained = (result) => result.explanations.length > 0;
  const shown = results[state.model];
  const model = shown && isExplained(shown) ? state.model : results.findIndex(isExplained);
  Object.assign(state, { results, place });
  showTranslations(find('translations'), results, {
    look: light,
    leave: () => light(state.place),
    choose: pin,
    copy,
    undo,
    several: results.length > 1,
    language: choice.to,
  });
  find('spoken').lang = choice.to;
  find('spoken').textContent = results[0]?.text ?? '';
  if (results.length === 0) say('');
  const isWordless = results.length > 0 && model < 0;
  const reason = results[0]?.reason ?? (isWordless ? 'No figures: the text has no words to explain.' : '');
  find('why').hidden = reason === '';
  find('why').textContent = reason;
  if (model < 0) return insight.hide();
  turnTo(model, Math.min(state.sentence, results[model].explanations.length - 1));
  light(place);
}

// Shows the figures of one model and sentence.
function turnTo(model, sentence) {
  Object.assign(state, { model, sentence });
  for (const [i, card] of [...find('translations').children].entries())
    card.toggleAttribute('data-shown', state.results.length > 1 && i === model);
  insight.show({ results: state.results, model, sentence, from: choice.from, to: choice.to });
}

function light(place) {
  if (place && (place.model !== state.model || place.sentence !== state.sentence))
    turnTo(place.model, place.sentence);
  insight.light(place);
  markChosen(find('translations'), place);
}

function pin(place) {
  state.place = place;
  light(place);
}

function showBeamSize(size) {
  if (!size) return;
  find('beam').max = Math.max(find('beam').max, size);
  find('beam').value = size;
  find('beam-value').textContent = size;
}

async function copy(result, button) {
  try {
    await navigator.clipboard.writeText(result.text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Copying is not allowed here';
  }
  setTimeout(() => { button.textContent = 'Copy'; }, 1500);
}

// ---- controls

function swap() {
  choice.swap();
  if (state.results[0]?.text) find('source').value = state.results[0].text;
  typed();
}

// Browsers without field-sizing need help to let the text grow.
function grow(area) {
  if (CSS.supports('field-sizing', 'content')) return;
  area.style.blockSize = 'auto';
  area.style.blockSize = `${area.scrollHeight}px`;
}

function typed() {
  const text = find('source').value, length = [...text].length, isTooLong = state.limit > 0 && length > state.limit;
  const limit = isTooLong ? ` of ${state.limit.toLocaleString('en')}` : '';
  find('count').textContent = length === 0 ? '' : `${length.toLocaleString('en')}${limit} characters`;
  find('count').classList.toggle('bad', isTooLong);
  find('clear').disabled = length === 0;
  grow(find('source'));
  soon();
}

function showKey() {
  const hide = find('key').type === 'text';
  find('key').type = hide ? 'password' : 'text';
  find('show-key').textContent = hide ? 'Show' : 'Hide';
  find('show-key').setAttribute('aria-pressed', String(!hide));
}

function listen() {
  find('source').addEventListener('input', typed);
  find('glossary').addEventListener('input', () => {
    find('glossary-problems').textContent = readGlossary(find('glossary').value).problems.join('\n');
    soon();
  });
  find('beam').addEventListener('input', () => {
    state.beam = Number(find('beam').value);
    find('beam-value').textContent = state.beam;
    soon();
  });
  find('swap').addEventListener('click', swap);
  find('key').addEventListener('input', () => {
    api.setKey(find('key').value.trim());
    soon();
  });
  find('key-box').addEventListener('submit', (event) => event.preventDefault());
  find('show-key').addEventListener('click', showKey);
  find('retry').addEventListener('click', () => (choice.languages.length > 0 ? translate() : start()));
  find('clear').addEventListener('click', () => {
    find('source').value = '';
    typed();
    find('source').focus();
  });
  offerFiles({
    languages: () => ({ from: choice.askedFrom, to: choice.to }),
    begun: () => { find('problem').hidden = true; },
    failed: showProblem,
  });
  addEventListener('resize', () => {
    if (!find('insight').hidden) insight.showAgain();
  });
}

// A link may bring a text: /#Where is my book?
function textOfLink() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';  // damaged
  }
}

async function start() {
  find('problem').hidden = true;
  try {
    const [languages, models, settings] = await Promise.all([api.languages(), api.models(), api.settings()]);
    find('key-box').hidden = !settings.keyRequired;
    find('file').accept = settings.supportedFilesFormat.join(',');
    state.limit = settings.charLimit;
    choice.offer(languages, models);
    if (find('source').value === '') find('source').value = textOfLink();
    typed();
  } catch (error) {
    showProblem(error);
  }
}

listen();
start();
