// The one script of the live page: no library, nothing inline, nothing from elsewhere.
"use strict";

const token = document.querySelector('meta[name="islands-token"]')?.content ?? null;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const byId = (id) => document.getElementById(id);

/** An element with attributes and children; texts are texts, never HTML. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function say(text) {
  const toast = byId("toast");
  toast.textContent = text;
  toast.classList.toggle("shown", Boolean(text));
  clearTimeout(say.timer);
  say.timer = setTimeout(() => toast.classList.remove("shown"), 6000);
}

/** Ask the server to change something: an object in, an object out; an error has a message and perhaps a field. */
async function post(address, given) {
  let answer;
  try {
    answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", "x-islands-token": token ?? "" },
      body: JSON.stringify(given),
    });
  } catch {
    throw Object.assign(new Error("The server does not answer. Is `islands web` still running?"), { field: null });
  }
  const text = await answer.text();
  let told;
  try {
    told = JSON.parse(text);
  } catch {
    told = { error: text.trim() };
  }
  if (!answer.ok) throw Object.assign(new Error(told.error ?? text), { field: told.field ?? null });
  return told;
}

// What updates by itself

const streams = new Map(); // by what they are for: a page has one, a board one for its last run

function follow(address, what = address) {
  streams.get(what)?.close();
  const source = new EventSource(address);
  streams.set(what, source);
  source.onmessage = (message) => {
    const { parts, happened } = JSON.parse(message.data);
    for (const [id, html] of Object.entries(parts)) {
      const place = byId(id);
      if (place) replace(place, html);
    }
    setLive(true);
    hideCleared();
    animate(happened);
  };
  source.onerror = () => {
    setLive(false); // the browser tries again by itself, but not where it was refused
    if (source.readyState === EventSource.CLOSED && streams.get(what) === source) setTimeout(() => follow(address, what), 10000);
  };
}

function setLive(isLive) {
  document.body.dataset.live = isLive ? "yes" : "no";
  byId("stale").hidden = isLive;
}

addEventListener("pagehide", () => streams.forEach((source) => source.close()));

/** New content for a part of the page: the server has escaped every text in it. What has the focus keeps it, and what was scrolled stays. */
function replace(place, html) {
  const held = place.contains(document.activeElement) ? document.activeElement.id : "";
  const scrolled = [...place.querySelectorAll("[id]")].filter((one) => one.scrollTop || one.scrollLeft).map((one) => [one.id, one.scrollTop, one.scrollLeft]);
  place.innerHTML = html;
  for (const [id, top, left] of scrolled) byId(id)?.scrollTo(left, top);
  if (held) byId(held)?.focus({ preventScroll: true });
}

/** Migrants travel along the edges of the map, and islands whose elite died flash. */
function animate(happened) {
  const map = document.querySelector("svg.map");
  if (!map || calm.matches || document.hidden) return;
  for (const one of happened.slice(-60)) {
    if (one.what === "death") {
      const node = map.querySelector(`[data-island="${one.island}"] circle`);
      node?.animate([{ strokeWidth: 2 }, { stroke: "var(--death)", strokeWidth: 12 }, { strokeWidth: 2 }], 900);
      continue;
    }
    const edge = map.querySelector(`[data-from="${one.from}"][data-to="${one.to}"] path.edge`);
    if (!edge) continue;
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    dot.setAttribute("r", one.led ? "6" : "3.5");
    dot.setAttribute("class", one.led ? "migrant led" : "migrant");
    map.append(dot);
    const length = edge.getTotalLength();
    const began = performance.now();
    const step = (now) => {
      const share = Math.min(1, Math.max(0, (now - began) / 1100));
      const spot = edge.getPointAtLength(share * length);
      dot.setAttribute("cx", spot.x);
      dot.setAttribute("cy", spot.y);
      if (share < 1 && dot.isConnected) requestAnimationFrame(step);
      else dot.remove();
    };
    requestAnimationFrame(step);
  }
}

for (const place of document.querySelectorAll("[data-live]")) follow(place.dataset.live);

// The log, from the moment on at which it was cleared

let cleared = -1;

function hideCleared() {
  for (const line of document.querySelectorAll("#log-lines [data-at]")) line.hidden = Number(line.dataset.at) <= cleared;
}

document.addEventListener("click", (click) => {
  if (click.target.id !== "clear-log") return;
  cleared = Math.max(cleared, ...[...document.querySelectorAll("#log-lines [data-at]")].map((line) => Number(line.dataset.at)));
  hideCleared();
});

