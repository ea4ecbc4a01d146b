// Draws the charts of a report from the figures in the page, and sorts its tables. All text is in
// the page already; this script computes only positions on the charts.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const charts = new Map(); // figure -> Chart
  const countOf = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

  const duration = (us) => {
    const size = Math.abs(us);
    const shown = (value, unit) =>
      countOf.format(Number(value.toPrecision(4))) + " " + unit;
    if (size < 1e3) return shown(us, "µs");
    if (size < 1e6) return shown(us / 1e3, "ms");
    if (size < 120e6) return shown(us / 1e6, "s");
    if (size < 7200e6) return shown(us / 60e6, "min");
    return shown(us / 3600e6, "h");
  };
  const instant = (us) =>
    new Date(Math.floor(us / 1000)).toISOString().slice(0, 23).replace("T", " ") + " UTC";
  const percent = (parts) => (parts === 1e6 ? "max" : String(parts / 1e4) + " %");

  const color = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();
  const faded = (name, alpha) => color(name) + Math.round(alpha * 255).toString(16); // of #rrggbb

  // What is possible and not proven, so that it is not taken for a fact.
  const hatched = (name) => {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const ctx = tile.getContext("2d");
    ctx.strokeStyle = color(name);
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    for (const x of [-8, 0, 8]) {
      ctx.moveTo(x, 8);
      ctx.lineTo(x + 8, 0);
    }
    ctx.stroke();
    return ctx.createPattern(tile, "repeat");
  };

  // Drawn behind and in front of the data: bands, edges, limits, faults.
  const marks = {
    id: "marks",
    beforeDatasetsDraw(chart, _, options) {
      const { ctx, chartArea: area, scales } = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
      ctx.clip();
      for (const band of options.bands || []) {
        const from = scales.x.getPixelForValue(band.from);
        const width = Math.max(scales.x.getPixelForValue(band.to) - from, 3);
        ctx.fillStyle = band.over === "certain" ? color("band") : faded("edge", 0.14);
        ctx.fillRect(from, area.top, width, area.bottom - area.top);
      }
      ctx.setLineDash([3, 4]);
      ctx.strokeStyle = color("edge");
      ctx.lineWidth = 1;
      for (const x of options.edges || []) line(ctx, scales.x.getPixelForValue(x), area);
      ctx.restore();
    },
    afterDatasetsDraw(chart, _, options) {
      const { ctx, chartArea: area, scales } = chart;
      ctx.save();
      ctx.font = "600 11px system-ui, sans-serif";
      for (const limit of options.limits || []) {
        const y = scales.y.getPixelForValue(limit.y);
        if (y < area.top - 1 || y > area.bottom + 1) continue;
        ctx.strokeStyle = color("limit");
        ctx.lineWidth = 1.5;
        ctx.setLineDash([6, 4]);
        ctx.beginPath();
        ctx.moveTo(area.left, y);
        ctx.lineTo(area.right, y);
        ctx.stroke();
        label(ctx, limit.label, area.right - 4, y - 4, "right", "limit");
      }
      ctx.setLineDash([]);
      for (const band of options.bands || []) {
        ctx.strokeStyle = color(band.over === "certain" ? "over" : "edge");
        ctx.lineWidth = 1;
        ctx.setLineDash(band.over === "possible" ? [4, 3] : []);
        line(ctx, clamp(scales.x.getPixelForValue(band.from), area), area);
        line(ctx, clamp(scales.x.getPixelForValue(band.to), area), area);
      }
      (options.faults || []).forEach((fault, i) => {
        const x = scales.x.getPixelForValue(fault.x);
        if (x < area.left || x > area.right) return;
        ctx.strokeStyle = color("fault");
        ctx.lineWidth = 2;
        line(ctx, x, area);
        const right = x > (area.left + area.right) / 2;
        label(ctx, fault.label, x + (right ? -5 : 5), area.top + 12 + (i % 3) * 14,
          right ? "right" : "left", "fault");
      });
      (options.decided || []).forEach((span, i) => {
        const bar = chart.getDatasetMeta(0).data[i];
        if (!bar || !span) return;
        const from = scales.x.getPixelForValue(span[0]);
        const width = Math.max(scales.x.getPixelForValue(span[1]) - from, 2);
        ctx.fillStyle = color("ink");
        ctx.fillRect(from - 1, bar.y - bar.height / 2, width, Math.max(bar.height, 1));
      });
      ctx.restore();
    },
  };
  const clamp = (x, area) => Math.min(Math.max(x, area.left), area.right);
  function line(ctx, x, area) {
    ctx.beginPath();
    ctx.moveTo(x, area.top);
    ctx.lineTo(x, area.bottom);
    ctx.stroke();
  }
  function label(ctx, text, x, y, align, tone) {
    ctx.textAlign = align;
    ctx.lineWidth = 3;
    ctx.strokeStyle = color("card");
    ctx.lineJoin = "round";
    ctx.setLineDash([]);
    ctx.strokeText(text, x, y);
    ctx.fillStyle = color(tone);
    ctx.fillText(text, x, y);
  }

  // Panels of one kind have the same scale, so that readers can compare them. A run that is more
  // than ten times larger is left out: beside it the others would look empty.
  const most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
  const runs = data.runs;
  const shared = (figure) => {
    const all = runs.map(figure);
    return (run) => most(all.filter((n) => n <= 10 * figure(run)));
  };
  const scale = {
    closeUp: shared((r) => (r.closeUp ? most([...r.closeUp.fill, ...(r.closeUp.possible || []), r.closeUp.limit]) : 0)),
    closeUpBefore: shared((r) => (r.closeUp ? r.closeUp.zero - r.closeUp.start : 0)),
    closeUpAfter: shared((r) =>
      r.closeUp ? r.closeUp.start + r.closeUp.slice * r.closeUp.fill.length - r.closeUp.zero : 0),
    slice: shared((r) => (r.timeline ? most(sums(r.timeline).map((n) => n / r.timeline.slice)) : 0)),
    rate: shared((r) => (r.timeline ? most(r.timeline.rate) : 0)),
    envelopeX: shared((r) => (r.envelope ? most(r.envelope.map((p) => p[0])) : 0)),
    envelopeY: shared((r) => (r.envelope ? most(r.envelope.map((p) => p[5] ?? p[1])) : 0)),
    latency: shared((r) => (r.latency ? most(curvePoints(r).map((p) => p[1])) : 0)),
    samples: shared((r) => (r.latency ? most([r.latency.intended.n, r.latency.sent.n]) : 0)),
  };
  function sums(t) {
    return t.allowed.map((n, i) => n + t.denied[i] + t.other[i]);
  }
  function curvePoints(run) {
    return [...run.latency.intended.points, ...run.latency.sent.points];
  }

  function axis(title, more = {}) {
    return {
      // Bar charts would draw the lines between the bars, away from their labels.
      grid: { color: color("grid"), borderColor: color("line"), offset: false },
      title: { display: title !== "", text: title, color: color("soft"), font: { size: 12 } },
      ...more,
      ticks: { color: color("soft"), maxRotation: 0, autoSkipPadding: 14, includeBounds: false,
        ...more.ticks },
    };
  }
  function options(x, y, markOptions, tooltip, more = {}) {
    return {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      normalized: true,
      interaction: { mode: "index", intersect: false },
      scales: { x, y },
      plugins: {
        legend: {
          align: "start",
          labels: { color: color("ink"), boxWidth: 12, boxHeight: 12, font: { size: 12 } },
          ...more.legend,
        },
        tooltip: { callbacks: tooltip },
        marks: markOptions,
      },
      ...more.options,
    };
  }
  const bars = (label, tone, points) => ({
    type: "bar", label, data: points, backgroundColor: color(tone), stack: "slice",
    barPercentage: 1, categoryPercentage: 1, order: 2,
  });
  const points = (t, zero, values) =>
    values.map((n, i) => ({ x: t.start + (i + 0.5) * t.slice - zero, y: n }));
  function stacked(t, zero) {
    const sets = [
      bars("allowed", "allowed", points(t, zero, t.allowed)),
      bars("denied", "denied", points(t, zero, t.denied)),
    ];
    if (t.other.some((n) => n > 0))
      sets.push(bars("unknown", "unknown", points(t, zero, t.other)));
    return sets;
  }
  function edgesOf(run, from, to, zero, atMost) {
    const { window, phase } = run.edges;
    if (!window || phase === null || (to - from) / window > atMost) return [];
    const edges = [];
    for (let at = Math.ceil((from - phase) / window) * window + phase; at <= to; at += window)
      edges.push(at - zero);
    return edges;
  }
  const faultsOf = (run, zero) =>
    run.faults.map((f) => ({
      x: f.at - zero,
      label: f.kind + (f.recovery === null ? ": no answer after it"
        : ": answered after " + duration(f.recovery)),
    }));
  const timeTooltip = (zero, half) => ({
    title: (items) => instant(items[0].parsed.x + zero - half),
    label: (item) => " " + item.dataset.label + ": " + countOf.format(item.parsed.y),
  });

  const worstWindow = (run, zero) => {
    const { from, to, over } = run.closeUp;
    return [{ from: from - zero, to: to - zero, over }];
  };
  // Above the limit. Nothing is coloured that only looks like too much, such as a window across an
  // edge of a policy by the clock.
  const excess = (target, over) => ({
    target, below: "transparent",
    above: over === "certain" ? faded("over", 0.28) : over === "possible" ? hatched("doubtful") : "transparent",
  });

  const builders = {
    closeUp(run) {
      const t = run.closeUp;
      const end = t.start + t.slice * t.fill.length;
      const line = (label, values, over, more) => {
        const data = values.map((n, i) => ({ x: t.start + i * t.slice - t.zero, y: n }));
        data.push({ x: end - t.zero, y: values[values.length - 1] });
        return {
          type: "line", label: label + " in the last " + t.windowText, data, stepped: true,
          borderColor: color("curve"), backgroundColor: color("curve"), borderWidth: 2, pointRadius: 0,
          order: 1, stack: label, fill: excess({ value: t.limit }, over), ...more,
        };
      };
      const certain = t.over === "certain" ? "certain" : "none";
      const lines = [line("admitted", t.fill, certain, { segment: {
        borderColor: (c) => (t.over === "certain" && c.p0.parsed.y > t.limit ? color("over") : undefined) } })];
      if (t.possible)
        lines.push(line("possibly admitted", t.possible, "possible", {
          borderColor: color("doubtful"), backgroundColor: color("doubtful"), borderWidth: 1.5,
          borderDash: [5, 3] }));
      const x = axis(t.possible ? "time from the start of the window that possibly holds the most"
        : "time from the first admission of the worst window", {
        type: "linear", min: -scale.closeUpBefore(run), max: scale.closeUpAfter(run),
        ticks: { callback: duration },
      });
      const y = axis("requests", { min: 0, suggestedMax: scale.closeUp(run) * 1.12, stacked: false });
      return {
        type: "bar",
        data: { datasets: [...lines, ...stacked(t, t.zero)] },
        options: options(x, { ...y, stacked: false }, {
          bands: worstWindow(run, t.zero),
          edges: edgesOf(run, t.start, end, t.zero, 60),
          limits: [{ y: t.limit, label: "limit " + countOf.format(t.limit) }],
          faults: faultsOf(run, t.zero),
        }, timeTooltip(t.zero, 0)),
        plugins: [marks],
      };
    },
    timeline(run) {
      const t = run.timeline;
      const end = t.start + t.slice * t.allowed.length;
      const x = axis("time from the start of the run", {
        type: "linear", min: 0, max: end - t.start, ticks: { callback: duration } });
      const y = axis("requests per " + duration(t.slice), {
        min: 0, stacked: true, suggestedMax: scale.slice(run) * t.slice });
      return {
        type: "bar",
        data: { datasets: stacked(t, t.start) },
        options: options({ ...x, stacked: true }, y, {
          bands: run.closeUp ? worstWindow(run, t.start) : [],
          edges: edgesOf(run, t.start, end, t.start, 60),
          faults: faultsOf(run, t.start),
        }, timeTooltip(t.start, t.slice / 2)),
        plugins: [marks],
      };
    },
    rate(run) {
      const t = run.timeline;
      const end = t.start + t.slice * t.allowed.length;
      const x = axis("time from the start of the run", {
        type: "linear", min: 0, max: end - t.start, ticks: { callback: duration } });
      const y = axis("answers per second", { min: 0, suggestedMax: scale.rate(run) });
      return {
        type: "line",
        data: { datasets: [{
          label: "answers per second", data: points(t, t.start, t.rate), borderColor: color("allowed"),
          backgroundColor: faded("allowed", 0.15), fill: "origin", borderWidth: 1.5, pointRadius: 0,
        }] },
        options: options(x, y, { faults: faultsOf(run, t.start) }, timeTooltip(t.start, t.slice / 2),
          { legend: { display: false } }),
        plugins: [marks],
      };
    },
    envelope(run) {
      const shown = run.envelope.filter((p) => p[0] > 0);
      const set = (label, tone, index, more) => ({
        label, data: shown.map((p) => ({ x: p[0], y: p[index] })).filter((p) => p.y !== null),
        borderColor: color(tone), backgroundColor: color(tone), stepped: true, borderWidth: 2,
        pointRadius: 0, ...more,
      });
      const sets = [
        set("most admitted", "allowed", 1, { pointRadius: 2.5,
          fill: excess(1, run.over === "certain" ? "certain" : "none") }),
        set("policy", "limit", 2, { borderDash: [6, 4] }),
      ];
      if (run.over === "possible")
        sets.push(set("most possible", "doubtful", 5, { borderDash: [5, 3], fill: excess(1, "possible") }));
      if (run.envelope.some((p) => p[3] !== null && p[3] !== p[2]))
        sets.push(set("own contract", "edge", 3, { borderDash: [2, 3] }));
      run.rules.forEach((rule, i) => sets.push({
        ...set(rule, ["second", "soft"][i % 2], 4, { borderWidth: 1, borderDash: [1 + 2 * i, 3] }),
        data: shown.map((p) => ({ x: p[0], y: p[4][i] })).filter((p) => p.y !== null) }));
      const first = shown.length ? shown[0][0] : 1;
      const x = axis("length of the time span", {
        type: "logarithmic", min: first, max: Math.max(scale.envelopeX(run), first * 10),
        ticks: { callback: rounded(duration) } });
      const y = axis("admissions of one key", { min: 0, suggestedMax: scale.envelopeY(run) * 1.1 });
      return {
        type: "line",
        data: { datasets: sets },
        options: options(x, y, {}, {
          title: (items) => "any span of " + duration(items[0].parsed.x),
          label: (item) => " " + item.dataset.label + ": " + countOf.format(item.parsed.y),
        }),
        plugins: [marks],
      };
    },
    latency(run) {
      const tail = Math.max(scale.samples(run), 100);
      const place = (parts) => (parts === 1e6 ? tail : Math.min(1 / (1 - parts / 1e6), tail));
      const set = (label, tone, curve, more) => ({
        label, borderColor: color(tone), backgroundColor: color(tone), borderWidth: 2, pointRadius: 2.5,
        data: curve.points.map((p) => ({ x: place(p[0]), y: Math.max(p[1], 1), parts: p[0] })), ...more,
      });
      const sets = [];
      if (run.latency.intended.n > 0)
        sets.push(set("from the intended start", "allowed", run.latency.intended));
      if (run.latency.sent.n > 0)
        sets.push(set("from the real start", "second", run.latency.sent, { borderDash: [5, 3] }));
      const named = new Map([[1, "0 %"], [10, "90 %"], [100, "99 %"], [1e3, "99.9 %"], [1e4, "99.99 %"]]);
      const x = axis("percentile", {
        type: "logarithmic", min: 1, max: tail, ticks: { callback: (v) => named.get(v) || null } });
      const y = axis("latency", {
        type: "logarithmic", suggestedMax: scale.latency(run),
        ticks: { callback: rounded(duration) } });
      return {
        type: "line",
        data: { datasets: sets },
        options: options(x, y, {}, {
          title: (items) => percent(items[0].raw.parts),
          label: (item) => " " + item.dataset.label + ": " + duration(item.parsed.y),
        }),
        plugins: [marks],
      };
    },
    evidence(run) {
      const e = run.evidence;
      const tone = e.rows.map((r) =>
        !r.over ? color("allowed") : e.proof ? color("over") : hatched("doubtful"));
      // A bar at the very end needs room: it is as wide as its time, which may be none.
      const x = axis("time from the first admission", {
        type: "linear", grace: "3%", ticks: { callback: duration } });
      const y = axis("admission, in time order", { grid: { display: false } });
      const built = options(x, y, {
        edges: edgesOf(run, e.from - e.before, e.from + e.after, e.from, 60),
        // Without a time of the server the decision was anywhere in the bar: a mark would hide it.
        decided: e.rows.map((r) =>
          r.decided[1] - r.decided[0] < (r.span[1] - r.span[0]) / 2 ? r.decided : null),
      }, {
        title: (items) => "no. " + e.rows[items[0].dataIndex].no + ", " + e.rows[items[0].dataIndex].place,
        label: (item) => {
          const r = e.rows[item.dataIndex];
          return " sent " + duration(r.span[0]) + ", answered " + duration(r.span[1]) +
            (r.over ? (e.proof ? ": too many" : ": possibly too many") : "");
        },
      }, { legend: { display: false }, options: { indexAxis: "y", parsing: true,
        interaction: { mode: "nearest", axis: "y", intersect: false } } });
      return {
        type: "bar",
        data: { labels: e.rows.map((r) => r.no), datasets: [{
          label: "under way", data: e.rows.map((r) => r.span), backgroundColor: tone,
          borderWidth: e.rows.map((r) => (r.over && !e.proof ? 1 : 0)), borderColor: color("doubtful"),
          minBarLength: 3, barPercentage: 0.8, categoryPercentage: 1, borderSkipped: false }] },
        options: built,
        plugins: [marks],
      };
    },
    bars(chart) {
      const tones = ["allowed", "denied", "second", "third", "unknown", "edge", "over"];
      const number = chart.unit === "µs" ? duration : (n) => countOf.format(n);
      const y = axis(chart.unit === "µs" ? "" : chart.unit, {
        type: chart.logarithmic ? "logarithmic" : "linear", beginAtZero: !chart.logarithmic,
        ticks: { callback: chart.logarithmic ? rounded(number) : (v) => number(v) } });
      return {
        type: "bar",
        data: { labels: chart.groups, datasets: chart.series.map((name, i) => ({
          label: name, data: chart.values[i], backgroundColor: color(tones[i % tones.length]),
          borderRadius: 3, maxBarThickness: 46 })) },
        options: options(axis("", { grid: { display: false } }), y, {
          limits: chart.limit === null ? [] : [{ y: chart.limit, label: "limit " + countOf.format(chart.limit) }],
        }, { label: (item) => " " + item.dataset.label + ": " + number(item.parsed.y) },
        { options: { parsing: true } }),
        plugins: [marks],
      };
    },
  };
  // A log axis is labelled only at round values: 1, 10, 100 if there are several of them, else also
  // at 2 and 5, or at all that it has.
  const isRound = (value, leads) => {
    const lead = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
    return leads.some((one) => Math.abs(lead - one) < 1e-6);
  };
  function rounded(format) {
    return function (value, _, ticks) {
      const shown = (leads) => ticks.filter((tick) => isRound(tick.value, leads)).length;
      const leads = [[1], [1, 2, 5]].find((some) => shown(some) >= 3);
      return !leads || isRound(value, leads) ? format(value) : null;
    };
  }

  // The same figures as a table, for readers who can't see the chart or need the numbers.
  const sliced = (t, more) => t.allowed.map((n, i) =>
    [instant(t.start + i * t.slice), n, t.denied[i], t.other[i], ...more(i)]);
  const tables = {
    closeUp: (run) => {
      const { fill, possible, windowText } = run.closeUp;
      const head = ["from", "allowed", "denied", "unknown", "most in the last " + windowText];
      return [possible ? [...head, "possible"] : head,
        sliced(run.closeUp, (i) => (possible ? [fill[i], possible[i]] : [fill[i]]))];
    },
    timeline: (run) => [["from", "allowed", "denied", "unknown"], sliced(run.timeline, () => [])],
    rate: (run) => [["from", "answers per second"],
      run.timeline.rate.map((n, i) => [instant(run.timeline.start + i * run.timeline.slice), n])],
    envelope: (run) => {
      const possible = run.over === "possible";
      return [["span", "most admitted", ...(possible ? ["most possible"] : []), "policy", "own contract", ...run.rules],
        run.envelope.map((p) => [p[0] === 0 ? "one instant" : duration(p[0]), p[1],
          ...(possible ? [p[5]] : []), p[2], p[3], ...p[4]])];
    },
    latency: (run) => {
      const sent = new Map(run.latency.sent.points);
      const base = run.latency.intended.n > 0 ? run.latency.intended.points : run.latency.sent.points;
      const intended = new Map(run.latency.intended.points);
      const show = (us) => (us === undefined ? null : duration(us));
      return [["percentile", "from the intended start", "from the real start"],
        base.map(([parts]) => [percent(parts), show(intended.get(parts)), show(sent.get(parts))])];
    },
    evidence: (run) => [["no.", "where", "sent", "answered", run.evidence.proof ? "too many" : "possibly too many"],
      run.evidence.rows.map((r) => [r.no, r.place, duration(r.span[0]), duration(r.span[1]), r.over ? "yes" : ""])],
    bars: (chart) => [["", ...chart.series],
      chart.groups.map((group, i) => [group, ...chart.values.map((set) => set[i])])],
  };
  function fillTable(details, [head, rows]) {
    if (details.querySelector("table")) return;
    const table = document.createElement("table");
    const add = (parent, name, text) => {
      const cell = parent.appendChild(document.createElement(name));
      cell.textContent = text === null || text === undefined ? "-"
        : typeof text === "number" ? countOf.format(text) : text;
      if (typeof text === "number") cell.className = "number";
      return cell;
    };
    const top = table.createTHead().insertRow();
    for (const name of head) add(top, "th", name).scope = "col";
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      for (const text of row) add(line, "td", text);
    }
    const scroll = details.appendChild(document.createElement("div"));
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.appendChild(table);
  }

  const figures = [...document.querySelectorAll("figure[data-chart]")];
  const subject = (figure) =>
    figure.dataset.chart === "bars" ? data.bars[figure.dataset.index] : runs[figure.dataset.index];
  function draw(figure) {
    if (charts.has(figure)) return;
    const config = builders[figure.dataset.chart](subject(figure));
    charts.set(figure, new Chart(figure.querySelector("canvas"), config));
    figure.dataset.drawn = "yes";
  }
  function drawAll() {
    for (const figure of figures) draw(figure);
    root.dataset.drawn = String(charts.size);
  }
  // Draws the first screen at once and the rest in steps, so that a long report opens as fast as a
  // short one.
  function drawFrom(index) {
    const begun = performance.now();
    while (index < figures.length && performance.now() - begun < 40) draw(figures[index++]);
    if (index < figures.length) setTimeout(drawFrom, 0, index);
    else root.dataset.drawn = String(charts.size);
  }
  function redraw() {
    for (const [figure, chart] of charts) {
      const config = builders[figure.dataset.chart](subject(figure));
      chart.data = config.data;
      chart.options = config.options;
      chart.update("none");
    }
  }
  for (const figure of figures)
    figure.querySelector("details").addEventListener("toggle", (event) =>
      fillTable(event.target, tables[figure.dataset.chart](subject(figure))));

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("beforeprint", () => {
    root.classList.add("paper");
    drawAll();
    redraw();
    for (const [figure, chart] of charts)
      chart.resize(figure.parentElement.classList.contains("alone") ? 680 : 320,
        chart.canvas.parentElement.classList.contains("tall") ? 300 : 190);
  });
  addEventListener("afterprint", () => {
    root.classList.remove("paper");
    redraw();
    for (const chart of charts.values()) chart.resize();
  });

  // The buttons in the table headers sort the table.
  function sortBy(button) {
    const head = button.closest("th");
    const body = head.closest("table").tBodies[0];
    const column = head.cellIndex;
    const ascending = head.getAttribute("aria-sort") === "descending" ||
      (!head.hasAttribute("aria-sort") && !head.classList.contains("number"));
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const value = (row) => {
      const cell = row.cells[column];
      return "value" in cell.dataset ? Number(cell.dataset.value) : null;
    };
    const text = (row) => row.cells[column].textContent;
    const compare = (a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x !== null && y !== null) return x - y;
      if (x !== null || y !== null) return x === null ? -1 : 1;
      return text(a).localeCompare(text(b));
    };
    const rows = [...body.rows].sort((a, b) => (ascending ? compare(a, b) : compare(b, a)));
    body.append(...rows);
  }
  for (const button of document.querySelectorAll("th button"))
    button.addEventListener("click", () => sortBy(button));

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  drawFrom(0);
})();
