// A second study beside this one: its records.csv, dropped on the page or chosen. Medians and runs alone; whether a
// difference is one is decided by `weir compare`. Follows page.js in the same script.
const ALIKE = ["access", "api", "layout", "order", "xfer_bytes", "block_bytes", "nn", "ppn", "collective", "sync", "direct", "stripe_count"];
const MOST_PAIRS = 40;

// Fields in quotes may hold commas, line ends and doubled quotes.
function csvRows(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  const [names, ...values] = rows.filter((row) => row.length > 1);
  return (values || []).map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ""])));
}

function middle(values) {
  const sorted = [...values].sort((one, two) => one - two), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

const alike = (row) => ALIKE.map((name) => String(row[name] ?? "").toLowerCase()).join("|");

// Groups what was measured alike by target, with the median of each run of its usable records.
function pointsOf(rows) {
  const found = new Map();
  for (const row of rows) {
    const value = Number(row.bw_mib_s);
    if (!["write", "read"].includes(row.access) || row.item || row.purpose === "cross-check" || !(value > 0) || !["VALID", "UNPROVEN"].includes(row.verdict)) continue;
    const key = JSON.stringify([row.target || "storage", alike(row)]);
    const point = found.get(key) || { target: row.target || "storage", alike: alike(row), cells: new Set(), runs: new Map(), verdict: "VALID", emulated: false };
    point.cells.add(row.cell);
    const run = row.run || row.source;
    point.runs.set(run, [...(point.runs.get(run) || []), value]);
    if (row.verdict === "UNPROVEN") point.verdict = "UNPROVEN";
    if (String(row.emulated).toLowerCase() === "true") point.emulated = true;
    found.set(key, point);
  }
  return [...found.values()].map((point) => {
    const values = [...point.runs.values()].map(middle);
    return { ...point, values, value: middle(values), n: values.length, lo: null, hi: null };
  });
}

// Settings that one side has twice, as with other hints, are no pair.
function pairsOf(mine, theirs) {
  const single = (some, key) => { const found = some.filter((one) => one.alike === key); return found.length === 1 ? found[0] : null; };
  return mine.map((one) => [single(mine, one.alike), single(theirs.filter((each) => each.cells.size === 1), one.alike)]).filter(([first, second]) => first && second);
}

function comparedChart(pairs, name) {
  const scale = scaleOf(pairs.flatMap(([one, other]) => [{ ...one, value: one.median }, other]));
  const chart = element("div", { class: "chart wide" });
  for (const [one, other] of pairs) {
    const values = list(one.values);
    const apart = Math.min(...other.values) > Math.max(...values) || Math.max(...other.values) < Math.min(...values);
    chart.append(element("div", { class: "target" }, element("span", { class: one.access }, one.access), ` ${one.setting} `,
      element("span", { class: "small" }, `${name}: ×${factor(other.value / one.median)}; ${apart ? "no run of one lies among those of the other" : "their runs overlap"}`)));
    for (const [who, row] of [["this study", { ...one, value: one.median, lo: null, hi: null }], [name, { ...other, access: one.access }]]) {
      chart.append(element("span", { class: "setting" }, who), mark({ ...row, api: who, cell: null, setting: `${who}: ${one.setting}` }, scale),
        element("b", { class: "number" }, rate(row.value)), element("span", { class: "number second interval" }, interval(row)));
    }
  }
  return [withAxis(chart, scale), element("p", { class: "small" }, "Symbols: medians; circles: each run.")];
}

function addStudy(name, text) {
  const theirs = pointsOf(csvRows(text)), box = document.getElementById("compared");
  const mine = list(facts.points).filter((one) => one.n > 0 && one.alike);
  // Real storage first.
  const isEmulated = (some, target) => some.some((one) => one.target === target && one.emulated);
  const targetsOf = (some) => [...new Set(some.map((one) => one.target))].sort((one, two) => isEmulated(some, one) - isEmulated(some, two));
  if (!theirs.length) return box.replaceChildren(element("p", { class: "DEGRADED" }, `${name} has no usable record of a write or read: drop records.csv of a study.`));
  const same = shown.map((target) => target.name).find((name) => targetsOf(mine).includes(name) && targetsOf(theirs).includes(name));
  const chosen = { mine: same || (shown.find((target) => targetsOf(mine).includes(target.name)) || targets[0]).name, theirs: same || targetsOf(theirs)[0] };
  const result = element("div");
  const draw = () => {
    const pairs = pairsOf(...[[mine, chosen.mine], [theirs, chosen.theirs]].map(([some, target]) => some.filter((one) => one.target === target)));
    const most = pairs.length > MOST_PAIRS ? `, the first ${MOST_PAIRS} are drawn` : "";
    result.replaceChildren(element("p", { class: "small" }, `${counted(pairs.length, "setting")} ${pairs.length === 1 ? "was" : "were"} measured alike in both${most}. For a verdict with an error rate: `,
      element("code", {}, "weir compare THIS THAT")), ...(pairs.length ? comparedChart(pairs.slice(0, MOST_PAIRS), name) : []));
  };
  const choice = (side, some, words) => element("label", {}, `${words} `, element("select", { onchange: (event) => { chosen[side] = event.target.value; draw(); } },
    targetsOf(some).map((target) => element("option", { value: target, selected: target === chosen[side] }, named({ name: target, emulated: isEmulated(some, target) })))));
  box.replaceChildren(element("h3", {}, `This study and ${name}`), element("div", { class: "filters" }, choice("mine", mine, "this study:"), choice("theirs", theirs, `${name}:`)), result);
  draw();
  return box;
}

const nameOfStudy = (file, text) => [csvRows(text.slice(0, text.indexOf("\n", text.indexOf("\n") + 1)))[0]?.site, file.name].filter(Boolean).join(", ");
async function take(file) {
  const text = await file.text();
  addStudy(nameOfStudy(file, text), text);
  document.getElementById("compare").scrollIntoView();
}

function comparing() {
  const box = element("input", { type: "file", accept: ".csv", onchange: (event) => event.target.files[0] && take(event.target.files[0]) });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); });
  return [element("h2", { id: "compare" }, "Compare"), element("p", {}, element("label", {}, "Drop the records.csv of another study on this page, or choose it: ", box), " It stays on this machine."),
    element("div", { id: "compared" })];
}
