// Drives the page of 'qualm report' in a headless Chromium and prints what it saw as one JSON object on stdout.
// Started by tests/report_page.rs: node page.mjs TASK.json. The task names the folder of the browser, pages to open and a
// folder for screenshots. Nothing is judged here; the Rust test does that.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const task = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const require = createRequire(pathToFileURL(`${task.browser}/`));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
// Only for what hangs: how fast the page is, is measured and not asserted.
const PATIENCE_MS = 60000;

const seen = { errors: [], requests: [], dialogs: 0, violations: [] };
const browser = await chromium.launch({ executablePath: `${task.browser}/chromium`, args: ['--no-sandbox'] });

async function openPage(address, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'], ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) seen.errors.push(m.text()); });
  page.on('pageerror', (e) => seen.errors.push(String(e)));
  page.on('dialog', (d) => { seen.dialogs += 1; d.dismiss(); });
  page.on('request', (r) => seen.requests.push(r.url()));
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  return page;
}

// Violations that keep somebody out.
async function examine(page, where) {
  // The page's own policy forbids scripts from elsewhere, so the examiner is put in by the debugger, past it.
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  for (const v of result.violations) {
    if (['serious', 'critical'].includes(v.impact)) {
      seen.violations.push(`${where}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`);
    }
  }
}

// Looks and sizes: every view in light, dark and at phone width.
async function looks(address) {
  seen.wider = [];
  for (const [name, width, scheme] of [['light', 1280, 'light'], ['dark', 1280, 'dark'], ['phone', 390, 'light'], ['phone-dark', 390, 'dark']]) {
    const page = await openPage(address, { viewport: { width, height: 860 }, colorScheme: scheme });
    const views = [
      ['list', async () => {}],
      ['finding', () => page.click('.item')],
      ...(await page.isVisible('#tab-trends') ? [['trends', () => page.click('#tab-trends')]] : []),
      ['figures', () => page.click('#tab-figures')],
    ];
    for (const [view, go] of views) {
      await go();
      await examine(page, `${name} ${view}`);
      await page.screenshot({ path: `${task.screenshots}/${name}-${view}.png`, fullPage: true });
      const extra = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (extra > 0) seen.wider.push(`${name} ${view}: ${extra} pixels wider than the screen`);
    }
    await page.context().close();
  }
}

// What an engine said stays text, wherever it is shown.
async function nasty(address) {
  const page = await openPage(address);
  const texts = [];
  for (const item of await page.$$('.item')) {
    await item.click();
    texts.push(await page.textContent('#finding'));
  }
  seen.nasty = {
    text: texts.join('\n'),
    titles: await page.textContent('#groups'),
    scripts: await page.evaluate(() => document.querySelectorAll('script').length),
    images: await page.evaluate(() => document.querySelectorAll('main img, main iframe').length),
    ran: await page.evaluate(() => globalThis.ran === true),
  };
  await page.context().close();
}

// One finding with the keyboard alone, and what is on it.
async function keyboard(address) {
  const page = await openPage(address);
  await page.keyboard.press('/');
  const inSearch = await page.evaluate(() => document.activeElement.id);
  await page.keyboard.press('ArrowDown');
  const onItem = await page.evaluate(() => document.activeElement.classList.contains('item'));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'finding');
  const marked = await page.evaluate(() => [...document.querySelectorAll('#finding tr.extra, #finding tr.missing')].map((r) => r.className + ':' + r.textContent));
  await page.click('#finding .copy');
  seen.keyboard = {
    inSearch, onItem, marked,
    title: await page.textContent('#finding h2'),
    differing: await page.evaluate(() => [...document.querySelectorAll('.pair.differs mark')].map((m) => m.textContent)),
    pairs: await page.evaluate(() => [...document.querySelectorAll('.pair.differs')].map((p) => [...p.children].map((c) => c.textContent))),
    columns: await page.evaluate(() => [...document.querySelectorAll('.pair.head [role=columnheader]')].map((c) => c.textContent)),
    copied: await page.evaluate(() => navigator.clipboard.readText()),
    address: page.url(),
  };
  const again = await openPage(page.url());
  seen.keyboard.titleByAddress = await again.textContent('#finding h2');
  await again.context().close();
  await page.context().close();
}

