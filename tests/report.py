"""usage: report.py PAGE RESULT...: the page in headless Chromium against the results it was made from, in the same order.
Status 77: Chromium cannot start here."""
import json, math, re, sys
from browser import Browser, Unavailable

page, paths = sys.argv[1], sys.argv[2:]
keys = json.loads(re.search(r'<script id="data" type="application/json">(.*)</script>', open(page).read()).group(1))["keys"]
results = [json.load(open(path)) for path in paths]
failed = count = 0


def check(name, fine, *details):
    global failed, count
    count += 1
    if not fine:
        failed += 1
        print("FAILED", name, *details)


def error_text(row):
    error = row["value"] - row["published"] if row["unit"] == "%" else 100 * (row["value"] / row["published"] - 1)
    return error, "pp" if row["unit"] == "%" else "%"


def check_tables(i, result):
    cells = browser.evaluate(f"""[...document.querySelectorAll('#result-{i} td[data-row]')].map(td => [...td.dataset.row.split(' '), td.textContent])""")
    seen = set()
    for row, what, text in cells:
        seen.add((int(row), what))
        check(f"{paths[i]} row {row} {what}", float(text) == result["rows"][int(row)][what], text)
    wanted = {(n, what) for n, row in enumerate(result["rows"]) for what in ("value", "published") if what in row}
    check(f"{paths[i]}: every number is in a table", seen == wanted, wanted ^ seen)
    marks = browser.evaluate(f"""[...document.querySelectorAll('#result-{i} tr')].filter(tr => tr.querySelector('[data-row$=published]')).map(tr =>
        [Number(tr.querySelector('[data-row$=published]').dataset.row.split(' ')[0]), tr.textContent.replaceAll('−', '-'), [...tr.querySelectorAll('.badge')].map(b => b.textContent)])""")
    for n, text, badges in marks:
        row = result["rows"][n]
        error, unit = error_text(row)
        check(f"{paths[i]} row {n}: role and verdict", badges == [row["role"], "ok" if row["ok"] else "missed"], badges)
        shown = [f"{sign}{abs(error) + shift:.2f} {unit}" for sign in "+-" for shift in (0, -1e-9, 1e-9)]
        check(f"{paths[i]} row {n}: error {shown[0]}", any(s in text for s in shown) and (abs(error) < .01 or ("-" if error < 0 else "+") + f"{abs(error):.1f}"[:-1] in text), text)


def charts(i):
    return browser.evaluate(f"""[...document.querySelectorAll('#result-{i} canvas')].map(c => Chart.getChart(c)).map(c => ({{
        label: c.options.label, labels: c.data.labels, sets: c.data.datasets.map(d => ({{label: d.label, data: d.data}}))}}))""")


def check_charts(i, result):
    all_charts = {c["label"]: c for c in charts(i)}
    published = [row for row in result["rows"] if "published" in row]
    for metric in {(row["metric"], row["unit"]) for row in published}:
        rows, name = [row for row in published if (row["metric"], row["unit"]) == metric], f"{metric[0]} [{metric[1]}]"
        sets = {s["label"]: s["data"] for s in all_charts[f"{name}, published and simulated"]["sets"]}
        check(f"{paths[i]}: bars of {name}", sets["published"] == [r["published"] for r in rows] and sets["simulated"] == [r["value"] for r in rows])
        sets = all_charts[f"error of {name}"]["sets"]
        for n, row in enumerate(rows):
            drawn = {s["label"]: s["data"][n] for s in sets if s["data"][n] is not None}
            check(f"{paths[i]}: error bar of {name}", list(drawn) == ["error, " + row["role"]] and math.isclose(list(drawn.values())[0], error_text(row)[0], abs_tol=1e-9), drawn)
    if result.get("stacks"):
        first = [s for s in result["stacks"] if s.get("point") == result["stacks"][0].get("point")]
        sets = all_charts["cycle stacks"]["sets"]
        for s in sets:
            check(f"{paths[i]}: stack {s['label']}", s["data"] == [100 * stack["parts"].get(s["label"], 0) for stack in first][:120])
        check(f"{paths[i]}: no part is missing", {p for s in first for p, v in s["parts"].items() if v > 0} == {s["label"] for s in sets})


def check_rest(i, result):
    text = browser.evaluate(f"document.getElementById('result-{i}').textContent")
    for key, value in result["config"].items():
        kind, _, source = result["origins"].get(key, "").partition(": ")
        source = keys[key]["origin"] if kind == "default" else source
        check(f"{paths[i]}: {key}", f"{key}" in text and str(value) in text and source in text)
    for hazard in result["hazards"]:
        check(f"{paths[i]}: hazard", all(str(hazard[part]) in text for part in ("kind", "count", "where", "cause", "missing")))


