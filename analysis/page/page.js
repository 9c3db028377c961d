// Draws the page from the facts that it holds. Every number and every sentence was made by analysis/R/page.R.
const facts = JSON.parse(document.getElementById("facts").textContent);
const page = document.getElementById("page");
const VERDICT = JSON.parse(document.getElementById("words").textContent); // from good to bad: word, mark, meaning
const list = (value) => (value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]);

// ---- tooltip ---------------------------------------------------------------------------------------------------------
// A click or Enter keeps it, so that its command can be copied; Escape or a click elsewhere closes it.
const tip = element("div", { id: "tip", role: "tooltip" });
const hide = () => { tip.style.display = "none"; tip.classList.remove("kept"); };
function tells(node, text, command) {
  node.setAttribute("tabindex", "0");
  const show = (event) => {
    if (tip.classList.contains("kept") && event.type !== "click") return;
    tip.replaceChildren(...list(text).map((line) => element("div", {}, line)));
    if (command) tip.append(element("div", { class: "command" }, command), copyButton(command));
    tip.style.display = "block";
    const box = node.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX || box.left, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, Math.min((event.clientY || box.top) + 16, innerHeight - tip.offsetHeight - 8))}px`;
  };
  const keep = (event) => { show(event); tip.classList.add("kept"); event.stopPropagation(); };
  node.addEventListener("mouseenter", show);
  node.addEventListener("focus", show);
  node.addEventListener("mouseleave", () => { if (!tip.classList.contains("kept")) hide(); });
  node.addEventListener("blur", () => { if (!tip.classList.contains("kept")) hide(); });
  node.addEventListener("click", keep);
  node.addEventListener("keydown", (event) => { if (event.key === "Enter") keep(new MouseEvent("click")); });
  return node;
}
addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
addEventListener("click", (event) => { if (!tip.contains(event.target)) hide(); });

// What a number of the first screen comes from: cell, runs, interval, verdict, evidence, command.
const pointOf = (cell, access) => list(facts.points).find((one) => one.cell === cell && one.access === access);
function tellsPoint(node, found, access) {
  const point = pointOf(found.cell, access);
  if (!point) return tells(node, `${found.setting || ""} n = ${found.n ?? "unknown"}`);
  const range = point.lo === null || point.lo === undefined ? runsText(point) : `[${rate(point.lo)}–${rate(point.hi)}], n = ${point.n}`;
  const lines = [`${point.setting}: ${rate(point.median)} MiB/s, ${range}, ${point.verdict}`,
    `runs: ${list(point.values).map(rate).join(", ")} MiB/s`, point.seen && `evidence: ${point.seen}`, point.doubts && `findings: ${point.doubts}`,
    `cell ${point.cell}${point.source ? `, ${point.source}` : ""}`];
  return tells(node, lines.filter(Boolean), point.command);
}

// A page opened from a file has no clipboard of its own in some browsers: the text is selected instead.
function copyButton(text) {
  const button = element("button", { type: "button", "aria-label": `copy ${text}` }, "copy");
  button.addEventListener("click", async (event) => {
    event.stopPropagation();
    button.dataset.copied = text;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const box = element("textarea", {}, text);
      document.body.append(box);
      box.select();
      document.execCommand("copy");
      box.remove();
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1200);
  });
  return button;
}

// ---- first screen ----------------------------------------------------------------------------------------------------
const study = facts.study;
const targets = list(facts.targets);
const real = targets.filter((target) => !target.emulated);
// What has no usable result stands last.
const has = (target) => list(facts.answers).some((one) => one.target === target.name);
const peak = (target) => Math.max(0, ...list(facts.answers).filter((one) => one.target === target.name && one.best).map((one) => one.best.value));
// So many systems have a row each in the table and in the chart of the first screen: of more, those with the highest rates.
const MOST_SYSTEMS = 10;
const candidates = real.length ? real : targets;
const shown = [...candidates].sort((one, two) => has(two) - has(one) || (candidates.length > MOST_SYSTEMS ? peak(two) - peak(one) : 0));
// So many fit the first screen; the records below have all.
const MOST_TARGETS = 4;
const firstTargets = shown.slice(0, MOST_TARGETS);
const others = shown.length - firstTargets.length;
const place = (name) => targets.findIndex((target) => target.name === name);
const answered = list(facts.answers).sort((one, two) => place(one.target) - place(two.target) || (one.access < two.access ? 1 : -1));
const named = (target) => target.name + (target.emulated ? " (E)" : "");
const about = (name) => targets.find((target) => target.name === name) || { name };
// The path of a target fits where there are few.
const medium = (target) => [[target.file_system, target.device && target.device !== target.file_system && `on ${target.device}`].filter(Boolean).join(" "),
  firstTargets.length < 3 && target.path].filter(Boolean).join(", ");

// Before the first execution of a study has ended there is no record.
const hasRecords = !facts.live || list(facts.points).length > 0;

function header() {
  const names = firstTargets.flatMap((target, index) => [
    index ? element("span", { class: "second" }, " · ") : "", element("b", {}, named(target)), " ",
    element("span", { class: "second" }, medium(target)),
  ]);
  const machine = [study.host && `host ${study.host}`, study.processor, study.cores && counted(study.cores, "core"), study.memory,
    study.nodes > 1 && `${study.nodes} nodes`, study.archived ? `third-party records ${study.name}${targets.length > 1 ? `, ${targets.length} systems` : ""}` : `suite ${study.suites || study.name}`,
    study.began.slice(0, 16).replace("T", " "), study.system, study.weir && `weir ${study.weir}`];
  return [
    element("nav", {}, ["Questions", "Figures", "Records", "Verdicts", "Method"].filter((name) => (name !== "Questions" || list(facts.questions).length) && (name !== "Figures" || facts.figures) && (name !== "Records" || hasRecords)).map((name) => element("a", { href: `#${name.toLowerCase()}` }, name))),
    element("h1", {}, !targets.length && facts.live ? element("b", {}, [...new Set(list(facts.live.batches).map((one) => one.target))].join(" · "))
      : facts.logs ? [element("b", {}, `${facts.logs.count} ${facts.logs.count === 1 ? "log" : "logs"} `), element("span", { class: "second" }, names)] : study.title ? element("b", {}, study.title) : others > 0 ? [element("b", {}, `${shown.length} systems `), element("span", { class: "second" }, firstTargets.map((one) => one.name).join(", "), ", …")] : names),
    element("div", { class: "second" }, machine.filter(Boolean).join(" · ")),
  ];
}

