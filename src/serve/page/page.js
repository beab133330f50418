// The page: reads the controls, asks the server, and shows what comes back.
import * as api from './api.js';
import { Choice } from './choice.js';
import { html } from './element.js';
import { separators } from './explanation.js';
import { Insight } from './insight.js';
import { markChosen, showTranslations } from './translations.js';

const TYPING_PAUSE = 250;    // milliseconds after the last key
const BUSY_NOTICE = 400;     // milliseconds before the page says that it waits
const MOST_EXPLAINED = 1500;  // characters; longer texts are translated without figures
const find = (id) => document.getElementById(id);

const state = {
  results: [],  // one per chosen model, in their order
  place: null,  // the word that stays lit: {model, sentence, word}
  model: 0,     // of the figures: index in results
  sentence: 0,
};
let running = null;  // the AbortController of the current requests
let timer = 0;

const choice = new Choice(() => translate());

const insight = new Insight({
  look: (word) => light(word === null ? null : { model: state.model, sentence: state.sentence, word }),
  leave: () => light(state.place),
  choose: (word) => pin({ model: state.model, sentence: state.sentence, word }),
  continueFrom,
  turn: (step) => turnTo(state.model, state.sentence + step, null),
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

function glossary() {
  const terms = {};
  for (const line of find('glossary').value.split('\n')) {
    const equals = line.indexOf('=');
    const source = line.slice(0, Math.max(equals, 0)).trim(), target = line.slice(equals + 1).trim();
    if (equals > 0 && source && target) terms[source] = target;
  }
  return terms;
}

function request(text, model, prefix) {
  const terms = glossary();
  return {
    q: text,
    source: choice.from,
    target: choice.to,
    beam: Number(find('beam').value),
    ...(model ? { model } : {}),
    ...(prefix ? { prefix } : {}),
    ...(Object.keys(terms).length > 0 ? { terms } : {}),
  };
}

// A result of these explanations of an original text.
function explained(model, original, explanations) {
  const before = separators(original, explanations);
  return { model, original, explanations, text: explanations.map((one, i) => before[i] + one.text).join('') };
}

async function ask(text, model, signal) {
  const { explanations } = await api.explain(request(text, model), signal);
  return explained(model, text, explanations);
}

// Without figures: a long text, or a direction that goes through a third language.
async function askPlainly(text, signal) {
  const { translatedText } = await api.translate(request(text), signal);
  return { model: '', explanations: [], text: translatedText };
}

function begin() {
  running?.abort();
  running = new AbortController();
  find('problem').hidden = true;
  const busy = setTimeout(() => say('Translating…'), BUSY_NOTICE);
  running.signal.addEventListener('abort', () => clearTimeout(busy));
  return { signal: running.signal, done: () => clearTimeout(busy) };
}

async function translate() {
  const text = find('source').value.trim();
  const { signal, done } = begin();
  if (text === '') {
    done();
    state.results = [];
    show();
    return;
  }
  const names = choice.names();
  try {
    const started = performance.now();
    const plain = names.length === 0 || [...text].length > MOST_EXPLAINED;
    const results = plain
      ? [await askPlainly(text, signal)]
      : await Promise.all(names.map((name) => ask(text, name, signal)));
    if (signal.aborted) return;
    state.results = results;
    say(`Translated in ${Math.max(1, Math.round(performance.now() - started))} ms`);
    state.place = null;
    show();
  } catch (error) {
    if (error.name === 'AbortError') return;
    say('');
    showProblem(error);
  } finally {
    done();
  }
}

// Translates the rest of a sentence anew after a prefix.
async function continueFrom(prefix) {
  const { model, sentence } = state;
  const result = state.results[model];
  const { signal, done } = begin();
  try {
    const answer = await api.explain(request(result.explanations[sentence].source, result.model, prefix), signal);
    if (signal.aborted) return;
    const explanations = [...result.explanations];
    explanations.splice(sentence, 1, ...answer.explanations);
    const before = result.before ?? result.explanations;
    state.results[model] = { ...explained(result.model, result.original, explanations), before };
    say(`Continued from “${prefix}”`);
    state.place = null;
    show();
  } catch (error) {
    if (error.name !== 'AbortError') showProblem(error);
  } finally {
    done();
  }
}

function undo(model) {
  const result = state.results[model];
  state.results[model] = explained(result.model, result.original, result.before);
  say('');
  show();
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(translate, TYPING_PAUSE);
}

// ---- showing

function show() {
  state.model = Math.min(state.model, Math.max(state.results.length - 1, 0));
  state.sentence = Math.min(state.sentence, Math.max((state.results[state.model]?.explanations.length ?? 1) - 1, 0));
  showTranslations(find('translations'), state.results, {
    look: light,
    leave: () => light(state.place),
    choose: pin,
    copy,
    undo,
    several: state.results.length > 1,
    language: choice.to,
  });
  find('spoken').lang = choice.to;
  find('spoken').textContent = state.results[0]?.text ?? '';
  if (state.results.length === 0) say('');
  if (state.results.some((result) => result.explanations.length > 0)) turnTo(state.model, state.sentence, state.place);
  else insight.hide();
  find('clear').disabled = find('source').value === '';
}

function turnTo(model, sentence, place) {
  Object.assign(state, { model, sentence, place });
  for (const card of find('translations').children)
    card.toggleAttribute('data-shown', state.results.length > 1 && card === find('translations').children[model]);
  const others = state.results.filter((_, i) => i !== model);
  insight.show({ result: state.results[model], others, sentence, from: choice.from, to: choice.to });
  light(place);
}

function light(place) {
  if (place && (place.model !== state.model || place.sentence !== state.sentence))
    turnTo(place.model, place.sentence, state.place?.model === place.model ? state.place : null);
  insight.light(place?.word ?? null);
  markChosen(find('translations'), place ?? { model: -1 });
}

function pin(place) {
  state.place = place;
  light(place);
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

// ---- files

async function translateFile(file) {
  const line = find('file-result');
  line.hidden = false;
  line.replaceChildren(`Translating ${file.name}…`);
  find('problem').hidden = true;
  try {
    const answer = await api.translateFile(file, choice.from, choice.to);
    const { pathname } = new URL(answer.translatedFileUrl, location.href);
    line.replaceChildren('Translated: ',
      html('a', { href: pathname.slice(1), download: `translated-${file.name}` }, file.name));
  } catch (error) {
    line.hidden = true;
    showProblem(error);
  }
}

// ---- beginning

function swap() {
  choice.swap();
  if (state.results[0]) find('source').value = state.results[0].text;
  typed();
}

function typed() {
  const text = find('source').value;
  find('count').textContent = text === '' ? '' : `${[...text].length} characters`;
  find('clear').disabled = text === '';
  soon();
}

function listen() {
  find('source').addEventListener('input', typed);
  find('glossary').addEventListener('input', soon);
  find('beam').addEventListener('input', () => {
    find('beam-value').textContent = find('beam').value;
    soon();
  });
  find('swap').addEventListener('click', swap);
  find('key').addEventListener('input', () => {
    api.setKey(find('key').value.trim());
    soon();
  });
  find('retry').addEventListener('click', () => (choice.languages.length > 0 ? translate() : start()));
  find('clear').addEventListener('click', () => {
    find('source').value = '';
    typed();
    find('source').focus();
  });
  find('file').addEventListener('change', (event) => {
    if (event.target.files[0]) translateFile(event.target.files[0]);
    event.target.value = '';
  });
  find('source').addEventListener('dragover', (event) => event.preventDefault());
  find('source').addEventListener('drop', (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    translateFile(file);
  });
  addEventListener('resize', () => {
    if (!find('insight').hidden) turnTo(state.model, state.sentence, state.place);
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
    choice.offer(languages, models);
    if (find('source').value === '') find('source').value = textOfLink();
    typed();
  } catch (error) {
    showProblem(error);
  }
}

listen();
start();
