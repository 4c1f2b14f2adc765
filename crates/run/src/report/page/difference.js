// Two scripts beside each other: which lines both have, and in lines that differ, which words.

// Above so many pairs of words or lines nothing is compared: the page must not stand still.
const PAIRS = 4e6;

// Longest common subsequence, as pairs of positions.
function common(left, right) {
  const n = left.length, m = right.length;
  if (n * m > PAIRS) return [];
  const width = m + 1;
  const table = new Uint32Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      table[i * width + j] = left[i] === right[j]
        ? table[(i + 1) * width + j + 1] + 1
        : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < n && j < m;) {
    if (left[i] === right[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}

// Rows of a table of two columns: {left, right, same}. Lines between two common ones stand beside each other.
function alignLines(left, right) {
  const rows = [];
  let i = 0, j = 0;
  for (const [a, b] of [...common(left, right), [left.length, right.length]]) {
    const lefts = left.slice(i, a), rights = right.slice(j, b);
    while (i < a || j < b) {
      rows.push({ left: i < a ? left[i] : null, right: j < b ? right[j] : null, same: false, lefts, rights });
      if (i < a) i += 1;
      if (j < b) j += 1;
    }
    if (a < left.length) rows.push({ left: left[a], right: right[b], same: true });
    i = a + 1;
    j = b + 1;
  }
  return rows;
}

// Of the lines that stand between the same two common ones on the other side, the one to compare a line with that has
// none beside it: one query may stand against several parts.
function nearest(line, others) {
  const mine = tokens(line);
  const alike = (other) => common(mine, tokens(other)).length / Math.max(1, mine.length);
  const best = others.map((other) => [alike(other), other]).sort((a, b) => b[0] - a[0])[0];
  return best && best[0] > 0.5 ? best[1] : null;
}

// A line as nodes, what the other line does not have marked. Without another line nothing is marked: all of it is new.
function paintLine(line, other) {
  if (line === null) return [];
  // The labels of queries always differ, which means nothing.
  if (other === null || line === other || /^(--|\/\/) /.test(line)) return paint(line);
  const mine = tokens(line), theirs = tokens(other);
  const shared = new Set(common(mine, theirs).map(([i]) => i));
  const nodes = [];
  let run = null;
  mine.forEach((token, i) => {
    const kind = colour(token);
    const node = kind ? el('span', { class: kind }, token) : document.createTextNode(visible(token));
    // White space between two marked words is marked with them.
    const marked = !shared.has(i) || (/^\s+$/.test(token) && run && i + 1 < mine.length && !shared.has(i + 1));
    if (!marked) {
      run = null;
      nodes.push(node);
    } else {
      if (!run) nodes.push(run = el('mark', null));
      run.append(node);
    }
  });
  return nodes;
}

// The table itself: what both run goes across it once, and where they differ they stand beside each other. At phone width
// differing lines stand below each other.
function twoScripts(sides, comment) {
  const flat = (side) => side.lines.flatMap((line) => [
    ...(line.ask ? [`${comment} ${line.ask.replace(/\n/g, ' ')}`] : []), ...line.text.split('\n')]);
  const names = sides.map((s) => s.name);
  const rows = alignLines(flat(sides[0]), flat(sides[1]));
  const beside = (text, other, others) => (text !== null && other === null ? nearest(text, others) : other);
  const cell = (text, other, side) => el('div', { class: `line ${side}${text === null ? ' gap' : ''}`, role: 'cell' },
    text === null ? null : el('code', null, paintLine(text, other)));
  const row = (r) => (r.same
    ? el('div', { class: 'pair same', role: 'row' }, el('div', { class: 'line', role: 'cell', 'aria-colspan': 2 }, el('code', null, paint(r.left))))
    : el('div', { class: 'pair differs', role: 'row' },
      cell(r.left, beside(r.left, r.right, r.rights), 'left'), cell(r.right, beside(r.right, r.left, r.lefts), 'right')));
  const head = el('div', { class: 'pair head', role: 'row' },
    names.map((name, i) => el('div', { class: `line ${i ? 'right' : 'left'}`, role: 'columnheader' }, name)));
  // Lines that differ in a row are one group: at phone width all of the left ones come before the right ones. The names
  // stand where there first are two sides.
  const groups = [];
  for (const r of rows) {
    const before = groups[groups.length - 1];
    if (!before || before.same !== r.same) groups.push({ same: r.same, rows: [] });
    groups[groups.length - 1].rows.push(row(r));
  }
  const first = groups.find((g) => !g.same) || groups[0];
  if (first) first.rows.unshift(head);
  return el('div', { class: 'scripts', role: 'table', 'aria-label': 'Both scripts, line by line', tabindex: '0' },
    groups.map((g) => el('div', { class: g.same ? 'shared' : 'apart', role: 'rowgroup' }, g.rows)));
}
