"use strict";
(async () => {
  const root = document.documentElement;
  if (typeof DecompressionStream === "undefined") {
    document.getElementById("no-charts").hidden = false;
    return;
  }
  const D = JSON.parse(await unpacked("data"));
  await runPacked("charts-bundle");
  const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b0478d", "#b07900", "#2f8fc7", "#882255",
    "#6f6f1d", "#332288", "#2a8577", "#8b3a8b", "#5c5c5c"];
  const DARK = ["#5aa9e6", "#ff8c42", "#3ac79b", "#e79fc8", "#f2b632", "#8ed3f7", "#d0709b",
    "#c9c95a", "#a79bf5", "#7fd6c6", "#d483d4", "#b5b5b5"];
  const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down",
    "triangle-right", "triangle-left"];
  const NARROW = 480;
  const FIRST = 400; // the height of the first chart, beside the answer

  /* ---- elements ---- */

  function el(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (name === "color") made.style.backgroundColor = value;
      else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }
  const at = (id) => document.getElementById(id);
  const whole = (n) => Math.round(n).toLocaleString("en-US");

  function number(value) {
    if (value === null || value === undefined) return "";
    if (Math.abs(value) >= 1000) return whole(value);
    const text = value.toFixed(Math.abs(value) >= 100 ? 1 : 3);
    return Number(text) || !value ? text : String(Number(value.toPrecision(2)));
  }

  function download(name, type, content) {
    const url = content.startsWith("data:") ? content : URL.createObjectURL(new Blob([content], { type }));
    const link = el("a", { href: url, download: name });
    link.click();
    if (!content.startsWith("data:")) URL.revokeObjectURL(url);
  }

  function select(label, options, chosen, changed) {
    const box = el("select", { "aria-label": label, onchange: () => changed(box.value) });
    for (const [value, text] of options) {
      box.append(el("option", { value, selected: value === chosen }, text));
    }
    return box;
  }

  /* ---- numbers of the run ---- */

  const names = D.systems.map((system) => system.name);
  const order = [...D.shown, ...names.filter((name) => !D.shown.includes(name))];
  const shown = new Set(D.shown);
  const series = new Map(D.series.map((one) => [one.slice(0, 4).join(), one]));
  const text = D.corpora.find((corpus) => corpus.kind === "text") || D.corpora[0];
  const gold = D.corpora.find((corpus) => corpus.kind === "gold");
  const metricOf = new Map(D.metrics.map((metric) => [metric.name, metric]));
  const listed = D.sizes.filter((size) => size !== "");

  function cell(system, corpus, subset, metric, size) {
    const place = [names.indexOf(system), D.corpora.findIndex((one) => one.name === corpus),
      D.subsets.indexOf(subset), D.metrics.findIndex((one) => one.name === metric)];
    const found = series.get(place.join());
    const i = D.sizes.indexOf(size);
    if (!found || found[4] === 0 || found[4][i] === null) return null;
    const end = (column) => (found[column] === 0 ? null : found[column][i]);
    return { value: found[4][i], low: end(5), high: end(6), gated: (end(7) & 1) !== 0,
      lost: (end(7) & 2) !== 0 };
  }
  const isShort = (corpus) => D.corpora.some((one) => one.name === corpus && one.short);
  const signs = (found) => (found.gated ? "†" : "") + (found.lost ? "‡" : "");

  /* The largest size of a system, or the chosen one where it has that. */
  function sizeOf(system, wanted) {
    const reached = D.reached[names.indexOf(system)];
    if (wanted !== undefined && reached[D.sizes.indexOf(wanted)] !== null) return wanted;
    return D.sizes.filter((size, i) => reached[i] !== null && size !== "").at(-1) ?? "";
  }
  const reachedAt = (system, size) => D.reached[names.indexOf(system)][D.sizes.indexOf(size)];
  const visible = () => order.filter((name) => shown.has(name));

  /* ---- charts ---- */

  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colors = () => (root.dataset.theme === "dark" ? DARK : LIGHT);
  const colorOf = (name) => colors()[order.indexOf(name) % LIGHT.length];
  const shapeOf = (name) =>
    SHAPES[(order.indexOf(name) + Math.floor(order.indexOf(name) / LIGHT.length)) % SHAPES.length];

  function config() {
    const [ink, soft, line] = ["--ink", "--soft", "--line"].map(css);
    const axis = { labelColor: soft, titleColor: soft, gridColor: line, domainColor: line,
      tickColor: line, titleFontWeight: "normal", labelLimit: 300 };
    return { background: "transparent", font: "system-ui, sans-serif", axis,
      view: { stroke: null }, text: { color: ink, fontSize: 12 }, rule: { color: soft } };
  }

  const drawn = [];

  /* Add a chart; `draw` returns its kind, its points and its titles, or null where it has none. */
  function chart(host, id, title, draw, controls = [], note = "") {
    const view = el("div", { class: "view", role: "img", "aria-label": title });
    const empty = el("p", { class: "note", hidden: true }, "Nothing to show for this choice.");
    let result = null;
    const save = (kind) => el("button", { class: "small", type: "button",
      "aria-label": `Download ${title} as ${kind}`,
      onclick: async () => {
        if (!result) return;
        if (kind === "SVG") download(`${id}.svg`, "image/svg+xml", await result.view.toSVG());
        else download(`${id}.png`, "image/png", await result.view.toImageURL("png", 2));
      } }, kind);
    const heading = el("h2", { id: `${id}-title` }, title);
    host.append(el("div", { class: "chart-head" }, heading, ...controls,
      el("span", { class: "save" }, save("SVG"), " ", save("PNG"))),
      el("p", { class: "note" }, note), view, empty);
    const one = {
      id,
      async draw() {
        const made = draw(view.clientWidth);
        empty.hidden = made !== null;
        view.hidden = made === null;
        if (result) result.finalize();
        result = null;
        if (!made) return view.replaceChildren();
        result = await vegaEmbed(view, made, { ast: true, actions: false, defaultStyle: false,
          renderer: "svg", logLevel: vega.Error, tooltip: { disableDefaultStyle: true }, config: config() });
        return result;
      },
      title(words) {
        heading.textContent = words;
        view.setAttribute("aria-label", words);
      },
    };
    drawn.push(one);
    return one;
  }

  function section(id, title, draw, controls, note) {
    const host = el("section", { class: "chart", id, "aria-labelledby": `${id}-title` });
    at("charts").append(host);
    return chart(host, id, title, draw, controls, note);
  }

  let queue = Promise.resolve();
  function drawAll() {
    queue = queue.then(async () => {
      for (const one of drawn) await one.draw();
    });
    return queue;
  }

  function scales(spec) {
    const domain = visible();
    const color = { domain, range: domain.map(colorOf) };
    const shape = { domain, range: domain.map(shapeOf) };
    const visit = (part) => {
      if (part.encoding?.color?.field) part.encoding.color.scale = color;
      if (part.encoding?.shape?.field) part.encoding.shape.scale = shape;
      (part.layer || []).forEach(visit);
    };
    visit(spec);
    return spec;
  }

  function extent(points) {
    const values = points.flatMap((p) => [p.y, p.low, p.high]).filter((v) => v !== null && v !== undefined);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
    return [low - room, high + room];
  }

  /* Heights for labels, none nearer to the next than a line of text. */
  function spread(labels, height) {
    const gap = 15;
    labels.sort((a, b) => a.pixel - b.pixel);
    for (let i = 1; i < labels.length; i++) {
      labels[i].pixel = Math.max(labels[i].pixel, labels[i - 1].pixel + gap);
    }
    let over = labels.length ? labels.at(-1).pixel - height : 0;
    for (let i = labels.length - 1; i >= 0 && over > 0; i--) {
      labels[i].pixel -= over;
      over = i > 0 ? labels[i - 1].pixel + gap - labels[i].pixel : 0;
    }
    return labels;
  }

  function lines({ points, curve = [], x, y, ticks, logX = true, logY = false, width, height }) {
    if (!points.length && !curve.length) return null;
    const spec = scales(structuredClone(D.charts.lines));
    spec.height = height ?? spec.height;
    const [low, high] = extent([...points, ...curve]);
    const scale = logY ? { type: "log", nice: false } : { zero: false, nice: false, domain: [low, high] };
    spec.encoding.x = { ...spec.encoding.x, title: x, axis: { grid: false, format: ",~g" } };
    if (!logX) spec.encoding.x.scale = { zero: false, nice: false };
    if (ticks?.length) spec.encoding.x.axis.values = ticks;
    for (const layer of spec.layer) {
      const yEncoding = layer.encoding.y;
      if (yEncoding.field !== "pixel") Object.assign(yEncoding, { title: y, scale });
    }
    const all = curve.length ? curve : points;
    const last = (name) => all.filter((p) => p.system === name).at(-1);
    const furthest = Math.max(...all.map((p) => p.x));
    const ends = visible().map(last).filter((p) => p && p.x >= 0.8 * furthest);
    const labels = width < NARROW || ends.length > 14 || logY ? [] : spread(ends.map((end) => ({
      system: end.system,
      text: end.system.length > 18 ? `${end.system.slice(0, 17)}…` : end.system,
      pixel: (1 - (end.y - low) / (high - low)) * spec.height,
    })), spec.height);
    spec.datasets = { points, curve: curve.length ? curve : points, labels };
    return spec;
  }

  function dots({ points, x }) {
    if (!points.length) return null;
    const spec = scales(structuredClone(D.charts.dots));
    for (const layer of spec.layer) layer.encoding.x.title = x;
    spec.encoding.y.sort = [...new Set(points.map((p) => p.group))];
    spec.datasets = { points };
    return spec;
  }

  const lower = (metric) => metricOf.get(metric)?.better === "lower";
  const capitalised = (words) => words.charAt(0).toUpperCase() + words.slice(1);
  const labelOf = (metric) => metricOf.get(metric)?.label ?? metric;
  const axisTitle = (metric) => {
    const better = metricOf.get(metric)?.better;
    const arrow = better === "lower" ? " (lower is better)" : better === "higher" ? " (higher is better)" : "";
    return labelOf(metric) + arrow;
  };

  function point(system, corpus, subset, metric, size) {
    const found = cell(system, corpus, subset, metric, size);
    if (!found) return null;
    const interval = found.low === null ? "" : ` (${number(found.low)} to ${number(found.high)}${isShort(corpus) ? "~" : ""})`;
    const reached = reachedAt(system, size);
    return { system, x: reached, y: found.value, low: found.low ?? found.value,
      high: found.high ?? found.value, gated: found.gated, lost: found.lost,
      shown_x: `vocabulary size ${whole(reached)}`, shown_y: `${number(found.value)}${interval} ${signs(found)}`.trimEnd() };
  }

  const several = (name) => D.reached[names.indexOf(name)].filter((n) => n !== null).length > 1;
  const sized = names.some(several);

  /* Values by size; a length of which too much is unknown is left out. */
  function bySize(metric, corpus, subset, width, everySize, height) {
    if (!sized) return bySystem(metric, corpus, subset);
    // A system of one size is a point, and often one far away from all others.
    const compared = visible().some(several) ? visible().filter(several) : visible();
    const points = compared.flatMap((name) => D.sizes
      .map((size) => point(name, corpus, subset, metric, size))
      .filter((p) => p && !p.gated).sort((a, b) => a.x - b.x));
    const curve = subset === "all" && everySize && corpus === D.corpora[0].name
      ? D.curves.filter(([system, of]) => of === metric && shown.has(system)).flatMap(
        ([system, , sizes, values]) => sizes.map((x, i) => ({ system, x, y: values[i] })).filter((p) => p.y !== null))
      : [];
    const ticks = [...new Set(listed.filter((size) => !size.includes(":")).map(Number))];
    return lines({ points, curve, x: "vocabulary size", y: axisTitle(metric), ticks, width, height });
  }

  /* Where no system has several sizes: one line a system, with its interval; last those whose word ends are lost. */
  function bySystem(metric, corpus, subset) {
    const points = visible().map((name) => point(name, corpus, subset, metric, sizeOf(name)))
      .filter((p) => p && !p.gated).sort((a, b) => (a.lost - b.lost) || (a.y - b.y) * (lower(metric) ? 1 : -1));
    return dots({ points: points.map((p) => ({ ...p, group: p.system })), x: axisTitle(metric) });
  }

  function toggles(options, chosen, changed) {
    const buttons = options.map(([value, words]) => el("button", {
      type: "button", "aria-pressed": String(value === chosen), "data-value": value,
      onclick: () => {
        buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.value === value)));
        changed(value);
      },
    }, words));
    return buttons;
  }

  const has = (metric, corpus, subset) => names.some((name) =>
    D.sizes.some((size) => cell(name, corpus, subset, metric, size)));

  /* Which systems the first chart leaves out, and why; the table has all. */
  function notDrawn(metric, corpus) {
    const why = (name) => {
      if (sized && !several(name)) return " (one size)";
      const found = D.sizes.map((size) => cell(name, corpus, "all", metric, size)).filter(Boolean);
      return found.length && found.every((one) => one.gated) ? " (unknown words)" : "";
    };
    const left = names.filter(why).map((name) => name + why(name));
    return left.length ? `Not drawn: ${left.join(", ")}.` : "";
  }

  function sizeChart() {
    const metric = metricOf.has("fertility") ? "fertility" : D.metrics[0]?.name;
    if (!metric || !text) return;
    let choice = "all";
    const options = [["all", "all words"]];
    if (has(metric, text.name, "unseen")) options.push(["unseen", "unseen words"]);
    if (D.curves.some(([, of]) => of === metric)) options.push(["every", "every size"]);
    const title = () => `${capitalised(labelOf(metric))} on ${text.name}`;
    const own = chart(at("size"), "size", title(),
      (width) => bySize(metric, text.name, choice === "unseen" ? "unseen" : "all", width, choice === "every",
        width < NARROW ? undefined : FIRST),
      options.length > 1 ? toggles(options, choice, (value) => { choice = value; own.draw(); }) : [],
      `${sized ? "Bands are 95 % intervals" : "Lines are 95 % intervals"}, for text like ${text.name}, not for a `
      + `whole book or language.${isShort(text.name) ? ` They ${D.narrow} (~).` : ""} `
      + notDrawn(metric, text.name));
  }

  function groupOf(subset) {
    const [family, name] = subset.split(/:(.*)/s);
    const seen = { 0: "never seen", 1: "seen once" }[name] || `seen ${name} times`;
    return { band: seen, kind: D.kinds[name] }[family] || name;
  }

  /* The words of a subset, for people: unseen words, words seen once, numbers, category: names. */
  function wordsOf(subset) {
    const [family, name] = subset.split(/:(.*)/s);
    if (!name) return `${family} words`;
    const before = { band: "words ", kind: "", perturbed: "noise: ",
      common: "noise, in words that every kind changes: " }[family] ?? `${family}: `;
    return before + groupOf(subset);
  }

  /* Groups of words, such as bands: one row each, systems as points. */
  function groups(id, title, prefix, metric, corpora, note) {
    const found = corpora.flatMap((corpus) => D.subsets
      .filter((subset) => subset.startsWith(prefix) && has(metric, corpus.name, subset))
      .map((subset) => ({ corpus, subset })));
    if (!found.length) return;
    const several = new Set(found.map(({ corpus }) => corpus.name)).size > 1;
    const shownGroup = ({ corpus, subset }) => {
      const words = groupOf(subset);
      return several ? `${words} · ${corpus.name}` : words;
    };
    section(id, title, () => dots({
      points: found.flatMap((one) => visible().map((name) => {
        const p = point(name, one.corpus.name, one.subset, metric, sizeOf(name));
        return p && !p.gated ? { ...p, low: p.y, high: p.y, group: shownGroup(one) } : null;
      }).filter(Boolean)),
      x: axisTitle(metric),
    }), [], note);
  }

  function frontOf(points, lowX, lowY) {
    const better = (a, b, low) => (low ? a < b : a > b);
    return points.filter((p) => !points.some((q) => q !== p
      && !better(p.x, q.x, lowX) && !better(p.y, q.y, lowY)
      && (better(q.x, p.x, lowX) || better(q.y, p.y, lowY))))
      .map(({ x, y }) => ({ x, y })).sort((a, b) => a.x - b.x);
  }

  /* One measure against another, each dot a size; the front is what no other dot beats in both. */
  function tradeoff() {
    if (!text || !metricOf.has("fertility")) return;
    const kappa = gold && metricOf.has("boundary-kappa");
    const unseen = has("fertility", text.name, "unseen");
    const all = { corpus: text.name, subset: "all", metric: "fertility", title: `${labelOf("fertility")}, all words`, low: true };
    const rare = { ...all, subset: "unseen", title: "tokens per unseen word" };
    const morphemes = { corpus: gold?.name, subset: "all", metric: "boundary-kappa", title: `${labelOf("boundary-kappa")} on ${gold?.name} (0 is chance)`, low: false };
    const pairs = [
      ...(kappa && unseen ? [["unseen", "unseen words", rare, morphemes]] : []),
      ...(kappa ? [["all", "all words", all, morphemes]] : []),
      ...(unseen ? [["both", "all against unseen", all, rare]] : []),
    ];
    if (!pairs.length) return;
    let chosen = pairs[0];
    const value = (name, of, size) => cell(name, of.corpus, of.subset, of.metric, size);
    const own = section("tradeoff", kappa ? "Tokens against morphemes" : "Tokens of all words against unseen ones", () => {
      const [, , across, up] = chosen;
      const points = visible().flatMap((name) => D.sizes.map((size) => {
        const x = value(name, across, size);
        const y = value(name, up, size);
        if (!x || !y || x.gated || y.gated) return null;
        const reached = reachedAt(name, size);
        return { system: name, x: x.value, y: y.value, size: reached, lost: x.lost,
          shown_x: `vocabulary size ${whole(reached)}, ${across.title}: ${number(x.value)}${signs(x)}`,
          shown_y: `${up.title}: ${number(y.value)}${signs(y)}` };
      }).filter(Boolean));
      if (!points.length) return null;
      const spec = scales(structuredClone(D.charts.paths));
      spec.encoding.x.title = `${across.title} (left is better)`;
      spec.encoding.y.title = up.low ? `${up.title} (lower is better)` : up.title;
      const like = points.filter((p) => !p.lost);
      spec.datasets = { points, front: frontOf(like.length ? like : points, across.low, up.low) };
      return spec;
    }, pairs.length > 1 ? toggles(pairs.map(([id, label]) => [id, label]), chosen[0], (id) => {
      chosen = pairs.find((one) => one[0] === id);
      own.draw();
    }) : [],
    "Each dot is a size, larger dots larger sizes. Dashed line: the best compromises."
      + " It leaves out systems with word ends lost (‡) where there are others.");
  }

  function anyMetric() {
    if (!D.metrics.length) return;
    let [metric, corpus, subset] = [D.metrics.at(0).name, D.corpora[0].name, "all"];
    if (metricOf.has("kept-whole-running")) metric = "kept-whole-running";
    const redraw = () => own.draw();
    const controls = [
      select("Metric", D.metrics.map((one) => [one.name, one.label]), metric, (value) => { metric = value; redraw(); }),
      select("Corpus", D.corpora.map((one) => [one.name, one.name]), corpus, (value) => { corpus = value; redraw(); }),
      select("Subset", D.subsets.map((one) => [one, wordsOf(one)]), subset, (value) => { subset = value; redraw(); }),
    ];
    const own = section("any", sized ? "Any metric by size" : "Any metric", (width) => bySize(metric, corpus, subset, width, true), controls);
  }

  function growth() {
    if (!D.growth.length) return;
    let subset = "all";
    const own = section("growth", "Growth with the training text", (width) => {
      const points = D.growth.filter(([system, of]) => of === subset && shown.has(system)).map(
        ([system, , x, y]) => ({ system, x: x * 100, y, low: y, high: y,
          shown_x: `${x * 100} % of the training text`, shown_y: number(y) }));
      return lines({ points, x: "% of the training text", y: labelOf("fertility"), width,
        ticks: [...new Set(points.map((p) => p.x))] });
    }, toggles([["all", "all words"], ["unseen", "unseen words"]], subset, (value) => { subset = value; own.draw(); }));
  }

  function tokensOfText() {
    if (!D.ranks.length) return;
    section("ranks", "How often tokens occur, by rank", (width) => lines({
      points: [], logY: true, x: "rank of the token", y: `count in ${text.name}`, width,
      curve: D.ranks.filter((one) => shown.has(one.system)).flatMap((one) =>
        one.ranks.map((x, i) => ({ system: one.system, x, y: one.counts[i] }))),
    }));
    section("lengths", "How long tokens are", (width) => lines({
      points: [], logX: false, x: "characters of a token", y: `share of the tokens of ${text.name}`, width,
      curve: D.ranks.filter((one) => shown.has(one.system)).flatMap((one) =>
        one.lengths.map((y, x) => ({ system: one.system, x, y })).filter((p) => p.x > 0)),
    }));
  }

  function cost() {
    const ready = new Set(D.systems.filter((system) => system.ready).map((system) => system.name));
    const points = () => D.cost.learning.map(([name, seconds]) => {
      const found = shown.has(name) && !ready.has(name) && cell(name, text.name, "all", "fertility", sizeOf(name));
      return found && !found.gated && seconds > 0 ? { system: name, x: seconds, y: found.value, size: 1,
        shown_x: `${number(seconds)} s to learn`, shown_y: `${number(found.value)} ${labelOf("fertility")}` } : null;
    }).filter(Boolean);
    if (!metricOf.has("fertility") || !points().length) return;
    section("cost", `Seconds to learn against ${labelOf("fertility")}`, () => {
      const spec = scales(structuredClone(D.charts.paths));
      spec.encoding.x.title = "seconds to learn all sizes (measured once)";
      spec.encoding.x.scale = { type: "log" };
      spec.encoding.y.title = `${labelOf("fertility")} at the largest size`;
      spec.datasets = { points: points(), front: [] };
      return points().length ? spec : null;
    });
  }

  function speed() {
    const { columns, rows, right, meaning } = D.cost.speed;
    if (!rows.length) return;
    const cells = (row, tag) => el("tr", {}, ...row.map((value, i) =>
      el(tag, i < right ? {} : { class: "number" }, value)));
    at("charts").append(el("section", { id: "speed", "aria-labelledby": "speed-title" },
      el("h2", { id: "speed-title" }, "How fast each system cuts text"), el("p", { class: "note" }, meaning),
      el("div", { class: "scroll" }, el("table", {}, el("thead", {}, cells(columns, "th")),
        el("tbody", {}, ...rows.map((row) => cells(row, "td")))))));
  }

  function parity() {
    const texts = D.corpora.filter((corpus) => corpus.kind === "text" && has("fertility", corpus.name, "all"));
    if (texts.length < 2) return;
    section("parity", `${capitalised(labelOf("fertility"))} by text`, () => dots({
      points: texts.flatMap((corpus) => visible().map((name) => {
        const p = point(name, corpus.name, "all", "fertility", sizeOf(name));
        return p && !p.gated ? { ...p, low: p.y, high: p.y, group: corpus.name } : null;
      }).filter(Boolean)),
      x: axisTitle("fertility"),
    }), [], "Each system at its largest size.");
  }

  function unseenKinds() {
    const rows = D.unseen.filter((row) => row.corpus === text?.name && row.kind !== "all" && row.words_running);
    if (!rows.length) return;
    const host = el("section", { class: "chart", id: "kinds", "aria-labelledby": "kinds-title" });
    at("charts").append(host);
    const every = D.unseen.find((row) => row.corpus === text.name && row.kind === "all").words_running;
    chart(host, "kinds", `What the unseen words of ${text.name} are`, () => ({
      $schema: D.charts.dots.$schema, width: "container", height: { step: 26 },
      autosize: D.charts.dots.autosize, mark: { type: "bar", color: css("--accent"), height: 14 },
      data: { values: rows.map((row) => ({ kind: D.kinds[row.kind] || row.kind,
        share: (100 * row.words_running) / every, words: whole(row.words_running) })) },
      encoding: {
        y: { field: "kind", type: "nominal", sort: null, title: null },
        x: { field: "share", type: "quantitative", title: "% of the unseen running words" },
        tooltip: [{ field: "kind", title: "kind" }, { field: "words", title: "running words" }],
      },
    }));
  }

  /* ---- legend ---- */

  function legend() {
    at("legend").replaceChildren(...order.map((name) => el("button", {
      type: "button", "aria-pressed": String(shown.has(name)), title: name,
      onclick: () => {
        if (shown.has(name)) shown.delete(name);
        else shown.add(name);
        legend();
        drawAll();
        fillTable();
        segment();
        wordTable();
      },
    }, el("span", { class: "dot", color: colorOf(name) }), el("span", {}, name))));
  }

  /* ---- tokens ---- */

  const loaded = new Map();
  function cutWord(system, size, word) {
    const { use, options, sizes } = D.playable[system];
    const [which, kept] = sizes[size];
    if (!loaded.has(which)) loaded.set(which, Segmenters.load(D.vocabularies[which]));
    return Segmenters.cut({ ...loaded.get(which), use, options }, word, kept);
  }

  const visibleText = (shownText) => shownText
    .replace(/[\0-\x1f\x7f-\x9f\u2028\u2029\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll(" ", "␣");

  /* The text of tokens that hold parts of a character; empty where they make no whole ones. */
  function decoded(tokens) {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    try {
      return tokens.map((one) => one.shown).join("").replace(/(?:<0x[0-9A-F]{2}>)+/g, (run) =>
        decoder.decode(Uint8Array.from(run.match(/[0-9A-F]{2}(?=>)/g), (hex) => parseInt(hex, 16))));
    } catch {
      return "";
    }
  }

  /* Join tokens that hold parts of a character where they make whole ones. */
  function wholeCharacters(tokens) {
    const whole = [];
    for (let i = 0; i < tokens.length; ) {
      const part = (n) => tokens.slice(i, i + n);
      const fits = (n) => i + n <= tokens.length && part(n).every((one) => one.id >= 0) && decoded(part(n));
      const n = /<0x[0-9A-F]{2}>/.test(tokens[i].shown) ? [1, 2, 3, 4].find(fits) ?? 0 : 0;
      const unit = part(n).every((one) => /^<0x[0-9A-F]{2}>$/.test(one.shown)) ? "byte" : "token";
      whole.push(n ? { shown: decoded(part(n)), note: ` (${n} ${unit}${n > 1 ? "s" : ""})`,
        id: part(n).map((one) => one.id).join(" "), bytes: part(n).reduce((sum, one) => sum + one.bytes, 0) }
        : tokens[i]);
      i += n || 1;
    }
    return whole;
  }

  /* Tokens as boxes; `starts` are the bytes of the word where the first system cuts. */
  function boxes(tokens, starts, shownIds) {
    let place = 0;
    return wholeCharacters(tokens).map(({ shown: words, note = "", id, bytes }, i) => {
      const other = starts && i > 0 && !starts.has(place);
      place += bytes;
      const split = note || /<0x[0-9A-F]{2}>/.test(words);
      const names = ["token", id < 0 ? "unknown" : `c${i % 5}`, other ? "other" : "", split ? "split" : ""];
      return el("span", { class: names.filter(Boolean).join(" "),
        title: id < 0 ? "not in the vocabulary" : `id ${id}` },
      (visibleText(words) || "∅") + note, shownIds ? el("sub", {}, id < 0 ? "–" : String(id)) : null);
    });
  }

  function startsOf(tokens) {
    const starts = new Set();
    let place = 0;
    for (const { bytes } of tokens) {
      starts.add(place);
      place += bytes;
    }
    return starts;
  }

  let chosenSize = listed.at(-1);
  let sample = D.samples[0] ?? null;

  /* The tokens of words at the size of the slider; of a sample also what the page cannot cut. */
  function cutAll(words, of) {
    return visible().flatMap((name) => {
      const size = sizeOf(name, chosenSize);
      if (name in D.playable) return [{ name, size, cut: words.map((word) => cutWord(name, size, word)) }];
      const stored = of?.cuts[name]?.[size];
      const token = ([shownText, id, bytes]) => ({ shown: shownText, id, bytes });
      return stored ? [{ name, size, cut: stored.map((tokens) => tokens.map(token)) }] : [];
    });
  }

  function segment() {
    const words = sample ? sample.words : Segmenters.words(at("typed").value, text?.by);
    const withIds = at("ids").checked;
    const lines = cutAll(words, sample);
    const first = lines.length ? lines[0].cut.map(startsOf) : [];
    at("cuts").replaceChildren(...lines.map(({ name, size, cut }) => el("div", { class: "cutline" },
      el("span", {}, size ? `${name}@${size}` : name),
      el("span", {}, ...cut.map((tokens, i) => el("span", { class: "word" }, ...boxes(tokens, first[i], withIds)))),
      el("span", {}, whole(cut.reduce((sum, tokens) => sum + tokens.length, 0))))));
    for (const button of at("samples").children) {
      button.setAttribute("aria-pressed", String(button.textContent === sample?.title));
    }
  }

  function choose(one) {
    sample = one;
    at("typed").value = one.words.join(" ");
    segment();
  }

  function playground() {
    const slider = at("slider");
    const notes = [];
    const canPlay = Object.keys(D.playable).length > 0;
    at("playground").hidden = !canPlay && !D.samples.length;
    at("typed").readOnly = !canPlay;
    notes.push("Red line: a split that the first tokenizer does not make. Dashed frame: not in the vocabulary. Italics: parts of a character.");
    if (canPlay && text?.treatment) notes.push(`The run changes texts before it cuts them (${text.treatment}); this box does not.`);
    if (D.missing.length) {
      notes.push(`This page cannot run ${D.missing.join(", ")} on typed text. Use: tokbench segment data/vocabularies/NAME.json`);
    }
    at("playground-note").textContent = notes.join(" ");
    at("samples").replaceChildren(...D.samples.map((one) =>
      el("button", { type: "button", class: "choice", onclick: () => choose(one) }, one.title)));
    slider.max = Math.max(0, listed.length - 1);
    slider.value = slider.max;
    slider.parentElement.hidden = listed.length < 2;
    const told = () => { at("slider-size").textContent = listed.length > 1 ? chosenSize : ""; };
    slider.addEventListener("input", () => { chosenSize = listed[slider.value]; told(); segment(); wordTable(); });
    at("typed").addEventListener("input", () => { sample = null; segment(); });
    at("ids").addEventListener("change", () => { segment(); wordTable(); });
    told();
    if (sample) choose(sample);
    else segment();
  }

  function wordTable() {
    const unseen = D.samples.find((one) => one.title === "unseen words");
    const columns = unseen ? cutAll(unseen.words, unseen) : [];
    at("words").hidden = !columns.length;
    if (!columns.length) return;
    const head = el("tr", {}, el("th", { scope: "col" }, "word"),
      ...columns.map(({ name }) => el("th", { scope: "col" }, name)));
    const rows = unseen.words.map((word, i) => {
      const first = startsOf(columns[0].cut[i]);
      return el("tr", {}, el("th", { scope: "row" }, visibleText(word)), ...columns.map(({ cut }) =>
        el("td", { class: "cut" }, ...boxes(cut[i], first, at("ids").checked))));
    });
    at("words-table").replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows)));
  }

  /* ---- the table ---- */

  const view = { corpus: D.corpora[0]?.name, subset: "all", size: listed.at(-1) ?? "", filter: "", sort: null, up: true };

  function tableMetrics() {
    return D.metrics.filter((metric) => has(metric.name, view.corpus, view.subset)).map((metric) => metric.name);
  }

  function tableRows() {
    const metrics = tableMetrics();
    const rows = visible().filter((name) => name.toLowerCase().includes(view.filter.toLowerCase())).map((name) => {
      const size = sizeOf(name, view.size);
      return { name, size, cells: metrics.map((metric) => cell(name, view.corpus, view.subset, metric, size)) };
    });
    if (view.sort !== null) {
      const key = (row) => (view.sort === "system" ? row.name : row.cells[metrics.indexOf(view.sort)]?.value ?? Infinity);
      rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (view.up ? 1 : -1));
    }
    return { metrics, rows };
  }

  function signature(row, metric) {
    const own = D.systems.find((system) => system.name === row.name);
    const part = (of) => D.signatures.find((one) => Object.entries(of).every(([k, v]) => one[k] === v));
    const system = part({ system: own.system, size: row.size, corpus: "" });
    const corpus = part({ system: "", size: "", corpus: view.corpus });
    if (!system || !corpus) return "";
    const context = own.context === "in-context" ? ["in-context"] : [];
    return [system.beginning, corpus.beginning, ...context, metric, system.end].join("|");
  }

  function showMetric(name) {
    const metric = metricOf.get(name);
    const part = (title, words) => (words ? [el("p", {}, el("b", {}, `${title}: `), words)] : []);
    const { rows } = tableRows();
    at("metric").replaceChildren(el("h2", {}, metric.label === name ? name : `${capitalised(metric.label)} (${name})`), el("p", {}, metric.meaning),
      ...part("Formula", metric.formula), ...part("Better", metric.better), ...part("Source", metric.source),
      ...part("What is known about it", metric.evidence),
      el("p", {}, el("b", {}, "Cite: "), el("code", {}, rows.length ? signature(rows[0], name) : "")));
    at("metric").hidden = false;
    at("metric").scrollIntoView({ block: "nearest" });
  }

  function fillTable() {
    const { metrics, rows } = tableRows();
    const sortBy = (key, words) => el("button", { type: "button", "aria-label": `Sort by ${words}`,
      onclick: () => { view.up = view.sort === key ? !view.up : true; view.sort = key; fillTable(); } },
    words, view.sort === key ? (view.up ? " ↑" : " ↓") : "");
    const sorted = (key) => (view.sort === key ? (view.up ? "ascending" : "descending") : "none");
    const head = el("tr", {}, el("th", { scope: "col", "aria-sort": sorted("system") }, sortBy("system", "system")),
      el("th", { scope: "col", class: "number" }, "vocabulary size"),
      ...metrics.map((metric) => el("th", { scope: "col", class: "number", "aria-sort": sorted(metric) },
        sortBy(metric, labelOf(metric)), " ", el("button", { type: "button", class: "small", "aria-label": `About ${labelOf(metric)}`, title: metric,
          onclick: () => showMetric(metric) }, "?"))), el("th", { scope: "col" }, "cite"));
    const body = rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.name),
      el("td", { class: "number" }, whole(reachedAt(row.name, row.size) ?? 0)),
      ...row.cells.map((found) => el("td", { class: "number" }, found ? number(found.value) + signs(found) : "",
        found && found.low !== null ? el("small", {}, `${number(found.low)}–${number(found.high)}`) : null)),
      el("td", {}, el("button", { type: "button", class: "small", "aria-label": `Copy the citation of ${row.name}`,
        onclick: (event) => copy(signature(row, metrics[0] || "METRIC"), event.target) }, "copy"))));
    const gated = rows.some((row) => row.cells.some((found) => found?.gated));
    const lost = rows.some((row) => row.cells.some((found) => found?.lost));
    at("numbers").replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)),
      gated ? el("p", {}, `†: ${D.gated}.`) : "", lost ? el("p", {}, `‡: ${D.lost}.`) : "");
  }

  async function copy(words, button) {
    try {
      await navigator.clipboard.writeText(words);
      button.textContent = "copied";
    } catch {
      button.replaceWith(el("code", {}, words));
    }
  }

  const safe = (words) => (/^[=+\-@\t\r]/.test(words) ? `'${words}` : words);
  const quoted = (words) => (/[",\n\r]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words);
  const TEX = { "&": "\\&", "%": "\\%", $: "\\$", "#": "\\#", _: "\\_", "{": "\\{", "}": "\\}",
    "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\\": "\\textbackslash{}" };
  const tex = (words) => words.replace(/[&%$#_{}~^\\]/g, (char) => TEX[char]);
  const markdown = (words) => words.replace(/[\\`*_[\]<>|]/g, (char) => `\\${char}`);

  function written(form) {
    const { metrics, rows } = tableRows();
    const cellsOf = (row, spell) => [spell(visibleText(row.name)), String(reachedAt(row.name, row.size) ?? ""),
      ...row.cells.map((found) => (found ? (form === "csv" ? String(found.value) : number(found.value)) : ""))];
    const head = form === "csv" ? ["system", "|V|", ...metrics]
      : ["system", "vocabulary size", ...metrics.map(labelOf)];
    if (form === "csv") {
      const lined = [head, ...rows.map((row) => cellsOf(row, safe))];
      return lined.map((cells) => cells.map(quoted).join(",")).join("\n") + "\n";
    }
    if (form === "md") {
      const lined = [head.map(markdown), head.map((_, i) => (i ? "---:" : "---")), ...rows.map((row) => cellsOf(row, markdown))];
      return lined.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
    }
    const lined = rows.map((row) => `${cellsOf(row, tex).join(" & ")} \\\\\n`).join("");
    const titles = head.map(tex);
    const caption = `${tex(view.corpus)}, ${tex(view.subset)} words. ${tex(rows.length ? signature(rows[0], "METRIC") : "")}`;
    return `\\begin{table}\n\\begin{tabular}{l${"r".repeat(titles.length - 1)}}\n\\toprule\n${titles.join(" & ")} \\\\\n`
      + `\\midrule\n${lined}\\bottomrule\n\\end{tabular}\n\\caption{${caption}}\n\\end{table}\n`;
  }

  function table() {
    const change = (key) => (value) => { view[key] = value; fillTable(); };
    const filter = el("input", { type: "search", placeholder: "filter systems", "aria-label": "Filter systems",
      oninput: () => change("filter")(filter.value) });
    const save = ([form, type, words]) => el("button", { type: "button", class: "small",
      onclick: () => download(`table.${form}`, type, written(form)) }, words);
    at("table-controls").replaceChildren(
      select("Corpus", D.corpora.map((one) => [one.name, one.name]), view.corpus, change("corpus")),
      select("Subset", D.subsets.map((one) => [one, wordsOf(one)]), view.subset, change("subset")),
      listed.length > 1 ? select("Size", listed.map((size) => [size, `vocabulary size ${size}`]), view.size, change("size")) : "",
      filter, ...[["csv", "text/csv", "CSV"], ["tex", "text/plain", "LaTeX"], ["md", "text/markdown", "Markdown"]].map(save));
    fillTable();
  }

  /* ---- start ---- */

  function about() {
    const trained = D.training.map((one) => `trained on ${one.name} (${whole(one.words)} words)`);
    const tested = text ? [`tested on ${text.name} (${whole(text.words)} words)`] : [];
    const sizes = listed.length ? [`${listed.length} ${listed.length === 1 ? "size" : "sizes"}`] : [];
    const count = new Set(D.systems.map((system) => system.system)).size;
    const systems = `${count} ${count === 1 ? "system" : "systems"}`;
    at("about").textContent = [[systems, ...sizes].join(" × "), ...trained, ...tested,
      `${whole(D.resamples)} resamples`].join(" · ");
  }

  function theme(dark) {
    root.dataset.theme = dark ? "dark" : "light";
  }

  async function start() {
    theme(matchMedia("(prefers-color-scheme: dark)").matches);
    about();
    if (!names.length) {
      for (const id of ["legend", "charts", "size", "playground", "words", "table"]) at(id).hidden = true;
      return;
    }
    sizeChart();
    unseenKinds();
    groups("bands", "By how often the word was seen in training", "band:", "fertility",
      text ? [text] : [], "Each system at its largest size. Rare words are also longer.");
    tradeoff();
    anyMetric();
    groups("cut-kinds", "By kind of unseen words", "kind:", "fertility", text ? [text] : []);
    groups("categories", "By category", "category:", "fertility",
      D.corpora.filter((corpus) => ["list", "gold"].includes(corpus.kind)),
      `Each system at its largest size, unless it cannot write more than ${100 * D.gate} % of the words.`);
    groups("noise", "Tokens that change when words do", "perturbed:", "token-edit-distance",
      D.corpora.filter((corpus) => corpus.kind === "pairs"), "The share of tokens that are others, by kind of change.");
    growth();
    parity();
    tokensOfText();
    cost();
    speed();
    legend();
    playground();
    wordTable();
    table();
    document.querySelectorAll("#answer a").forEach((link) => {
      if (!at(link.hash.slice(1))) link.remove();
    });
    at("theme").addEventListener("click", () => {
      theme(root.dataset.theme !== "dark");
      legend();
      drawAll();
    });
    let width = innerWidth;
    addEventListener("resize", () => {
      if ((width < 820) !== (innerWidth < 820)) drawAll();
      width = innerWidth;
    });
    await drawAll();
  }

  start().finally(() => { root.dataset.ready = "true"; });
})();
