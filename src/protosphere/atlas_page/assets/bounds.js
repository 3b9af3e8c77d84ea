// The bounds of protosphere.bounds, from the same formulas: what no arrangement beats, and what some arrangement has.

const ROUNDING = 1e-15;

/** A zero of f between low and high, where its signs differ: Chandrupatla's method. */
function zeroOf(f, low, high) {
  let [a, b, fa, fb] = [low, high, f(low), f(high)];
  let [c, fc, t] = [a, fa, 0.5];
  for (let i = 0; i < 200; i++) {
    const x = a + t * (b - a), fx = f(x);
    if (Math.sign(fx) === Math.sign(fa)) [c, fc] = [a, fa]; else [c, b, fc, fb] = [b, a, fb, fa];
    [a, fa] = [x, fx];
    const near = Math.abs(fa) < Math.abs(fb) ? a : b;
    const limit = 2e-16 * Math.abs(near) + 1e-17, width = Math.abs(b - a);
    if (limit / width > 0.5 || fa === 0 || fb === 0) return near;
    const xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    t = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi
      ? (fa / (fb - fa)) * (fc / (fb - fc)) + ((c - a) / (b - a)) * (fa / (fc - fa)) * (fb / (fc - fb)) : 0.5;
    t = Math.min(1 - limit / width, Math.max(limit / width, t));
  }
  return a;
}

function binomial(n, k) {
  let product = 1;
  for (let i = 1; i <= k; i++) product = product * (n - k + i) / i;
  return product < 2 ** 52 ? Math.round(product) : product;
}

function rankin(K, n) {
  if (n + 1 < K) return { value: 0, exact: "0", theorem: "rankin_orthoplex" };
  return { value: -1 / (K - 1), exact: K === 2 ? "-1" : `-1/${K - 1}`, theorem: "rankin_simplex" };
}

/** The size of a tight m-design on the sphere of R^n. */
function designSize(n, m) {
  const k = m >> 1;
  return m % 2 ? 2 * binomial(n + k - 1, k) : binomial(n + k - 1, k) + binomial(n + k - 2, k - 1);
}

/** P_{degree-1}(t) and P_degree(t) of Gegenbauer, up to a common factor. */
function gegenbauerPair(n, degree, t) {
  let [lower, upper] = [1, t];
  for (let k = 1; k < degree; k++) {
    [lower, upper] = [upper, ((2 * k + n - 2) * t * upper - k * lower) / (k + n - 2)];
    const size = Math.abs(lower) + Math.abs(upper);
    if (size < 1e-100) [lower, upper] = [lower / size, upper / size];
  }
  return [lower, upper];
}

/** The largest zero of the Jacobi polynomial P_degree^(1 + (n-3)/2, shift + (n-3)/2): an eigenvalue, by halving. */
function largestZero(n, degree, shift) {
  const a = (n - 1) / 2, b = shift + (n - 3) / 2, diagonal = [], square = [0];
  for (let j = 0; j < degree; j++) {
    const c = 2 * j + a + b;
    diagonal.push((b - a) * (b + a) / (c * (c + 2)));
    if (j) square.push(4 * (j / c) * ((j + a) / c) * ((j + b) / (c + 1)) * ((j + a + b) / (c - 1)));
  }
  const allBelow = (x) => {
    let q = 1;
    for (let j = 0; j < degree; j++) {
      q = diagonal[j] - x - (j ? square[j] / q : 0);
      if (q >= 0) return false;
    }
    return true;
  };
  let [low, high] = [-1, 1];
  for (let i = 0; i < 60 && high - low > 1e-17; i++) {
    const middle = (low + high) / 2;
    if (allBelow(middle)) high = middle; else low = middle;
  }
  return (low + high) / 2;
}

function oddExcess(s, K, n, k) {
  const [lower, upper] = gegenbauerPair(n, k, s);
  return (2 * k + n - 3) / (n - 1) - (lower - upper) / ((1 - s) * upper) - K / binomial(k + n - 3, k - 1);
}

function evenExcess(s, K, n, k) {
  const [lower, upper] = gegenbauerPair(n, k + 1, s);
  const ratio = (1 + s) * (lower - upper) / ((1 - s) * (lower + upper));
  return (2 * k + n - 1) / (n - 1) - ratio - K / binomial(k + n - 2, k);
}

