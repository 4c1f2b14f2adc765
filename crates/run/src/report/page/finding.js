// One finding: the expected result, the actual one, and how to reproduce it.

function showFinding(f, back) {
  const trophy = f.trophy;
  const variations = f.facts.filter(([name]) => name === 'variation').map(([, value]) => value);
  return [
    el('button', { type: 'button', class: 'back quiet', onclick: back }, '← All findings'),
    el('header', { class: 'heading' },
      el('p', { class: 'badges' },
        trophy && badge(trophy.status, `status ${trophy.status}`),
        f.history && badge(f.history.status, `status ${f.history.status}`),
        badge(f.version || f.engine, 'engine'), f.oracle && badge(f.oracle, 'oracle'), f.seen > 1 && badge(`seen ${number(f.seen)}×`, '')),
      el('h2', null, kindOf(f) && el('span', { class: `kind ${f.kind}` }, kindOf(f)), f.title.slice(kindOf(f).length)),
      trophy && trophy.link && el('p', null, 'Report: ', link(trophy.link, trophy.link))),
    f.expected && el('div', { class: 'claim' },
      el('p', null, el('strong', null, 'Expected'), ticked(f.expected)),
      f.actual && el('p', { class: 'actual' }, el('strong', null, 'Actual'), ticked(f.actual))),
    f.replay && section('Replay', codeBlock(f.replay, 'the replay command', true),
      el('p', { class: 'muted' }, 'Exit code 1: still reproduces. 0: gone. Add --engine to run it on another release.')),
    scripts(f), answers(f), times(f), plans(f), releases(f), lifeOf(f), settings(f),
    f.report && section(null, el('div', { class: 'prose' }, markdown(withoutTitle(f.report)))),
    f.script && !(f.report && f.report.includes(f.script.trim())) && section('For the engine’s own shell',
      // Where both sides are shown above, it says the same once more: one looks for the button.
      f.sides.length < 2 || !f.sides[0].lines.length ? codeBlock(f.script, 'the script')
        : el('details', { class: 'fold' }, el('summary', null, 'One script, with the answers as comments', copyButton(f.script, 'the script')), codeBlock(f.script, 'the script'))),
    variations.length > 0 && section('What may vary', el('ul', { class: 'plain' }, variations.map((v) => el('li', null, v)))),
    section('About', el('dl', { class: 'facts' }, f.facts.filter((x) => x[0] !== 'variation').map(([name, value]) => [el('dt', null, name), el('dd', null, coded(value))]),
      f.features.length > 0 && [el('dt', null, 'features'), el('dd', null, el('ul', { class: 'chips' }, f.features.map((x) => el('li', null, x))))])),
  ];
}

// The words for its kind that a title begins with, or nothing.
function kindOf(f) {
  const begin = `${f.kind_words}: `;
  return f.title.startsWith(begin) ? begin : '';
}

function badge(text, kind) {
  return el('span', { class: `badge ${kind}` }, text);
}

function section(title, ...children) {
  return el('section', { class: 'part' }, title && el('h3', null, title), children);
}

