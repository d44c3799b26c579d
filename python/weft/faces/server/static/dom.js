// Elements. Texts become text nodes, never markup, whatever a run is called.

/** `properties` are properties of the element; `data`, `on` and `attributes` are maps of their own. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  const { data, on, attributes, ...own } = properties;
  Object.assign(made, own);
  Object.assign(made.dataset, data);
  for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
  for (const [event, handler] of Object.entries(on ?? {})) made.addEventListener(event, handler);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

export function button(text, handler, properties = {}) {
  return element("button", { type: "button", className: "tool", on: { click: handler }, ...properties }, text);
}

/** A table; a cell is a text or a node. The first cell of a row is its heading. */
export function table(headers, rows) {
  const head = element("tr", {}, headers.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map((cells) => element("tr", {}, cells.map(cellOf)));
  const made = element("table", {}, element("thead", {}, head), element("tbody", {}, body));
  return element("div", { className: "scroll" }, made);
}

const LONG_CELL = 30;
/** Longer tables are folded. */
const MANY_ROWS = 24;

function cellOf(content, place) {
  const long = typeof content === "string" && content.length > LONG_CELL;
  const properties = { className: long ? "long" : "" };
  return place ? element("td", properties, content) : element("th", { ...properties, scope: "row" }, content);
}

/** A table with a title, folded where it is long; nothing without rows. `open` keeps what the reader opened. */
export function foldedTable(title, headers, rows, isOpen = {}) {
  if (!rows.length) return null;
  if (rows.length <= MANY_ROWS && !isOpen.always) return element("div", {}, element("h4", {}, title), table(headers, rows));
  const remember = { toggle: (event) => { isOpen[title] = event.target.open; } };
  const folded = element("details", { open: Boolean(isOpen[title]), on: remember });
  folded.append(element("summary", {}, `${title} (${rows.length.toLocaleString("en-US")})`), table(headers, rows));
  return folded;
}

/** A text in which `commands` stand between back quotes. */
export function prose(text) {
  return text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));
}

export function section(title, name) {
  const id = `title-${name}`;
  return element("section", { id: name, hidden: true, attributes: { "aria-labelledby": id } },
    element("h2", { id }, title));
}

/** A line as in the legend of the report: colour and dash. */
export function swatch(colour, dash) {
  const made = svg("svg", { class: "swatch", width: 34, height: 10, "aria-hidden": "true" });
  made.append(svg("line", { x1: 1, y1: 5, x2: 33, y2: 5, stroke: colour, "stroke-width": 3, "stroke-dasharray": dash.join(" ") }));
  return made;
}

export function svg(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
