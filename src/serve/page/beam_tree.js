// The beam of one sentence as a tree: every hypothesis that was ever in the beam, one column per step. The path of the
// best translation is the straight line at the top; what was dropped is dimmed. The reports draw the same picture.
import { svg, textWidth, title, uiFont } from './element.js';
import { decimal, percent, plainToken, isMark, shortened } from './numbers.js';

const MARGIN = 14, STEPS = 24, LEGEND = 36, ROW = 46, BOX = 24, PAD = 8, GAP = 38;
const FONT = 13, SMALL = 10.5;
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

function labelOf(nodes, places, n) {
  if (n === 0) return '<s>';
  const { token, finished } = nodes[n];
  return shortened(isMark(token) ? token : plainToken(token), 18) + (finished ? ` #${places[n].rank}` : '');
}

function tokensUpTo(nodes, n) {
  const tokens = [];
  for (; n > 0; n = nodes[n].parent) tokens.unshift(plainToken(nodes[n].token));
  return tokens.join(' ');
}

function hypothesis(nodes, places, n, columns, widths) {
  const node = nodes[n], place = places[n];
  const x = columns[place.step], y = MARGIN + STEPS + ROW * place.row, width = widths[n];
  const group = svg('g', { class: place.fate });
  if (n > 0) {
    const parent = places[node.parent];
    const probability = Math.exp(node.log_probability - nodes[node.parent].log_probability);
    const x0 = columns[parent.step] + widths[node.parent], y0 = MARGIN + STEPS + ROW * parent.row + BOX / 2;
    const y1 = y + BOX / 2, bend = x - GAP, half = (bend + x) / 2;
    group.append(
      title([
        tokensUpTo(nodes, n),
        `log probability ${decimal(node.log_probability, 3)}, score ${decimal(node.score, 3)}`,
        `this token: ${percent(probability)}`,
        FATES[place.fate],
      ].join('\n')),
      svg('path', {
        class: 'edge',
        'stroke-width': 1 + 2.5 * Math.min(probability, 1),
        d: `M${x0} ${y0}H${bend}C${half} ${y0} ${half} ${y1} ${x} ${y1}`,
      }));
  } else group.append(title('the beginning of the sentence'));
  const round = node.finished || n === 0;
  group.append(
    svg('rect', { class: 'box', x, y, width, height: BOX, rx: round ? BOX / 2 : 5 }),
    svg('text', { class: 'token', x: x + width / 2, y: y + BOX / 2 + 0.35 * FONT, 'text-anchor': 'middle' },
      labelOf(nodes, places, n)));
  if (n > 0) group.append(svg('text', {
    class: 'number', x: x + width / 2, y: y + BOX + SMALL + 1, 'font-size': SMALL, 'text-anchor': 'middle',
  }, node.finished ? `score ${decimal(node.score)}` : decimal(node.log_probability)));
  return group;
}

function legend(nodes, places, hidden, y) {
  const parts = [];
  let x = MARGIN;
  const note = (text, at) => svg('text', { class: 'caption', x: at, y: y + 1, 'font-size': SMALL }, text);
  for (const [fate, words] of Object.entries(FATES)) {
    if (!places.some((place, n) => n > 0 && place.shown && place.fate === fate)) continue;
    const sample = svg('rect', { class: 'box', x, y: y - 9, width: 18, height: 12, rx: 3 });
    parts.push(svg('g', { class: fate }, sample), note(words, x + 24));
    x += 44 + textWidth(words, uiFont(SMALL));
  }
  if (hidden.some((count) => count > 0)) {
    parts.push(note('(+n): n more, not drawn', x));
    x += 20 + textWidth('(+n): n more, not drawn', uiFont(SMALL));
  }
  return { parts, width: x };
}

export function showTree(box, nodes) {
  const { places, steps, rows, hidden } = layout(nodes);
  const widths = nodes.map((_, n) => textWidth(labelOf(nodes, places, n), uiFont(FONT, 600)) + 2 * PAD);
  const columns = [MARGIN];
  for (let step = 0; step <= steps; ++step) {
    const widest = Math.max(24, ...widths.filter((_, n) => places[n].shown && places[n].step === step));
    columns.push(columns.at(-1) + widest + GAP);
  }
  const height = MARGIN + STEPS + ROW * rows + LEGEND;
  const fates = legend(nodes, places, hidden, height - LEGEND / 2);
  const width = Math.ceil(Math.max(columns.at(-1) - GAP + MARGIN, fates.width));
  const complete = nodes.filter((node) => node.finished).length;
  const picture = svg('svg', {
    class: 'beam-tree', role: 'img', width, height, viewBox: `0 0 ${width} ${height}`, 'font-size': FONT,
    'aria-label': `${nodes.length - 1} hypotheses in ${steps} steps, ${complete} of them complete`,
  });
  for (let step = 1; step <= steps; ++step)
    picture.append(svg('text', { class: 'caption', x: columns[step], y: MARGIN + STEPS / 2, 'font-size': SMALL },
      `${step}${hidden[step] > 0 ? ` (+${hidden[step]})` : ''}`));
  // The best path is drawn last, above the others.
  for (const best of [false, true])
    nodes.forEach((_, n) => {
      if (places[n].shown && (places[n].fate === 'best') === best)
        picture.append(hypothesis(nodes, places, n, columns, widths));
    });
  picture.append(...fates.parts);
  box.replaceChildren(picture);
}
