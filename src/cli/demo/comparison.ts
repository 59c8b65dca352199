import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import { comparableWords, wordErrors, wrongWords } from "../../core/text/word-errors.ts";
import { type CallerReport, wordsOf } from "../../simulator/callers/caller.ts";

/** What a caller says at one go. */
export interface ScriptedLine {
  text: string;
  /** It is said over the agent's reply, which it interrupts. */
  interrupts: boolean;
}

/** What must come of a call. */
export interface Script {
  /** The caller's lines, in order, after the agent's greeting. */
  lines: readonly ScriptedLine[];
  /** How the call ends after the last reply. */
  endReason: "agent_hangup" | "caller_hangup" | "transferred";
  /** How many words of all lines together may be understood otherwise. Undefined: none, and punctuation counts. */
  wrongWordsMax?: number;
  /** An interrupted reply must have fallen silent for good within this time after the caller began to speak. */
  stoppedMsMax: number;
}

/** Everything known about a scripted call, from both ends. */
export interface CallEvidence {
  script: Script;
  /** The caller's report. */
  caller: CallerReport;
  /** The service's record. */
  record: { status: string; endReason: string | null; durationMs: number | null };
  transcript: readonly TranscriptTurn[];
  recording: { channels: number; sampleRateHz: number; durationMs: number };
  /** How often the service broke the carrier's protocol, by kind. */
  violations: ReadonlyMap<string, number>;
}

/**
 * Words of a reply that the caller's STT may have missed where words need not be exact: a speech model that uses the processors can
 * delay the simulated telephone.
 */
const HEARD_WRONG_WORDS_MAX = 2;
/** Maximum difference between the durations of a recording and its call: only one of them includes the closing of the socket. */
const RECORDING_SLACK_MS = 1_000;

/**
 * Compares the service's record of a call with what the caller said and heard. One sentence for each difference; none when the
 * call went as scripted. Words are compared one by one; the last word of an interrupted reply may be missing on either side.
 */
export function findMismatches(evidence: CallEvidence): string[] {
  // Everything else follows from it.
  if (evidence.record.endReason === "provider_error") return ["The call ended with provider_error: a provider failed."];
  const found = recordMismatches(evidence);
  const { script, caller, transcript } = evidence;
  const { lines, wrongWordsMax } = script;
  const roles = ["agent", ...lines.flatMap(() => ["user", "agent"])].join(", ");
  const rolesFound = transcript.map((turn) => turn.role).join(", ");
  if (rolesFound !== roles) found.push(`The transcript's turns are ${rolesFound || "none"}, not ${roles}.`);
  const users = transcript.filter((turn) => turn.role === "user");
  const agents = transcript.filter((turn) => turn.role === "agent");
  const isExact = wrongWordsMax === undefined;
  for (const [index, line] of lines.entries()) {
    found.push(...lineMismatches(index + 1, line, caller.said[index], users[index], isExact));
  }
  const { said, wrong } = wordsUnderstood(evidence);
  if (wrongWordsMax !== undefined && wrong > wrongWordsMax) {
    found.push(`${wrong} of the caller's ${said} words were understood otherwise; at most ${wrongWordsMax} may be.`);
  }
  for (let index = 0; index <= lines.length; index += 1) {
    const interrupted = lines[index]?.interrupts === true;
    const stoppedMsMax = interrupted ? script.stoppedMsMax : undefined;
    found.push(...replyMismatches(index + 1, stoppedMsMax, caller.heard[index], agents[index], isExact));
  }
  return found;
}

/** How many words the caller said over the whole call, and how many the transcript has otherwise, regardless of its turns. */
export function wordsUnderstood({ script, transcript }: Pick<CallEvidence, "script" | "transcript">): {
  said: number;
  wrong: number;
} {
  const said = script.lines.flatMap(({ text }) => comparableWords(text));
  const understood = transcript.filter(({ role }) => role === "user").flatMap(({ text }) => comparableWords(text));
  return { said: said.length, wrong: wrongWords(wordErrors(said, understood)) };
}

