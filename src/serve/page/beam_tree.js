// The beam of one sentence as a tree: every hypothesis that was ever in the beam, one column per step. The path of the
// best translation is the straight line at the top; what was dropped is dimmed. The reports draw the same picture.
import { html, scaled, svg, textScale, textWidth, title, uiFont } from './element.js';
import { decimal, percent, shortened } from './numbers.js';
import { showScrolling } from './scrolling.js';

const MARGIN = 14, STEPS = 24, ROW = 48, BOX = 25, PAD = 7;
const FONT = 13, SMALL = 12;
const NARROWEST = 15, WIDEST = 64;  // pixels between two steps
const MOST_PER_STEP = 8;  // further hypotheses of a step are counted but not drawn

const FATES = {
  best: 'best translation',
  complete: 'other complete hypothesis',
  open: 'unfinished when the search stopped',
  dropped: 'dropped from the beam',
};

function link(nodes) {
  const places = nodes.map(() => ({
    step: 0, row: 0, fate: 'dropped', rank: 0, shown: false,
    promise: -Infinity,  // score of the best complete hypothesis below
    below: [],           // children, the most promising one first
  }));
  nodes.forEach((node, n) => {
    if (n === 0) return;
    places[n].step = places[node.parent].step + 1;
    places[node.parent].below.push(n);
  });
  nodes.map((node, n) => n).filter((n) => nodes[n].finished)
    .sort((a, b) => nodes[b].score - nodes[a].score)
    .forEach((n, i) => { places[n].rank = i + 1; });
  return places;
}

const comparison = (nodes, places) => (a, b) =>
  Number(nodes[b].best) - Number(nodes[a].best) ||
  (places[a].promise === places[b].promise ? 0 : places[b].promise - places[a].promise) ||
  nodes[b].log_probability - nodes[a].log_probability;

// Fates, from the leaves up.
function judge(nodes, places, steps) {
  for (let n = nodes.length - 1; n >= 0; --n) {
    const place = places[n];
    if (nodes[n].finished) place.promise = nodes[n].score;
    if (nodes[n].best || n === 0) place.fate = 'best';
    else if (place.promise > -Infinity) place.fate = 'complete';
    else if (place.fate === 'dropped' && place.below.length === 0 && place.step === steps) place.fate = 'open';
    if (n > 0) {
      const above = places[nodes[n].parent];
      above.promise = Math.max(above.promise, place.promise);
      if (place.fate === 'open') above.fate = 'open';
    }
    place.below.sort(comparison(nodes, places));
  }
}

// Rows are in the order of a depth-first walk, so that no edges cross, and as close to the parent as possible.
function layout(nodes) {
  const places = link(nodes);
  const steps = Math.max(...places.map((place) => place.step));
  judge(nodes, places, steps);
  const [counts, hidden, next] = [1, 2, 3].map(() => new Array(steps + 1).fill(0));  // by step
  const better = comparison(nodes, places);
  const order = nodes.map((_, n) => n).sort((a, b) => places[a].step - places[b].step || better(a, b));
  for (const n of order) {
    const { step } = places[n];
    places[n].shown = counts[step] < MOST_PER_STEP && (n === 0 || places[nodes[n].parent].shown);
    ++(places[n].shown ? counts : hidden)[step];
  }
  const rows = Math.max(...counts), left = [...counts];
  const put = (n, parentRow) => {
    const place = places[n];
    place.row = Math.max(next[place.step], Math.min(parentRow, rows - left[place.step]));
    next[place.step] = place.row + 1;
    --left[place.step];
    for (const child of place.below) if (places[child].shown) put(child, place.row);
  };
  put(0, 0);
  return { places, steps, rows, hidden };
}

// The label of each node. The bytes of a character may be several nodes.
function readLabels(nodes, speller) {
  const open = [], labels = [];
  nodes.forEach((node, n) => {
    const read = n === 0 ? { label: '<s>', open: [] } : speller.read(node.token, open[node.parent]);
    labels.push(read.label);
    open.push(read.open);
  });
  return labels;
}

// The nodes from the first token to a node.
function pathTo(nodes, n) {
  const path = [];
  for (; n > 0; n = nodes[n].parent) path.unshift(n);
  return path;
}

function describe(drawing, n) {
  const { nodes, places, labels } = drawing;
  if (n === 0) return 'the beginning of the sentence';
  const node = nodes[n], probability = Math.exp(node.log_probability - nodes[node.parent].log_probability);
  return [
    pathTo(nodes, n).map((one) => labels[one]).join(' '),
    `log probability ${decimal(node.log_probability, 3)}`,
    `score ${decimal(node.score, 3)}`,
    `last token ${percent(probability)}`,
    FATES[places[n].fate],
  ].join(' · ');
}

function edge({ nodes, places, columns, widths, gap }, n) {
  const { parent } = nodes[n];
  const probability = Math.exp(nodes[n].log_probability - nodes[parent].log_probability);
  const middle = (one) => MARGIN + STEPS + ROW * places[one].row + BOX / 2;
  const x = columns[places[n].step], bend = x - gap, half = (bend + x) / 2;
  return svg('path', {
    class: 'edge',
    'stroke-width': 1 + 2.5 * Math.min(probability, 1),
    d: `M${columns[places[parent].step] + widths[parent]} ${middle(parent)}H${bend}` +
      `C${half} ${middle(parent)} ${half} ${middle(n)} ${x} ${middle(n)}`,
  });
}

