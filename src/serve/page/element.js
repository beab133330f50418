// Makes elements. Attributes that begin with "on" are listeners; null and false leave an attribute out.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

// A tooltip of an SVG element.
export const title = (text) => svg('title', {}, text);

// How much larger the text of the page is than usual. Pictures are drawn in the usual size and scaled by this.
export const textScale = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
export const scaled = (width, height) =>
  ({ width: width * textScale(), height: height * textScale(), viewBox: `0 0 ${width} ${height}` });

let canvas = null;

// The width of a text in pixels, in a CSS font.
export function textWidth(text, font) {
  canvas ??= document.createElement('canvas').getContext('2d');
  canvas.font = font;
  return canvas.measureText(text).width;
}

export const uiFont = (size, weight = 400) => `${weight} ${size}px system-ui, sans-serif`;