function recordMismatches({ script, caller, record, recording, violations }: CallEvidence): string[] {
  const found: string[] = [];
  if (!caller.finished) found.push("The caller did not finish the script.");
  if (record.status !== "ended") found.push(`The record's status is ${record.status}, not ended.`);
  if (record.endReason !== script.endReason) {
    found.push(`The record's end reason is ${record.endReason}, not ${script.endReason}.`);
  }
  if (recording.channels !== 2) found.push(`The recording has ${recording.channels} channels, not 2.`);
  if (!(Math.abs(recording.durationMs - (record.durationMs ?? Number.NaN)) <= RECORDING_SLACK_MS)) {
    found.push(`The recording lasts ${recording.durationMs} ms, the call ${record.durationMs} ms.`);
  }
  for (const [kind, count] of violations) found.push(`The service broke the carrier's protocol: ${kind} (${count}).`);
  return found;
}

function lineMismatches(
  number: number,
  line: ScriptedLine,
  said: CallerReport["said"][number] | undefined,
  turn: TranscriptTurn | undefined,
  isExact: boolean,
): string[] {
  const found: string[] = [];
  if (said === undefined) return [`The caller's line ${number} was never said.`];
  if (turn === undefined) return [`The caller's line ${number} is not in the transcript.`];
  if (isExact && !sameWords(wordsOf(line.text), wordsOf(turn.text), 0)) {
    found.push(`The caller's line ${number} was "${line.text}" and was understood as "${turn.text}".`);
  }
  if (said.overAgent !== line.interrupts) {
    const how = line.interrupts
      ? "should have interrupted the agent and did not"
      : "interrupted the agent and should not have";
    found.push(`The caller's line ${number} ${how}.`);
  }
  return found;
}

/** `stoppedMsMax` is undefined for a reply that must not be interrupted. */
function replyMismatches(
  number: number,
  stoppedMsMax: number | undefined,
  heard: CallerReport["heard"][number] | undefined,
  turn: TranscriptTurn | undefined,
  isExact: boolean,
): string[] {
  if (heard === undefined) return [`The agent's turn ${number} was not heard.`];
  if (turn === undefined) return [`The agent's turn ${number} is not in the transcript.`];
  const found: string[] = [];
  const interrupted = stoppedMsMax !== undefined;
  const isSame = isExact
    ? sameWords(wordsOf(heard.text), wordsOf(turn.text), interrupted ? 1 : 0)
    : wrongWords(wordErrors(comparableWords(turn.text), comparableWords(heard.text))) <= HEARD_WRONG_WORDS_MAX;
  if (!isSame) {
    found.push(`The agent's turn ${number} was heard as "${heard.text}" and is in the transcript as "${turn.text}".`);
  }
  if (turn.interrupted !== interrupted) {
    found.push(`The agent's turn ${number} is ${turn.interrupted ? "" : "not "}marked as interrupted.`);
  }
  if (interrupted && !((heard.stoppedAfterMs ?? Number.NaN) <= stoppedMsMax)) {
    found.push(
      `The agent's turn ${number} continued for ${heard.stoppedAfterMs} ms after the caller had begun to speak.`,
    );
  }
  if (number > 1 && !((heard.latencyMs ?? Number.NaN) > 0)) {
    found.push(`The agent's turn ${number} did not begin after the caller's line.`);
  }
  if (number > 1 && turn.latency === undefined)
    found.push(`The agent's turn ${number} has no latency in the transcript.`);
  return found;
}

/** Whether the words are the same in the same order; one side may lack up to `missingMax` at its end. Two empty lists are not equal. */
function sameWords(left: readonly string[], right: readonly string[], missingMax: number): boolean {
  const common = Math.min(left.length, right.length);
  const missing = Math.max(left.length, right.length) - common;
  return common > 0 && missing <= missingMax && left.slice(0, common).every((word, index) => word === right[index]);
}
