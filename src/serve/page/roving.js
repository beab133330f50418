// Words of a group that a person moves between and chooses from. The group is one stop of the tab key: arrow keys, Home
// and End move between its words.

function move(event, selector) {
  const box = event.currentTarget, words = [...box.querySelectorAll(selector)];
  const forward = getComputedStyle(box).direction === 'rtl' ? -1 : 1;
  const step = { ArrowRight: forward, ArrowDown: 1, ArrowLeft: -forward, ArrowUp: -1 }[event.key];
  const at = words.indexOf(document.activeElement);
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? words.length - 1 : at + (step ?? 0);
  if (at < 0 || next === at || !words[next]) return;
  event.preventDefault();
  words[at].setAttribute('tabindex', '-1');
  words[next].setAttribute('tabindex', '0');
  words[next].focus();
}

// Chooses a word that stays in view: on a phone the card may cover it.
export function choose(word, action) {
  action();
  word.scrollIntoView({ block: 'nearest' });
}

// The words have tabindex -1; the first one becomes the stop.
export function rove(box, selector) {
  box.querySelector(selector)?.setAttribute('tabindex', '0');
  box.addEventListener('keydown', (event) => move(event, selector));
}