// Names of queries are in backticks in the text of a claim.
function ticked(text) {
  return el('span', null, text.split(/(`[^`]*`)/).map((part) => (/^`.*`$/.test(part) ? el('q', null, part.slice(1, -1)) : part)));
}

// Names and commands are in backticks in what people wrote about a trophy.
function coded(text) {
  return text.split(/(`[^`]*`)/).map((part) => (/^`.*`$/.test(part) ? el('code', null, part.slice(1, -1)) : part));
}

function withoutTitle(report) {
  return report.replace(/^# [^\n]*\n/, '');
}

function scripts(f) {
  if (!f.sides.length || !f.sides[0].lines.length) return null;
  if (f.sides.length === 1) {
    return section('Script', codeBlock(f.sides[0].lines.map((l) => l.text).join('\n'), 'the script'));
  }
  return section('Script', twoScripts(f.sides, f.comment));
}

function answers(f) {
  const tables = f.sides.map((side, i) => el('div', { class: `side ${i ? 'right' : 'left'}` }, side.answers.map((a) => answer(a))));
  if (!f.sides.some((s) => s.answers.length)) return null;
  return section('Answers', el('div', { class: f.sides.some(isWide) ? 'beside stacked' : 'beside' }, tables));
}

// Characters that a table may have in a row to stand beside another one.
const HALF = 56;

function isWide(side) {
  const longest = (a, i) => Math.min(40, Math.max(1, ...a.rows.map((r) => (r.cells[i] ?? '').length)));
  return side.answers.some((a) => Array.from({ length: a.columns }, (_, i) => longest(a, i) + 3).reduce((s, n) => s + n, 0) > HALF);
}

function answer(a) {
  const marked = a.rows.some((r) => r.mark);
  const says = { extra: 'only here', missing: 'missing here' };
  const row = (r) => el('tr', { class: r.mark || null },
    marked && el('td', { class: 'says' }, r.mark ? says[r.mark] : ''),
    Array.from({ length: Math.max(1, a.columns) }, (_, i) => el('td', { class: r.cells[i] === 'NULL' ? 'null' : null }, r.cells[i] ?? '')));
  const head = [marked && el('td', null), ...Array.from({ length: a.columns }, (_, i) => el('th', { scope: 'col' }, String(i + 1)))];
  return el('div', { class: 'answer' },
    el('p', { class: 'asked' }, el('span', { class: 'label' }, a.label), el('span', { class: a.failed ? 'failed' : 'muted' }, a.words)),
    a.rows.length > 0 && el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Result of ${a.label}` },
      el('table', { class: 'rows' }, el('thead', null, el('tr', null, head)), el('tbody', null, a.rows.map(row)))),
    a.more > 0 && el('p', { class: 'muted' }, `… and ${count(a.more, 'more row')}`));
}

function times(f) {
  if (!f.times) return null;
  const list = (ms) => ms.map((t) => t.toFixed(1)).join(', ');
  if (f.times.curve.length) {
    return section('Work', el('p', { class: 'muted' }, `In ${f.times.unit}, on more and more rows.`), growth(f));
  }
  return section('Times', el('p', { class: 'muted' }, 'In milliseconds, alternating runs.'),
    el('dl', { class: 'facts' }, f.sides.map((side, i) => [el('dt', null, side.name), el('dd', null, list(i ? f.times.weak_ms : f.times.base_ms))])));
}

// Both sides over the size of the data.
function growth(f) {
  const { width, height, left, right, top, bottom } = CHART;
  const curve = f.times.curve;
  const most = curve[curve.length - 1].times;
  const yTicks = ticks(Math.max(...curve.map((p) => Math.max(p.base, p.weak))), true);
  const x = (t) => left + (width - left - right) * (t / most);
  const y = (v) => height - bottom - (height - top - bottom) * (v / yTicks[yTicks.length - 1]);
  const words = curve.map((p) => `${p.times} times the rows: ${short(p.base)} and ${short(p.weak)}`).join('; ');
  const graph = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words });
  for (const v of yTicks) {
    graph.append(svg('line', { x1: left, x2: width - right, y1: y(v), y2: y(v), class: 'grid' }),
      svg('text', { x: left - 6, y: y(v) + 3.5, class: 'tick end' }, short(v)));
  }
  for (const p of curve) graph.append(axisLabel(x(p.times), `${p.times}x`, width, right));
  ['base', 'weak'].forEach((side, i) => {
    const path = curve.map((p, k) => `${k ? 'L' : 'M'}${x(p.times).toFixed(1)} ${y(p[side]).toFixed(1)}`).join('');
    graph.append(svg('path', { d: path, class: `curve c${i}` }));
  });
  const legend = el('span', { class: 'legend' }, f.sides.map((side, i) => el('span', { class: `key k${i}` }, side.name)));
  return el('figure', { class: 'chart' }, el('figcaption', null, legend), graph);
}

function plans(f) {
  if (!f.sides.some((s) => s.plans.length)) return null;
  const other = (i) => new Set(f.sides.filter((_, j) => j !== i).flatMap((s) => s.plans.flatMap((p) => p.lines)));
  const side = (s, i) => el('div', { class: `side ${i ? 'right' : 'left'}` }, s.plans.map((p) => el('div', { class: 'answer' },
    el('p', { class: 'asked' }, el('span', { class: 'label' }, p.label)),
    el('pre', { class: 'code plan', tabindex: '0', role: 'region', 'aria-label': `Plan of ${p.label}` },
      p.lines.map((line) => el('span', { class: other(i).has(line) ? null : 'own' }, line, '\n'))))));
  return section('Plans', el('div', { class: 'beside' }, f.sides.map(side)));
}

const STANDS = { shows: 'affected', right: 'correct', breaks: 'fails in another way', unknown: 'no clear result' };

// A bug's life: one piece for each release, in order.
function lifeBar(life) {
  return el('div', { class: 'life' },
    el('ol', { class: 'bars', 'aria-label': 'Releases, the oldest first' }, life.map(([release, stand]) =>
      el('li', { class: stand, title: `${release}: ${STANDS[stand]}` }, el('span', { class: 'offscreen' }, `${release} ${STANDS[stand]}`)))),
    el('p', { class: 'ends' }, el('span', null, life[0][0]), life.length > 1 && el('span', null, life[life.length - 1][0])));
}

// What all hunts say: when it was seen, where, how often.
function lifeOf(f) {
  const h = f.history;
  if (!h || !h.events[0].hunt) return null;
  const day = (at) => el('time', { datetime: at }, at);
  const line = [`Seen ${count(f.seen, 'time')} in ${count(h.hunts, 'hunt')}, first `, day(h.first_seen), ', last ', day(h.last_seen), '.',
    h.quiet > 0 && ` ${h.quiet === 1 ? 'The hunt' : `The ${number(h.quiet)} hunts`} of ${h.product} since then did not find it.`,
    h.fixed_in && ` Fixed in ${h.fixed_in}.`, h.status === 'regressed' && ' It was gone and is back.'];
  const row = (e) => el('tr', null, el('td', null, day(e.at)), el('td', null, e.what), el('td', null, e.version), el('td', null, e.oracle || '–'),
    el('td', { class: 'n' }, e.seen ? number(e.seen) : '–'), el('td', null, e.folder || e.hunt));
  const table = () => el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Everything that was seen' },
    el('table', { class: 'yield sightings' }, el('thead', null, el('tr', null, ['when', 'what', 'engine', 'oracle', 'times', 'where'].map((n) => el('th', { scope: 'col' }, n)))),
      el('tbody', null, h.events.slice().reverse().map(row))));
  return section('History', el('p', { class: 'seen' }, line),
    !f.affected && h.life.length > 1 && lifeBar(h.life),
    el('details', { open: h.events.length > 1 && h.events.length < 6 }, el('summary', null, h.events.length > 1 ? `All ${count(h.events.length, 'sighting')}` : 'The only sighting'), table()),
    h.builds.length > 0 && el('details', null, el('summary', null, `Engine ${h.builds.length === 1 ? 'build' : 'builds'}`), el('ul', null, h.builds.map((b) => el('li', null, el('code', null, b))))));
}

function releases(f) {
  if (!f.affected) return null;
  const says = STANDS;
  const used = [...new Set(f.affected.rungs.map((r) => r[1]))];
  return section('Releases', el('p', null, f.affected.sentences.join(' ')), f.affected.rungs.length > 1 && lifeBar((f.history && f.history.life) || f.affected.rungs),
    el('ol', { class: 'rungs' }, f.affected.rungs.map(([release, stand, text]) =>
      el('li', { class: stand, title: `${release}: ${text}` }, release, el('span', { class: 'offscreen' }, ` ${says[stand]}`)))),
    el('p', { class: 'legend' }, used.map((stand) => el('span', { class: `swatch ${stand}` }, says[stand]))));
}

function settings(f) {
  if (!f.settings.length && !f.cures.length) return null;
  const list = (items) => el('ul', { class: 'chips' }, items.map((s) => el('li', null, el('code', null, s))));
  return section('Settings',
    f.settings.length > 0 && [el('p', { class: 'muted' }, 'Changed between the two queries:'), list(f.settings)],
    f.cures.length > 0 && [el('p', { class: 'muted' }, 'Turning off any one of these makes the bug go away:'), list(f.cures)]);
}
