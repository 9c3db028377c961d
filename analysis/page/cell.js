// A row of the browser of records, and what it shows when it is opened: runs, latencies, evidence, command. Follows page.js
// in the same script.
function isLinked(one) {
  return linkedTo() === `#cell-${one.cell}-${one.access}`;
}

// Whoever writes a link may have damaged it, as in "#%": that is a link to nothing.
function linkedTo() {
  try {
    return decodeURIComponent(location.hash);
  } catch {
    return "";
  }
}

function pointRow(one) {
  const value = { verdict: `${VERDICT[one.verdict].mark} ${one.verdict}`, target: one.target + (one.emulated ? " (E)" : ""), access: one.access, setting: one.setting,
    size: one.size, n: one.n, median: rate(one.median), interval: one.lo === null && !isPartial ? "–" : interval(one), iops: one.iops === null ? "–" : rate(one.iops), p99: rate(one.p99), log: one.log };
  const row = element("tr", { class: `point ${one.emulated ? "emulated" : ""}${isLinked(one) ? " linked" : ""}`, tabindex: 0 }, COLUMNS.map(([name, , , number]) =>
    element("td", { class: `${number ? "number" : ""} ${name === "verdict" ? one.verdict : ""}` }, String(value[name]))));
  row.addEventListener("click", () => {
    if (row.nextSibling?.classList.contains("detail")) row.nextSibling.remove();
    else row.after(detail(one));
  });
  return [row];
}

function detail(one) {
  const counts = Object.values(VERDICT).map(({ word }, index) => `${list(one.counts)[index]} ${word}`).join(", ");
  const values = list(one.values);
  const lines = [values.length ? `runs (MiB/s): ${values.map(rate).join(", ")}` : "", `records: ${counts}`, one.seconds !== null ? `a phase lasts ${rate(one.seconds)} s (median)` : "",
    one.doubts && `findings: ${one.doubts}`, one.seen && `evidence: ${one.seen}`, `cell ${one.cell}`];
  // The files of a run of this site lie beside the study.
  const source = one.source && element("div", {}, "first run: ", one.command ? element("a", { href: `../${one.source}` }, one.source) : one.source);
  const box = element("td", { colspan: COLUMNS.length }, element("div", { class: "views" }, values.length > 1 ? runsOf(one, values) : null, latencyOf(one)), lines.filter(Boolean).map((text) => element("div", {}, text)), source || null,
    one.command ? element("div", {}, copyButton(one.command), " ", element("span", { class: "command" }, one.command)) : null);
  return element("tr", { class: "detail" }, box);
}

// Each run at its rate, and the median.
function runsOf(one, values) {
  const low = Math.min(...values), high = Math.max(...values);
  const at = (value) => 8 + (284 * (value - low)) / (high - low || 1);
  const svg = element("svg:svg", { width: 300, height: 44, role: "img", "aria-label": `${values.length} runs from ${rate(low)} to ${rate(high)} MiB/s` });
  svg.append(element("svg:line", { x1: at(one.median), x2: at(one.median), y1: 2, y2: 26, class: "median" }));
  for (const value of values) svg.append(element("svg:circle", { cx: at(value), cy: 14, r: 4, fill: `var(--${one.access})`, "fill-opacity": 0.6 }, element("svg:title", {}, `${rate(value)} MiB/s`)));
  const ends = low === high ? [[low, "start", 8]] : [[low, "start", 8], [high, "end", 292]];
  for (const [value, anchor, x] of ends) svg.append(element("svg:text", { x, y: 42, "text-anchor": anchor }, rate(value)));
  return element("figure", {}, element("figcaption", {}, `${values.length} runs, MiB/s; line: median`), svg);
}

// Times of single operations in classes of powers of two; the fewest are still seen.
function latencyOf(one) {
  const [first, ...counts] = list(one.latency);
  if (!counts.length) return null;
  const all = counts.reduce((sum, value) => sum + value, 0), most = Math.max(...counts);
  const wide = Math.min(26, 420 / counts.length), height = 44;
  const svg = element("svg:svg", { width: counts.length * wide + 40, height: height + 16, role: "img",
    "aria-label": `latencies of ${rate(all)} operations, from ${duration(2 ** (first - 1))} to ${duration(2 ** (first + counts.length - 1))}` });
  counts.forEach((value, index) => {
    const tall = value ? Math.max(2, (height * value) / most) : 0;
    const share = `${threeDigits((100 * value) / all)} %`;
    svg.append(element("svg:rect", { x: 20 + index * wide, y: height - tall, width: wide - 2, height: tall, fill: `var(--${one.access})` },
      element("svg:title", {}, `more than ${duration(2 ** (first + index - 1))}, up to ${duration(2 ** (first + index))}: ${value.toLocaleString("en")} operations (${share})`)));
  });
  const step = Math.ceil(56 / wide);
  for (let edge = 0; edge <= counts.length; edge += step) {
    svg.append(element("svg:text", { x: 20 + edge * wide - 1, y: height + 13, "text-anchor": "middle" }, duration(2 ** (first + edge - 1))));
  }
  return element("figure", { class: "latency" }, element("figcaption", {}, `latency of ${rate(all)} operations`), svg);
}
