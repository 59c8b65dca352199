import { wordsText } from "../call/caller-turn.ts";
import type { CallStanding, LivingReply, Wait } from "../call/standing.ts";
import type { Turn } from "../call/turn.ts";
import type { Trace } from "../record/journal-trace.ts";
import type { ListedEvent } from "../record/listed-events.ts";
import { cells, indented, seconds } from "./replay-report.ts";
import { table } from "./simulated/terminal.ts";

/** One moment of a call, for a person to read. */
export function traceText(trace: Trace): string {
  const { atMs, turns, standing } = trace;
  const heard = turns.map(({ startMs, endMs, role, text, interrupted }) => [
    moment(startMs),
    moment(endMs),
    role,
    `${text}${interrupted ? " [interrupted]" : ""}`,
  ]);
  return [
    `At ${seconds(atMs)}`,
    indented(aroundText(trace)),
    "",
    "Whose turn it was",
    indented([callerText(standing.turn), replyText(standing)].join("\n")),
    "",
    "What had been said and heard",
    indented(heard.length === 0 ? "nothing that was over" : table(heard)),
    "",
    "What the call waited for",
    indented(waitsText(standing, atMs)),
  ].join("\n");
}

/** What was journaled around the moment; what came after it is marked. */
function aroundText({ atMs, around }: Trace): string {
  // The moment itself is known to a fraction of the millisecond that events are listed in.
  const lastMs = Math.round(atMs);
  const rows = around.filter(isNoLaterChunk).map(({ atMs: eventMs, source, ...what }) => {
    return [eventMs <= lastMs ? " " : "+", moment(eventMs), source, ...cells(what)];
  });
  return rows.length === 0 ? "nothing happened around it" : table(rows);
}

/** A model tells its text word by word: the first of a row stands for all, since the pieces that come of them are told too. */
function isNoLaterChunk(event: ListedEvent, index: number, all: readonly ListedEvent[]): boolean {
  return event.kind !== "reply-text" || all[index - 1]?.kind !== "reply-text";
}

function callerText({ caller, keying }: Turn): string {
  const keys = keying ? "; keys are being pressed" : "";
  if (caller.at === "silent") return `the caller is silent${keys}`;
  const words = wordsText(caller.words);
  const said = words === "" ? "no words yet" : JSON.stringify(words);
  const settled = caller.words.partial === "" ? "" : ", not settled";
  const since =
    caller.at === "speaking" ? `speaks since ${seconds(caller.voiceMs)}` : `spoke until ${seconds(caller.endMs)}`;
  return `the caller ${since}: ${said}${settled}${keys}`;
}

function replyText({ ended, reply, turn }: CallStanding): string {
  if (ended) return "the call is over";
  if (reply === undefined) return "the agent has nothing to say";
  const { turnId, audible, interruptible, usesTools, pieces, sentMs, heardText } = reply;
  const paused = turn.agent.at === "replying" ? turn.agent.pausedMs : undefined;
  const parts = [
    audible ? `sent ${seconds(sentMs)}, heard ${JSON.stringify(heardText)}` : "nothing sent yet",
    `${pieces} piece${pieces === 1 ? "" : "s"}`,
    ...(paused === undefined ? [] : [`paused since ${seconds(paused)}`]),
    ...(usesTools ? ["tools run"] : []),
    ...(interruptible ? [] : ["may not be interrupted"]),
  ];
  return `the agent replies (reply ${turnId}): ${parts.join("; ")}`;
}

/** What comes when the wait is over. */
const COMES: Readonly<Record<Exclude<Wait, "turn" | "reply">, string>> = {
  max_duration: "the call has lasted as long as it may",
  goodbye: "our goodbye has lasted as long as it may, and the call ends",
  stream: "the peer has begun no stream, and the call ends",
  voice: "no more frames came: the caller's voice counts as ended",
  ahead: "the words have not changed: the model is asked ahead",
  digits: "no more keys came: the entry is over",
  inactivity: "nobody was heard for too long",
};

function waitsText(standing: CallStanding, atMs: number): string {
  const { turn, reply, waits } = standing;
  const { turn: turnMs, reply: _, ...others } = waits;
  const all: [untilMs: number, comes: string][] = [[turnMs, comesOfTurn(turn)], ...replyWaits(reply)];
  for (const [wait, untilMs] of Object.entries(others)) all.push([untilMs, COMES[wait as keyof typeof COMES]]);
  const rows = all
    .filter(([untilMs]) => Number.isFinite(untilMs))
    .sort(([a], [b]) => a - b)
    .map(([untilMs, comes]) => [moment(untilMs), `in ${Math.round(untilMs - atMs)} ms`.padStart(13), comes]);
  return rows.length === 0 ? "nothing: it is over" : table(rows);
}

/** As `turnDeadlineMs` of turn.ts has it. */
function comesOfTurn({ caller, agent }: Turn): string {
  if (agent.at === "replying") {
    if (caller.at === "speaking" && agent.pausedMs === undefined) return "the voice has lasted, and cuts the reply";
    return agent.pausedMs === undefined ? "voice without words is forgotten" : "no word came: the paused reply goes on";
  }
  if (caller.at === "speaking") return "voice goes on without words: what was said is answered";
  const isFinal = caller.at === "pausing" && caller.words.final !== "" && caller.words.partial === "";
  return isFinal
    ? "the pause is long enough: the caller's turn is over"
    : "the ear's last word is waited for no longer";
}

function replyWaits(reply: LivingReply | undefined): [untilMs: number, comes: string][] {
  if (reply === undefined) return [];
  const { turnId, waits } = reply;
  return [
    [waits.heardMs, `reply ${turnId} counts as heard to its end, mark or no mark`],
    [waits.fillerMs, "nothing to be heard yet: the caller is told to wait"],
    [waits.modelMs, "the model is silent: it counts as failed"],
    [waits.voiceMs, "the voice is silent: it counts as failed"],
  ];
}

const moment = (ms: number): string => seconds(ms).padStart(11);
