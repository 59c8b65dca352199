import { strict as assert } from "node:assert";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { SttEvent } from "../../speech/contracts.ts";
import {
  type AudioFormat,
  type AudioFormats,
  decodeSamples,
  frameBytes,
  frameSamples,
  silenceByte,
} from "../audio/format.ts";
import { isSpeech, type Utterance } from "./utterance.ts";

/**
 * One action of the caller; the next one begins when it is done. After the last one the caller hangs up. A last action that
 * waits is also done when the other end hangs up.
 */
export type Step =
  /** Waits until the agent has spoken and is silent again; waits at most `atMostMs`, if given, for it to begin. */
  | { do: "listen"; atMostMs?: number }
  | { do: "say"; utterance: Utterance }
  /** Waits until the agent has said this many words of a turn, then interrupts it. */
  | { do: "interrupt"; afterWords: number; utterance: Utterance }
  /** Sends DTMF digits one by one: 0-9, *, # and A-D. */
  | { do: "press"; digits: string }
  /** Types a message; only over lines that support it. */
  | { do: "type"; text: string }
  /** Waits until this time after the stream opened. */
  | { do: "stay"; untilMs: number }
  /** Waits until the other end hangs up. */
  | { do: "await-hang-up" };

/** What the caller said or typed. Times are the clock's ms at which its first and last frame were sent. */
interface SaidTurn {
  text: string;
  startMs: number;
  endMs: number;
  /** The agent was speaking when this turn began. */
  overAgent: boolean;
}

/** What the agent said between two turns of the caller, as the caller's STT decoded it from the audio that was played. */
interface HeardTurn {
  text: string;
  /** The first and the last voiced sample, in the clock's ms. */
  startMs: number;
  endMs: number;
  /** From the end of the caller's turn to the agent's first voiced sample. Absent for the agent's opening. */
  latencyMs?: number;
  /** From the caller's interruption to the agent's last voiced sample. Absent for turns that were not interrupted. */
  stoppedAfterMs?: number;
}

/** Live events of the conversation; `atMs` is the clock's. Words come when they have been recognised or are being said. */
export type CallerEvent =
  | { kind: "agent-began"; atMs: number; latencyMs: number | undefined }
  | { kind: "caller-began"; atMs: number; overAgent: boolean }
  | { kind: "word"; who: "agent" | "caller"; atMs: number; word: string }
  | { kind: "agent-silenced"; atMs: number; stoppedAfterMs: number };

export interface CallerReport {
  said: readonly SaidTurn[];
  heard: readonly HeardTurn[];
  /** The script is complete. */
  finished: boolean;
}

interface CallerOptions {
  script: readonly Step[];
  /** The formats of the microphone (inbound) and the earphone (outbound). Every utterance of the script is in the inbound format. */
  formats: AudioFormats;
  /** The caller hangs up this long after the stream opened, at any point of the script. */
  hangUpAfterMs: number;
  /**
   * Passes audio to the caller's STT: signed 16-bit samples at the rate of the earphone, valid until it returns. The STT's events
   * come back through `onTranscript`.
   */
  listen(samples: Int16Array): void;
  hangUp(): void;
  press(digit: string): void;
  type(text: string): void;
  onEvent(event: CallerEvent): void;
}

/** What the caller is doing. `turnsBefore`: the number of agent turns that began before this wait, which began at `sinceMs`. */
type Activity =
  | { at: "waiting"; turnsBefore: number; sinceMs: number }
  /** `dueMs`: when the next digit is sent, or the last one is released. */
  | { at: "pressing"; digits: string; pressed: number; dueMs: number }
  | { at: "speaking"; utterance: Utterance; frames: number; words: number; said: SaidTurn; over: HeardTurn | undefined }
  | { at: "hung-up" };

