// Two scripts beside each other: which lines both have, and in lines that differ, which words.

// Above so many pairs of words or lines nothing is compared: the page must not stand still.
const PAIRS = 4e6;
// Above so many pairs of lines each is put beside the next.
const MATCHED = 400;

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
    for (const [x, y] of beside(lefts, rights)) rows.push({ left: x, right: y, same: false, lefts, rights });
    if (a < left.length) rows.push({ left: left[a], right: right[b], same: true });
    i = a + 1;
    j = b + 1;
  }
  return rows;
}

// What shares of their words two lines have in common. The label of a query stands beside the label of another one.
function alike(line, other) {
  const label = (text) => /^(--|\/\/|%|#) /.test(text);
  if (label(line) || label(other)) return label(line) && label(other) ? 0.05 : 0;
  const mine = tokens(line), theirs = tokens(other);
  return common(mine, theirs).length / Math.max(1, mine.length, theirs.length);
}

// Lines that differ, as pairs: where one side has fewer, each of its lines stands beside the one that it is most like, and
// of several the last, since what is asked for the sake of another query comes before it.
function beside(lefts, rights) {
  if (lefts.length > rights.length) return beside(rights, lefts).map(([x, y]) => [y, x]);
  const n = lefts.length, m = rights.length;
  if (n === m || n * m > MATCHED) return rights.map((r, j) => [j < n ? lefts[j] : null, r]);
  // most[i][j]: the best that lines from i on can have beside those from j on.
  const most = Array.from({ length: n + 1 }, (_, i) => new Float64Array(m + 1).fill(i < n ? -Infinity : 0));
  const scores = lefts.map((l) => rights.map((r) => alike(l, r)));
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) most[i][j] = Math.max(most[i][j + 1], scores[i][j] + most[i + 1][j + 1]);
  }
  let i = 0;
  return rights.map((r, j) => {
    // Passed over as long as that costs nothing.
    if (i >= n || most[i][j + 1] >= most[i][j]) return [null, r];
    i += 1;
    return [lefts[i - 1], r];
  });
}

// Of the lines that stand between the same two common ones on the other side, the one to compare a line with that has
// none beside it: one query may stand against several parts.
function nearest(line, others) {
  const mine = tokens(line);
  const held = (other) => common(mine, tokens(other)).length / Math.max(1, mine.length);
  const best = others.map((other) => [held(other), other]).sort((a, b) => b[0] - a[0])[0];
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
  // The name of a side is its heading; where it is the label of the first question too, it need not be there twice.
  const named = (side, line) => line.ask === side.name && line === side.lines.find((l) => l.ask);
  const flat = (side) => side.lines.flatMap((line) => [
    ...(line.ask && !named(side, line) ? [`${comment} ${line.ask.replace(/\n/g, ' ')}`] : []), ...line.text.split('\n')]);
  const names = sides.map((s) => s.name);
  const rows = alignLines(flat(sides[0]), flat(sides[1]));
  const compared = (text, other, others) => (text !== null && other === null ? nearest(text, others) : other);
  const cell = (text, other, side) => el('div', { class: `line ${side}${text === null ? ' gap' : ''}`, role: 'cell' },
    text === null ? null : el('code', null, paintLine(text, other)));
  const row = (r) => (r.same
    ? el('div', { class: 'pair same', role: 'row' }, el('div', { class: 'line', role: 'cell', 'aria-colspan': 2 }, el('code', null, paint(r.left))))
    : el('div', { class: 'pair differs', role: 'row' },
      cell(r.left, compared(r.left, r.right, r.rights), 'left'), cell(r.right, compared(r.right, r.left, r.lefts), 'right')));
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
