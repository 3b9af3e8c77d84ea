// Numbers, sentences and commands: what the page says.

const count = (value) => value.toLocaleString("en");

/** A cosine for people: decimals, and the fraction where it is exact. */
function spoken(value, exact = null, places = 6) {
  const text = value.toFixed(places), plain = Number(text) === 0 ? (0).toFixed(places) : text;
  if (exact === null) return plain;
  return exact.includes("/") ? (exact.length <= 24 ? `${plain} (exactly ${exact})` : `${plain} (exact)`) : `${exact} (exactly)`;
}

function title(theorem) {
  const name = Object.keys(DATA.titles).find((one) => theorem.startsWith(one));
  return name ? DATA.titles[name] : theorem;
}

/** The words after `construct` or `best` that make this code. */
function shellCommand(one) {
  if (one.scheme !== "best") return `protosphere construct ${one.scheme} -K ${one.K} -n ${one.n}${one.modify ? " --modify" : ""}`;
  return `protosphere best -K ${one.K} -n ${one.n}${one.iterations ? ` --iterations ${one.iterations}` : ""}`;
}

function histogramCommand(one) {
  const how = one.modify ? " --modify" : one.scheme === "best" && one.iterations ? ` --iterations ${one.iterations}` : "";
  return `protosphere histogram ${one.scheme} -K ${one.K} -n ${one.n}${how}`;
}

function pythonLines(one) {
  const sizes = `num_classes=${one.K}, dim=${one.n}`;
  const made = one.scheme === "best"
    ? `ps.best(${sizes}${one.iterations ? `, iterations=${one.iterations}` : ""})`
    : `ps.construct("${one.scheme}", ${sizes}${one.modify ? ", modify=True" : ""})`;
  return ["import protosphere as ps", `code = ${made}`, `code.save("${one.scheme}-${one.K}-${one.n}.safetensors")`].join("\n");
}

/** In one sentence what to take for K classes and at most n dimensions. */
function recommended(K, n, { chosen, optimal }) {
  if (!chosen) return `No code that can be certified in seconds holds ${count(K)} classes in ${count(n)} dimensions.`;
  const part = chosen.K > K ? `, the first ${count(K)} of ${count(chosen.K)} points` : "";
  const room = chosen.n < n ? `, which needs ${count(chosen.n)} of your ${count(n)} dimensions` : "";
  const found = chosen.scheme === "best" ? "the best known code" : chosen.scheme;
  const most = chosen.known === "promised" ? "at most " : "";
  const bound = converse(K, n);
  const proof = optimal ? `, and no arrangement is better (${title(bound.theorem)})`
    : `; nothing can be below ${spoken(bound.value, null, 4)} (${title(bound.theorem)})`;
  return `Take ${found}${part}${room}: max cosine ${most}${spoken(chosen.value, null, 4)}${proof}.`;
}

/** What being optimal would cost. */
function price(K, n, { chosen, optimal, later }) {
  if (optimal) return "It costs no more dimensions: it is optimal.";
  if (!later) return "";
  const more = later.n - n, name = later.scheme === "best" ? "a kept code" : later.scheme;
  const now = chosen ? "" : "a code and ";
  return `${count(more)} more dimension${more === 1 ? "" : "s"} would make ${now || "it "}optimal: in ${count(later.n)} dimensions ${name} reaches ${spoken(later.value, null, 4)}, and nothing is below.`;
}

/** Whence the number is known. */
function provenance(one) {
  if (one.known === "measured") return "measured: the command prints this certificate";
  if (one.known === "promised") return "promised by a theorem: the command measures it, and finds this or less";
  const of = DATA.limits.rebuild_tolerance;
  return `found by a search: the command finds it again, on another processor to within ${of}`;
}