/** A pause of the agent that counts as the end of its turn; the pauses between sentences of a turn are shorter. */
const TURN_END_SILENCE_MS = 800;
/** The pause after which the caller no longer waits for the final transcript. */
const TURN_END_SILENCE_MS_MAX = 2_500;
/** Silence that the STT receives after the stream has closed, so that it finishes its utterance. */
const FLUSH_SILENCE_MS = 2_000;
/** Steps in which the caller only waits. */
const WAITING_STEPS: readonly Step["do"][] = ["listen", "stay", "await-hang-up"];
/** The time between two DTMF digits, as a person presses them. */
const DTMF_INTERVAL_MS = 200;

/**
 * A simulated person on the telephone who follows a script. It has no clock and no socket of its own: the carrier's 20 ms ticks
 * drive it (`played` with each 20 ms that the earphone plays, then `frame` for the 20 ms that the microphone records), and so do
 * the events of its STT. Synchronous throughout; the report can be read at any time.
 */
export class Caller {
  readonly #options: CallerOptions;
  readonly #outbound: AudioFormat;
  /** The frame being played. */
  readonly #pcm: Int16Array;
  readonly #silence: Uint8Array;
  readonly #said: SaidTurn[] = [];
  readonly #heard: HeardTurn[] = [];
  #openedMs = Number.NaN;
  #nowMs = 0;
  #stepIndex = 0;
  #activity: Activity = { at: "waiting", turnsBefore: 0, sinceMs: 0 };
  /** What the microphone still records of the background after the last utterance. */
  #tail: Iterator<Uint8Array> | undefined;
  /** The agent's turn to which its next voiced sample belongs; undefined: that sample opens a new turn. */
  #turn: HeardTurn | undefined;
  #lastSpeechMs = Number.NEGATIVE_INFINITY;
  /** The utterance that the STT has not finished, and the number of its words that were reported. */
  #pending: { turn: HeardTurn; text: string; noticed: number } | undefined;
  #finished = false;

  constructor(options: CallerOptions) {
    this.#options = options;
    const { inbound, outbound } = options.formats;
    this.#outbound = outbound;
    this.#pcm = new Int16Array(frameSamples(outbound));
    this.#silence = new Uint8Array(frameBytes(inbound)).fill(silenceByte(inbound));
  }

