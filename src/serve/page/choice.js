// The choice of languages and models. A direction has one or several models; several are switches.
import { html } from './element.js';

const AUTO = 'auto';
const find = (id) => document.getElementById(id);

// The options of a selection, by language; what was selected stays so if it can.
function fillSelection(selection, languages, usual) {
  const before = selection.value;
  selection.replaceChildren(...languages.map((one) => html('option', { value: one.code }, one.name)));
  const codes = languages.map((one) => one.code);
  selection.value = codes.includes(before) ? before : usual ?? codes[0] ?? '';
}

export class Choice {
  // `changed` is called after every change that a person makes.
  constructor(changed) {
    this.changed = changed;
    this.languages = [];
    this.models = [];
    this.chosen = new Set();   // names of models
    this.detected = null;      // the language of the text, if the page detects it: {code, isSure}
    this.keepsTarget = false;  // a person has chosen it
    for (const selection of [find('from'), find('to')])
      selection.addEventListener('change', () => {
        this.keepsTarget ||= selection.id === 'to';
        this.detected = null;
        this.fill();
        changed();
      });
  }

  get isDetecting() {
    return find('from').value === AUTO;
  }

  // The code of the source language; empty if it is not detected yet.
  get from() {
    return this.isDetecting ? this.detected?.code ?? '' : find('from').value;
  }

  // The same as the server understands it.
  get askedFrom() {
    return this.from || AUTO;
  }

  get to() {
    return find('to').value;
  }

  // What the server offers.
  offer(languages, models) {
    Object.assign(this, { languages, models });
    this.fill();
  }

  // The names of the chosen models; none if the direction goes through a third language.
  names() {
    return this.modelsHere().map((model) => model.name).filter((name) => this.chosen.has(name));
  }

  swap() {
    const { from, to } = this;
    this.detected = null;
    find('from').value = to;
    this.fill();
    find('to').value = from;
    this.fill();
  }

  // A text in the target language gets another target, if there is one and the person has not chosen.
  setDetected(detected) {
    this.detected = detected;
    if (detected.code === this.to && !this.keepsTarget)
      find('to').value = this.targetsOf(detected.code)[0] ?? this.to;
    this.fill();
  }

  targetsOf(code) {
    return this.languages.find((one) => one.code === code)?.targets.filter((target) => target !== code) ?? [];
  }

  nameOfDetection() {
    const name = this.languages.find((one) => one.code === this.detected?.code)?.name;
    return name ? `${name} (${this.detected.isSure ? 'detected' : 'assumed'})` : 'Detect language';
  }

  fill() {
    const sources = this.languages.filter((one) => this.targetsOf(one.code).length > 0);
    const auto = sources.length > 1 ? [{ code: AUTO, name: this.nameOfDetection() }] : [];
    fillSelection(find('from'), [...auto, ...sources]);
    const targets = this.isDetecting ? sources.flatMap((one) => this.targetsOf(one.code)) : this.targetsOf(this.from);
    fillSelection(find('to'), this.languages.filter((one) => targets.includes(one.code)), targets[0]);
    find('swap').disabled = !this.targetsOf(this.to).includes(this.from);
    find('source').lang = this.from;
    this.fillModels();
  }

  modelsHere() {
    return this.models.filter((model) =>
      model.directions.some((pair) => pair.source === this.from && pair.target === this.to));
  }

  fillModels() {
    const here = this.modelsHere(), box = find('models');
    if (this.names().length === 0) this.chosen = new Set(here.slice(0, 1).map((model) => model.name));
    box.hidden = here.length < 2;
    box.replaceChildren(...here.map(({ name }) => html('button', {
      type: 'button',
      class: 'chip',
      'aria-pressed': String(this.chosen.has(name)),
      onclick: (event) => this.switchModel(name, event.currentTarget),
    }, name)));
  }

  // One model stays on.
  switchModel(name, button) {
    if (!this.chosen.has(name)) this.chosen.add(name);
    else if (this.chosen.size > 1) this.chosen.delete(name);
    button.setAttribute('aria-pressed', String(this.chosen.has(name)));
    this.changed();
  }
}
