// Numbers with units, written as weft.base.quantity writes them: three significant digits, the unit that fits.

const BYTES = [[1, "B"], [2 ** 10, "KiB"], [2 ** 20, "MiB"], [2 ** 30, "GiB"], [2 ** 40, "TiB"]];
const MICROSECONDS = [[1e-3, "ns"], [1, "µs"], [1e3, "ms"], [1e6, "s"]];
const MEGABITS = [[1e-3, "kb/s"], [1, "Mb/s"], [1e3, "Gb/s"], [1e6, "Tb/s"]];

export function formatBytes(bytes) {
  const [factor, unit] = unitOf(bytes, BYTES);
  const scaled = bytes / factor;
  return `${scaled.toFixed(factor > 1 && scaled < 100 ? 1 : 0).replace(/\.0$/, "")} ${unit}`;
}

/** A size that its unit would round is told to the byte: 8,191 B. */
export function exactBytes(bytes) {
  return bytes < 2 ** 20 && bytes % 128 ? `${count(bytes)} B` : formatBytes(bytes);
}

export const formatUs = (us) => format(us, MICROSECONDS);
export const formatMbps = (mbps) => format(mbps, MEGABITS);
export const rangeUs = (interval) => range(interval, MICROSECONDS);
export const rangeMbps = (interval) => range(interval, MEGABITS);

/** The median size and its range; a part of a byte means nothing. */
export function rangeBytes(interval) {
  if (!interval) return "none";
  const [low, median, high] = [interval.low, interval.median, interval.high].map(formatBytes);
  return low === high ? median : `${median} (${low} to ${high})`;
}

export const count = (number) => Math.round(number).toLocaleString("en-US");

export const counted = (number, noun, plural = `${noun}s`) =>
  `${count(number)} ${number === 1 ? noun : plural}`;

export const percent = (share) => `${significant(100 * share, 3)} %`;

/** To so many significant digits, never in exponent notation. */
export function significant(value, digits = 3) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const magnitude = Number(value.toExponential(digits - 1).split("e")[1]);
  return value.toFixed(Math.min(20, Math.max(0, digits - 1 - magnitude)));
}

function unitOf(value, units) {
  return units.findLast(([factor]) => Math.abs(value) >= factor * 0.9995) ?? units[0];
}

function format(value, units) {
  const [factor, unit] = unitOf(value, units);
  return `${significant(value / factor)} ${unit}`;
}

function range(interval, units) {
  if (!interval) return "none";
  const [factor, unit] = unitOf(interval.median, units);
  const digits = digitsThatShow(interval);
  const [low, median, high] =
    [interval.low, interval.median, interval.high].map((one) => significant(one / factor, digits));
  return low === high ? `${median} ${unit}` : `${median} ${unit} (${low} to ${high})`;
}

/** Digits of the median that let the width of its interval be seen: 3 to 5. */
function digitsThatShow({ low, median, high }) {
  const width = high - low;
  if (!(width > 0 && median > 0)) return 3;
  const needed = Math.floor(Math.log10(median)) - Math.floor(Math.log10(width)) + 1;
  return Math.min(5, Math.max(3, needed));
}
