// Numbers and names as people read them.

export function percent(probability) {
  const value = 100 * probability;
  if (value >= 99.95) return '100\u00a0%';
  if (value >= 10) return `${value.toFixed(0)}\u00a0%`;
  if (value >= 1) return `${value.toFixed(1)}\u00a0%`;
  return value >= 0.01 ? `${value.toFixed(2)}\u00a0%` : '<\u00a00.01\u00a0%';
}

// With a minus sign instead of a hyphen.
export function decimal(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && /[1-9]/.test(text) ? '−' : '') + text;
}

export function shortened(text, most) {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
