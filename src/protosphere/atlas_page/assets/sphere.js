// Points on a sphere that one can turn.

const EDGES_UP_TO = 400;

/** Pairs at the largest cosine, up to what drawing rounds. */
function closestPairs(points, largest) {
  const pairs = [];
  if (points.length > EDGES_UP_TO) return pairs;
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], least = largest - 0.02 * (1 - largest) - 0.004;
  for (let i = 0; i < points.length; i++) for (let j = 0; j < i; j++) if (dot(points[i], points[j]) >= least) pairs.push([i, j]);
  return pairs;
}

function rotated([x, y, z], [pitch, yaw]) {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  const across = cy * x + sy * z, deep = cy * z - sy * x;
  return [across, cp * y - sp * deep, sp * y + cp * deep];
}

function drawSphere(canvas, points, pairs, turn) {
  const size = canvas.clientWidth * (window.devicePixelRatio || 1), pen = canvas.getContext("2d");
  if (canvas.width !== size) canvas.width = canvas.height = size;
  const style = getComputedStyle(document.documentElement), color = (name) => style.getPropertyValue(name).trim();
  const radius = size * 0.44, place = (v) => [size / 2 + radius * v[0], size / 2 - radius * v[1]];
  pen.clearRect(0, 0, size, size);
  pen.fillStyle = color("--code");
  pen.strokeStyle = color("--line");
  pen.beginPath();
  pen.arc(size / 2, size / 2, radius, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
  const seen = points.map((one) => rotated(one, turn));
  pen.lineWidth = size / 400;
  for (const [i, j] of pairs) {
    pen.globalAlpha = seen[i][2] + seen[j][2] > 0 ? 0.7 : 0.15;
    pen.strokeStyle = color("--soft");
    pen.beginPath();
    pen.moveTo(...place(seen[i]));
    pen.lineTo(...place(seen[j]));
    pen.stroke();
  }
  const dot = size * Math.max(0.004, Math.min(0.022, 0.16 / Math.sqrt(points.length)));
  for (const one of seen.sort((a, b) => a[2] - b[2])) {
    pen.globalAlpha = one[2] > 0 ? 1 : 0.25;
    pen.fillStyle = color(one[2] > 0 ? "--best" : "--soft");
    pen.beginPath();
    pen.arc(...place(one), dot * (1 + 0.25 * one[2]), 0, 2 * Math.PI);
    pen.fill();
  }
  pen.globalAlpha = 1;
}

/** Draw points of the plane or of space; dragging and the arrow keys turn them. */
function turnable(canvas, points, largest) {
  const space = points.map((one) => (one.length === 2 ? [...one, 0] : one)), pairs = closestPairs(space, largest);
  const turn = [space.every((one) => one[2] === 0) ? 0 : 0.4, 0.3];
  if (turn[0] === 0) turn[1] = 0;
  const draw = () => { drawSphere(canvas, space, pairs, turn); canvas.dataset.turn = turn.map((angle) => angle.toFixed(3)).join(" "); };
  let held = null;
  canvas.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    turn[1] += (event.clientX - held[0]) / 120;
    turn[0] += (event.clientY - held[1]) / 120;
    held = [event.clientX, event.clientY];
    draw();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { held = null; });
  canvas.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [0, -0.12], ArrowRight: [0, 0.12], ArrowUp: [-0.12, 0], ArrowDown: [0.12, 0] }[event.key];
    if (!by) return;
    event.preventDefault();
    turn[0] += by[0];
    turn[1] += by[1];
    draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
}
