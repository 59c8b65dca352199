import { isDeepStrictEqual } from "node:util";
import { type CallMs, millisecondsOf } from "../../core/clocks.ts";
import { isObject } from "../../core/json.ts";
import { ICU, SOFTWARE } from "../../core/runtime/version.ts";
import { DETECTOR_BEFORE, type JournalHeader } from "../../record/journal/records.ts";
import { TURN_WEIGHTS } from "../../record/journal/turn-weights.ts";
import type { Comparison, Difference } from "../../record/replay/comparison.ts";
import type { JournaledInput } from "../../record/replay/machine.ts";
import type { Trace } from "../../record/replay/trace.ts";
import { table } from "../terminal.ts";

/** Longer texts are truncated in a line. */
const SHOWN_CHARS_MAX = 80;

/** What `npm run replay -- --json` prints. Times are ms since redemption; infinite ones are null. */
export function replayDocument(path: string, comparison: Comparison, trace: Trace | undefined): object {
  const { header, setup, events, commands, comparedUntilMs, truncated, pausedAtMs, difference } = comparison;
  const { callId, startedAt, software } = header;
  const { assumed, unmatched, unknown } = setup;
  return {
    path,
    callId,
    startedAt,
    writtenBy: software,
    replayedBy: SOFTWARE,
    detector: detectorOf(header),
    icu: { writtenBy: header.icu ?? null, replayedBy: ICU },
    turnWeights: { writtenBy: header.turnWeights ?? null, replayedBy: TURN_WEIGHTS },
    parameters: { assumed, unmatched, unknown },
    untilMs: comparedUntilMs,
    truncated,
    pausedAtMs: pausedAtMs ?? null,
    events,
    commands,
    same: difference === undefined,
    difference: difference ?? null,
    ...(trace === undefined ? {} : { trace }),
  };
}

/** The result of a comparison as text. */
export function comparisonText(path: string, comparison: Comparison): string {
  const { header, events, commands, comparedUntilMs, truncated, pausedAtMs, difference } = comparison;
  const lines = [`${path}: ${header.callId}, written by ${header.software}, replayed by ${SOFTWARE}`];
  lines.push(`Speech was detected by ${detectorOf(header)}; the replay uses the journal's decisions.`);
  lines.push(...basisLines(comparison));
  if (pausedAtMs !== undefined)
    lines.push(
      `The recording was paused at ${timeText(pausedAtMs)}: the words after that are gone, and were not compared.`,
    );
  if (truncated) lines.push(`The journal is truncated at ${timeText(comparedUntilMs)}: the call's end is not in it.`);
  const through = `${counted(commands, "command")} after ${counted(events, "event")}, until ${timeText(comparedUntilMs)}`;
  if (difference === undefined) return [...lines, `The same: ${through}.`].join("\n");
  return [
    ...lines,
    `Different at ${timeText(difference.atMs)}. The same until there: ${through}.`,
    "",
    differenceText(difference),
  ].join("\n");
}

/** The voice activity detector that decided about the call's frames, until its events name another. */
const detectorOf = ({ detector = DETECTOR_BEFORE }: JournalHeader): string => detector;

/** Differences between the builds that may explain a different replay. */
function basisLines({ header, setup: { parameters, assumed, unmatched, unknown } }: Comparison): string[] {
  const lines: string[] = [];
  if (header.icu !== undefined && header.icu !== ICU) {
    lines.push(
      `Written with ICU ${header.icu}, replayed with ${ICU}: word boundaries of scripts without spaces may differ.`,
    );
  }
  if (header.turnWeights !== undefined && header.turnWeights !== TURN_WEIGHTS && parameters.turnWaitMsMax > 0) {
    lines.push(
      `Ends of turns were scored with the weights ${header.turnWeights}, in the replay with ${TURN_WEIGHTS}: turns may end sooner or later.`,
    );
  }
  if (assumed.length > 0) {
    lines.push(`Written before the parameters ${assumed.join(", ")}: replayed without them.`);
    lines.push(
      "Decisions of that build (back-channels, DTMF, tools) may differ; commands that it did not record are not compared.",
    );
  }
  if (unmatched.length > 0)
    lines.push(`Written before the parameters ${unmatched.join(", ")}: replayed with the values of this build.`);
  if (unknown.length > 0)
    lines.push(
      `Written with the parameters ${unknown.join(", ")}, which this build does not know: the replay may differ.`,
    );
  return lines;
}

function differenceText({ after, journaled, replayed, failure }: Difference): string {
  const rows = [["after", ...(after === undefined ? ["nothing", ""] : inputCells(after))]];
  rows.push(["journaled", ...(journaled === undefined ? ["no command", ""] : cells(journaled))]);
  rows.push(["replayed", ...(replayed === undefined ? ["no command", failure ?? ""] : cells(replayed))]);
  const lines = [table(rows)];
  if (journaled !== undefined && replayed !== undefined && journaled.kind === replayed.kind) {
    lines.push(...membersThatDiffer(journaled, replayed));
  }
  return indented(lines.join("\n"));
}

/** Each member in which two commands of one kind differ, in full. */
function membersThatDiffer(journaled: object, replayed: object): string[] {
  const before = new Map(Object.entries(journaled));
  const now = new Map(Object.entries(replayed));
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((name) => !isDeepStrictEqual(before.get(name), now.get(name)))
    .map((name) => `${name}: journaled ${JSON.stringify(before.get(name))}, replayed ${JSON.stringify(now.get(name))}`);
}

function inputCells(input: JournaledInput): [kind: string, members: string] {
  switch (input.kind) {
    case "frame-in":
      return [
        "frame-in",
        `${input.isSpeech ? "voiced" : "not voiced"}, mediaMs ${number(millisecondsOf(input.mediaMs))}`,
      ];
    case "frame-out":
      return ["frame-out", `turnId ${input.turnId}, samples ${input.samples}`];
    case "event":
      return cells(input.event);
  }
}

/** An event or a command as two cells: its kind, and its other members, truncated. */
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

/** A duration in seconds, to the millisecond. */
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(3)} s`;

/** A time of the call in seconds, to the millisecond. */
export const timeText = (time: CallMs): string => seconds(millisecondsOf(time));

const number = (value: number): string => String(Math.round(value * 1_000) / 1_000);

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Every line that is not empty, indented by two spaces. */
export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");
