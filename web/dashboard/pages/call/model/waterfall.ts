import type { LlmRequest, Reply } from "./replies.ts";

/** The steps from the end of the caller's speech to the first sound of the answer, in the order of the page. */
export type StepName =
  | "end-of-turn"
  | "stt"
  | "retrieval"
  | "llm"
  | "tool"
  | "first-segment"
  | "tts"
  | "first-frame"
  | "heard";

/** One bar of a waterfall, in ms since the end of the caller's speech; of a reply to no speech, since it began. */
export interface WaterfallStep {
  readonly name: StepName;
  readonly fromMs: number;
  readonly toMs: number;
  /** What decided it or made it long, in a sentence without a full stop. */
  readonly note?: string;
}

export interface Waterfall {
  /** The time of the call from which the steps count. */
  readonly baseMs: number;
  /** Whether `baseMs` is the end of the caller's speech. */
  readonly isAfterSpeech: boolean;
  /** Until the first frame was heard, or the last step ended. */
  readonly totalMs: number;
  readonly steps: readonly WaterfallStep[];
}

/** When the steps of a reply ended, in ms of the call; absent is what did not happen. */
interface Milestones {
  readonly finalTranscriptMs?: number | undefined;
  readonly endOfTurnMs?: number | undefined;
  readonly retrievalMs?: number | undefined;
  readonly firstTextMs?: number | undefined;
  readonly firstSegmentMs?: number | undefined;
  readonly firstAudioMs?: number | undefined;
  readonly firstFrameMs?: number | undefined;
}

/** How a reply came about. Undefined where nothing of it has begun. */
export function waterfallOf(reply: Reply): Waterfall | undefined {
  const baseMs = lastVoicedMs(reply) ?? reply.startMs;
  const isAfterSpeech = lastVoicedMs(reply) !== undefined;
  const at = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms - baseMs);
  const times = milestonesOf(reply, baseMs);
  const steps: WaterfallStep[] = [];
  const add = (name: StepName, from: number | undefined, to: number | undefined, note?: string): void => {
    const [fromMs, toMs] = [at(from), at(to)];
    if (fromMs === undefined || toMs === undefined || toMs < fromMs) return;
    steps.push(note === undefined ? { name, fromMs, toMs } : { name, fromMs, toMs, note });
  };
  if (isAfterSpeech) {
    add("end-of-turn", baseMs, times.endOfTurnMs, decisionNote(reply));
    add("stt", baseMs, times.finalTranscriptMs, transcriptNote(reply));
  }
  add("retrieval", times.endOfTurnMs, times.retrievalMs, retrievalNote(reply));
  for (const { name, startMs, endMs, note } of roundsOf(reply)) add(name, startMs, endMs, note);
  add("first-segment", times.firstTextMs, times.firstSegmentMs);
  add("tts", times.firstSegmentMs, times.firstAudioMs);
  add("first-frame", times.firstAudioMs, times.firstFrameMs);
  add("heard", times.firstFrameMs, heardMs(reply, times.firstFrameMs));
  if (steps.length === 0) return undefined;
  return { baseMs, isAfterSpeech, steps, totalMs: Math.max(...steps.map(({ toMs }) => toMs)) };
}

/** The end of the caller's speech that a reply answers, ms of the call; undefined for one that answers none. */
export function lastVoicedMs({ latency, speakingMs, speechEndMs, requests }: Reply): number | undefined {
  if (latency !== undefined && speakingMs !== undefined) return speakingMs - latency.firstFrameMs;
  return requests.length === 0 ? undefined : speechEndMs;
}

/** From the record's own latency where the reply has one, otherwise from its events. */
function milestonesOf(reply: Reply, baseMs: number): Milestones {
  const { latency, requests, segments, playouts, turnEnded, finalTranscript, passages } = reply;
  if (latency !== undefined) {
    const at = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : baseMs + ms);
    return {
      finalTranscriptMs: at(latency.finalTranscriptMs),
      endOfTurnMs: at(latency.endOfTurnMs),
      retrievalMs: at(latency.retrievalMs),
      firstTextMs: at(latency.firstTextMs),
      firstSegmentMs: at(latency.firstSegmentMs),
      firstAudioMs: at(latency.firstAudioMs),
      firstFrameMs: at(latency.firstFrameMs),
    };
  }
  const answered = requests.find(({ firstTextMs }) => firstTextMs !== undefined) ?? requests[0];
  return {
    finalTranscriptMs: finalTranscript === undefined ? undefined : Math.max(baseMs, finalTranscript.atMs),
    endOfTurnMs: turnEnded?.atMs ?? requests[0]?.usedMs,
    retrievalMs: passages?.atMs,
    firstTextMs: answered?.firstTextMs,
    firstSegmentMs: segments[0]?.spokenMs,
    firstAudioMs: segments[0]?.firstAudioMs,
    firstFrameMs: playouts[0]?.startMs,
  };
}

interface Round {
  readonly name: "llm" | "tool";
  readonly startMs: number;
  readonly endMs: number | undefined;
  readonly note: string | undefined;
}

/** The requests to the LLM and the runs of tools between them, in the order of time. */
function roundsOf({ requests, tools }: Reply): Round[] {
  const rounds: Round[] = [
    ...requests.map((request): Round => {
      const endMs = request.firstTextMs ?? request.endMs;
      return { name: "llm", startMs: request.atMs, endMs, note: llmNote(request) };
    }),
    ...tools.map(({ name, startMs, endMs }): Round => ({ name: "tool", startMs, endMs: endMs ?? startMs, note: name })),
  ];
  return rounds.sort((a, b) => a.startMs - b.startMs);
}

/** When the caller began to hear the first frame: by the transcript, which goes by the playback clock. */
const heardMs = ({ agentTurn }: Reply, firstFrameMs: number | undefined): number | undefined =>
  agentTurn === undefined || firstFrameMs === undefined ? undefined : Math.max(agentTurn.startMs, firstFrameMs);

function decisionNote({ turnEnded }: Reply): string | undefined {
  if (turnEnded === undefined) return undefined;
  const { waitMs, probability, reasons } = turnEnded;
  const why = reasons.length === 0 ? "" : `: ${reasons.join(", ")}`;
  return `wait of ${waitMs} ms, turn over with ${percent(probability)}${why}`;
}

export const percent = (part: number): string => `${Math.round(part * 100)}\u00A0%`;

function transcriptNote({ latency, finalTranscript }: Reply): string | undefined {
  if (latency?.finalTranscriptMs === 0) return "the words were there before the speech ended";
  const lateMs = finalTranscript?.lateMs;
  return lateMs === undefined ? undefined : `${lateMs} ms later than its deadline`;
}

function retrievalNote({ passages, awaitedPassages }: Reply): string | undefined {
  const limit = awaitedPassages === undefined ? "" : `, at most ${awaitedPassages.waitMsMax} ms`;
  if (passages === undefined) return awaitedPassages === undefined ? undefined : `waited for passages${limit}`;
  return `${passages.passages.length} passages found in ${Math.round(passages.tookMs)} ms, waited ${passages.waitMs} ms${limit}`;
}

function llmNote({ failedCode, firstTextMs, isPreemptive }: LlmRequest): string | undefined {
  if (failedCode !== undefined) return `failed: ${failedCode}`;
  if (isPreemptive) return "requested before the end of the turn was certain";
  return firstTextMs === undefined ? "no text, for a tool" : undefined;
}
