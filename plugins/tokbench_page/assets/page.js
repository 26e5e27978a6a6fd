(async () => {
  "use strict";
  const root = document.documentElement;
  const D = JSON.parse(await unpacked("data"));
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
  const prose = (text) => text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? el("code", {}, part) : part));
  const whole = (n) => Math.round(n).toLocaleString("en-US");

  function number(value, decimals = Math.abs(value) >= 100 ? 1 : 3) {
    if (value === null || value === undefined) return "";
    if (Math.abs(value) >= 1000) return whole(value);
    const text = value.toFixed(decimals);
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
  const signNotes = (gated, lost, short) => [gated && `†: ${D.gated}.`, lost && `‡: ${D.lost}.`, short && `~: it ${D.narrow}.`].filter(Boolean).map((words) => el("p", {}, words));
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
  const styleOf = (name) => D.styles[order.indexOf(name)];

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
  function drawAll(charts = drawn) {
    queue = queue.then(async () => {
      for (const one of charts) {
        await one.draw();
        await new Promise((resolve) => setTimeout(resolve)); // shows it before the next one
      }
    });
    return queue;
  }

  function scales(spec) {
    const domain = visible();
    const visit = (part) => {
      for (const channel of Object.keys(D.styles[0] ?? {})) {
        const encoding = part.encoding?.[channel];
        const range = domain.map((name) => styleOf(name)[channel]);
        if (encoding?.field) part.encoding[channel] = { ...encoding, scale: { domain, range } };
      }
      (part.layer || []).forEach(visit);
    };
    visit(spec);
    return spec;
  }

  const ends = (values) => [Math.min(...values), Math.max(...values)];

  /* The range of an axis of numbers, and the points with outliers moved to its edge.

     Systems are sorted by how far their farthest value is from the median of all values. Outliers
     are the fewest of the farthest, at most a third of all (rounded up), without which two or more
     others that differ fill less than half of the range, unless a group would have no point left.
     A logarithmic axis has room for all.
     The axis has the range of the others, or 0.2 % of their values where these are nearly equal.
     What lies outside gets its value and an arrow, the first one for what is too low. */
  function fitted(points, axis, arrows, log = false) {
    const [from, to] = log ? [Math.log, Math.exp] : [(n) => n, (n) => n];
    const values = new Map();
    for (const p of points) values.set(p.system, [...(values.get(p.system) ?? []), from(p[axis])]);
    const all = [...values.values()].flat().sort((a, b) => a - b);
    const median = all[Math.floor(all.length / 2)];
    const distance = (name) => Math.max(...values.get(name).map((value) => Math.abs(value - median)));
    const farthest = [...values.keys()].sort((a, b) => distance(b) - distance(a));
    const rangeOf = (names) => ends(names.flatMap((name) => values.get(name)));
    const width = ([low, high]) => high - low;
    const groupsIn = ([low, high]) => new Set(points.filter((p) => from(p[axis]) >= low && from(p[axis]) <= high)
      .map((p) => p.group)).size;
    const groups = groupsIn(rangeOf(farthest));
    let others = farthest;
    const most = log ? 0 : Math.min(Math.ceil(farthest.length / 3), farthest.length - 2);
    for (let n = 1; n <= most && others === farthest; n++) {
      const rest = farthest.slice(n);
      const filled = width(rangeOf(rest));
      if (filled && filled < width(rangeOf(farthest)) / 2 && groupsIn(rangeOf(rest)) === groups) others = rest;
    }
    const near = points.filter((p) => others.includes(p.system));
    const inside = near.flatMap((p) => [p[axis], ...(axis === "y" ? [p.low ?? p.y, p.high ?? p.y] : [])]);
    let [low, high] = ends(inside.map(from));
    const lack = (log ? 0 : 0.002 * Math.abs(high)) - (high - low);
    if (high > low && lack > 0) [low, high] = [low - lack / 2, high + lack / 2];
    const room = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
    const domain = [to(low - room), to(high + room)];
    const edges = [to(low - 0.7 * room), to(high + 0.7 * room)];
    const side = (p) => (p[axis] < domain[0] ? 0 : p[axis] > domain[1] ? 1 : null);
    return { domain, points: points.map((p) => {
      if (side(p) === null) return p;
      const edge = edges[side(p)];
      const interval = axis === "y" ? { low: edge, high: edge } : {};
      return { ...p, ...interval, [axis]: edge, far: number(p[axis]), arrow: arrows[side(p)] };
    }) };
  }

  /* Points by vocabulary size, of which systems of one size that is far from all others stand at the
     edge: else they alone would fill a large part of the axis. */
  function besideOthers(points) {
    const times = new Map();
    for (const { system } of points) times.set(system, (times.get(system) ?? 0) + 1);
    const [low, high] = ends(points.filter((p) => times.get(p.system) > 1).map((p) => p.x));
    if (!(high > low)) return points;
    const [span, room] = [Math.sqrt(high / low), (high / low) ** 0.05];
    return points.map((p) => {
      if (times.get(p.system) > 1 || (p.x > low / span && p.x < high * span)) return p;
      const isLow = p.x < low;
      return { ...p, x: isLow ? low / room : high * room, far: `at ${whole(p.x)}`, arrow: isLow ? "←" : "→" };
    });
  }

  /* The texts of outliers, one for each place; of a system with several sizes the last one's. */
  function edgesOf(points) {
    const last = new Map(points.filter((p) => p.far).map((p) => [`${p.system} ${p.group}`, p]));
    const byPlace = new Map();
    for (const p of last.values()) {
      const place = [p.x, p.y, p.group].join();
      byPlace.set(place, [...(byPlace.get(place) ?? []), p]);
    }
    const leftmost = Math.min(...points.map((p) => p.x));
    const lines = {};
    return [...byPlace.values()].map((here) => {
      const { arrow, x, group = arrow } = here[0];
      const line = lines[group] = (lines[group] ?? -1) + 1; // texts of neighbours stand on lines of their own
      return { ...here[0], dy: arrow === "↑" ? 16 + 14 * line : -12 - 14 * line,
        is_left: arrow === "←" || (arrow !== "→" && x === leftmost),
        text: `${here.map((p) => `${p.system} ${p.far}`).join(", ")} ${arrow}` };
    });
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
    const { domain, points: placed } = fitted(curve.length ? [...curve, ...points] : points, "y", "↓↑");
    const [low, high] = domain;
    const marks = placed.slice(curve.length);
    const scale = logY ? { type: "log", nice: false } : { zero: false, nice: false, domain };
    spec.encoding.x = { ...spec.encoding.x, title: x, axis: { grid: false, format: ",~g" } };
    if (!logX) {
      spec.encoding.x.scale = { zero: false, nice: false };
      spec.encoding.x.axis.tickMinStep = 1;
    }
    if (ticks?.length) spec.encoding.x.axis.values = ticks;
    for (const layer of spec.layer) {
      const yEncoding = layer.encoding.y;
      if (yEncoding.field !== "pixel") Object.assign(yEncoding, { title: y, scale });
    }
    const all = curve.length ? curve : points;
    const last = (name) => all.filter((p) => p.system === name).at(-1);
    const furthest = Math.max(...all.map((p) => p.x));
    const lastOnes = visible().map(last).filter((p) => p && p.x >= 0.8 * furthest && p.y >= low && p.y <= high);
    const labels = width < NARROW || lastOnes.length > 14 || logY ? [] : spread(lastOnes.map((end) => ({
      system: end.system, lost: end.lost,
      text: (end.system.length > 18 ? `${end.system.slice(0, 17)}…` : end.system) + (end.lost ? " ‡" : ""),
      pixel: (1 - (end.y - low) / (high - low)) * spec.height,
    })), spec.height);
    spec.datasets = { points: logY ? points : marks, curve: curve.length ? curve : points, labels, edges: logY ? [] : edgesOf(marks) };
    return spec;
  }

  function dots({ points, x }) {
    if (!points.length) return null;
    const spec = scales(structuredClone(D.charts.dots));
    const [low, high] = ends(points.map((p) => p.y));
    const type = low > 0 && high > 10 * low ? "log" : "linear"; // else most would stand in a corner
    const { domain, points: placed } = fitted(points.map((p) => ({ ...p, x: 0 })), "y", "←→", type === "log");
    for (const { encoding } of spec.layer) Object.assign(encoding.x, { title: x, scale: { ...encoding.x.scale, domain, type, nice: false } });
    spec.encoding.y.sort = [...new Set(points.map((p) => p.group))];
    spec.datasets = { points: placed, edges: edgesOf(placed) };
    return spec;
  }

  /* One measure against another; the x axis may be logarithmic. */
  function paths({ points, front, x, y, logX = false }) {
    if (!points.length) return null;
    const spec = scales(structuredClone(D.charts.paths));
    const across = fitted(points, "x", "←→", logX);
    const up = fitted(across.points, "y", "↓↑");
    const scale = { zero: false, nice: false };
    Object.assign(spec.encoding.x, { title: x, scale: { ...scale, type: logX ? "log" : "linear", domain: across.domain } });
    Object.assign(spec.encoding.y, { title: y, scale: { ...scale, domain: up.domain } });
    spec.datasets = { points: up.points, curve: points, front, edges: edgesOf(up.points) };
    return spec;
  }

  const lower = (metric) => metricOf.get(metric)?.better === "lower";
  const capitalised = (words) => words.charAt(0).toUpperCase() + words.slice(1);
  const labelOf = (metric) => metricOf.get(metric)?.label ?? metric;
  const better = (metric) => (({ lower: " (lower is better)", higher: " (higher is better)" })[metricOf.get(metric)?.better] ?? "");
  const axisTitle = (metric) => labelOf(metric) + better(metric);

  /* A value as a point, and of `tokens` per word where that is asked for. */
  function point(system, corpus, subset, metric, size, perWord = false) {
    const found = cell(system, corpus, subset, metric, size);
    if (!found) return null;
    const words = perWord ? D.corpora.find((one) => one.name === corpus).words : 1;
    const [y, low, high] = [found.value, found.low, found.high].map((value) => (value === null ? null : value / words));
    const interval = low === null ? "" : ` (${number(low)} to ${number(high)}${isShort(corpus) ? "~" : ""})`;
    const reached = reachedAt(system, size);
    return { system, x: reached, y, low: low ?? y, high: high ?? y, gated: found.gated, lost: found.lost,
      shown_x: `vocabulary size ${whole(reached)}`, shown_y: `${number(y)}${interval} ${signs(found)}`.trimEnd() };
  }

  const several = (name) => D.reached[names.indexOf(name)].filter((n) => n !== null).length > 1;
  const sized = names.some(several);

  /* The values of systems at a size on one text, or their geometric mean on several. */
  function meanPoint(system, corpora, subset, metric, size, perWord) {
    const points = corpora.map((corpus) => point(system, corpus, subset, metric, size, perWord));
    if (points.some((p) => !p || p.gated)) return null;
    if (points.length === 1) return points[0];
    const y = Math.exp(points.reduce((sum, p) => sum + Math.log(p.y), 0) / points.length);
    return { ...points[0], y, low: y, high: y, lost: points.some((p) => p.lost), shown_y: number(y) };
  }

  /* Values by size; a length of which too much is unknown is left out. */
  function bySize({ metric, corpora, subset = "all", width, everySize = false, height, systems = visible(), title = axisTitle(metric), perWord = false }) {
    const at = (name, size) => meanPoint(name, corpora, subset, metric, size, perWord);
    if (!sized) return bySystem(systems.map((name) => at(name, sizeOf(name))), metric, title);
    const points = besideOthers(systems.flatMap((name) => D.sizes.map((size) => at(name, size))
      .filter(Boolean).sort((a, b) => a.x - b.x)));
    const curve = subset === "all" && everySize && corpora.length === 1 && corpora[0] === D.corpora[0].name
      ? D.curves.filter(([system, of]) => of === metric && systems.includes(system)).flatMap(
        ([system, , sizes, values]) => sizes.map((x, i) => ({ system, x, y: values[i] })).filter((p) => p.y !== null))
      : [];
    const ticks = [...new Set(listed.filter((size) => !size.includes(":")).map(Number))];
    return lines({ points, curve, x: "vocabulary size", y: title, ticks, width, height });
  }

  /* Where no system has several sizes: one line a system, with its interval; last those whose word ends are lost. */
  function bySystem(values, metric, title) {
    const points = values.filter(Boolean).sort((a, b) => (a.lost - b.lost) || (a.y - b.y) * (lower(metric) ? 1 : -1));
    return dots({ points: points.map((p) => ({ ...p, group: p.system })), x: title });
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

  /* The chart that carries the recommendation: its metric, on its texts, of the systems compared. */
  function sizeChart() {
    const { metric, corpora, per_word: perWord, drawn, apart } = D.criterion;
    if (!metric || !corpora.length) return;
    const label = perWord ? "tokens per word, spaces included" : labelOf(metric);
    const choices = [...(corpora.length > 1 ? [["", `mean of ${corpora.length} texts`]] : []),
      ...corpora.map((name) => [name, name])];
    let [text, choice] = [choices[0][0], "all"];
    const names = () => (text ? [text] : corpora);
    const options = [["all", "all words"]];
    if (has(metric, corpora[0], "unseen")) options.push(["unseen", "unseen words"]);
    if (D.curves.some(([, of]) => of === metric)) options.push(["every", "every size"]);
    const heading = () => `${capitalised(label)}, ${text || `mean of ${corpora.length} texts`}`;
    const own = chart(at("size"), "size", heading(),
      (width) => bySize({ metric, corpora: names(), subset: choice === "unseen" ? "unseen" : "all", width,
        everySize: choice === "every", height: width < NARROW ? undefined : FIRST,
        systems: visible().filter((name) => drawn.includes(name)), title: label + better(metric), perWord }),
      [...(options.length > 1 ? toggles(options, choice, (value) => { choice = value; own.draw(); }) : []),
        choices.length > 1 ? select("Text", choices, text, (value) => { text = value; own.title(heading()); own.draw(); }) : null].filter(Boolean),
      `${corpora.length > 1 ? "The mean of texts is geometric, and has no interval. " : ""}`
      + `${sized ? "Bands" : "Lines"} are 95 % intervals, for text like this, not for a `
      + `whole book or language.${corpora.some(isShort) ? ` They ${D.narrow} (~).` : ""}`);
    if (!apart.length) return;
    at("size").append(el("div", { class: "apart" }, el("h3", {}, "Not compared with these"), el("ul", {},
      ...apart.map(({ systems, reason }) => el("li", {}, el("b", {}, systems.join(", ")), `: ${reason}`)))));
  }

  function groupOf(subset) {
    const [family, name] = subset.split(/:(.*)/s);
    if (!name) return "never seen";
    const seen = name === "1" ? "seen once" : `seen ${name} times`;
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

  /* Groups of words, such as bands: one row each, systems as points. Unseen words may come first,
     which older runs also call band:0. */
  function groups(id, title, prefix, metric, corpora, note, withUnseen) {
    const found = corpora.flatMap((corpus) => D.subsets
      .filter((subset) => subset.startsWith(prefix) && subset !== "band:0" && has(metric, corpus.name, subset))
      .map((subset) => ({ corpus, subset })));
    if (!found.length) return;
    if (withUnseen && has(metric, text.name, "unseen")) found.unshift({ corpus: text, subset: "unseen" });
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
        return { system: name, x: x.value, y: y.value, size: reached, lost: x.lost || y.lost,
          shown_x: `vocabulary size ${whole(reached)}, ${across.title}: ${number(x.value)}${signs(x)}`,
          shown_y: `${up.title}: ${number(y.value)}${signs(y)}` };
      }).filter(Boolean));
      const like = points.filter((p) => !p.lost);
      return paths({ points, front: frontOf(like.length ? like : points, across.low, up.low),
        x: `${across.title} (left is better)`, y: up.low ? `${up.title} (lower is better)` : up.title });
    }, pairs.length > 1 ? toggles(pairs.map(([id, label]) => [id, label]), chosen[0], (id) => {
      chosen = pairs.find((one) => one[0] === id);
      own.draw();
    }) : [],
    "Each point is a size, larger points larger sizes. Grey band: the best compromises."
      + " It leaves out systems with word ends lost (‡, hollow) where there are others.");
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
    const own = section("any", sized ? "Any metric by size" : "Any metric", (width) => bySize({ metric, corpora: [corpus], subset, width, everySize: true }), controls);
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
    const curves = (valuesOf) => D.ranks.filter((one) => shown.has(one.system)).map((one) =>
      valuesOf(one).map(([x, y]) => ({ system: one.system, x, y, shown_x: number(x), shown_y: number(y) })));
    const withShapes = (of, every) => ({ curve: of.flat(),
      points: of.flatMap((curve, i) => curve.filter((_, at) => (at + i) % every === 0)) });
    section("ranks", "How often tokens occur, by rank", (width) => lines({
      logY: true, x: "rank of the token", y: `count in ${text.name}`, width,
      ...withShapes(curves((one) => one.ranks.map((x, i) => [x, one.counts[i]])), 10),
    }));
    section("lengths", "How long tokens are", (width) => lines({
      logX: false, x: "characters of a token", y: `share of the tokens of ${text.name}`, width,
      ...withShapes(curves((one) => one.lengths.map((y, x) => [x, y]).filter(([x, y]) => x && y >= 0.002)), 1),
    }));
  }

  function cost() {
    const ready = new Set(D.systems.filter((system) => system.ready).map((system) => system.name));
    const before = D.cost.cached.filter((name) => !ready.has(name));
    const points = () => D.cost.learning.map(([name, seconds]) => {
      const found = shown.has(name) && !ready.has(name) && cell(name, text.name, "all", "fertility", sizeOf(name));
      return found && !found.gated && seconds > 0 ? { system: name, x: seconds, y: found.value, size: 1, lost: found.lost,
        shown_x: `${number(seconds)} s to learn`, shown_y: `${number(found.value)} ${labelOf("fertility")}` } : null;
    }).filter(Boolean);
    if (!metricOf.has("fertility") || points().length < 2) return; // one point alone compares nothing
    section("cost", `Seconds to learn against ${labelOf("fertility")}`, () => {
      const title = "seconds to learn all sizes (measured once)";
      return paths({ points: points(), front: [], x: title, y: `${labelOf("fertility")} at the largest size`, logX: true });
    }, [], before.length ? `Learned before, so not measured: ${before.join(", ")}.` : "");
  }

  /* A table of systems, with the rows of those in the legend. */
  function listing(id, title, { columns, rows, right, meaning }) {
    const [body, notes] = [el("tbody"), el("div")];
    const cells = (row, tag) => el("tr", {}, ...row.map((value, i) =>
      el(tag, i < right ? {} : { class: "number" }, value)));
    drawn.push({ draw() {
      const listed = rows.filter(([name]) => shown.has(name));
      body.replaceChildren(...listed.map((row) => cells(row, "td")));
      notes.replaceChildren(...signNotes(...["†", "‡"].map((sign) => listed.flat().some((value) => value.includes(sign)))));
    } });
    return el("section", { id, "aria-labelledby": `${id}-title` },
      el("h2", { id: `${id}-title` }, title), el("p", { class: "note" }, ...prose(meaning)),
      el("div", { class: "scroll" }, el("table", {}, el("thead", {}, cells(columns, "th")), body)), notes);
  }

  /* Each text beside the others: a measure as a chart and as a table, both with a row for each text. */
  function byText() {
    if (!D.by_text) return;
    const { texts, numbers, measures, reference: ofConfig } = D.by_text;
    const keys = Object.keys(measures);
    const rows = new Map(numbers.map((row) => [row.slice(0, 2).join("@"), row]));
    const has = (measure, t) => numbers.some((row) => row[4][t][keys.indexOf(measure)] !== null);
    const measured = keys.filter((measure) => texts.some((_, t) => has(measure, t)));
    let [measure, size, reference] = [measured[0], D.by_text.size, ofConfig];
    const about = () => ({
      tokens_per_byte: "Of the UTF-8 bytes of words, so that languages compare.",
      cannot_write: "Of all running words.",
      parity: `How many times the tokens of ${reference} a translation takes; only texts whose lines say the same have it.`
        + " Gini coefficient: how unevenly these texts pay, 0 if all take the same number of tokens"
        + " (Foroutan et al. 2025); empty where a text has the sign †.",
    })[measure] ?? "";

    /* What a system spends on a text; null where it is undefined. */
    function spent([system, size, , lostEnds, cells], t) {
      const at = keys.indexOf(measure);
      let value = cells[t][at];
      if (value !== null && measure === "parity") value /= cells[texts.indexOf(reference)][at];
      if (value === null) return null;
      const isLength = measure !== "cannot_write";
      const [gated, lost] = [isLength && cells[t].at(-1), isLength && measure !== "parity" && lostEnds];
      if (!isLength) value *= 100;
      return { value, gated, lost, words: (isLength ? number(value) : `${number(value, 2)} %`) + signs({ gated, lost }),
        reached: reachedAt(system, size) };
    }

    const heading = () => `${capitalised(measures[measure])}, by text`;
    const [note, table] = [el("p", { class: "note" }), el("div", { class: "scroll" })];
    function draw() {
      const systems = visible().map((name) => rows.get(`${name}@${sizeOf(name, size)}`)).filter(Boolean);
      const lines = texts.map((text, t) => [text, systems.map((row) => spent(row, t))]).filter(([, cells]) => cells.some(Boolean));
      const every = lines.flatMap(([, cells]) => cells).filter(Boolean);
      const line = (title, cells) => el("tr", {}, el("th", { scope: "row" }, title), ...cells.map((words) => el("td", { class: "number" }, words)));
      referenceBox.hidden = measure !== "parity";
      const gated = every.some((found) => found.gated);
      own.title(heading());
      note.textContent = [listed.length > 1 ? `At vocabulary size ${size}, or a system's largest.` : "", about(),
        gated ? "The chart leaves out values with the sign †." : ""].filter(Boolean).join(" ");
      table.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "text"),
        ...systems.map(([name]) => el("th", { scope: "col", class: "number" }, name)))),
      el("tbody", {}, ...lines.map(([text, cells]) => line(text, cells.map((found) => found?.words ?? ""))),
        measure === "parity" ? line("Gini coefficient", systems.map(([, , gini]) => number(gini))) : "")),
      ...signNotes(gated, every.some((found) => found.lost)));
      return dots({ x: measures[measure] + (measure === "cannot_write" ? " (%)" : ""), points: lines.flatMap(([group, cells]) => cells.flatMap((found, i) => (!found || found.gated ? [] : [{
        system: systems[i][0], group, y: found.value, low: found.value, high: found.value, lost: found.lost,
        shown_x: `vocabulary size ${whole(found.reached)}`, shown_y: found.words }]))) });
    }

    const host = el("section", { class: "chart", id: "texts", "aria-labelledby": "texts-title" });
    at("playground").before(host);
    const referenceBox = select("Reference of parity", texts.filter((_, t) => has("parity", t)).map((text) => [text, `times ${text}`]),
      reference, (value) => { reference = value; own.draw(); });
    const own = chart(host, "texts", heading(), draw, [
      select("Measure", measured.map((key) => [key, measures[key]]), measure, (value) => { measure = value; own.draw(); }),
      referenceBox,
      listed.length > 1 ? select("Size of systems", listed.map((one) => [one, `vocabulary size ${one}`]), size,
        (value) => { size = value; own.draw(); }) : null]);
    host.append(note, table);
  }

  function unseenKinds() {
    const rows = D.unseen.filter((row) => row.corpus === text?.name && row.kind !== "all" && row.words_running);
    if (!rows.length) return;
    const host = el("section", { class: "chart", id: "kinds", "aria-labelledby": "kinds-title" });
    at("charts").append(host);
    const every = D.unseen.find((row) => row.corpus === text.name && row.kind === "all").words_running;
    chart(host, "kinds", `What the unseen words of ${text.name} are`, () => ({
      $schema: D.charts.dots.$schema, width: "container", height: { step: 40 },
      autosize: D.charts.dots.autosize, mark: { type: "bar", color: css("--accent"), height: 20 },
      data: { values: rows.map((row) => ({ kind: D.kinds[row.kind] || row.kind,
        share: (100 * row.words_running) / every, words: whole(row.words_running) })) },
      encoding: {
        y: { field: "kind", type: "nominal", sort: null, title: null, axis: D.charts.dots.encoding.y.axis },
        x: { field: "share", type: "quantitative", title: "% of the unseen running words" },
        tooltip: [{ field: "kind", title: "kind" }, { field: "words", title: "running words" }],
      },
    }));
  }

  /* ---- legend ---- */

  const SVG = "http://www.w3.org/2000/svg";
  function symbol(name) {
    const drawing = document.createElementNS(SVG, "svg");
    drawing.setAttribute("viewBox", "-16 -6 32 12");
    for (const attributes of [
      { d: "M-16,0H16", stroke: styleOf(name).color, "stroke-width": 2, "stroke-dasharray": styleOf(name).strokeDash.join() },
      { d: styleOf(name).shape, fill: styleOf(name).color, transform: "scale(5)" },
    ]) {
      const path = document.createElementNS(SVG, "path");
      for (const [key, value] of Object.entries(attributes)) path.setAttribute(key, value);
      drawing.append(path);
    }
    return drawing;
  }

  /* The signs behind a system's name: for how it is compared, and for a name that misleads. */
  const signsOf = (name) => {
    const { systems, reason } = D.criterion.apart.find((one) => one.systems.includes(name)) ?? { systems: [], reason: "" };
    const trap = D.systems[names.indexOf(name)].trap;
    return { sign: (systems.length ? reason.match(/^[†‡]/)?.[0] ?? "" : "") + (trap ? "⚠" : ""),
      why: [reason, trap].filter(Boolean).join("; ") };
  };
  const signed = (name) => `${name} ${signsOf(name).sign}`.trimEnd();

  function legend() {
    at("systems").replaceChildren(...order.map((name) => el("button", {
      type: "button", "aria-pressed": String(shown.has(name)), title: [name, signsOf(name).why].filter(Boolean).join(": "),
      onclick: () => {
        if (shown.has(name)) shown.delete(name);
        else shown.add(name);
        legend();
        drawAll();
        fillTable();
        segment();
        wordTable();
      },
    }, symbol(name), el("span", {}, signed(name)))));
  }

  /* ---- tokens ---- */

  const loaded = new Map();
  function cutWord(system, size, word) {
    const { use, options, sizes } = D.playable[system];
    const [which, kept] = sizes[size];
    if (!loaded.has(which)) loaded.set(which, Segmenters.load(D.vocabularies[which]));
    return Segmenters.cut({ ...loaded.get(which), use, options }, word, kept);
  }

  const CONTROLS = "\\0-\\x1f\\x7f-\\x9f\\u2028\\u2029\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069\\ufeff\\ud800-\\udfff";
  const HIDDEN = new RegExp(`(\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?\\u200d(?=\\p{Extended_Pictographic}))|[${CONTROLS}]`, "gu");
  /* Control characters and lone surrogates are shown by their numbers; emoji stay whole. */
  const visibleText = (shownText) => shownText
    .replace(HIDDEN, (char, emoji) => emoji ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
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

  /* Whether there is a space before each word of a text. */
  function spacesBefore(line, words) {
    let end = 0;
    return words.map((word) => {
      const begin = line.indexOf(word, end);
      if (begin < 0) return true; // a word without the characters that its splitter leaves out
      const between = line.slice(end, begin);
      end = begin + word.length;
      return /\s/.test(between);
    });
  }

  function segment() {
    const line = at("typed").value;
    const words = sample ? sample.words : Segmenters.words(line, text?.by);
    const spaced = spacesBefore(line, words);
    const withIds = at("ids").checked;
    const lines = cutAll(words, sample);
    const first = lines.length ? lines[0].cut.map(startsOf) : [];
    at("cuts").replaceChildren(...lines.map(({ name, size, cut }) => el("div", { class: "cutline" },
      el("span", {}, size ? `${name}@${size}` : name),
      el("span", { dir: "auto" }, ...cut.map((tokens, i) => el("span", { class: spaced[i] ? "word spaced" : "word" }, ...boxes(tokens, first[i], withIds)))),
      el("span", {}, whole(cut.reduce((sum, tokens) => sum + tokens.length, 0))))));
    for (const button of at("samples").children) {
      button.setAttribute("aria-pressed", String(button.textContent === sample?.title));
    }
  }

  function choose(one) {
    sample = one;
    at("typed").value = one.text;
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
        el("td", { class: "cut", dir: "auto" }, ...boxes(cut[i], first, at("ids").checked))));
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
    // What is not compared stands last however rows are sorted, and so does a missing value.
    const metric = metrics.indexOf(view.sort);
    const apart = (row) => {
      if (row.cells.some((found) => found?.gated)) return 2;
      return (metric < 0 ? row.cells.some((found) => found?.lost) : row.cells[metric]?.lost) ? 1 : 0;
    };
    const key = (row) => (view.sort === "system" ? row.name : row.cells[metric]?.value);
    const missing = (row) => Number(view.sort !== null && key(row) === undefined);
    rows.sort((a, b) => (apart(a) - apart(b)) || (missing(a) - missing(b))
      || (view.sort === null || key(a) === key(b) ? 0 : (key(a) < key(b) ? -1 : 1) * (view.up ? 1 : -1)));
    rows.forEach((row, i) => { row.begins = i > 0 && apart(row) !== apart(rows[i - 1]); });
    return { metrics, rows };
  }

  function signature(row, metric) {
    const own = D.systems.find((system) => system.name === row.name);
    const part = (of) => D.signatures.find((one) => Object.entries(of).every(([k, v]) => one[k] === v));
    const system = part({ system: own.system, size: row.size, corpus: "" });
    const corpus = part({ system: "", size: "", corpus: view.corpus });
    if (!system || !corpus) return "";
    const context = own.context === "in-context" ? ["in-context"] : [];
    return [system.beginning, corpus.beginning, ...context, metric, system.end].filter(Boolean).join("|");
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
    const short = isShort(view.corpus);
    const body = rows.map((row) => el("tr", row.begins ? { class: "begins" } : {}, el("th", { scope: "row" }, signed(row.name)),
      el("td", { class: "number" }, whole(reachedAt(row.name, row.size) ?? 0)),
      ...row.cells.map((found) => el("td", { class: "number" }, found ? number(found.value) + signs(found) : "",
        found && found.low !== null ? el("small", {}, `${number(found.low)}–${number(found.high)}${short ? "~" : ""}`) : null)),
      el("td", {}, el("button", { type: "button", class: "small", "aria-label": `Copy the citation of ${row.name}`,
        onclick: (event) => copy(signature(row, metrics[0]), event.target) }, "copy"))));
    const gated = rows.some((row) => row.cells.some((found) => found?.gated));
    const lost = rows.some((row) => row.cells.some((found) => found?.lost));
    const traps = new Set(rows.map((row) => D.systems[names.indexOf(row.name)].trap).filter(Boolean));
    at("numbers").replaceChildren(el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)),
      ...signNotes(gated, lost, short && rows.some((row) => row.cells.some((found) => found && found.low !== null))),
      ...[...traps].map((trap) => el("p", {}, `⚠: ${trap}.`)));
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
  const tex = (words) => words.replace(/./gu, (char) => D.latex[char] ?? char);
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
    const caption = `${tex(view.corpus)}, ${tex(view.subset)} words. ${tex(rows.length ? signature(rows[0], metrics[1] ? "" : metrics[0]) : "")}`;
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

  function theme(dark) {
    root.dataset.theme = dark ? "dark" : "light";
  }

  async function start() {
    theme(matchMedia("(prefers-color-scheme: dark)").matches);
    if (!names.length) {
      for (const id of ["legend", "charts", "size", "playground", "words", "table"]) at(id).hidden = true;
      return;
    }
    sizeChart();
    unseenKinds();
    groups("bands", "By how often the word was seen in training", "band:", "fertility",
      text ? [text] : [], "Each system at its largest size. Rare words are also longer.", true);
    tradeoff();
    anyMetric();
    groups("cut-kinds", "By kind of unseen words", "kind:", "fertility", text ? [text] : []);
    groups("categories", "By category", "category:", "fertility",
      D.corpora.filter((corpus) => ["list", "gold"].includes(corpus.kind)),
      `Each system at its largest size, unless it cannot write more than ${100 * D.gate} % of the words.`);
    groups("noise", "Tokens that change when words do", "perturbed:", "token-edit-distance",
      D.corpora.filter((corpus) => corpus.kind === "pairs"), "The share of tokens that are others, by kind of change.");
    growth();
    tokensOfText();
    cost();
    if (D.cost.speed.rows.length) at("charts").append(listing("speed", "How fast each system cuts text", D.cost.speed));
    byText();
    if (D.model) at("playground").before(listing("model", "In a model", D.model));
    legend();
    document.querySelectorAll("#answer a, #facts a").forEach((link) => {
      if (!at(link.hash.slice(1))) link.remove();
    });
    at("theme").addEventListener("click", () => {
      theme(root.dataset.theme !== "dark");
      legend();
      drawAll();
    });
    const open = () => { at("legend").open = innerWidth >= 820; };
    open();
    addEventListener("beforeprint", () => { at("legend").open = true; });
    addEventListener("afterprint", open);
    let width = innerWidth;
    addEventListener("resize", () => {
      if ((width < 820) !== (innerWidth < 820)) drawAll();
      width = innerWidth;
    });
    await drawAll(drawn.slice(0, 1));
  }

  async function rest() {
    if (!names.length) return;
    playground();
    wordTable();
    table();
    await drawAll(drawn.slice(1));
  }

  // The page can be read when its first chart stands there; the others follow.
  start().finally(() => { root.dataset.ready = "true"; }).then(rest)
    .finally(() => { root.dataset.drawn = "true"; });
})();
