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

// Shows `content` in `frame`, in a box that scrolls.
export function showScrolling(frame, content) {
  const box = html('div', { class: 'scrolling' }, content);
  frame.classList.add('scroll-frame');
  frame.replaceChildren(box);
  box.addEventListener('scroll', () => mark(box), { passive: true });
  for (const part of [box, content]) sizes.observe(part);
  return box;
}