// Buttons that post something

document.addEventListener("click", async (click) => {
  const button = click.target.closest("button[data-post]");
  if (!button) return;
  button.disabled = true;
  try {
    const form = button.closest("form");
    const told = await post(button.dataset.post, form ? Object.fromEntries(new FormData(form)) : {});
    if (told.go) location.href = told.go;
    if (told.said) say(told.said);
  } catch (error) {
    say(error.message);
  } finally {
    button.disabled = false;
  }
});

// Forms

function complain(form, message, field) {
  for (const place of form.querySelectorAll(".error")) place.textContent = "";
  for (const control of form.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
  if (!message) return;
  const control = field ? form.elements.namedItem(field) : null;
  const place = (control && byId(`e-${field}`)) || form.querySelector("#form-error");
  place.textContent = message;
  if (!control) return;
  control.setAttribute("aria-invalid", "true");
  const fold = control.closest("details");
  if (fold) fold.open = true;
  control.focus();
}

const start = byId("start");
if (start) {
  start.addEventListener("submit", async (submit) => {
    submit.preventDefault();
    complain(start, "");
    const button = start.querySelector('button[type="submit"]');
    button.disabled = true;
    button.textContent = "Starting …";
    try {
      location.href = (await post(start.dataset.address, Object.fromEntries(new FormData(start)))).go;
    } catch (error) {
      complain(start, error.message, error.field);
    } finally {
      button.disabled = false;
      button.textContent = "Start";
    }
  });
}

// Words and clues: the run appears below, and goes on

const words = byId("words");
if (words) {
  words.addEventListener("submit", async (submit) => {
    submit.preventDefault();
    complain(words, "");
    try {
      const told = await post(`/api/new/${words.dataset.puzzle}`, Object.fromEntries(new FormData(words)));
      say("Laying out …");
      follow(`/events/runs/${encodeURIComponent(told.run)}`, "board");
    } catch (error) {
      complain(words, error.message, error.field);
    }
  });
}

// A puzzle file

const upload = byId("upload");
if (upload) {
  let name = "puzzle.py";
  byId("u-file").addEventListener("change", async (change) => {
    const file = change.target.files[0];
    if (!file) return;
    if (file.size > 1e6) return complain(upload, "That is too large: a puzzle file has at most 1 MB.", "source");
    name = file.name;
    upload.elements.namedItem("source").value = await file.text();
  });
  upload.addEventListener("submit", async (submit) => {
    submit.preventDefault();
    complain(upload, "");
    try {
      location.href = (await post("/api/puzzle-file", { name, source: upload.elements.namedItem("source").value })).go;
    } catch (error) {
      complain(upload, error.message, error.field);
    }
  });
}

// Buttons of a board

/** Call functions by the names of buttons; while one works, all wait. */
function onButtons(actions) {
  const fault = byId("b-error");
  document.addEventListener("click", async (click) => {
    const button = click.target.closest("button[data-do]");
    if (!button || !actions[button.dataset.do]) return;
    fault.textContent = "";
    const all = document.querySelectorAll("button[data-do]");
    for (const one of all) one.setAttribute("aria-disabled", "true");
    try {
      await actions[button.dataset.do]();
    } catch (error) {
      fault.textContent = error.message;
    } finally {
      for (const one of all) one.removeAttribute("aria-disabled");
    }
  });
}

// A grid of symbols: every row, column and box holds each once

class Grid {
  constructor(place) {
    this.place = place;
    this.puzzle = place.dataset.puzzle;
    this.word = byId("b-word");
    this.box = byId("b-box");
    this.resize();
    (this.word ?? this.box).addEventListener("change", () => this.resize());
    place.addEventListener("keydown", (key) => this.press(key));
    place.addEventListener("paste", (paste) => {
      paste.preventDefault();
      this.read(paste.clipboardData.getData("text")).catch((error) => (byId("b-error").textContent = error.message));
    });
    place.addEventListener("focusin", (focus) => this.move(Number(focus.target.dataset.cell)));
    onButtons({
      clear: () => this.resize(),
      paste: () => {
        byId("b-paste").hidden = !byId("b-paste").hidden;
        byId("b-text").focus();
      },
      read: () => this.read(byId("b-text").value),
      solve: () => this.solve(),
      hint: () => this.hint(),
      unique: () => this.unique(),
    });
  }

  /** An empty grid of the size that is chosen. */
  resize() {
    if (this.word) {
      this.symbols = [...new Set(this.word.value.toUpperCase().trim())];
      const n = this.symbols.length;
      let rows = Math.floor(Math.sqrt(n));
      while (rows > 1 && n % rows) rows -= 1;
      if (rows < 2 || n > 25) {
        byId("b-error").textContent = `${n} different letters: boxes cannot divide them. Try 4, 6, 8, 9, 10, 12, 14, 15, 16 ... 25.`;
        return;
      }
      byId("b-error").textContent = "";
      [this.rows, this.columns] = [rows, n / rows];
    } else {
      [this.rows, this.columns] = this.box.value.split("x").map(Number);
      this.symbols = Array.from({ length: this.rows * this.columns }, (_, i) => String(i + 1));
    }
    this.n = this.rows * this.columns;
    this.values = new Array(this.n * this.n).fill(0);
    this.notes = this.values.map(() => new Set());
    this.found = new Set();
    this.at = 0;
    this.peers = this.values.map((_, cell) => this.peersOf(cell));
    this.build();
    this.tell("");
  }

  peersOf(cell) {
    const { n, rows, columns } = this;
    const [r, c] = [Math.floor(cell / n), cell % n];
    const peers = new Set();
    for (let k = 0; k < n; k += 1) {
      peers.add(r * n + k).add(k * n + c);
      const [top, left] = [r - (r % rows), c - (c % columns)];
      peers.add((top + Math.floor(k / columns)) * n + left + (k % columns));
    }
    peers.delete(cell);
    return [...peers];
  }

  build() {
    const { n, rows, columns } = this;
    const table = element("table", { role: "grid", "aria-label": `${n} by ${n} grid`, class: `grid-board n${n}` });
    this.cells = [];
    for (let r = 0; r < n; r += 1) {
      const line = element("tr", { role: "row" });
      for (let c = 0; c < n; c += 1) {
        const edges = [r % rows === 0 && "top", c % columns === 0 && "left"].filter(Boolean).join(" ");
        const cell = element("td", { role: "gridcell", class: edges, tabindex: this.cells.length ? "-1" : "0", "data-cell": this.cells.length });
        this.cells.push(cell);
        line.append(cell);
      }
      table.append(line);
    }
    this.place.replaceChildren(element("div", { class: "scroll" }, table));
    const palette = byId("palette");
    const keys = this.symbols.map((symbol, i) => {
      const key = element("button", { type: "button" }, symbol);
      key.addEventListener("click", () => this.write(i + 1, byId("b-notes").checked));
      return key;
    });
    const erase = element("button", { type: "button" }, "erase");
    erase.addEventListener("click", () => this.write(0, false));
    const notes = element("label", {}, element("input", { type: "checkbox", id: "b-notes" }), " candidates");
    palette.replaceChildren(...keys, erase, notes);
    this.draw();
  }

  draw() {
    const wrong = new Set();
    this.values.forEach((value, cell) => {
      if (value && this.peers[cell].some((peer) => this.values[peer] === value)) wrong.add(cell);
    });
    this.cells.forEach((cell, i) => {
      const [value, n] = [this.values[i], this.n];
      cell.textContent = value ? this.symbols[value - 1] : "";
      if (!value && this.notes[i].size) {
        cell.append(element("span", { class: "notes" }, this.noted(i, n > 9 ? 6 : 9)));
      }
      cell.classList.toggle("found", this.found.has(i));
      cell.classList.toggle("wrong", wrong.has(i));
      if (wrong.has(i)) cell.setAttribute("aria-invalid", "true");
      else cell.removeAttribute("aria-invalid");
      const named = value ? this.symbols[value - 1] : this.notes[i].size ? `candidates ${this.noted(i, n)}` : "empty";
      cell.setAttribute("aria-label", `row ${Math.floor(i / n) + 1}, column ${(i % n) + 1}: ${named}${wrong.has(i) ? ", conflict" : ""}`);
    });
    return wrong.size;
  }

  /** The candidates of a cell in words; of more than `most` only how many. */
  noted(cell, most) {
    const notes = [...this.notes[cell]].sort((a, b) => a - b);
    return notes.length > most ? `${notes.length} fit` : notes.map((one) => this.symbols[one - 1]).join(" ");
  }

  tell(text) {
    byId("b-said").textContent = text;
  }

  move(cell) {
    if (Number.isNaN(cell)) return;
    this.cells[this.at].tabIndex = -1;
    this.at = cell;
    this.cells[cell].tabIndex = 0;
    this.pending = 0;
  }

  press(key) {
    const { n } = this;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -n, ArrowDown: n };
    if (key.ctrlKey || key.metaKey || key.altKey) return;
    if (key.key in steps) {
      const [r, c] = [Math.floor(this.at / n), this.at % n];
      const step = steps[key.key];
      const next = Math.abs(step) === 1 ? r * n + ((c + step + n) % n) : ((r + step / n + n) % n) * n + c;
      key.preventDefault();
      this.cells[next].focus();
    } else if (["Delete", "Backspace", "."].includes(key.key) || (key.key === "0" && !this.pending)) {
      key.preventDefault();
      this.write(0, false);
    } else if (key.key === " ") {
      key.preventDefault();
      this.notes[this.at] = new Set(this.fitting(this.at));
      this.draw();
    } else {
      const value = this.typed(key);
      if (!value) return;
      key.preventDefault();
      this.write(value, key.shiftKey || byId("b-notes").checked);
      this.pending = value;
    }
  }

  /** The value that a key means: a letter of the word; a number, of which a second digit may follow; A is 10. */
  typed(key) {
    if (this.word) return this.symbols.indexOf(key.key.toUpperCase()) + 1;
    const digit = /^(Digit|Numpad)([0-9])$/.exec(key.code)?.[2] ?? (/^[0-9]$/.test(key.key) ? key.key : null);
    if (digit !== null) {
      const longer = 10 * (this.pending ?? 0) + Number(digit);
      return this.pending && this.values[this.at] === this.pending && longer <= this.n ? longer : Number(digit) <= this.n ? Number(digit) : 0;
    }
    const letter = /^[a-z]$/i.test(key.key) ? key.key.toUpperCase().charCodeAt(0) - 55 : 0;
    return letter <= this.n ? letter : 0;
  }

  fitting(cell) {
    const seen = new Set(this.peers[cell].map((peer) => this.values[peer]));
    return this.symbols.map((_, i) => i + 1).filter((value) => !seen.has(value));
  }

  write(value, asNote) {
    if (asNote && value) {
      this.values[this.at] = 0;
      if (!this.notes[this.at].delete(value)) this.notes[this.at].add(value);
    } else {
      this.values[this.at] = value;
      this.notes[this.at].clear();
    }
    this.found.delete(this.at);
    this.pending = 0;
    this.draw();
  }

  /** What the command line reads. */
  given() {
    const cell = (value) => (value ? this.symbols[value - 1] : ".");
    const lines = [];
    for (let r = 0; r < this.n; r += 1) {
      lines.push(this.values.slice(r * this.n, (r + 1) * this.n).map((value, c) => (this.found.has(r * this.n + c) ? "." : cell(value))).join(this.word ? "" : " "));
    }
    const text = lines.join("\n");
    return this.word ? { word: this.symbols.join(""), givens: /[^.\s]/.test(text) ? text : "" } : { box: this.box.value, alphabet: "numbers", instance: text };
  }

  async read(text) {
    const told = await post(`/api/board/${this.puzzle}/read`, { text, word: this.word ? this.symbols.join("") : "" });
    if (this.word) this.word.value = told.word;
    else {
      if (![...this.box.options].some((option) => option.value === told.box)) throw new Error(`boxes of ${told.box} are for the form.`);
      this.box.value = told.box;
    }
    this.resize();
    this.values = told.givens.slice();
    this.draw();
    byId("b-paste").hidden = true;
    this.cells[0].focus();
    this.tell(told.more ? `The first of ${told.more + 1} puzzles.` : "");
  }

  async solved(unique) {
    if (this.draw()) throw new Error("Two equal symbols stand in a row, column or box: they are marked.");
    this.tell("Thinking …");
    try {
      return await post(`/api/board/${this.puzzle}/solve`, { ...this.given(), ...(unique ? { unique: "yes" } : {}) });
    } catch (error) {
      this.tell("");
      throw error;
    }
  }

  async solve() {
    const { found, complete } = await this.solved(false);
    if (!found.length) return this.tell(complete ? "There is no solution." : "No solution within 20 s. Start a run with it.");
    this.values.forEach((value, cell) => {
      if (!value) this.found.add(cell);
    });
    this.values = found[0].slice();
    this.notes.forEach((notes) => notes.clear());
    this.draw();
    this.tell("Solved.");
  }

  async unique() {
    const { found, complete } = await this.solved(true);
    if (found.length > 1) this.tell("No: there are several solutions.");
    else if (!complete) this.tell("Not decided within 20 s.");
    else this.tell(found.length ? "Yes: there is exactly one solution." : "There is no solution.");
  }

  /** One cell: the easiest to see. */
  async hint() {
    const { found, complete } = await this.solved(false);
    if (!found.length) return this.tell(complete ? "There is no solution: something above is wrong." : "No hint within 20 s.");
    const open = this.values.map((value, cell) => cell).filter((cell) => !this.values[cell]);
    if (!open.length) return this.tell("The grid is full.");
    const fits = open.map((cell) => [this.fitting(cell).length, cell]).sort((a, b) => a[0] - b[0]);
    const [count, cell] = fits[0];
    this.values[cell] = found[0][cell];
    this.found.add(cell);
    this.draw();
    this.cells[cell].focus();
    const place = `row ${Math.floor(cell / this.n) + 1}, column ${(cell % this.n) + 1}`;
    const symbol = this.symbols[found[0][cell] - 1];
    this.tell(count === 1 ? `${place}: only ${symbol} fits.` : `${place}: ${symbol}, of ${count} that seem to fit.`);
  }
}

