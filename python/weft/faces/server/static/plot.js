// Curves with their intervals. A mark can be hovered, clicked, and reached with the arrow keys.

import { axisOf, scaleOf } from "./axes.js";
import { element } from "./dom.js";
import { colourOf, dashOf, ink } from "./theme.js";

const HEIGHT = 320;
const NEAR_PX = 28;

/**
 * `x` and `y` are kinds of axes. A series is {key, label, style, marks}; a mark {x, y, low, high, modes, dip, title,
 * lines, key}. `onMark` gets the key of a mark, `onRange` the ends of what was dragged over, or null on a double click.
 */
export class Plot {
  constructor(title, { x, y, onMark, onRange, fromZero = false, height = HEIGHT }) {
    Object.assign(this, { x, y, onMark, onRange, fromZero, height, series: [], chosen: "", at: null });
    this.tip = element("div", { className: "tip", hidden: true, attributes: { role: "status" } });
    this.place = element("div", { className: "plot", tabIndex: 0, on: { keydown: (event) => this._key(event), blur: () => this._show(null) } });
    this.place.setAttribute("role", "group");
    this.place.setAttribute("aria-label", `${title}. Arrow keys go from mark to mark, Enter opens the samples of one.`);
    this.figure = element("figure", {}, element("h3", {}, title), this.place);
    this.place.append(this.tip);
    new ResizeObserver(() => this._resize()).observe(this.place);
  }

  /** `chosen` is the key of the mark whose samples are shown. */
  draw(series, chosen = "") {
    this.series = series;
    this.chosen = chosen;
    this.figure.hidden = !series.length;
    if (!series.length || !this.place.clientWidth) return;
    if (this.at) this.at = this._marks().find((mark) => mark.key === this.at.key) ?? null;
    if (this.made && this.shape === this._shape()) {
      this._scale();
      this.made.setData(this._data());
    } else this.redraw();
    if (this.at) this._show(this.at);
  }

  /** Anew, for other colours or another width. */
  redraw() {
    if (!this.series.length || !this.place.clientWidth) return;
    this.made?.destroy();
    this.shape = this._shape();
    this.made = new uPlot(this._options(), this._data(), this.place);
    this.made.over.addEventListener("mousemove", (event) => this._show(this._nearest(event)));
    this.made.over.addEventListener("mouseleave", () => this._show(null));
    this.made.over.addEventListener("click", (event) => this._click(event));
    this.made.over.addEventListener("dblclick", () => this.onRange?.(null));
  }

  _shape() {
    const marks = this.series.map((one) => `${one.key} ${one.style}`).join();
    return `${this.x.title}${this.y.base}${this.y.title}${marks}${ink().card}`;
  }

  _marks() {
    return this.series.flatMap((one) => one.marks);
  }

  _data() {
    const xs = [...new Set(this._marks().map((mark) => mark.x))].sort((a, b) => a - b);
    const place = new Map(xs.map((x, i) => [x, i]));
    const columns = this.series.map((one) => {
      const values = new Array(xs.length).fill(null);
      for (const mark of one.marks) values[place.get(mark.x)] = mark.y;
      return values;
    });
    return [xs, ...columns];
  }

  _scale() {
    const marks = this._marks();
    const ys = marks.flatMap((mark) => [mark.y, mark.low ?? mark.y, mark.high ?? mark.y]);
    this.scales = { x: scaleOf(this.x, marks.map((mark) => mark.x)), y: scaleOf(this.y, ys, this.fromZero) };
  }

  _options() {
    this._scale();
    const ends = (name) => ({ ...this.scales[name], range: () => this.scales[name].range() });
    const lines = this.series.map(({ label, style, marks }) => ({
      label,
      stroke: colourOf(style),
      dash: dashOf(style)[1] ? dashOf(style) : undefined,
      width: 1.8,
      spanGaps: true,
      points: { show: marks.length <= 200, size: 6, fill: colourOf(style), stroke: colourOf(style) },
    }));
    return {
      width: this.place.clientWidth,
      height: this.height,
      legend: { show: false },
      scales: { x: ends("x"), y: ends("y") },
      series: [{}, ...lines],
      axes: [axisOf(this.x, true), axisOf(this.y, false, this.scales.y.range()[1])],
      cursor: { points: { show: false }, drag: { x: Boolean(this.onRange), y: false, setScale: false, dist: 8 }, y: false },
      hooks: { draw: [(plot) => this._overlay(plot)], setSelect: [(plot) => this._dragged(plot)] },
    };
  }