def choose(i, label, option):
    """False: there is no such choice now."""
    return browser.evaluate(f"""(() => {{ for (const l of document.querySelectorAll('#result-{i} .curves label')) if (l.firstChild.textContent === {json.dumps(label)}) {{
        const s = l.querySelector('select'), o = [...s.options].find(o => o.textContent === {json.dumps(option)});
        if (!o) return false; s.value = o.value; s.dispatchEvent(new Event('change')); return true; }} return false; }})()""")


def check_curves(i, result):
    axes = [axis["key"] for axis in result["sweep"]]
    value = lambda row, d: row[d] if d in ("case", "variant") else row["point"][d]
    dimensions = [d for d in axes + ["case", "variant"] if len({value(row, d) for row in result["rows"]}) > 1]
    drawn = 0
    for metric in {f"{row['metric']} [{row['unit']}]" for row in result["rows"]}:
        choose(i, "metric", metric)
        for x in dimensions:
            for line in dimensions:
                if x == line or not choose(i, "x axis", x) or not choose(i, "a line for each", line):
                    continue
                curve = next(c for c in charts(i) if c["label"] == f"{metric} against {x}")
                cells = browser.evaluate(f"[...document.querySelectorAll('#result-{i} .curves td[data-row]')].map(td => Number(td.dataset.row.split(' ')[0]))")
                rows = [result["rows"][n] for n in cells]
                points = sorted((str(p["x"]), p["y"]) for s in curve["sets"] for p in s["data"] if p["y"] is not None)
                check(f"curves {metric} {x} {line}", points == sorted((str(value(r, x)).replace("True", "true").replace("False", "false"), r["value"]) for r in rows), points)
                held = [d for d in dimensions if d not in (x, line)]
                check(f"curves {metric} {x} {line}: the rest is held", all(len({value(r, d) for r in rows}) == 1 for d in held))
                check(f"curves {metric} {x} {line}: a line each", len(curve["sets"]) == len({value(r, line) for r in rows}))
                drawn += 1
    check("curves were drawn", drawn >= len(dimensions) * (len(dimensions) - 1), drawn)


def check_hover(i):
    spot = browser.evaluate(f"""(() => {{ const canvas = document.querySelector('#result-{i} .curves canvas'), c = Chart.getChart(canvas); canvas.scrollIntoView({{block: 'center'}});
        const p = c.getDatasetMeta(0).data[1], box = canvas.getBoundingClientRect(), l = c.legend.legendHitBoxes[0];
        return [box.left + p.x, box.top + p.y, c.data.datasets[0].data[1].y, box.left + l.left + 5, box.top + l.top + 5]; }})()""")
    mouse = lambda kind, x, y: browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=1)
    state = lambda: browser.evaluate(f"""new Promise(done => setTimeout(() => {{ const c = Chart.getChart(document.querySelector('#result-{i} .curves canvas'));
        done([c.tooltip.opacity, c.tooltip.body?.[0]?.lines?.[0], c.isDatasetVisible(0)]); }}, 100))""")
    mouse("mouseMoved", spot[0], spot[1])
    opacity, text, visible = state()
    check("hovering shows the value", opacity > 0 and text.endswith(": " + f"{spot[2]:.10g}") and visible, opacity, text)
    mouse("mousePressed", spot[3], spot[4])
    mouse("mouseReleased", spot[3], spot[4])
    check("a click in the legend hides the line", state()[2] is False)


try:
    browser = Browser()
except Unavailable as problem:
    print("skipped:", problem)
    sys.exit(77)
try:
    browser.open(page)
    check("title", all(r["scenario"] in browser.evaluate("document.title") for r in results))
    check("nothing within the data is markup", browser.evaluate("document.querySelectorAll('main b[id], main script').length") == 0)
    for i, result in enumerate(results):
        check_tables(i, result)
        check_charts(i, result)
        check_rest(i, result)
        if "sweep" in result:
            check_curves(i, result)
            check_hover(i)
    check("distribution", any(c["label"] == "distribution of latency [us]" and c["sets"][0]["data"] == [{"x": 2, "y": 50}, {"x": 7.5, "y": 99}] for c in charts(len(results) - 1)))
    check("wide enough for a desk", browser.evaluate("document.documentElement.scrollWidth") <= 1200)
    pdf = browser.pdf()
    check("prints", pdf.startswith(b"%PDF") and pdf.count(b"/Type /Page\n") > 3 and len(pdf) > 50000, len(pdf), pdf.count(b"/Type /Page\n"))
    browser.open(page, 390, 800)
    width = browser.evaluate("document.documentElement.scrollWidth")
    check("fits a phone", width <= 390, width)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    width = browser.evaluate("document.documentElement.scrollWidth")
    check("fits a phone with everything open", width <= 390, width)
    check("the console is empty", browser.complaints == [], browser.complaints)
    check("no network", all(url.startswith(("file:", "data:")) for url in browser.requests), browser.requests)
finally:
    browser.close()
print(f"{count - failed} passed, {failed} failed")
sys.exit(failed > 0)
