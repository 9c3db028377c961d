// Pages that are made without R: of a study while it is measured (facts.live) and of logs (facts.logs). Medians and
// ranges alone; intervals, effects and advice are those of report.html. Follows page.js in the same script.
function runsText(one) {
  if (!isPartial) return `n = ${one.n}`;
  if (one.n < 2) return one.n ? "one run" : "–";
  const values = list(one.values);
  return `${one.n} runs${values.length > 1 ? `, ${rate(Math.min(...values))}–${rate(Math.max(...values))}` : ""}`;
}

function progress() {
  const live = facts.live;
  if (!live) return [];
  const share = (100 * live.done) / (live.executions || 1);
  const bar = element("div", { class: "bar", role: "progressbar", "aria-valuenow": Math.round(share), "aria-valuemin": 0, "aria-valuemax": 100, "aria-label": "executions done" },
    element("div", { style: `width: ${share}%` }));
  const words = live.over ? ["All batches are over; ", element("a", { href: "report.html" }, "report.html"), " is made from the records."]
    : [`${live.rounds} of ${live.planned} rounds complete, ${live.done.toLocaleString("en")} of ${live.executions.toLocaleString("en")} executions`,
      live.left && `${live.left} left`, live.unread && `${counted(live.unread, "run")} ${live.unread === 1 ? "is" : "are"} not on this page yet`].filter(Boolean).join(", ");
  return [element("div", { class: "live", id: "live" }, element("b", {}, live.over ? "Measured" : "Measuring"), " ", words, bar,
    element("span", { class: "small", id: "loaded" }, ""))];
}

function partialColumns() {
  return element("div", { class: "columns two" }, ...(facts.live ? liveColumns(facts.live) : logColumns(facts.logs)));
}

function liveColumns(live) {
  const rates = (one) => Object.entries(one.rates).map(([access, value]) => `${access}\u00a0${rate(value)}`).join(", ");
  const rows = live.batches.map((one) => ({ batch: one.batch, state: one.reason ? `${one.state}: ${one.reason}` : one.state, nodes: list(one.nodes).join(" ") || "–",
    done: `${one.done} of ${one.executions}`, failed: one.failed, INVALID: one.invalid, degraded: one.degraded, "last, MiB/s": rates(one) || "–", left: one.left.replace(/ (?!\()/g, "\u00a0") || "–" }));
  const meaning = (one) => list(facts.doubted).filter((rule) => one.reason.split(", ").includes(rule.rule)).map((rule) => ` ${rule.explanation}`);
  const troubles = list(live.troubles).map((one) => [element("dt", {}, one.reason), element("dd", {}, one.count === 1 ? "1 execution." : `${one.count} executions.`, meaning(one),
    element("div", { class: "small" }, `${one.count === 1 ? "" : "the last: "}${one.cell}, round ${one.round}`))]);
  return [element("section", { id: "batches" }, element("h3", {}, "Batches"), table(rows, Object.keys(rows[0] || {}), "listed")),
    element("section", { id: "missing" }, element("h3", {}, "Still missing"), element("ul", {}, list(live.missing).map((text) => element("li", {}, text))),
      troubles.length ? [element("h3", {}, "Failed, INVALID or degraded"), element("dl", { id: "troubles", class: "doubts" }, troubles)] : null)];
}

function listed(names) {
  return list(names).join(", ") || "–";
}

function logColumns(logs) {
  const rows = list(logs.rows).map((one) => ({ log: one.log, program: one.program || "unknown", results: one.results,
    verdicts: Object.keys(VERDICT).filter((name) => one[name]).map((name) => `${one[name]} ${VERDICT[name].word}`).join(", "),
    "it shows": listed(one.shown), "it cannot show": listed(one.missing), findings: listed(one.findings), "best median": one.best || "–" }));
  const place = logs.below ? element("p", { class: "small" }, `Logs below ${logs.below}`) : null;
  const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;
  const results = (count) => (count === 1 ? "1 result" : `${count} results`);
  const more = logs.count > rows.length ? element("p", { class: "small" }, `The first ${rows.length} of ${logs.count} logs; ${logs.records} has all.`) : null;
  const lacks = list(logs.lacking).map((one) => [element("dt", {}, one.evidence), element("dd", {}, `${results(one.records)} without: ${one.meaning}. ${one.of_log} `,
    element("b", {}, one.log ? `Next time: ${one.log}.` : ""), one.facts ? ` Now: --facts can add ${one.facts}.` : "")]);
  const doubts = list(logs.doubts).map((one) => [element("dt", {}, one.rule), element("dd", {}, `${results(one.records)}: ${one.explanation} `, element("b", {}, sentence(one.hint)), element("div", { class: "small" }, one.examples[0] || ""))]);
  const commands = list(logs.commands);
  return [element("section", { id: "logs" }, element("h3", {}, "What each log can prove"), place, table(rows, Object.keys(rows[0] || {}), "listed"), more,
    element("h3", {}, "Doubtful results"), doubts.length ? element("dl", { class: "doubts" }, doubts) : "No rule has a finding."),
  element("section", { id: "next-time" }, element("h3", {}, "How to log next time"),
    lacks.length ? element("dl", { class: "doubts" }, lacks) : "Nothing is missing.",
    commands.length ? [element("p", {}, "In the job script, which measures the same and logs all of it:"), element("pre", {}, element("code", {}, commands.join("\n"))), copyButton(commands.join("\n"))] : null,
    list(logs.unread).length ? [element("h3", {}, "Not read"), element("ul", {}, list(logs.unread).map((text) => element("li", {}, text.trim())))] : null)];
}

function methodOfPart() {
  return element("p", { class: "small" }, facts.live
    ? "A round runs every cell once in random order. A value is the median of the runs so far, the range is that of the runs; with each round it is one run more. This page is written between rounds, never while a phase is timed."
    : "A value is the median of the results of a log with the same conditions: its iterations are one run. Each result was audited by what its log shows: ",
  facts.logs ? [element("a", { href: facts.logs.records }, facts.logs.records), " has every record with its verdict and evidence."] : null);
}

// From a file there is nothing to ask but the page itself. It is loaded again when the next round should have ended, not
// while somebody uses it; it stops where nothing new has come for long, and where all is over report.html takes its place.
function reloadWhileMeasured(live, reload = () => location.reload()) {
  const patience_s = 900 + 10 * live.reload_s, in_use_ms = 30000;
  const age_s = (Date.now() - Date.parse(live.written)) / 1000;
  const shown = document.getElementById("loaded");
  if (age_s > patience_s) {
    shown.textContent = `No news since ${live.written.replace("T", " ")}: the measurement waits in a queue or was ended. This page no longer loads itself again.`;
    return null;
  }
  let used = 0;
  const use = () => { used = Date.now(); };
  for (const kind of ["click", "keydown", "input", "scroll"]) addEventListener(kind, use, { passive: true });
  const again = () => (Date.now() - used < in_use_ms ? setTimeout(again, 5000) : reload());
  setTimeout(again, 1000 * (live.over ? 3 : Math.max(live.reload_s - age_s, live.reload_s / 4, 2)));
  shown.textContent = `Written ${live.written.slice(11, 19)} UTC; it loads itself again after each round.`;
  return use;
}
if (facts.live) reloadWhileMeasured(facts.live);
