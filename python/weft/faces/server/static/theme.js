// Colours and dashes of the report (weft.understand.drawing.theme), for the scheme that the reader prefers.

// After Okabe and Ito's palette, told apart with any colour vision.
const PALETTE = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b0508a", "#5d4ba5", "#8a6d00", "#2f2f2f"],
  dark: ["#56b4e9", "#ff9a4d", "#2fc79b", "#e79ac6", "#b0a3f0", "#f0e442", "#d6d6d6"],
};
// The first dash has no gaps.
const DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4]];
const INK = {
  light: { text: "#1c2430", quiet: "#5a6472", grid: "#e3e7ec", axis: "#9aa4b0", card: "#ffffff" },
  dark: { text: "#e8ecf1", quiet: "#a5b0bd", grid: "#2c343e", axis: "#66717e", card: "#1a2027" },
};
const VIRIDIS = [
  [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99],
  [170, 220, 50], [253, 231, 37],
];
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export const FONT = "12px system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
export const mode = () => (prefersDark.matches ? "dark" : "light");
export const ink = () => INK[mode()];
export const colourOf = (index) => PALETTE[mode()][index % PALETTE.light.length];
export const dashOf = (index) => DASHES[index % DASHES.length];

export function onSchemeChange(listener) {
  prefersDark.addEventListener("change", listener);
}

/** The colour of a share from 0, dark, to 1, bright, as [r, g, b]. */
export function viridis(share) {
  const place = Math.min(1, Math.max(0, share)) * (VIRIDIS.length - 1);
  const low = Math.min(VIRIDIS.length - 2, Math.floor(place));
  return VIRIDIS[low].map((from, i) => Math.round(from + (VIRIDIS[low + 1][i] - from) * (place - low)));
}
