"use strict";
// Reads out the values of charts: a cursor follows the pointer or the arrow keys, and a line below the drawing names
// the values of all visible series beside it.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const NEAR = 14;  // units of the drawing within which a point belongs to the cursor

  const show = (value) => Number.isInteger(value) && Math.abs(value) < 1e9 ? value.toLocaleString("en")
    : String(Number(value.toPrecision(4)));

  // The points of the lines of a drawing, with pixels (px) and values (x, y).
  const readLines = (svg) => [...svg.querySelectorAll("polyline[data-values]")].map((polyline) => {
    const values = polyline.dataset.values.trim().split(" ").map(Number);
    const pixels = polyline.getAttribute("points").trim().split(/[ ,]/).map(Number);
    const key = [...polyline.parentNode.classList].find((name) => /^k\d+$/.test(name));
    const points = [];
    for (let i = 0; i + 1 < values.length; i += 2)
      points.push({x: values[i], y: values[i + 1], px: pixels[i], py: pixels[i + 1]});
    return {group: polyline.parentNode, key, points};
  });

  const setUp = (figure) => {
    const readout = document.createElement("p");
    readout.className = "values";
    readout.setAttribute("role", "status");
    figure.querySelector(".drawing > div").append(readout);

    const nameOf = (key) => figure.querySelector(`.legend .${key} span`)?.firstChild.textContent.trim() ?? "";

    const setUpDrawing = (svg) => {
      let lines = null, cursor = null, at = -1;
      const visible = () => {
        lines ??= readLines(svg);
        return lines.filter((line) => getComputedStyle(line.group).display !== "none");
      };
      const places = () => [...new Set(visible().flatMap((line) => line.points.map((point) => point.px)))].sort((a, b) => a - b);

      const hide = () => {
        cursor?.remove();
        cursor = null;
        readout.replaceChildren();
      };

      const choose = (px) => {
        hide();
        const near = visible().map((line) => [line, line.points.reduce((best, point) =>
          Math.abs(point.px - px) < Math.abs(best.px - px) ? point : best)])
          .filter(([, point]) => Math.abs(point.px - px) <= NEAR);
        if (near.length === 0) return;
        const nearest = near.map(([, point]) => point).reduce((a, b) => Math.abs(b.px - px) < Math.abs(a.px - px) ? b : a);
        cursor = document.createElementNS(SVG, "line");
        cursor.setAttribute("class", "cursor");
        for (const [name, value] of [["x1", nearest.px], ["x2", nearest.px], ["y1", 30], ["y2", 272]]) cursor.setAttribute(name, value);
        svg.append(cursor);
        const part = (name, text) => {
          const child = document.createElement(name);
          child.textContent = text;
          readout.append(child, " ");
          return child;
        };
        part("span", `${svg.dataset.x} ${show(nearest.x)}:`);
        for (const [line, point] of near) part("span", `${nameOf(line.key)} ${show(point.y)}`).className = line.key;
      };

      svg.tabIndex = 0;
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        choose((event.clientX - box.left) * svg.viewBox.baseVal.width / box.width);
      });
      svg.addEventListener("pointerleave", hide);
      svg.addEventListener("blur", hide);
      svg.addEventListener("keydown", (event) => {
        const all = places();
        const next = {ArrowLeft: at < 0 ? all.length - 1 : at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1}[event.key];
        if (next === undefined || all.length === 0) return;
        event.preventDefault();
        at = Math.min(Math.max(next, 0), all.length - 1);
        choose(all[at]);
      });
    };
    for (const svg of figure.querySelectorAll("svg.chart")) if (svg.querySelector("polyline")) setUpDrawing(svg);
  };

  for (const figure of document.querySelectorAll("figure.plot")) if (figure.querySelector(".drawing > div")) setUp(figure);
})();
