import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, isOver, needsReply, TICK_MS } from "../observer/facts.ts";
import type { SimulatedStt } from "../providers/stt.ts";
import type { Rule } from "./rule.ts";

const {
  dtmfGapMs: digitGapMs,
  endpointMs,
  endpointQuestionMs,
  endpointSentenceMs,
  endpointTrailingMs,
  finalWaitMs,
  hangoverMs,
  settleMs,
  turnWaitMsMin,
  wordlessSpeechMs: wordlessVoiceMs,
} = DEFAULT_TURN_PARAMETERS;
const EPSILON_MS = 1e-6;

/** No STT with interim transcripts is waited for longer. */
const WORDS_LAG_MS_MAX = 1_020;

/** So many frames of speech in a row are speech to any detector. */
const SURELY_SPEECH_FRAMES = 10;

/** How long the caller must be silent after these words, by how callers end their sentences here. */
function pauseMs(text: string, language: string): number {
  if (/[.?]$/.test(text)) return text.endsWith("?") ? endpointQuestionMs : endpointSentenceMs;
  return text.endsWith(",") || (text.endsWith(" and") && language.startsWith("en")) ? endpointTrailingMs : endpointMs;
}

/**
 * A turn of the caller's is over when the words are final and the pause after them was long enough: not before, and then at once.
 * Other ends are checked elsewhere: those of typed text and DTMF, of words that are never final, and of speech without words.
 */
export class Endpointing implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  readonly #isHonest: boolean;
  readonly #turnWaitMsMax: number;
  readonly #sttHasInterim: boolean;
  /** The last final transcript, if nothing was emitted since; and when a transcript was emitted last. */
  #final: string | undefined;
  #transcriptMs = 0;
  /** They wait for an answer. */
  #isOpen = false;
  /** When there was voice last, and when there was surely speech. */
  #voicedMs = 0;
  #speechMs = Number.NEGATIVE_INFINITY;
  #voicedFrames = 0;
  #silentFrames = 0;
  #seenMs = 0;
  #mediaMs = Number.NaN;
  #frameMs = Number.NaN;
  /** When a key was pressed last, and when the agent was seen to reply last. */
  #keyMs = Number.NEGATIVE_INFINITY;
  #replyMs = 0;
  /** When something of the caller's was answered or ignored last. */
  #settledMs = 0;

  constructor(facts: Facts, chronicle: Chronicle, stt: SimulatedStt | undefined, turnWaitMsMax: number) {
    this.#facts = facts;
    this.#chronicle = chronicle;
    this.#isHonest = stt?.isHonest === true;
    this.#turnWaitMsMax = turnWaitMsMax;
    this.#sttHasInterim = stt?.capabilities.interimTranscripts === true;
  }

  frameIn(voiced: boolean, mediaMs: number): void {
    const { nowMs } = this.#facts;
    const isNext = mediaMs - this.#mediaMs < 1.5 * FRAME_MS;
    this.#mediaMs = mediaMs;
    this.#frameMs = nowMs;
    this.#seenMs += FRAME_MS;
    this.#voicedFrames = voiced && this.#seenMs > settleMs ? (isNext ? this.#voicedFrames : 0) + 1 : 0;
    this.#silentFrames = voiced ? 0 : this.#silentFrames + 1;
    if (voiced) this.#voicedMs = nowMs;
    if (this.#voicedFrames >= SURELY_SPEECH_FRAMES) this.#speechMs = nowMs;
  }

  event(event: CallEvent): void {
    const { nowMs, userMessage } = this.#facts;
    switch (event.kind) {
      case "dtmf":
        this.#keyMs = nowMs;
        return;
      case "typed":
        this.#final = undefined;
        return;
      case "stt-interim":
      case "stt-final":
        if (event.text === "") return;
        this.#transcriptMs = nowMs;
        this.#isOpen = needsReply(event, userMessage);
        this.#final = event.kind === "stt-final" ? event.text : undefined;
        return;
      default:
        return;
    }
  }

  command(command: CallCommand): void {
    if (command.kind === "generate-reply") this.#checkPaused(command);
    else if (command.kind !== "ignore" && command.kind !== "await-passages") return;
    this.#isOpen = false;
    this.#settledMs = this.#facts.nowMs;
  }

  inspect(): void {
    const { end, reply, nowMs } = this.#facts;
    if (reply !== undefined && !isOver(reply)) this.#replyMs = nowMs;
    if (end !== undefined || !this.#isOpen || !this.#isFinal()) return;
    const pause = this.#turnWaitMsMax > 0 ? this.#scoredPauseMsMax() : this.#pauseMs();
    if (this.#silentFrames * FRAME_MS < pause + 2 * FRAME_MS) return;
    // Words whose voice was too short, is forgotten, or was answered already, are words without speech: their pause is over.
    const sinceMs = Math.max(
      this.#transcriptMs - finalWaitMs + 5 * FRAME_MS,
      this.#settledMs,
      this.#voicedMs - hangoverMs,
    );
    const isLate = this.#speechMs < sinceMs;
    const dueMs = Math.max(this.#voicedMs + pause, this.#transcriptMs + (isLate ? pause : 0), this.#replyMs);
    if (nowMs <= this.#facts.latestMs(dueMs, 3 * TICK_MS)) return;
    // By the score speech ends early with a frame of silence, which may be lost.
    if (this.#turnWaitMsMax > 0 && this.#frameMs <= dueMs) return;
    this.#wrong(`nothing is made of ${JSON.stringify(this.#final)} at ${nowMs} ms, which was due at ${dueMs} ms`);
  }

  #checkPaused({ turnId, messages }: Extract<CallCommand, { kind: "generate-reply" }>): void {
    const { nowMs, replies } = this.#facts;
    if (replies.get(turnId)?.asks !== 1 || messages.at(-1)?.role !== "user" || !this.#isFinal()) return;
    // Voice that goes on without words ends a turn in another way.
    if (nowMs >= this.#transcriptMs + wordlessVoiceMs - EPSILON_MS) return;
    const pausedMs = nowMs - this.#speechMs;
    if (pausedMs >= (this.#turnWaitMsMax > 0 ? turnWaitMsMin : this.#pauseMs()) - EPSILON_MS) return;
    this.#wrong(`${JSON.stringify(this.#final)} is answered ${pausedMs} ms after speech`);
  }

  /** What was said last is final, and nothing else is entered. */
  #isFinal(): boolean {
    return this.#isHonest && this.#final !== undefined && this.#facts.nowMs > this.#keyMs + 2 * digitGapMs;
  }

  /** The ceiling, or the wait for the words of the last speech, where they may still be missing. */
  #scoredPauseMsMax(): number {
    // Only where words come during speech does speech end before the hangover.
    if (this.#transcriptMs >= this.#voicedMs)
      return this.#sttHasInterim ? this.#turnWaitMsMax : Math.max(this.#turnWaitMsMax, hangoverMs);
    return this.#sttHasInterim ? Math.max(this.#turnWaitMsMax, WORDS_LAG_MS_MAX) : finalWaitMs;
  }

  #pauseMs(): number {
    return pauseMs(this.#final ?? "", this.#facts.language);
  }

  #wrong(detail: string): void {
    this.#chronicle.violated("a turn ends with its pause, not before, and at once then", detail);
  }
}
