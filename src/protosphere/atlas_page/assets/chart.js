// Max cosine against n: every scheme's codes, the best of them, and the bounds.

const SVG = "http://www.w3.org/2000/svg";

function shapeOf(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const SHAPES = {
  elementary: "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0", block_codes: "M-3.6 -3.6H3.6V3.6H-3.6Z", frames: "M0 -5L5 0L0 5L-5 0Z",
  lattices: "M0 -5L4.8 3.6H-4.8Z", descents: "M-1.5 -5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5V-1.5H-1.5Z",
  kissing: "M-4.5 0L-2.3 -4H2.3L4.5 0L2.3 4H-2.3Z", other: "M-5 -3H5L0 5Z",
  best: "M0 -6L1.6 -2L5.8 -1.9L2.5 .9L3.6 5L0 2.6L-3.6 5L-2.5 .9L-5.8 -1.9L-1.6 -2Z",
};
const KIND_NAMES = {
  elementary: "elementary", block_codes: "block codes", frames: "frames", lattices: "lattices", descents: "the paper's descents",
  kissing: "kissing configurations", best: "searches",
};

function kindOf(scheme) { return scheme in DATA.schemes ? DATA.schemes[scheme].kind : "best"; }
function shapeFor(kind) { return SHAPES[kind] || SHAPES.other; }

/** What a point is called: read aloud, and shown beside the chart. */
function called(one, isBest) {
  const most = one.known === "promised" ? "at most " : "", made = `K = ${count(one.K)}, n = ${count(one.n)}`;
  return `${one.scheme}, ${made}: max cosine ${most}${spoken(one.value, null, 4)}${isBest ? ", the best known" : ""}`;
}

/** Scales of a chart of so many pixels: from n and cosines to places. */
function scales(state, width, height, values) {
  const left = 44, right = 10, top = 12, bottom = 40;
  const lowest = Math.min(...values), highest = Math.max(...values), pad = (highest - lowest || 1) * 0.04;
  const [low, high] = [Math.log2(state.low), Math.log2(state.high)];
  const x = (n) => left + (Math.log2(n) - low) / (high - low) * (width - left - right);
  const y = (value) => top + (highest + pad - value) / (highest - lowest + 2 * pad) * (height - top - bottom);
  return { x, y, left, right, top, bottom, width, height, lowest: lowest - pad, highest: highest + pad };
}

function axes(svg, state, at) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((one) => (at.highest - at.lowest) / one <= 8) || 0.5;
  for (let value = Math.ceil(at.lowest / step) * step; value <= at.highest; value += step) {
    const y = at.y(value), text = shapeOf("text", { x: at.left - 6, y: y + 4, "text-anchor": "end" });
    text.textContent = Math.abs(value) < 1e-9 ? "0" : value.toFixed(step < 0.1 ? 2 : 1);
    svg.append(shapeOf("line", { class: "grid", x1: at.left, x2: at.width - at.right, y1: y, y2: y }), text);
  }
  const ticks = [];
  for (let n = 1; n <= 1024; n *= 2) if (n >= state.low && n <= state.high) ticks.push(n);
  for (const n of new Set(ticks.length > 1 ? ticks : [state.low, ...ticks, state.high])) {
    const text = shapeOf("text", { x: at.x(n), y: at.height - at.bottom + 18, "text-anchor": "middle" });
    text.textContent = n;
    svg.append(shapeOf("line", { class: "grid", x1: at.x(n), x2: at.x(n), y1: at.top, y2: at.height - at.bottom }), text);
  }
  const name = shapeOf("text", { x: at.width - at.right, y: at.height - 4, "text-anchor": "end" });
  name.textContent = "n, dimensions (log)";
  const side = shapeOf("text", { x: at.left + 4, y: at.top + 2 });
  side.textContent = "max cosine";
  svg.append(name, side);
}

function path(points, at, steps = false) {
  let text = "", pen = false, last = null;
  for (const [n, value] of points) {
    if (value === null || value === undefined) { pen = false; continue; }
    const x = at.x(n).toFixed(1), y = at.y(value).toFixed(1);
    text += pen ? (steps ? `H${x}V${y}` : `L${x} ${y}`) : `M${x} ${y}`;
    [pen, last] = [true, n];
  }
  return steps && last !== null ? `${text}H${at.width - at.right}` : text;
}

/** The curves of the bounds within the range. */
function boundCurves(state) {
  const dims = askedDims(state.low, state.high, 120), K = state.K;
  const paper = dims.map((n) => paperBounds(K, n));
  return {
    converse: dims.map((n) => [n, converse(K, n).value]),
    achievable: dims.map((n) => [n, achievable(K, n)?.value]),
    "paper converse": dims.map((n, i) => [n, paper[i].converse]),
    "paper achievable": dims.map((n, i) => [n, paper[i].achievable]),
  };
}

