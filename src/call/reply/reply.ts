import { strict as assert } from "node:assert";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { ToolSpec } from "../../core/calls/spec.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import { type CallMs, callMs } from "../../core/clocks.ts";
import type { ToolCallId, TurnId } from "../../core/ids.ts";
import type { ReplyPassages } from "../../core/knowledge/call-knowledge.ts";
import { REWIND_MS_MAX, TURN_TEXT_CHARS_MAX } from "../../core/limits/calls/calls.ts";
import { TURN_PASSAGES_MAX } from "../../core/limits/knowledge/call-knowledge.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { cutText } from "../../core/text/graphemes.ts";
import { joinTexts } from "../../core/text/words.ts";
import type { Message, TimedWord } from "../../speech/contracts.ts";
import type { TurnParameters } from "../parameters.ts";
import type { ToolEffect } from "../tools/plan.ts";
import { ToolRounds } from "../tools/rounds.ts";
import { heardOfSegment, type Segment, wordAt, wordsWithin } from "./heard-text.ts";
import { type PlayedWord, playedWords } from "./played-words.ts";
import { PlayoutTimeline } from "./playout-timeline.ts";
import { SegmentSplitter } from "./segmentation.ts";
import type { ReplySnapshot } from "./snapshot.ts";
import { type AnsweredUtterance, ReplyTimings } from "./timings.ts";
import { ReplyWatchdog } from "./watchdog.ts";

/**
 * One reply of the agent, from its text to what the caller has heard of it.
 *
 * Three counters, never mixed: generated (segments and their ends), sent (`frameSent`) and heard (`heardText`, given
 * how much was played). All positions are samples from the start of the reply, at the leg's rate, padding included.
 */
export class Reply {
  readonly turnId: TurnId;
  readonly interruptible: boolean;
  /** The language of the reply, BCP 47: determines where words end. */
  readonly #language: string;
  /** For a goodbye: the reason with which the call ends once it has been heard. */
  readonly endReason: EndReason | undefined;
  readonly timings: ReplyTimings;
  readonly #rateHz: number;
  readonly #splitter: SegmentSplitter;
  readonly #segments: Segment[] = [];
  readonly #timeline: PlayoutTimeline;
  #generatedText = "";
  #isAudible = false;
  #sentSamples = 0;
  #playedSamples = 0;
  /** What had been heard at the last confirmation, by the playback clock. */
  #confirmedSamples = 0;
  #nextToMark = 0;
  #textDone = false;
  /** The LLM's text since its last request, unchanged. */
  #roundText = "";
  readonly tools: ToolRounds;
  readonly watchdog: ReplyWatchdog;
  /** What the tool call `toolCallId` asks for once this reply has been heard. */
  finalEffect:
    | { toolCallId: ToolCallId; effect: Extract<ToolEffect, { kind: "hang-up" | "transfer" | "hold" }> }
    | undefined;
  /** It is paused before its first frame: the caller may be going on with the turn that it answers. */
  isPausedUnheard = false;
  /** The LLM has finished a round meanwhile, whose tools wait. */
  hasWaitingRound = false;
  /** Until when the LLM's request waits for passages, ms of call time; Infinity where it does not wait. */
  passagesDueMs = callMs(Number.POSITIVE_INFINITY);
  /** The passages for the turn that it answers. */
  passages: Message | undefined;
  /** The tools that the LLM may call in its current round. */
  offeredTools: readonly ToolSpec[] = [];
  /** All that it was given of corpora; undefined where none was asked. */
  #retrieval: ReplyPassages | undefined;

  constructor(options: {
    turnId: TurnId;
    /** BCP 47. */
    language: string;
    interruptible: boolean;
    endReason: EndReason | undefined;
    rateHz: number;
    /** Undefined for a reply that answers no utterance. */
    answered: AnsweredUtterance | undefined;
    parameters: Readonly<TurnParameters>;
    nowMs: CallMs;
  }) {
    this.turnId = options.turnId;
    this.tools = new ToolRounds(options.turnId);
    this.watchdog = new ReplyWatchdog(options.parameters, options.nowMs);
    this.#language = options.language;
    this.#splitter = new SegmentSplitter(options.parameters.firstClauseChars, options.language);
    this.interruptible = options.interruptible;
    this.endReason = options.endReason;
    this.#rateHz = options.rateHz;
    this.#timeline = new PlayoutTimeline(options.rateHz);
    this.timings = new ReplyTimings(options.answered, options.nowMs);
  }

