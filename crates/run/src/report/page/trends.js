// How hunts went over weeks: figures of each hunt in the order of time, figures of each engine version, and the life of
// bugs over releases.

// Rows of the picture of lives that are made at once.
const LIVES = 40;

function productOf(version) {
  const words = version.split(' (')[0].split(' ');
  const at = words.findIndex((w) => /^\d/.test(w));
  return words.slice(0, at < 0 ? words.length : at).join(' ');
}

function releaseOf(version) {
  return version.split(' (')[0].split(' ').find((w) => /^\d/.test(w)) || version;
}

// 3.8.11.1 comes before 3.9.1; what is no number comes last.
function byRelease(a, b) {
  const numbers = (text) => (/^\d+(\.\d+)*$/.test(text) ? text.split('.').map(Number) : null);
  const x = numbers(a), y = numbers(b);
  if (!x || !y) return x ? -1 : y ? 1 : a < b ? -1 : a > b ? 1 : 0;
  for (let i = 0; i < Math.max(x.length, y.length); i += 1) {
    if ((x[i] ?? -1) !== (y[i] ?? -1)) return (x[i] ?? -1) - (y[i] ?? -1);
  }
  return 0;
}

// Hunts in the order of time with their figures; found, first found and bugs known so far come from the findings.
function huntsOf(campaigns, findings) {
  const hunts = campaigns.map((c) => ({ name: c.name, ...figuresOfHunt(c), found: 0, fresh: 0, back: 0 }));
  // One that runs, or was cut off, has not said which release it is.
  const begun = new Map(campaigns.map((c) => [c.name, c.began ? c.began.engine : '']));
  hunts.forEach((h) => { h.product = productOf(h.version) || begun.get(h.name).replace(/^(canary):/, '$1 ').split(':')[0] || 'unknown'; });
  hunts.sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
  const named = new Map(hunts.map((h) => [h.name, h]));
  for (const f of findings.filter((x) => x.history)) {
    const shown = f.history.events.filter((e) => e.shown);
    for (const name of new Set(shown.map((e) => e.hunt))) if (named.has(name)) named.get(name).found += 1;
    if (shown.length && named.has(shown[0].hunt)) named.get(shown[0].hunt).fresh += 1;
    f.history.events.forEach((e, i) => {
      if (i && e.shown && !f.history.events[i - 1].shown && named.has(e.hunt)) named.get(e.hunt).back += 1;
    });
  }
  // Where bugs were replayed alone, nothing was hunted.
  const hunted = hunts.filter((h) => h.checks || h.statements || h.found);
  let known = 0;
  for (const h of hunted) {
    known += h.fresh;
    h.known = known;
  }
  return hunted;
}