function proof() {
  const sumOf = (some) => Object.values(some).reduce((sum, value) => sum + value, 0);
  // As shown_counts() of weir/report/text.py: results of files and directories count, and are of no target here.
  const ofReal = sumOf(facts.verdicts.real) > 0;
  const counts = ofReal ? facts.verdicts.real : facts.verdicts.emulated;
  const all = sumOf(counts);
  const emulated = ofReal ? sumOf(facts.verdicts.emulated) : 0;
  const busy = facts.verdicts.busy;
  // Green where most results are proven.
  const proven = counts.VALID > all / 2 ? "VALID" : "UNPROVEN";
  if (!all && facts.live) return element("div", { class: "proof", id: "proof" }, element("span", { class: "zero" }, "No result yet: each is audited when its execution ends."));
  const others = Object.keys(VERDICT).slice(1).map((verdict) =>
    element("span", { class: counts[verdict] ? verdict : "zero" }, `${VERDICT[verdict].mark} ${counts[verdict].toLocaleString("en")} ${VERDICT[verdict].word}`));
  return element("div", { class: "proof", id: "proof" },
    element("span", { class: `most ${proven}` }, `${VERDICT[proven].mark} ${counts.VALID.toLocaleString("en")} of ${all.toLocaleString("en")} results ${facts.verdicts.authors ? "VALID by the verdict of the table's author" : "proven"}`),
    list(facts.verdicts.proofs).length ? element("span", { class: "second" }, list(facts.verdicts.proofs).map((one) => `${one.count.toLocaleString("en")} ${one.text}`).join(", ")) : null,
    busy ? element("span", { class: "DEGRADED" }, `◔ ${busy.toLocaleString("en")} taken on a busy machine`) : null, others,
    all && !ofReal ? element("span", { class: "INVALID" }, "EMULATED STORAGE (E): it tests the method, not a product") : null,
    element("span", { class: "zero" }, `${emulated ? `Beside these ${emulated.toLocaleString("en")} of emulated storage. ` : ""}Proven: all that was requested was counted there, and no rule doubts it.`),
    element("a", { href: "#verdicts" }, "why"),
    list(facts.cross_check).map((one) => element("span", { class: "second" }, one)));
}

