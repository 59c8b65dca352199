import { strict as assert } from "node:assert";
import { FRAME_MS } from "../../core/limits/media.ts";
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
 * One thing the person does; the next begins when it is done. After the last one the caller hangs up. When the last one
 * is to wait, it is done as well when the other end hangs up.
 */
export type Step =
  /** Waits until the agent has spoken and has fallen silent again; `atMostMs` for it to begin, where that is told. */
  | { do: "listen"; atMostMs?: number }
  | { do: "say"; utterance: Utterance }
  /** Waits until the agent has said this many words of a turn, then speaks over it. */
  | { do: "interrupt"; afterWords: number; utterance: Utterance }
  /** Presses keys, one by one: 0-9, *, # and A-D. */
  | { do: "press"; digits: string }
  /** Types a message; only where the line has a way for it. */
  | { do: "type"; text: string }
  /** Waits until so long after the line opened. */
  | { do: "stay"; untilMs: number }
  /** Waits until the other end hangs up. */
  | { do: "await-hang-up" };

/** What the caller said, or typed. Times are the clock's ms at which the first and the last frame of it were sent. */
export interface SaidTurn {
  text: string;
  startMs: number;
  endMs: number;
  /** The agent was speaking when it began. */
  overAgent: boolean;
}

/**
 * What the agent said between two turns of the caller, as the caller's ear decoded it from the audio that was played.
 */
export interface HeardTurn {
  text: string;
  /** The first and the last voiced sample, in the clock's ms. */
  startMs: number;
  endMs: number;
  /** From the end of what the caller said to the agent's first voiced sample. Absent where the agent opened. */
  latencyMs?: number;
  /** From the moment the caller began to speak over this turn to its last voiced sample. Absent where nobody did. */
  stoppedAfterMs?: number;
}

/**
 * What happens on the line, as it happens; `atMs` is the clock's. Words come when they have been heard or are being
 * said.
 */
export type CallerEvent =
  | { kind: "agent-began"; atMs: number; latencyMs: number | undefined }
  | { kind: "caller-began"; atMs: number; overAgent: boolean }
  | { kind: "word"; who: "agent" | "caller"; atMs: number; word: string }
  | { kind: "agent-silenced"; atMs: number; stoppedAfterMs: number };

export interface CallerReport {
  said: readonly SaidTurn[];
  heard: readonly HeardTurn[];
  /** The script came to its end. */
  finished: boolean;
}

export interface CallerOptions {
  script: readonly Step[];
  /** What is spoken into the microphone and comes out of the earphone; every utterance of the script is in the former. */
  formats: AudioFormats;
  /** A person's patience: this long after the line opened the caller hangs up, wherever the script is. */
  hangUpAfterMs: number;
  /**
   * The ear: takes signed 16-bit samples at the rate of the earphone, valid until it returns. Its answers come back by
   * `understood`.
   */
  listen(samples: Int16Array): void;
  hangUp(): void;
  press(key: string): void;
  type(text: string): void;
  onEvent(notice: CallerEvent): void;
}

/** What the person is doing. `turnsBefore`: turns of the agent that had begun before the waiting did, at `sinceMs`. */
type Activity =
  | { at: "waiting"; turnsBefore: number; sinceMs: number }
  /** `dueMs`: when the next key is pressed, or the last one let go. */
  | { at: "pressing"; digits: string; pressed: number; dueMs: number }
  | { at: "speaking"; utterance: Utterance; frames: number; words: number; said: SaidTurn; over: HeardTurn | undefined }
  | { at: "hung-up" };

/** A pause of the agent that is taken for the end of its turn; the sentences of one turn lie closer together. */
const TURN_END_SILENCE_MS = 800;
/** The ear owes the end of an utterance; a person does not wait for it any longer than this. */
const TURN_END_SILENCE_MS_MAX = 2_500;
/** Silence that is played to the ear when the line is gone, so that it ends the utterance it was in. */
const FLUSH_SILENCE_MS = 2_000;
/** Steps in which the caller does nothing but wait. */
const WAITING_STEPS: readonly Step["do"][] = ["listen", "stay", "await-hang-up"];
/** From one key to the next, as fingers go. */
const DTMF_INTERVAL_MS = 200;

/**
 * A person on the telephone who follows a script. It has no clock and no socket of its own: it is moved by the
 * carrier's beat (`played` with each 20 ms that the earphone plays, then `frame` for the 20 ms that the microphone
 * takes) and by what its ear has understood. Synchronous throughout; the report can be read at any time.
 */
export class Caller {
  readonly #options: CallerOptions;
  readonly #outbound: AudioFormat;
  /** The frame that sounds. */
  readonly #pcm: Int16Array;
  readonly #silence: Uint8Array;
  readonly #said: SaidTurn[] = [];
  readonly #heard: HeardTurn[] = [];
  #openedMs = Number.NaN;
  #nowMs = 0;
  #stepIndex = 0;
  #activity: Activity = { at: "waiting", turnsBefore: 0, sinceMs: 0 };
  /** The turn of the agent that its next voiced sample belongs to; undefined: that sample opens a new one. */
  #turn: HeardTurn | undefined;
  #lastSpeechMs = Number.NEGATIVE_INFINITY;
  /** The utterance the ear is in, and how many words of it have been noticed. */
  #pending: { turn: HeardTurn; text: string; noticed: number } | undefined;
  #finished = false;

