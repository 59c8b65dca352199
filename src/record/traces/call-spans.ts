import { knowledgeOf } from "../../core/calls/spec.ts";
import type { TranscriptTurn, UtteranceUpdate } from "../../core/calls/transcript.ts";
import { addMs, type CallMs, callMs, roundedMs } from "../../core/clocks.ts";
import { type CorpusId, NO_REPLY_TURN_ID, type TurnId } from "../../core/ids.ts";
import { SPANS_PER_TURN_MAX } from "../../core/limits/calls/traces.ts";
import type { JournaledCommand, JournaledEvent, JournalHeader, JournalRecord } from "../journal/records.ts";
import { Retrievals, retrievalOfTool } from "./retrieval-spans.ts";
import type { CallSpan, SpanContent, SpanRequest } from "./spans.ts";
import { childrenOf, type EndOfTurn, type LlmRound, TurnTimings, turnSpans } from "./turn-spans.ts";

/**
 * Makes the spans of a call from the records of its journal, turn by turn: a turn's spans are complete when the next turn begins or the
 * call ends. The same records always give the same spans with the same numbers, however often they are read and in how many steps.
 */
export class CallSpans {
  readonly #request: SpanRequest;
  #spans: CallSpan[] = [];
  #lastNumber = 0;
  #turn: TurnTimings | undefined;
  /** What the caller said that no reply has answered yet. */
  #unanswered: TranscriptTurn | undefined;
  #endOfTurn: EndOfTurn | undefined;
  #finalTranscriptMs: CallMs | undefined;
  /** Spans of replies that were dropped before the caller heard anything: they are part of the turn that goes on. */
  #carried: SpanContent[] = [];
  #preemptive: LlmRound | undefined;
  /** How many preemptive replies were requested: usage has their numbers. */
  #preemptiveCount = 0;
  readonly #retrievals = new Retrievals();
  #corpusId: CorpusId | undefined;
  #sttProvider: string | undefined;
  #legStartedMs = callMs(0);
  #hasLeg = false;
  #nowMs = callMs(0);
  #isOver = false;

  constructor(request: SpanRequest) {
    this.#request = request;
  }

  /** Takes each record of the journal, in order. */
  take(record: JournalRecord): void {
    this.#nowMs = record.timeMs;
    if (this.#isOver) return;
    switch (record.kind) {
      case "frame-out":
        if (this.#turn !== undefined && this.#turn.firstFrameMs === undefined && record.turnId === this.#turn.turnId)
          this.#turn.firstFrameMs = record.timeMs;
        return;
      case "event":
        this.#onEvent(record.event, record.timeMs);
        return;
      case "command":
        this.#onCommand(record.command, record.timeMs);
        return;
      case "header":
        this.#corpusId = onlyCorpusOf(record.header);
        return;
      case "frame-in":
      case "attached":
        return;
    }
  }

  /** The spans that have become complete since the last time. */
  completed(): CallSpan[] {
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }

  /** The journal has ended, with or without the call's end: what is open ends with its last record. */
  end(): void {
    if (this.#isOver) return;
    this.#closeTurn();
    if (this.#unanswered !== undefined || this.#carried.length > 0) this.#closeUnanswered();
    this.#isOver = true;
  }

  #onEvent(event: JournaledEvent, atMs: CallMs): void {
    switch (event.kind) {
      case "leg-started":
        if (!this.#hasLeg) this.#legStartedMs = atMs;
        this.#hasLeg = true;
        return;
      case "stt-final":
        if (event.text !== "" || (event.chars ?? 0) > 0) this.#finalTranscriptMs = atMs;
        return;
      case "provider-switched":
        if (event.stage === "stt") this.#sttProvider = event.to;
        this.#turn?.events.push({
          name: "provider switched",
          atMs,
          attributes: {
            "trunkline.stage": event.stage,
            "trunkline.provider.from": event.from,
            "trunkline.provider.name": event.to,
            "error.type": event.code,
          },
        });
        return;
      case "usage":
        this.#onUsage(event);
        return;
      case "reply-text":
      case "reply-end":
      case "reply-failed":
        this.#onReply(event, atMs);
        return;
      case "tool-result":
        this.#onToolResult(event, atMs);
        return;
      case "passages":
      case "retrieval-failed":
        this.#retrievals.take(event, atMs, this.#turn?.retrievals ?? []);
        return;
      case "segment-audio":
      case "segment-end":
      case "segment-failed":
        this.#onSegment(event, atMs);
        return;
      default:
        return;
    }
  }

  #onToolResult(event: Extract<JournaledEvent, { kind: "tool-result" }>, atMs: CallMs): void {
    const tool = this.#turn?.tools.find(({ id }) => id === event.toolCallId);
    if (tool === undefined) return;
    tool.endMs = atMs;
    tool.failed = event.failed;
    if (event.result !== "") tool.result = event.result;
    if (event.retrieval !== undefined)
      this.#turn?.retrievals.push(retrievalOfTool(event.retrieval, tool.startMs, atMs));
  }

  #onReply(event: Extract<JournaledEvent, { kind: "reply-text" | "reply-end" | "reply-failed" }>, atMs: CallMs): void {
    const round = event.turnId === this.#turn?.turnId ? this.#turn.rounds.findLast(isUsed) : undefined;
    if (round === undefined || round.endMs !== undefined) return;
    if (event.kind === "reply-text") round.firstTextMs ??= atMs;
    else round.endMs = atMs;
    if (event.kind === "reply-failed") round.errorType = event.code;
  }