function answers() {
  if (shown.length > 2) return systems();
  const columns = answered.filter((one) => shown.some((target) => target.name === one.target)).slice(0, 4);
  if (!columns.length) {
    if (facts.live && !facts.live.done) return element("p", { id: "answers" }, `Nothing is measured yet: the first round gives the first rates${facts.live.first ? `, in about ${facts.live.first}` : ""}.`);
    const measured = list(facts.points).some((one) => one.bandwidth);
    return element("p", { id: "answers" }, measured ? ["No usable bandwidth: every result that moved data is degraded or invalid. ", element("a", { href: "#verdicts" }, "Verdicts"), " has the reasons."] : "No bandwidth was measured in this study.");
  }
  const hasInterval = columns.some((one) => [one.best, one.small].some((found) => Number.isFinite(found?.lo)));
  const cells = [element("span", { class: "small" }, hasInterval ? `median, ${facts.interval_level} interval` : "median, runs")];
  for (const one of columns) {
    cells.push(element("span", {}, element("b", {}, named(about(one.target))), " ", element("span", { class: one.access }, one.access === "write" ? "● write" : "◆ read")));
  }
  const row = (name, pick, extra, first) => {
    if (!columns.some(pick)) return;
    cells.push(element("span", { class: "name" }, name));
    for (const one of columns) {
      const found = pick(one);
      cells.push(element("div", { class: first ? "first" : "" }, found ? extra(found, one) : "–"));
    }
  };
  const number = (found, one) => [
    tellsPoint(element("div", { class: `value ${one.access}` }, found.unit === "us"
      ? [duration(found.value).split(" ")[0], element("small", {}, ` ${duration(found.value).split(" ")[1]}`)] : rate(found.value)), found, one.access),
    found.unit === "us" ? null : element("div", { class: "second range" }, interval(found).split(", ").map((piece, index) => [index ? ", " : "", element("span", {}, piece)])),
  ];
  const inMib = (name) => [name, element("div", { class: "small" }, "MiB/s")];
  row(inMib("Best"), (one) => one.best, (found, one) => [number(found, one), element("div", { class: "small" }, found.setting,
    element("span", { class: "tied" }, found.tied > 0 ? `; tied with ${found.tied} of ${found.alternatives - 1} others` : found.alternatives > 1 ? `; best of ${found.alternatives}` : ""))], true);
  row(inMib("Small, random"), (one) => one.small, (found, one) => [number(found, one), element("div", { class: "small" }, smallWords(found))]);
  row("p99 latency", (one) => one.tail, (found, one) => [number(found, one), element("div", { class: "small" }, found.note ? `small, random; ${found.note}` : "small, random")]);
  return element("div", { class: "answers", id: "answers", style: `--columns: ${columns.length}` }, cells);
}

const interfacesOf = (some) => [...new Set(some.flatMap((one) => [...list(one.interfaces).map((row) => row.api), ...list(one.unusable)]))];

