// Charts over time and tables with bars, of one campaign.

const CHART = { width: 520, height: 190, left: 52, right: 12, top: 10, bottom: 26 };

// Round numbers that cover 0 to most, about four of them; whole ones for what is counted.
function ticks(most, whole) {
  if (!(most > 0)) return [0, 1];
  const raw = whole ? Math.max(1, most / 4) : most / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = (whole && raw < 10 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10]).map((f) => f * power).find((s) => s >= raw);
  const out = [];
  for (let v = 0; v <= most + step * 0.999; v += step) out.push(v);
  return out;
}

// The same for time: steps that people count in.
function timeTicks(most) {
  const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
  const step = steps.find((s) => most / s <= 5) || 86400 * Math.ceil(most / 86400 / 5);
  const out = [];
  for (let t = 0; t <= most; t += step) out.push(t);
  return out;
}

// A label at the end of an axis is not cut off by the edge.
function axisLabel(x, text, width, right) {
  const end = x > width - right - 24;
  return svg('text', { x: end ? width - 2 : x, y: CHART.height - 8, class: `tick ${end ? 'end' : 'middle'}` }, text);
}

function short(value) {
  if (value >= 1e6) return `${+(value / 1e6).toFixed(1)} M`;
  if (value >= 1e4) return `${+(value / 1e3).toFixed(1)} k`;
  return value >= 100 || Number.isInteger(value) ? number(value) : String(+value.toPrecision(2));
}

