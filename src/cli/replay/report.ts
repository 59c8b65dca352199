import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../core/json.ts";
import { ICU, SOFTWARE } from "../../core/version.ts";
import type { Comparison, Difference } from "../../record/replay/comparison.ts";
import type { JournaledInput } from "../../record/replay/machine.ts";
import type { Trace } from "../../record/replay/trace.ts";
import { table } from "../terminal.ts";

/** Longer texts are cut off where they are shown in a line. */
const SHOWN_CHARS_MAX = 80;

/** What `npm run replay -- --json` prints. Times are ms since redemption; what is not waited for is null. */
export function replayDocument(path: string, comparison: Comparison, trace: Trace | undefined): object {
  const { header, setup, events, commands, comparedUntilMs, truncated, difference } = comparison;
  const { callId, startedAt, software } = header;
  const { assumed, unmatched, unknown } = setup;
  return {
    path,
    callId,
    startedAt,
    writtenBy: software,
    replayedBy: SOFTWARE,
    icu: { writtenBy: header.icu ?? null, replayedBy: ICU },
    parameters: { assumed, unmatched, unknown },
    untilMs: comparedUntilMs,
    breaksOff: truncated,
    events,
    commands,
    same: difference === undefined,
    difference: difference ?? null,
    ...(trace === undefined ? {} : { trace }),
  };
}

/** What came of a comparison, for a person to read. */
export function comparisonText(path: string, comparison: Comparison): string {
  const { header, events, commands, comparedUntilMs, truncated, difference } = comparison;
  const lines = [`${path}: ${header.callId}, written by ${header.software}, replayed by ${SOFTWARE}`];
  lines.push(...basisLines(comparison));
  if (truncated) lines.push(`The journal breaks off at ${seconds(comparedUntilMs)}: the call's end is not in it.`);
  const through = `${counted(commands, "command")} after ${counted(events, "event")}, until ${seconds(comparedUntilMs)}`;
  if (difference === undefined) return [...lines, `The same: ${through}.`].join("\n");
  return [
    ...lines,
    `Different at ${seconds(difference.atMs)}. The same until there: ${through}.`,
    "",
    differenceText(difference),
  ].join("\n");
}

/** What another build had otherwise, where that may be why a replay differs. */
function basisLines({ header, setup: { assumed, unmatched, unknown } }: Comparison): string[] {
  const lines: string[] = [];
  if (header.icu !== undefined && header.icu !== ICU) {
    lines.push(
      `Written with ICU ${header.icu}, replayed with ${ICU}: cuts between words of scripts without blanks may differ.`,
    );
  }
  if (assumed.length > 0) {
    lines.push(`Written before there was ${assumed.join(", ")}: replayed as without.`);
    lines.push(
      "What that build decided otherwise (back-channels, keys, tools) may differ; what it did not tell is not compared.",
    );
  }
  if (unmatched.length > 0)
    lines.push(`Written before there was ${unmatched.join(", ")}: replayed as this build has it.`);
  if (unknown.length > 0) lines.push(`Written with ${unknown.join(", ")}, which this build does not know: may differ.`);
  return lines;
}

function differenceText({ after, journaled, replayed, failure }: Difference): string {
  const rows = [["after", ...(after === undefined ? ["nothing", ""] : inputCells(after))]];
  rows.push(["journaled", ...(journaled === undefined ? ["no command", ""] : cells(journaled))]);
  rows.push(["came out", ...(replayed === undefined ? ["no command", failure ?? ""] : cells(replayed))]);
  const lines = [table(rows)];
  if (journaled !== undefined && replayed !== undefined && journaled.kind === replayed.kind) {
    lines.push(...membersThatDiffer(journaled, replayed));
  }
  return indented(lines.join("\n"));
}

/** Each member that two commands of one kind do not share, in full. */
function membersThatDiffer(journaled: object, cameOut: object): string[] {
  const [before, now] = [new Map(Object.entries(journaled)), new Map(Object.entries(cameOut))];
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((name) => !isDeepStrictEqual(before.get(name), now.get(name)))
    .map((name) => `${name}: journaled ${JSON.stringify(before.get(name))}, came out ${JSON.stringify(now.get(name))}`);
}

function inputCells(happening: JournaledInput): [kind: string, members: string] {
  switch (happening.kind) {
    case "frame-in":
      return ["frame-in", `${happening.isSpeech ? "voiced" : "not voiced"}, mediaMs ${number(happening.mediaMs)}`];
    case "frame-out":
      return ["frame-out", `turnId ${happening.turnId}, samples ${happening.samples}`];
    case "event":
      return cells(happening.event);
  }
}

/** An event or a command as two cells: its kind, and the rest of it, shortened. */
export function cells({ kind, ...members }: { kind: string }): [kind: string, members: string] {
  return [kind, membersText(members)];
}

const membersText = (members: object): string =>
  Object.entries(members)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(", ");

function valueText(value: unknown): string {
  if (typeof value === "number") return number(value);
  if (isObject(value)) return `{${membersText(value)}}`;
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= SHOWN_CHARS_MAX ? json : `${json.slice(0, SHOWN_CHARS_MAX)}…`;
}

/** A moment, or a time, in seconds to the millisecond. */
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(3)} s`;

const number = (value: number): string => String(Math.round(value * 1_000) / 1_000);

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");
