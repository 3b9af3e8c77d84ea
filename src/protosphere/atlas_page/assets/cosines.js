// All cosines of a code, how even it is, and its points in the plane and in space.

const ANTIPODAL = -1 + 1e-6, MOST_DRAWN = 1500, MOST_LEVELS = 24, BINS = 24;

/** Counts of cosines by level, from pairs [cosine, count] in any order; in bins where they are too many. */
function counted(pairs, K) {
  const sums = new Map();
  for (const [cosine, count] of pairs) {
    const level = Math.round(cosine * 1e6) / 1e6;
    sums.set(level, (sums.get(level) || 0) + count);
  }
  const levels = [...sums].filter(([, count]) => count > 0).sort((a, b) => a[0] - b[0]);
  if (levels.length <= MOST_LEVELS) return { K, levels };
  const minimum = levels[0][0], largest = levels.at(-1)[0], bins = new Array(BINS).fill(0);
  for (const [level, count] of levels) bins[Math.min(BINS - 1, Math.floor((level - minimum) / (largest - minimum) * BINS))] += count;
  return { K, minimum, largest, bins, ...framePotentialOf(levels, K) };
}

/** What the package carries: [cosine, pairs, ...] or ["bins", minimum, largest, antipodal, energy, pairs, ...]. */
function carried(row, K) {
  if (row[0] === "bins") return { K, minimum: row[1], largest: row[2], antipodal: row[3], energy: row[4], bins: row.slice(5) };
  const levels = [];
  for (let i = 0; i < row.length; i += 2) levels.push([row[i], row[i + 1]]);
  return { K, levels };
}

const FORMULAS = {
  one_hot: (K) => [[0, K * (K - 1) / 2]],
  simplex: (K) => [[-1 / (K - 1), K * (K - 1) / 2]],
  cross_polytope: (K) => [[-1, Math.floor(K / 2)], [0, K * (K - 1) / 2 - Math.floor(K / 2)]],
  orthogonal_simplices: (K, n) => {
    const blocks = K - n, size = Math.floor(K / blocks), larger = K % blocks;
    const inside = [[size, blocks - larger], [size + 1, larger]].map(([s, count]) => [-1 / (s - 1), count * s * (s - 1) / 2]);
    return [...inside, [0, K * (K - 1) / 2 - inside[0][1] - inside[1][1]]];
  },
  polygon: (K) => Array.from({ length: Math.floor(K / 2) }, (_, i) => [Math.cos(2 * Math.PI * (i + 1) / K), 2 * (i + 1) === K ? K / 2 : K]),
};

/** The cosines of a code, of all its K points or of the number nearest to K that the page has; null for none. */
function spectrumOf(one) {
  if (one.scheme in FORMULAS) return counted(FORMULAS[one.scheme](one.K, one.n), one.K);
  const table = one.spectra || DATA.spectra[`${one.scheme}|${one.n}|`] || {};
  const sizes = Object.keys(table).map(Number).filter((K) => K > 2 || K === one.K);
  const from = (K) => Math.abs(Math.log(K / one.K));
  if (sizes.length) {
    const K = sizes.reduce((a, b) => (from(b) < from(a) ? b : a));
    return carried(table[K], K);
  }
  const points = one.n <= DATA.limits.deepest && one.K <= MOST_DRAWN ? pointsOf(one, true) : null;
  return points && counted(pairCosines(points), one.K);
}

function* pairCosines(points) {
  for (let i = 0; i < points.length; i++) {
    for (let j = 0; j < i; j++) yield [points[i].reduce((sum, x, k) => sum + x * points[j][k], 0), 1];
  }
}

/** The scale at which a head is 99 % sure at a prototype, antipodal pairs, and what the other classes add there. */
function framePotentialOf(levels, K) {
  const largest = levels.at(-1)[0], scale = Math.log(Math.max(1, K - 1) * 99) / (1 - largest);
  const energy = 2 / K * levels.reduce((sum, [cosine, pairs]) => sum + pairs * Math.exp(scale * (cosine - 1)), 0);
  const antipodal = levels.reduce((sum, [cosine, pairs]) => sum + (cosine <= ANTIPODAL ? pairs : 0), 0);
  return { minimum: levels[0][0], antipodal, scale, energy };
}

/** The same of whatever `spectrumOf` gave. */
function framePotential(spectrum) {
  if (spectrum.levels) return framePotentialOf(spectrum.levels, spectrum.K);
  const scale = Math.log(Math.max(1, spectrum.K - 1) * 99) / (1 - spectrum.largest);
  return { minimum: spectrum.minimum, antipodal: spectrum.antipodal, scale, energy: spectrum.energy };
}

function peeledCoordinates(dim, angle) {
  if (angle > Math.PI) return [Array.from({ length: dim }, (_, i) => (i ? 0 : 1))];
  if (dim === 2) return polygonCoordinates(peeledSize(2, angle));
  return latitudes(angle).flatMap((layer) => peeledCoordinates(dim - 1, innerAngle(angle, layer))
    .map((inner) => [...inner.map((x) => x * Math.sin(layer)), Math.cos(layer)]));
}

function polygonCoordinates(K) {
  return Array.from({ length: K }, (_, i) => [Math.cos(2 * Math.PI * i / K), Math.sin(2 * Math.PI * i / K)]);
}

/** A unit vector of R^3 from the point of a square that two bytes name. */
function unfolded(first, second) {
  let x = first / 127.5 - 1, y = second / 127.5 - 1;
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) [x, y] = [(1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1)];
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

/** The points of a code of the plane or of space, as many as are drawn; null where the page has none. */
function pointsOf(one, anyDim = false) {
  if (one.scheme === "polygon" || (one.n === 2 && one.scheme === "best")) return polygonCoordinates(one.K);
  if (one.scheme === "apple_peeling" && (anyDim || one.n === 3)) {
    return peeledCoordinates(one.n, peeledAngle(one.K, one.n)).slice(0, one.K);
  }
  if (one.n === 3 && one.scheme === "best" && DATA.space[one.K]) {
    const bytes = atob(DATA.space[one.K]);
    return Array.from({ length: bytes.length / 2 }, (_, i) => unfolded(bytes.charCodeAt(2 * i), bytes.charCodeAt(2 * i + 1)));
  }
  const names = Object.keys(DATA.points).filter((name) => name.startsWith(`${one.scheme}|`) && name.endsWith(`|${one.n}`));
  const name = names.find((found) => Number(found.split("|")[1]) >= one.K && (one.size || found.split("|")[1] === String(one.K)));
  if (!name) return null;
  const flat = DATA.points[name], count = flat.length / one.n;
  return Array.from({ length: Math.min(count, one.K) }, (_, i) => flat.slice(i * one.n, (i + 1) * one.n));
}
