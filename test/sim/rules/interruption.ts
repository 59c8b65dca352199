import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { areBackChannels, isBackChannel } from "../../../src/call/turn-taking/back-channel.ts";
import type { CancelReason } from "../../../src/core/calls/reasons.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, isOver, type ReplyFacts, TICK_MS } from "../observer/facts.ts";
import type { Invariant } from "../plan/kinds.ts";
import type { Rule } from "./rule.ts";

const {
  hangoverMs,
  frameLossMs,
  speechPausesMax: voicePausesMax,
  resumeMs,
  pauseMsMax,
  steadyNoiseMs: steadyVoiceMs,
} = DEFAULT_TURN_PARAMETERS;
const HELD: Invariant = "voice over the agent holds it, and no longer than it must";
const CUT: Invariant = "a reply is cut for what the caller did";

/** So many frames of speech in a row are speech to any detector; and so many without are the end of it. */
const SURELY_SPEECH_FRAMES = 10;
const SURELY_SILENCE_FRAMES = hangoverMs / FRAME_MS + 1;
/** Speech without a word for this long in all may not be directed at the agent: it neither pauses nor interrupts. */
const MAYBE_STEADY_FRAMES = (0.8 * steadyVoiceMs) / FRAME_MS;
/** What only the caller does to a reply. */
const BY_THE_CALLER: readonly CancelReason[] = ["words", "dtmf", "typed"];

/** A reply that is not heard yet may be held where it answers a turn that may go on, whether it is interruptible or not. */
const isPausable = ({ sentFrames, userMessage, interruptible }: ReplyFacts): boolean =>
  sentFrames > 0 ? interruptible : userMessage !== undefined;

export interface InterruptionOptions {
  /** Whether a transcript is of the agent's own words. */
  isEcho(text: string): boolean;
  sttHasInterim: boolean;
}

