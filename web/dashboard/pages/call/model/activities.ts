import { type Condition, type Failover, seconds } from "./conditions.ts";
import type { LlmRequest, Pause, Reply, Segment } from "./replies.ts";
import type { Timeline } from "./timeline.ts";
import type { Span } from "./types.ts";
import { lastVoicedMs, percent } from "./waterfall.ts";

/** Why nothing is heard, the foremost first: where two apply at a time, the first counts. */
const CAUSES = [
  "detached",
  "hold",
  "transfer",
  "paused",
  "tool",
  "failover",
  "llm",
  "retrieval",
  "tts",
  "first-segment",
  "playback",
  "network",
  "stt",
  "end-of-turn",
  "start",
  "caller-silent",
] as const;
export type SilenceCause = (typeof CAUSES)[number];

/** The causes in few words. */
export const CAUSE_NAMES: Readonly<Record<SilenceCause, string>> = {
  detached: "Stream lost",
  hold: "On hold",
  transfer: "Transfer",
  paused: "Reply paused",
  tool: "Tool running",
  failover: "Provider failover",
  llm: "LLM",
  retrieval: "Waiting for passages",
  tts: "TTS",
  "first-segment": "First clause not complete",
  playback: "Sending",
  network: "No audio from the caller",
  stt: "STT",
  "end-of-turn": "End of turn",
  start: "Start of the stream",
  "caller-silent": "Caller silent",
};

/** What the service did, or what happened to it, for a time. */
export interface Activity extends Span {
  readonly cause: SilenceCause;
  readonly text: string;
  readonly rank: number;
  readonly turnId?: number;
}

/** Everything that can explain a silence, in the order of time. */
export function activitiesOf({ replies, conditions, failovers, durationMs }: Timeline): Activity[] {
  const activities = conditions.flatMap(conditionActivity);
  for (const reply of replies) {
    const untilMs = reply.cancelled?.atMs ?? durationMs;
    activities.push(
      ...decisionActivities(reply),
      ...retrievalActivities(reply),
      ...reply.requests.flatMap((request) => llmActivities(request, { reply, failovers, untilMs })),
      ...toolActivities(reply, untilMs),
      ...speechActivities(reply, { failovers, untilMs }),
      ...reply.pauses.map((pause) => pauseActivity(pause, reply, untilMs)),
    );
  }
  return activities.filter(({ startMs, endMs }) => endMs > startMs).sort((a, b) => a.startMs - b.startMs);
}

interface Within {
  readonly failovers: readonly Failover[];
  /** When what has not ended was given up, or now. */
  readonly untilMs: number;
}

function activity(cause: SilenceCause, startMs: number, endMs: number, text: string, turnId?: number): Activity {
  const rank = CAUSES.indexOf(cause);
  return turnId === undefined ? { cause, startMs, endMs, text, rank } : { cause, startMs, endMs, text, rank, turnId };
}

function conditionActivity({ kind, startMs, endMs, text }: Condition): Activity[] {
  return kind === "recording-paused" ? [] : [activity(kind, startMs, endMs, text)];
}

/** Less than this after the wait is the time of a tick. */
const TICK_MS = 25;

/** From the end of the caller's speech to the decision: the wait that was decided on, and the words that came later. */
function decisionActivities(reply: Reply): Activity[] {
  const { turnEnded, turnId, requests, finalTranscript } = reply;
  const startMs = lastVoicedMs(reply);
  const decidedMs = turnEnded?.atMs ?? requests[0]?.usedMs;
  if (startMs === undefined || decidedMs === undefined) return [];
  if (turnEnded === undefined) return [fixedPause(reply, startMs, decidedMs)];
  const { waitMs, probability, reasons } = turnEnded;
  const weighed = reasons.filter((reason) => reason !== WAITED_FOR_WORDS);
  const why = weighed.length === 0 ? "" : ` What weighed most: ${weighed.join(", ")}.`;
  const waited = activity(
    "end-of-turn",
    startMs,
    Math.min(startMs + waitMs, decidedMs),
    `The caller paused, and the agent waited ${waitMs} ms (waitMs) to be sure that the turn was over. That is the wait where an end is ${percent(probability)} probable.${why}`,
    turnId,
  );
  if (decidedMs - startMs - waitMs <= TICK_MS) return [{ ...waited, endMs: decidedMs }];
  const late = `The wait was over, but the words of the speech were not there. The agent answered ${seconds(decidedMs - startMs)} after the caller's last sound.`;
  return [
    waited,
    activity("stt", startMs + waitMs, decidedMs, `${late}${transcriptText(finalTranscript, startMs)}`, turnId),
  ];
}