function chartOf(some) {
  const rows = some.flatMap((one) => list(one.interfaces).map((row) => ({ ...row, target: one.target, access: one.access })));
  if (!rows.length) return element("p", { class: "small" }, "Nothing to draw.");
  const scale = scaleOf(rows);
  const chart = element("div", { class: "chart" });
  const names = [...new Set(rows.map((row) => row.target))];
  // What stands in the title of the page already is not said again.
  const titled = names.length === 1 && shown.length === 1 && names[0] === shown[0].name;
  const single = titled && interfacesOf(some).length === 1;
  for (const name of names) {
    if (!titled) chart.append(element("div", { class: "target" }, name, about(name).emulated ? " (E)" : "", " ", element("span", { class: "small" }, medium(about(name)))));
    for (const row of rows.filter((each) => each.target === name)) {
      chart.append(element("span", {}, element("span", { class: row.access }, row.access), single ? "" : ` ${row.api}`), mark(row, scale),
        element("b", { class: "number" }, rate(row.value)), element("span", { class: "number second interval" }, interval(row)));
    }
    for (const one of some.filter((each) => each.target === name)) {
      for (const api of list(one.unusable)) chart.append(element("span", {}, element("span", { class: one.access }, one.access), ` ${api}`), element("span", { class: "small", style: "grid-column: 2 / -1" }, "degraded or invalid results only"));
    }
  }
  return withAxis(chart, scale);
}

function charts() {
  const emulated = answered.filter((one) => one.emulated);
  const folded = real.length && emulated.length
    ? element("details", { id: "emulated" }, element("summary", {}, `${targets.length - real.length === 1 ? "1 emulated target (E): it tests" : `${targets.length - real.length} emulated targets (E): they test`} the method, not a product`), chartOf(emulated))
    : null;
  if (!answered.length) return reasonsOfNone();
  const many = others > 0;
  const first = answered.filter((one) => firstTargets.some((target) => target.name === one.target));
  const apis = interfacesOf(first);
  return element("div", { id: "chart" }, element("h3", {}, `Best bandwidth ${many ? "of each system" : apis.length === 1 ? `of ${apis[0]}` : "by interface"}`),
    many ? chartOfSystems() : chartOf(first),
    legendOf(many ? first.filter((one) => one.best).map((one) => ({ ...one.best, others: one.others })) : first.flatMap((one) => list(one.interfaces))),
    many ? element("details", { id: "others" }, element("summary", {}, "all systems by interface"),
      chartOf(answered.filter((one) => shown.includes(about(one.target))))) : null,
    folded);
}

// Where nothing is usable there is nothing to draw: what to do about it stands there.
function reasonsOfNone() {
  const found = (one) => `${(one.real + one.emulated).toLocaleString("en")} result${one.real + one.emulated === 1 ? "" : "s"}: ${one.explanation}`;
  const rules = list(facts.doubted).slice(0, 4).map((one) => [element("dt", {}, one.rule), element("dd", {}, `${found(one)} `, element("b", {}, `${one.hint[0].toUpperCase()}${one.hint.slice(1)}`))]);
  return rules.length ? element("div", { id: "chart" }, element("h3", {}, "What to do about it"), element("dl", { class: "doubts" }, rules)) : null;
}

// Only of what the chart has.
function legendOf(rows) {
  const bars = rows.some((row) => row.lo !== null && row.lo !== undefined), runs = rows.some((row) => row.lo === null || row.lo === undefined);
  const words = ["symbol: best median", bars && `bar: its interval at ${facts.interval_level}`, runs && rows.some((row) => list(row.values).length > 1) && `circles: each run${bars ? " where fewer than 6" : ""}`,
    rows.some((row) => row.verdict !== "VALID") && "hollow: not proven", rows.some((row) => list(row.others).length) && "ticks: medians of the other settings"].filter(Boolean).join("; ");
  return rows.length ? element("div", { class: "small" }, `${words[0].toUpperCase()}${words.slice(1)}.`) : null;
}

// Text in backticks is code.
const coded = (text) => text.split("`").map((piece, index) => (index % 2 ? element("code", {}, piece) : piece));

