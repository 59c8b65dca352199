import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import { type CallMs, roundedMs } from "../../core/clocks.ts";
import { comparableWords, wordErrors, wrongWords } from "../../core/text/word-errors.ts";
import type { CallerReport } from "../../simulator/callers/caller.ts";
import { table } from "../terminal.ts";
import { type CallEvidence, wordsUnderstood } from "./comparison.ts";

/** A placed call from both ends, and the path of its recording. */
export interface DemoResult extends Omit<CallEvidence, "recording"> {
  callId: string;
  recording: CallEvidence["recording"] & { path: string };
}

/** What `npm run demo -- --json` prints. Times are whole milliseconds; those of turns count from the redemption of the token. */
export interface DemoDocument {
  callId: string;
  status: string;
  endReason: string | null;
  durationMs: number | null;
  turns: {
    role: "agent" | "user";
    text: string;
    startMs: CallMs;
    endMs: CallMs;
    interrupted: boolean;
    /** From the caller's last voiced frame to the final transcript; 0 where it came before that frame. */
    finalTranscriptMs?: number;
    /** From the caller's last voiced frame to the first frame of the reply that was sent. */
    latencyMs?: number;
  }[];
  /** What the caller said, as it was understood. */
  lines: SpokenLine[];
  /** The words of all lines, and how many the transcript has otherwise: replaced, inserted or left out. */
  words: { said: number; wrong: number };
  /** The agent's turns as the caller's STT decoded them from the audio that was played. */
  heardByCaller: string[];
  recording: { path: string; channels: number; sampleRateHz: number; durationMs: number };
  latency: {
    /** As the service measured it: the same as `turns[].latencyMs`. */
    service: LatencySummary;
    /** As the caller heard it: from the last frame of its line to the agent's first voiced sample. */
    heardByCaller: LatencySummary;
    /** From the caller's first frame over the agent to the agent's last voiced sample; null without an interruption. */
    bargeInMs: number | null;
  };
}

/** One line of the caller and its transcript, which is null where there is none. */
interface SpokenLine {
  said: string;
  understood: string | null;
  wrongWords: number;
}

interface LatencySummary {
  medianMs: number | null;
  maxMs: number | null;
}

/** The result as `--json` prints it; durations in ms, null where nothing was measured. */
export function demoDocument(result: DemoResult): DemoDocument {
  const { callId, record, transcript, caller, recording } = result;
  const { path, channels, sampleRateHz, durationMs } = recording;
  const serviceMs = transcript.flatMap(({ latency }) => (latency === undefined ? [] : [latency.firstFrameMs]));
  const heardMs = caller.heard.flatMap(({ latencyMs }) => (latencyMs === undefined ? [] : [latencyMs]));
  const stoppedMs = caller.heard.find((turn) => turn.stoppedAfterMs !== undefined)?.stoppedAfterMs;
  return {
    callId,
    status: record.status,
    endReason: record.endReason,
    durationMs: record.durationMs === null ? null : Math.round(record.durationMs),
    turns: transcript.map(({ role, text, startMs, endMs, interrupted, latency }) => ({
      role,
      text,
      startMs: roundedMs(startMs),
      endMs: roundedMs(endMs),
      interrupted,
      ...(latency?.finalTranscriptMs === undefined ? {} : { finalTranscriptMs: Math.round(latency.finalTranscriptMs) }),
      ...(latency === undefined ? {} : { latencyMs: Math.round(latency.firstFrameMs) }),
    })),
    lines: spokenLines(result),
    words: wordsUnderstood(result),
    heardByCaller: caller.heard.map((turn) => turn.text),
    recording: { path, channels, sampleRateHz, durationMs },
    latency: {
      service: summary(serviceMs),
      heardByCaller: summary(heardMs),
      bargeInMs: stoppedMs === undefined ? null : Math.round(stoppedMs),
    },
  };
}

/** The caller's lines, each with the turn of the transcript that has its number. */
function spokenLines({ script, transcript }: DemoResult): SpokenLine[] {
  const users = transcript.filter(({ role }) => role === "user");
  return script.lines.map(({ text: said }, index) => {
    const understood = users[index]?.text ?? null;
    return {
      said,
      understood,
      wrongWords: wrongWords(wordErrors(comparableWords(said), comparableWords(understood ?? ""))),
    };
  });
}

/** Summarises a demo as text: the record, the transcript, the latency, and the path of the recording. */
export function demoSummary(result: DemoResult): string {
  const { callId, script, record, transcript, caller, recording } = result;
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const lines = transcript.map(
    (turn) => `  ${turn.role.padEnd(5)}  ${turn.text}${turn.interrupted ? " [interrupted]" : ""}`,
  );
  return [
    `Call ${callId}: ${record.status}, ${record.endReason}, ${seconds(record.durationMs ?? Number.NaN)}`,
    "",
    "Transcript, as heard:",
    ...lines,
    "",
    ...(script.wrongWordsMax === undefined ? [] : [understandingTable(result), ""]),
    "Latency in ms, from the caller's last voiced frame to",
    latencyTable(transcript, caller),
    ...interruptionLines(caller),
    "",
    `Recording: ${recording.path}`,
    `  ${recording.channels} channels (left the caller, right the agent), ${recording.sampleRateHz} Hz, ` +
      seconds(recording.durationMs),
  ].join("\n");
}

/** What a person said and what the STT made of it, line by line: of interest where they are not the same by construction. */
function understandingTable(result: DemoResult): string {
  const { said, wrong } = wordsUnderstood(result);
  const rows = spokenLines(result).flatMap((line, index) => [
    [String(index + 1), "said", "", line.said],
    ["", "understood", line.wrongWords === 0 ? "" : `${line.wrongWords} wrong`, line.understood ?? "-"],
  ]);
  return `Understood by the local STT, ${wrong} of ${said} words wrong:\n${table(rows)}`;
}

const interruptionLines = ({ heard }: CallerReport): string[] =>
  heard.flatMap(({ stoppedAfterMs }) =>
    stoppedAfterMs === undefined
      ? []
      : [`The agent fell silent ${Math.round(stoppedAfterMs)} ms after the caller had begun to interrupt it.`],
  );

function latencyTable(transcript: readonly TranscriptTurn[], caller: CallerReport): string {
  const replies = transcript
    .filter((turn) => turn.role === "agent")
    .map((turn, index) => ({ latency: turn.latency, heardMs: caller.heard[index]?.latencyMs, text: turn.text }))
    .slice(1);
  const cell = (ms: number | undefined): string => (ms === undefined ? "-" : String(Math.round(ms)));
  const rows = replies.map(({ latency, heardMs, text }) => [
    cell(latency?.finalTranscriptMs),
    cell(latency?.endOfTurnMs),
    cell(latency?.firstTextMs),
    cell(latency?.firstAudioMs),
    cell(latency?.firstFrameMs),
    cell(heardMs),
    `${text.slice(0, 24)}...`,
  ]);
  return table([
    ["final transcript", "end of turn", "first text", "first audio", "first frame", "heard by caller", "reply"],
    ...rows,
  ]);
}

/** The lower of two middle values is the median, so that it is always a measured value. */
function summary(valuesMs: readonly number[]): LatencySummary {
  const sorted = valuesMs.map(Math.round).sort((a, b) => a - b);
  return { medianMs: sorted[Math.floor((sorted.length - 1) / 2)] ?? null, maxMs: sorted.at(-1) ?? null };
}
