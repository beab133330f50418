// The figures below the translations: lines between words, the card of a word, attention maps, the beam. They show one
// sentence; the maps are those of all models, the other figures those of one. Pointing at a word anywhere lights it
// everywhere.
import { html } from './element.js';
import {
  alignmentWeights, attendingWords, headMatrix, heaviest, layersOf, sidesOf, targetSpeller, targetWords, wordWeights,
} from './explanation.js';
import { lightLines, showLines } from './lines.js';
import { showCard } from './word_card.js';
import { showHeads } from './attention_map.js';
import { KINDS, ModelMaps, goesThroughVector, withoutWeights } from './model_maps.js';
import { showTree } from './beam_tree.js';

const ROWS = { source: 'Source', target: 'Translation' };
const find = (id) => document.getElementById(id);
const headOf = (value) => (value === 'mean' ? value : Number(value));
const option = (value, text, selected) => html('option', { value, selected }, text);

export class Insight {
  // actions: {look(lit, model), leave(), choose(lit, model), continueFrom(prefix), turn(step), turnToModel(model),
  // close()}, where lit is {side, role, word}: a word of the 'source' or of the 'target', as a 'query' that attends or
  // as a 'key' that is attended to.
  constructor(actions) {
    this.actions = actions;
    this.maps = new ModelMaps(find('maps'), actions);
    this.kind = 'source';
    this.chosen = new Map();  // {layer, head} by model; without an entry the last layer and the mean of its heads
    find('kind').addEventListener('change', (event) => this.choose({ kind: event.target.value }));
    find('layer').addEventListener('change', (event) =>
      this.choose({ layer: Number(event.target.value), head: 'mean' }));
    find('head').addEventListener('change', (event) =>
      this.choose({ layer: this.chosenOf(this.view.model).layer.layer, head: headOf(event.target.value) }));
    find('previous').addEventListener('click', () => actions.turn(-1));
    find('next').addEventListener('click', () => actions.turn(1));
  }

  hide() {
    find('insight').hidden = true;
  }

  // view: {results, model, sentence, from, to}: the figures are those of results[model].
  show(view) {
    const sameMaps = this.view?.results === view.results && this.view.sentence === view.sentence;
    this.view = view;
    this.lit = null;
    find('insight').hidden = false;
    this.explanation = this.explanationOf(view.model);
    this.fillSentences();
    this.fillModels();
    this.fillChoices();
    if (!sameMaps) this.showMaps();
    this.showAttention();
    this.showBeam();
    this.clearCard();
  }

  // After a change of the frame's width.
  showAgain() {
    this.showMaps();
    this.showAttention();
    this.showBeam();
    this.light(this.lit);
  }

  explanationOf(model) {
    return this.view.results[model].explanations[this.view.sentence];
  }

  choose({ kind, layer, head }) {
    const { name } = this.view.results[this.view.model];
    if (kind) {
      this.kind = kind;
      this.chosen.clear();
    } else this.chosen.set(name, { layer, head });
    this.fillChoices();
    this.showMaps();
    this.showAttention();
    this.light(this.lit);
  }

  // The layer and the head that are shown of a model; no layer if it has none of this kind.
  chosenOf(model) {
    const layers = layersOf(this.explanationOf(model) ?? { attention: [] }, this.kind);
    const chosen = this.chosen.get(this.view.results[model].name) ?? {};
    const layer = layers.find((one) => one.layer === chosen.layer) ?? layers.at(-1);
    return { layer, head: layer && chosen.head < layer.heads.length ? chosen.head : 'mean' };
  }

  fillSentences() {
    const { results, model, sentence } = this.view, count = results[model].explanations.length;
    find('sentences').hidden = count < 2;
    find('sentence').textContent = `Sentence ${sentence + 1} of ${count}`;
    find('previous').disabled = sentence === 0;
    find('next').disabled = sentence + 1 === count;
  }

  fillModels() {
    const { results, model } = this.view;
    find('shown').hidden = results.length < 2;
    if (this.named !== results)
      find('shown').replaceChildren(...results.map(({ name, explanations }, i) => html('button', {
        type: 'button', class: 'chip', disabled: explanations.length === 0,
        onclick: () => this.actions.turnToModel(i),
      }, name)));
    this.named = results;
    [...find('shown').children].forEach((chip, i) => chip.setAttribute('aria-pressed', String(i === model)));
  }

  // The selections, with what the models have.
  fillChoices() {
    const shown = this.view.results.map((_, i) => this.explanationOf(i)).filter(Boolean);
    const kinds = Object.keys(KINDS).filter((kind) => shown.some((one) => layersOf(one, kind).length > 0));
    if (!kinds.includes(this.kind)) this.kind = kinds[0] ?? 'source';
    find('kind').replaceChildren(...kinds.map((kind) => option(kind, KINDS[kind], kind === this.kind)));
    const { layer, head } = this.chosenOf(this.view.model);
    for (const id of ['layer', 'head']) find(id).parentElement.hidden = !layer;
    find('kind').parentElement.hidden = kinds.length === 0;
    if (!layer) return;
    find('layer').replaceChildren(...layersOf(this.explanation, this.kind)
      .map((one) => option(one.layer, `${one.layer + 1}`, one === layer)));
    const heads = layer.heads.length;
    find('head').replaceChildren(
      option('mean', heads > 1 ? `mean of ${heads}` : 'the only one', head === 'mean'),
      ...(heads > 1 ? layer.heads : []).map((_, i) => option(i, `${i + 1}`, head === i)));
  }

