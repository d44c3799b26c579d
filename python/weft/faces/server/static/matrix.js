// The matrix of routes: a row for each sender, a column for each receiver, as in the report's map.

import { change } from "./address.js";
import { element } from "./dom.js";
import { nodeTest } from "./filters.js";
import { count, formatBytes, formatMbps, formatUs } from "./quantity.js";
import { FONT, ink, mode, viridis } from "./theme.js";

const MISSING = [201, 169, 196];
const MARK = "#ff4d4d";
/** Colours are spread over the logarithm where the slowest is so many times below the fastest. */
const WIDE_RATIO = 25;
const LARGEST_PX = 720;
const LETTER_PX = 13;

export class Matrix {
  constructor(onMark) {
    this.onMark = onMark;
    this.choice = element("div", { className: "legend", attributes: { role: "group", "aria-label": "Matrix shown" } });
    this.said = element("p", { className: "quiet", attributes: { "aria-live": "off" } });
    this.canvas = element("canvas", {
      tabIndex: 0,
      on: {
        mousemove: (event) => this._hover(event), mouseleave: () => this._point(null),
        click: () => this._open(), keydown: (event) => this._key(event), blur: () => this._point(null),
      },
    });
    this.tip = element("div", { className: "tip", hidden: true, attributes: { role: "status" } });
    this.place = element("div", { className: "map" }, this.canvas, this.tip);
    this.part = element("div", {}, this.choice, this.place, this.said);
    new ResizeObserver(() => this.shown && this._paint()).observe(this.part);
  }

  /** `slow` are findings {kind, nodes, direction} that are framed. */
  draw(matrices, asked, slow = []) {
    this.views = matrices.map(viewOf);
    if (!this.views.length) return false;
    const view = this.views.find(({ key }) => key === asked.matrix) ?? fullest(this.views, asked);
    this._drawChoice(view);
    const test = nodeTest(asked.nodes);
    const kept = view.nodes.map((name, i) => i).filter((i) => !test || test(view.nodes[i]));
    this.shown = { ...view, kept };
    this.slow = slow;
    this.chosen = asked.mark;
    this._say(asked);
    this._paint();
    return true;
  }

  _drawChoice(view) {
    const key = `${this.views.map((one) => one.key + one.label)} ${view.key}`;
    if (this.choices === key) return;
    this.choices = key;
    this.choice.hidden = this.views.length < 2;
    this.choice.replaceChildren(...this.views.map((one) => element("button", {
      type: "button", className: "entry", attributes: { "aria-pressed": String(one.key === view.key) },
      on: { click: () => change({ matrix: one.key }) },
    }, one.label)));
  }

  _say(asked) {
    const { matrix, kept, nodes, isLatency } = this.shown;
    const rows = kept.length < nodes.length ? ` Shown are ${count(kept.length)} of ${count(nodes.length)} nodes (${asked.nodes}).` : "";
    const block = matrix.nodes_per_row > 1 ? ` Each cell is the worst of ${matrix.nodes_per_row} x ${matrix.nodes_per_row} routes.` : "";
    const framed = this.slow.length && !isLatency ? " Red: slow." : "";
    const missing = matrix.measured < matrix.asked ? " Lilac: not measured." : "";
    this.said.textContent = `${formatBytes(matrix.size_bytes)} messages; ${count(matrix.measured)} of ${count(matrix.asked)} routes measured.${block}${rows}${framed}${missing}`;
    const what = isLatency ? "latency" : "rate";
    this.canvas.setAttribute("role", "group");
    this.canvas.setAttribute("aria-label", `Map of the ${what} of all routes. Arrow keys go from cell to cell, Enter opens the samples of one.`);
  }

  _paint() {
    const { kept, nodes } = this.shown;
    const ratio = devicePixelRatio || 1;
    const context = this.canvas.getContext("2d");
    context.font = FONT;
    const longest = kept.reduce((most, i) => Math.max(most, context.measureText(nodes[i]).width), 20);
    const label = Math.min(130, Math.ceil(longest) + 10);
    const legend = 96;
    const room = Math.min(LARGEST_PX, Math.max(160, this.part.clientWidth - label - legend - 24));
    const cell = Math.max(1, room / Math.max(1, kept.length) > 36 ? 36 : room / Math.max(1, kept.length));
    const side = cell * kept.length;
    const top = label + 20;
    const left = label + 20;
    this.layout = { cell, side, top, left };
    const size = [left + side + legend, Math.max(top + side + 6, 210)];
    this.canvas.width = Math.round(size[0] * ratio);
    this.canvas.height = Math.round(size[1] * ratio);
    this.canvas.style.width = `${size[0]}px`;
    this.canvas.style.height = `${size[1]}px`;
    context.scale(ratio, ratio);
    this._cells(context);
    this._names(context);
    this._frames(context);
    this._scale(context, left + side + 22, top);
  }