  /** The LLM is given passages, perhaps further ones. */
  addRetrieval({ tookMs, passages }: ReplyPassages): void {
    const before = this.#retrieval ?? { tookMs: 0, passages: [] };
    this.#retrieval = {
      tookMs: Math.max(before.tookMs, tookMs),
      passages: [...before.passages, ...passages].slice(0, TURN_PASSAGES_MAX),
    };
  }

  /** The caller can hear it: a frame was sent. */
  get audible(): boolean {
    return this.#isAudible;
  }

  get sentSamples(): number {
    return this.#sentSamples;
  }

  get segmentCount(): number {
    return this.#segments.length;
  }

  /** The text of all segments, up to TURN_TEXT_CHARS_MAX. */
  get generatedText(): string {
    return this.#generatedText;
  }

  /**
   * Adds text of the reply. Returns the new segments to be spoken; the first has the number that `segmentCount` had
   * before.
   */
  pushText(text: string, nowMs: CallMs): readonly string[] {
    this.timings.text(nowMs);
    this.#roundText += text;
    return this.#addSegments(this.#splitter.push(text), nowMs);
  }

  /** The LLM has finished this round; returns the segments that remain. */
  endRound(nowMs: CallMs): readonly string[] {
    return this.#addSegments(this.#splitter.end(), nowMs);
  }

  /** Returns the LLM's text since its last request; the next round begins. */
  takeRoundText(): string {
    const text = this.#roundText;
    this.#roundText = "";
    return text;
  }

  /** The text is complete: no more segments follow. */
  endText(): void {
    this.#textDone = true;
  }

  /** Inserts a service phrase into the reply, as one segment. */
  insert(text: string, nowMs: CallMs): readonly string[] {
    return this.#addSegments([text], nowMs);
  }

  /** A reply without the LLM: returns its segments. */
  wholeText(text: string, nowMs: CallMs): readonly string[] {
    this.#textDone = true;
    return this.#addSegments([...this.#splitter.push(text), ...this.#splitter.end()], nowMs);
  }

  /** Adds segments that are handed to the TTS now. */
  #addSegments(texts: readonly string[], nowMs: CallMs): readonly string[] {
    if (texts.length > 0) this.timings.segment(nowMs);
    for (const text of texts) {
      const previous = this.#segments.at(-1);
      // A segment's start is unknown until the one before it has ended; until then nothing of it can be heard.
      const startSample = previous === undefined ? 0 : (previous.endSample ?? Number.POSITIVE_INFINITY);
      this.#segments.push({ text, startSample, endSample: undefined, words: [] });
      this.#generatedText = cutText(joinTexts(this.#generatedText, text), TURN_TEXT_CHARS_MAX);
    }
    return texts;
  }

  segmentAudio(segment: number, words: readonly TimedWord[], nowMs: CallMs): void {
    this.timings.audio(nowMs);
    this.#segment(segment).words.push(...words);
  }

  /** The segment's synthesis has ended after `samples` samples. */
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

  /** A frame was sent at `nowMs`, which will be played from `startMs` on. */
  frameSent(samples: number, nowMs: CallMs, startMs: CallMs): void {
    if (!this.#isAudible) this.timings.frame(nowMs);
    this.#isAudible = true;
    this.#sentSamples += samples;
    this.#timeline.sent(samples, startMs);
  }

  /**
   * The leg was lost when `unplayedMs` of the audio sent did not count as played: they count as not sent, from the
   * beginning of their first frame on. Returns how many samples that are, at most REWIND_MS_MAX; what lies before them
   * counts as heard.
   */
  rewind(unplayedMs: number): number {
    const frameSamples = (this.#rateHz / 1_000) * FRAME_MS;
    const unheardSamples = this.#sentSamples - this.heardSamples(unplayedMs);
    const samples = Math.min(
      Math.ceil(unheardSamples / frameSamples) * frameSamples,
      (this.#rateHz / 1_000) * REWIND_MS_MAX,
      this.#sentSamples,
    );
    this.#sentSamples -= samples;
    this.#playedSamples = Math.min(this.#playedSamples, this.#sentSamples);
    this.#confirmedSamples = Math.min(this.#confirmedSamples, this.#sentSamples);
    this.#timeline.rewind(this.#sentSamples);
    const firstUnsent = this.#segments.findIndex(
      ({ endSample }) => endSample === undefined || endSample > this.#sentSamples,
    );
    if (firstUnsent >= 0) this.#nextToMark = Math.min(this.#nextToMark, firstUnsent);
    return samples;
  }

  /** What has not been played by `nowMs` never will be. */
  flushed(nowMs: CallMs): void {
    this.#timeline.flushed(nowMs);
  }

  /** The words that began to play after `sinceMs`, in order. */
  playedWords(sinceMs: CallMs): PlayedWord[] {
    return playedWords(this.#segments, this.#timeline, { rateHz: this.#rateHz, language: this.#language, sinceMs });
  }

  /** The next segment whose last sample was sent and that has no mark yet, or undefined. Counts it as marked. */
  takeSegmentToMark(): number | undefined {
    const endSample = this.#segments[this.#nextToMark]?.endSample;
    if (endSample === undefined || endSample > this.#sentSamples) return undefined;
    this.#nextToMark += 1;
    return this.#nextToMark - 1;
  }

  /** The peer confirmed that `segment` was played. */
  segmentPlayed(segment: number): void {
    this.#playedSamples = Math.max(this.#playedSamples, this.#segments[segment]?.endSample ?? 0);
  }

  /** Everything was generated and sent. */
  get allSent(): boolean {
    return this.#textDone && !this.unsent;
  }

  /** Some segment has not been sent completely. */
  get unsent(): boolean {
    const last = this.#segments.at(-1);
    return last !== undefined && !(last.endSample !== undefined && last.endSample <= this.#sentSamples);
  }

  /** The peer confirmed the last segment. */
  get allPlayed(): boolean {
    return this.allSent && this.#playedSamples >= this.#sentSamples;
  }

  /** The best estimate of the samples heard, when `unplayedMs` of the audio sent have not been played. */
  heardSamples(unplayedMs: number): number {
    const byClock = this.#sentSamples - (unplayedMs * this.#rateHz) / 1_000;
    return Math.min(this.#sentSamples, Math.max(this.#playedSamples, byClock, 0));
  }

  /** The peer confirmed the connection when `unplayedMs` of the audio sent had not been played. */
  confirmed(unplayedMs: number): void {
    this.#confirmedSamples = this.heardSamples(unplayedMs);
  }

  /** How much of the audio sent had not been played at the last confirmation, ms; includes audio sent since. */
  get unconfirmedMs(): number {
    return ((this.#sentSamples - this.#confirmedSamples) * 1_000) / this.#rateHz;
  }

  /** The text up to the last word that ended within the first `heardSamples` samples. */
  heardText(heardSamples: number): string {
    let heard = "";
    for (const segment of this.#segments) {
      // A segment for which the TTS made no audio was not heard, even where later ones were.
      if (segment.endSample === segment.startSample) continue;
      if (segment.endSample !== undefined && segment.endSample <= heardSamples) {
        heard = joinTexts(heard, segment.text);
        continue;
      }
      return joinTexts(heard, this.#heardInSegment(segment, heardSamples));
    }
    return heard;
  }

  /** What was heard of a segment that was not heard completely. */
  #heardInSegment(segment: Segment, heardSamples: number): string {
    const samples = heardSamples - segment.startSample;
    return samples > 0 ? heardOfSegment(segment, samples, this.#rateHz, this.#language) : "";
  }

  /** Whether what was heard ends within text for which the TTS sent no word times. */
  #isEstimate(heardSamples: number): boolean {
    const partial = this.#segments.find(({ endSample }) => endSample === undefined || endSample > heardSamples);
    if (partial === undefined || heardSamples <= partial.startSample) return false;
    const heardMs = ((heardSamples - partial.startSample) * 1_000) / this.#rateHz;
    return partial.words.length === 0 || wordsWithin(wordAt(partial.words, heardMs), heardMs, this.#language) !== "";
  }

  /** The state when `unplayedMs` of the audio sent have not been played. */
  snapshot(unplayedMs: number): Omit<ReplySnapshot, "deadlines"> {
    const { turnId, audible, interruptible, segmentCount: segments } = this;
    const sentMs = (this.#sentSamples * 1_000) / this.#rateHz;
    const heardText = this.heardText(this.heardSamples(unplayedMs));
    return { turnId, audible, interruptible, areToolsRunning: this.tools.running, segments, sentMs, heardText };
  }

  /**
   * The agent's turn of an audible reply, which was heard until `endMs`, when `unplayedMs` of the audio sent do not
   * count as played. `clockUnplayedMs` is the same by the playback clock alone; where that gives more words, the turn
   * is approximate.
   */
  heardTurn(unplayedMs: number, endMs: CallMs, clockUnplayedMs = unplayedMs): TranscriptTurn {
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
    const retrieval = this.#retrieval;
    return {
      ...turn,
      ...(latency === undefined ? {} : { latency }),
      ...(retrieval === undefined ? {} : { retrieval }),
    };
  }
}