  constructor(options: CallerOptions) {
    this.#options = options;
    const { inbound, outbound } = options.formats;
    this.#outbound = outbound;
    this.#pcm = new Int16Array(frameSamples(outbound));
    this.#silence = new Uint8Array(frameBytes(inbound)).fill(silenceByte(inbound));
  }

  /** 20 ms of the outbound format begin to sound in the earphone at `atMs`; valid until this returns. */
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
    // The script comes first: it may have ended with this very moment.
    if (this.#isOnTheLine() && atMs - this.#openedMs > this.#options.hangUpAfterMs) this.#hangUp();
  }

  /** The next 20 ms of the inbound format that the microphone takes; read it before the next call. */
  frame(): Uint8Array {
    const doing = this.#activity;
    if (doing.at !== "speaking") return this.#silence;
    const frame = doing.utterance.frames[doing.frames];
    if (frame === undefined) return this.#silence;
    const { words } = doing.utterance;
    const spokenMs = doing.frames * FRAME_MS;
    for (let word = words[doing.words]; word !== undefined && word.startMs <= spokenMs; word = words[doing.words]) {
      doing.words += 1;
      this.#options.onEvent({ kind: "word", who: "caller", atMs: this.#nowMs, word: word.text });
    }
    doing.frames += 1;
    doing.said.endMs = this.#nowMs;
    return frame;
  }

  /** The ear has understood something of what was played. */
  onTranscript(event: SttEvent): void {
    const turn = this.#pending?.turn ?? this.#heard.at(-1);
    // Words before the first voiced sample belong to no turn: an ear that hears them hears what was not said.
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

  /** The line is gone, whoever closed it. The ear gets the silence it needs to end its last utterance. */
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
    const endOfOwnMs = this.#said.at(-1)?.endMs;
    const latencyMs = endOfOwnMs === undefined ? undefined : startMs - endOfOwnMs;
    const turn: HeardTurn = { text: "", startMs, endMs: startMs, ...(latencyMs === undefined ? {} : { latencyMs }) };
    this.#heard.push(turn);
    this.#options.onEvent({ kind: "agent-began", atMs: startMs, latencyMs });
    return turn;
  }

  #step(): Step | undefined {
    return this.#options.script[this.#stepIndex];
  }

  /** Nothing is left of the script but a wait, or not even that. */
  #hasOnlyToWait(): boolean {
    const doing = this.#activity;
    const hasPressed = doing.at === "pressing" && doing.pressed === doing.digits.length;
    if (doing.at !== "waiting" && !hasPressed) return false;
    const [step, ...others] = this.#options.script.slice(this.#stepIndex + (hasPressed ? 1 : 0));
    return others.length === 0 && (step === undefined || WAITING_STEPS.includes(step.do));
  }

  #isOnTheLine(): boolean {
    return this.#activity.at !== "hung-up";
  }

  /** Enters the step at hand. */
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

  /** Goes on with the step at hand, and to the next one when it is done. */
  #advance(): void {
    const step = this.#step();
    if (this.#activity.at === "speaking") {
      if (this.#activity.frames < this.#activity.utterance.frames.length) return;
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

  /** Presses the key that is due, if one is; true once the last has been pressed and let go. */
  #pressDigits(doing: Activity & { at: "pressing" }): boolean {
    if (this.#nowMs < doing.dueMs) return false;
    const key = doing.digits[doing.pressed];
    if (key === undefined) {
      // Whatever the agent says from here on is an answer.
      this.#turn = undefined;
      return true;
    }
    doing.pressed += 1;
    doing.dueMs = this.#nowMs + DTMF_INTERVAL_MS;
    this.#options.press(key);
    this.#options.onEvent({ kind: "word", who: "caller", atMs: this.#nowMs, word: `[${key}]` });
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
    assert.deepEqual(utterance.format, this.#options.formats.inbound, "spoken in the format of the line");
    const said = this.#beginTurn(utterance.text);
    const over = said.overAgent ? this.#turn : undefined;
    if (over !== undefined) over.stoppedAfterMs = 0;
    this.#activity = { at: "speaking", utterance, frames: 0, words: 0, said, over };
  }

  /** Done as soon as it is begun. */
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

  /** From here on whatever the agent says is an answer. */
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

  /** Of samples that sound. */
  #msOf(samples: number): number {
    return (samples * 1_000) / this.#outbound.rateHz;
  }

  /** What has been understood of a turn so far, the utterance the ear is still in included. */
  #textOf(turn: HeardTurn): string {
    return turn === this.#pending?.turn ? `${turn.text} ${this.#pending.text}`.trim() : turn.text;
  }
}

/** The words of a text, punctuation included. */
export const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
