'use strict';
const report = JSON.parse(document.getElementById('data').textContent);
const COLORS = ['#2563a8', '#d9822b', '#2a9d6f', '#8e5bb5', '#c2484d', '#5f7f94', '#b59b1f', '#d46fa6', '#3fa7c4', '#6f7d2c'];
const BARS_MOST = 120;
const ORIGINS = ['default', 'measured', 'fitted', 'assumed', 'scenario', 'command'];

/* --- elements: all text goes in as text --- */

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

const badge = (name, text = name) => element('span', { class: `badge ${name}` }, text);

/* columns: {title, number, text, cell(item) -> text or element, data(item) -> attribute data-value} */
function table(columns, items) {
  const head = element('tr', {}, ...columns.map(c => element('th', { class: c.number ? 'number' : null }, c.title)));
  const body = element('tbody', {}, ...items.map(item => element('tr', {}, ...columns.map(c => {
    const cell = c.cell(item);
    return element('td', { class: c.number ? 'number' : c.text ? 'text' : null, 'data-row': c.row && c.row(item) }, cell ?? '');
  }))));
  return element('div', { class: 'scroll', tabindex: 0 }, element('table', {}, element('thead', {}, head), body));
}

function select(label, options, chosen, changed) {
  const box = element('select', { onchange: () => changed(box.value) },
    ...options.map(o => element('option', { value: o.value, selected: o.value === chosen ? '' : null }, o.text)));
  return element('label', {}, label, box);
}

/* --- charts --- */

Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
window.addEventListener('beforeprint', () => Object.values(Chart.instances).forEach(chart => chart.resize(640, chart.height)));
window.addEventListener('afterprint', () => Object.values(Chart.instances).forEach(chart => chart.resize()));

function chart(parent, height, config) {
  const canvas = element('canvas', { role: 'img', 'aria-label': config.options.label });
  parent.append(element('div', { class: 'chart', style: `height: ${height}px` }, canvas));
  return new Chart(canvas, config);
}

const shorten = text => text.length > 34 ? text.slice(0, 32) + '…' : text;

/* Horizontal bars, a label a line. datasets as Chart.js has them. */
function bars(parent, label, labels, datasets, { stacked = false, logarithmic = false, unit = '' } = {}) {
  const thickness = stacked || datasets.some(set => set.grouped === false) ? 20 : 7 + 10 * datasets.length;
  chart(parent, 110 + labels.length * thickness, {
    type: 'bar',
    data: { labels, datasets },
    options: {
      label, indexAxis: 'y',
      interaction: { mode: 'index', axis: 'y', intersect: false },
      scales: {
        x: { stacked, type: logarithmic ? 'logarithmic' : 'linear', title: { display: true, text: logarithmic ? `${unit}, logarithmic` : unit }, max: stacked ? 100 : undefined },
        y: { stacked, grid: { display: false }, ticks: { autoSkip: false, callback(value) { return shorten(this.getLabelForValue(value)); } } },
      },
      plugins: { legend: { display: datasets.length > 1, position: 'top', labels: { boxWidth: 12 } } },
    },
  });
}

/* --- rows --- */

const keyOf = row => row.metric + ' [' + row.unit + ']';
const unique = list => [...new Set(list)];

