// The curves of a run: over message size, over the application ratio, over a web server's users, over phases.

import { change } from "./address.js";
import { GAMMA, LATENCY, PHASE, RATE, RESPONSE, SIZE, USERS, linear } from "./axes.js";
import { button, element, foldedTable } from "./dom.js";
import { isAskedFor, isOfSizes } from "./filters.js";
import { count, exactBytes, formatMbps, formatUs } from "./quantity.js";
import { Plot } from "./plot.js";
import { POINT_HEADERS, cellsOf, linesOf, stepName } from "./series.js";

const HINT = "Hover or use the arrow keys for the numbers, click or press Enter for the samples.";
const OF_SIZES = " Drag over sizes to keep those only, double-click for all.";

const open = (key) => change({ mark: key });

/** The figures of series over size, gamma or users, and the table of their points. */
export class Curves {
  constructor() {
    const onRange = (ends) => change(ends ? { from: Math.floor(ends[0]), to: Math.ceil(ends[1]) } : { from: "", to: "" });
    const plot = (over, value, title, axes, more = {}) => ({ over, value, plot: new Plot(title, { ...axes, onMark: open, ...more }) });
    this.rates = plot("size", "rate", "Throughput", { x: SIZE, y: RATE }, { onRange });
    this.plots = [
      plot("size", "latency", "Latency", { x: SIZE, y: LATENCY }, { onRange }), this.rates,
      plot("gamma", "rate", "Throughput beside an application", { x: GAMMA, y: linear(RATE) }, { fromZero: true }),
      plot("users", "latency", "Response time, median to 95 %", { x: USERS, y: RESPONSE }),
      plot("users", "rate", "Throughput of the server", { x: USERS, y: RATE }),
    ];
    this.scale = button("", () => change({ rates: this.isLinear ? "" : "linear" }));
    this.rates.plot.figure.prepend(element("div", { className: "tools" }, this.scale));
    this.legend = marksLegend();
    this.hint = element("p", { className: "quiet" });
    this.table = element("div");
    this.isOpen = {};
    this.parts = [this.legend, element("div", { className: "side-by-side" }, this.plots.map(({ plot: { figure } }) => figure)), this.hint, this.table];
  }

  /** Draw what is asked for; whether there is anything. */
  draw(series, asked) {
    const shown = series.filter((one) => isAskedFor(one, asked))
      .map((one) => ({ ...one, points: one.points.filter((point) => one.over !== "size" || isOfSizes(point.size, asked)) }));
    this.isLinear = asked.rates === "linear";
    this.scale.textContent = this.isLinear ? "Logarithmic" : "Linear";
    Object.assign(this.rates.plot, { y: this.isLinear ? linear(RATE) : RATE, fromZero: this.isLinear });
    for (const { over, value, plot } of this.plots) {
      const mine = shown.filter((one) => one.over === over).map((one) => drawable(one, value, plot.x.base)).filter((one) => one.marks.length);
      plot.draw(mine, asked.mark);
    }
    this.hint.textContent = HINT + (series.some((one) => one.over === "size") ? OF_SIZES : "");
    const points = shown.flatMap((one) => one.points);
    this.legend.hidden = !points.some((point) => point.dip || point.modes.length || point.rate.low < point.rate.high);
    this._drawTable(shown);
    return series.length > 0;
  }

  /** A row for each point, which opens its samples too; made when it is opened, as it may be long. */
  _drawTable(shown) {
    const rows = shown.flatMap((one) => one.points.map((point) => [one.label, point]));
    const isOpen = Boolean(this.isOpen["All points"]);
    const cells = isOpen ? rows.map(([label, point]) => rowOf(label, point)) : [];
    const fold = foldedTable("All points", POINT_HEADERS, isOpen ? cells : [["", "", "", "", ""]], { ...this.isOpen, always: true });
    fold.firstChild.textContent = `All points (${count(rows.length)})`;
    fold.addEventListener("toggle", () => {
      if (fold.open === isOpen) return;
      this.isOpen["All points"] = fold.open;
      this._drawTable(shown);
    });
    this.table.hidden = !rows.length;
    this.table.replaceChildren(fold);
  }

  redraw() {
    for (const { plot } of this.plots) plot.redraw();
  }
}

function rowOf(label, point) {
  const [name, size, ...others] = cellsOf(label, point);
  return [name, button(size, () => open(point.key), { className: "link", title: "Open its samples" }), ...others];
}

/** A series as a plot draws it; on a logarithmic axis there is no zero. */
function drawable({ key, label, style, points, over }, value, isLogarithmic) {
  const known = points.filter((point) => point[value] && point[value].median > 0 && (point.x > 0 || !isLogarithmic));
  const modeOf = (point, us) => (value === "latency" ? us : (8 * point.size) / us);
  return {
    key, label, style,
    marks: known.map((point) => ({
      x: point.x,
      y: point[value].median,
      low: point[value].low,
      high: point[value].high,
      modes: point.modes.map((us) => modeOf(point, us)),
      dip: point.dip && value === "rate",
      title: over === "size" ? `${label}: ${exactBytes(point.size)}` : label,
      lines: linesOf(point).slice(over === "size" ? 1 : 0),
      key: point.key,
    })),
  };
}

function marksLegend() {
  const mark = (sign, text) => element("span", {}, element("b", { attributes: { "aria-hidden": "true" } }, sign), ` ${text}`);
  return element("p", { className: "marks" }, mark("●", "median over launches"), mark("I", "its interval"), mark("◇", "one of several modes"), mark("▽", "dip"));
}

/** The rates of phases between many nodes: the slowest route and the mean of each. */
export class PhaseCurves {
  constructor() {
    this.plot = new Plot("Rate of each phase", { x: PHASE, y: linear(RATE), onMark: open, fromZero: true, height: 240 });
    this.hint = element("p", { className: "quiet" });
    this.parts = [this.plot.figure, this.hint];
  }

  draw(phases, steps, asked) {
    const bySteps = [...Map.groupBy(phases, (phase) => `${phase.step} ${phase.size_bytes}`)];
    const several = new Set(phases.map((phase) => phase.step)).size < bySteps.length;
    const series = bySteps.flatMap(([key, of], i) => [["slowest", "rate_mbps"], ["mean", "mean_mbps"]].map(([what, name], j) => ({
      key: `${key}.${what}`,
      label: `${stepName(of[0].step, steps)}${several ? `, ${exactBytes(of[0].size_bytes)}` : ""}: ${what}`,
      style: 2 * i + j,
      marks: of.map((phase) => ({
        x: phase.phase, y: phase[name], title: `${stepName(phase.step, steps)}, phase ${phase.phase}`, key: `p${phase.step}.${phase.phase}`,
        lines: [`slowest ${formatMbps(phase.rate_mbps)}: ${(phase.slowest ?? []).join(" to ")}`, `mean ${formatMbps(phase.mean_mbps)}, sum ${formatMbps(phase.aggregate_mbps)}`,
          `${exactBytes(phase.size_bytes)}, took ${formatUs(1000 * phase.elapsed_ms)}`],
      })),
    })));
    const fit = series.length <= MOST_PHASE_SERIES ? series : [];
    this.hint.textContent = fit.length || !series.length ? "" : "Choose a step above for a figure of its phases.";
    this.plot.draw(fit, asked.mark);
    return fit;
  }
}

/** With more of them the figure says less than the table. */
const MOST_PHASE_SERIES = 10;