// Many findings: that filters find what they should, and how long it takes.
async function many(address, words) {
  // Time of the processor, which other programs on the machine do not add to: the page's own thread until it is ready.
  const alone = await (await browser.newContext()).newPage();
  const debug = await alone.context().newCDPSession(alone);
  await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
  await alone.goto(address);
  await alone.waitForSelector('html[data-ready]');
  const metrics = (await debug.send('Performance.getMetrics')).metrics;
  const cpu = 1000 * metrics.find((m) => m.name === 'TaskDuration').value;
  await alone.context().close();
  const page = await openPage(address);
  const load = await page.evaluate(() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd);
  const times = [];
  for (const word of words) {
    times.push(await page.evaluate((text) => {
      const input = document.getElementById('search');
      const began = performance.now();
      input.value = text;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      // Reading a size makes the browser lay the list out: that belongs to the time.
      document.getElementById('groups').getBoundingClientRect();
      return performance.now() - began;
    }, word));
  }
  const counts = [];
  for (const word of words) {
    await page.fill('#search', word);
    counts.push(await page.textContent('#count'));
  }
  await page.fill('#search', '');
  const before = await page.$$eval('.item', (items) => items.length);
  await page.click('.more');
  const after = await page.$$eval('.item', (items) => items.length);
  await page.selectOption('select[aria-label=Kind]', 'Crash');
  seen.many = { load_ms: load, load_cpu_ms: cpu, filter_ms: times, counts, before, after, crashes: await page.textContent('#count') };
  await page.context().close();
}

// A page that is open before there is anything: the test is notified, puts a finding into the folder, and it appears.
async function appear(address) {
  const page = await openPage(address);
  await page.evaluate(() => { globalThis.sameDocument = true; });
  const before = await page.textContent('#groups');
  writeFileSync(task.signal, 'open');
  await page.waitForSelector('.item');
  seen.appear = { before, same: await page.evaluate(() => globalThis.sameDocument === true), title: await page.textContent('#finding h2') };
  await page.context().close();
}

// A hunt in another process: its figures move; the test is notified, ends it, and the page says so.
async function live(address) {
  const page = await openPage(address);
  await page.evaluate(() => { globalThis.sameDocument = true; });
  const totals = await page.textContent('#totals');
  await page.waitForSelector('.item');
  await page.waitForFunction((before) => document.getElementById('totals').textContent !== before, totals);
  writeFileSync(task.signal, 'seen');
  await page.waitForFunction(() => document.getElementById('live').textContent === 'ended');
  const text = (id) => page.textContent(id);
  seen.live = { same: await page.evaluate(() => globalThis.sameDocument === true), count: await text('#count'), title: await text('#finding h2') };
  await page.click('#tab-figures');
  seen.live.charts = await page.$$eval('.chart svg', (all) => all.map((s) => s.getAttribute('aria-label')));
  await page.context().close();
}

