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

/** The page of the emulator: its calls, the newest first, and the legs that they dialled. It needs no JavaScript. */
export function callsPage(carrier: string, numbers: readonly string[], calls: readonly PageCall[]): string {
  const rows = calls.filter(({ leg }) => leg.parent === undefined).toReversed();
  const legsOf = (parent: Leg): readonly PageCall[] => calls.filter(({ leg }) => leg.parent === parent);
  const body = rows
    .slice(0, CALLS_MAX)
    .map((call) => [rowOf(call, ""), ...legsOf(call.leg).map((leg) => rowOf(leg, "&#8618; "))].join("\n"))
    .join("\n");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="${REFRESH_S}">
<meta name="viewport" content="width=device-width">
<title>Emulated ${escaped(carrier)}</title>
<style>
body { font-family: system-ui, sans-serif; margin: 2rem; color-scheme: light dark; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 0.3rem 0.8rem; border-bottom: 1px solid #8888; }
</style>
</head>
<body>
<h1>Emulated ${escaped(carrier)}</h1>
<p>Numbers: ${numbers.map(escaped).join(", ")}</p>
<table>
<caption>Calls and their legs, the newest first</caption>
<thead><tr><th scope="col">Call</th><th scope="col">Direction</th><th scope="col">From</th><th scope="col">To</th>
<th scope="col">State</th><th scope="col">Stream</th><th scope="col">DTMF sent</th><th scope="col">Price</th></tr></thead>
<tbody>
${body === "" ? '<tr><td colspan="8">No call yet</td></tr>' : body}
</tbody>
</table>
</body>
</html>
`;
}

function rowOf({ id, leg, hasStream, price }: PageCall, mark: string): string {
  const state = leg.cause === undefined ? leg.state : `${leg.state}: ${leg.cause.replaceAll("_", " ")}`;
  const cells = [
    leg.direction,
    leg.from,
    leg.to,
    state,
    hasStream ? "open" : "",
    leg.receivedDigits,
    price?.toFixed(5) ?? "",
  ];
  return `<tr><td>${mark}${escaped(id)}</td>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`;
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
