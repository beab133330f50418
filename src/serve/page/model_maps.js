// The attention maps of all models, side by side.
import { html } from './element.js';
import { attendingWords, layersOf, sidesOf, sourceWords, targetWords } from './explanation.js';
import { lightMap, showMap } from './attention_map.js';
import { vectorPicture } from './lines.js';

export const KINDS = {
  source: 'cross-attention: translation to source',
  past: 'self-attention of the decoder',
  encoder: 'self-attention of the encoder',
};
const NARROW = 700;      // pixels of a figure that has no room for two things side by side
const MAP_SHARE = 0.58;  // of a wider figure

// What to say where a model has no weights to show.
export function withoutWeights(explanation, kind) {
  if (explanation.attention_left_out) return 'The sentence is too long to show the attention of all heads.';
  if (explanation.attention.length > 0) return `This model has no ${KINDS[kind].replace(/:.*/, '')}.`;
  if (explanation.alignment.length > 0)
    return 'A phrase-based model: the lines show which words its phrases translate.';
  return 'No attention: the encoder sums up the whole sentence in one vector, and the decoder writes from that.';
}

// Whether a model is a plain encoder and decoder.
export const goesThroughVector = (explanation) =>
  explanation.attention.length === 0 && explanation.alignment.length === 0 && !explanation.attention_left_out;

function nameOf(layer, head) {
  const which = head === 'mean' ? `mean of ${layer.heads.length} heads` : `head ${head + 1}`;
  return `layer ${layer.layer + 1}${layer.heads.length > 1 ? `, ${which}` : ''}`;
}

export class ModelMaps {
  // actions: those of Insight
  constructor(box, actions) {
    Object.assign(this, { box, actions });
  }

  // models: {name, explanation or undefined, layer or undefined, head} of each; the heads of `shown` are beside a single
  // map.
  show(models, kind, shown) {
    Object.assign(this, { models, kind });
    const several = models.length > 1, { explanation } = models[shown];
    const heads = layersOf(explanation, kind).reduce((sum, layer) => sum + layer.heads.length, 0);
    this.box.toggleAttribute('data-several', several);
    this.box.replaceChildren(...models.map(() => html('figure', {}, html('figcaption'), html('div'))));
    const whole = this.box.parentElement.clientWidth;
    const room = several ? this.box.firstChild.lastChild.clientWidth
      : heads > 1 && whole > NARROW ? whole * MAP_SHARE : whole;
    models.forEach((_, i) => this.showOne(i, room));
  }

  showOne(model, room) {
    const { name, explanation, layer, head } = this.models[model];
    const [caption, frame] = this.box.children[model].children;
    if (this.models.length > 1) caption.append(html('b', {}, name), layer ? ` · ${nameOf(layer, head)}` : '');
    if (layer) {
      showMap(frame, { explanation, layer, head, room }, {
        look: (axis, token) => this.look(model, axis, token),
        leave: this.actions.leave,
        choose: () => this.actions.turnToModel(model),
      });
      return;
    }
    frame.append(html('p', { class: 'note without' },
      explanation ? withoutWeights(explanation, this.kind) : 'This model has no such sentence.'));
    if (explanation && goesThroughVector(explanation))
      frame.append(vectorPicture(sourceWords(explanation).length, targetWords(explanation).length));
  }

  look(model, axis, token) {
    const { queries, keys } = attendingWords(this.models[model].explanation, this.kind), sides = sidesOf(this.kind);
    const [role, words, side] = axis === 'row' ? ['query', queries, sides.queries] : ['key', keys, sides.keys];
    const word = words.findIndex((one) => one.tokens.includes(token));
    this.actions.look(word < 0 ? null : { side, role, word }, model);
  }

  // Marks the model that the other figures show.
  mark(shown) {
    [...this.box.children].forEach((figure, i) => figure.toggleAttribute('data-shown', i === shown));
  }

  // Lights a word of one model, and a word of the source in all maps; null lights none.
  light(lit, shown) {
    this.models.forEach(({ explanation }, i) => {
      if (!explanation) return;
      const isLit = lit && (i === shown || lit.side === 'source');
      const words = isLit ? attendingWords(explanation, this.kind)[lit.role === 'query' ? 'queries' : 'keys'] : [];
      const tokens = isLit ? words[lit.word]?.tokens ?? [] : [];
      lightMap(this.box.children[i], lit?.role === 'key' ? 'column' : 'row', tokens);
    });
  }
}
