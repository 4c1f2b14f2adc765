// The page: totals, the list with its filters, the views, and news from a server.

(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const at = (id) => document.getElementById(id);
  // Rows of the list that are made at once; a button brings more.
  const LIST_ROWS = 200;
  const KINDS = ['wrong_result', 'crash', 'internal_error', 'hang', 'out_of_memory', 'slow', 'trophy'];
  const state = { open: null, rows: LIST_ROWS, campaign: null };

  // ---------------------------------------------------------------- totals

  function lastOf(campaign) {
    return campaign.points[campaign.points.length - 1];
  }

  function totals() {
    const sum = (value) => data.campaigns.reduce((s, c) => s + (value(c) || 0), 0);
    const of = (c, name) => (c.summary ? c.summary[name] : (lastOf(c) || {})[name]);
    const checks = sum((c) => of(c, 'checks')), seconds = sum((c) => of(c, 'seconds'));
    const statements = sum((c) => of(c, 'statements'));
    const vacuous = sum((c) => (c.summary ? c.summary.vacuous_share * c.summary.checks : (lastOf(c) || {}).vacuous));
    const rejected = sum((c) => (c.summary ? c.summary.rejected_share * c.summary.statements : (lastOf(c) || {}).rejected));
    const plans = sum((c) => (c.summary ? c.summary.distinct_plans : (lastOf(c) || {}).plans));
    const rows = [[data.findings.length === 1 ? 'finding' : 'findings', number(data.findings.length)]];
    const engines = new Set(data.findings.map((f) => f.engine));
    if (data.campaigns.length) {
      rows.push(['checks', number(checks)], ['checks per second', number(seconds ? checks / seconds : 0)]);
      // Not every engine can say.
      if (plans) rows.push(['distinct plans', number(plans)]);
      rows.push(['vacuous', percent(checks ? vacuous / checks : 0)], ['rejected', percent(statements ? rejected / statements : 0)], ['hunted', duration(seconds)]);
      if (data.campaigns.length > 1) rows.push(['campaigns', number(data.campaigns.length)]);
    } else {
      rows.push([engines.size === 1 ? 'engine' : 'engines', number(engines.size)]);
      for (const status of ['found', 'known', 'reported', 'confirmed', 'fixed']) {
        const n = data.findings.filter((f) => f.trophy && f.trophy.status === status).length;
        if (n) rows.push([status, number(n)]);
      }
    }
    at('totals').replaceChildren(...rows.map(([name, value]) => el('div', null, el('dt', null, name), el('dd', null, value))));
  }

  function about() {
    const engines = [...new Set([...data.campaigns.map((c) => (c.summary && c.summary.engine_version) || (c.began && c.began.engine)),
      ...data.findings.map((f) => f.version || f.engine)].filter(Boolean))];
    at('about').textContent = visible(
      engines.length > 4 ? `${engines.slice(0, 4).join(', ')} and ${engines.length - 4} more` : engines.join(', '));
    at('made').textContent = `Made by ${data.made_by}. Everything on this page is in this file.`;
    at('tab-findings').textContent = `Findings (${number(data.findings.length)})`;
    at('tab-figures').hidden = data.campaigns.length === 0;
  }

  // ---------------------------------------------------------------- filters

  const FILTERS = [
    ['engine', 'Engine', (f) => f.version || f.engine],
    ['kind', 'Kind', (f) => f.kind_words],
    ['oracle', 'Oracle', (f) => f.oracle],
    ['status', 'Status', (f) => (f.trophy ? f.trophy.status : '')],
    ['campaign', 'Campaign', (f) => f.campaign],
  ];
  const search = el('input', { type: 'search', id: 'search', placeholder: 'Search titles, statements, features …', autocomplete: 'off',
    spellcheck: 'false', 'aria-label': 'Search findings', oninput: refilter });
  const selects = new Map();

  function makeFilters() {
    const rows = [search];
    for (const [name, label, value] of FILTERS) {
      const values = [...new Set(data.findings.map(value))].filter(Boolean).sort();
      const before = selects.has(name) ? selects.get(name).value : '';
      selects.delete(name);
      if (values.length < 2) continue;
      const select = el('select', { 'aria-label': label, onchange: refilter },
        el('option', { value: '' }, `${label}: any`), values.map((v) => el('option', { value: v }, v)));
      select.value = values.includes(before) ? before : '';
      selects.set(name, select);
      rows.push(select);
    }
    // An input that is put in anew would lose what is being typed.
    at('filters').replaceChildren(...rows.filter((r) => r !== search || r.parentNode !== at('filters')));
    if (!search.isConnected) at('filters').prepend(search);
  }

  // What a search looks through; made when first needed.
  function haystack(f) {
    if (f.haystack === undefined) {
      const scripts = f.sides.flatMap((s) => s.lines.map((l) => l.text));
      f.haystack = [f.title, f.engine, f.version, f.kind_words, f.oracle, f.fingerprint, f.campaign, ...f.rules, ...f.features,
        ...f.cures, ...f.settings, ...scripts, f.sides.length ? '' : f.script].join('\n').toLowerCase();
    }
    return f.haystack;
  }

  function chosen() {
    // Words in quotes belong together.
    const words = [...search.value.toLowerCase().matchAll(/"([^"]+)"|[^\s"]+/g)].map((m) => m[1] || m[0]);
    const wanted = FILTERS.filter(([name]) => selects.has(name) && selects.get(name).value).map(([name, , value]) => [selects.get(name).value, value]);
    return data.findings.filter((f) => wanted.every(([v, value]) => value(f) === v) && words.every((w) => haystack(f).includes(w)));
  }

  function refilter() {
    state.rows = LIST_ROWS;
    list();
  }

  // ---------------------------------------------------------------- the list

  function order(f) {
    return `${f.version || f.engine}\n${String(KINDS.indexOf(f.kind) + 1).padStart(2, '0')}\n${f.title}`;
  }

  function list() {
    const shown = chosen();
    if (shown.length && shown[0].order === undefined) data.findings.forEach((f) => { f.order = order(f); });
    shown.sort((a, b) => ((a.order ??= order(a)) < (b.order ??= order(b)) ? -1 : 1));
    const all = data.findings.length;
    at('count').textContent = shown.length === all ? count(all, 'finding') : `${number(shown.length)} of ${count(all, 'finding')}`;
    const groups = new Map();
    for (const f of shown) {
      const name = `${f.version || f.engine} · ${f.kind_words}`;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(f);
    }
    const nodes = [];
    let room = state.rows;
    for (const [name, members] of groups) {
      if (room <= 0) break;
      const id = `group-${nodes.length}`;
      nodes.push(el('section', { 'aria-labelledby': id },
        el('h3', { id, class: 'group' }, name, el('span', { class: 'n' }, number(members.length))),
        el('ul', null, members.slice(0, room).map(item))));
      room -= members.length;
    }
    if (shown.length > state.rows) {
      const more = () => { state.rows += LIST_ROWS; list(); };
      nodes.push(el('button', { type: 'button', class: 'more', onclick: more }, `Show ${number(Math.min(LIST_ROWS, shown.length - state.rows))} more`));
    }
    if (!all) nodes.push(el('p', { class: 'muted empty' }, data.live ? 'Nothing found yet. Findings appear here by themselves.' : 'Nothing was found.'));
    else if (!shown.length) nodes.push(el('p', { class: 'muted empty' }, 'No finding fits. Try fewer words.'));
    at('groups').replaceChildren(...nodes);
  }

  function item(f) {
    const facts = [f.oracle, f.seen > 1 && `seen ${number(f.seen)}×`, f.trophy && f.trophy.status].filter(Boolean).join(' · ');
    return el('li', null, el('a', { class: `item ${f.kind}${f.fresh ? ' fresh' : ''}`, href: `#${encodeURIComponent(f.id)}`,
      'aria-current': state.open === f.id ? 'true' : null }, el('span', { class: 'title' }, plainTitle(f)), facts && el('span', { class: 'facts' }, facts)));
  }

  // The kind stands in the heading of the group already.
  function plainTitle(f) {
    const begin = `${f.kind_words}: `;
    return f.title.startsWith(begin) ? f.title.slice(begin.length) : f.title;
  }

  function keys(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === '/' && !typing) {
      event.preventDefault();
      back();
      search.focus();
    } else if (event.key === 'Escape' && document.body.classList.contains('showing')) back();
    else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && at('view-findings').contains(event.target)) {
      const items = [...at('groups').querySelectorAll('.item')];
      const now = items.indexOf(document.activeElement);
      if (now < 0 && event.target !== search) return;
      event.preventDefault();
      const next = items[now + (event.key === 'ArrowDown' ? 1 : -1)];
      if (next) next.focus();
      else if (now === 0) search.focus();
    }
  }

  // ---------------------------------------------------------------- one finding

  function route() {
    let id = '';
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch (broken) {
      id = '';
    }
    const f = data.findings.find((x) => x.id === id);
    if (f) open(f, true);
  }

  function open(f, asked) {
    state.open = f.id;
    at('finding').replaceChildren(...showFinding(f, back).filter(Boolean));
    for (const link of at('groups').querySelectorAll('.item')) {
      if (link.getAttribute('href') === `#${encodeURIComponent(f.id)}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
    if (asked) {
      choose('findings');
      document.body.classList.add('showing');
      at('finding').scrollTop = 0;
      if (getComputedStyle(document.querySelector('.back')).display !== 'none') window.scrollTo(0, 0);
      at('finding').focus({ preventScroll: true });
    }
  }

  function back() {
    document.body.classList.remove('showing');
    history.replaceState(null, '', location.pathname + location.search);
    const current = at('groups').querySelector('[aria-current]');
    if (current) current.focus();
  }

  // Something to look at before anything is chosen, where there is room beside the list.
  function openFirst() {
    if (state.open || !data.findings.length) return;
    const first = at('groups').querySelector('.item');
    const f = first && data.findings.find((x) => first.getAttribute('href') === `#${encodeURIComponent(x.id)}`);
    if (f) open(f, false);
  }

  // ---------------------------------------------------------------- views

  function choose(name) {
    for (const view of ['findings', 'figures']) {
      const on = view === name;
      at(`tab-${view}`).setAttribute('aria-selected', String(on));
      at(`tab-${view}`).tabIndex = on ? 0 : -1;
      at(`view-${view}`).hidden = !on;
    }
    document.body.classList.toggle('figured', name === 'figures');
    if (name === 'figures') figures();
  }

  function figures() {
    if (at('view-figures').hidden || !data.campaigns.length) return;
    const now = data.campaigns.find((c) => c.name === state.campaign) || data.campaigns[data.campaigns.length - 1];
    const select = data.campaigns.length > 1 && el('label', { class: 'which' }, 'Campaign ', el('select', {
      onchange: (event) => { state.campaign = event.target.value; figures(); } },
    data.campaigns.map((c) => el('option', { value: c.name, selected: c === now }, title(c)))));
    at('view-figures').replaceChildren(...[select, ...figuresOf(now, data.findings.filter((f) => f.campaign === now.name))].filter(Boolean));
  }

  function title(campaign) {
    const engine = (campaign.summary && campaign.summary.engine_version) || (campaign.began && campaign.began.engine) || '';
    return `${campaign.name}${engine ? ` (${engine})` : ''}`;
  }

  // ---------------------------------------------------------------- light and dark

  function themes() {
    const names = ['auto', 'light', 'dark'];
    let now = 'auto';
    try {
      now = names.includes(localStorage.getItem('qualm-theme')) ? localStorage.getItem('qualm-theme') : 'auto';
    } catch (forbidden) { /* A page from a file may have no storage; then the choice lasts as long as the page. */ }
    const show = () => {
      if (now === 'auto') document.documentElement.removeAttribute('data-theme');
      else document.documentElement.setAttribute('data-theme', now);
      at('theme').textContent = `Theme: ${now}`;
    };
    at('theme').addEventListener('click', () => {
      now = names[(names.indexOf(now) + 1) % names.length];
      try {
        localStorage.setItem('qualm-theme', now);
      } catch (forbidden) { /* As above. */ }
      show();
    });
    show();
  }

  // ---------------------------------------------------------------- news

  const token = new URLSearchParams(location.search).get('token');
  const address = (path, query) => {
    const all = new URLSearchParams(query || {});
    if (token) all.set('token', token);
    return `${path}?${all}`;
  };

  function listen() {
    const news = new EventSource(address('events'));
    const say = (text, kind) => {
      at('live').hidden = false;
      at('live').textContent = text;
      at('live').className = `live ${kind}`;
    };
    news.onopen = () => say(running() ? 'hunting' : 'live', 'on');
    news.onerror = () => say('not connected', 'off');
    news.addEventListener('campaign', (event) => {
      const campaign = JSON.parse(event.data);
      const old = data.campaigns.findIndex((c) => c.name === campaign.name);
      if (old < 0) data.campaigns.push(campaign);
      else data.campaigns[old] = campaign;
      fresh();
    });
    news.addEventListener('point', (event) => {
      const { campaign, point } = JSON.parse(event.data);
      const known = data.campaigns.find((c) => c.name === campaign);
      if (known) known.points.push(point);
      fresh();
    });
    news.addEventListener('findings', (event) => bring(JSON.parse(event.data)));
    news.addEventListener('end', () => {
      news.close();
      say('ended', '');
    });
    const running = () => data.campaigns.some((c) => !c.summary);
    const fresh = () => {
      totals();
      about();
      figures();
      if (news.readyState === EventSource.OPEN) say(running() ? 'hunting' : 'live', 'on');
    };
  }

  // ids: [[id, stamp]] of all findings that there are; those that are new or changed are asked for.
  async function bring(ids) {
    const known = new Map(data.findings.map((f) => [f.id, f.stamp]));
    const wanted = ids.filter(([id, stamp]) => known.get(id) !== stamp);
    const got = await Promise.all(wanted.map(([id]) => fetch(address('finding', { id })).then((r) => (r.ok ? r.json() : null)).catch(() => null)));
    for (const f of got.filter(Boolean)) {
      const old = data.findings.findIndex((x) => x.id === f.id);
      if (old < 0) data.findings.push(Object.assign(f, { fresh: true }));
      else data.findings[old] = f;
    }
    const present = new Set(ids.map(([id]) => id));
    data.findings = data.findings.filter((f) => present.has(f.id));
    if (!wanted.length && known.size === data.findings.length) return;
    totals();
    about();
    makeFilters();
    list();
    figures();
    openFirst();
  }

  // ---------------------------------------------------------------- begin

  for (const view of ['findings', 'figures']) at(`tab-${view}`).addEventListener('click', () => choose(view));
  document.querySelector('[role=tablist]').addEventListener('keydown', (event) => {
    if (!['ArrowLeft', 'ArrowRight'].includes(event.key) || at('tab-figures').hidden) return;
    const other = at('tab-findings').getAttribute('aria-selected') === 'true' ? 'figures' : 'findings';
    choose(other);
    at(`tab-${other}`).focus();
  });
  at('filters').addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('keydown', keys);
  window.addEventListener('hashchange', route);
  themes();
  totals();
  about();
  makeFilters();
  list();
  route();
  openFirst();
  if (data.live) listen();
  document.documentElement.setAttribute('data-ready', 'true');
})();
