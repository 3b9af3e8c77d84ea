// Which code each scheme has for K classes in R^n, and how far apart its points are: the rule of the whole page.
// A code of K' >= K points in n' <= n dimensions serves (K, n): some of its points, zeros appended.

const SAME = 1e-9;

/** A cosine of the data as a number: a text is a fraction. */
function number(cosine) {
  if (typeof cosine !== "string") return cosine;
  const [above, below] = cosine.split("/");
  return below === undefined ? Number(above) : Number(above) / Number(below);
}

/** One code: of `scheme`, for `K` classes in `n` dimensions, and all that is known of it. */
function point(scheme, K, n, cosine, more) {
  const exact = typeof cosine === "string" ? cosine : null;
  return { scheme, K, n, value: number(cosine), exact, known: "measured", guarantee: null, description: "", ...more };
}

/** The member of a family that serves K in one dimension, measured where its first K points were. */
function memberPoint(scheme, row, K) {
  const [n, , , size, guarantee, description, steps, spectra] = row;
  for (let i = 0; i < steps.length; i += 3) {
    const met = Math.abs(number(steps[i + 2]) - number(guarantee)) < SAME;
    if (steps[i] <= K && K <= steps[i + 1]) {
      return point(scheme, K, n, met ? guarantee : steps[i + 2], { guarantee, description, size, spectra });
    }
  }
  return point(scheme, K, n, guarantee, { known: "promised", guarantee, description, size, spectra });
}

function familyPoints(scheme, K) {
  return DATA.members[scheme].filter((row) => row[1] <= K && K <= row[2]).map((row) => memberPoint(scheme, row, K));
}

/** Reed-Muller and BCH codes in their own dimensions, one for every number of bits; and in others where they are best. */
function linearPoints(scheme, K) {
  const rows = (name) => (DATA.cells[name] || []).filter((row) => row[0] === 2 ** messageBits(K));
  const home = rows(scheme).map(([, n, cosine, guarantee]) => point(scheme, K, n, cosine, { guarantee }));
  const description = "a BCH code shortened, extended, punctured or lengthened to this dimension";
  const away = rows(`${scheme} modified`).map(([, n, cosine, guarantee]) => point(scheme, K, n, cosine, {
    known: "promised", guarantee, description, modify: true,
  }));
  return [...home, ...away];
}

/** Random points, descents, and what has no formula here: made for the least K' that the page has, if it is at least K. */
function descentPoints(scheme, K) {
  const rows = (DATA.cells[scheme] || []).filter((row) => row[0] >= K);
  const made = Math.min(...rows.map((row) => row[0]));
  return rows.filter((row) => row[0] === made).map(([, n, cosine, guarantee]) => point(scheme, made, n, cosine, {
    known: guarantee === null ? "search" : "promised", guarantee,
  }));
}

/** What searches found: in each dimension the code with the lowest max cosine of all with room for K. */
function searchedPoints(K) {
  const lowest = new Map();
  for (const row of DATA.cells.best) {
    const held = lowest.get(row[1]);
    if (row[0] >= K && (!held || number(row[2]) < number(held[2]))) lowest.set(row[1], row);
  }
  return [...lowest.values()].map(([made, n, cosine, description, iterations]) => point("best", made, n, cosine, {
    known: "search", description: description || "found by an earlier search and kept", iterations,
  }));
}

/** Whether a search for (K, n) was kept, or this code is what one found. */
function searchedHere(one) {
  const [most, largest] = DATA.limits.covered, beyond = DATA.limits.covered_beyond[one.K] || [];
  return one.known === "search" || (one.K <= most && one.n <= largest) || beyond.includes(one.n);
}

/** Reed-Solomon words over GF(q) with simplex symbols; dense, so that no more of them are certified in seconds. */
function reedSolomonPoints(K, largest) {
  if (K > DATA.limits.pairwise) return [];
  const lowest = new Map();
  for (const q of DATA.prime_powers) {
    let digits = 1;
    while (q ** digits < K && digits <= q) digits++;
    for (let length = digits; length <= q && length * (q - 1) <= largest; length++) {
      const above = (q - 1) * length - q * (length - digits + 1), n = length * (q - 1);
      const made = point("reed_solomon", K, n, fraction(above, n), { description: `RS[${length},${digits}] over GF(${q}), simplex symbols` });
      if (!lowest.has(n) || made.value < lowest.get(n).value) lowest.set(n, { ...made, guarantee: made.exact });
    }
  }
  return [...lowest.values()];
}

function fraction(above, below) {
  let [a, b] = [Math.abs(above), below];
  while (b) [a, b] = [b, a % b];
  return below / a === 1 ? String(above / a) : `${above / a}/${below / a}`;
}

