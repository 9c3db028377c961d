// Several systems on the first screen: a row each, so that they can be compared at a glance.
function systems() {
  const find = (target, kind, access) => answered.find((one) => one.target === target.name && one.access === access)?.[kind];
  const columns = [["best", "write"], ["best", "read"], ["small", "write"], ["small", "read"]]
    .filter(([kind, access]) => shown.some((target) => find(target, kind, access)));
  const cell = (target, kind, access) => {
    const found = find(target, kind, access);
    return found ? [tellsPoint(element("div", { class: `value ${access}` }, rate(found.value)), found, access),
      element("div", { class: "small" }, kind === "best" ? found.short : smallWords(found))] : "–";
  };
  const head = columns.map(([kind, access]) => element("th", { scope: "col" }, kind === "best" ? "best " : "small, random ",
    element("span", { class: access }, access === "write" ? "● write" : "◆ read")));
  const rows = shown.slice(0, MOST_SYSTEMS).map((target) => element("tr", {}, element("th", { scope: "row" }, named(target)),
    has(target) ? columns.map(([kind, access]) => element("td", {}, cell(target, kind, access)))
      : element("td", { class: "small", colspan: columns.length }, "no usable bandwidth: Records and Verdicts have the reason")));
  return element("div", { id: "answers", class: "systems" }, element("table", {}, element("thead", {}, element("tr", {}, element("th", {}, "MiB/s"), head)), element("tbody", {}, rows)),
    shown.some((target) => find(target, "best", "write")?.short.includes("×") || find(target, "best", "read")?.short.includes("×")) ? element("p", { class: "small" }, "1×2: one node with two processes.") : null,
    shown.length > MOST_SYSTEMS ? element("p", { class: "second" }, `${counted(shown.length - MOST_SYSTEMS, "more system")} with lower rates: `, element("a", { href: "#records" }, "Records")) : null);
}

// The best of each access, whichever interface has it.
function chartOfSystems() {
  const rows = shown.slice(0, MOST_SYSTEMS).flatMap((target) => answered.filter((one) => one.target === target.name && one.best)
    .map((one) => ({ ...one.best, target: one.target, access: one.access, others: one.others, api: one.target })));
  const scale = scaleOf(rows);
  const chart = element("div", { class: "chart of-systems" });
  rows.forEach((row, index) => {
    const first = index === 0 || rows[index - 1].target !== row.target;
    chart.append(element("span", {}, first ? element("b", {}, `${row.target} `) : "", element("span", { class: row.access }, row.access)),
      mark(row, scale), element("b", { class: "number" }, rate(row.value)), element("span", { class: "number second interval" }, interval(row)));
  });
  return withAxis(chart, scale);
}