// Pegs: colours, and a shape for each

const SHAPES = ["M12 3a9 9 0 1 0 .1 0Z", "M4 4H20V20H4Z", "M12 3 22 21H2Z", "M12 2 22 12 12 22 2 12Z", "M12 2 15 9H22L16.500 13.500 18.500 21 12 16.500 5.500 21 7.500 13.500 2 9H9Z", "M9 3H15V9H21V15H15V21H9V15H3V9H9Z",
  "M7 3H17L22 12 17 21H7L2 12Z", "M2 4H22L12 21Z", "M12 21 3 11A5 5 0 0 1 12 6 5 5 0 0 1 21 11Z", "M3 8H21V16H3Z", "M8 3H16V21H8Z", "M3 3 21 3 15 12 21 21 3 21 9 12Z"];

class Pegs {
  constructor(place) {
    this.place = place;
    this.puzzle = place.dataset.puzzle;
    onButtons({ guess: () => this.begin("guess"), hide: () => this.begin("hide"), try: () => this.guess(), answer: () => this.answer(), give: () => this.giveUp() });
    document.addEventListener("keydown", (key) => this.press(key));
  }

  tell(text) {
    byId("b-said").textContent = text;
  }

  sizes() {
    return { pegs: Number(byId("b-pegs").value), colours: Number(byId("b-colours").value) };
  }