  #onSegment(
    event: Extract<JournaledEvent, { kind: "segment-audio" | "segment-end" | "segment-failed" }>,
    atMs: CallMs,
  ): void {
    const synthesis = event.turnId === this.#turn?.turnId ? this.#turn.synthesis : undefined;
    if (synthesis === undefined) return;
    synthesis.endMs = atMs;
    if (event.kind === "segment-audio") synthesis.firstAudioMs ??= atMs;
    if (event.kind === "segment-failed") synthesis.errorType = event.code;
  }

  #onUsage({ stage, provider, usage, preemptive }: Extract<JournaledEvent, { kind: "usage" }>): void {
    if (stage === "stt") this.#sttProvider = provider;
    else if (stage === "tts") {
      const synthesis = this.#turn?.synthesis;
      if (synthesis === undefined) return;
      synthesis.provider = provider;
      synthesis.characters += usage.characters ?? 0;
    } else {
      const round = this.#roundOf(preemptive);
      if (round === undefined) return;
      round.provider = provider;
      round.usage = usage;
    }
  }

  /** The round of which this is the usage. That of a discarded preemptive reply may come later, and is left out. */
  #roundOf(preemptive: number | undefined): LlmRound | undefined {
    if (preemptive === this.#preemptiveCount && this.#preemptive !== undefined) return this.#preemptive;
    const isPreemptive = preemptive !== undefined;
    return this.#turn?.rounds.find((round) => round.usage === undefined && round.isPreemptive === isPreemptive);
  }

  #onCommand(command: JournaledCommand, atMs: CallMs): void {
    switch (command.kind) {
      case "turn-ended": {
        const { pauseMs, waitMs, probability } = command;
        this.#endOfTurn = { atMs, pauseMs, waitMs, probability };
        return;
      }
      case "preemptive-start":
        this.#preemptiveCount += 1;
        this.#preemptive = { startMs: atMs, isPreemptive: true };
        return;
      case "preemptive-cancel":
        this.#discardPreemptive(atMs);
        return;
      case "generate-reply":
        this.#onRequest(command.turnId, atMs);
        return;
      case "run-tool": {
        const { toolCallId, name } = command;
        const argumentsJson = JSON.stringify(command.arguments);
        this.#turn?.tools.push({ id: toolCallId, name, startMs: atMs, argumentsJson });
        return;
      }
      case "retrieve":
      case "passages-used":
      case "retrieval-ended":
        this.#retrievals.take(command, atMs, this.#turn?.retrievals ?? []);
        return;
      case "speak":
        this.#onSpeak(command, atMs);
        return;
      case "state":
        if (command.latency !== undefined && this.#turn !== undefined) {
          this.#turn.latency = command.latency;
          this.#turn.firstFrameMs = atMs;
        }
        return;
      case "cancel-reply":
        if (command.turnId === this.#turn?.turnId) this.#turn.cancelled ??= { atMs, reason: command.reason };
        return;
      case "turn":
        this.#onTurn(command.turn);
        return;
      case "resumed":
        this.#onResumed(command, atMs);
        return;
      case "utterance":
        this.#onUtterance(command);
        return;
      case "end":
        this.end();
        return;
      default:
        return;
    }
  }

  #onRequest(turnId: TurnId, atMs: CallMs): void {
    const turn = this.#turnOf(turnId);
    const preemptive = this.#preemptive;
    this.#preemptive = undefined;
    if (preemptive !== undefined) preemptive.usedMs = atMs;
    turn.rounds.push(preemptive ?? { startMs: atMs, usedMs: atMs, isPreemptive: false });
  }

  #discardPreemptive(atMs: CallMs): void {
    const round = this.#preemptive;
    this.#preemptive = undefined;
    if (round === undefined) return;
    round.endMs = atMs;
    round.isDiscarded = true;
    const dropped = new TurnTimings(undefined);
    dropped.rounds.push(round);
    this.#carry(childrenOf(dropped, atMs, this.#request.hasWords));
  }

  #onSpeak({ turnId, reason }: Extract<JournaledCommand, { kind: "speak" }>, atMs: CallMs): void {
    const turn = this.#turnOf(turnId);
    turn.synthesis ??= { startMs: atMs, segments: 0, endMs: atMs, characters: 0 };
    turn.synthesis.segments += 1;
    // A filler is said within a reply of the LLM.
    if (reason !== undefined && turn.rounds.length === 0) turn.speakReason = reason;
  }

  #onTurn(said: TranscriptTurn): void {
    const turn = this.#turn;
    if (said.role === "agent") {
      if (turn !== undefined) turn.agent ??= said;
      return;
    }
    const isAnswered = turn !== undefined && turn.rounds.length > 0 && turn.caller === undefined;
    if (isAnswered && turn.agent === undefined) {
      turn.caller = said;
      return;
    }
    if (this.#unanswered !== undefined) this.#closeUnanswered();
    this.#unanswered = said;
  }

  #onResumed({ reason, heldMs }: Extract<JournaledCommand, { kind: "resumed" }>, atMs: CallMs): void {
    const startMs = roundedMs(addMs(atMs, -heldMs));
    this.#push({ name: "hold", startMs, endMs: roundedMs(atMs), attributes: { "trunkline.hold.end": reason } }, 0);
  }

  #onUtterance({ text, startMs, endMs, language, chars = 0 }: UtteranceUpdate & { chars?: number }): void {
    if (text === "" && chars === 0) return;
    const attributes = {
      ...(language !== undefined && { "trunkline.language": language }),
      ...(this.#request.hasWords && text !== "" && { "trunkline.speech.text": text }),
    };
    const at = (audioMs: number): CallMs => roundedMs(addMs(this.#legStartedMs, audioMs));
    this.#push({ name: "utterance", startMs: at(startMs), endMs: at(endMs), attributes }, 0);
  }

  /** The turn of this reply; a new one where the reply begins. */
  #turnOf(turnId: TurnId): TurnTimings {
    if (this.#turn?.turnId === turnId || turnId === NO_REPLY_TURN_ID) return this.#turn ?? this.#begin(turnId);
    this.#closeTurn();
    return this.#begin(turnId);
  }

  #begin(turnId: TurnId): TurnTimings {
    const turn = new TurnTimings(turnId);
    if (this.#unanswered !== undefined) turn.caller = this.#unanswered;
    if (this.#endOfTurn !== undefined) turn.endOfTurn = this.#endOfTurn;
    if (this.#finalTranscriptMs !== undefined) turn.finalTranscriptMs = this.#finalTranscriptMs;
    turn.retrievals.push(...this.#retrievals.handOver());
    this.#unanswered = undefined;
    this.#endOfTurn = undefined;
    this.#turn = turn;
    return turn;
  }

  #closeTurn(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn !== undefined) {
      if (this.#sttProvider !== undefined) turn.sttProvider = this.#sttProvider;
      if (this.#corpusId !== undefined) turn.corpusId = this.#corpusId;
      const isUnheard = turn.caller === undefined && turn.agent === undefined && turn.cancelled !== undefined;
      if (isUnheard) this.#carry(childrenOf(turn, this.#nowMs, this.#request.hasWords));
      else this.#pushTurn(turn);
    }
  }

  #closeUnanswered(): void {
    const turn = new TurnTimings(undefined);
    if (this.#unanswered !== undefined) turn.caller = this.#unanswered;
    if (this.#corpusId !== undefined) turn.corpusId = this.#corpusId;
    turn.retrievals.push(...this.#retrievals.handOver());
    this.#unanswered = undefined;
    this.#pushTurn(turn);
  }

  #carry(spans: readonly SpanContent[]): void {
    this.#carried = [...this.#carried, ...spans].slice(-SPANS_PER_TURN_MAX);
  }

  #pushTurn(turn: TurnTimings): void {
    const spans = turnSpans(turn, this.#carried, this.#nowMs, this.#request.hasWords);
    this.#carried = [];
    if (spans === undefined) return;
    const parent = this.#push(spans.turn, 0);
    for (const child of spans.children.slice(0, SPANS_PER_TURN_MAX)) this.#push(child, parent);
  }

  /** Returns the span's number. */
  #push(content: SpanContent, parent: number): number {
    this.#lastNumber += 1;
    if (this.#lastNumber > this.#request.afterNumber)
      this.#spans.push({ ...content, number: this.#lastNumber, parent });
    return this.#lastNumber;
  }
}

/** The corpus that a call answers from; undefined where it has none, or several. */
function onlyCorpusOf({ spec }: JournalHeader): CorpusId | undefined {
  const corpora = (spec === undefined ? undefined : knowledgeOf(spec))?.corpora ?? [];
  return corpora.length === 1 ? corpora[0]?.id : undefined;
}

const isUsed = ({ usedMs }: LlmRound): boolean => usedMs !== undefined;
