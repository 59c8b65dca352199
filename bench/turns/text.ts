import { verdictLines } from "../harness/verdict.ts";
import { percentOf } from "../hearing/pooled.ts";
import type { HearingTable } from "../hearing/text.ts";
import { whole } from "../report/html.ts";
import { textTable } from "../report/text-table.ts";
import { goalsOf } from "./budgets.ts";
import { endOfTurnTables } from "./end-of-turn/tables.ts";
import type { TurnsOnSpeechResult } from "./result.ts";

const ms = (value: number): string => (Number.isFinite(value) ? whole(value) : "–");
const percent = (part: number, all: number): string => (all === 0 ? "–" : percentOf(part, all).toFixed(1));

/** The result for the terminal. */
export const turnsOnSpeechText = (result: TurnsOnSpeechResult): string =>
  [
    `detectors: ${result.detectors.map(({ name, version }) => `${name} (${version})`).join(", ")}`,
    ...tablesOf(result).flatMap(({ title, columns, rows }) => ["", title, textTable(columns, rows)]),
    "",
    ...verdictLines(goalsOf(result)),
  ].join("\n");

export const tablesOf = (result: TurnsOnSpeechResult): HearingTable[] => [
  ...(result.endOfTurn === undefined ? [] : endOfTurnTables(result.endOfTurn)),
  turnEnds(result),
  interruptions(result),
  listening(result),
  inactivity(result),
];

const turnEnds = ({ turnEnds: rows }: TurnsOnSpeechResult): HearingTable => ({
  title:
    "ends of turns with other STT and on other lines: from the caller's last clear sample to the answer's first frame",
  columns: ["detector, STT, line", "caller says", "turns", "too early", "%", "no answer", "p50", "p90 ms"],
  rows: rows.map(({ detector, sttMode, line, kind, turns, early, unanswered, answerMs }) => [
    `${detector}, ${sttMode}, ${line}`,
    kind,
    ...[turns, early].map(String),
    percent(early, turns),
    String(unanswered),
    ...[answerMs.p50, answerMs.p90].map(ms),
  ]),
});

const interruptions = ({ interruptions: rows }: TurnsOnSpeechResult): HearingTable => ({
  title: "interruptions: from the caller's first clear sample to the agent's last one",
  columns: ["detector, STT, line", "calls", "stopped before", "agent spoke", "noticed", "%", "p50", "p90 ms"],
  rows: rows.map(({ detector, sttMode, line, calls, falselyStopped, free, noticed, toLastSentMs }) => [
    `${detector}, ${sttMode}, ${line}`,
    ...[calls, falselyStopped, free, noticed].map(String),
    percent(noticed, free),
    ...[toLastSentMs.p50, toLastSentMs.p90].map(ms),
  ]),
});

const listening = ({ listening: rows }: TurnsOnSpeechResult): HearingTable => ({
  title: "the caller only listens: what stops the agent",
  columns: ["detector, STT, line", "echo after ms", "replies", "pauses", "interruptions"],
  rows: rows.map(({ detector, sttMode, line, echoDelayMs, calls, pauses, interruptions: cut }) => [
    `${detector}, ${sttMode}, ${line}`,
    echoDelayMs === undefined ? "–" : String(echoDelayMs),
    ...[calls, pauses, cut].map(String),
  ]),
});

const inactivity = ({ inactivity: rows }: TurnsOnSpeechResult): HearingTable => ({
  title: "the caller says nothing: when the inactivity prompt begins",
  columns: ["detector, STT, line", "s"],
  rows: rows.map(({ detector, sttMode, line, promptMs }) => [
    `${detector}, ${sttMode}, ${line}`,
    Number.isNaN(promptMs) ? "never" : (promptMs / 1_000).toFixed(1),
  ]),
});
