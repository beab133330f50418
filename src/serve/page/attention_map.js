// Attention as a matrix of squares: one row per token that attends, one column per token it attends to. Beside it, all
// heads of all layers as small pictures to choose from.
import { html, scaled, svg, textScale, textWidth, title, uiFont } from './element.js';
import { headMatrix, sourceSpeller, targetSpeller } from './explanation.js';
import { percent, shortened } from './numbers.js';
import { showScrolling } from './scrolling.js';
import { isMark } from './tokens.js';

const MARGIN = 8, FONT = 13, LARGEST = 56, SMALLEST = 16, TALLEST = 470;
const THUMBNAIL = 100, SHADES = 20;

// The opacity of a weight. Weak ones can be seen.
const shade = (weight) => (weight < 0.005 ? 0 : 0.06 + 0.94 * weight ** 0.8);

const named = (tokens, speller) => {
  const names = tokens.map(({ token }) => token);
  return speller.sequence(names).map(({ label }, i) => ({ label: shortened(label, 20), mark: isMark(names[i]) }));
};

// The names of rows and columns: {label, mark}.
function axes(explanation, layer) {
  const source = named(explanation.source_tokens, sourceSpeller(explanation));
  const target = named(explanation.tokens, targetSpeller(explanation));
  const rows = layer.kind === 'encoder' ? source : target;
  if (layer.keys === 'mixtures') {
    const count = layer.heads[0]?.[0]?.length ?? 0;
    return { rows, columns: Array.from({ length: count }, (_, i) => ({ label: `${i + 1}`, mark: false })) };
  }
  return { rows, columns: layer.kind === 'past' ? [{ label: '<s>', mark: true }, ...target.slice(0, -1)] : source };
}

const widthsOf = (names) => names.map(({ label }) => textWidth(label, uiFont(FONT, 600)));

// Sizes in pixels for cells of a size. Names of columns rise, and rise more where columns are narrow.
function sizesFor(cell, rows, columns) {
  const widths = widthsOf(columns), left = 2 * MARGIN + Math.max(...widthsOf(rows), 0);
  const angle = cell >= 24 ? 45 : 65, rise = Math.sin(angle * Math.PI / 180), run = Math.cos(angle * Math.PI / 180);
  const top = 2 * MARGIN + Math.max(...widths, 0) * rise + FONT * run;
  const right = Math.max(columns.length * cell, ...widths.map((width, j) => (j + 0.6) * cell + width * run));
  return {
    cell, angle, left, top,
    width: Math.ceil(left + right + MARGIN), height: Math.ceil(top + rows.length * cell + MARGIN),
  };
}

// The largest cells that fit, within bounds.
function measure(rows, columns, room) {
  let cell = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(TALLEST / rows.length)));
  while (cell > SMALLEST && sizesFor(cell, rows, columns).width > room) --cell;
  return sizesFor(cell, rows, columns);
}

function drawNames(rows, columns, { cell, angle, left, top }) {
  const attributes = (name, index) => ({ class: name.mark ? 'mark' : null, ...index });
  return [
    ...columns.map((name, j) => svg('text', {
      ...attributes(name, { 'data-column': j }),
      transform: `translate(${left + (j + 0.55) * cell},${top - MARGIN / 2}) rotate(${-angle})`,
    }, name.label)),
    ...rows.map((name, i) => svg('text', {
      ...attributes(name, { 'data-row': i }),
      x: left - MARGIN,
      y: top + (i + 0.5) * cell + 0.35 * FONT,
      'text-anchor': 'end',
    }, name.label)),
  ];
}

// view: {explanation, layer, head, room}: room is the width in pixels. actions: {look(axis, token), leave(), choose()},
// where an axis is 'row' or 'column'.
export function showMap(frame, { explanation, layer, head, room }, actions) {
  const { rows, columns } = axes(explanation, layer);
  const sizes = measure(rows, columns, room / textScale()), { cell, left, top, width, height } = sizes;
  const picture = svg('svg', {
    class: 'matrix', role: 'img', ...scaled(width, height), 'font-size': FONT,
    'aria-label': `Attention, ${rows.length} rows by ${columns.length} columns`,
  }, ...drawNames(rows, columns, sizes));
  headMatrix(layer, head).forEach((row, i) => row.forEach((weight, j) => picture.append(svg('rect', {
    class: 'cell',
    'data-row': i,
    'data-column': j,
    x: left + j * cell,
    y: top + i * cell,
    width: 0.93 * cell,
    height: 0.93 * cell,
    rx: Math.min(4, cell / 6),
    'fill-opacity': shade(weight).toFixed(3),
  }, title(`${rows[i].label} → ${columns[j].label}: ${percent(weight)}`)))));
  picture.addEventListener('mouseover', (event) => {
    const { row, column } = event.target.dataset;
    if (row !== undefined) actions.look('row', Number(row));
    else if (column !== undefined) actions.look('column', Number(column));
  });
  picture.addEventListener('mouseleave', actions.leave);
  picture.addEventListener('click', actions.choose);
  showScrolling(frame, picture, { name: 'Attention map' });
}

// Lights the rows or the columns of some tokens.
export function lightMap(box, axis, tokens) {
  const lit = new Set(tokens.map(String));
  for (const part of box.querySelectorAll('[data-row], [data-column]'))
    part.toggleAttribute('data-lit', lit.has(part.dataset[axis]));
  box.querySelector('.matrix')?.toggleAttribute('data-lit', lit.size > 0);
}

// Cells of about the same weight are one path, since a page has many of these pictures.
function thumbnail(matrix, columns) {
  const cell = THUMBNAIL / Math.max(columns, 1), height = matrix.length * cell, size = (0.94 * cell).toFixed(2);
  const paths = new Array(SHADES + 1).fill('');
  matrix.forEach((row, i) => row.forEach((weight, j) => {
    paths[Math.round(weight * SHADES)] +=
      `M${(j * cell).toFixed(2)} ${(i * cell).toFixed(2)}h${size}v${size}h-${size}z`;
  }));
  return svg('svg', { viewBox: `0 0 ${THUMBNAIL} ${height}`, 'aria-hidden': 'true', class: 'thumbnail' },
    ...paths.map((d, level) =>
      (d && level > 0 ? svg('path', { class: 'cell', d, 'fill-opacity': shade(level / SHADES).toFixed(3) }) : null)));
}

// All heads of the layers of one kind; the chosen one is pressed. `model` is a name, or null if there is only one.
export function showHeads(box, layers, model, chosen, choose) {
  const many = layers.reduce((sum, layer) => sum + layer.heads.length, 0) > 1;
  box.hidden = !many;
  box.replaceChildren(...(many ? layers : []).map((layer) => html('div', { class: 'head-row' },
    html('span', { class: 'note' }, model ? `${model}, layer ${layer.layer + 1}` : `Layer ${layer.layer + 1}`),
    html('div', { class: 'head-list' }, ...layer.heads.map((matrix, head) => html('button', {
      type: 'button',
      class: 'head',
      'aria-pressed': String(chosen.layer === layer.layer && chosen.head === head),
      'aria-label': `Layer ${layer.layer + 1}, head ${head + 1}`,
      title: `Layer ${layer.layer + 1}, head ${head + 1}`,
      onclick: () => choose(layer.layer, head),
    }, thumbnail(matrix, matrix.at(-1)?.length ?? 0)))))));
}
