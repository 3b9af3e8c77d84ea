// Two schemes whose codes follow from (K, n) by a search: Construction X, and circles of latitude.

const frontiers = [];

/** Of all families' codes in at most `dim` dimensions those that no other beats in both size and max cosine. */
function frontier(dim) {
  if (!frontiers.length) {
    const rows = Object.values(DATA.members).flat().map((row) => [row[0], row[3], number(row[4])]).sort((a, b) => a[0] - b[0]);
    let [kept, next] = [[], 0];
    for (let n = 0; n <= DATA.limits.largest_dim; n++) {
      const added = [];
      while (next < rows.length && rows[next][0] <= n) added.push(rows[next++]);
      if (added.length) {
        const sorted = [...kept, ...added].sort((a, b) => a[2] - b[2] || b[1] - a[1]);
        kept = [];
        for (const row of sorted) if (!kept.length || row[1] > kept.at(-1)[1]) kept.push(row);
      }
      frontiers.push(kept);
    }
  }
  return frontiers[dim];
}

/** The lowest max cosine of so many tails: the optimum up to 2 dim of them, then the best family's; null for none. */
function tailCosine(tails, dim) {
  if (tails <= dim + 1) return -1 / (tails - 1);
  if (tails <= 2 * dim) return 0;
  const rows = frontier(dim);
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle][1] >= tails) high = middle; else low = middle + 1;
  }
  return low < rows.length ? rows[low][2] : null;
}

/** Every chain, cut and level that K classes can be cosets of. */
function cosetCodes(K) {
  const found = [];
  for (const [key, levels] of Object.entries(DATA.chains)) {
    const m = Number(key), length = 2 ** m;
    for (let shortened = 0; shortened < m; shortened++) {
      for (let punctured = 0; punctured <= DATA.limits.most_punctured; punctured++) {
        const dim = length - shortened - punctured;
        if (dim <= 2) continue;
        const cosine = (whole) => (number(whole) * length + punctured - shortened) / dim;
        levels.forEach(([size, whole, name], inner) => {
          const group = Math.floor(size / 2 ** shortened), tails = Math.ceil(K / group);
          if (group < 2 || tails < 2) return;
          const outer = levels.slice(inner + 1).find((above) => Math.floor(above[0] / size) >= tails);
          if (!outer || cosine(outer[1]) >= 1) return;
          found.push({ dim, tails, name, shortened, punctured, within: cosine(whole), across: cosine(outer[1]) });
        });
      }
    }
  }
  return found;
}

/** Spherical Construction X at these dimensions: the coset code and the tail with the lowest max cosine together. */
function constructionXPoints(K, dims) {
  const codes = cosetCodes(K), found = [];
  for (const n of dims) {
    let best = null;
    for (const code of codes) {
      if (code.dim >= n) continue;
      const apart = tailCosine(code.tails, n - code.dim);
      if (apart === null || apart >= 1) continue;
      const ratio = (code.across - code.within) / (1 - apart), value = (code.within + ratio) / (1 + ratio);
      if (!best || value < best.value) best = { value, code, ratio };
    }
    if (best && n > 3) found.push(tailedPoint(K, n, best));
  }
  return found;
}

function tailedPoint(K, n, { value, code }) {
  const cuts = `shortened by ${code.shortened}, punctured by ${code.punctured}`;
  const description = `${code.tails} cosets of ${code.name}, ${cuts}, told apart by a tail of ${n - code.dim} dimensions`;
  return point("construction_x", K, n, value, { known: "promised", guarantee: value, description });
}

const EDGE = 1e-13;

function latitudes(angle) {
  const count = Math.floor(Math.PI / angle + EDGE) + 1;
  return Array.from({ length: count }, (_, i) => Math.PI / 2 + angle * (i - (count - 1) / 2));
}

/** How far apart points of a layer scaled up to the sphere must be. */
function innerAngle(angle, latitude) {
  const ratio = Math.sin(angle / 2) / Math.max(Math.sin(latitude), 1e-12);
  return ratio < 1 ? 2 * Math.asin(ratio) : 2 * Math.PI;
}

function peeledSize(dim, angle) {
  if (angle > Math.PI) return 1;
  if (dim === 2) return Math.max(1, Math.floor(2 * Math.PI / angle + EDGE));
  const layers = latitudes(angle), half = layers.length >> 1;
  let size = 0;
  for (let i = 0; i < half; i++) size += 2 * peeledSize(dim - 1, innerAngle(angle, layers[i]));
  return size + (layers.length % 2 ? peeledSize(dim - 1, innerAngle(angle, layers[half])) : 0);
}

const peeled = new Map();

/** The widest angle at which circles of latitude hold K points, halved again and again. */
function peeledAngle(K, dim) {
  const key = K * 8 + dim;
  if (!peeled.has(key)) {
    let [low, high] = [1e-9, Math.PI];
    for (let i = 0; i < 40; i++) {
      const middle = (low + high) / 2;
      if (angleHolds(K, dim, middle)) low = middle; else high = middle;
    }
    peeled.set(key, low);
  }
  return peeled.get(key);
}

/** Whether so many points fit; angles far too small are not counted out. */
function angleHolds(K, dim, angle) { return angle < 1e-4 || peeledSize(dim, angle) >= K; }

function peeledPoints(K) {
  const found = [];
  for (let n = 3; n <= DATA.limits.deepest; n++) {
    const angle = peeledAngle(K, n), cosine = Math.cos(angle);
    const description = `layers ${Number((angle * 180 / Math.PI).toPrecision(4))} degrees apart`;
    found.push(point("apple_peeling", K, n, cosine, { guarantee: cosine, description }));
  }
  return found;
}
