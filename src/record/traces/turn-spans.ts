import type { Usage } from "../../core/billing/usage.ts";
import type { CancelReason, SpeakReason } from "../../core/calls/reasons.ts";
import type { TranscriptTurn, TurnLatency } from "../../core/calls/transcript.ts";
import { addMs, type CallMs, earliest, elapsedMs, latest, roundedMs } from "../../core/clocks.ts";
import type { CorpusId, ToolCallId, TurnId } from "../../core/ids.ts";
import { type Retrieval, retrievalSpan } from "./retrieval-spans.ts";
import type { SpanAttributes, SpanContent, SpanEvent } from "./spans.ts";

/** The decision that the caller's turn is over. */
export interface EndOfTurn {
  readonly atMs: CallMs;
  readonly pauseMs: number;
  readonly waitMs: number;
  readonly probability: number;
}

/** One request to the LLM. */
export interface LlmRound {
  /** When it was requested; for a preemptive one before it was used. */
  readonly startMs: CallMs;
  /** When a preemptive reply was used. */
  usedMs?: CallMs;
  readonly isPreemptive: boolean;
  firstTextMs?: CallMs;
  endMs?: CallMs;
  provider?: string;
  usage?: Usage;
  errorType?: string;
  /** A preemptive reply that was not used. */
  isDiscarded?: true;
}

/** One run of a tool. */
export interface ToolSpan {
  readonly id: ToolCallId;
  readonly name: string;
  readonly startMs: CallMs;
  readonly argumentsJson: string;
  endMs?: CallMs;
  failed?: boolean;
  result?: string;
}

/** What the TTS did for a reply. */
export interface Synthesis {
  readonly startMs: CallMs;
  segments: number;
  firstAudioMs?: CallMs;
  endMs: CallMs;
  provider?: string;
  characters: number;
  errorType?: string;
}

/** All that the journal says about a turn: what the caller said, the reply to it, and how that came about. */
export class TurnTimings {
  readonly turnId: TurnId | undefined;
  readonly rounds: LlmRound[] = [];
  readonly tools: ToolSpan[] = [];
  readonly retrievals: Retrieval[] = [];
  /** The corpus that all questions are to; undefined where there are several. */
  corpusId?: CorpusId;
  readonly events: SpanEvent[] = [];
  caller?: TranscriptTurn;
  agent?: TranscriptTurn;
  endOfTurn?: EndOfTurn;
  /** The last final transcript before the reply. */
  finalTranscriptMs?: CallMs;
  sttProvider?: string;
  latency?: TurnLatency;
  /** When the first frame of the reply was sent. */
  firstFrameMs?: CallMs;
  synthesis?: Synthesis;
  speakReason?: SpeakReason;
  cancelled?: { readonly atMs: CallMs; readonly reason: CancelReason };

  constructor(turnId: TurnId | undefined) {
    this.turnId = turnId;
  }
}

/** The turn's own span and the spans under it. Undefined where nothing happened. `nowMs`: what has not ended, ends then. */
export function turnSpans(
  turn: TurnTimings,
  carried: readonly SpanContent[],
  nowMs: CallMs,
  hasWords: boolean,
): { turn: SpanContent; children: SpanContent[] } | undefined {
  const children = [...carried, ...childrenOf(turn, nowMs, hasWords)].sort((a, b) => elapsedMs(b.startMs, a.startMs));
  const [first] = children;
  if (first === undefined) return undefined;
  const content: SpanContent = {
    name: "turn",
    startMs: first.startMs,
    endMs: children.reduce((endMs, child) => latest(endMs, child.endMs), first.endMs),
    attributes: turnAttributes(turn),
    ...(turn.events.length > 0 && { events: turn.events.map((event) => ({ ...event, atMs: roundedMs(event.atMs) })) }),
  };
  return { turn: content, children };
}

/** The spans of a turn without the turn's own. */
export function childrenOf(turn: TurnTimings, nowMs: CallMs, hasWords: boolean): SpanContent[] {
  const timeline = new TurnTimeline(turn, nowMs);
  const { caller, agent } = turn;
  return [
    ...(caller === undefined ? [] : [speechSpan("caller speech", caller, hasWords)]),
    ...sttSpans(turn, timeline),
    ...endOfTurnSpans(turn, timeline),
    ...turn.retrievals.map((one) => retrievalSpan(one, timeline, { hasWords, corpusId: turn.corpusId })),
    ...turn.rounds.map((round) => roundSpan(round, timeline)),
    ...turn.tools.map((tool) => toolSpan(tool, timeline, hasWords)),
    ...synthesisSpans(turn, timeline),
    ...firstFrameSpans(turn, timeline),
    ...(agent === undefined ? [] : [speechSpan("agent speech", agent, hasWords)]),
  ];
}

