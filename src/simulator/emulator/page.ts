import type { Leg } from "./network.ts";

const REFRESH_S = 2;
const CALLS_MAX = 100;

/** A row of the page. */
export interface PageCall {
  readonly id: string;
  readonly leg: Leg;
  readonly hasStream: boolean;
  readonly price: number | undefined;
}

const COLUMNS = ["Call", "Direction", "From", "To", "State", "Stream", "DTMF sent", "Price"] as const;

const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --ink: #1b1f24; --soft: #57606a; --line: #d5dae1; --rule: #e7eaee;
  --queued: #57606a; --ringing: #7a4d00; --answered: #11622f; --ended: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1c2026; --ink: #e8ebef; --soft: #a5aeb9; --line: #39414b; --rule: #2a3038;
    --queued: #a5aeb9; --ringing: #f0b849; --answered: #6fd08c; --ended: #a5aeb9;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 2rem 0 0.75rem; font-size: 1.125rem; }
p { margin: 0.5rem 0 0; color: var(--soft); max-width: 46rem; }
code, td, .numbers { font-variant-numeric: tabular-nums; }
code { font-family: ui-monospace, monospace; font-size: 0.875em; overflow-wrap: anywhere; }
.numbers { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 1rem 0 0; padding: 0; list-style: none; }
.numbers li { padding: 0.125rem 0.625rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card); }
.card { overflow: hidden; border: 1px solid var(--line); border-radius: 0.625rem; background: var(--card); }
.empty { margin: 0; padding: 1.25rem; max-width: none; }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
th, td { padding: 0.625rem 0.875rem; text-align: left; vertical-align: top; }
th { color: var(--soft); font-size: 0.8125rem; font-weight: 600; white-space: nowrap; }
td { border-top: 1px solid var(--rule); }
td:nth-child(3), td:nth-child(4), td:nth-child(5) { white-space: nowrap; }
td:last-child, th:last-child { text-align: right; }
td code { display: block; max-width: 18rem; }
.leg td { border-top-style: dotted; }
.leg td:first-child { padding-left: 1.75rem; }
.of { color: var(--soft); font-size: 0.8125rem; }
.state { font-weight: 600; }
.state::before { content: ""; display: inline-block; width: 0.5rem; height: 0.5rem; margin-right: 0.5rem; border-radius: 50%; background: currentcolor; }
.queued { color: var(--queued); } .ringing { color: var(--ringing); } .answered { color: var(--answered); }
.ended { color: var(--ended); font-weight: 400; }
@media (max-width: 56rem) {
  main { padding: 1.25rem 1rem 2rem; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: 0.625rem 1rem; border-top: 1px solid var(--line); }
  tbody tr:first-child { border-top: 0; }
  .leg { margin-left: 1rem; border-top-style: dotted; }
  td, .leg td:first-child, td:last-child { display: grid; grid-template-columns: 6.5rem 1fr; gap: 0.75rem; padding: 0.125rem 0; border: 0; text-align: left; }
  td::before { content: attr(data-column); color: var(--soft); }
  td.none { display: none; }
  td code { max-width: none; }
}
`;

/** Puts the page's current state in place of what is shown, so that the place on the page and a selection elsewhere stay. */
const REFRESH = `
setInterval(async () => {
  const answer = await fetch("/").catch(() => undefined);
  if (!answer?.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  const shown = document.querySelector("main");
  if (next && next.innerHTML !== shown.innerHTML) shown.replaceWith(next);
}, ${REFRESH_S * 1_000});
`;

/** The page of the emulator: its calls, the newest first, and the legs that they dialled. Without JavaScript it is loaded again. */
export function callsPage(carrier: string, numbers: readonly string[], calls: readonly PageCall[]): string {
  const rows = calls.filter(({ leg }) => leg.parent === undefined).toReversed();
  const legsOf = (parent: Leg): readonly PageCall[] => calls.filter(({ leg }) => leg.parent === parent);
  const shown = rows
    .slice(0, CALLS_MAX)
    .flatMap((call) => [rowOf(call, false), ...legsOf(call.leg).map((leg) => rowOf(leg, true))]);
  const title = `Emulated ${escaped(carrier[0]?.toUpperCase() ?? "")}${escaped(carrier.slice(1))}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<noscript><meta http-equiv="refresh" content="${REFRESH_S}"></noscript>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>An imitation on this machine: nothing here rings a real telephone. This page shows every ${REFRESH_S}&nbsp;s what has happened.</p>
<h2 id="numbers">Numbers of the account</h2>
<ul class="numbers" aria-labelledby="numbers">${numbers.map((number) => `<li>${escaped(number)}</li>`).join("")}</ul>
<h2 id="calls">Calls, the newest first</h2>
<div class="card">
${shown.length === 0 ? EMPTY : tableOf(shown)}
</div>
</main>
<script>${REFRESH}</script>
</body>
</html>
`;
}

const EMPTY = `<p class="empty">No call yet. <code>POST /emulator/calls</code> with <code>from</code> and <code>to</code> has a person call one of the numbers; <code>POST /phone-calls</code> of the service has it ring someone.</p>`;

// The roles are those that the elements have, but for small screens, where they are no longer laid out as a table.
const tableOf = (rows: readonly string[]): string => `<table role="table" aria-labelledby="calls">
<thead role="rowgroup"><tr role="row">${COLUMNS.map((name) => `<th role="columnheader" scope="col">${name}</th>`).join("")}</tr></thead>
<tbody role="rowgroup">
${rows.join("\n")}
</tbody>
</table>`;

function rowOf({ id, leg, hasStream, price }: PageCall, isLeg: boolean): string {
  const cause = leg.cause === undefined ? "" : `: ${leg.cause.replaceAll("_", " ")}`;
  const cells = [
    `<div>${isLeg ? '<span class="of">&#8618; dialled by it</span>' : ""}<code>${escaped(id)}</code></div>`,
    leg.direction,
    escaped(leg.from),
    escaped(leg.to),
    `<span class="state ${leg.state}">${leg.state}${escaped(cause)}</span>`,
    hasStream ? "open" : "",
    escaped(leg.receivedDigits),
    price?.toFixed(5) ?? "",
  ];
  const cellOf = (cell: string, at: number): string =>
    `<td role="cell" data-column="${COLUMNS[at]}"${cell === "" ? ' class="none"' : ""}>${cell}</td>`;
  return `<tr role="row"${isLeg ? ' class="leg"' : ""}>${cells.map(cellOf).join("")}</tr>`;
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