// series: [{name, value}]: one point for each hunt; none where the value is null.
function huntChart(title, hunts, series, show, open) {
  const { width, height, left, right, top, bottom } = CHART;
  const most = Math.max(...hunts.flatMap((h) => series.map((s) => s.value(h) ?? 0)));
  const said = (h) => series.filter((s) => s.value(h) !== null).map((s) => `${s.name || ''} ${show(s.value(h))}`.trim()).join(', ');
  const yTicks = ticks(most, show === number);
  const highest = yTicks[yTicks.length - 1];
  const step = (width - left - right) / Math.max(1, hunts.length - 1);
  const x = (i) => (hunts.length === 1 ? (left + width - right) / 2 : left + step * i);
  const y = (v) => height - bottom - (height - top - bottom) * (v / highest);
  const last = hunts[hunts.length - 1];
  const words = `${title} of ${count(hunts.length, 'hunt')}: ${said(last)} in the last`;
  const graph = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words });
  for (const v of yTicks) {
    graph.append(svg('line', { x1: left, x2: width - right, y1: y(v), y2: y(v), class: 'grid' }),
      svg('text', { x: left - 6, y: y(v) + 3.5, class: 'tick end' }, show === percent ? percent(v) : short(v)));
  }
  const labelled = [...new Set([0, Math.floor((hunts.length - 1) / 2), hunts.length - 1])];
  for (const i of labelled) {
    // On one day it is the time that tells them apart.
    const day = (h) => isoDate(h.at).slice(0, 10);
    const text = !hunts[i].at ? `hunt ${i + 1}` : hunts.length > 1 && day(hunts[0]) === day(last) ? isoDate(hunts[i].at).slice(11, 16) + 'Z' : day(hunts[i]);
    const label = axisLabel(x(i), text, width, right);
    if (i === 0 && hunts.length > 1) {
      label.setAttribute('class', 'tick start');
      label.setAttribute('x', left);
    }
    graph.append(label);
  }
  series.forEach((s, k) => {
    const points = hunts.map((h, i) => [x(i), s.value(h)]).filter((p) => p[1] !== null).map((p) => [p[0], y(p[1])]);
    graph.append(svg('path', { d: points.map((p, i) => `${i ? 'L' : 'M'}${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join(''), class: `curve c${k}` }));
    if (hunts.length <= 60) points.forEach((p) => graph.append(svg('circle', { cx: p[0], cy: p[1], r: 3, class: `dot c${k}` })));
  });
  const readout = el('span', { class: 'readout' });
  const at = (event) => {
    const box = graph.getBoundingClientRect();
    const i = Math.round(((event.clientX - box.left) / box.width * width - left) / step);
    return hunts[Math.min(hunts.length - 1, Math.max(0, i))];
  };
  graph.addEventListener('pointermove', (event) => {
    const h = at(event);
    readout.textContent = visible(`${h.at ? isoDate(h.at) : h.name} ${h.version}: ${said(h)}`);
  });
  graph.addEventListener('pointerleave', () => { readout.textContent = ''; });
  graph.addEventListener('click', (event) => open(at(event).name));
  const legend = series.length > 1 && el('span', { class: 'legend' }, series.map((s, i) => el('span', { class: `key k${i}` }, s.name)));
  return el('figure', { class: 'chart over-hunts' }, el('figcaption', null, el('span', null, title), legend, readout), graph);
}

// Engines that a chart tells apart.
const LINES = 4;

// Speeds and shares of two engines have nothing to do with each other: a line for each engine, those with most hunts.
function perEngine(hunts, value) {
  const often = new Map();
  for (const h of hunts) often.set(h.product, (often.get(h.product) || 0) + 1);
  const products = [...often].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, LINES).map(([product]) => product).sort();
  // An engine that has no such figure has no line.
  return products.map((product) => ({ name: product, value: (h) => (h.product === product ? value(h) : null) }))
    .filter((s) => hunts.some((h) => s.value(h) !== null));
}

function trendCharts(hunts, open) {
  const share = (part, whole) => (whole ? part / whole : 0);
  const several = new Set(hunts.map((h) => h.product)).size > 1;
  const each = (value) => (several ? perEngine(hunts, value) : [{ value }]);
  return [
    huntChart('Bugs found', hunts, [{ name: 'found', value: (h) => h.found }, { name: 'new', value: (h) => h.fresh }], number, open),
    huntChart('Distinct bugs so far', hunts, [{ value: (h) => h.known }], number, open),
    huntChart('Checks', hunts, each((h) => h.checks), number, open),
    huntChart('Checks per second', hunts, each((h) => h.perSecond), number, open),
    hunts.some((h) => h.plans) && huntChart('Coverage: distinct plans', hunts, several ? each((h) => h.plans || null) :
      [{ name: 'plans', value: (h) => h.plans }, hunts.some((h) => h.pairs) && { name: 'plan pairs', value: (h) => h.pairs }].filter(Boolean), number, open),
    several ? huntChart('Vacuous checks', hunts, each((h) => share(h.vacuous, h.checks)), percent, open) : huntChart('Vacuous and rejected', hunts, [
      { name: 'vacuous checks', value: (h) => share(h.vacuous, h.checks) }, { name: 'rejected statements', value: (h) => share(h.rejected, h.statements) }], percent, open),
  ].filter(Boolean);
}

// All hunts of a version together; its bugs are distinct ones.
function versionTable(hunts, findings) {
  const versions = [...new Set(hunts.map((h) => h.version).filter(Boolean))]
    .sort((a, b) => (productOf(a) < productOf(b) ? -1 : productOf(a) > productOf(b) ? 1 : byRelease(releaseOf(a), releaseOf(b))));
  if (!versions.length) return null;
  const row = (version) => {
    const mine = hunts.filter((h) => h.version === version);
    const sum = (value) => mine.reduce((s, h) => s + value(h), 0);
    const checks = sum((h) => h.checks), seconds = sum((h) => h.seconds), statements = sum((h) => h.statements);
    const bugs = findings.filter((f) => f.history && f.history.events.some((e) => e.shown && e.version === version));
    return [version, number(mine.length), number(bugs.length), number(sum((h) => h.fresh)), number(checks), number(seconds ? checks / seconds : 0),
      Math.max(...mine.map((h) => h.plans)) ? number(Math.max(...mine.map((h) => h.plans))) : '–', percent(checks ? sum((h) => h.vacuous) / checks : 0), percent(statements ? sum((h) => h.rejected) / statements : 0)];
  };
  const names = ['engine', 'hunts', 'bugs', 'new', 'checks', 'per second', 'plans, most', 'vacuous', 'rejected'];
  return el('section', { class: 'card wide' }, el('h3', null, 'Per engine version'),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Per engine version' }, el('table', { class: 'yield versions' },
      el('thead', null, el('tr', null, names.map((n, i) => el('th', { scope: 'col', class: i ? 'n' : null }, n)))),
      el('tbody', null, versions.map((v) => el('tr', null, row(v).map((cell, i) => (i ? el('td', { class: 'n' }, cell) : el('th', { scope: 'row' }, cell)))))))));
}

// One row per bug, one column per release; href gives the address of a finding.
function lives(findings, href, more) {
  const known = findings.filter((f) => f.history && f.history.life.length);
  const products = [...new Set(known.map((f) => f.history.product))].sort();
  return products.map((product) => {
    const mine = known.filter((f) => f.history.product === product);
    const releases = [...new Set(mine.flatMap((f) => f.history.life.map((l) => l[0])))].sort(byRelease);
    if (releases.length < 2) return null;
    const first = (f) => f.history.life.find((l) => l[1] === 'shows');
    const place = (f) => (first(f) ? releases.indexOf(first(f)[0]) : releases.length);
    mine.sort((a, b) => place(a) - place(b) || (a.title < b.title ? -1 : 1));
    const shown = more ? mine : mine.slice(0, LIVES);
    const row = (f) => {
      const stands = new Map(f.history.life);
      return el('tr', null, el('th', { scope: 'row' }, el('a', { href: href(f) }, f.title), ' ', el('span', { class: `badge status ${f.history.status}` }, f.history.status)),
        releases.map((r) => el('td', { class: stands.get(r) || 'blank', title: `${r}: ${STANDS[stands.get(r)] || 'not tried'}` },
          el('span', { class: 'offscreen' }, STANDS[stands.get(r)] || 'not tried'))));
    };
    return el('section', { class: 'card wide' }, el('h3', null, `Bugs of ${product} over its releases`),
      el('p', { class: 'legend solid' }, Object.keys(STANDS).map((stand) => el('span', { class: `swatch ${stand}` }, STANDS[stand]))),
      el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Bugs of ${product} over its releases` }, el('table', { class: 'lives' },
        el('thead', null, el('tr', null, el('td', null), releases.map((r) => el('th', { scope: 'col' }, el('span', null, r))))),
        el('tbody', null, shown.map(row)))),
      shown.length < mine.length && el('p', { class: 'muted' }, `… and ${count(mine.length - shown.length, 'more bug')}: choose a status or search to see fewer.`));
  }).filter(Boolean);
}