// A cross ends the hypotheses that were dropped.
function cross(x, y) {
  const arm = 4;
  const d = `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`;
  return svg('path', { class: 'cross', d });
}

function hypothesis(drawing, n) {
  const { nodes, places, names, columns, widths } = drawing;
  const node = nodes[n], place = places[n];
  const x = columns[place.step], y = MARGIN + STEPS + ROW * place.row, width = widths[n];
  const group = svg('g', { class: place.fate, 'data-node': n }, title(describe(drawing, n)));
  if (n > 0) group.append(edge(drawing, n));
  const round = node.finished || n === 0;
  group.append(
    svg('rect', { class: 'box', x, y, width, height: BOX, rx: round ? BOX / 2 : 5 }),
    svg('text', { class: 'token', x: x + width / 2, y: y + BOX / 2 + 0.35 * FONT, 'text-anchor': 'middle' }, names[n]));
  if (n > 0) group.append(svg('text', {
    class: 'number', x: x + width / 2, y: y + BOX + SMALL + 1, 'font-size': SMALL, 'text-anchor': 'middle',
  }, decimal(node.finished ? node.score : node.log_probability)));
  if (place.fate === 'dropped' && place.below.length === 0) group.append(cross(x + width + 9, y + BOX / 2));
  return group;
}

// What the boxes mean, below the tree.
function legend(places, hidden) {
  const drawn = places.slice(1).filter((place) => place.shown);
  const shown = Object.keys(FATES).filter((fate) => drawn.some((place) => place.fate === fate));
  const box = () => svg('rect', { class: 'box', x: 1, y: 1, width: 18, height: 12, rx: 3 });
  const sample = (fate) => svg('svg', { class: 'beam-tree', ...scaled(20, 14), 'aria-hidden': 'true' },
    svg('g', { class: fate }, box(), fate === 'dropped' ? cross(10, 7) : null));
  return html('ul', { class: 'fates note' },
    ...shown.map((fate) => html('li', {}, sample(fate), FATES[fate])),
    hidden.some((count) => count > 0) ? html('li', {}, '(+n): n more, not drawn') : null);
}

// Lights the path to the hypothesis that the pointer is at, and tells about it.
function listen(picture, drawing, tell) {
  picture.addEventListener('mouseover', (event) => {
    const group = event.target.closest('[data-node]');
    const path = new Set(group ? [0, ...pathTo(drawing.nodes, Number(group.dataset.node))].map(String) : []);
    picture.toggleAttribute('data-lit', path.size > 0);
    for (const one of picture.querySelectorAll('[data-node]'))
      one.toggleAttribute('data-lit', path.has(one.dataset.node));
    tell(group ? describe(drawing, Number(group.dataset.node)) : '');
  });
  picture.addEventListener('mouseleave', () => {
    picture.removeAttribute('data-lit');
    tell('');
  });
}

// The gaps between the steps are as wide as the frame allows.
function place(drawing, steps, room) {
  const { places, widths } = drawing;
  const widest = Array.from({ length: steps + 1 }, (_, step) =>
    Math.max(24, ...widths.filter((__, n) => places[n].shown && places[n].step === step)));
  const boxes = widest.reduce((sum, width) => sum + width, 0);
  const gap = Math.max(NARROWEST, Math.min(WIDEST, (room - boxes - 2 * MARGIN) / Math.max(steps, 1)));
  const columns = [MARGIN];
  for (const width of widest) columns.push(columns.at(-1) + width + gap);
  Object.assign(drawing, { gap, columns });
  return columns.at(-1) - gap + MARGIN;
}

// `tell` is called with a description of the hypothesis that the pointer is at, or with ''.
export function showTree(frame, nodes, speller, tell) {
  const { places, steps, rows, hidden } = layout(nodes);
  const labels = readLabels(nodes, speller);
  const names = labels.map((label, n) => shortened(label, 18) + (nodes[n].finished ? ` #${places[n].rank}` : ''));
  const widths = names.map((name) => textWidth(name, uiFont(FONT, 600)) + 2 * PAD);
  const drawing = { nodes, places, labels, names, widths };
  const width = Math.floor(place(drawing, steps, frame.clientWidth / textScale()));
  const height = MARGIN + STEPS + ROW * rows;
  const complete = nodes.filter((node) => node.finished).length;
  const picture = svg('svg', {
    class: 'beam-tree', role: 'img', ...scaled(width, height), 'font-size': FONT,
    'aria-label': `${nodes.length - 1} hypotheses in ${steps} steps, ${complete} of them complete`,
  });
  for (let step = 0; step <= steps; ++step)
    picture.append(svg('text', {
      class: 'caption', x: drawing.columns[step], y: MARGIN + STEPS / 2, 'font-size': SMALL,
    }, step === 0 ? 'step' : `${step}${hidden[step] > 0 ? ` (+${hidden[step]})` : ''}`));
  // The best path is drawn last, above the others.
  for (const best of [false, true])
    nodes.forEach((_, n) => {
      if (places[n].shown && (places[n].fate === 'best') === best) picture.append(hypothesis(drawing, n));
    });
  listen(picture, drawing, tell);
  showScrolling(frame, picture, { name: 'The tree of hypotheses', below: legend(places, hidden) });
}