function effects() {
  const rows = list(facts.effects);
  const cells = rows.flatMap((row) => {
    const kind = row.clear ? "" : "unclear";
    const words = tells(element("span", { class: kind }, `${row.setting} `, element("span", { class: "small" }, `vs. ${row.instead_of}${shown.length > 1 ? `, ${row.target}` : ""}`)),
      `${counted(row.pairs, "pair")} of cells, ${counted(row.rounds, "round")}${row.pairs_agree ? "; the pairs agree: one slow cell cannot be the reason" : ""}${row.also_differs ? `; also differs: ${row.also_differs}` : ""}`);
    return [element("span", { class: `${row.access} ${kind}` }, row.access), words, element(row.clear ? "b" : "span", { class: kind }, `×${factor(row.ratio)}${row.pairs_agree ? "†" : ""}`),
      element("span", { class: "second" }, row.lo === null ? "" : `${factor(row.lo)}–${factor(row.hi)}`)];
  });
  return element("section", {}, element("h3", {}, "What mattered in this campaign ", element("span", { class: "small" }, `ratio, 95 % interval${rows.every((row) => row.clear) ? "" : "; grey: not significant after so many comparisons"}; a cell slow throughout looks the same${rows.some((row) => row.pairs_agree) ? ", not where pairs agree (†)" : ""}`)),
    rows.length ? element("div", { class: "effects" }, cells) : facts.compared ? "No setting has a clear effect: with these rounds no ratio differs significantly from 1." : "No two usable points differ in one setting alone.");
}

function doubts() {
  const all = list(facts.doubts).map((one) => [element("dt", {}, one.number), element("dd", {}, one.sentence)]);
  return element("section", { id: "doubts" }, element("h3", {}, "Doubts"), all.length ? element("dl", { class: "doubts" }, all) : "No check raised one.");
}
// Without R there are no effects, doubts and advice: while it is measured, and of logs (partial.js).
const isPartial = Boolean(facts.live || facts.logs);
// Beside a long chart there is room for the doubts below the answers, on the first screen.
const longChart = !others && !isPartial && answered.filter((one) => firstTargets.some((target) => target.name === one.target)).flatMap((one) => list(one.interfaces)).length > 9;

function columns() {
  const pieces = list(facts.advice);
  const said = (some) => element("ol", {}, some.map((one) => element("li", {}, element("b", {}, one.title), " ", coded(`${one.evidence} ${one.action}`))));
  return element("div", { class: longChart ? "columns three" : "columns" }, effects(), longChart ? null : doubts(),
    element("section", { id: "advice" }, element("h3", {}, "Advice from this campaign"), pieces.length ? said(pieces.slice(0, 3)) : real.length ? "No setting stands out." : "None: emulated storage tests the method.",
      pieces.length > 3 ? element("details", {}, element("summary", {}, `${pieces.length - 3} more`), said(pieces.slice(3))) : null),
    element("section", { class: "next" }, element("h3", {}, "Next"), list(facts.following).map((one) =>
      element("div", {}, element("b", {}, one.name), " ", copyButton(one.command), element("br"), element("code", {}, one.command)))));
}

// ---- below the first screen ------------------------------------------------------------------------------------------
// Each question of the suite: what is to be seen, the points as a chart with their numbers.
function questions() {
  const asked = list(facts.questions);
  // Experiments without a question of their own have that of their suite, and then their names.
  const title = (one) => (asked.filter((each) => each.question === one.question).length > 1 ? `${one.question} ${one.experiment}` : one.question);
  const section = (one) => {
    if (one.note) return element("section", { class: "question", id: `question-${one.experiment}` }, element("h3", {}, title(one)), element("p", { class: "small" }, one.note));
    const groups = list(one.groups);
    const scale = scaleOf(groups.flatMap((group) => list(group.rows)));
    const chart = element("div", { class: "chart wide" });
    const emulated = groups.every((group) => group.emulated);
    for (const group of groups) {
      const more = group.settings > list(group.rows).length ? `the first ${list(group.rows).length} of ${group.settings} settings` : "";
      chart.append(element("div", { class: "target" }, group.target, group.emulated ? " (E)" : "", " ",
        element("span", { class: group.access }, group.access), " ", element("span", { class: "small" }, [group.seen, more].filter(Boolean).join(", "))));
      for (const row of list(group.rows)) {
        chart.append(element("span", { class: "setting" }, row.setting), mark({ ...row, access: group.access, api: row.setting }, scale),
          element("b", { class: "number" }, rate(row.value)), element("span", { class: "number second interval" }, interval(row)));
      }
    }
    withAxis(chart, scale);
    const common = one.common ? element("p", { class: "small" }, `All: ${one.common}.`) : null;
    // Emulated storage answers no question about a product: folded where there is real storage.
    const body = emulated && real.length ? element("details", {}, element("summary", {}, "emulated targets (E)"), common, chart) : [common, chart];
    return element("section", { class: "question", id: `question-${one.experiment}` }, element("h3", {}, title(one)), body);
  };
  return asked.length ? [element("h2", { id: "questions" }, "Questions"), element("div", { class: "figures" }, asked.map(section))] : [];
}