function groupBy(list, key) {
  const groups = new Map();
  for (const item of list) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

/* Simulated against published: percent, or points when the row is a percentage. */
const errorOf = row => row.unit === '%' ? row.value - row.published : 100 * (row.value / row.published - 1);
const errorUnit = row => row.unit === '%' ? 'pp' : '%';
const signed = (value, digits = 2) => (value < 0 ? '−' : '+') + Math.abs(value).toFixed(digits);

/* A value of an axis as text with its unit. */
function axisText(result, key, value) {
  const axis = (result.sweep ?? []).find(a => a.key === key);
  const at = axis ? axis.values.indexOf(value) : -1;
  return (at >= 0 && axis.shown && axis.shown[at]) || String(value);
}

const pointText = (result, item) => Object.entries(item.point ?? {}).map(([key, value]) => `${key}=${axisText(result, key, value)}`).join(' ');
const caseOf = row => [row.case, row.variant].filter(Boolean).join(' · ');
const labelOf = (result, row) => [pointText(result, row), caseOf(row)].filter(Boolean).join(' · ');

const axesColumns = result => (result.sweep ?? []).map(axis =>
  ({ title: axis.key, cell: row => row.point ? axisText(result, axis.key, row.point[axis.key]) : '' }));

/* --- parts of a result --- */

function putTiles(section, result) {
  const published = result.rows.filter(row => 'published' in row);
  const tiles = [[result.rows.length, 'rows']];
  for (const [unit, rows] of groupBy(published, errorUnit)) {
    const errors = rows.map(row => Math.abs(errorOf(row)));
    tiles.push([`${(errors.reduce((a, b) => a + b) / errors.length).toFixed(2)} ${unit}`, `mean error of ${errors.length} published rows`]);
    tiles.push([`${Math.max(...errors).toFixed(2)} ${unit}`, 'largest error']);
  }
  for (const role of unique(published.map(row => row.role)))
    tiles.push([published.filter(row => row.role === role).length, `rows ${role}`]);
  if (published.length) tiles.push([published.filter(row => !row.ok).length, 'missed']);
  tiles.push([(result.hazards ?? []).filter(h => !h.expected).length, 'hazards not expected']);
  if (result.points) tiles.push([result.points.length, 'points']);
  section.append(element('div', { class: 'tiles' }, ...tiles.map(([value, what]) => element('div', { class: 'tile' }, element('b', {}, String(value)), element('span', {}, what)))));
}

function rowsTable(result, rows) {
  const published = rows.some(row => 'published' in row), samples = rows.some(row => row.samples);
  const columns = [
    ...axesColumns(result),
    { title: 'case', cell: row => row.case },
    { title: 'variant', cell: row => row.variant },
    { title: 'metric', cell: row => row.metric },
    { title: 'simulated', number: true, cell: row => String(row.value), row: row => row.index + ' value' },
    { title: 'unit', cell: row => row.unit },
  ];
  if (published)
    columns.splice(-1, 0,
      { title: 'published', number: true, cell: row => 'published' in row ? String(row.published) : '', row: row => 'published' in row ? row.index + ' published' : null });
  if (published)
    columns.push(
      { title: 'error', number: true, cell: row => 'published' in row ? `${signed(errorOf(row))} ${errorUnit(row)}` : '' },
      { title: 'tolerance', number: true, cell: row => 'tolerance' in row ? `±${row.tolerance} ${row.unit}` : '' },
      { title: 'role', cell: row => row.role ? badge(row.role) : '' },
      { title: '', cell: row => 'ok' in row ? badge(row.ok ? 'ok' : 'missed') : '' });
  if (samples) columns.push({ title: 'samples', number: true, cell: row => row.samples ? String(row.samples) : '' });
  return table(columns, rows);
}

const isWide = values => values.length > 1 && values.every(v => v > 0) && Math.max(...values) > 50 * Math.min(...values);

function putPublished(section, result) {
  const published = result.rows.filter(row => 'published' in row);
  if (!published.length) return;
  section.append(element('h3', {}, 'Published against simulated'));
  for (const [name, all] of groupBy(published, keyOf)) {
    const rows = [...all].sort((a, b) => Math.abs(errorOf(b)) - Math.abs(errorOf(a))).slice(0, BARS_MOST);
    const shown = all.filter(row => rows.includes(row)), labels = shown.map(row => labelOf(result, row));
    section.append(element('h4', {}, name));
    if (all.length > rows.length) section.append(element('p', { class: 'note' }, `The ${BARS_MOST} rows with the largest errors of ${all.length}; the table has all.`));
    bars(section, `${name}, published and simulated`, labels, [
      { label: 'published', data: shown.map(row => row.published), backgroundColor: '#b9c4cf' },
      { label: 'simulated', data: shown.map(row => row.value), backgroundColor: COLORS[0] },
    ], { unit: shown[0].unit, logarithmic: isWide(shown.flatMap(row => [row.value, row.published])) });
    bars(section, `error of ${name}`, labels, unique(shown.map(row => row.role)).map(role => ({
      label: `error, ${role}`, data: shown.map(row => row.role === role ? errorOf(row) : null), skipNull: true, grouped: false,
      backgroundColor: role === 'fitted' ? '#d9a441' : '#2563a8',
    })), { unit: `error [${errorUnit(shown[0])}]` });
  }
  section.append(rowsTable(result, published));
}

function putRows(section, result) {
  if (!result.rows.length) return;
  section.append(element('h3', {}, 'Simulated'));
  if (!result.sweep)
    for (const [name, rows] of groupBy(result.rows, keyOf)) {
      const cases = unique(rows.map(row => row.case)).slice(0, BARS_MOST), variants = unique(rows.map(row => row.variant));
      if (rows.length < 2) continue;
      section.append(element('h4', {}, name));
      bars(section, name, cases, variants.map((variant, i) => ({
        label: variant, backgroundColor: COLORS[i % COLORS.length],
        data: cases.map(c => rows.find(row => row.case === c && row.variant === variant)?.value ?? null),
      })), { unit: rows[0].unit, logarithmic: isWide(rows.map(row => row.value)) });
    }
  section.append(element('details', result.rows.length <= 12 ? { open: '' } : {},
    element('summary', {}, `All ${result.rows.length} rows`), rowsTable(result, result.rows)));
}

/* Any metric against any dimension (an axis, case, variant), a line for each value of another; the rest is held. */
function putSweep(section, result) {
  if (!result.sweep || !result.rows.length) return;
  const axes = result.sweep.map(axis => axis.key);
  const valueOf = (row, d) => d === 'case' || d === 'variant' ? row[d] : row.point[d];
  const textOf = (d, value) => d === 'case' || d === 'variant' ? value : axisText(result, d, value);
  const metrics = unique(result.rows.map(keyOf));
  const panel = element('div', { class: 'curves' });
  const state = { metric: metrics[0], x: null, line: null, held: {} };
  section.append(element('h3', {}, 'Curves of the sweep'),
    element('p', { class: 'note' }, 'Hover a point for its value; a click on a line in the legend hides or shows it.'), panel);

  function draw() {
    const rows = result.rows.filter(row => keyOf(row) === state.metric);
    const values = Object.fromEntries([...axes, 'case', 'variant'].map(d => [d, unique(rows.map(row => valueOf(row, d)))]));
    const many = Object.keys(values).filter(d => values[d].length > 1);
    const dimensions = many.length ? many : [axes[0]];
    if (!dimensions.includes(state.x)) state.x = dimensions[0];
    if (!dimensions.includes(state.line) || state.line === state.x) state.line = dimensions.find(d => d !== state.x) ?? null;
    const held = dimensions.filter(d => d !== state.x && d !== state.line);
    for (const d of held) if (!values[d].includes(state.held[d])) state.held[d] = values[d][0];
    const kept = rows.filter(row => held.every(d => valueOf(row, d) === state.held[d]));
    removeCharts(panel);
    panel.replaceChildren(controls(dimensions, held, values));
    const xs = unique(kept.map(row => valueOf(row, state.x)));
    const lines = state.line ? values[state.line] : [null];
    const at = (x, line) => kept.find(row => valueOf(row, state.x) === x && (line === null || valueOf(row, state.line) === line));
    curves(panel, xs, lines.map((line, i) => ({ name: line === null ? state.metric : `${state.line} = ${textOf(state.line, line)}`, rows: xs.map(x => at(x, line)), i })));
    panel.append(table([{ title: state.x, cell: x => textOf(state.x, x) }, ...lines.map(line => ({
      title: line === null ? state.metric : textOf(state.line, line), number: true,
      cell: x => { const row = at(x, line); return row ? String(row.value) : '–'; },
      row: x => { const row = at(x, line); return row ? row.index + ' value' : null; },
    }))], xs));
  }

  function controls(dimensions, held, values) {
    const named = list => list.map(d => ({ value: d, text: d }));
    return element('div', { class: 'controls' },
      select('metric', named(metrics), state.metric, v => { state.metric = v; draw(); }),
      select('x axis', named(dimensions), state.x, v => { state.x = v; draw(); }),
      dimensions.length > 1 ? select('a line for each', named(dimensions.filter(d => d !== state.x)), state.line, v => { state.line = v; draw(); }) : null,
      ...held.map(d => select(d, values[d].map((v, i) => ({ value: String(i), text: textOf(d, v) })), String(values[d].indexOf(state.held[d])),
        v => { state.held[d] = values[d][Number(v)]; draw(); })));
  }

  function curves(parent, xs, lines) {
    const numeric = xs.every(x => typeof x === 'number');
    const ordered = numeric ? [...xs].sort((a, b) => a - b) : xs;
    const logarithmic = numeric && ordered.length > 2 && ordered[0] > 0 && ordered[ordered.length - 1] >= 8 * ordered[0];
    const xScale = numeric
      ? { type: logarithmic ? 'logarithmic' : 'linear', min: ordered[0], max: ordered[ordered.length - 1],
          afterBuildTicks: scale => { scale.ticks = ordered.map(value => ({ value })); },
          ticks: { callback: value => textOf(state.x, value) } }
      : { type: 'category', labels: xs.map(String) };
    chart(parent, 420, {
      type: 'line',
      data: {
        datasets: lines.map(line => ({
          label: line.name, borderColor: COLORS[line.i % COLORS.length], backgroundColor: COLORS[line.i % COLORS.length],
          borderDash: line.i >= COLORS.length ? [6, 3] : [], borderWidth: 2, clip: 8, pointRadius: 3, pointHoverRadius: 6,
          data: line.rows.map((row, i) => ({ x: numeric ? xs[i] : String(xs[i]), y: row ? row.value : null }))
            .sort((a, b) => numeric ? a.x - b.x : 0),
        })),
      },
      options: {
        label: `${state.metric} against ${state.x}`,
        interaction: { mode: 'nearest', axis: 'x', intersect: false },
        scales: { x: { ...xScale, title: { display: true, text: logarithmic ? `${state.x}, logarithmic` : state.x } }, y: { beginAtZero: true, title: { display: true, text: state.metric } } },
        plugins: {
          legend: { position: 'top', labels: { boxWidth: 12 } },
          tooltip: { callbacks: { title: items => `${state.x} = ${numeric ? textOf(state.x, items[0].parsed.x) : items[0].label}`, label: item => `${item.dataset.label}: ${item.raw.y}` } },
        },
      },
    });
  }
  draw();
}

const removeCharts = panel => panel.querySelectorAll('canvas').forEach(canvas => Chart.getChart(canvas)?.destroy());

/* A part that shows the items of one point of a sweep at a time: draw(panel, its items). */
function putByPoint(section, result, title, note, items, draw) {
  if (!items.length) return;
  const points = groupBy(items, item => pointText(result, item));
  const names = [...points.keys()], panel = element('div', {});
  section.append(element('h3', {}, title), element('p', { class: 'note' }, note), panel);
  function show(point) {
    removeCharts(panel);
    panel.replaceChildren(...(names.length > 1
      ? [element('div', { class: 'controls' }, select('point', names.map(text => ({ value: text, text })), point, show))] : []));
    draw(panel, points.get(point));
  }
  show(names[0]);
}

/* Rows named like p50_latency, p99_latency, max_latency are one distribution. */
const QUANTILE = /^(min|median|p\d+(?:\.\d+)?|max)_(.+)$/;
const quantile = name => name === 'min' ? 0 : name === 'max' ? 100 : name === 'median' ? 50 : Number(name.slice(1));

function putDistributions(section, result) {
  const found = result.rows.map(row => ({ row, point: row.point, match: QUANTILE.exec(row.metric) })).filter(item => item.match);
  const nameOf = item => item.match[2] + ' [' + item.row.unit + ']';
  const several = [...groupBy(found, nameOf)].filter(([, items]) => unique(items.map(item => item.match[1])).length > 1).map(([name]) => name);
  putByPoint(section, result, 'Distribution', 'The percentiles that the result has.', found.filter(item => several.includes(nameOf(item))), (panel, shown) => {
    for (const [name, items] of groupBy(shown, nameOf)) {
      panel.append(element('h4', {}, name));
      chart(panel, 380, {
        type: 'line',
        data: {
          datasets: [...groupBy(items, item => caseOf(item.row))].map(([label, points], i) => ({
            label, borderColor: COLORS[i % COLORS.length], backgroundColor: COLORS[i % COLORS.length],
            data: points.map(item => ({ x: item.row.value, y: quantile(item.match[1]) })).sort((a, b) => a.y - b.y),
          })),
        },
        options: {
          label: `distribution of ${name}`,
          scales: { x: { type: isWide(items.map(item => item.row.value)) ? 'logarithmic' : 'linear', title: { display: true, text: name } }, y: { min: 0, max: 100, title: { display: true, text: 'percentile' } } },
          plugins: { legend: { labels: { boxWidth: 12 } } },
        },
      });
    }
  });
}

function putStacks(section, result) {
  putByPoint(section, result, 'Cycle stacks', 'Where the simulated time of the measured regions went, in percent.', result.stacks ?? [], (panel, shown) => {
    const parts = unique(shown.flatMap(stack => Object.keys(stack.parts))).filter(part => shown.some(stack => stack.parts[part] > 0));
    const drawn = shown.slice(0, BARS_MOST);
    bars(panel, 'cycle stacks', drawn.map(caseOf), parts.map((part, i) => ({
      label: part, data: drawn.map(stack => 100 * (stack.parts[part] ?? 0)), backgroundColor: COLORS[i % COLORS.length],
    })), { stacked: true, unit: '% of time' });
    panel.append(element('details', {}, element('summary', {}, 'As numbers'), table([
      { title: 'case', cell: stack => stack.case }, { title: 'variant', cell: stack => stack.variant },
      ...parts.map(part => ({ title: part, number: true, cell: stack => String(stack.parts[part] ?? '') })),
    ], shown)));
  });
}

function putHazards(section, result) {
  const hazards = result.hazards ?? [];
  section.append(element('h3', {}, 'Hazards'));
  if (!hazards.length) {
    section.append(element('p', { class: 'note' }, result.config?.['hazard.detect'] === 0 ? 'The detector was off.' : 'None was found.'));
    return;
  }
  section.append(table([
    ...axesColumns(result),
    { title: 'kind', cell: h => h.kind },
    { title: '', cell: h => badge(h.expected ? 'ok' : 'unexpected', h.expected ? 'expected' : 'not expected') },
    { title: 'case', cell: h => h.case }, { title: 'variant', cell: h => h.variant },
    { title: 'count', number: true, cell: h => String(h.count ?? '') },
    { title: 'first [ps]', number: true, cell: h => String(h.first_time_ps ?? '') },
    { title: 'core', number: true, cell: h => String(h.core ?? '') },
    { title: 'what', text: true, cell: h => h.what }, { title: 'where', text: true, cell: h => h.where },
    { title: 'cause', text: true, cell: h => h.cause }, { title: 'missing', text: true, cell: h => h.missing },
  ], hazards));
}

function putPoints(section, result) {
  const bad = (result.points ?? []).filter(point => !['fine', 'missed'].includes(point.status));
  if (!bad.length) return;
  section.append(element('h3', {}, 'Points without a result'), table([
    ...axesColumns(result), { title: 'status', cell: p => badge(p.status) }, { title: 'message', text: true, cell: p => (p.messages ?? []).join('; ') },
  ], bad));
}

function putConfig(section, result) {
  const config = result.config ?? {}, origins = result.origins ?? {};
  const items = Object.keys(config).map(key => ({ key, kind: ORIGINS.find(o => (origins[key] ?? '').startsWith(o)), origin: origins[key] ?? '' }));
  const grid = table([
    { title: 'key', cell: item => element('span', { title: report.keys[item.key]?.meaning }, item.key) },
    { title: 'value', number: true, cell: item => result.shown?.[item.key] ?? String(config[item.key]) },
    { title: 'in base units', number: true, cell: item => String(config[item.key]) },
    { title: 'origin', cell: item => item.kind ? badge(item.kind) : 'scenario' },
    { title: 'source', text: true, cell: item => item.kind === 'default' ? report.keys[item.key]?.origin : item.origin.includes(':') ? item.origin.slice(item.origin.indexOf(':') + 2) : '' },
  ], items);
  const search = element('input', { type: 'search', oninput: () => grid.querySelectorAll('tbody tr').forEach(row => { row.hidden = !row.textContent.includes(search.value); }) });
  const counts = [...groupBy(items, item => item.kind ?? 'scenario')].map(([kind, list]) => `${list.length} ${kind}`).join(', ');
  section.append(element('h3', {}, 'Effective configuration'),
    element('p', { class: 'note' }, `${items.length} values: ${counts}.${result.sweep ? ' What differs between the points of the sweep is not in this table.' : ''} Configuration hash ${result.config_hash ?? ''}.`),
    element('details', {}, element('summary', {}, 'All values and where each comes from'), element('div', { class: 'controls' }, element('label', {}, 'filter', search)), grid));
}

/* --- the page --- */

report.results.forEach((result, i) => {
  result.rows.forEach((row, index) => { row.index = index; });
  const id = `result-${i}`;
  const section = element('section', { class: 'result', id }, element('h2', {}, result.scenario), element('p', { class: 'small' }, result.path));
  document.getElementById('results').append(section);
  document.getElementById('contents').append(element('a', { href: `#${id}` }, result.scenario));
  putTiles(section, result);
  for (const part of [putPoints, putSweep, putPublished, putRows, putDistributions, putStacks, putHazards, putConfig]) part(section, result);
});
document.getElementById('summary').textContent = `${report.results.length} result${report.results.length === 1 ? '' : 's'}, ${report.tool}`;
document.title = `dmasim report: ${report.results.map(result => result.scenario).join(', ')}`;
/* A closed <details> would be missing on paper. */
window.addEventListener('beforeprint', () => document.querySelectorAll('details:not([open])').forEach(d => { d.open = true; d.dataset.closed = ''; }));
window.addEventListener('afterprint', () => document.querySelectorAll('details[data-closed]').forEach(d => { d.open = false; delete d.dataset.closed; }));
