// Words that are attended to above, words that attend below, and a line for each weight between them.
import { html, scaled, svg, title } from './element.js';
import { heaviest } from './explanation.js';
import { percent } from './numbers.js';
import { choose, rove } from './roving.js';
import { showScrolling } from './scrolling.js';

const SHOWN = 0.04;  // weights below are not drawn
const GAP = 150;     // pixels between the two rows
const WIDEST = 120, NARROWEST = 8;  // pixels between two words
const VECTOR = { width: 104, height: 30 };

const column = (weights, key) => weights.map((row) => row[key]);

function described(word, verb, others) {
  const best = others.map((one) => `${one.text} ${percent(one.weight)}`).join(', ');
  return best ? `${word.text}, ${verb} ${best}` : word.text;
}

// role: 'query' or 'key'
function row(role, side, describe, actions) {
  const words = html('div', { class: `line-words ${role}`, lang: side.language, dir: 'auto' },
    ...side.words.map((word, i) => html('button', {
      type: 'button',
      class: `line-word${word.mark ? ' mark' : ''}`,
      tabindex: '-1',
      'data-index': i,
      'aria-label': describe(word, i),
      onmouseenter: () => actions.look(role, i),
      onfocus: () => actions.look(role, i),
      onclick: (event) => choose(event.currentTarget, () => actions.choose(role, i)),
    }, word.text)));
  rove(words, '.line-word');
  return words;
}

// Spreads the words of a short sentence, and moves those of a long one together.
function spread(room, frame, rows) {
  frame.toggleAttribute('data-long', Math.max(...rows.map((one) => one.scrollWidth)) > 1.3 * room);
  const gap = Number.parseFloat(getComputedStyle(rows[0]).columnGap);
  const gaps = rows.map((one) => gap + (room - one.scrollWidth - 8) / Math.max(one.children.length - 1, 1));
  const fitting = Math.max(NARROWEST, Math.min(WIDEST, ...gaps));
  for (const one of rows) one.style.columnGap = `${fitting}px`;
}

const middle = (word) => word.offsetLeft + word.offsetWidth / 2;

function curve(x0, y0, x1, y1) {
  const bend = (y1 - y0) * 0.45;
  return `M${x0} ${y0}C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}`;
}

function drawWeights(drawing, view, above, below) {
  view.weights.forEach((weights, query) => weights.forEach((weight, key) => {
    if (weight < SHOWN) return;
    drawing.append(svg('path', {
      class: 'link',
      'data-query': query,
      'data-key': key,
      d: curve(middle(above.children[key]), 0, middle(below.children[query]), GAP),
      'stroke-width': (0.75 + 3 * weight).toFixed(2),
      'stroke-opacity': Math.max(0.15, weight).toFixed(2),
    }, title(`${view.below.words[query].text} → ${view.above.words[key].text}: ${percent(weight)}`)));
  }));
}

// Without attention all words go through one vector. `above` and `below` are the middles of the words.
function drawVector(drawing, above, below, width) {
  const x = width / 2, top = (GAP - VECTOR.height) / 2, bottom = top + VECTOR.height;
  const link = (d) => svg('path', { class: 'link through', d });
  drawing.append(
    ...above.map((word) => link(curve(word, 0, x, top))),
    ...below.map((word) => link(curve(x, bottom, word, GAP))),
    svg('rect', { class: 'vector', x: x - VECTOR.width / 2, y: top, ...VECTOR, rx: VECTOR.height / 2 }),
    svg('text', { class: 'vector-name', x, y: top + VECTOR.height / 2 + 5, 'text-anchor': 'middle' }, 'one vector'));
}

// The same with dots for words, as a picture of its own.
export function vectorPicture(sources, targets) {
  const width = 260, margin = 8;
  const spread = (count) => Array.from({ length: count }, (_, i) => (i + 0.5) * width / count);
  const picture = svg('svg', {
    class: 'vector-picture', ...scaled(width, GAP + 2 * margin), viewBox: `0 ${-margin} ${width} ${GAP + 2 * margin}`,
    'aria-hidden': 'true',
  });
  const rows = [spread(sources), spread(targets)];
  drawVector(picture, ...rows, width);
  rows.forEach((row, i) => picture.append(...row.map((cx) => svg('circle', { class: 'dot', cx, cy: i * GAP, r: 4 }))));
  return picture;
}

// view: {above, below: {name, language, words}, weights [below][above] or null, throughVector, note}
// actions: {look(role, word), leave(), choose(role, word)}
export function showLines(frame, view, actions) {
  const { above: keys, below: queries, weights } = view;
  const above = row('key', keys, (word, i) =>
    described(word, 'looked at by', weights ? heaviest(queries.words, column(weights, i)) : []), actions);
  const below = row('query', queries, (word, i) =>
    described(word, 'looked at', weights ? heaviest(keys.words, weights[i]) : []), actions);
  const drawing = svg('svg', { class: 'line-drawing', height: GAP, 'aria-hidden': 'true' });
  const picture = html('div', { class: 'line-frame' },
    html('p', { class: 'row-name' }, keys.name), above, drawing, below, html('p', { class: 'row-name' }, queries.name));
  const box = showScrolling(frame, picture, { below: view.note ? html('p', { class: 'note' }, view.note) : null });
  picture.addEventListener('mouseleave', actions.leave);
  spread(box.clientWidth, picture, [above, below]);
  const width = Math.max(above.scrollWidth, below.scrollWidth);
  drawing.setAttribute('width', width);
  drawing.setAttribute('viewBox', `0 0 ${width} ${GAP}`);
  if (weights) drawWeights(drawing, view, above, below);
  else if (view.throughVector) {
    const [sources, targets] = [above, below].map((words) => [...words.children].map(middle));
    drawVector(drawing, sources, targets, width);
  }
}

// Lights the lines of one word and the words at their other ends. lit: {role, word} or null
export function lightLines(box, lit, weights) {
  const frame = box.querySelector('.line-frame');
  if (!frame) return;
  frame.toggleAttribute('data-lit', Boolean(lit && weights));
  for (const link of frame.querySelectorAll('.link'))
    link.toggleAttribute('data-lit', Boolean(lit) && Number(link.dataset[lit.role]) === lit.word);
  for (const role of ['query', 'key'])
    for (const word of frame.querySelectorAll(`.${role} .line-word`)) {
      const index = Number(word.dataset.index), own = lit?.role === role;
      const weight = !lit || own ? 0
        : (role === 'key' ? weights?.[lit.word]?.[index] : weights?.[index]?.[lit.word]) ?? 0;
      word.toggleAttribute('data-chosen', own && index === lit.word);
      word.toggleAttribute('data-lit', weight >= SHOWN);
      word.style.setProperty('--weight', weight.toFixed(3));
    }
}
