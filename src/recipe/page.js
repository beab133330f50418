"use strict";
// The interactive parts of a recipe's report: translations side by side and attention maps. All data are in script
// elements of the page. Texts from files become text nodes, never markup.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const CELL = 22;

  const byId = (id) => document.getElementById(id);
  const parsed = new Map();
  // The JSON of a script element, parsed when it is first needed.
  const data = (id) => {
    if (!parsed.has(id)) parsed.set(id, JSON.parse(byId(id).textContent));
    return parsed.get(id);
  };

  const add = (parent, name, attributes = {}, text = null) => {
    const inSvg = name === "svg" || parent.namespaceURI === SVG;
    const child = inSvg ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, value);
    if (text !== null) child.textContent = text;
    parent.append(child);
    return child;
  };

  const fillSelect = (select, titles) => {
    select.replaceChildren();
    titles.forEach((title, index) => add(select, "option", {value: index}, title));
    select.closest("label").hidden = titles.length < 2;
  };

  // Words, single punctuation marks and the blanks between them.
  const pieces = (text) => text.match(/\s+|[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu) || [];
  const isBlank = (piece) => /^\s/.test(piece);

  // Marks which words of two lists belong to a longest common subsequence.
  const commonWords = (a, b) => {
    const width = b.length + 1;
    const length = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; --i)
      for (let j = b.length - 1; j >= 0; --j)
        length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1] + 1
          : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    const steps = [];  // each is [kind, word]: "=" in both, "-" only in a, "+" only in b
    let i = 0, j = 0;
    while (i < a.length || j < b.length)
      if (i < a.length && j < b.length && a[i] === b[j]) { steps.push(["=", b[j]]); ++i; ++j; }
      else if (i < a.length && (j === b.length || length[(i + 1) * width + j] >= length[i * width + j + 1]))
        steps.push(["-", a[i++]]);
      else steps.push(["+", b[j++]]);
    return steps;
  };

  // Appends text; what was searched for is outlined.
  const addText = (parent, text, needle) => {
    const low = text.toLowerCase();
    let from = 0;
    for (let at; needle && low.length === text.length && (at = low.indexOf(needle, from)) >= 0; from = at + needle.length) {
      parent.append(text.slice(from, at));
      add(parent, "mark", {}, text.slice(at, at + needle.length));
    }
    parent.append(text.slice(from));
  };

  // Appends an output with its differences from the reference; returns how many words of the reference it has.
  const addDifferences = (parent, reference, output, withMissing) => {
    const shown = pieces(output);
    const steps = commonWords(pieces(reference).filter((p) => !isBlank(p)), shown.filter((p) => !isBlank(p)));
    let next = 0, common = 0;
    const blanks = () => { while (next < shown.length && isBlank(shown[next])) parent.append(shown[next++]); };
    for (const [kind, word] of steps) {
      if (kind === "-") {
        if (!withMissing) continue;
        blanks();
        if (/\S$/.test(parent.textContent)) parent.append(" ");
        add(parent, "del", {}, word);
        parent.append(" ");
        continue;
      }
      blanks();
      if (kind === "+") add(parent, "ins", {}, word); else { parent.append(word); ++common; }
      ++next;
    }
    return common;
  };

  const tests = data("tests");

  // Browses a list of numbers with previous, next and a number field.
  const browser = (form, count, show) => {
    const number = form.elements.number;
    const go = (step) => {
      const all = count();
      const at = all.indexOf(Number(number.value));
      const near = at >= 0 ? at + step : all.findIndex((n) => n > Number(number.value));
      number.value = all[Math.min(Math.max(near, 0), all.length - 1)] ?? 1;
      show();
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    form.querySelector("[data-step='-1']").addEventListener("click", () => go(-1));
    form.querySelector("[data-step='1']").addEventListener("click", () => go(1));
    number.addEventListener("change", show);
    return number;
  };

  const setUpTranslations = (showAttention) => {
    const form = byId("translation-controls");
    const list = byId("sentences");
    const {test: testSelect, search, missing} = form.elements;
    let found = [];  // numbers of the sentences that contain what is searched for
    fillSelect(testSelect, tests.map((test) => test.title));

    const lookUp = () => {
      const all = data(tests[testSelect.value].id);
      const needle = search.value.toLowerCase();
      const columns = [all.source, all.reference, ...all.systems.map((system) => system.output)];
      const longest = Math.max(...columns.map((column) => column.length));
      found = [];
      for (let i = 0; i < longest; ++i)
        if (!needle || columns.some((column) => (column[i] ?? "").toLowerCase().includes(needle))) found.push(i + 1);
      number.max = longest;
      byId("found").textContent = needle ? `${found.length} of ${longest} sentences` : `${longest} sentences`;
      if (found.length > 0 && !found.includes(Number(number.value))) number.value = found[0];
    };

    const row = (title, remark, isGiven) => {
      const name = add(list, "dt", isGiven ? {class: "given"} : {}, title);
      if (remark) add(name, "small", {}, remark);
      return [name, add(list, "dd", isGiven ? {class: "given"} : {})];
    };

    const show = () => {
      const test = tests[testSelect.value];
      const all = data(test.id);
      const at = Math.min(Math.max(Number(number.value) || 1, 1), Number(number.max)) - 1;
      const needle = search.value.toLowerCase();
      number.value = at + 1;
      list.replaceChildren();
      const source = row("Source", test.from, true)[1];
      source.lang = test.from;
      addText(source, all.source[at] ?? "", needle);
      const reference = row("Reference", test.to, true)[1];
      reference.lang = test.to;
      addText(reference, all.reference[at] ?? "", needle);
      for (const system of all.systems) {
        const [name, output] = row(system.title, "", false);
        output.lang = test.to;
        const common = addDifferences(output, all.reference[at] ?? "", system.output[at] ?? "", missing.checked);
        const words = pieces(all.reference[at] ?? "").filter((piece) => !isBlank(piece)).length;
        add(name, "small", {}, `${common} of ${words} words in order`);
        const map = test.attention.find((entry) => entry.name === system.name);
        if (!map || !data(map.id).some((sentence) => sentence.n === at + 1)) continue;
        output.append(" ");
        const button = add(output, "button", {type: "button", class: "show-attention"}, "attention");
        button.addEventListener("click", () => showAttention(Number(testSelect.value), system.name, at + 1));
      }
    };

    const number = browser(form, () => found, show);
    const renew = () => { lookUp(); show(); };
    testSelect.addEventListener("change", renew);
    search.addEventListener("input", renew);
    missing.addEventListener("change", show);
    renew();
  };

  // An attention map: a row for each output token. Pointer and arrow keys choose a cell, whose weight is read out.
  const drawMap = (parent, title, rows, columns, weights, readOut) => {
    const figure = add(parent, "figure", {class: "map"});
    add(figure, "figcaption", {}, title);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = getComputedStyle(document.body).font.replace(/[\d.]+px/, "13px");
    const longest = (words) => Math.ceil(Math.max(...words.map((word) => pen.measureText(word).width), 8)) + 12;
    const left = longest(rows), top = longest(columns);
    const width = left + CELL * columns.length + 6, height = top + CELL * rows.length + 6;
    const box = add(figure, "div", {class: "box"});
    const svg = add(box, "svg", {width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "application",
      "aria-label": `${title}. Arrow keys choose a cell.`});
    const above = columns.map((word, j) =>
      add(svg, "text", {transform: `translate(${left + CELL * j + 15},${top - 6}) rotate(-90)`}, word));
    const beside = rows.map((word, i) =>
      add(svg, "text", {x: left - 6, y: top + CELL * i + 15, "text-anchor": "end"}, word));
    // Rows of the map over the past are of different lengths.
    const cells = rows.map((row, i) => columns.slice(0, weights[i].length).map((column, j) => {
      const weight = weights[i][j] / 1000;
      const cell = add(svg, "rect", {class: "cell", x: left + CELL * j, y: top + CELL * i, width: CELL - 2,
        height: CELL - 2, rx: 2, "fill-opacity": weight, "data-row": i, "data-column": j});
      add(cell, "title", {}, `${row} ← ${column}: ${weight.toFixed(3)}`);
      return cell;
    }));
    let active = null;
    const choose = (i, j) => {
      const mark = (on) => {
        if (active) for (const part of [cells[active[0]][active[1]], beside[active[0]], above[active[1]]])
          part.classList.toggle("active", on);
      };
      if (!cells[i]?.[j]) return;
      mark(false);
      active = [i, j];
      mark(true);
      readOut(`${rows[i]} ← ${columns[j]}: ${(weights[i][j] / 1000).toFixed(3)}`);
    };
    svg.addEventListener("pointermove", (event) => {
      const cell = event.target.closest("rect");
      if (cell) choose(Number(cell.dataset.row), Number(cell.dataset.column));
    });
    svg.addEventListener("keydown", (event) => {
      const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
      if (!step) return;
      event.preventDefault();
      const [i, j] = active ?? [0, 0];
      choose(i + step[0], j + step[1]);
    });
  };

  const setUpAttention = () => {
    const form = byId("attention-controls");
    if (!form) return () => {};
    const maps = byId("maps");
    const {test: testSelect, system: systemSelect} = form.elements;
    const withMaps = tests.filter((test) => test.attention.length > 0);
    const chosen = () => data(withMaps[testSelect.value].attention[systemSelect.value].id);
    const readOut = (words) => { byId("readout").textContent = words; };
    // Tokens that have no name, such as the end of the sentence.
    const named = (tokens, count) => Array.from({length: count}, (_, i) => tokens[i] ?? "</s>");

    const show = () => {
      const sentences = chosen();
      const sentence = sentences.find((one) => one.n === Number(number.value)) ?? sentences[0];
      number.value = sentence.n;
      number.max = sentences[sentences.length - 1].n;
      byId("with-attention").textContent = `${sentences.length} sentences have attention maps`;
      maps.replaceChildren();
      readOut("Point at a cell, or move with the arrow keys, to read its weight.");
      const rows = named(sentence.output, sentence.weights.length);
      const width = (weights) => Math.max(...weights.map((row) => row.length), 0);
      drawMap(maps, "Over the source", rows, named(sentence.source, width(sentence.weights)), sentence.weights, readOut);
      if (!sentence.past) return;
      // The first column is the decoder's initial state.
      const past = named(["<s>", ...sentence.output], width(sentence.past));
      drawMap(maps, "Over its own past", named(sentence.output, sentence.past.length), past, sentence.past, readOut);
    };

    const number = browser(form, () => chosen().map((sentence) => sentence.n), show);
    const chooseTest = () => {
      fillSelect(systemSelect, withMaps[testSelect.value].attention.map((entry) => entry.title));
      show();
    };
    fillSelect(testSelect, withMaps.map((test) => test.title));
    testSelect.addEventListener("change", chooseTest);
    systemSelect.addEventListener("change", show);
    chooseTest();
    return (test, system, sentence) => {
      testSelect.value = withMaps.indexOf(tests[test]);
      chooseTest();
      systemSelect.value = tests[test].attention.findIndex((entry) => entry.name === system);
      number.value = sentence;
      show();
      byId("attention").scrollIntoView();
      systemSelect.focus({preventScroll: true});
    };
  };

  const setUpCopying = () => {
    for (const box of document.querySelectorAll(".copyable")) {
      const text = box.querySelector("pre");
      const button = add(box, "button", {type: "button"}, "copy");
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(text.textContent);
          button.textContent = "copied";
        } catch {
          // Without permission for the clipboard the text is selected for the user to copy.
          getSelection().selectAllChildren(text);
          button.textContent = "selected";
        }
      });
    }
  };

  const showAttention = setUpAttention();
  if (byId("translation-controls")) setUpTranslations(showAttention);
  setUpCopying();
})();
