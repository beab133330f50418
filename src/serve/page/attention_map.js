// Attention as a matrix of squares: one row per token that attends, one column per token it attends to. Beside it, all
// heads of all layers as small pictures to choose from.
import { html, svg, textWidth, title, uiFont } from './element.js';
import { headMatrix } from './explanation.js';
import { isMark, percent, plainToken, shortened } from './numbers.js';

const MARGIN = 8, LARGEST = 34, SMALLEST = 11, USUAL = 520, LABELS = 150;
const SLOPE = Math.SQRT1_2;  // labels of columns rise at 45 degrees
const THUMBNAIL = 58, SHADES = 12;

export const KINDS = {
  source: 'of the translation to the source',
  past: 'of the translation to itself',
  encoder: 'of the source to itself',
};

// The names of rows and columns.
export function axes(explanation, layer) {
  const source = explanation.source_tokens.map((token) => token.token);
  const target = explanation.tokens.map((token) => token.token);
  const rows = layer.kind === 'encoder' ? source : target;
  if (layer.keys === 'mixtures') {
    const count = layer.heads[0]?.[0]?.length ?? 0;
    return { rows, columns: Array.from({ length: count }, (_, i) => `${i + 1}`) };
  }
  return { rows, columns: layer.kind === 'past' ? ['<s>', ...target.slice(0, -1)] : source };
}

const labelOf = (token) => shortened(isMark(token) ? token : plainToken(token), 20);

// `usual` is the width of the cells in pixels; there are larger and smaller ones for few and many tokens.
export function showMap(box, explanation, layer, head, actions, usual = USUAL) {
  const { rows, columns } = axes(explanation, layer);
  const matrix = headMatrix(layer, head);
  const room = Math.min(usual, box.closest('.figure').clientWidth - LABELS);
  const cell = Math.min(LARGEST, Math.max(SMALLEST, room / Math.max(rows.length, columns.length)));
  const size = Math.min(13, 0.62 * cell), font = uiFont(size);
  const widths = (names) => names.map((name) => textWidth(labelOf(name), font));
  const columnWidths = widths(columns);
  const left = 2 * MARGIN + Math.max(...widths(rows), 0);
  const top = 2 * MARGIN + (Math.max(...columnWidths, 0) + size) * SLOPE;
  const right = Math.max(columns.length * cell, ...columnWidths.map((width, j) => (j + 0.5) * cell + width * SLOPE));
  const width = Math.ceil(left + right + MARGIN), height = Math.ceil(top + rows.length * cell + MARGIN);
  const picture = svg('svg', {
    class: 'matrix', role: 'img', width, height, viewBox: `0 0 ${width} ${height}`, 'font-size': size,
    'aria-label': `Attention, ${rows.length} rows by ${columns.length} columns`,
  });
  columns.forEach((name, j) => picture.append(svg('text', {
    class: isMark(name) ? 'mark' : null,
    'data-column': j,
    transform: `translate(${left + (j + 0.55) * cell},${top - MARGIN / 2}) rotate(-45)`,
  }, labelOf(name), title(name))));
  rows.forEach((name, i) => picture.append(svg('text', {
    class: isMark(name) ? 'mark' : null,
    'data-row': i,
    x: left - MARGIN,
    y: top + (i + 0.5) * cell + 0.35 * size,
    'text-anchor': 'end',
  }, labelOf(name), title(name))));
  matrix.forEach((row, i) => row.forEach((weight, j) => picture.append(svg('rect', {
    class: 'cell',
    'data-row': i,
    x: left + j * cell,
    y: top + i * cell,
    width: 0.92 * cell,
    height: 0.92 * cell,
    rx: Math.min(3, cell / 6),
    'fill-opacity': weight.toFixed(3),
  }, title(`${rows[i]} → ${columns[j]}: ${percent(weight)}`)))));
  picture.addEventListener('mouseover', (event) => {
    const { row } = event.target.dataset;
    if (row !== undefined) actions.look(Number(row));
  });
  picture.addEventListener('mouseleave', actions.leave);
  box.replaceChildren(picture);
}

// Frames the rows of some tokens.
export function lightRows(box, rows) {
  const lit = new Set(rows.map(String));
  for (const part of box.querySelectorAll('[data-row]')) part.toggleAttribute('data-lit', lit.has(part.dataset.row));
  box.querySelector('.matrix')?.toggleAttribute('data-lit', rows.length > 0);
}

// Cells of about the same weight are one path, since a page has many of these pictures.
function thumbnail(matrix, columns) {
  const cell = THUMBNAIL / Math.max(matrix.length, columns, 1), size = (0.94 * cell).toFixed(2);
  const paths = new Array(SHADES + 1).fill('');
  matrix.forEach((row, i) => row.forEach((weight, j) => {
    const shade = Math.round(weight * SHADES);
    paths[shade] += `M${(j * cell).toFixed(2)} ${(i * cell).toFixed(2)}h${size}v${size}h-${size}z`;
  }));
  return svg('svg', { width: THUMBNAIL, height: THUMBNAIL, 'aria-hidden': 'true', class: 'thumbnail' },
    ...paths.map((d, shade) =>
      (d && shade > 0 ? svg('path', { class: 'cell', d, 'fill-opacity': shade / SHADES }) : null)));
}

// All heads of the layers of one kind; the chosen one is pressed.
export function showHeads(box, layers, chosen, choose) {
  const many = layers.reduce((sum, layer) => sum + layer.heads.length, 0) > 1;
  box.hidden = !many;
  box.replaceChildren(...(many ? layers : []).map((layer) => html('div', { class: 'head-row' },
    html('span', { class: 'note' }, `Layer ${layer.layer + 1}`),
    html('div', { class: 'head-list' }, ...layer.heads.map((matrix, head) => html('button', {
      type: 'button',
      class: 'head',
      'aria-pressed': String(chosen.layer === layer.layer && chosen.head === head),
      'aria-label': `Layer ${layer.layer + 1}, head ${head + 1}`,
      title: `Layer ${layer.layer + 1}, head ${head + 1}`,
      onclick: () => choose(layer.layer, head),
    }, thumbnail(matrix, matrix.at(-1)?.length ?? 0)))))));
}
