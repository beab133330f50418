"use strict";
// Keeps the report of a run that goes on up to date: loads the page again from time to time, which needs no server and
// no other file, and restores what the reader had chosen. Stops when the run has ended.
(() => {
  const {state, written} = document.body.dataset;
  const SOONEST = 15, LATEST = 120;  // seconds between two reloads; longer while there is no news
  const SILENCE = 300;               // seconds without news after which the page says so
  const QUIET = 4;                   // seconds without a touch of mouse or keyboard before a reload

  const choices = () => [...document.querySelectorAll("input[type=radio],input[type=checkbox]")];
  const folds = () => [...document.querySelectorAll("details")];
  const save = () => history.replaceState({
    chosen: choices().map((one) => one.checked), open: folds().map((one) => one.open), x: scrollX, y: scrollY,
  }, "");
  const restore = () => {
    const before = history.state;
    if (!before?.chosen) return;
    // A page that has grown since then has other controls.
    if (before.chosen.length === choices().length) choices().forEach((one, i) => { one.checked = before.chosen[i]; });
    if (before.open.length === folds().length) folds().forEach((one, i) => { one.open = before.open[i]; });
    scrollTo(before.x, before.y);
  };
  restore();
  addEventListener("pagehide", save);
  if (state !== "running") return;

  const refresh = document.getElementById("refresh");
  refresh.closest("label").hidden = false;
  const age = document.getElementById("age");
  const loaded = Date.now();
  let touched = 0;
  for (const event of ["pointermove", "pointerdown", "keydown", "wheel", "touchstart"])
    addEventListener(event, () => { touched = Date.now(); }, {passive: true});

  const words = (seconds) => seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min`
    : `${Math.round(seconds / 3600)} h`;
  const look = () => {
    const now = Date.now();
    const silent = Math.max(0, (now - Date.parse(written)) / 1000);
    age.textContent = silent < SILENCE ? `written ${words(silent)} ago`
      : `no news for ${words(silent)}: the run may have been interrupted`;
    const wait = Math.min(Math.max(silent / 2, SOONEST), LATEST);
    const isReading = now - touched < 1000 * QUIET || String(getSelection()) !== "";
    if (!refresh.checked || document.hidden || isReading || now - loaded < 1000 * wait) return;
    clearInterval(timer);
    save();
    location.reload();
  };
  const timer = setInterval(look, 1000);
  look();
})();