  // ---- the figures

  showMaps() {
    this.maps.show(this.view.results.map(({ name }, i) => ({
      name, explanation: this.explanationOf(i), ...this.chosenOf(i),
    })), this.kind, this.view.model);
  }

  // The lines and the heads of the model that is shown.
  showAttention() {
    const { layer, head } = this.chosenOf(this.view.model);
    const { from, to } = this.view, sides = sidesOf(this.kind), languages = { source: from, target: to };
    this.words = attendingWords(this.explanation, this.kind);
    this.weights = this.findWeights(layer, head);
    const side = (name, words) => ({ name: ROWS[name], language: languages[name], words });
    const isMixture = layer?.keys === 'mixtures';
    showLines(find('lines'), {
      above: side(sides.keys, this.words.keys),
      below: side(sides.queries, this.words.queries),
      weights: this.weights,
      throughVector: goesThroughVector(this.explanation),
      note: isMixture
        ? 'This model attends to mixtures of all source words (Linformer), so there are no lines to single words.'
        : layer ? null : withoutWeights(this.explanation, this.kind),
    }, {
      look: (role, word) => this.actions.look(this.litOf(role, word), this.view.model),
      leave: this.actions.leave,
      choose: (role, word) => this.actions.choose(this.litOf(role, word), this.view.model),
    });
    find('map-note').textContent = isMixture
      ? 'Each row is a token that attends; columns are mixtures of all source tokens (Linformer).'
      : 'Each row is a token that attends, each column a token it attends to.';
    const { results, model } = this.view, name = results.length > 1 ? results[model].name : null;
    showHeads(find('heads'), layersOf(this.explanation, this.kind), name, { layer: layer?.layer, head },
      (chosenLayer, chosenHead) => this.choose({ layer: chosenLayer, head: chosenHead }));
    this.maps.mark(model);
  }

  litOf(role, word) {
    const sides = sidesOf(this.kind);
    return { side: role === 'query' ? sides.queries : sides.keys, role, word };
  }

  findWeights(layer, head) {
    if (layer?.keys === 'tokens') return wordWeights(headMatrix(layer, head), this.words);
    const { alignment } = this.explanation;
    return this.kind === 'source' && alignment.length > 0 ? alignmentWeights(alignment, this.words) : null;
  }

  showBeam() {
    const { results, model } = this.view, { tree } = this.explanation;
    find('tree-title').textContent = results.length > 1 ? `The beam of ${results[model].name}` : 'The beam';
    find('hypothesis').textContent = '';
    find('tree').hidden = tree.length === 0;
    find('tree-note').textContent = tree.length === 0
      ? 'This model does not search with a beam of tokens.'
      : 'Every hypothesis that was ever in the beam, one column per step. The number below a token is the log ' +
        'probability of the hypothesis, or the score of a complete one; thicker lines are more probable tokens.';
    const tell = (text) => { find('hypothesis').textContent = text; };
    if (tree.length > 0) showTree(find('tree'), tree, targetSpeller(this.explanation), tell);
  }

  // ---- pointing

  // Lights a word; null lights none. A word of the source is lit in the maps of all models.
  light(lit) {
    if (!this.explanation) return;
    this.lit = lit;
    const sides = sidesOf(this.kind);
    const inLines = lit && (lit.role === 'query' ? sides.queries : sides.keys) === lit.side ? lit : null;
    lightLines(find('lines'), inLines, this.weights);
    this.maps.light(inLines, this.view.model);
    if (lit) showCard(find('card'), this.cardOf(lit, inLines), this.actions);
  }

  // The card stays when the pointer leaves a word: it may be on the way to the card.
  clearCard() {
    showCard(find('card'), null, this.actions);
  }

  cardOf(lit, inLines) {
    const { queries, keys } = this.words, language = lit.side === 'source' ? this.view.from : this.view.to;
    if (lit.role === 'key') {
      const weights = this.weights?.map((row) => row[lit.word]) ?? [];
      return keys[lit.word] &&
        { word: keys[lit.word], language, looked: { verb: 'Looked at by', words: heaviest(queries, weights, 6) } };
    }
    const word = (lit.side === 'target' ? targetWords(this.explanation) : queries)[lit.word];
    const weights = inLines ? this.weights?.[lit.word] ?? [] : [];
    return word && {
      word, language,
      looked: { verb: 'Looked at', words: heaviest(keys, weights) },
      explanation: lit.side === 'target' ? this.explanation : null,
    };
  }
}
