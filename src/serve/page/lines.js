// Source words above, translated words below, and a line for each weight between them.
import { html, svg, title } from './element.js';
import { percent } from './numbers.js';

const SHOWN = 0.04;  // weights below are not drawn
const GAP = 150;     // pixels between the two rows
const WIDEST = 56, NARROWEST = 8;  // pixels between two words

function row(words, language, className) {
  return html('div', { class: `line-words ${className}`, lang: language, dir: 'auto' },
    ...words.map((word, i) => html('span', { class: 'line-word', 'data-index': i }, word.text)));
}

// Spreads the words of a short sentence, and moves those of a long one together.
function spread(box, frame, rows) {
  frame.toggleAttribute('data-long', Math.max(...rows.map((one) => one.scrollWidth)) > 1.3 * box.clientWidth);
  const widest = Math.max(...rows.map((one) => one.scrollWidth));
  const most = Math.max(...rows.map((one) => one.children.length), 2) - 1;
  const gap = Number.parseFloat(getComputedStyle(rows[0]).columnGap);
  const fitting = Math.max(NARROWEST, Math.min(WIDEST, gap + (box.clientWidth - widest - 8) / most));
  for (const one of rows) one.style.columnGap = `${fitting}px`;
}

const middle = (span) => span.offsetLeft + span.offsetWidth / 2;

function path(from, to) {
  const x0 = middle(from), x1 = middle(to), bend = GAP * 0.45;
  return `M${x0} 0C${x0} ${bend} ${x1} ${GAP - bend} ${x1} ${GAP}`;
}

// view: {source, target (words), weights [target][source] or null, sourceLanguage, targetLanguage, note}
export function showLines(box, view, actions) {
  const above = row(view.source, view.sourceLanguage, 'above'), below = row(view.target, view.targetLanguage, 'below');
  const drawing = svg('svg', { class: 'line-drawing', height: GAP, 'aria-hidden': 'true' });
  const frame = html('div', { class: 'line-frame' }, above, drawing, below);
  box.replaceChildren(frame, ...(view.note ? [html('p', { class: 'note' }, view.note)] : []));
  [...below.children].forEach((span, i) => {
    span.addEventListener('mouseenter', () => actions.look(i));
    span.addEventListener('click', () => actions.choose(i));
  });
  frame.addEventListener('mouseleave', actions.leave);
  spread(box, frame, [above, below]);
  const width = Math.max(above.scrollWidth, below.scrollWidth);
  drawing.setAttribute('width', width);
  drawing.setAttribute('viewBox', `0 0 ${width} ${GAP}`);
  (view.weights ?? []).forEach((weights, target) => weights.forEach((weight, source) => {
    if (weight < SHOWN) return;
    drawing.append(svg('path', {
      class: 'link',
      'data-target': target,
      'data-source': source,
      d: path(above.children[source], below.children[target]),
      'stroke-width': (0.75 + 3 * weight).toFixed(2),
      'stroke-opacity': Math.max(0.12, weight).toFixed(2),
    }, title(`${view.target[target].text} → ${view.source[source].text}: ${percent(weight)}`)));
  }));
}

// Lights the lines of one translated word, and the source words it looked at.
export function lightLines(box, target, weights) {
  const frame = box.querySelector('.line-frame');
  if (!frame) return;
  frame.toggleAttribute('data-lit', target !== null);
  for (const link of frame.querySelectorAll('.link'))
    link.toggleAttribute('data-lit', Number(link.dataset.target) === target);
  for (const word of frame.querySelectorAll('.below .line-word'))
    word.toggleAttribute('data-lit', Number(word.dataset.index) === target);
  for (const word of frame.querySelectorAll('.above .line-word')) {
    const weight = target === null ? 0 : weights?.[target]?.[Number(word.dataset.index)] ?? 0;
    word.style.setProperty('--weight', weight.toFixed(3));
    word.toggleAttribute('data-lit', weight >= SHOWN);
  }
}