/** The best codes as steps from the left edge of the range on. */
function bestSteps(best, state) {
  const before = best.filter((one) => one.n < state.low).at(-1);
  return [...(before ? [[state.low, before.value]] : []), ...best.filter((one) => one.n >= state.low).map((one) => [one.n, one.value])];
}

/** Draw; answers with the points in the order that arrow keys go through them. */
function drawChart(box, state, found, choose) {
  const best = bestPoints(found).filter((one) => one.n <= state.high), isBest = new Set(best);
  const shown = [...found.values()].flat().filter((one) => one.n >= state.low && one.n <= state.high
    && !state.hidden.has(kindOf(one.scheme)) && (!state.scheme || state.scheme === one.scheme));
  shown.sort((a, b) => a.n - b.n || a.value - b.value);
  const curves = boundCurves(state), steps = bestSteps(best, state);
  const values = [...Object.values(curves).flat(), ...steps].map((pair) => pair[1]).filter((value) => Number.isFinite(value));
  const width = Math.max(300, box.clientWidth), height = Math.round(Math.min(480, Math.max(300, width * 0.5)));
  const at = scales(state, width, height, [...values, ...shown.map((one) => one.value)]);
  const svg = shapeOf("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-labelledby": "chart-title" });
  axes(svg, state, at);
  for (const [name, points] of Object.entries(curves)) {
    svg.append(shapeOf("path", { class: `line ${name.split(" ")[0]}`, "data-curve": name, d: path(points, at) }));
  }
  svg.append(shapeOf("path", { class: "line best", "data-curve": "best", d: path(steps, at, true) }));
  const marks = shown.map((one) => mark(one, isBest.has(one), at));
  shown.forEach((one, i) => marks[i].classList.toggle("chosen", sameCode(one, state.chosen)));
  svg.append(...marks);
  box.replaceChildren(svg);
  roam(svg, marks, shown, isBest, choose);
  return shown;
}

function sameCode(one, other) { return other !== null && one.scheme === other.scheme && one.n === other.n && one.K === other.K; }

function mark(one, isBest, at) {
  const kind = kindOf(one.scheme), group = shapeOf("g", {
    class: `mark ${kind}${isBest ? "" : " faint"}`, role: "button", tabindex: "-1", "aria-label": called(one, isBest),
    "data-scheme": one.scheme, "data-n": one.n, transform: `translate(${at.x(one.n).toFixed(1)} ${at.y(one.value).toFixed(1)})`,
  });
  if (isBest) group.append(shapeOf("circle", { class: "ring", r: 7.5 }));
  group.append(shapeOf("path", { class: "shape", d: shapeFor(kind) }));
  return group;
}

/** Pointer and keys: the nearest point is named, a click or Enter chooses it; left and right go by n, up and down within one. */
function roam(svg, marks, shown, isBest, choose) {
  const say = (i) => { document.getElementById("hover").textContent = called(shown[i], isBest.has(shown[i])); };
  const pick = (i) => { say(i); choose(shown[i]); };
  const first = Math.max(0, shown.findIndex((one) => isBest.has(one)));
  if (marks.length) marks[first].setAttribute("tabindex", "0");
  svg.addEventListener("pointermove", (event) => { const i = nearest(svg, marks, event, 30); if (i >= 0) say(i); });
  svg.addEventListener("click", (event) => { const i = nearest(svg, marks, event, 30); if (i >= 0) pick(i); });
  marks.forEach((one, i) => {
    one.addEventListener("focus", () => say(i));
    one.addEventListener("keydown", (event) => {
      const to = { ArrowRight: () => neighbor(shown, isBest, i, 1), ArrowLeft: () => neighbor(shown, isBest, i, -1),
        ArrowUp: () => Math.min(marks.length - 1, i + 1), ArrowDown: () => Math.max(0, i - 1), Home: () => 0, End: () => marks.length - 1 }[event.key];
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(i); }
      if (!to) return;
      event.preventDefault();
      one.setAttribute("tabindex", "-1");
      marks[to()].setAttribute("tabindex", "0");
      marks[to()].focus();
    });
  });
}

/** The best code of the next dimension that has one, or the last of all. */
function neighbor(shown, isBest, from, step) {
  for (let i = from + step; i >= 0 && i < shown.length; i += step) if (isBest.has(shown[i]) && shown[i].n !== shown[from].n) return i;
  return Math.min(shown.length - 1, Math.max(0, from + step));
}

function nearest(svg, marks, event, within) {
  let [best, least] = [-1, within];
  marks.forEach((one, i) => {
    const box = one.lastChild.getBoundingClientRect();
    const far = Math.hypot(event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
    if (far < least) [best, least] = [i, far];
  });
  return best;
}