function figures() {
  if (!facts.figures) return [];
  const drawn = list(facts.figures).map((one) => {
    const box = element("div");
    box.innerHTML = one.svg; // made by this study's own figures
    return element("div", { class: "figure", id: `figure-${one.name}` }, element("h3", {}, one.title), box, element("p", { class: "second" }, one.caption));
  });
  if (facts.drawing) drawn.push(element("p", {}, "The figures are being drawn: load this page again in a few seconds."));
  const absent = list(facts.absent).map((one) => element("li", {}, element("b", {}, one.title), `: ${one.reason}`));
  const others = absent.length ? element("details", { id: "absent" }, element("summary", {}, `${counted(absent.length, "figure")} ${absent.length === 1 ? "does" : "do"} not apply to this study`), element("ul", {}, absent)) : null;
  return [element("h2", { id: "figures" }, "Figures"), element("div", { class: "drawings" }, drawn), others].filter(Boolean);
}

const COLUMNS = [
  ["verdict", "verdict", (one) => Object.keys(VERDICT).indexOf(one.verdict)],
  ["target", "target", (one) => one.target], ["access", "access", (one) => one.access], ["setting", "setting", (one) => one.setting],
  ["size", "transfer", (one) => one.xfer, true], ["n", "n", (one) => one.n, true], ["median", "MiB/s", (one) => one.median, true],
  ["interval", facts.live || facts.logs ? "runs" : "interval", (one) => one.lo, true], ["iops", "op/s", (one) => one.iops, true], ["p99", "p99 µs", (one) => one.p99, true],
  ...(facts.logs ? [["log", "log", (one) => one.log]] : []),
];
const state = { sort: "median", down: true, target: "", access: "", api: "", verdict: "", text: "", most: 60 };

function chosen() {
  const key = COLUMNS.find(([name]) => name === state.sort)[2];
  const rows = list(facts.points).filter((one) => ["target", "access", "api", "verdict"].every((name) => !state[name] || one[name] === state[name])
    && (!state.text || `${one.setting} ${one.log || ""}`.toLowerCase().includes(state.text.toLowerCase())));
  // What has no value stands last in either direction.
  const known = (value) => value !== null && value !== undefined;
  const order = (one, two) => (known(one) && known(two) ? (state.down ? -1 : 1) * (typeof one === "string" ? bySize(one, two) : one - two) : known(two) - known(one));
  return rows.sort((one, two) => one.emulated - two.emulated || order(key(one), key(two)));
}

function browser() {
  const body = element("tbody");
  const summary = element("span", { class: "small" });
  const draw = () => {
    const rows = chosen();
    summary.textContent = `${rows.length} of ${facts.points_total} points`;
    body.replaceChildren(...rows.slice(0, state.most).flatMap((one) => pointRow(one)));
    if (rows.length > state.most) {
      body.append(element("tr", {}, element("td", { colspan: COLUMNS.length }, element("button", { type: "button", onclick: () => { state.most += 200; draw(); } }, "show more"))));
    }
  };
  const filter = (name) => {
    const values = [...new Set(list(facts.points).map((one) => one[name]))].sort(bySize);
    const box = element("select", { id: `filter-${name}`, onchange: (event) => { state[name] = event.target.value; draw(); } },
      element("option", { value: "" }, "all"), values.map((value) => element("option", { value }, value)));
    return element("label", {}, `${name} `, box);
  };
  const heads = COLUMNS.map(([name, words, , number]) => element("th", { class: number ? "number" : "", scope: "col" },
    element("button", { type: "button", id: `sort-${name}`, onclick: () => { state.down = state.sort === name ? !state.down : true; state.sort = name; draw(); } }, words)));
  body.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const rows = [...body.querySelectorAll("tr.point")];
    if (step) rows[rows.indexOf(document.activeElement) + step]?.focus();
    if (event.key === "Enter") document.activeElement.click();
    if (step) event.preventDefault();
  });
  if (!hasRecords) return [];
  state.most = Math.max(state.most, 1 + chosen().findIndex(isLinked));
  draw();
  return [element("h2", { id: "records" }, "Records"),
    element("div", { class: "filters" }, ["target", "access", "api", "verdict"].map(filter),
      element("label", {}, "setting ", element("input", { type: "search", id: "filter-text", oninput: (event) => { state.text = event.target.value; draw(); } })), summary),
    element("div", { class: "scroll" }, element("table", { id: "points" }, element("thead", {}, element("tr", {}, heads)), body))];
}