/** Levenshtein's bound for K > 2n. */
function levenshtein(K, n) {
  if (n === 1) return { value: 1, exact: "1", theorem: "levenshtein" };
  if (n === 2) return { value: Math.cos(2 * Math.PI / K) - ROUNDING, exact: null, theorem: "levenshtein" };
  let order = 3;
  while (designSize(n, order + 1) < K) order++;
  const odd = order % 2 === 1, k = (order + 1) >> 1;
  const low = odd ? largestZero(n, k - 1, 1) : largestZero(n, k, 0);
  const high = odd ? largestZero(n, k, 0) : largestZero(n, k, 1);
  const excess = (s) => (odd ? oddExcess : evenExcess)(s, K, n, k);
  const value = excess(low) >= 0 ? low : excess(high) <= 0 ? high : zeroOf(excess, low, high);
  return { value: value - ROUNDING, exact: null, theorem: "levenshtein" };
}

/** Schlaefli's function in terms of width = 1/(order-1) - cos 2a. */
function schlaefli(order, width) {
  if (order === 1) return 1;
  if (order === 2) return 2 / Math.PI * Math.asin(Math.sqrt(width / 2));
  const [nodes, weights] = DATA.quadrature;
  let sum = 0;
  for (let i = 0; i < nodes.length; i++) {
    const step = width * nodes[i] * nodes[i], x = 1 / (order - 1) - step;
    const inner = order > 3 ? schlaefli(order - 2, (order - 1) * step / ((order - 3) * (1 - 2 * x))) : 1;
    sum += weights[i] * inner * nodes[i] / Math.sqrt(1 - x * x);
  }
  return 2 / Math.PI * width * sum;
}

/** The simplex bound of Coxeter and Boroczky, n = 3 to 8 and K > 2n. */
function coxeterBoroczky(K, n) {
  const shortage = (logGap) => {
    const gap = Math.exp(logGap), below = 1 + (n - 2) * (1 - gap);
    const most = 2 * schlaefli(n - 1, 1 / ((n - 2) * below)) / schlaefli(n, gap / ((n - 1) * below));
    return Math.log(K) - Math.log(most);
  };
  return { value: 1 - Math.exp(zeroOf(shortage, Math.log(1e-15), 0)) - 4e-15, exact: null, theorem: "coxeter_boroczky" };
}

/** Theorems on single configurations: the largest value of those with no more points in no fewer dimensions. */
function provedOptimum(K, n) {
  let best = null;
  for (const [dim, classes, value, exact, theorem] of DATA.proved_optima) {
    if (classes > K || n > dim) continue;
    if (!best || value > best.value || (value === best.value && classes > best.classes)) best = { value, exact, theorem, classes };
  }
  return best && { value: best.value, exact: best.exact, theorem: best.theorem };
}

const converses = new Map();

/** What no arrangement of K points in R^n is below: the tightest theorem. */
function converse(K, n) {
  const key = K * 4096 + n;
  if (K <= 2 * n) return rankin(K, n);
  if (!converses.has(key)) {
    const bounds = [levenshtein(K, n), n >= 3 && n <= 8 ? coxeterBoroczky(K, n) : null, provedOptimum(K, n)];
    converses.set(key, bounds.reduce((best, one) => one && one.value > best.value ? one : best));
  }
  return converses.get(key);
}

const distances = new Map();

/** The Gilbert-Varshamov distance of binary [n, k] codes, counted in integers. */
function gilbertVarshamovDistance(n, k) {
  if (k === 1) return n;
  const key = k * 4096 + n;
  if (!distances.has(key)) {
    const room = 1n << BigInt(n - k);
    let [distance, covered, ways] = [1, 0n, 1n];
    while (covered + ways < room) {
      covered += ways;
      ways = ways * BigInt(n - distance) / BigInt(distance);
      distance++;
    }
    distances.set(key, distance);
  }
  return distances.get(key);
}

/** Bits that number K classes. */
function messageBits(K) { return Math.max(1, 32 - Math.clz32(K - 1)); }

/** What some arrangement certainly reaches; null where 2^n words are too few. */
function achievable(K, n) {
  const k = messageBits(K), some = k <= n ? 1 - 2 * gilbertVarshamovDistance(n, k) / n : null;
  return n >= K ? { value: Math.min(0, some), theorem: some < 0 ? "gilbert_varshamov" : "one_hot" }
    : some === null ? null : { value: some, theorem: "gilbert_varshamov" };
}

/** The paper's converse, drawn at every n, and its Gilbert-Varshamov as printed, which loses a factor of two. */
function paperBounds(K, n) {
  const k = messageBits(K) + 1;
  return { converse: -1 / (K - 1), achievable: k <= n ? 1 - 2 * gilbertVarshamovDistance(n, k) / n : null };
}
