import type { ReplySnapshot } from "../../call/reply/snapshot.ts";
import type { CallSnapshot, Deadline } from "../../call/snapshot.ts";
import { wordsText } from "../../call/turn-taking/caller-turn.ts";
import type { Turn } from "../../call/turn-taking/turn.ts";
import type { ListedEvent } from "../../record/events/event-list.ts";
import type { Trace } from "../../record/replay/trace.ts";
import { table } from "../terminal.ts";
import { cells, indented, seconds } from "./report.ts";

/** One moment of a call, for a person to read. */
export function traceText(trace: Trace): string {
  const { atMs, turns, snapshot } = trace;
  const heard = turns.map(({ startMs, endMs, role, text, interrupted }) => [
    timeCell(startMs),
    timeCell(endMs),
    role,
    `${text}${interrupted ? " [interrupted]" : ""}`,
  ]);
  return [
    `At ${seconds(atMs)}`,
    indented(aroundText(trace)),
    "",
    "Turn state",
    indented([callerText(snapshot.turn), replyText(snapshot)].join("\n")),
    "",
    "Transcript so far",
    indented(heard.length === 0 ? "nothing that was over" : table(heard)),
    "",
    "Pending deadlines",
    indented(waitsText(snapshot, atMs)),
  ].join("\n");
}

/** What was journaled around the moment; what came after it is marked. */
function aroundText({ atMs, events: around }: Trace): string {
  // The moment itself is known to a fraction of the millisecond that events are listed in.
  const lastMs = Math.round(atMs);
  const rows = around.filter(isFirstOfTextChunks).map(({ atMs: eventMs, source, ...what }) => {
    return [eventMs <= lastMs ? " " : "+", timeCell(eventMs), source, ...cells(what)];
  });
  return rows.length === 0 ? "nothing happened around it" : table(rows);
}

/** A model tells its text word by word: the first of a row stands for all, since the pieces that come of them are told too. */
function isFirstOfTextChunks(event: ListedEvent, index: number, all: readonly ListedEvent[]): boolean {
  return event.kind !== "reply-text" || all[index - 1]?.kind !== "reply-text";
}

function callerText({ caller, isEnteringDtmf }: Turn): string {
  const keys = isEnteringDtmf ? "; keys are being pressed" : "";
  if (caller.at === "silent") return `the caller is silent${keys}`;
  const words = wordsText(caller.words);
  const said = words === "" ? "no words yet" : JSON.stringify(words);
  const settled = caller.words.interim === "" ? "" : ", not settled";
  const since =
    caller.at === "speaking" ? `speaks since ${seconds(caller.speechStartMs)}` : `spoke until ${seconds(caller.endMs)}`;
  return `the caller ${since}: ${said}${settled}${keys}`;
}

function replyText({ ended, reply, turn }: CallSnapshot): string {
  if (ended) return "the call is over";
  if (reply === undefined) return "the agent has nothing to say";
  const { turnId, audible, interruptible, areToolsRunning, segments, sentMs, heardText } = reply;
  const paused = turn.agent.at === "replying" ? turn.agent.pausedSinceMs : undefined;
  const parts = [
    audible ? `sent ${seconds(sentMs)}, heard ${JSON.stringify(heardText)}` : "nothing sent yet",
    `${segments} piece${segments === 1 ? "" : "s"}`,
    ...(paused === undefined ? [] : [`paused since ${seconds(paused)}`]),
    ...(areToolsRunning ? ["tools run"] : []),
    ...(interruptible ? [] : ["may not be interrupted"]),
  ];
  return `the agent replies (reply ${turnId}): ${parts.join("; ")}`;
}

/** What comes when the wait is over. */
const WAIT_OUTCOMES: Readonly<Record<Exclude<Deadline, "turn" | "reply">, string>> = {
  max_duration: "the maximum duration is reached",
  goodbye: "the goodbye has reached its maximum duration: the call ends",
  stream: "the peer has begun no stream, and the call ends",
  speech: "no more frames arrived: the caller's speech counts as ended",
  preemptive: "the words have not changed: preemptive generation starts",
  dtmf: "no more DTMF digits arrived: the entry is complete",
  inactivity: "inactivity timeout",
};

function waitsText(standing: CallSnapshot, atMs: number): string {
  const { turn, reply, deadlines } = standing;
  const { turn: turnMs, reply: _, ...others } = deadlines;
  const all: [untilMs: number, comes: string][] = [[turnMs, turnWaitOutcome(turn)], ...replyWaits(reply)];
  for (const [wait, untilMs] of Object.entries(others))
    all.push([untilMs, WAIT_OUTCOMES[wait as keyof typeof WAIT_OUTCOMES]]);
  const rows = all
    .filter(([untilMs]) => Number.isFinite(untilMs))
    .sort(([a], [b]) => a - b)
    .map(([untilMs, comes]) => [timeCell(untilMs), `in ${Math.round(untilMs - atMs)} ms`.padStart(13), comes]);
  return rows.length === 0 ? "nothing: it is over" : table(rows);
}

/** As `turnDeadlineMs` of turn.ts has it. */
function turnWaitOutcome({ caller, agent }: Turn): string {
  if (agent.at === "replying") {
    if (caller.at === "speaking" && agent.pausedSinceMs === undefined) return "sustained speech interrupts the reply";
    return agent.pausedSinceMs === undefined
      ? "speech without words is discarded"
      : "no word came: the paused reply goes on";
  }
  if (caller.at === "speaking") return "speech continues without words: the turn ends with the words so far";
  const isFinal = caller.at === "pausing" && caller.words.final !== "" && caller.words.interim === "";
  return isFinal ? "the pause is long enough: the caller's turn is over" : "the wait for the final transcript ends";
}

function replyWaits(reply: ReplySnapshot | undefined): [untilMs: number, comes: string][] {
  if (reply === undefined) return [];
  const { turnId, deadlines } = reply;
  return [
    [deadlines.heardMs, `reply ${turnId} counts as heard to its end, mark or no mark`],
    [deadlines.fillerMs, "nothing played yet: a filler is spoken"],
    [deadlines.llmMs, "LLM timeout"],
    [deadlines.ttsMs, "TTS timeout"],
  ];
}

const timeCell = (ms: number): string => seconds(ms).padStart(11);