  _cells(context) {
    const { kept, values, low, high, isLatency } = this.shown;
    const { cell, left, top } = this.layout;
    // On whole pixels, else hairlines show between cells.
    const [xs, ys] = [left, top].map((begin) => [...kept, 0].map((_, i) => Math.round(begin + i * cell)));
    kept.forEach((from, row) => kept.forEach((to, column) => {
      if (from === to && this.shown.matrix.nodes_per_row === 1) return;
      const value = values[from]?.[to] ?? null;
      context.fillStyle = rgb(value === null ? MISSING : viridis(shareOf(value, low, high, isLatency)));
      context.fillRect(xs[column], ys[row], xs[column + 1] - xs[column], ys[row + 1] - ys[row]);
      if (value === null && cell >= 14) cross(context, xs[column] + cell / 2, ys[row] + cell / 2);
    }));
  }

  _names(context) {
    const { kept, nodes } = this.shown;
    const { cell, left, top, side } = this.layout;
    context.font = cell < 11 ? FONT.replace("12px", "11px") : FONT;
    context.fillStyle = ink().text;
    context.textBaseline = "middle";
    const every = Math.ceil(LETTER_PX / cell);
    for (let i = 0; i < kept.length; i += every) {
      const name = cut(context, nodes[kept[i]], 120);
      context.textAlign = "right";
      context.fillText(name, left - 6, top + (i + 0.5) * cell);
      context.save();
      context.translate(left + (i + 0.5) * cell, top - 6);
      context.rotate(-Math.PI / 2);
      context.textAlign = "left";
      context.fillText(name, 0, 0);
      context.restore();
    }
    context.font = `600 ${FONT}`;
    context.textAlign = "center";
    context.fillText("To", left + side / 2, 8);
    context.save();
    context.translate(8, top + side / 2);
    context.rotate(-Math.PI / 2);
    context.fillText("From", 0, 0);
    context.restore();
  }

  /** Around what is slow, the cell whose samples are shown, and the one that is pointed at. */
  _frames(context) {
    const { kept, nodes, matrix, isLatency } = this.shown;
    const { cell, left, top, side } = this.layout;
    const frame = (x, y, wide, high, colour, line) => {
      context.strokeStyle = colour;
      context.lineWidth = line;
      context.strokeRect(left + x, top + y, wide, high);
    };
    // Seen on bright and on dark cells.
    const twice = (...box) => {
      frame(...box, "#ffffff", 4);
      frame(...box, "#000000", 1.6);
    };
    for (const { kind, nodes: names, direction } of isLatency ? [] : this.slow) {
      const places = names.map((name) => kept.findIndex((i) => nodes[i] === name));
      if (places.includes(-1)) continue;
      if (kind === "route") frame(places.at(-1) * cell, places[0] * cell, cell, cell, MARK, 2);
      else for (const place of places) {
        if (direction !== "in") frame(0, place * cell, side, cell, MARK, 2);
        if (direction !== "out") frame(place * cell, 0, cell, side, MARK, 2);
      }
    }
    kept.forEach((from, row) => kept.forEach((to, column) => {
      if (keyOf(matrix, from, to) === this.chosen) twice(column * cell, row * cell, cell, cell);
    }));
    if (this.at) twice(this.at[1] * cell, this.at[0] * cell, cell, cell);
  }

