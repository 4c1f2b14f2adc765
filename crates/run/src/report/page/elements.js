'use strict';
// Making elements. Text that came from an engine only ever becomes the text of a node: nothing here parses HTML.

function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  setAttributes(node, attributes);
  append(node, children);
  return node;
}

function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(node, attributes);
  append(node, children);
  return node;
}

function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(String(child))));
  }
}

// What has no shape, or turns the direction of writing, is shown as an escape. What is copied keeps it.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function visible(text) {
  return text.replace(UNSEEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

function count(n, word) {
  return `${number(n)} ${word}${n === 1 ? '' : 's'}`;
}

function number(n) {
  return Math.round(n).toLocaleString('en-US');
}

function percent(share) {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

// 2026-11-16T09:30:00Z: the same for every reader.
function isoDate(seconds) {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

function duration(seconds) {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// A button that copies a text, and says so.
function copyButton(text, what) {
  const label = el('span', null, 'Copy');
  const copy = async () => {
    label.textContent = (await toClipboard(text)) ? 'Copied' : 'Select and copy manually';
    setTimeout(() => { label.textContent = 'Copy'; }, 1600);
  };
  return el('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${what}`, onclick: copy }, label);
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (refused) {
    // Pages opened from a file have no clipboard of their own in some browsers.
    const area = el('textarea', { class: 'offscreen', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

function codeBlock(text, what, plain) {
  const inside = el('code', null, ...(plain ? [text] : paint(text)));
  const scroll = el('pre', { class: 'code', tabindex: '0', role: 'region', 'aria-label': what }, inside);
  return el('div', { class: 'codebox' }, scroll, copyButton(text, what));
}

// ---------------------------------------------------------------- words of a program

const TOKENS = /--[^\n]*|\/\/[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\d+(?:\.\d+)?|[\p{L}_$.][\p{L}\p{N}_$.]*|\s+|[^\s]/gu;
const KEYWORDS = new Set(('ADD ALL ALTER AND ANALYZE AS ASC BEGIN BETWEEN BY CASE CAST CHECK COLLATE COMMIT CREATE CROSS ' +
  'DEFAULT DELETE DESC DISTINCT DROP ELSE END EXCEPT EXISTS EXPLAIN FALSE FILTER FROM FULL GROUP HAVING IF IN INDEX INNER ' +
  'INSERT INTERSECT INTO IS JOIN KEY LATERAL LEFT LIKE LIMIT MATCH MATERIALIZED MERGE NATURAL NOT NULL OFFSET ON OPTIONAL ' +
  'OR ORDER OUTER OVER PARTITION PRAGMA PRIMARY REINDEX RETURN RIGHT ROW ROWS SELECT SET STRICT TABLE THEN TO TRUE UNION ' +
  'UNIQUE UNWIND UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT').split(' '));

function tokens(text) {
  return text.match(TOKENS) || [];
}

function colour(token) {
  if (/^(--|\/\/)/.test(token)) return 'comment';
  if (/^['"]/.test(token)) return 'string';
  if (/^\d/.test(token)) return 'number';
  return KEYWORDS.has(token.toUpperCase()) ? 'keyword' : null;
}

function paint(text) {
  return tokens(text).map((token) => {
    const kind = colour(token);
    return kind ? el('span', { class: kind }, token) : token;
  });
}

// ---------------------------------------------------------------- reports that are text

// The little of Markdown that reports use: headings, paragraphs, lists, tables, code.
function markdown(text) {
  const out = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    const fence = line.match(/^(`{3,})/);
    if (fence) {
      const end = lines.findIndex((l, j) => j > i && l.startsWith(fence[1]));
      const last = end < 0 ? lines.length : end;
      out.push(codeBlock(lines.slice(i + 1, last).join('\n'), 'the code'));
      i = last + 1;
    } else if (/^#{1,6} /.test(line)) {
      out.push(el(line.startsWith('## ') ? 'h3' : 'h4', null, inline(line.replace(/^#+ /, ''))));
      i += 1;
    } else if (/^- /.test(line)) {
      const items = [];
      for (; i < lines.length && /^(- |  )/.test(lines[i]); i += 1) {
        if (lines[i].startsWith('- ')) items.push(lines[i].slice(2));
        else items[items.length - 1] += ` ${lines[i].trim()}`;
      }
      out.push(el('ul', null, items.map((item) => el('li', null, inline(item)))));
    } else if (line.startsWith('|')) {
      const rows = [];
      for (; i < lines.length && lines[i].startsWith('|'); i += 1) rows.push(lines[i]);
      out.push(markdownTable(rows));
    } else if (line.trim() === '') {
      i += 1;
    } else {
      const words = [];
      for (; i < lines.length && lines[i].trim() !== '' && !/^(`{3}|#|- |\|)/.test(lines[i]); i += 1) words.push(lines[i]);
      if (!words.length) words.push(lines[i++]);
      out.push(el('p', null, inline(words.join(' '))));
    }
  }
  return out;
}

function markdownTable(rows) {
  const cells = (row) => row.replace(/^\|/, '').replace(/\|\s*$/, '').split(/(?<!\\)\|/).map((c) => c.trim().replace(/\\\|/g, '|'));
  const body = rows.slice(2).map((row) => el('tr', null, cells(row).map((c) => el('td', null, inline(c)))));
  const head = el('tr', null, cells(rows[0]).map((c) => el('th', { scope: 'col' }, c)));
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table' },
    el('table', { class: 'rows' }, el('thead', null, head), el('tbody', null, body)));
}

function inline(text) {
  const parts = text.split(/(`[^`]+`|\[[^\]]+\]\([^)\s]+\)|https?:\/\/[^\s)]+)/);
  return parts.filter((p) => p !== '').map((part) => {
    if (/^`.+`$/.test(part)) return el('code', null, part.slice(1, -1));
    const named = part.match(/^\[([^\]]+)\]\(([^)\s]+)\)$/);
    if (named) return link(named[2], named[1]);
    return /^https?:\/\//.test(part) ? link(part, part) : part;
  });
}

// Only addresses of the web become links: a text must not be able to run anything.
function link(address, text) {
  if (!/^https?:\/\//.test(address)) return text;
  return el('a', { href: address, rel: 'noopener noreferrer', target: '_blank' }, text);
}