// Hunts over weeks: what is merged, what filters and sorting leave, and that an address brings all of it back.
async function weeks(address) {
  const page = await openPage(address);
  // The browser's own word: the driver hears of a changed address later.
  const here = (of) => of.evaluate(() => location.href);
  const count = (of) => of.textContent('#count');
  const items = (of) => of.$$eval('.item', (all) => all.map((i) => i.textContent));
  const selected = (of) => of.evaluate(() => document.querySelector('[role=tab][aria-selected=true]').textContent);
  const labels = await page.$$eval('#filters select', (all) => all.map((s) => s.getAttribute('aria-label')));
  const result = { count: await count(page), items: await items(page), labels, about: await page.textContent('#about'),
    totals: await page.$$eval('#totals div', (all) => all.map((d) => d.textContent)), filtered: {} };
  for (const [label, value] of task.choices) {
    await page.selectOption(`select[aria-label=${label}]`, value);
    const again = await openPage(await here(page));
    result.filtered[value] = [await count(page), await count(again)];
    await again.context().close();
    await page.keyboard.press('Escape');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('x');
  }
  result.cleared = [await count(page), new URL(await here(page)).hash];
  await page.selectOption('select[aria-label=Sort]', 'first');
  await page.fill('#search', 'feature');
  const sorted = await openPage(await here(page));
  result.sorted = [await items(page), await items(sorted)];
  await sorted.context().close();
  // Two findings further, with the keyboard alone.
  await page.evaluate(() => document.activeElement.blur());
  for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key);
  await page.waitForFunction(() => document.body.classList.contains('showing'));
  result.second = await page.textContent('#finding h2');
  const opened = await openPage(await here(page));
  result.opened = [await opened.textContent('#finding h2'), await count(opened), await selected(opened)];
  await opened.context().close();
  result.history = await page.$$eval('#finding .seen', (all) => all.map((p) => p.textContent));
  result.sightings = await page.$$eval('#finding details tbody tr', (all) => all.map((r) => r.textContent));
  result.dates = await page.$$eval('#finding time', (all) => all.map((t) => t.textContent));
  await page.keyboard.press('Escape');
  await page.keyboard.press('x');
  await page.keyboard.press('2');
  const trends = await openPage(await here(page));
  result.tab = [await selected(page), await selected(trends)];
  result.charts = await trends.$$eval('.over-hunts svg', (all) => all.map((s) => s.getAttribute('aria-label')));
  result.versions = await trends.$$eval('.versions tbody tr', (all) => all.map((r) => [...r.cells].map((c) => c.textContent)));
  result.lives = await trends.$$eval('.lives tbody tr', (all) => all.map((r) => [...r.cells].map((c) => c.className || c.textContent)));
  result.releases = await trends.$$eval('.lives thead th', (all) => all.map((c) => c.textContent));
  // A label that reaches out of its picture is cut off.
  result.cut = await trends.$$eval('.over-hunts svg', (all) => all.flatMap((s) => {
    const box = s.getBoundingClientRect();
    return [...s.querySelectorAll('text')].filter((t) => t.getBoundingClientRect().right > box.right + 0.5).map((t) => t.textContent);
  }));
  await trends.click('.lives a');
  result.fromLife = await trends.textContent('#finding h2');
  result.ran = await trends.evaluate(() => globalThis.ran === true);
  seen.weeks = result;
  await trends.context().close();
  await page.context().close();
}

// Several engines, and a run that only replayed.
async function apart(address) {
  const page = await openPage(address);
  const result = { about: await page.textContent('#about') };
  result.shared = await page.$$eval('#finding .pair.same', (all) => all.map((p) => p.textContent));
  await page.click('#totals .fixed a');
  await page.waitForFunction(() => location.hash === '#status=fixed' && document.getElementById('count').textContent.includes(' of '));
  result.fixed = await page.textContent('#count');
  await page.click('.clear');
  await page.click('#tab-trends');
  result.charts = await page.$$eval('.over-hunts svg', (all) => all.map((s) => s.getAttribute('aria-label')));
  result.keys = await page.$$eval('.over-hunts:nth-child(3) .key', (all) => all.map((k) => k.textContent));
  result.days = await page.$$eval('.over-hunts:first-child svg .tick', (all) => all.map((t) => t.textContent).filter((t) => t.endsWith('Z')));
  await page.click('#tab-figures');
  result.replayed = await page.textContent('#view-figures .columns');
  await page.click('#tab-findings');
  // Between what was seen of a finding and its status.
  result.gap = await page.$eval('.item .facts', (f) => f.lastElementChild.getBoundingClientRect().left - f.firstElementChild.getBoundingClientRect().right);
  seen.apart = result;
  await page.context().close();
}

if (task.weeks) await weeks(task.weeks);
if (task.apart) await apart(task.apart);
if (task.looks) await looks(task.looks);
if (task.nasty) await nasty(task.nasty);
if (task.keyboard) await keyboard(task.keyboard);
if (task.many) await many(task.many, task.words);
if (task.appear) await appear(task.appear);
if (task.live) await live(task.live);
await browser.close();
console.log(JSON.stringify(seen));
