// The samples behind one mark: over time, as a histogram, and those that stand out.

import { change } from "./address.js";
import { BATCHES, LATENCY, RUN_TIME, axisOf, linear, scaleOf } from "./axes.js";
import { button, element, foldedTable } from "./dom.js";
import { count, counted, exactBytes, formatUs, percent, significant } from "./quantity.js";
import { fetchJson, runAddress } from "./server.js";
import { colourOf } from "./theme.js";

const TIME = { ...LATENCY, title: "Time, one way" };
const MOST = 20_000;
/** Times are drawn on a logarithmic axis where the slowest takes so many times the fastest. */
const LOGARITHMIC_FROM = 10;
const EXTREMES = 5;
const BARS = 60;
const HEIGHT = 220;

export class Samples {
  constructor(run) {
    this.run = run;
    this.part = element("section", { className: "detail", hidden: true, tabIndex: -1, attributes: { "aria-label": "Samples of a mark" } });
    this.isOpen = {};
    new ResizeObserver(() => this._size()).observe(this.part);
  }

  /** Show the samples of `mark` {key, title, text, select}, or none; `nodes` are the names. */
  async show(mark, nodes) {
    if (this.key === mark?.key) {
      if (mark && this.rows && this.named !== nodes.length) this._draw(mark, nodes);
      return;
    }
    this.key = mark?.key;
    this.rows = null;
    this.part.hidden = !mark;
    if (!mark) return;
    this.part.replaceChildren(this._bar(mark), element("p", { className: "quiet" }, "Reading its samples."));
    await this.load(mark, nodes);
    if (this.key === mark.key) this.part.scrollIntoView({ block: "nearest" });
  }

  /** Read them (again). */
  async load(mark, nodes) {
    try {
      let document = await this._read(mark.select);
      if (!document.of && mark.instead) document = await this._read(mark.instead);
      if (this.key !== mark.key) return;
      this.document = document;
      this._draw(mark, nodes);
    } catch (error) {
      if (this.key === mark.key) this.part.replaceChildren(this._bar(mark), element("p", { className: "error" }, `Its samples cannot be read: ${error.message}.`));
    }
  }

  _read(select) {
    return fetchJson(runAddress(this.run, `samples?${new URLSearchParams({ ...select, limit: MOST })}`));
  }

  /** In other colours. */
  redraw() {
    if (this.rows?.length) this._plots();
  }

  _bar(mark) {
    const close = button("Close", () => change({ mark: "" }));
    return element("div", { className: "bar" }, element("h3", {}, mark.title), close);
  }

  _draw(mark, nodes) {
    this.named = nodes.length;
    const { of, columns } = this.document;
    const rows = rowsOf(columns);
    this.rows = rows.filter((row) => row.time_us !== null);
    if (!this.rows.length) {
      this.part.replaceChildren(this._bar(mark), element("p", {}, "No samples of it have been measured yet."));
      return;
    }
    const shown = rows.length < of
      ? `${count(rows.length)} of ${count(of)} batches are drawn: evenly in their order, with the fastest and the slowest.`
      : of === 1 ? "Its only batch is drawn." : `All ${count(of)} batches are drawn.`;
    const launches = new Set(this.rows.map((row) => row.launch)).size;
    this.strip = element("div", { className: "plot" });
    this.histogram = element("div", { className: "plot" });
    this.part.replaceChildren(
      this._bar(mark), element("p", {}, mark.text), element("p", { className: "quiet" }, `${shown} ${counted(launches, "launch", "launches")}.`),
      element("div", { className: "side-by-side" },
        element("figure", {}, element("h4", {}, "Over time"), this.strip),
        element("figure", {}, element("h4", {}, "How often"), this.histogram)),
      this._extremes(nodes),
    );
    this._plots();
  }

  _extremes(nodes) {
    const sorted = [...this.rows].sort((a, b) => a.time_us - b.time_us);
    const median = sorted[Math.floor((sorted.length - 1) / 2)].time_us;
    const picked = sorted.length > 2 * EXTREMES ? [...sorted.slice(0, EXTREMES), ...sorted.slice(-EXTREMES)] : sorted;
    const headers = ["Time", "Of the median", "Launch", "Batch", "Messages", "Since the start", "Size", "From", "To"];
    const name = (node) => nodes[node]?.name ?? String(node);
    const title = sorted.length > 2 * EXTREMES ? `The ${EXTREMES} fastest and the ${EXTREMES} slowest` : "All, by their time";
    return foldedTable(title, headers, picked.map((row) => [
      formatUs(row.time_us), percent(row.time_us / median), String(row.launch + 1), String(row.batch + 1), count(row.messages),
      `${significant(row.start_ns / 1e9, 6)} s`, exactBytes(row.size_bytes), name(row.src), name(row.dst),
    ]), this.isOpen) ?? "";
  }

  _plots() {
    this.made?.forEach((plot) => plot.destroy());
    const times = this.rows.map((row) => row.time_us);
    const sorted = [...times].sort((a, b) => a - b);
    const kind = sorted.at(-1) / sorted[0] > LOGARITHMIC_FROM ? TIME : linear(TIME);
    this.made = [this._stripPlot(kind), this._histogramPlot(kind, sorted)];
  }

  _stripPlot(kind) {
    const rows = [...this.rows].sort((a, b) => a.start_ns - b.start_ns);
    const xs = rows.map((row) => row.start_ns / 1e9);
    const ys = rows.map((row) => row.time_us);
    const dots = { stroke: `${colourOf(0)}b0`, paths: () => null, points: { show: true, size: rows.length > 2000 ? 3 : 5, fill: `${colourOf(0)}b0`, width: 0 } };
    const scales = { x: scaleOf(RUN_TIME, xs), y: scaleOf(kind, ys) };
    const axes = [axisOf(RUN_TIME, true), axisOf(kind, false, scales.y.range()[1])];
    return new uPlot(options(this.strip, scales, axes, [{}, dots]), [xs, ys], this.strip);
  }

  _histogramPlot(kind, sorted) {
    const [low, high] = [sorted[0], sorted.at(-1)];
    const bars = low === high ? 1 : Math.min(BARS, Math.max(10, Math.ceil(2 * Math.sqrt(sorted.length))));
    const place = kind.base ? Math.log : (value) => value;
    const back = kind.base ? Math.exp : (value) => value;
    const wide = (place(high) - place(low)) / bars || 1;
    const counts = new Array(bars).fill(0);
    for (const value of sorted) counts[Math.min(bars - 1, Math.floor((place(value) - place(low)) / wide))] += 1;
    const middles = counts.map((_, i) => back(place(low) + (i + 0.5) * wide));
    const drawn = { stroke: colourOf(0), fill: `${colourOf(0)}90`, paths: uPlot.paths.bars({ size: [bars > 1 ? 0.95 : 0.1, 60] }), points: { show: false } };
    const scales = { x: scaleOf(kind, [low, high]), y: scaleOf(BATCHES, counts, true) };
    const axes = [axisOf(kind, true, high), axisOf(BATCHES, false)];
    return new uPlot(options(this.histogram, scales, axes, [{}, drawn]), [middles, counts], this.histogram);
  }

  _size() {
    for (const plot of this.made ?? []) {
      const width = plot.root.parentElement?.clientWidth;
      if (width && width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
  }
}

const options = (place, scales, axes, series) => ({
  width: place.clientWidth || 480, height: HEIGHT, scales, axes, series, legend: { show: false },
  cursor: { show: false },
});

function rowsOf(columns) {
  const names = Object.keys(columns);
  return columns.time_us.map((_, i) => Object.fromEntries(names.map((name) => [name, columns[name][i]])));
}
