// Elements and numbers as text; the scale of a chart, its axis, and the symbol of a row on it. Stands before page.js in
// the same script.

// No line begins with the unit of its number; what can be copied keeps its spaces.
const NUMBER_AND_UNIT = /(\d) (?=(?:%|(?:[KMGTP]i?|k)?B(?:\/s)?|[nµu]?s|ms|min|h|op\/s|µm|mm)(?![\w/-]))/g;
const keepUnits = (text) => text.replace(NUMBER_AND_UNIT, "$1\u00a0");

function element(tag, attributes = {}, ...children) {
  const copied = tag === "code" || tag === "textarea" || attributes.class === "command";
  const made = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  const kept = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  made.append(...kept.map((child) => (typeof child === "string" && !copied ? keepUnits(child) : child)));
  return made;
}

// Halves up, as three_digits() of analysis/R/labels.R and of weir/base/units.py.
function threeDigits(value) {
  if (!(value > 0)) return value;
  const power = Math.floor(Math.log10(value)) - 2;
  const scale = 10 ** Math.abs(power);
  return power >= 0 ? Math.floor(value / scale + 0.5) * scale : Math.floor(value * scale + 0.5) / scale;
}

function rate(value) {
  if (value === null || value === undefined) return "–";
  const rounded = threeDigits(value);
  const digits = rounded > 0 ? Math.max(0, 2 - Math.floor(Math.log10(rounded))) : 0;
  return rounded.toLocaleString("en", { maximumFractionDigits: digits });
}
const duration = (us) => (us >= 0.9995e6 ? `${rate(us / 1e6)} s` : us >= 999.5 ? `${rate(us / 1e3)} ms` : `${rate(us)} µs`);
// What is near one does not read as one: decimals_near_one() of analysis/R/labels.R.
function factor(value) {
  const away = Math.abs(value - 1);
  const near = value >= 0.995 && value <= 1.006 && away > 0;
  return value < 0.1 ? rate(value) : value.toFixed(near ? Math.min(6, Math.floor(-Math.log10(away)) + 1) : value >= 9.995 ? 0 : 2);
}
const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
// As analysis/R/labels.R sorts: 2 before 10.
const bySize = new Intl.Collator("en", { numeric: true }).compare;
const interval = (one) => (one.lo === null || one.lo === undefined ? runsText(one) : `${rate(one.lo)}–${rate(one.hi)}`);
// How many, and how small.
const smallWords = (found) => [found.iops && `${rate(found.iops)} op/s`, found.size].filter(Boolean).join(" of ");

// The axis of a chart on a phone is so wide, and so wide is a letter of its ticks.
const NARROWEST_PX = 150, LETTER_PX = 6.5;

function scaleOf(rows) {
  const values = rows.flatMap((row) => [row.value, row.lo, row.hi, ...list(row.others), ...list(row.values)]).filter((value) => value > 0);
  if (!values.length) return { at: () => 0, ticks: [] };
  const least = Math.log10(Math.min(...values)), most = Math.log10(Math.max(...values));
  // Between the outermost value and the edge there is room for half a symbol, on a phone too.
  const room = Math.max(0.05, 0.07 * (most - least));
  const low = least - room, high = most + room;
  const at = (value) => (100 * (Math.log10(value) - low)) / (high - low);
  return { at, ticks: ticksOf(low, high, at) };
}

// The most ticks, five at most, whose labels have room on the narrowest axis.
function ticksOf(low, high, at) {
  const half = (value) => (LETTER_PX * rate(value).length) / 2;
  const apart = (one, two) => ((at(two) - at(one)) * NARROWEST_PX) / 100 >= half(one) + half(two) + LETTER_PX;
  const fit = (some) => some.length > 0 && some.length <= 5 && some.slice(1).every((value, index) => apart(some[index], value));
  const some = (high - low < 0.7 ? [...equalSteps(low, high), ...decades(low, high)] : decades(low, high)).filter(fit);
  return some.find((ticks) => ticks.length > 1) || some[0] || [];
}

// From the finest, as 1,200 1,300 1,400: for a range that may hold no 1, 2 or 5.
function equalSteps(low, high) {
  const [first, last] = [10 ** low, 10 ** high];
  const steps = [-1, 0, 1].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** (Math.floor(low) + power)));
  return steps.map((step) => {
    const from = Math.ceil(first / step);
    return Array.from({ length: Math.max(0, Math.floor(last / step) - from + 1) }, (_, index) => (from + index) * step);
  });
}

// From the finest: 1 1.5 2 3 5 7 of each decade, 1 2 5, 1 3, 1, and then every second decade, every third and so on.
function decades(low, high) {
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, index) => Math.floor(low) + index);
  const of = (digits, some) => some.flatMap((power) => digits.map((digit) => digit * 10 ** power)).filter((value) => within(value, low, high));
  const fewer = powers.map((_, step) => of([1], powers.filter((power) => power % (step + 1) === 0)));
  return [of([1, 1.5, 2, 3, 5, 7], powers), of([1, 2, 5], powers), of([1, 3], powers), ...fewer];
}
const within = (value, low, high) => Math.log10(value) >= low && Math.log10(value) <= high;

function withAxis(chart, scale) {
  const axis = element("div", { class: "axis" }, scale.ticks.map((value) => element("span", { style: `left: ${scale.at(value)}%` }, rate(value))));
  chart.append(element("span", { class: "small" }, "MiB/s, log"), axis, "", "");
  return chart;
}

function mark(row, scale) {
  const svg = element("svg:svg", { role: "img", "aria-label": `${row.access} ${row.api}: ${rate(row.value)} MiB/s, ${interval(row)}` });
  const colour = `var(--${row.access})`;
  const line = (x1, x2, y1, y2, width, stroke, opacity) => svg.append(element("svg:line", { x1: `${x1}%`, x2: `${x2}%`, y1, y2, stroke, "stroke-width": width, "stroke-opacity": opacity }));
  for (const value of scale.ticks) line(scale.at(value), scale.at(value), 0, 24, 1, "var(--line)", 1);
  for (const value of list(row.others)) line(scale.at(value), scale.at(value), 7, 17, 1.5, colour, 0.55);
  if (row.lo !== null && row.lo !== undefined) line(scale.at(row.lo), scale.at(row.hi), 12, 12, 3, colour, 1);
  else for (const value of list(row.values)) svg.append(element("svg:circle", { cx: `${scale.at(value)}%`, cy: 12, r: 2.5, fill: "none", stroke: colour }));
  const fill = row.verdict === "VALID" ? colour : "var(--back)";
  if (row.access === "read") {
    const nested = element("svg:svg", { x: `${scale.at(row.value)}%`, y: 12, overflow: "visible" });
    nested.append(element("svg:rect", { x: -5, y: -5, width: 10, height: 10, transform: "rotate(45)", fill, stroke: colour, "stroke-width": 2 }));
    svg.append(nested);
  } else svg.append(element("svg:circle", { cx: `${scale.at(row.value)}%`, cy: 12, r: 5.5, fill, stroke: colour, "stroke-width": 2 }));
  return tellsPoint(svg, row, row.access);
}