// series: [{name, points: [[seconds, value]], show}]. One colour each, and the last value in words beside it.
// `average` is the figure beside the title, where it is not the last point.
function lineChart(title, series, show, average) {
  const { width, height, left, right, top, bottom } = CHART;
  const all = series.flatMap((s) => s.points);
  if (all.length < 2) return null;
  const lastSecond = Math.max(...all.map((p) => p[0]));
  const yTicks = ticks(Math.max(...all.map((p) => p[1])), show === number);
  const highest = yTicks[yTicks.length - 1];
  const x = (t) => left + (width - left - right) * (t / (lastSecond || 1));
  const y = (v) => height - bottom - (height - top - bottom) * (v / highest);
  const graph = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words(title, series, show) });
  for (const v of yTicks) {
    graph.append(svg('line', { x1: left, x2: width - right, y1: y(v), y2: y(v), class: 'grid' }),
      svg('text', { x: left - 6, y: y(v) + 3.5, class: 'tick end' }, show === percent ? percent(v) : short(v)));
  }
  for (const t of timeTicks(lastSecond)) graph.append(axisLabel(x(t), duration(t), width, right));
  series.forEach((s, i) => {
    const path = s.points.map((p, k) => `${k ? 'L' : 'M'}${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join('');
    graph.append(svg('path', { d: path, class: `curve c${i}` }));
  });
  const readout = el('span', { class: 'readout' });
  const cursor = svg('line', { y1: top, y2: height - bottom, class: 'cursor', visibility: 'hidden' });
  graph.append(cursor);
  graph.addEventListener('pointermove', (event) => {
    const box = graph.getBoundingClientRect();
    const t = lastSecond * Math.min(1, Math.max(0, ((event.clientX - box.left) / box.width * width - left) / (width - left - right)));
    const at = (s) => s.points.reduce((best, p) => (Math.abs(p[0] - t) < Math.abs(best[0] - t) ? p : best));
    const near = at(series[0])[0];
    cursor.setAttribute('x1', x(near));
    cursor.setAttribute('x2', x(near));
    cursor.setAttribute('visibility', 'visible');
    readout.textContent = `after ${duration(near)}: ${series.map((s) => `${show(at(s)[1])}${s.name ? ` ${s.name}` : ''}`).join(', ')}`;
  });
  graph.addEventListener('pointerleave', () => {
    cursor.setAttribute('visibility', 'hidden');
    readout.textContent = '';
  });
  const legend = series.length > 1 && el('span', { class: 'legend' }, series.map((s, i) => el('span', { class: `key k${i}` }, s.name)));
  const now = series.length === 1 && el('strong', null, average === undefined ? show(last(series[0])) : `${show(average)} on average`);
  return el('figure', { class: 'chart' }, el('figcaption', null, el('span', null, title), now, legend, readout), graph);
}

function last(series) {
  return series.points[series.points.length - 1][1];
}

function words(title, series, show) {
  return `${title}: ${series.map((s) => `${s.name || ''} ${show(last(s))}`.trim()).join(', ')} at the end`;
}

// What a hunt did, from its summary or, while it runs, from its points. The only place that works these figures out.
function figuresOfHunt(campaign) {
  const s = campaign.summary, p = campaign.points[campaign.points.length - 1] || {};
  const hunted = campaign.points.filter((x) => x.stage === 'hunt');
  const seconds = s ? s.seconds : (hunted.length ? hunted[hunted.length - 1].seconds : p.seconds) || 0;
  const checks = (s ? s.checks : p.checks) || 0, statements = (s ? s.statements : p.statements) || 0;
  return {
    seconds, checks, statements,
    perSecond: seconds ? checks / seconds : 0,
    vacuous: s ? s.vacuous_share * checks : p.vacuous || 0,
    rejected: s ? s.rejected_share * statements : p.rejected || 0,
    plans: (s ? s.distinct_plans : p.plans) || 0,
    pairs: (s && s.plan_pairs) || 0,
    at: campaign.began ? campaign.began.at : 0,
    version: (s && s.engine_version) || '',
  };
}

// How much came between each point and the one before, per second.
function rate(points, value) {
  return points.map((p, i) => {
    const before = points[i - 1] || { seconds: 0 };
    const time = p.seconds - before.seconds;
    return [p.seconds, time > 0 ? Math.max(0, (value(p) - (i ? value(before) : 0)) / time) : 0];
  });
}

// The share that some checks have of all, between each point and the one before.
function share(points, part, whole) {
  return points.map((p, i) => {
    const before = points[i - 1];
    const all = whole(p) - (before ? whole(before) : 0);
    return [p.seconds, all > 0 ? Math.max(0, (part(p) - (before ? part(before) : 0)) / all) : null];
  }).filter((p) => p[1] !== null);
}

function chartsOf(campaign) {
  const points = campaign.points;
  const hunted = points.filter((p) => p.stage === 'hunt');
  // A hunt of a moment has no curve; its last point stands for all of it.
  const steady = hunted.length > 1 ? hunted : points;
  const zero = [0, 0];
  return [
    lineChart('Checks per second', [{ points: rate(steady, (p) => p.checks) }], number, figuresOfHunt(campaign).perSecond),
    lineChart('Findings', [{ points: [zero, ...points.map((p) => [p.seconds, p.findings])] }], number),
    points.some((p) => p.plans > 0) && lineChart('Distinct plans', [{ points: [zero, ...steady.map((p) => [p.seconds, p.plans])] }], number),
    lineChart('Vacuous and rejected', [
      { name: 'vacuous checks', points: share(steady, (p) => p.vacuous, (p) => p.checks) },
      { name: 'rejected statements', points: share(steady, (p) => p.rejected, (p) => p.statements) },
    ].filter((s) => s.points.length > 1), percent),
  ].filter(Boolean);
}

// Rows of a table that are shown without asking.
const YIELD_ROWS = 12;

// rows: [{name, checks, violations, findings}].
function yieldTable(title, rows) {
  if (!rows.length) return null;
  const most = Math.max(1, ...rows.map((r) => r.checks));
  const sorted = rows.sort((a, b) => b.findings - a.findings || b.violations - a.violations || b.checks - a.checks);
  const row = (r) => el('tr', null,
    el('th', { scope: 'row' }, r.name),
    el('td', { class: 'n' }, number(r.checks), bar(r.checks / most)),
    el('td', { class: 'n' }, number(r.violations)),
    el('td', { class: 'n spare' }, r.checks ? (1e6 * r.violations / r.checks).toFixed(r.violations ? 1 : 0) : '–'),
    el('td', { class: 'n strong' }, r.findings ? number(r.findings) : '–'));
  const head = () => ['', 'checks', 'violated', 'per million', 'findings'].map((h, i) =>
    el(i ? 'th' : 'td', i ? { scope: 'col', class: i === 3 ? 'n spare' : 'n' } : null, h));
  const table = (name, some) => el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': name },
    el('table', { class: 'yield' }, el('thead', null, el('tr', null, head())), el('tbody', null, some.map(row))));
  const rest = sorted.slice(YIELD_ROWS);
  return el('section', { class: 'card' }, el('h3', null, title), table(title, sorted.slice(0, YIELD_ROWS)),
    rest.length > 0 && el('details', null, el('summary', null, `${number(rest.length)} more`), table(`${title}, the others`, rest)));
}

function bar(part) {
  const inner = el('span', null);
  inner.style.width = `${Math.max(part > 0 ? 1 : 0, 100 * part)}%`;
  return el('span', { class: 'bar', 'aria-hidden': 'true' }, inner);
}

// All figures of a campaign; findings are those of all campaigns.
function figuresOf(campaign, findings) {
  const summary = campaign.summary || {};
  const lastPoint = campaign.points[campaign.points.length - 1];
  const stored = findings.filter((f) => f.history && f.history.events.some((e) => e.hunt === campaign.name && e.what === 'found'));
  const found = (test) => stored.filter(test).length;
  const oracles = summary.per_oracle
    ? Object.entries(summary.per_oracle).map(([name, f]) => ({ name, checks: f.checks, violations: f.violations }))
    : Object.entries((lastPoint || {}).per_oracle || {}).map(([name, f]) => ({ name, checks: f[0], violations: f[1] }));
  const rules = Object.entries(summary.per_rule || {}).map(([name, f]) => ({ name, checks: f.checks, violations: f.violations }));
  oracles.forEach((o) => { o.findings = found((f) => f.oracle === o.name); });
  rules.forEach((r) => { r.findings = found((f) => f.rules.includes(r.name)); });
  const charts = chartsOf(campaign);
  const replays = replayed(campaign, findings);
  if (!charts.length && replays) return [el('div', { class: 'columns' }, replays, aboutCampaign(campaign))];
  return [
    charts.length ? el('div', { class: 'charts' }, charts) : el('p', { class: 'muted' }, 'No figures over time were recorded.'),
    el('div', { class: 'columns' },
      yieldTable('Per oracle', oracles), yieldTable('Per rule', rules), replays, dialectOf(summary), aboutCampaign(campaign)),
  ];
}

// What became of bugs that this run replayed.
function replayed(campaign, findings) {
  const rows = findings.flatMap((f) => (f.history ? f.history.events : [])
    .filter((e) => e.hunt === campaign.name && e.what.startsWith('replayed'))
    .map((e) => el('tr', null, el('td', null, f.title), el('td', { class: e.shown ? 'failed' : 'gone' }, e.what.replace('replayed: ', '')), el('td', null, e.version))));
  return rows.length > 0 && el('section', { class: 'card' }, el('h3', null, 'Replayed'), el('table', { class: 'yield' }, el('tbody', null, rows)));
}

function dialectOf(summary) {
  const off = summary.learned_off || [], rejections = summary.rejections || [];
  if (!off.length && !rejections.length) return null;
  return el('section', { class: 'card' }, el('h3', null, 'Learned dialect'),
    off.length ? [el('p', { class: 'muted' }, 'Features that this release does not support:'), el('ul', { class: 'chips' }, off.map((o) => el('li', null, o)))]
      : el('p', { class: 'muted' }, 'No feature had to be left out.'),
    rejections.length > 0 && [el('p', { class: 'muted' }, 'Most frequent errors, names left out:'),
      el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Most frequent errors' },
        el('table', { class: 'yield' }, el('tbody', null, rejections.slice(0, 12).map(([text, n]) =>
          el('tr', null, el('td', null, text), el('td', { class: 'n' }, number(n)))))))]);
}

function aboutCampaign(campaign) {
  const s = campaign.summary, b = campaign.began;
  const rows = [['folder', campaign.name]];
  if (b) rows.push(['engine', b.engine], ['begun', isoDate(b.at)], ['build', b.build]);
  // A run that only replayed has neither.
  if (b && b.workers) rows.push(['seed', b.seed], ['workers', b.workers]);
  if (s) {
    rows.push(['release', s.engine_version], ['checks per second', number(figuresOfHunt(campaign).perSecond)], ['CPU time', duration(s.cpu_seconds)], ['checks per CPU second', number(s.checks_per_cpu_s)],
      ['time in the engine', percent(s.engine_share)], ['generating', percent(s.generate_share)],
      ['databases', number(s.databases)], ['statements', number(s.statements)], ['duplicates', number(s.duplicates)],
      ['reduction', `${number(s.reduce_attempts)} attempts, ${duration(s.reduce_seconds)}`], ['memory', `${number(s.memory_peak_mb)} MB`]);
    for (const name of ['violations', 'findings', 'pending', 'flaky', 'unconfirmed', 'skipped', 'suppressed', 'crashes', 'hangs', 'out_of_memory', 'killed']) {
      if (s[name]) rows.push([name.replace(/_/g, ' '), number(s[name])]);
    }
    (s.faults || []).forEach((fault) => rows.push(['error', fault]));
  }
  return el('section', { class: 'card' }, el('h3', null, campaign.began && campaign.began.workers === 0 ? 'This run' : 'This hunt'),
    el('dl', { class: 'facts' }, rows.filter((r) => r[1] !== undefined && r[1] !== '').map(([name, value]) => [el('dt', null, name), el('dd', null, value)])));
}
