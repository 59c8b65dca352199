/** Text for HTML and SVG, where it stands between tags or in an attribute. */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A number with three digits that mean something, and no more than two decimals. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  // A hundredth that is rounded away takes its sign with it.
  const shown = Math.abs(value) < 0.005 ? 0 : value;
  return shown.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en");

/** A part of one. */
export const share = (value: number): string => value.toFixed(value < 0.1 ? 3 : 2);

export interface Column {
  title: string;
  /** Numbers stand to the right. */
  numeric?: boolean;
}

/** A table; its cells are HTML already. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const align = (column: number): string => (columns[column]?.numeric === true ? ' class="number"' : "");
  const head = columns.map(({ title }, column) => `<th${align(column)}>${escaped(title)}</th>`).join("");
  const body = rows
    .map((row) => `<tr>${row.map((cell, column) => `<td${align(column)}>${cell}</td>`).join("")}</tr>`)
    .join("\n");
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** A list; its items are HTML already. */
export const list = (items: readonly string[]): string =>
  `<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;

export interface Section {
  title: string;
  /** What is seen and how it was measured: HTML. */
  lead?: string;
  body: string;
}

/** A whole page that needs nothing but itself. `subtitle` and the sections' leads and bodies are HTML. */
export function page(title: string, subtitle: string, sections: readonly Section[]): string {
  const articles = sections
    .map(({ title: heading, lead, body }) => {
      const paragraph = lead === undefined ? "" : `<p class="lead">${lead}</p>`;
      return `<section><h2>${escaped(heading)}</h2>${paragraph}${body}</section>`;
    })
    .join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header><h1>${escaped(title)}</h1><p class="subtitle">${subtitle}</p></header>
${articles}
</main>
</body>
</html>
`;
}

const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d2430; --quiet: #5c6675; --rule: #e2dfd6; --grid: #ebe8e0;
  --ours: #0f766e; --ours-light: #5fb3aa; --echo: #55647a; --echo-light: #a3afc0; --typical: #b4600b; --typical-light: #e0a766;
  --extra: #6d4aa3; --extra-light: #b39ddb; --ws: #a85a00; --ws-light: #e8b878; --good: #18794e; --bad: #b3261e; --open: #6b7280;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181f; --card: #1b212b; --ink: #e7eaf0; --quiet: #9aa5b5; --rule: #2c3442; --grid: #29313d;
    --ours: #3fb8ab; --ours-light: #23716a; --echo: #93a3ba; --echo-light: #4c596c; --typical: #e39a4b; --typical-light: #83592c;
    --extra: #b198e0; --extra-light: #5f4c85; --ws: #e8a050; --ws-light: #7a4d1c; --good: #5bc28c; --bad: #f07a70; --open: #98a2b3;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
main { max-width: 980px; margin: 0 auto; padding: 40px 24px 64px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; }
h2 { font-size: 18px; margin: 0 0 6px; }
.subtitle, .lead { color: var(--quiet); margin: 0 0 14px; max-width: 82ch; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 22px 24px; margin-top: 20px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--quiet); border-bottom: 1px solid var(--rule); padding: 6px 14px 6px 0; }
td { border-bottom: 1px solid var(--grid); padding: 7px 14px 7px 0; vertical-align: top; }
tr:last-child td { border-bottom: 0; }
th.number, td.number { text-align: right; white-space: nowrap; }
.name { white-space: nowrap; }
.of { color: var(--quiet); display: inline-block; min-width: 4.2em; }
ul { margin: 0; padding-left: 20px; }
li { margin: 4px 0; max-width: 86ch; }
svg { display: block; width: 100%; height: auto; margin: 6px 0 10px; }
svg text { font: 12.5px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--ink); }
svg text.quiet { fill: var(--quiet); }
svg text.strong { font-weight: 600; }
.verdict { font-weight: 600; white-space: nowrap; }
.holds { color: var(--good); } .missed { color: var(--bad); } .open { color: var(--open); }
.warning { border-color: var(--bad); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; font-size: 13.5px; margin: 0 0 4px; }
.legend span::before {
  content: ""; display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 7px; vertical-align: -1px;
  background: var(--swatch);
}
`;