  async begin(mode) {
    Object.assign(this, this.sizes(), { mode, turns: [], current: [], over: false, secret: null });
    if (mode === "guess") {
      const told = await post(`/api/board/${this.puzzle}/game`, this.sizes());
      this.game = told.game;
      this.rows = told.rows;
      this.tell(`Find the hidden code: ${this.pegs} pegs, ${this.colours} colours, ${this.rows} guesses.`);
    } else {
      this.tell("Think of a code, or write it down. Answer each guess.");
      await this.ask();
    }
    this.draw();
  }

  /** A peg: a shape and a colour, and its number for who hears the page. */
  peg(colour, label = null) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    made.setAttribute("viewBox", "0 0 24 24");
    made.setAttribute("class", `peg p${colour}`);
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", label ?? (colour === null ? "empty" : `colour ${colour + 1}`));
    const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
    shape.setAttribute("d", colour === null ? "M12 8a4 4 0 1 0 .1 0Z" : SHAPES[colour]);
    made.append(shape);
    return made;
  }

  marks([blacks, whites]) {
    const dots = "●".repeat(blacks) + "○".repeat(whites);
    return element("span", { class: "marks" }, element("span", { "aria-hidden": "true" }, dots || "–"), element("span", { class: "unseen" }, `${blacks} black, ${whites} white`));
  }

  draw() {
    const rows = this.turns.map(({ guess, answer }) => element("li", {}, element("span", { class: "code" }, ...guess.map((one) => this.peg(one))), this.marks(answer)));
    const parts = [element("ol", { class: "turns", "aria-label": "Guesses" }, ...rows)];
    if (!this.over && this.mode === "guess") parts.push(this.entry());
    if (!this.over && this.mode === "hide") parts.push(this.question());
    if (this.over && this.secret) parts.push(element("p", { class: "code" }, "The code: ", ...this.secret.map((one) => this.peg(one))));
    const held = this.place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.place.replaceChildren(...parts);
    if (held) this.place.querySelector(`[data-key="${held}"]`)?.focus();
  }

  entry() {
    const shown = Array.from({ length: this.pegs }, (_, i) => this.peg(this.current[i] ?? null));
    const keys = Array.from({ length: this.colours }, (_, i) => {
      const key = element("button", { type: "button", class: "key", "data-key": `c${i}`, "aria-label": `colour ${i + 1}` }, this.peg(i, `colour ${i + 1}`), element("span", { "aria-hidden": "true" }, String(i + 1)));
      key.addEventListener("click", () => this.put(i));
      return key;
    });
    const back = element("button", { type: "button", "data-key": "back" }, "take back");
    back.addEventListener("click", () => this.back());
    return element("div", { class: "entry" }, element("p", { class: "code", "aria-live": "polite" }, ...shown), element("p", { class: "keys" }, ...keys, back),
      element("p", {}, element("button", { type: "button", class: "primary", "data-do": "try", "data-key": "try" }, "Guess"), " ", element("button", { type: "button", "data-do": "give", "data-key": "give" }, "Give up")));
  }

  question() {
    const choice = (name, label) => {
      const options = Array.from({ length: this.pegs + 1 }, (_, i) => element("option", { value: i }, String(i)));
      return element("label", {}, `${label} `, element("select", { id: `b-${name}`, "data-key": name }, ...options));
    };
    return element("div", { class: "entry" }, element("p", { class: "code" }, "Its guess: ", ...this.asked.map((one) => this.peg(one))),
      element("p", { class: "controls" }, choice("blacks", "right place ●"), choice("whites", "other place ○"), element("button", { type: "button", class: "primary", "data-do": "answer", "data-key": "answer" }, "Answer")));
  }

  put(colour) {
    if (this.current.length < this.pegs) this.current.push(colour);
    this.draw();
  }

  back() {
    this.current.pop();
    this.draw();
  }

  press(key) {
    if (this.over !== false || this.mode !== "guess" || key.ctrlKey || key.metaKey || /^(SELECT|INPUT)$/.test(key.target.tagName)) return;
    const colour = /^[0-9a-c]$/i.test(key.key) ? parseInt(key.key, 16) - 1 : -1;
    if (colour >= 0 && colour < this.colours) this.put(colour);
    else if (key.key === "Backspace") this.back();
    else if (key.key === "Enter" && !key.target.closest("button")) this.place.querySelector('[data-do="try"]').click();
  }

  async guess() {
    if (this.current.length < this.pegs) throw new Error(`A code has ${this.pegs} pegs.`);
    const guess = this.current.slice();
    const told = await post(`/api/board/${this.puzzle}/guess`, { game: this.game, guess });
    this.turns.push({ guess, answer: told.answer });
    this.current = [];
    this.finish(told, `Found in ${this.turns.length}.`, `Lost: ${this.rows} guesses were not enough.`);
  }

  async giveUp() {
    this.finish(await post(`/api/board/${this.puzzle}/guess`, { game: this.game, guess: null }), "", "Given up.");
  }

  finish(told, won, lost) {
    this.over = Boolean(told.won || told.secret);
    this.secret = told.secret;
    const [blacks, whites] = told.answer ?? [0, 0];
    this.tell(told.won ? won : this.over ? lost : `${blacks} black, ${whites} white.`);
    this.draw();
  }

  async ask() {
    const told = await post(`/api/board/${this.puzzle}/counter-guess`, { ...this.sizes(), pegs: this.pegs, colours: this.colours, turns: this.turns });
    this.asked = told.guess;
  }

  async answer() {
    const answer = [Number(byId("b-blacks").value), Number(byId("b-whites").value)];
    this.turns.push({ guess: this.asked, answer });
    if (answer[0] === this.pegs) {
      this.over = true;
      this.tell(`It found your code in ${this.turns.length}.`);
      return this.draw();
    }
    this.tell("Thinking …");
    try {
      await this.ask();
      this.tell("");
    } catch (error) {
      this.turns.pop();
      this.tell("");
      throw error;
    }
    this.draw();
  }
}

const boards = { grid: Grid, pegs: Pegs };
const main = byId("content");
if (boards[main.dataset.board]) new boards[main.dataset.board](byId("board"));

// The token was in the link that was opened: it need not stay in the address

if (location.search.includes("token=")) {
  const address = new URL(location.href);
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}