const WAITED_FOR_WORDS = "waited for words";

function transcriptText(final: Reply["finalTranscript"], sinceMs: number): string {
  if (final === undefined || final.atMs <= sinceMs) return "";
  const late = final.lateMs === undefined ? "" : `, ${final.lateMs} ms after its deadline`;
  return ` The final transcript of the STT came ${seconds(final.atMs - sinceMs)} after that sound${late}.`;
}

/** Turns of calls that do not score their ends. */
function fixedPause({ turnId, finalTranscript }: Reply, startMs: number, decidedMs: number): Activity {
  const isSttLast = finalTranscript !== undefined && Math.abs(decidedMs - finalTranscript.atMs) < TICK_MS;
  const text = `The agent answered ${seconds(decidedMs - startMs)} after the caller's last sound: ${isSttLast ? "the final transcript of the STT came then" : "its pause after such words"}.`;
  return activity(isSttLast ? "stt" : "end-of-turn", startMs, decidedMs, text, turnId);
}

function retrievalActivities({ awaitedPassages, passages, requests, turnId }: Reply): Activity[] {
  if (awaitedPassages === undefined) return [];
  const { atMs, waitMsMax } = awaitedPassages;
  const endMs = passages?.atMs ?? requests[0]?.atMs ?? atMs + waitMsMax;
  const result =
    passages === undefined
      ? "None came in that time, and the agent answered without."
      : `${passages.passages.length} were found in ${seconds(passages.tookMs)}.`;
  const text = `The answer waited ${seconds(endMs - atMs)} for passages of the corpora, at most ${seconds(waitMsMax)} (waitMsMax). ${result}`;
  return [activity("retrieval", atMs, endMs, text, turnId)];
}

const NO_MORE_TEXT = "The LLM had sent no more text that could be spoken.";
/** What the TTS does with the text that there is comes first. */
const BELOW_SPEECH = CAUSES.indexOf("playback") + 0.5;

function llmActivities(request: LlmRequest, { reply, failovers, untilMs }: Within & { reply: Reply }): Activity[] {
  const { usedMs, firstTextMs, endMs, failedCode, isPreemptive, atMs } = request;
  const { turnId, tools } = reply;
  const answeredMs = firstTextMs ?? endMs ?? untilMs;
  const early = isPreemptive ? ` It had been asked ${seconds(usedMs - atMs)} before.` : "";
  const outcome = ((): string => {
    if (failedCode !== undefined) return `failed after ${seconds(answeredMs - usedMs)} (${failedCode})`;
    if (firstTextMs !== undefined) return `took ${seconds(answeredMs - usedMs)} to its first text`;
    if (endMs === undefined) return `had sent nothing after ${seconds(answeredMs - usedMs)}`;
    const called = tools.some(({ startMs }) => startMs >= endMs) ? "called a tool" : "ended without text";
    return `${called} after ${seconds(answeredMs - usedMs)}`;
  })();
  const waiting = activity("llm", usedMs, answeredMs, `The LLM ${outcome}.${early}`, turnId);
  const generating =
    firstTextMs === undefined
      ? []
      : [{ ...activity("llm", firstTextMs, endMs ?? untilMs, NO_MORE_TEXT, turnId), rank: BELOW_SPEECH }];
  return [
    waiting,
    ...generating,
    ...failoverActivities("llm", { startMs: usedMs, endMs: answeredMs }, failovers, turnId),
  ];
}

/** Times in which a provider was waited for in vain. */
function failoverActivities(
  stage: Failover["stage"],
  { startMs, endMs }: Span,
  failovers: readonly Failover[],
  turnId: number,
): Activity[] {
  let fromMs = startMs;
  return failovers
    .filter((one) => one.stage === stage && one.atMs >= startMs && one.atMs <= endMs)
    .map(({ atMs, from, to, code }) => {
      const text = `The ${stage.toUpperCase()} provider ${from} ${FAILOVERS[code]} after ${seconds(atMs - fromMs)}. The call went on with ${to}.`;
      const failed = activity("failover", fromMs, atMs, text, turnId);
      fromMs = atMs;
      return failed;
    });
}

