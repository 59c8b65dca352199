import { strict as assert } from "node:assert";
import type { EndReason, TranscriptTurn } from "../../core/calls/spec.ts";
import { joinTexts } from "../../core/text/words.ts";
import type { TimedWord } from "../../speech/contracts.ts";
import type { TurnParameters } from "../parameters.ts";
import type { ToolEffect } from "../tools/plan.ts";
import { ToolRounds } from "../tools/rounds.ts";
import { heardOfSegment, type Segment, wordAt, wordsWithin } from "./heard-text.ts";
import { SegmentSplitter } from "./segmentation.ts";
import type { ReplySnapshot } from "./snapshot.ts";
import { type AnsweredUtterance, ReplyTimings } from "./timings.ts";
import { ReplyWatchdog } from "./watchdog.ts";

/**
 * One reply of the agent, from its text to the ledger of what the caller has heard of it.
 *
 * Three counters, never confused: generated (pieces and their ends), sent (`frameSent`) and heard (`heardText`, given how
 * much has been played). All positions are samples from the reply's first one, at the leg's rate, padding included.
 */
export class Reply {
  readonly turnId: number;
  readonly interruptible: boolean;
  /** What it is spoken in, BCP 47: it tells where words end. */
  readonly #language: string;
  /** Of a goodbye of ours: why the call ends when it has been heard. */
  readonly endReason: EndReason | undefined;
  readonly timings: ReplyTimings;
  readonly #rateHz: number;
  readonly #splitter: SegmentSplitter;
  readonly #segments: Segment[] = [];
  #sentSamples = 0;
  #playedSamples = 0;
  /** What had been heard, by the playback clock, at the last confirmation. */
  #confirmedSamples = 0;
  #nextToMark = 0;
  #textDone = false;
  /** What the model has said since it was asked last, as it said it. */
  #roundText = "";
  readonly tools: ToolRounds;
  readonly watchdog: ReplyWatchdog;
  /** What the model asked for once this reply has been heard, by the use of a tool that is called `key`. */
  finalEffect: { toolCallId: string; effect: Extract<ToolEffect, { kind: "hang-up" | "transfer" }> } | undefined;

  constructor(options: {
    turnId: number;
    /** What it is spoken in, BCP 47. */
    language: string;
    interruptible: boolean;
    endReason: EndReason | undefined;
    rateHz: number;
    /** Undefined for a reply that answers nobody. */
    answered: AnsweredUtterance | undefined;
    parameters: Readonly<TurnParameters>;
    nowMs: number;
  }) {
    this.turnId = options.turnId;
    this.tools = new ToolRounds(options.turnId);
    this.watchdog = new ReplyWatchdog(options.parameters, options.nowMs);
    this.#language = options.language;
    this.#splitter = new SegmentSplitter(options.parameters.firstClauseChars, options.language);
    this.interruptible = options.interruptible;
    this.endReason = options.endReason;
    this.#rateHz = options.rateHz;
    this.timings = new ReplyTimings(options.answered, options.nowMs);
  }

  /** The caller can hear it: a frame was sent. */
  get audible(): boolean {
    return this.#sentSamples > 0;
  }

  get sentSamples(): number {
    return this.#sentSamples;
  }

  get segmentCount(): number {
    return this.#segments.length;
  }

  /** More text of the reply; returns the new pieces to be spoken, numbered from `pieceCount` before the call. */
  pushText(text: string, nowMs: number): readonly string[] {
    this.timings.text(nowMs);
    this.#roundText += text;
    return this.#addSegments(this.#splitter.push(text), nowMs);
  }

  /** The model is done for now; returns what is left to be spoken. */
  endRound(nowMs: number): readonly string[] {
    return this.#addSegments(this.#splitter.end(), nowMs);
  }

  /** What the model has said since it was asked last; the next round begins. */
  takeRoundText(): string {
    const text = this.#roundText;
    this.#roundText = "";
    return text;
  }

  /** The text is complete: no more pieces come. */
  endText(): void {
    this.#textDone = true;
  }

  /** Words of our own between those of the model: one piece. */
  insert(text: string, nowMs: number): readonly string[] {
    return this.#addSegments([text], nowMs);
  }

  /** A reply of our own words, without a model: its pieces. */
  wholeText(text: string, nowMs: number): readonly string[] {
    this.#textDone = true;
    return this.#addSegments([...this.#splitter.push(text), ...this.#splitter.end()], nowMs);
  }