/**
 * Times of a turn in whole ms, as the record has them. The record counts milestones from the caller's last voiced frame, and rounds the
 * differences: a time of the journal that is a milestone but for the rounding is that milestone.
 */
class TurnTimeline {
  readonly #endMs: CallMs;
  readonly #milestones: readonly CallMs[];
  /** The caller's last voiced frame; undefined for a reply to no utterance. */
  readonly lastVoicedMs: CallMs | undefined;

  constructor({ latency, firstFrameMs, cancelled }: TurnTimings, nowMs: CallMs) {
    this.#endMs = roundedMs(cancelled?.atMs ?? nowMs);
    const base =
      latency === undefined || firstFrameMs === undefined
        ? undefined
        : addMs(roundedMs(firstFrameMs), -latency.firstFrameMs);
    this.lastVoicedMs = base;
    this.#milestones =
      base === undefined || latency === undefined ? [] : Object.values(latency).map((ms: number) => addMs(base, ms));
  }

  at(timeMs: CallMs): CallMs {
    const rounded = roundedMs(timeMs);
    if (this.#milestones.includes(rounded)) return rounded;
    return this.#milestones.find((milestone) => Math.abs(elapsedMs(milestone, rounded)) <= 1) ?? rounded;
  }

  /** The time of an end; where there was none, that of the turn. Never before `startMs`. */
  endAt(timeMs: CallMs | undefined, startMs: CallMs): CallMs {
    return latest(timeMs === undefined ? this.#endMs : this.at(timeMs), startMs);
  }

  /** A milestone of the record, ms since the last voiced frame. */
  milestone(sinceVoicedMs: number | undefined): CallMs | undefined {
    if (sinceVoicedMs === undefined || this.lastVoicedMs === undefined) return undefined;
    return addMs(this.lastVoicedMs, sinceVoicedMs);
  }
}

/** Names of the record's milestones in attributes. */
const MILESTONE_ATTRIBUTES: Readonly<Record<keyof TurnLatency, string>> = {
  finalTranscriptMs: "trunkline.latency.final_transcript_ms",
  endOfTurnMs: "trunkline.latency.end_of_turn_ms",
  retrievalMs: "trunkline.latency.retrieval_ms",
  llmRequestedMs: "trunkline.latency.llm_requested_ms",
  firstTextMs: "trunkline.latency.first_text_ms",
  firstSegmentMs: "trunkline.latency.first_segment_ms",
  firstAudioMs: "trunkline.latency.first_audio_ms",
  firstFrameMs: "trunkline.latency.first_frame_ms",
};

function turnAttributes({ turnId, latency, cancelled, speakReason, agent }: TurnTimings): SpanAttributes {
  const milestones = Object.entries(latency ?? {}).map(([name, ms]) => [
    MILESTONE_ATTRIBUTES[name as keyof TurnLatency],
    ms as number,
  ]);
  return {
    ...(turnId !== undefined && { "trunkline.turn.id": turnId as number }),
    ...(agent !== undefined && { "trunkline.turn.interrupted": agent.interrupted }),
    ...(cancelled !== undefined && { "trunkline.turn.cancel_reason": cancelled.reason }),
    ...(speakReason !== undefined && { "trunkline.turn.speak_reason": speakReason }),
    ...Object.fromEntries(milestones),
  };
}

const speechSpan = (
  name: string,
  { text, startMs, endMs, interrupted, approximate }: TranscriptTurn,
  hasWords: boolean,
): SpanContent => ({
  name,
  startMs: roundedMs(startMs),
  endMs: roundedMs(endMs),
  attributes: {
    "trunkline.speech.interrupted": interrupted,
    ...(approximate === true && { "trunkline.speech.approximate": true }),
    ...(hasWords && text !== "" && { "trunkline.speech.text": text }),
  },
});

/** From the start of the caller's speech to the final transcript. */
function sttSpans(
  { caller, latency, finalTranscriptMs, sttProvider }: TurnTimings,
  timeline: TurnTimeline,
): SpanContent[] {
  if (caller === undefined) return [];
  const startMs = roundedMs(caller.startMs);
  const journaled =
    finalTranscriptMs !== undefined && finalTranscriptMs >= caller.startMs ? finalTranscriptMs : undefined;
  const endMs =
    timeline.milestone(latency?.finalTranscriptMs) ?? (journaled === undefined ? undefined : roundedMs(journaled));
  if (endMs === undefined) return [];
  const attributes = sttProvider === undefined ? {} : { "trunkline.provider.name": sttProvider };
  return [{ name: "stt", startMs, endMs: latest(endMs, startMs), attributes, isRequest: true }];
}

/** From the caller's last voiced frame to the decision. */
function endOfTurnSpans({ endOfTurn, latency }: TurnTimings, timeline: TurnTimeline): SpanContent[] {
  const decided = timeline.milestone(latency?.endOfTurnMs);
  if (endOfTurn === undefined && decided === undefined) return [];
  const endMs = decided ?? roundedMs(endOfTurn?.atMs as CallMs);
  const startMs = timeline.lastVoicedMs ?? roundedMs(addMs(endMs, -(endOfTurn?.pauseMs ?? 0)));
  const attributes =
    endOfTurn === undefined
      ? {}
      : {
          "trunkline.end_of_turn.pause_ms": endOfTurn.pauseMs,
          "trunkline.end_of_turn.wait_ms": endOfTurn.waitMs,
          "trunkline.end_of_turn.probability": endOfTurn.probability,
        };
  return [{ name: "end of turn", startMs: earliest(startMs, endMs), endMs, attributes }];
}

function roundSpan(round: LlmRound, timeline: TurnTimeline): SpanContent {
  const startMs = timeline.at(round.startMs);
  const { usage, provider, usedMs, firstTextMs, errorType } = round;
  const model = usage?.model;
  const events = [
    ...(round.isPreemptive && usedMs !== undefined
      ? [{ name: "preemptive reply used", atMs: timeline.at(usedMs) }]
      : []),
    ...(firstTextMs === undefined ? [] : [{ name: "first text", atMs: timeline.at(firstTextMs) }]),
  ];
  return {
    name: model === undefined ? "chat" : `chat ${model}`,
    startMs,
    endMs: timeline.endAt(round.endMs, startMs),
    attributes: {
      "gen_ai.operation.name": "chat",
      ...(provider !== undefined && { "gen_ai.provider.name": genAiProviderOf(provider) }),
      ...(model !== undefined && { "gen_ai.request.model": model }),
      ...(usage?.inputTokens !== undefined && { "gen_ai.usage.input_tokens": usage.inputTokens }),
      ...(usage?.outputTokens !== undefined && { "gen_ai.usage.output_tokens": usage.outputTokens }),
      ...(round.isPreemptive && { "trunkline.llm.preemptive": true }),
      ...(round.isDiscarded === true && { "trunkline.llm.discarded": true }),
    },
    ...(events.length > 0 && { events }),
    isRequest: true,
    ...(errorType !== undefined && { errorType }),
  };
}

/** The names of the semantic conventions, where they differ from those of our providers. */
const GEN_AI_PROVIDERS: Readonly<Record<string, string>> = { gemini: "gcp.gemini" };

const genAiProviderOf = (provider: string): string => GEN_AI_PROVIDERS[provider] ?? provider;

function toolSpan(tool: ToolSpan, timeline: TurnTimeline, hasWords: boolean): SpanContent {
  const startMs = timeline.at(tool.startMs);
  const { id, name, argumentsJson, result } = tool;
  return {
    name: `execute_tool ${name}`,
    startMs,
    endMs: timeline.endAt(tool.endMs, startMs),
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      ...(hasWords && { "gen_ai.tool.call.arguments": argumentsJson }),
      ...(hasWords && result !== undefined && { "gen_ai.tool.call.result": result }),
    },
    ...(tool.failed === true && { errorType: "tool_failed" }),
  };
}

function synthesisSpans({ synthesis }: TurnTimings, timeline: TurnTimeline): SpanContent[] {
  if (synthesis === undefined) return [];
  const { provider, characters, segments, firstAudioMs, errorType } = synthesis;
  const startMs = timeline.at(synthesis.startMs);
  return [
    {
      name: "tts",
      startMs,
      endMs: timeline.endAt(synthesis.endMs, startMs),
      attributes: {
        ...(provider !== undefined && { "trunkline.provider.name": provider }),
        ...(characters > 0 && { "trunkline.tts.characters": characters }),
        "trunkline.tts.segments": segments,
      },
      ...(firstAudioMs !== undefined && { events: [{ name: "first audio", atMs: timeline.at(firstAudioMs) }] }),
      isRequest: true,
      ...(errorType !== undefined && { errorType }),
    },
  ];
}

/** From the first audio to the first frame sent, and from there to its playback at the caller. */
function firstFrameSpans({ firstFrameMs, synthesis, agent }: TurnTimings, timeline: TurnTimeline): SpanContent[] {
  if (firstFrameMs === undefined) return [];
  const sentMs = timeline.at(firstFrameMs);
  const startMs =
    synthesis?.firstAudioMs === undefined ? sentMs : earliest(timeline.at(synthesis.firstAudioMs), sentMs);
  const sent: SpanContent = { name: "first frame sent", startMs, endMs: sentMs, attributes: {} };
  if (agent === undefined) return [sent];
  const heardMs = latest(roundedMs(agent.startMs), sentMs);
  return [sent, { name: "first frame heard", startMs: sentMs, endMs: heardMs, attributes: {} }];
}