  /** 20 ms of the outbound format start to play in the earphone at `atMs`; `frame` is valid until this returns. */
  played(frame: Uint8Array, atMs: number): void {
    if (this.#activity.at === "hung-up") return;
    this.#nowMs = atMs;
    if (Number.isNaN(this.#openedMs)) {
      this.#openedMs = atMs;
      this.#begin();
    }
    decodeSamples(frame, this.#outbound.codec, this.#pcm);
    this.#detectSpeech();
    this.#options.listen(this.#pcm);
    this.#advance();
    // The script comes first: it may have ended with this frame.
    if (this.#isOnTheLine() && atMs - this.#openedMs > this.#options.hangUpAfterMs) this.#hangUp();
  }

  /** The next 20 ms of the inbound format from the microphone; read it before the next call. */
  frame(): Uint8Array {
    const activity = this.#activity;
    if (activity.at !== "speaking") return this.#tail?.next().value ?? this.#silence;
    const frame = activity.utterance.frames[activity.frames];
    if (frame === undefined) return this.#silence;
    const { words } = activity.utterance;
    const spokenMs = activity.frames * FRAME_MS;
    for (
      let word = words[activity.words];
      word !== undefined && word.startMs <= spokenMs;
      word = words[activity.words]
    ) {
      activity.words += 1;
      this.#options.onEvent({ kind: "word", who: "caller", atMs: this.#nowMs, word: word.text });
    }
    activity.frames += 1;
    activity.said.endMs = this.#nowMs;
    return frame;
  }

  /** The STT has recognised some of the audio that was played. */
  onTranscript(event: SttEvent): void {
    const turn = this.#pending?.turn ?? this.#heard.at(-1);
    // Words before the first voiced sample belong to no turn: the STT reports words that were not said.
    if (turn === undefined) return;
    const pending = this.#pending ?? { turn, text: "", noticed: 0 };
    pending.text = event.text;
    const words = wordsOf(event.text);
    for (const word of words.slice(pending.noticed)) {
      this.#options.onEvent({ kind: "word", who: "agent", atMs: this.#nowMs, word });
    }
    pending.noticed = Math.max(pending.noticed, words.length);
    this.#pending = event.kind === "interim" ? pending : undefined;
    if (event.kind === "final") turn.text = `${turn.text} ${event.text}`.trim();
  }

  /** The stream was closed by either side. The STT gets the silence that it needs to finish its last utterance. */
  onClosed(): void {
    this.#finished ||= this.#hasOnlyToWait();
    this.#activity = { at: "hung-up" };
    this.#pcm.fill(0);
    for (let ms = 0; ms < FLUSH_SILENCE_MS; ms += FRAME_MS) this.#options.listen(this.#pcm);
  }

  report(): CallerReport {
    const heard = this.#heard.map((turn) => ({ ...turn, text: this.#textOf(turn) }));
    return { said: this.#said, heard, finished: this.#finished };
  }

  #detectSpeech(): void {
    const first = this.#pcm.findIndex(isSpeech);
    if (first < 0) return;
    const startMs = this.#nowMs + this.#msOf(first);
    this.#lastSpeechMs = this.#nowMs + this.#msOf(this.#pcm.findLastIndex(isSpeech));
    this.#turn ??= this.#openTurn(startMs);
    this.#turn.endMs = this.#lastSpeechMs;
    if (this.#activity.at === "speaking" && this.#activity.over !== undefined) {
      this.#activity.over.stoppedAfterMs = this.#lastSpeechMs - this.#activity.said.startMs;
    }
  }

  #openTurn(startMs: number): HeardTurn {
    const callerEndMs = this.#said.at(-1)?.endMs;
    const latencyMs = callerEndMs === undefined ? undefined : startMs - callerEndMs;
    const turn: HeardTurn = { text: "", startMs, endMs: startMs, ...(latencyMs === undefined ? {} : { latencyMs }) };
    this.#heard.push(turn);
    this.#options.onEvent({ kind: "agent-began", atMs: startMs, latencyMs });
    return turn;
  }

  #step(): Step | undefined {
    return this.#options.script[this.#stepIndex];
  }

  /** The rest of the script is at most one wait. */
  #hasOnlyToWait(): boolean {
    const activity = this.#activity;
    const hasPressed = activity.at === "pressing" && activity.pressed === activity.digits.length;
    if (activity.at !== "waiting" && !hasPressed) return false;
    const [step, ...others] = this.#options.script.slice(this.#stepIndex + (hasPressed ? 1 : 0));
    return others.length === 0 && (step === undefined || WAITING_STEPS.includes(step.do));
  }

  #isOnTheLine(): boolean {
    return this.#activity.at !== "hung-up";
  }

