// The figures below the translations: lines between words, the card of a word, attention maps, the beam. They show one
// sentence of one translation; pointing at a word anywhere lights it everywhere.
import { html } from './element.js';
import { alignmentWeights, headMatrix, layersOf, wordWeights, wordsOf } from './explanation.js';
import { lightLines, showLines } from './lines.js';
import { showCard } from './word_card.js';
import { KINDS, lightRows, showHeads, showMap } from './attention_map.js';
import { showTree } from './beam_tree.js';

const OTHERS = 320;  // pixels of the maps of other models
const find = (id) => document.getElementById(id);

export class Insight {
  // actions: {look(word), leave(), choose(word), continueFrom(prefix), turn(step)}
  constructor(actions) {
    this.actions = actions;
    this.chosen = { kind: 'source', layer: null, head: 'mean' };  // layer null: the last one
    find('kind').addEventListener('change', (event) =>
      this.choose({ kind: event.target.value, layer: null, head: 'mean' }));
    find('layer').addEventListener('change', (event) =>
      this.choose({ layer: Number(event.target.value), head: 'mean' }));
    find('head').addEventListener('change', (event) =>
      this.choose({ head: event.target.value === 'mean' ? 'mean' : Number(event.target.value) }));
    find('previous').addEventListener('click', () => actions.turn(-1));
    find('next').addEventListener('click', () => actions.turn(1));
  }

  hide() {
    find('insight').hidden = true;
  }

  // view: {result, others, sentence, from, to}: a result and those of the models beside it
  show(view) {
    this.view = view;
    const { result, sentence } = view;
    this.explanation = result.explanations[sentence];
    find('insight').hidden = !this.explanation;
    if (!this.explanation) return;
    this.source = wordsOf(this.explanation.source, this.explanation.source_tokens);
    this.target = wordsOf(this.explanation.text, this.explanation.tokens);
    const count = result.explanations.length;
    find('sentences').hidden = count < 2;
    find('sentence').textContent = `Sentence ${sentence + 1} of ${count}`;
    find('previous').disabled = sentence === 0;
    find('next').disabled = sentence + 1 === count;
    this.word = null;
    this.showAttention();
    this.showOthers();
    this.showBeam();
  }

  choose(change) {
    Object.assign(this.chosen, change);
    this.showAttention();
    this.light(this.word);
  }

  layer() {
    const layers = layersOf(this.explanation, this.chosen.kind);
    return layers.find((layer) => layer.layer === this.chosen.layer) ?? layers.at(-1);
  }

  // Weights between words: those of the chosen map if it is over the source, else of the last layer.
  weights() {
    const overSource = this.chosen.kind === 'source';
    const layer = overSource ? this.layer() : layersOf(this.explanation, 'source').at(-1);
    if (layer && layer.keys === 'tokens')
      return wordWeights(headMatrix(layer, overSource ? this.chosen.head : 'mean'), this.target, this.source);
    return this.explanation.alignment.length > 0
      ? alignmentWeights(this.explanation.alignment, this.target, this.source)
      : null;
  }

  note() {
    if (layersOf(this.explanation, 'source').some((layer) => layer.keys === 'mixtures'))
      return 'This model attends to mixtures of all source words (Linformer), so there are no lines to single words.';
    if (this.explanation.attention_left_out) return 'The sentence is too long to show the attention of all heads.';
    if (this.explanation.alignment.length > 0 || this.lines) return null;
    return 'This model has no attention: it reads the whole sentence into one state and writes from that.';
  }

  showAttention() {
    this.fillChoices();
    this.lines = this.weights();
    showLines(find('lines'), {
      source: this.source,
      target: this.target,
      weights: this.lines,
      sourceLanguage: this.view.from,
      targetLanguage: this.view.to,
      note: this.note(),
    }, this.actions);
    const layer = this.layer();
    find('map-section').hidden = this.explanation.attention.length === 0;
    if (!layer) return;
    const { head } = this.chosen;
    find('map-note').textContent = layer.keys === 'mixtures'
      ? 'Columns are mixtures of all source tokens (Linformer).'
      : 'A row is a token that attends, a column a token it attends to. A stronger colour is more weight.';
    showMap(find('map'), this.explanation, layer, head, {
      look: (row) =>
        this.actions.look(this.chosen.kind === 'encoder' ? null : this.explanation.tokens[row].word ?? null),
      leave: this.actions.leave,
    });
    showHeads(find('heads'), layersOf(this.explanation, this.chosen.kind), { layer: layer.layer, head },
      (chosenLayer, chosenHead) => this.choose({ layer: chosenLayer, head: chosenHead }));
  }

  // The selections, with what this model has.
  fillChoices() {
    const kinds = Object.keys(KINDS).filter((kind) => layersOf(this.explanation, kind).length > 0);
    if (!kinds.includes(this.chosen.kind)) this.chosen = { kind: kinds[0] ?? 'source', layer: null, head: 'mean' };
    const option = (value, text, selected) => html('option', { value, selected }, text);
    find('kind').replaceChildren(...kinds.map((kind) => option(kind, KINDS[kind], kind === this.chosen.kind)));
    const layer = this.layer();
    if (!layer) return;
    if (this.chosen.head !== 'mean' && !(this.chosen.head < layer.heads.length)) this.chosen.head = 'mean';
    find('layer').replaceChildren(...layersOf(this.explanation, this.chosen.kind)
      .map((one) => option(one.layer, `${one.layer + 1}`, one === layer)));
    find('head').replaceChildren(
      option('mean', layer.heads.length > 1 ? 'mean of all' : 'the only one', this.chosen.head === 'mean'),
      ...(layer.heads.length > 1 ? layer.heads : []).map((_, i) => option(i, `${i + 1}`, this.chosen.head === i)));
  }

  showOthers() {
    const shown = this.view.others
      .map(({ model, explanations }) => ({ model, explanation: explanations[this.view.sentence] }))
      .filter(({ explanation }) => explanation);
    find('others-section').hidden = shown.length === 0;
    find('others').replaceChildren(...shown.map(({ model }) =>
      html('figure', {}, html('figcaption', {}, model), html('div', { class: 'map' }))));
    shown.forEach(({ explanation }, i) => {
      const layer = layersOf(explanation, 'source').at(-1), box = find('others').children[i].lastChild;
      if (layer) showMap(box, explanation, layer, 'mean', { look: () => {}, leave: () => {} }, OTHERS);
      else box.append(html('p', { class: 'note' }, 'This model has no attention.'));
    });
  }

  showBeam() {
    const { tree } = this.explanation;
    find('tree-section').hidden = tree.length === 0;
    if (tree.length === 0) return;
    showTree(find('tree'), tree);
  }

  // Lights a word of the translation; null lights none.
  light(word) {
    if (!this.explanation) return;
    this.word = word;
    lightLines(find('lines'), word, this.lines);
    const found = word === null ? undefined : this.target[word];
    lightRows(find('map'), found && this.chosen.kind !== 'encoder' ? found.tokens : []);
    showCard(find('card'), found && {
      explanation: this.explanation,
      word: found,
      weights: this.lines?.[word],
      sourceWords: this.source,
      language: this.view.to,
    }, this.actions.continueFrom);
  }
}