/** Speech pauses the agent, words interrupt it, and what is neither does nothing: judged by the audio alone. */
export class Interruption implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  readonly #options: InterruptionOptions;
  #mediaMs = Number.NaN;
  /** When the last frame came. */
  #frameMs = Number.NaN;
  #voicedFrames = 0;
  #silentFrames = 0;
  /** Frames of speech since the last word of the STT. */
  #wordlessFrames = 0;
  /** When an STT without interim transcripts last answered that there are no words. */
  #wordlessAnswerMs = Number.NaN;
  /** This stretch of speech came after silence that ended the one before it. */
  #isFresh = false;
  /** Since when there may be speech; NaN while there is surely none. */
  #speechMs = Number.NaN;
  /** When the caller last gave reason to hold the agent: by the beginning of a pause, or by words. */
  #heldSinceMs = 0;

  constructor(facts: Facts, chronicle: Chronicle, options: InterruptionOptions) {
    this.#options = options;
    this.#facts = facts;
    this.#chronicle = chronicle;
  }

  frameIn(voiced: boolean, mediaMs: number): void {
    const { nowMs } = this.#facts;
    // Speech of which nothing came for a while was over: what comes late has to begin anew.
    if (mediaMs - this.#mediaMs > 1.5 * FRAME_MS || nowMs - this.#frameMs > frameLossMs) this.#voicedFrames = 0;
    this.#mediaMs = mediaMs;
    this.#frameMs = nowMs;
    if (!voiced) {
      this.#silentFrames += 1;
      this.#voicedFrames = 0;
      if (this.#silentFrames >= SURELY_SILENCE_FRAMES) this.#speechMs = Number.NaN;
      return;
    }
    if (this.#voicedFrames === 0) this.#isFresh = this.#silentFrames >= SURELY_SILENCE_FRAMES;
    if (Number.isNaN(this.#speechMs)) this.#speechMs = this.#facts.nowMs;
    this.#silentFrames = 0;
    this.#voicedFrames += 1;
    this.#wordlessFrames += 1;
    if (this.#isFresh && this.#voicedFrames === SURELY_SPEECH_FRAMES) this.#checkHeld();
  }

  event(event: CallEvent): void {
    if (event.kind !== "stt-interim" && event.kind !== "stt-final") return;
    this.#heldSinceMs = this.#facts.nowMs;
    if (event.text !== "" || this.#options.sttHasInterim) this.#wordlessFrames = 0;
    else this.#wordlessAnswerMs = this.#facts.nowMs;
  }

  frameOut(reply: ReplyFacts | undefined): void {
    if (reply?.pausedMs !== undefined) {
      this.#chronicle.violated("a paused reply is not sent", `a frame of reply ${reply.turnId}`);
    }
  }

  command(command: CallCommand): void {
    const { reply } = this.#facts;
    switch (command.kind) {
      case "pause":
        this.#heldSinceMs = this.#facts.nowMs;
        if (reply?.turnId !== command.turnId || isOver(reply) || !isPausable(reply)) {
          this.#wrong(HELD, `reply ${command.turnId} is paused, which may not be`);
        } else if (reply.sentFrames === 0) this.#chronicle.note("answer-held");
        else if (reply.pauses > voicePausesMax) this.#wrong(HELD, `pause ${reply.pauses} of reply ${reply.turnId}`);
        return;
      case "resume":
        // Voice that goes on pauses nothing a second time.
        this.#isFresh = false;
        if (reply?.turnId !== command.turnId || isOver(reply)) this.#wrong(HELD, `${command.turnId} goes on`);
        return;
      case "cancel-reply": {
        const why = BY_THE_CALLER.includes(command.reason) ? this.#objection(command) : undefined;
        if (command.reason === "words" && !command.clear) this.#chronicle.note("turn-reopened");
        if (why !== undefined) this.#wrong(CUT, `reply ${command.turnId} by ${command.reason}: ${why}`);
        return;
      }
      case "ignore":
        if (!areBackChannels(command.text, this.#facts.language)) {
          this.#wrong("what the caller said is answered", `${JSON.stringify(command.text)} is ignored`);
        }
        return;
      default:
        return;
    }
  }

  /** Speech alone does not hold the agent for long; words that stop nothing may, for as long again. */
  inspect(): void {
    const { reply, nowMs, end } = this.#facts;
    if (end !== undefined || reply?.pausedMs === undefined) return;
    if (reply.pausedMs < this.#wordlessAnswerMs) this.#wrong(HELD, `reply ${reply.turnId} is held for no words`);
    const dueMs = this.#heldSinceMs + pauseMsMax + resumeMs;
    if (nowMs <= this.#facts.latestMs(dueMs, 2 * TICK_MS)) return;
    this.#wrong(HELD, `reply ${reply.turnId} is held since ${reply.pausedMs} ms, at ${nowMs} ms`);
  }

  /** Speech has surely begun over a reply that can be heard. */
  #checkHeld(): void {
    const { reply } = this.#facts;
    if (reply === undefined || isOver(reply) || !reply.interruptible || reply.sentFrames === 0) return;
    if (reply.pausedMs !== undefined || reply.pauses >= voicePausesMax) return;
    if (this.#wordlessFrames > MAYBE_STEADY_FRAMES) return;
    this.#wrong(HELD, `reply ${reply.turnId} continues as if the caller were silent`);
  }

  /** What speaks against a cut by the caller, if anything does. */
  #objection({ reason }: Extract<CallCommand, { kind: "cancel-reply" }>): string | undefined {
    const { lastEvent, reply, language } = this.#facts;
    const isReopened = reason === "words" && reply?.sentFrames === 0 && reply.userMessage !== undefined;
    if (reply?.interruptible !== true && !isReopened) return "it may not be interrupted";
    if (reason === "dtmf") return lastEvent?.kind === "dtmf" ? undefined : `upon ${lastEvent?.kind}`;
    // An entry of keys that is over is a typed turn of its own.
    if (reason === "typed") {
      return lastEvent !== undefined && ["typed", "dtmf", "tick"].includes(lastEvent.kind) ? undefined : "nothing was";
    }
    if (lastEvent?.kind !== "stt-interim" && lastEvent?.kind !== "stt-final") return `upon ${lastEvent?.kind}`;
    if (this.#options.isEcho(lastEvent.text)) return `for its own ${JSON.stringify(lastEvent.text)}`;
    return isBackChannel(lastEvent.text, language, lastEvent.kind === "stt-interim")
      ? `for ${JSON.stringify(lastEvent.text)}`
      : undefined;
  }

  #wrong(invariant: Invariant, detail: string): void {
    this.#chronicle.violated(invariant, detail);
  }
}
