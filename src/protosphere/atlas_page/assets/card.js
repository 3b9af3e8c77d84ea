// One code: its certificate, how it is built, its cosines, and what makes it.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function listed(pairs) {
  return make("dl", {}, ...pairs.filter(Boolean).flatMap(([name, value, id]) => [
    make("dt", {}, name), make("dd", id ? { "data-field": id } : {}, value),
  ]));
}

/** A block to copy, with its button. */
function copyable(text, name, id) {
  const button = make("button", { type: "button", "aria-label": `Copy ${name}`, "data-copies": id }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copied(text)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return make("div", { class: "copy" }, make("pre", { id, tabindex: "0", role: "region", "aria-label": name }, text), button);
}

/** Put a text on the clipboard, in browsers that let files only by selecting it too. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function certificateList(one) {
  const proof = certificate(one), most = one.known === "promised" ? "at most " : "";
  const verdict = proof.gap === 0 ? "0" : proof.gap >= 1e-5 ? proof.gap.toFixed(6) : proof.gap.toExponential(1);
  const guaranteed = typeof one.guarantee === "string" ? one.guarantee : null;
  const promise = one.guarantee === null ? "none by theory" : `at most ${spoken(number(one.guarantee), guaranteed)}`;
  return listed([
    ["max cosine", most + spoken(one.value, one.exact), "max_cosine"],
    ["smallest angle", `${one.known === "promised" ? "at least " : ""}${proof.angle.toFixed(4)} degrees`, "angle"],
    one.known === "search" ? null : ["guarantee", promise, "guarantee"],
    ["converse", `at least ${spoken(proof.bound.value, proof.bound.exact)}, by ${proof.bound.theorem}`, "converse"],
    ["gap", proof.optimal ? `${verdict}: optimal, no arrangement is better` : most + verdict, "gap"],
    ["known", provenance(one), "known"],
    proof.optimal || searchedHere(one) ? null : ["searched", "not searched here: a longer search may find a lower cosine", "searched"],
  ]);
}

function framePotentialList(spectrum) {
  const even = framePotential(spectrum);
  return listed([
    ["minimum cosine", spoken(even.minimum), "min_cosine"],
    ["antipodal pairs", count(even.antipodal), "antipodal_pairs"],
    ["energy", `${even.energy.toFixed(6)}, at a scale of ${even.scale.toFixed(2)}`, "energy"],
  ]);
}

/** The bars of a spectrum: one a cosine, or bins. */
function bars(spectrum) {
  if (spectrum.levels) return spectrum.levels.map(([cosine, pairs]) => ({ low: cosine, high: cosine, pairs }));
  const width = (spectrum.largest - spectrum.minimum) / spectrum.bins.length;
  return spectrum.bins.map((pairs, i) => ({ low: spectrum.minimum + i * width, high: spectrum.minimum + (i + 1) * width, pairs }));
}

function histogram(spectrum) {
  const width = 420, height = 150, left = 6, bottom = 22, all = bars(spectrum), most = Math.max(...all.map((bar) => bar.pairs));
  const x = (cosine) => left + (cosine + 1) / 2 * (width - 2 * left), total = spectrum.K * (spectrum.K - 1) / 2;
  const said = spectrum.levels && all.length <= 8 ? all.map((bar) => `${spoken(bar.low, null, 4)}: ${(100 * bar.pairs / total).toFixed(1)} %`).join("; ")
    : `from ${spoken(all[0].low, null, 4)} to ${spoken(all.at(-1).high, null, 4)}`;
  const svg = shapeOf("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Cosines of all pairs, ${said}` });
  for (const tick of [-1, -0.5, 0, 0.5, 1]) {
    const text = shapeOf("text", { x: x(tick), y: height - 6, "text-anchor": tick === -1 ? "start" : tick === 1 ? "end" : "middle" });
    text.textContent = tick;
    svg.append(shapeOf("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 4, y2: height - bottom }), text);
  }
  all.forEach((bar, i) => {
    const wide = Math.max(3, x(bar.high) - x(bar.low) - 0.5), tall = Math.max(bar.pairs ? 1.5 : 0, Math.sqrt(bar.pairs / most) * (height - bottom - 8));
    svg.append(shapeOf("rect", { class: i === all.length - 1 ? "bar top" : "bar", x: (x(bar.low) + x(bar.high)) / 2 - wide / 2, y: height - bottom - tall, width: wide, height: tall }));
  });
  return make("div", { class: "histogram" }, svg);
}

function cosinesPart(one) {
  const spectrum = spectrumOf(one), heading = make("h3", {}, "All cosines, and how even it is");
  if (!spectrum) return [heading, make("p", { class: "said" }, "The page has no cosines of this code; this draws them:"), copyable(histogramCommand(one), "the histogram command", "histogram-command")];
  const whole = spectrum.K === one.K ? `all ${count(one.K * (one.K - 1) / 2)} pairs` : `the pairs of ${count(spectrum.K)} points, the nearest number the page has`;
  return [heading, histogram(spectrum), make("p", { class: "said" }, `Of ${whole}; heights by square root, the largest cosine in another color.`), framePotentialList(spectrum)];
}

function spherePart(one) {
  if (one.n > 3 || one.n < 2) return [];
  const points = pointsOf(one), heading = make("h3", {}, one.n === 2 ? "On the circle" : "On the sphere");
  if (!points || points.length > 5000) return [heading, make("p", { class: "said" }, "The page has no points of this code to draw.")];
  const label = `${count(points.length)} points of ${one.scheme} on a sphere; drag or press the arrow keys to turn it`;
  const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": label, id: "sphere" });
  requestAnimationFrame(() => turnable(canvas, points, one.value));
  return [heading, canvas, make("p", { class: "said" }, "Drag it, or press the arrow keys, to turn it. Lines join the closest pairs.")];
}

/** Show a code. */
function showCard(box, one, K) {
  const scheme = DATA.schemes[one.scheme], part = one.K > K ? ` Made for ${count(one.K)} classes: take the first ${count(K)}.` : "";
  const left = make("div", {}, make("h3", {}, "Certificate"), certificateList(one), make("h3", {}, "How it is built"),
    make("p", { "data-field": "description" }, one.description || scheme.summary), make("p", { class: "said" }, `${one.scheme}: ${scheme.summary}. ${scheme.reference}.`),
    make("h3", {}, "Make it"), copyable(shellCommand(one), "the shell command", "shell-command"), copyable(pythonLines(one), "the Python lines", "python-lines"));
  const right = make("div", {}, ...spherePart(one), ...cosinesPart(one));
  document.getElementById("code-title").textContent = `${one.scheme}: ${count(one.K)} points in ${count(one.n)} dimensions`;
  box.replaceChildren(...(part ? [make("p", { class: "said" }, part.trim())] : []), make("div", { class: "card" }, left, right));
}