/** Schemes of one line: from how many dimensions on, and the max cosine. */
const PLAIN = {
  one_hot: (K) => (K <= DATA.limits.pairwise ? [K, "0", "canonical basis"] : null),
  simplex: (K) => (K <= DATA.limits.pairwise ? [K - 1, K === 2 ? "-1" : `-1/${K - 1}`, "regular simplex"] : null),
  cross_polytope: (K) => (K <= DATA.limits.pairwise ? [Math.ceil(K / 2), K > 2 ? "0" : "-1", "cross-polytope"] : null),
  orthogonal_simplices: (K) => (K >= 4 ? [Math.ceil(K / 2), "0", "regular simplices in orthogonal subspaces"] : null),
  polygon: (K) => [2, { 2: "-1", 3: "-1/2", 4: "0", 6: "1/2" }[K] || Math.cos(2 * Math.PI / K), `regular polygon of ${K}`],
};

function plainPoint(scheme, K) {
  const found = PLAIN[scheme](K);
  return found ? [point(scheme, K, found[0], found[1], { guarantee: found[1], description: found[2] })] : [];
}

/** Every scheme's codes for K classes, at most `largest` dimensions; those with a code everywhere only at `dims`. */
function schemePoints(K, largest, dims) {
  const found = new Map();
  for (const scheme of Object.keys(DATA.schemes)) {
    let points = [];
    if (scheme in DATA.members) points = familyPoints(scheme, K);
    else if (scheme in PLAIN) points = plainPoint(scheme, K);
    else if (scheme === "reed_muller" || scheme === "bch") points = linearPoints(scheme, K);
    else if (scheme === "reed_solomon") points = reedSolomonPoints(K, largest);
    else if (scheme === "apple_peeling") points = peeledPoints(K);
    else if (scheme === "construction_x") points = constructionXPoints(K, dims);
    else if (scheme === "best") points = searchedPoints(K);
    else points = descentPoints(scheme, K);
    const shown = improving(points.filter((one) => one.n <= largest && one.value < 1));
    if (shown.length) found.set(scheme, shown);
  }
  return found;
}

/** By dimension those that beat all with fewer dimensions. */
function improving(points) {
  const kept = [];
  points.sort((a, b) => a.n - b.n || a.value - b.value || orderOf(a) - orderOf(b));
  for (const one of points) if (!kept.length || one.value < kept.at(-1).value - SAME) kept.push(one);
  return kept;
}

/** The position of a code among equal ones, as `ps.best` has it: algebra before a search. */
function orderOf(one) { return one.known === "search" ? 1000 : DATA.schemes[one.scheme].order; }

/** The best known codes: of all schemes together those that beat all with fewer dimensions. */
function bestPoints(found) { return improving([...found.values()].flat()); }

/** Dimensions at which a scheme that has a code in most of them is asked for one. */
function askedDims(low, high, most = 192) {
  const dims = new Set();
  for (let i = 0; i <= most; i++) dims.add(Math.round(low * (high / low) ** (i / most)));
  for (let m = 1; m <= 10; m++) for (const n of [2 ** m - 1, 2 ** m]) if (n >= low && n <= high) dims.add(n);
  return [...dims].sort((a, b) => a - b);
}

/** Dimensions worth asking a code for, to have zeros appended up to n. */
function dimsBelow(n) {
  const dims = new Set();
  for (let near = Math.max(2, n - 16); near <= n; near++) dims.add(near);
  for (let m = 2; 2 ** m - 1 <= n; m++) for (const home of [2 ** m - 1, 2 ** m]) if (home <= n) dims.add(home);
  return [...dims].sort((a, b) => a - b);
}

/** The certificate of a code, as the command that makes it prints it. */
function certificate(one) {
  const bound = converse(one.K, one.n), gap = Math.max(0, one.value - bound.value), apart = 1 - bound.value;
  const { relative_slack, largest_slack } = DATA.limits;
  const slack = Math.max(relative_slack * apart, 8 * 2 ** -52);
  const exactly = one.exact !== null && bound.exact !== null;
  const optimal = exactly ? one.value <= bound.value : gap <= slack && slack <= largest_slack * apart;
  const angle = 2 * Math.asin(Math.min(1, Math.sqrt(Math.max(0, 2 - 2 * one.value)) / 2)) * 180 / Math.PI;
  return { bound, gap: gap < 1e-15 ? 0 : gap, optimal, angle };
}

/** The code with the lowest max cosine in at most n dimensions; of equal ones the first by `orderOf`. */
function lowest(found, n) {
  const held = [...found.values()].flat().filter((one) => one.n <= n);
  const value = Math.min(...held.map((one) => one.value));
  const equal = held.filter((one) => one.value <= value + SAME);
  equal.sort((a, b) => orderOf(a) - orderOf(b) || a.n - b.n);
  return equal[0] || null;
}

/** The best code for K classes and at most n dimensions, and the first dimension from n on where one is optimal. */
function recommendation(K, n) {
  const near = Math.min(n, DATA.limits.largest_dim);
  const schemes = schemePoints(K, Math.max(n, K), dimsBelow(near)), found = bestPoints(schemes);
  const chosen = lowest(schemes, n);
  const settled = (one, dim) => one.value <= converse(K, dim).value + 1e-11;
  const later = found.find((one) => one.n > n && settled(one, one.n)) || null;
  return { chosen, optimal: chosen !== null && settled(chosen, n), later };
}
