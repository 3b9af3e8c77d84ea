// The gap between the best known code and the converse, over (K, n).

const MAP_CLASSES = [4, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000];
const MAP_DIMS = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
const WIDEST_GAP = 0.25;

function short(K) { return K >= 1e6 ? `${K / 1e6}M` : K >= 1000 ? `${K / 1000}k` : String(K); }

/** The gaps of one K at every dimension of the map. */
function mapRow(K) {
  const best = bestPoints(schemePoints(K, DATA.limits.largest_dim, MAP_DIMS));
  return MAP_DIMS.map((n) => {
    const found = best.filter((one) => one.n <= n).at(-1), bound = converse(K, n);
    return found ? { K, n, found, gap: Math.max(0, found.value - bound.value), optimal: found.value <= bound.value + 1e-11 } : { K, n, found: null };
  });
}

function saidCell(cell) {
  const where = `K = ${count(cell.K)}, n = ${count(cell.n)}`;
  if (!cell.found) return `${where}: no code that is certified in seconds`;
  const what = `${cell.found.scheme} in ${count(cell.found.n)} dimensions, max cosine ${spoken(cell.found.value, null, 4)}`;
  return `${where}: ${cell.optimal ? "optimal" : `gap ${cell.gap.toFixed(4)}`}; ${what}`;
}

function fillRow(row, cells, choose) {
  cells.forEach((cell, i) => {
    const td = row.children[i + 1];
    td.setAttribute("aria-label", saidCell(cell));
    td.dataset.gap = cell.found ? cell.gap.toFixed(6) : "";
    if (cell.found) {
      const share = Math.round(100 * Math.sqrt(Math.min(1, cell.gap / WIDEST_GAP)));
      td.style.background = cell.optimal ? "var(--card)" : `color-mix(in srgb, var(--hot) ${share}%, var(--cool))`;
      if (cell.optimal) td.textContent = "•";
    }
    td.addEventListener("click", () => choose(cell.K, cell.n, td));
    td.addEventListener("focus", () => { document.getElementById("map-said").textContent = saidCell(cell); });
    td.addEventListener("pointerenter", () => { document.getElementById("map-said").textContent = saidCell(cell); });
  });
}

/** The empty table, filled row by row while the page stays usable. */
function drawMap(box, choose) {
  const head = make("tr", {}, make("th", { scope: "col" }, "K \\ n"), ...MAP_DIMS.map((n) => make("th", { scope: "col" }, String(n))));
  const rows = [...MAP_CLASSES].reverse().map((K) => make("tr", {}, make("th", { scope: "row" }, short(K)),
    ...MAP_DIMS.map((n) => make("td", { role: "gridcell", tabindex: "-1", "aria-label": `K = ${K}, n = ${n}` }))));
  const table = make("table", { class: "heat", role: "grid", "aria-labelledby": "map-title", "aria-describedby": "map-help" },
    make("thead", {}, head), make("tbody", {}, ...rows));
  rows.at(-1).children[1].setAttribute("tabindex", "0");
  box.replaceChildren(table);
  table.addEventListener("keydown", (event) => roamMap(event, rows));
  document.getElementById("map-key").replaceChildren("• optimal", make("span", {}, "gap 0"), make("span", { class: "bar" }), `${WIDEST_GAP} or more`);
  const queue = [...MAP_CLASSES];
  const next = () => {
    const K = queue.shift();
    fillRow(rows[MAP_CLASSES.length - 1 - MAP_CLASSES.indexOf(K)], mapRow(K), choose);
    if (queue.length) setTimeout(next, 15); else table.dataset.drawn = "yes";
  };
  setTimeout(next, 60);
}

function roamMap(event, rows) {
  const td = event.target.closest("td");
  if (!td) return;
  const y = rows.indexOf(td.parentNode), x = [...td.parentNode.children].indexOf(td);
  const to = { ArrowRight: [y, x + 1], ArrowLeft: [y, x - 1], ArrowUp: [y - 1, x], ArrowDown: [y + 1, x] }[event.key];
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); td.click(); }
  const other = to && to[1] > 0 && rows[to[0]] && rows[to[0]].children[to[1]];
  if (!other) return;
  event.preventDefault();
  td.setAttribute("tabindex", "-1");
  other.setAttribute("tabindex", "0");
  other.focus();
}