  /** Intervals, modes, dips and the chosen mark. */
  _overlay(plot) {
    const context = plot.ctx;
    const ratio = devicePixelRatio || 1;
    context.save();
    context.beginPath();
    context.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    context.clip();
    for (const { style, marks } of this.series) {
      context.strokeStyle = colourOf(style);
      context.lineWidth = 1.4 * ratio;
      for (const mark of marks) this._drawMark(plot, context, ratio, mark);
    }
    context.restore();
  }

  _drawMark(plot, context, ratio, mark) {
    const x = plot.valToPos(mark.x, "x", true);
    const y = (value) => plot.valToPos(value, "y", true);
    context.beginPath();
    if (mark.low < mark.high) {
      const wide = 3 * ratio;
      for (const end of [y(mark.low), y(mark.high)]) {
        context.moveTo(x - wide, end);
        context.lineTo(x + wide, end);
      }
      context.moveTo(x, y(mark.low));
      context.lineTo(x, y(mark.high));
    }
    for (const value of mark.modes ?? []) shape(context, x, y(value), [[0, -5], [5, 0], [0, 5], [-5, 0]], ratio);
    if (mark.dip) shape(context, x, y(mark.y) + 11 * ratio, [[-5, -4], [5, -4], [0, 4]], ratio);
    context.stroke();
    if (mark.key !== this.chosen) return;
    context.save();
    context.strokeStyle = ink().text;
    context.lineWidth = 2 * ratio;
    context.beginPath();
    context.arc(x, y(mark.y), 8 * ratio, 0, 7);
    context.stroke();
    context.restore();
  }

  _position(mark) {
    return [this.made.valToPos(mark.x, "x"), this.made.valToPos(mark.y, "y")];
  }

  _nearest(event) {
    const box = this.made.over.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    let least = NEAR_PX;
    for (const mark of this._marks()) {
      const [x, y] = this._position(mark);
      const distance = Math.hypot(x - left, y - top);
      if (distance < least) [best, least] = [mark, distance];
    }
    return best;
  }

  _show(mark) {
    this.at = mark;
    this.tip.hidden = !mark || !this.made;
    if (this.tip.hidden) return;
    this.tip.replaceChildren(element("b", {}, mark.title), ...mark.lines.map((line) => element("div", {}, line)));
    const [x, y] = this._position(mark);
    const [left, top] = [x + this.made.over.offsetLeft, y + this.made.over.offsetTop];
    const before = left > this.place.clientWidth / 2;
    this.tip.style.left = before ? "" : `${left + 14}px`;
    this.tip.style.right = before ? `${this.place.clientWidth - left + 14}px` : "";
    this.tip.style.top = `${Math.max(0, top - 20)}px`;
    this.made.over.style.cursor = "pointer";
  }

  _click(event) {
    const mark = this._nearest(event);
    if (mark) this.onMark?.(mark.key);
  }

  _dragged(plot) {
    const { left, width } = plot.select;
    if (width < 8 || !this.onRange) return;
    const ends = [left, left + width].map((px) => plot.posToVal(px, "x"));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.onRange(ends);
  }

  _key(event) {
    if (event.key === "Enter" && this.at) this.onMark?.(this.at.key);
    else if (event.key === "Escape") this._show(null);
    else if (event.key.startsWith("Arrow") && this.made) this._show(this._next(event.key));
    else return;
    event.preventDefault();
  }

  /** Left and right along a series, up and down to the nearest mark of the next one. */
  _next(key) {
    const here = this.series.findIndex((one) => one.marks.includes(this.at));
    if (here < 0) return this.series[0].marks[0];
    const { marks } = this.series[here];
    const sideways = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (sideways) return marks[marks.indexOf(this.at) + sideways] ?? this.at;
    const other = this.series[(here + (key === "ArrowUp" ? this.series.length - 1 : 1)) % this.series.length].marks;
    return other.reduce((best, mark) => (Math.abs(mark.x - this.at.x) < Math.abs(best.x - this.at.x) ? mark : best));
  }

  _resize() {
    if (!this.place.clientWidth || this.made?.width === this.place.clientWidth) return;
    if (this.made) this.made.setSize({ width: this.place.clientWidth, height: this.height });
    else this.redraw();
  }
}

function shape(context, x, y, corners, ratio) {
  corners.forEach(([dx, dy], i) => context[i ? "lineTo" : "moveTo"](x + dx * ratio, y + dy * ratio));
  context.closePath();
}
