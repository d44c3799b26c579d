// What of a run is shown: steps, series, sizes, nodes. All of it is in the address.

import { change } from "./address.js";
import { button, element, swatch } from "./dom.js";
import { exactBytes } from "./quantity.js";
import { colourOf, dashOf } from "./theme.js";

/** Of more series than these only those of one step are shown at first, and they can be chosen by a text. */
const MOST_CHIPS = 14;
const ALL = "all";

export class Filters {
  constructor() {
    this.step = element("select", { on: { change: (event) => change({ step: event.target.value }) } });
    this.series = input("series", "part of its name");
    this.from = input("from", "such as 1024", "numeric");
    this.to = input("to", "such as 65536", "numeric");
    this.nodes = input("nodes", "such as n[1-8],n12");
    this.legend = element("div", { className: "legend", attributes: { role: "group", "aria-label": "Series shown" } });
    this.reset = button("Show all", () => change({ step: "", series: "", from: "", to: "", nodes: "", hide: "" }));
    this.labels = {
      step: element("label", {}, "Step ", this.step),
      series: element("label", {}, "Series ", this.series),
      sizes: element("span", { className: "pair" }, element("label", {}, "Bytes from ", this.from), element("label", {}, " to ", this.to)),
      nodes: element("label", {}, "Nodes ", this.nodes),
    };
    const bar = element("div", { className: "filters" }, ...Object.values(this.labels), this.reset);
    this.part = element("section", { className: "filtering", hidden: true, attributes: { "aria-label": "Filters" } }, bar, this.legend);
  }

  /** `steps` are {index, name}; `series` all that there are, `hasSizes` whether any is over sizes, `nodes` how many. */
  draw(asked, { steps, series, hasSizes, nodes }) {
    const is = { step: steps.length > 1, series: series.length > MOST_CHIPS, sizes: hasSizes, nodes: nodes > 2 };
    for (const [name, label] of Object.entries(this.labels)) label.hidden = !is[name];
    const options = [[ALL, "all steps"], ...steps.map(({ index, name }) => [String(index), name])];
    const key = JSON.stringify(options);
    if (this.options !== key) {
      this.step.replaceChildren(...options.map(([value, text]) => element("option", { value }, text)));
      this.options = key;
    }
    this.step.value = asked.step ?? ALL;
    for (const name of ["series", "from", "to", "nodes"]) {
      if (document.activeElement !== this[name]) this[name].value = asked[name] ?? "";
    }
    this.reset.hidden = !["step", "series", "from", "to", "nodes", "hide"].some((name) => asked[name]);
    this._drawLegend(asked, series);
    this.part.hidden = !(Object.values(is).some(Boolean) || series.length > 1);
  }

  _drawLegend(asked, series) {
    const hidden = hiddenKeys(asked);
    const chips = series.length > 1 ? series.filter((one) => isAskedFor(one, { ...asked, hide: "" })) : [];
    const key = JSON.stringify([chips.map((one) => [one.key, one.label, one.style]), [...hidden], colourOf(0)]);
    if (this.shown === key) return;
    this.shown = key;
    const focused = document.activeElement?.dataset?.series;
    this.legend.replaceChildren(...chips.map((one) => chipOf(one, hidden)));
    if (focused) [...this.legend.children].find((one) => one.dataset.series === focused)?.focus();
  }
}

function chipOf({ key, label, style }, hidden) {
  const isShown = !hidden.has(key);
  const toggle = () => {
    const left = new Set(hidden);
    if (isShown) left.add(key);
    else left.delete(key);
    change({ hide: [...left].join(" ") });
  };
  return element("button", {
    type: "button", className: "entry", title: isShown ? "Hide" : "Show", data: { series: key },
    attributes: { "aria-pressed": String(isShown) }, on: { click: toggle },
  }, swatch(colourOf(style), dashOf(style)), element("span", {}, label));
}

function input(name, placeholder, inputMode = "text") {
  const put = (event) => change({ [name]: event.target.value.trim() }, true);
  return element("input", { type: "text", placeholder, inputMode, size: inputMode === "text" ? 16 : 10, data: { filter: name }, on: { input: put } });
}

const hiddenKeys = (asked) => new Set((asked.hide ?? "").split(" ").filter(Boolean));

/** Whether a series is to be shown. */
export function isAskedFor({ key, step, label }, asked) {
  const words = (asked.series ?? "").toLowerCase().split(/\s+/);
  const isNamed = words.every((word) => label.toLowerCase().includes(word));
  return isOfStep(step, asked) && isNamed && !hiddenKeys(asked).has(key);
}

export const isOfStep = (step, asked) => !asked.step || asked.step === ALL || Number(asked.step) === step;

/** What is asked for, of many series only those of the first step unless another one or all are. */
export function withStep(asked, series) {
  return asked.step || series.length <= MOST_CHIPS ? asked : { ...asked, step: String(series[0].step) };
}

/** Whether a size is among those asked for. */
export function isOfSizes(bytes, { from, to }) {
  const [low, high] = [Number(from || NaN), Number(to || NaN)];
  return !(bytes < low) && !(bytes > high);
}

/** What the page says of sizes that are left out. */
export function sizesText({ from, to }) {
  const [low, high] = [Number(from || 0), Number(to || 0)];
  return [low && `from ${exactBytes(low)}`, high && `to ${exactBytes(high)}`].filter(Boolean).join(" ");
}

/** A test of node names by n7, n[1-8,12] and n*, several with commas; null where all are asked for. */
export function nodeTest(text) {
  const parts = (text ?? "").match(/(?:\[[^\]]*\]|[^,\s[])+/g) ?? [];
  const tests = parts.map(testOf);
  return tests.length ? (name) => tests.some((test) => test(name)) : null;
}

function testOf(part) {
  const ranges = [];
  const pattern = part.replace(/\[([\d,-]+)\]|\*|[.+?^${}()|\\[\]]/g, (found, range) => {
    if (found === "*") return ".*";
    if (range === undefined) return `\\${found}`;
    ranges.push(range.split(",").map((each) => each.split("-").map(Number)));
    return "(\\d+)";
  });
  const expression = new RegExp(`^${pattern}$`);
  return (name) => {
    const found = expression.exec(name);
    return Boolean(found) && ranges.every((range, i) =>
      range.some(([low, high = low]) => Number(found[i + 1]) >= low && Number(found[i + 1]) <= high));
  };
}