  /** New pieces, which are given to the voice in this moment. */
  #addSegments(texts: readonly string[], nowMs: number): readonly string[] {
    if (texts.length > 0) this.timings.segment(nowMs);
    for (const text of texts) {
      const previous = this.#segments.at(-1);
      // Where a piece begins is not known before the one in front of it is over: until then nothing of it can be heard.
      const startSample = previous === undefined ? 0 : (previous.endSample ?? Number.POSITIVE_INFINITY);
      this.#segments.push({ text, startSample, endSample: undefined, words: [] });
    }
    return texts;
  }

  segmentAudio(segment: number, words: readonly TimedWord[], nowMs: number): void {
    this.timings.audio(nowMs);
    this.#segment(segment).words.push(...words);
  }

  /** The piece's synthesis is over at `samples` samples. */
  segmentEnded(segment: number, samples: number): void {
    const ended = this.#segment(segment);
    ended.endSample = ended.startSample + samples;
    const next = this.#segments[segment + 1];
    if (next !== undefined) next.startSample = ended.endSample;
  }

  #segment(segment: number): Segment {
    const found = this.#segments[segment];
    assert.ok(found !== undefined, "segment was never requested");
    assert.ok(Number.isFinite(found.startSample), "segments are synthesized in order");
    return found;
  }

  frameSent(samples: number, nowMs: number): void {
    if (!this.audible) this.timings.frame(nowMs);
    this.#sentSamples += samples;
  }

  /** The next piece whose last sample has been sent and which has no mark yet, or undefined. Counts it as marked. */
  takeSegmentToMark(): number | undefined {
    const endSample = this.#segments[this.#nextToMark]?.endSample;
    if (endSample === undefined || endSample > this.#sentSamples) return undefined;
    this.#nextToMark += 1;
    return this.#nextToMark - 1;
  }

  /** The far end confirmed that `piece` was played. */
  segmentPlayed(segment: number): void {
    this.#playedSamples = Math.max(this.#playedSamples, this.#segments[segment]?.endSample ?? 0);
  }

  /** Nothing more will be generated, and all that was has been sent. */
  get allSent(): boolean {
    return this.#textDone && !this.unsent;
  }

  /** Some of what there is to say has not been sent. */
  get unsent(): boolean {
    const last = this.#segments.at(-1);
    return last !== undefined && !(last.endSample !== undefined && last.endSample <= this.#sentSamples);
  }

  /** The far end confirmed the very last piece. */
  get allPlayed(): boolean {
    return this.allSent && this.#playedSamples >= this.#sentSamples;
  }

  /** How many samples were heard when `unplayedMs` of what was sent have not been played yet, by the best knowledge. */
  heardSamples(unplayedMs: number): number {
    const byClock = this.#sentSamples - (unplayedMs * this.#rateHz) / 1_000;
    return Math.min(this.#sentSamples, Math.max(this.#playedSamples, byClock, 0));
  }

  /** The peer confirmed that the line carries, when `unplayedMs` of what was sent had not been played. */
  confirmed(unplayedMs: number): void {
    this.#confirmedSamples = this.heardSamples(unplayedMs);
  }

  /** How much of what was sent had not been played at the last confirmation, ms; what was sent later is part of it. */
  get unconfirmedMs(): number {
    return ((this.#sentSamples - this.#confirmedSamples) * 1_000) / this.#rateHz;
  }

  /** The text up to the last word that ended within the first `heardSamples` samples. */
  heardText(heardSamples: number): string {
    let heard = "";
    for (const segment of this.#segments) {
      // A piece that the voice made no audio of was not heard, whatever comes behind it.
      if (segment.endSample === segment.startSample) continue;
      if (segment.endSample !== undefined && segment.endSample <= heardSamples) {
        heard = joinTexts(heard, segment.text);
        continue;
      }
      return joinTexts(heard, this.#heardInSegment(segment, heardSamples));
    }
    return heard;
  }

  /** What was heard of a piece that was not heard whole. */
  #heardInSegment(segment: Segment, heardSamples: number): string {
    const samples = heardSamples - segment.startSample;
    return samples > 0 ? heardOfSegment(segment, samples, this.#rateHz, this.#language) : "";
  }

  /** Whether what was heard ends within a stretch for which the TTS sent no word times. */
  #isEstimate(heardSamples: number): boolean {
    const partial = this.#segments.find(({ endSample }) => endSample === undefined || endSample > heardSamples);
    if (partial === undefined || heardSamples <= partial.startSample) return false;
    const heardMs = ((heardSamples - partial.startSample) * 1_000) / this.#rateHz;
    return partial.words.length === 0 || wordsWithin(wordAt(partial.words, heardMs), heardMs, this.#language) !== "";
  }

  /** How it stands when `unplayedMs` of what was sent have not been played. */
  snapshot(unplayedMs: number): Omit<ReplySnapshot, "deadlines"> {
    const { turnId, audible, interruptible, segmentCount: segments } = this;
    const sentMs = (this.#sentSamples * 1_000) / this.#rateHz;
    const heardText = this.heardText(this.heardSamples(unplayedMs));
    return { turnId, audible, interruptible, areToolsRunning: this.tools.running, segments, sentMs, heardText };
  }

  /**
   * The agent's turn, when `unplayedMs` of what was sent have not been played and the rest was until `endMs`. Once audible.
   * `clockUnplayedMs` is the same by the playback clock alone: where more words were heard by that, the turn is approximate.
   */
  heardTurn(unplayedMs: number, endMs: number, clockUnplayedMs = unplayedMs): TranscriptTurn {
    const heardSamples = this.heardSamples(unplayedMs);
    const text = this.heardText(heardSamples);
    const isComplete = this.allSent && heardSamples >= this.#sentSamples;
    const mayBeMore = clockUnplayedMs < unplayedMs && this.heardText(this.heardSamples(clockUnplayedMs)) !== text;
    const turn: TranscriptTurn = {
      role: "agent",
      text,
      startMs: this.timings.frameMs,
      endMs,
      interrupted: !isComplete,
      ...(!isComplete && (mayBeMore || this.#isEstimate(heardSamples)) ? { approximate: true } : {}),
    };
    const { latency } = this.timings;
    return latency === undefined ? turn : { ...turn, latency };
  }
}