// Where a phone has no room for its columns, each row is a paragraph with the names of the columns in it.
function table(rows, names, kind = "") {
  const kindOf = (text) => (["–", "0", ""].includes(text) ? "none" : text.length < 10 ? "brief" : text.length < 24 ? "short" : null);
  const called = (name, index, text) => (kind === "listed" && index > 0 ? { "data-name": name, class: kindOf(text) } : {});
  return element("div", { class: "scroll" }, element("table", { class: kind }, element("thead", {}, element("tr", {}, names.map((name) => element("th", {}, name.replaceAll("_", " "))))),
    element("tbody", {}, rows.map((row) => element("tr", {}, names.map((name, index) => element("td", called(name, index, String(row[name] ?? "")), String(row[name] ?? ""))))))));
}

function below() {
  const doubted = list(facts.doubted).map((one) => ({ rule: one.rule, results: one.real, "of emulated storage": one.emulated, meaning: one.explanation, hint: one.hint }));
  const parts = [element("h2", { id: "verdicts" }, "Verdicts"), element("p", {},
    Object.entries(VERDICT).map(([verdict, one]) => `${verdict} (${one.word}): ${one.meaning}. `))];
  parts.push(doubted.length ? table(doubted, ["rule", "results", "of emulated storage", "meaning", "hint"], "listed") : element("p", {}, "No rule has a finding."));
  if (list(facts.claims).length) parts.push(element("h2", {}, "Claims"), table(facts.claims, Object.keys(facts.claims[0])));
  if (list(facts.excluded).length) parts.push(element("h2", {}, "Excluded"), table(facts.excluded, Object.keys(facts.excluded[0])));
  parts.push(element("h2", { id: "method" }, "Method and machine"));
  if (isPartial) return [...parts, methodOfPart()];
  parts.push(table(list(facts.machine), ["kind", "name", "value"]));
  parts.push(element("p", { class: "small" }, `${counted(study.executions, "execution")}, ${study.failed} failed. A round runs every cell once in random order; a value is the median of the runs of a cell, its interval covers the median with ${facts.interval_level} (on a year of data from six production file systems, nominal 95 % intervals covered the median in ${facts.attained_level} of cases), widened for the autocorrelation of consecutive runs. `,
    element("a", { href: "records.csv" }, "records.csv"), " · ", element("a", { href: "report.pdf" }, "report.pdf"), " · ", element("a", { href: "workflow.html" }, "workflow.html"),
    study.digest ? ` · digest ${study.digest}` : ""));
  return parts;
}

document.title = `${facts.live && !facts.live.over ? "measuring: " : ""}${shown.map((target) => target.name).join(", ")} – weir ${study.name}`;
// The section of `weir compare --into` is in the page before this script adds to it.
const comparison = document.getElementById("comparison");
page.append(...header(), proof(), ...progress(), element("div", { class: "top" }, longChart ? element("div", { class: "beside" }, answers(), doubts()) : answers(), charts() || ""), isPartial ? partialColumns() : columns(), ...(comparison ? [comparison] : []), ...questions(), ...figures().flat(Infinity), ...(isPartial ? [] : comparing()), ...browser(), ...below());
document.body.append(tip);
// A link to a cell, as the page of a site has them, opens its row.
const linked = document.querySelector("tr.linked");
if (linked) { linked.click(); linked.scrollIntoView({ block: "center" }); }
