import type { ReplySnapshot } from "../../call/reply/snapshot.ts";
import type { CallSnapshot, Deadline } from "../../call/snapshot.ts";
import { wordsText } from "../../call/turn-taking/caller-turn.ts";
import type { Turn } from "../../call/turn-taking/turn-state.ts";
import { type CallMs, elapsedMs, roundedMs } from "../../core/clocks.ts";
import type { ListedEvent } from "../../record/events/event-list.ts";
import type { Trace } from "../../record/replay/trace.ts";
import { table } from "../terminal.ts";
import { cells, indented, seconds, timeText } from "./report.ts";

/** The state of a call at one time, as text. */
export function traceText(trace: Trace): string {
  const { atMs, turns, snapshot } = trace;
  const heard = turns.map(({ startMs, endMs, role, text, interrupted }) => [
    timeCell(startMs),
    timeCell(endMs),
    role,
    `${text}${interrupted ? " [interrupted]" : ""}`,
  ]);
  return [
    `At ${timeText(atMs)}`,
    indented(aroundText(trace)),
    "",
    "Turn state",
    indented([callerText(snapshot.turn), replyText(snapshot)].join("\n")),
    "",
    "Transcript so far",
    indented(heard.length === 0 ? "no finished turn" : table(heard)),
    "",
    "Pending deadlines",
    indented(waitsText(snapshot, atMs)),
  ].join("\n");
}

/** The journaled events around this time; later ones are marked with "+". */
function aroundText({ atMs, events: around }: Trace): string {
  // The time has fractions of a millisecond; events are listed in whole milliseconds.
  const lastMs = roundedMs(atMs);
  const rows = around.filter(isFirstOfTextChunks).map(({ atMs: eventMs, source, ...what }) => {
    return [eventMs <= lastMs ? " " : "+", timeCell(eventMs), source, ...cells(what)];
  });
  return rows.length === 0 ? "no events" : table(rows);
}

/** The LLM sends its text word by word: only the first event of a run is shown, since the resulting segments are listed too. */
function isFirstOfTextChunks(event: ListedEvent, index: number, all: readonly ListedEvent[]): boolean {
  return event.kind !== "reply-text" || all[index - 1]?.kind !== "reply-text";
}

function callerText({ caller, isEnteringDtmf }: Turn): string {
  const dtmf = isEnteringDtmf ? "; entering DTMF digits" : "";
  if (caller.at === "silent") return `the caller is silent${dtmf}`;
  const words = wordsText(caller.words);
  const said = words === "" ? "no words yet" : JSON.stringify(words);
  const settled = caller.words.interim === "" ? "" : ", interim";
  const since =
    caller.at === "speaking"
      ? `has been speaking since ${timeText(caller.speechStartMs)}`
      : `spoke until ${timeText(caller.endMs)}`;
  return `the caller ${since}: ${said}${settled}${dtmf}`;
}

function replyText({ ended, reply, turn }: CallSnapshot): string {
  if (ended) return "the call is over";
  if (reply === undefined) return "the agent is not replying";
  const { turnId, audible, interruptible, areToolsRunning, segments, sentMs, heardText } = reply;
  const paused = turn.agent.at === "replying" ? turn.agent.pausedSinceMs : undefined;
  const parts = [
    audible ? `sent ${seconds(sentMs)}, heard ${JSON.stringify(heardText)}` : "nothing sent yet",
    `${segments} segment${segments === 1 ? "" : "s"}`,
    ...(paused === undefined ? [] : [`paused since ${timeText(paused)}`]),
    ...(areToolsRunning ? ["tools are running"] : []),
    ...(interruptible ? [] : ["not interruptible"]),
  ];
  return `the agent replies (reply ${turnId}): ${parts.join("; ")}`;
}

/** What happens at the deadline. */
const WAIT_OUTCOMES: Readonly<Record<Exclude<Deadline, "turn" | "reply">, string>> = {
  max_duration: "the maximum duration is reached",
  goodbye: "the goodbye has reached its maximum duration: the call ends",
  transfer: "the telephone network has not answered: the transfer counts as refused, or as failed",
  hold: "the longest time of the hold is over: the agent comes back",
  recording: "no more words of the pause of the recording can come: it is over once neither side speaks",
  stream: "the peer has not started the stream: the call ends",
  speech: "no more frames arrived: the caller's speech counts as ended",
  preemptive: "the words have not changed: preemptive generation starts",
  dtmf: "no more DTMF digits arrived: the entry is complete",
  passages: "the answer waits no longer for the corpora",
  interim: "the STT is asked for the words of the speech so far",
  inactivity: "inactivity timeout",
  wordless: "the caller has given no words for too long: the call ends",
};

function waitsText(snapshot: CallSnapshot, atMs: CallMs): string {
  const { turn, reply, deadlines } = snapshot;
  const { turn: turnMs, reply: _, ...others } = deadlines;
  const all: [untilMs: CallMs, comes: string][] = [[turnMs, turnWaitOutcome(turn)], ...replyWaits(reply)];
  for (const [wait, untilMs] of Object.entries(others))
    all.push([untilMs, WAIT_OUTCOMES[wait as keyof typeof WAIT_OUTCOMES]]);
  const rows = all
    .filter(([untilMs]) => Number.isFinite(untilMs))
    .sort(([a], [b]) => elapsedMs(b, a))
    .map(([untilMs, comes]) => [
      timeCell(untilMs),
      `in ${Math.round(elapsedMs(atMs, untilMs))} ms`.padStart(13),
      comes,
    ]);
  return rows.length === 0 ? "none: the call is over" : table(rows);
}

/** Corresponds to `turnDeadlineMs` of turn.ts. */
function turnWaitOutcome({ caller, agent }: Turn): string {
  if (agent.at === "replying") {
    return agent.pausedSinceMs === undefined
      ? "speech without words is discarded"
      : "no words: the paused reply resumes";
  }
  if (caller.at === "speaking") return "speech continues without words: the turn ends with the words so far";
  const isFinal = caller.at === "pausing" && caller.words.final !== "" && caller.words.interim === "";
  return isFinal ? "end of turn: the pause is long enough" : "the wait for the final transcript ends";
}

function replyWaits(reply: ReplySnapshot | undefined): [untilMs: CallMs, comes: string][] {
  if (reply === undefined) return [];
  const { turnId, deadlines } = reply;
  return [
    [deadlines.heardMs, `reply ${turnId} counts as heard to its end, with or without a mark`],
    [deadlines.fillerMs, "nothing has been played yet: a filler is spoken"],
    [deadlines.llmMs, "LLM timeout"],
    [deadlines.ttsMs, "TTS timeout"],
  ];
}

const timeCell = (atMs: CallMs): string => timeText(atMs).padStart(11);