  _scale(context, x, y) {
    const { low, high, isLatency, unit } = this.shown;
    const tall = Math.min(200, Math.max(120, this.layout.side - 24));
    for (let i = 0; i < tall; i += 1) {
      const share = 1 - i / tall;
      context.fillStyle = rgb(viridis(isLatency ? 1 - share : share));
      context.fillRect(x, y + 18 + i, 14, 1.5);
    }
    context.fillStyle = ink().text;
    context.textAlign = "left";
    context.font = `600 ${FONT}`;
    context.fillText(unit.name, x, y + 6);
    context.font = FONT;
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const value = isWide(low, high) ? low * (high / low) ** share : low + (high - low) * share;
      const text = Number((value / unit.factor).toPrecision(3)).toLocaleString("en-US");
      context.fillText(text, x + 19, y + 18 + (1 - share) * tall);
    }
  }

  _hover(event) {
    const box = this.canvas.getBoundingClientRect();
    const { cell, left, top } = this.layout;
    const place = [event.clientY - box.top - top, event.clientX - box.left - left].map((px) => Math.floor(px / cell));
    const isInside = place.every((one) => one >= 0 && one < this.shown.kept.length);
    this._point(isInside && !this._isEmpty(place) ? place : null);
  }

  _isEmpty([row, column]) {
    return row === column && this.shown.matrix.nodes_per_row === 1;
  }

  _point(place) {
    if (String(place) === String(this.at ?? null)) return;
    this.at = place;
    this._paint();
    this.tip.hidden = !place;
    this.canvas.style.cursor = place ? "pointer" : "";
    if (!place) return;
    const { kept, nodes, rates, latencies } = this.shown;
    const [from, to] = place.map((one) => kept[one]);
    const [rate, latency] = [rates[from]?.[to], latencies?.[from]?.[to]];
    const block = this.shown.matrix.nodes_per_row;
    const more = block > 1 ? ` and the next ${block - 1}` : "";
    const text = rate === null || rate === undefined ? "not measured" : formatMbps(rate);
    const time = latency ? `, ${formatUs(latency)}` : "";
    this.tip.replaceChildren(element("b", {}, `${nodes[from]}${more} to ${nodes[to]}${more}`), element("div", {}, text + time));
    const { cell, left, top } = this.layout;
    const x = left + (place[1] + 1) * cell + 8;
    const before = x > this.part.clientWidth / 2;
    this.tip.style.left = before ? "" : `${x}px`;
    this.tip.style.right = before ? `${this.place.clientWidth - x + cell + 16}px` : "";
    this.tip.style.top = `${top + place[0] * cell - 12}px`;
  }

  _open() {
    if (!this.at) return;
    const [from, to] = this.at.map((one) => this.shown.kept[one]);
    this.onMark(keyOf(this.shown.matrix, from, to));
  }

  _key(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Enter") this._open();
    else if (step) this._step(step);
    else return;
    event.preventDefault();
  }

  _step([down, right]) {
    const last = this.shown.kept.length - 1;
    const move = ([row, column]) => [clamp(row + down, last), clamp(column + right, last)];
    let next = this.at ? move(this.at) : [0, 1];
    if (this._isEmpty(next)) next = move(next);
    if (!this._isEmpty(next) && next[1] <= last) this._point(next);
  }
}

/** The matrix of the step that is asked for, or else that of rates with the largest part measured, the last of several. */
function fullest(views, asked) {
  const filled = ({ isLatency, matrix }) => (isLatency ? 0 : 1) + matrix.measured / (matrix.asked || 1);
  return views.find(({ key }) => key === asked.step) ?? views.reduce((best, one) => (filled(one) >= filled(best) ? one : best));
}

const clamp = (place, last) => Math.min(last, Math.max(0, place));
const rgb = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;
const isWide = (low, high) => low > 0 && high > WIDE_RATIO * low;
const keyOf = (matrix, from, to) => `r${matrix.step}.${matrix.members[from]}.${matrix.members[to]}`;

/** A matrix of rates, or of latencies where round trips were timed; with the ends of its colours. */
function viewOf(matrix) {
  const rates = matrix.rate_mbps;
  const isLatency = Boolean(matrix.latency_us);
  const values = matrix.latency_us ?? rates;
  const what = isLatency ? "latency" : "rate";
  const known = values.flat().filter((value) => value !== null && value > 0);
  const [low, high] = known.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, 0]);
  const ends = isLatency ? [low, Math.max(high, 1.5 * low)] : high > WIDE_RATIO * low ? [Math.max(low, high / 1e4), high] : [0, high || 1];
  return {
    key: String(matrix.step),
    label: matrix.name.startsWith(what) ? matrix.name : `${matrix.name}: ${what}`,
    matrix, known, values, rates, latencies: matrix.latency_us, isLatency, nodes: matrix.nodes,
    low: known.length ? ends[0] : 0, high: known.length ? ends[1] : 1,
    unit: isLatency ? { name: "µs", factor: 1 } : high >= 10_000 ? { name: "Gb/s", factor: 1e3 } : { name: "Mb/s", factor: 1 },
  };
}

/** From 0, slow and dark, to 1, fast and bright. */
function shareOf(value, low, high, isLatency) {
  const share = isWide(low, high)
    ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low || 1);
  return isLatency ? 1 - share : share;
}

function cross(context, x, y) {
  context.strokeStyle = mode() === "dark" ? "#2b1c29" : "#5b3d57";
  context.lineWidth = 1.2;
  context.beginPath();
  for (const side of [-3, 3]) {
    context.moveTo(x - 3, y - side);
    context.lineTo(x + 3, y + side);
  }
  context.stroke();
}

/** A name that has room for so many pixels, shortened in its middle. */
function cut(context, name, px) {
  let text = name;
  for (let length = name.length; length > 3 && context.measureText(text).width > px; length -= 1) {
    text = `${name.slice(0, Math.ceil(length / 2))}…${name.slice(name.length - Math.floor(length / 2) + 1)}`;
  }
  return text;
}