const FAILOVERS: Readonly<Record<Failover["code"], string>> = {
  failed: "failed",
  refused: "refused the request",
  timed_out: "sent nothing in time",
  skipped: "was skipped, because its circuit breaker was open or its streams were in use,",
  other_language: "does not transcribe the new language: it was left",
};

function toolActivities({ tools, turnId }: Reply, untilMs: number): Activity[] {
  return tools.map(({ name, startMs, endMs = untilMs, failed, result }) => {
    const outcome = ((): string => {
      if (result === undefined) return "It had no result when the call went on.";
      return failed === true ? "It failed." : "Then the LLM went on with its result.";
    })();
    const text = `The tool ${name} ran for ${seconds(endMs - startMs)}. ${outcome}`;
    return activity("tool", startMs, endMs, text, turnId);
  });
}

/** From the LLM's text to audio that is heard, also between two parts of a reply. */
function speechActivities(reply: Reply, within: Within): Activity[] {
  const { segments, playouts, requests, turnId } = reply;
  const activities: Activity[] = [];
  for (const { firstTextMs } of requests) {
    const next = firstTextMs === undefined ? undefined : segments.find(({ spokenMs }) => spokenMs >= firstTextMs);
    if (firstTextMs === undefined || next === undefined) continue;
    const text = "The LLM's first words were not yet a clause that the TTS can speak.";
    activities.push(activity("first-segment", firstTextMs, next.spokenMs, text, turnId));
  }
  let previous: Segment | undefined;
  for (const segment of segments) {
    activities.push(...synthesisActivities(segment, previous, { ...within, turnId }));
    previous = segment;
  }
  for (const [at, { endMs }] of playouts.entries()) {
    const next = playouts[at + 1];
    if (endMs === undefined || next === undefined) continue;
    const isLate = segments.some((one) => one.spokenMs <= endMs && (one.lastAudioMs ?? Infinity) > endMs);
    if (!isLate) continue;
    const text = `The TTS did not keep up: all of its audio was played, and more came ${seconds(next.startMs - endMs)} later.`;
    activities.push(activity("tts", endMs, next.startMs, text, turnId));
  }
  const audible = segments.find(({ firstAudioMs }) => firstAudioMs !== undefined)?.firstAudioMs;
  const sentMs = playouts[0]?.startMs;
  if (audible !== undefined && sentMs !== undefined)
    activities.push(activity("playback", audible, sentMs, "The first audio waited for its turn to be sent.", turnId));
  return activities;
}

function synthesisActivities(
  { spokenMs, firstAudioMs, failedCode, reason }: Segment,
  previous: Segment | undefined,
  { failovers, untilMs, turnId }: Within & { turnId: number },
): Activity[] {
  // Segments are spoken one after the other.
  const startMs = Math.max(spokenMs, previous?.lastAudioMs ?? spokenMs);
  const endMs = firstAudioMs ?? untilMs;
  const what = reason === undefined ? "a sentence" : `the ${reason}`;
  const text = ((): string => {
    if (failedCode !== undefined) return `The TTS failed on ${what} (${failedCode}).`;
    return firstAudioMs === undefined
      ? `The TTS had sent no audio of ${what} after ${seconds(endMs - startMs)}.`
      : `The TTS took ${seconds(endMs - startMs)} to the first audio of ${what}.`;
  })();
  return [
    activity("tts", startMs, endMs, text, turnId),
    ...failoverActivities("tts", { startMs, endMs }, failovers, turnId),
  ];
}

const RESUMES: Readonly<Record<NonNullable<Pause["resumed"]>, string>> = {
  no_words: "It had no words, and the reply went on.",
  back_channel: "It was a back-channel, and the reply went on.",
  echo: "It was an echo of the agent, and the reply went on.",
  pause_timeout: "The STT gave no words in time, and the reply went on.",
};

function pauseActivity({ startMs, endMs, resumed }: Pause, { turnId, cancelled }: Reply, untilMs: number): Activity {
  const outcome = ((): string => {
    if (resumed !== undefined) return RESUMES[resumed];
    return cancelled === undefined ? "" : `Then the reply was cancelled (${cancelled.reason.replaceAll("_", " ")}).`;
  })();
  const text =
    `The caller made a sound, so sending of the reply was paused until its words were known. ${outcome}`.trim();
  return activity("paused", startMs, endMs ?? untilMs, text, turnId);
}
