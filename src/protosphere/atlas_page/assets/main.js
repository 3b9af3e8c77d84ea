// The page as a whole: what is typed, and what follows from it.

const state = { K: 1000, most: 128, low: 2, high: 512, scheme: "", hidden: new Set(), chosen: null };
const byId = (id) => document.getElementById(id);

/** Unpack what the page carries: JSON, compressed, in base 64. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** A whole number of an input within its limits, or null with a sentence that says what would do. */
function wholeNumber(input, name) {
  const value = Number(input.value), [least, most] = [Number(input.min), Number(input.max)];
  const good = input.value.trim() !== "" && Number.isInteger(value) && value >= least && value <= most;
  input.setAttribute("aria-invalid", String(!good));
  if (!good) byId("wrong").textContent = `${name} must be a whole number from ${count(least)} to ${count(most)}.`;
  return good ? value : null;
}

/** Read the form; false where it holds no numbers to go by. */
function read() {
  byId("wrong").textContent = "";
  const K = wholeNumber(byId("classes"), "Classes"), most = wholeNumber(byId("most"), "Dimensions");
  const low = wholeNumber(byId("low"), "The first n"), high = wholeNumber(byId("high"), "The last n");
  if ([K, most, low, high].includes(null)) return false;
  if (low >= high) {
    byId("wrong").textContent = `The first n must be below the last, got ${low} and ${high}.`;
    return false;
  }
  Object.assign(state, { K, most, low, high, scheme: byId("scheme").value });
  return true;
}

function write() {
  for (const [id, value] of [["classes", state.K], ["most", state.most], ["low", state.low], ["high", state.high]]) byId(id).value = value;
}

function choose(one) {
  state.chosen = one;
  document.querySelectorAll(".mark").forEach((mark, i) => mark.classList.toggle("chosen", sameCode(state.shown[i], one)));
  showCard(byId("card"), one, state.K);
}

function fillTable(found) {
  const rows = [...found.entries()].map(([, points]) => points.filter((one) => one.n <= state.most).at(-1)).filter(Boolean);
  rows.sort((a, b) => a.value - b.value || a.n - b.n);
  byId("table-n").textContent = count(state.most);
  byId("rows").replaceChildren(...rows.map((one) => {
    const button = make("button", { type: "button", class: "plain" }, one.scheme);
    button.addEventListener("click", () => { choose(one); byId("code").focus(); });
    const most = one.known === "promised" ? "≤ " : "", made = one.K > state.K ? ` (K' = ${count(one.K)})` : "";
    const cells = [`${count(one.n)}${made}`, most + spoken(one.value, null, 4), (one.value - converse(state.K, state.most).value).toFixed(4)];
    return make("tr", {}, make("th", { scope: "row" }, button), ...cells.map((text) => make("td", {}, text)));
  }));
}

/** Draw everything anew; with `answerToo` the recommended code is shown as well. */
function update(answerToo = true) {
  if (!read()) return;
  const dims = [...new Set([...askedDims(state.low, state.high), ...dimsBelow(state.most)])].sort((a, b) => a - b);
  const found = schemePoints(state.K, DATA.limits.largest_dim, dims);
  state.shown = drawChart(byId("chart"), state, found, choose);
  fillTable(found);
  if (answerToo) answer();
  document.body.dataset.classes = state.K;
}

/** Say what to take, and show it. */
function answer() {
  const advice = recommendation(state.K, state.most);
  byId("answer").textContent = recommended(state.K, state.most, advice);
  byId("price").textContent = price(state.K, state.most, advice);
  byId("show").hidden = !advice.chosen;
  state.advised = advice.chosen;
  if (advice.chosen) choose(advice.chosen);
  try { history.replaceState(null, "", `#K=${state.K}&n=${state.most}&from=${state.low}&to=${state.high}`); } catch { /* a sandboxed frame has no history */ }
}

function readHash() {
  const asked = new URLSearchParams(location.hash.slice(1));
  for (const [name, key] of [["K", "K"], ["n", "most"], ["from", "low"], ["to", "high"]]) {
    if (/^\d+$/.test(asked.get(name) || "")) state[key] = Number(asked.get(name));
  }
}

function legend() {
  const kinds = [...new Set(Object.keys(DATA.schemes).map(kindOf))];
  byId("kinds").append(...kinds.map((kind) => {
    const box = make("input", { type: "checkbox", id: `kind-${kind}`, checked: "" });
    box.addEventListener("change", () => { state.hidden[box.checked ? "delete" : "add"](kind); update(false); });
    const icon = shapeOf("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" }, shapeOf("g", { class: kind }, shapeOf("path", { class: "shape", d: shapeFor(kind) })));
    return make("label", { for: `kind-${kind}` }, box, icon, KIND_NAMES[kind] || kind.replaceAll("_", " "));
  }));
  byId("scheme").append(...Object.keys(DATA.schemes).map((name) => make("option", { value: name }, name)));
}

function version() {
  const { codes, families, searches, atlas } = DATA.counts;
  byId("version").textContent = `Data of protosphere ${DATA.version}, digest ${DATA.digest}: ${count(codes)} codes of ${families} families, `
    + `${count(searches)} kept searches (${DATA.limits.searched}), ${count(atlas)} cells of the atlas.`;
}

let waiting = 0;

async function start() {
  globalThis.DATA = await unpacked(byId("data").textContent);
  readHash();
  write();
  legend();
  version();
  for (const form of ["ask", "range"]) {
    byId(form).addEventListener("submit", (event) => { event.preventDefault(); update(form === "ask"); });
    byId(form).addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => update(form === "ask"), 250); });
  }
  byId("show").addEventListener("click", () => { if (state.advised) choose(state.advised); byId("code").focus(); });
  let width = 0;
  new ResizeObserver(() => {
    if (Math.abs(byId("chart").clientWidth - width) > 2) { width = byId("chart").clientWidth; update(false); }
  }).observe(byId("chart"));
  update();
  drawMap(byId("map"), (K, n, cell) => {
    document.querySelector("td.here")?.classList.remove("here");
    cell.classList.add("here");
    [state.K, state.most] = [K, n];
    write();
    update();
  });
  document.body.dataset.ready = "yes";
}

start();