  /** Enters the current step. */
  #begin(): void {
    const step = this.#step();
    if (step === undefined) {
      this.#finished = true;
      this.#hangUp();
    } else if (step.do === "say") {
      this.#speak(step.utterance);
    } else if (step.do === "type") {
      this.#type(step.text);
    } else if (step.do === "press") {
      this.#activity = { at: "pressing", digits: step.digits, pressed: 0, dueMs: this.#nowMs };
    } else {
      this.#activity = { at: "waiting", turnsBefore: this.#heard.length, sinceMs: this.#nowMs };
    }
  }

  /** Continues the current step, and enters the next one when it is done. */
  #advance(): void {
    const step = this.#step();
    if (this.#activity.at === "speaking") {
      if (this.#activity.frames < this.#activity.utterance.frames.length) return;
      this.#tail = this.#activity.utterance.tail?.values();
      this.#endSpeech(this.#activity.over);
    } else if (this.#activity.at === "pressing") {
      if (!this.#pressDigits(this.#activity)) return;
    } else if (step?.do === "interrupt") {
      if (this.#agentHasSaid(step.afterWords) || this.#agentIsDone()) this.#speak(step.utterance);
      return;
    } else if (!this.#hasWaited(step)) {
      return;
    }
    this.#stepIndex += 1;
    this.#begin();
  }

  /** Sends the digit that is due, if any; true once the last has been sent and released. */
  #pressDigits(activity: Activity & { at: "pressing" }): boolean {
    if (this.#nowMs < activity.dueMs) return false;
    const digit = activity.digits[activity.pressed];
    if (digit === undefined) {
      // Any speech of the agent from now on is a reply.
      this.#turn = undefined;
      return true;
    }
    activity.pressed += 1;
    activity.dueMs = this.#nowMs + DTMF_INTERVAL_MS;
    this.#options.press(digit);
    this.#options.onEvent({ kind: "word", who: "caller", atMs: this.#nowMs, word: `[${digit}]` });
    return false;
  }

  #hasWaited(step: Step | undefined): boolean {
    if (step?.do === "stay") return this.#nowMs - this.#openedMs >= step.untilMs;
    if (step?.do !== "listen" || this.#activity.at !== "waiting") return false;
    const { atMostMs = Number.POSITIVE_INFINITY } = step;
    const isTired = this.#agentTurn() === undefined && this.#nowMs - this.#activity.sinceMs >= atMostMs;
    return isTired || this.#agentIsDone();
  }

  #speak(utterance: Utterance): void {
    assert.deepEqual(
      utterance.format,
      this.#options.formats.inbound,
      "the utterance must be in the format of the stream",
    );
    const said = this.#beginTurn(utterance.text);
    const over = said.overAgent ? this.#turn : undefined;
    if (over !== undefined) over.stoppedAfterMs = 0;
    this.#activity = { at: "speaking", utterance, frames: 0, words: 0, said, over };
  }

  /** Done as soon as it begins. */
  #type(text: string): void {
    this.#beginTurn(text);
    this.#options.type(text);
    this.#options.onEvent({ kind: "word", who: "caller", atMs: this.#nowMs, word: `[types: ${text}]` });
    this.#endSpeech(undefined);
    this.#stepIndex += 1;
    this.#begin();
  }

  #beginTurn(text: string): SaidTurn {
    const overAgent = this.#nowMs - this.#lastSpeechMs < TURN_END_SILENCE_MS;
    const said = { text, startMs: this.#nowMs, endMs: this.#nowMs, overAgent };
    this.#said.push(said);
    this.#options.onEvent({ kind: "caller-began", atMs: this.#nowMs, overAgent });
    return said;
  }

  /** Any speech of the agent from now on is a reply. */
  #endSpeech(over: HeardTurn | undefined): void {
    this.#turn = undefined;
    const stoppedAfterMs = over?.stoppedAfterMs;
    if (stoppedAfterMs !== undefined) {
      this.#options.onEvent({ kind: "agent-silenced", atMs: this.#nowMs, stoppedAfterMs });
    }
  }

  #agentTurn(): HeardTurn | undefined {
    if (this.#activity.at !== "waiting" || this.#heard.length === this.#activity.turnsBefore) return undefined;
    return this.#heard.at(-1);
  }

  #agentHasSaid(words: number): boolean {
    const turn = this.#agentTurn();
    return turn !== undefined && wordsOf(this.#textOf(turn)).length >= words;
  }

  #agentIsDone(): boolean {
    if (this.#agentTurn() === undefined) return false;
    const quietMs = this.#nowMs - this.#lastSpeechMs;
    return quietMs >= (this.#pending === undefined ? TURN_END_SILENCE_MS : TURN_END_SILENCE_MS_MAX);
  }

  #hangUp(): void {
    this.#activity = { at: "hung-up" };
    this.#options.hangUp();
  }

  /** Duration of samples in the earphone. */
  #msOf(samples: number): number {
    return (samples * 1_000) / this.#outbound.rateHz;
  }

  /** The recognised text of a turn so far, including the utterance that the STT has not finished. */
  #textOf(turn: HeardTurn): string {
    return turn === this.#pending?.turn ? `${turn.text} ${this.#pending.text}`.trim() : turn.text;
  }
}

/** The words of a text, punctuation included. */
export const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
