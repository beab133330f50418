// A box that scrolls sideways fades at the ends where there is more.
import { html } from './element.js';

function mark(box) {
  const frame = box.parentElement;
  frame.toggleAttribute('data-before', box.scrollLeft > 1);
  frame.toggleAttribute('data-after', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}

const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.isConnected) mark(target.closest('.scrolling'));
    else sizes.unobserve(target);
  }
});

// Shows `content` in `place`, in a box that scrolls, and `below` below it. A box with a name is a stop of the tab key,
// so that arrow keys can scroll it; one without must contain such stops.
export function showScrolling(place, content, { name = null, below = null } = {}) {
  const stop = name ? { tabindex: 0, role: 'group', 'aria-label': name } : {};
  const box = html('div', { class: 'scrolling', ...stop }, content);
  place.replaceChildren(html('div', { class: 'scroll-frame' }, box), ...(below ? [below] : []));
  box.addEventListener('scroll', () => mark(box), { passive: true });
  for (const part of [box, content]) sizes.observe(part);
  return box;
}
