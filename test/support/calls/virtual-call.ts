import { Call } from "../../../src/call/call.ts";
import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import type { TurnParameters } from "../../../src/call/parameters.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { NO_REPLY_TURN_ID, type TurnId } from "../../../src/core/ids.ts";
import type { ReplyPassages } from "../../../src/core/knowledge/call-knowledge.ts";
import type { Passage } from "../../../src/core/knowledge/passages.ts";
import {
  CARRIER_FRAME_SAMPLES,
  CARRIER_RATE_HZ,
  FRAME_MS,
  OUTPUT_LEAD_MS,
} from "../../../src/core/limits/streams/media.ts";
import { DTMF_FRAMES_PER_DIGIT } from "../../../src/media/dtmf-tones.ts";
import { PlaybackClock } from "../../../src/media/playback-clock.ts";
import type { TimedWord } from "../../../src/speech/contracts.ts";
import { type FarEnd, ImmediateFarEnd, type SpeechFrame } from "../../callers/far-end.ts";
import { FIXED_PAUSES } from "./fixed-pauses.ts";

export const SPEC: CallSpec = {
  systemPrompt: "You answer the telephone of a bakery.",
  voiceId: "fake/voice",
  language: "en",
  languagePinned: false,
  model: "model_b",
  temperature: 0,
  greeting: "Hello, this is the bakery.",
  firstSpeaker: "agent",
  interruptible: false,
  maxDurationMs: 3_000_000,
  inactivityTimeoutMs: 30_000,
  inactivityAction: "prompt",
  recordingEnabled: true,
  connectionType: "carrier_a",
  tools: [{ kind: "built_in", name: "hang_up", fixedArguments: {} }],
};

/** A tool that the virtual model wants: its name, and its arguments as JSON. */
export interface WantedTool {
  name: string;
  argumentsJson?: string;
}

/** What the LLM answers: text, then perhaps tools, or no end; or a failure; or nothing at all, for ever. */
export type Answer =
  | { text: string; tools?: readonly WantedTool[]; hangUp?: boolean; endless?: boolean; afterMs?: number }
  | "fails"
  | "hangs";

/** How the virtual voice speaks: see `WORD_MS` and `VOICE_MS` for the defaults. */
export interface VirtualTts {
  /** Whether it tells when its words sound. */
  wordTimes?: boolean;
  /** How long it takes for a word, whole frames, ms. */
  wordMs?: (word: string) => number;
  /** It delivers so much speech at once, in as much time as it takes at `speed` times its length; undefined: all in no time. */
  chunks?: { ms: number; speed: number };
  /** How long it takes for its first output, ms; Infinity: it never speaks. */
  afterMs?: number;
}

export interface VirtualCallOptions {
  spec?: Partial<CallSpec>;
  greeting?: "none";
  sttHasInterims?: boolean;
  /** By default its turns end without waiting for finals. */
  sttFinalPerUtterance?: boolean;
  /** What an STT without interims answers to a request for one, and after how long; undefined: nothing. */
  interim?: (nowMs: number) => { text: string; afterMs: number } | undefined;
  /** What a prompt may come to, estimated tokens; by default without a limit. */
  promptTokensMax?: number;
  /** By default turns end by fixed pauses. */
  parameters?: Readonly<TurnParameters>;
  /** How the LLM answers the caller's last words, or whatever else it is asked. */
  answer?: (userText: string | undefined, request: LlmCommand) => Answer;
  /** What comes of a tool, and when; undefined for one that never has a result. */
  tool?: (
    used: ToolCommand,
  ) => { result: string; afterMs: number; failed?: boolean; retrieval?: ReplyPassages } | undefined;
  /** What comes of a question to the corpora, and when; undefined: nothing, for ever. */
  retrieve?: (asked: RetrieveCommand) => { passages: readonly Passage[]; afterMs: number } | "fails" | undefined;
  /** Whether the carrier returns marks. */
  marks?: boolean;
  /** In place of a carrier without a network. */
  farEnd?: FarEnd;
  tts?: VirtualTts;
  /** From then on nothing passes the line, in neither direction, ms. */
  connectionDiesMs?: number;
  /** While this is so the carrier sends no frames, as for a caller who is muted. */
  isMuted?: (nowMs: number) => boolean;
}

export type LlmCommand = Extract<CallCommand, { kind: "generate-reply" }>;
export type RetrieveCommand = Extract<CallCommand, { kind: "retrieve" }>;
export type ToolCommand = Extract<CallCommand, { kind: "run-tool" }>;

/** How long the virtual voice takes for a word, and the virtual model and voice for their first output, ms. */
export const WORD_MS = 300;
const MODEL_MS = 40;
const VOICE_MS = 30;
const SAMPLES_PER_MS = CARRIER_RATE_HZ / 1_000;

type Scheduled = { atMs: number; order: number; run: () => void };

/**
 * One call in virtual time: the real machine, with a paced sender, a carrier that plays and returns marks, an LLM, tools and a
 * voice around it, all exact to the millisecond and without a clock.
 */
export class VirtualCall {
  readonly call: Call;
  readonly commands: { atMs: number; command: CallCommand }[] = [];
  readonly turns: TranscriptTurn[] = [];
  endReason: EndReason | undefined;
  endMs = Number.NaN;
  nowMs = 0;
  readonly #options: VirtualCallOptions;
  readonly #farEnd: FarEnd;
  /** What has been sent and not played, for the sender's pace. */
  readonly #playback = new PlaybackClock(CARRIER_RATE_HZ);
  #scheduled: Scheduled[] = [];
  #order = 0;
  #voicedUntilMs = 0;
  #mediaMs = 0;
  /** Frames of the reply in the making. */
  #ring: SpeechFrame[] = [];
  #queued: { turnId: TurnId; segment: number; text: string }[] = [];
  #synthesising = false;
  #liveTurn = 0;
  /** When preemptive generation started; NaN while there is none. */
  #preemptiveStartMs = Number.NaN;
  #pausedTurn: number | undefined;
  #isDetached = false;
  #isHeld = false;
  /** Frames of DTMF tones that are to be sent before anything else, each with its digit. */
  #tones: SpeechFrame[] = [];
  /** The frames that were sent, for those that are sent again. */
  #sentFrames: SpeechFrame[] = [];

  constructor(options: VirtualCallOptions = {}) {
    this.#options = options;
    this.#farEnd = options.farEnd ?? new ImmediateFarEnd(options.marks !== false);
    const { greeting, ...rest } = SPEC;
    this.call = new Call({
      spec: {
        ...rest,
        ...(greeting === undefined || options.greeting === "none" ? {} : { greeting }),
        ...options.spec,
      },
      rateHz: CARRIER_RATE_HZ,
      sttHasInterim: options.sttHasInterims ?? true,
      sttFinalPerUtterance: options.sttFinalPerUtterance,
      promptTokensMax: options.promptTokensMax,
      parameters: options.parameters ?? FIXED_PAUSES,
      sink: (command) => this.#run(command),
    });
  }

  /** Words that were really played to the caller, before any clear. */
  get heardWords(): string[] {
    return this.#farEnd.heard.flatMap(({ words }) => words);
  }

  at(atMs: number, run: () => void): void {
    this.#order += 1;
    this.#scheduled.push({ atMs, order: this.#order, run });
  }

  handle(event: CallEvent): void {
    this.call.handle(event, callMs(this.nowMs));
  }

  /** The caller speaks `text` from `atMs` on, with partials word by word and a final 250 ms after the last. */
  says(atMs: number, text: string, language?: string): void {
    const words = text.split(" ");
    const spoken = language === undefined ? {} : { language };
    let isHeard = true;
    this.at(atMs, () => {
      this.#voicedUntilMs = atMs + words.length * WORD_MS;
      // An STT gets nothing of what is said on hold.
      isHeard = !this.#isHeld;
    });
    const hears = (event: CallEvent): void => {
      if (isHeard) this.handle(event);
    };
    for (const [index] of words.entries()) {
      const partial = words.slice(0, index + 1).join(" ");
      this.at(atMs + (index + 1) * WORD_MS, () => hears({ kind: "stt-interim", text: partial, ...spoken }));
    }
    this.at(atMs + words.length * WORD_MS + 250, () => hears({ kind: "stt-final", text, ...spoken }));
  }

  /** The caller presses keys, `gapMs` one after the other. */
  presses(atMs: number, keys: string, gapMs = 200): void {
    for (const [index, digit] of [...keys].entries()) {
      this.at(atMs + index * gapMs, () => this.handle({ kind: "dtmf", digit }));
    }
  }

  /** The caller makes a noise that is speech to the detector and no word to the STT. */
  coughs(atMs: number, durationMs: number): void {
    this.at(atMs, () => {
      this.#voicedUntilMs = atMs + durationMs;
    });
  }

  /** The leg is lost: nothing passes until `attach`, and what the far end has not played never will be. */
  detach(atMs: number): void {
    this.at(atMs, () => {
      this.#isDetached = true;
      this.#tones = [];
      this.#playback.flush(callMs(this.nowMs));
      this.#farEnd.clear(this.nowMs);
      // A lost peer returns no marks.
      this.#farEnd.run(this.nowMs + 1);
      this.handle({ kind: "leg-detached" });
    });
  }

  /** The caller is back, with another leg. */
  attach(atMs: number): void {
    this.at(atMs, () => {
      this.#isDetached = false;
      this.#mediaMs = 0;
      this.handle({ kind: "leg-started", codec: "mulaw" });
    });
  }

  /** Runs until `untilMs` or the end of the call, from one deadline to the next. */
  run(untilMs: number): void {
    for (
      ;
      this.nowMs <= untilMs && this.call.nextDeadlineMs !== callMs(Number.POSITIVE_INFINITY);
      this.nowMs = this.#nextMs()
    ) {
      this.#runScheduled();
      const fromFarEnd = this.#farEnd.run(this.nowMs);
      if (!this.#isDead) for (const event of fromFarEnd) this.handle(event);
      if (this.nowMs % FRAME_MS === 0) this.#frame();
    }
  }

  get #isDead(): boolean {
    return this.nowMs >= (this.#options.connectionDiesMs ?? Number.POSITIVE_INFINITY);
  }

  #nextMs(): number {
    let nextMs = (Math.floor(this.nowMs / FRAME_MS) + 1) * FRAME_MS;
    for (const { atMs } of this.#scheduled) nextMs = Math.min(nextMs, atMs);
    return Math.max(this.nowMs + 1, Math.min(nextMs, Math.ceil(this.#farEnd.nextMs)));
  }

  ofKind<K extends CallCommand["kind"]>(kind: K): Extract<CallCommand, { kind: K }>[] {
    return this.commands
      .map(({ command }) => command)
      .filter((c): c is Extract<CallCommand, { kind: K }> => c.kind === kind);
  }

  #runScheduled(): void {
    const due = this.#scheduled.filter((entry) => entry.atMs <= this.nowMs);
    if (due.length === 0) return;
    this.#scheduled = this.#scheduled.filter((entry) => entry.atMs > this.nowMs);
    for (const entry of due.sort((a, b) => a.atMs - b.atMs || a.order - b.order)) entry.run();
  }

  #frame(): void {
    this.#mediaMs += FRAME_MS;
    const isSilent = this.#isDead || this.#isDetached || this.#options.isMuted?.(this.nowMs) === true;
    if (!isSilent)
      this.handle({ kind: "frame-in", isSpeech: this.nowMs < this.#voicedUntilMs, mediaMs: mediaMs(this.#mediaMs) });
    if (callMs(this.nowMs) >= this.call.nextDeadlineMs) this.handle({ kind: "tick" });
    while (!this.#isDetached && this.#playback.isFrameDue(callMs(this.nowMs), OUTPUT_LEAD_MS)) {
      const tone = this.#tones.shift();
      if (tone === undefined && !this.#isHeld && this.#ring[0]?.turnId === this.#pausedTurn) break;
      const frame = tone ?? (this.#isHeld ? { turnId: NO_REPLY_TURN_ID, words: ["♪"] } : this.#ring.shift());
      if (frame === undefined) break;
      this.#sentFrames.push(frame);
      this.#playback.sent(CARRIER_FRAME_SAMPLES, callMs(this.nowMs));
      if (!this.#isDead) this.#farEnd.frame(frame, this.nowMs);
      this.handle({ kind: "frame-out", turnId: frame.turnId, samples: CARRIER_FRAME_SAMPLES });
    }
  }

  #run(command: CallCommand): void {
    this.commands.push({ atMs: this.nowMs, command });
    switch (command.kind) {
      case "generate-reply":
        this.#ask(command);
        return;
      case "preemptive-start":
        this.#preemptiveStartMs = this.nowMs;
        return;
      case "preemptive-cancel":
        this.#preemptiveStartMs = Number.NaN;
        return;
      case "speak":
        this.#liveTurn = command.turnId;
        this.#queued.push(command);
        if (!this.#synthesising) this.#synthesise();
        return;
      case "mark":
        this.#farEnd.mark(command.name, this.nowMs);
        return;
      case "cancel-reply":
        this.#cut(command.clear);
        return;
      case "held":
        this.#isHeld = true;
        return;
      case "resumed":
        this.#isHeld = false;
        this.#cut(command.clear !== false);
        return;
      case "send-dtmf":
        if (command.inBand) this.#tones.push(...[...command.digits].flatMap(toneOf));
        return;
      case "turn":
        this.turns.push(command.turn);
        return;
      case "end":
        this.endReason = command.reason;
        this.endMs = this.nowMs;
        return;
      case "pause":
        this.#pausedTurn = command.turnId;
        return;
      case "resume":
        this.#pausedTurn = undefined;
        return;
      case "rewind":
        this.#ring.unshift(...this.#sentFrames.splice(-command.samples / CARRIER_FRAME_SAMPLES));
        return;
      case "run-tool":
        this.#use(command);
        return;
      case "request-interim":
        this.#answerRequest();
        return;
      case "retrieve":
        this.#retrieve(command);
        return;
      case "await-passages":
        this.at(this.nowMs + command.waitMsMax, () => this.handle({ kind: "tick" }));
        return;
      case "state":
      case "transcript":
      case "turn-ended":
      case "ignore":
      case "conversation-trimmed":
      case "language":
      case "transfer":
      case "interim":
      case "utterance":
      case "finalize-stt":
      case "recording-paused":
      case "recording-resumed":
      case "passages-used":
      case "retrieval-ended":
        return;
    }
  }

  #retrieve(asked: RetrieveCommand): void {
    const { retrieval } = asked;
    const outcome = this.#options.retrieve?.(asked);
    if (outcome === undefined) return;
    if (outcome === "fails") {
      this.at(this.nowMs + 1, () => this.handle({ kind: "retrieval-failed", retrieval, code: "unavailable" }));
      return;
    }
    const { passages, afterMs } = outcome;
    this.at(this.nowMs + afterMs, () => this.handle({ kind: "passages", retrieval, tookMs: afterMs, passages }));
  }

  #ask(request: LlmCommand): void {
    const { turnId } = request;
    const askedMs = Number.isNaN(this.#preemptiveStartMs) ? this.nowMs : this.#preemptiveStartMs;
    this.#preemptiveStartMs = Number.NaN;
    const userText = request.messages.findLast((message) => message.role === "user")?.text;
    const answer: Answer = this.#options.answer?.(userText, request) ?? { text: `You said ${userText}.` };
    if (answer === "hangs") return;
    if (answer === "fails") {
      this.at(this.nowMs + MODEL_MS, () => this.handle({ kind: "reply-failed", turnId, code: "provider_failed" }));
      return;
    }
    const { text, tools = [], hangUp = false, endless = false, afterMs = MODEL_MS } = answer;
    const wanted = hangUp ? [...tools, { name: "hang_up" }] : tools;
    this.at(Math.max(this.nowMs, askedMs + afterMs), () => {
      for (const word of text.split(" ").filter(Boolean)) this.handle({ kind: "reply-text", turnId, text: `${word} ` });
      for (const [index, { name, argumentsJson = "{}" }] of wanted.entries()) {
        this.handle({ kind: "reply-tool-call", turnId, id: String(index), name, argumentsJson });
      }
      if (!endless) this.handle({ kind: "reply-end", turnId });
    });
  }

  #answerRequest(): void {
    const answer = this.#options.interim?.(this.nowMs);
    if (answer === undefined) return;
    this.at(this.nowMs + answer.afterMs, () => this.handle({ kind: "stt-interim", text: answer.text }));
  }

  #use(used: ToolCommand): void {
    const outcome = this.#options.tool?.(used);
    if (outcome === undefined) return;
    const { turnId, toolCallId } = used;
    const { afterMs, failed = false, ...event } = outcome;
    this.at(this.nowMs + afterMs, () => this.handle({ kind: "tool-result", turnId, toolCallId, failed, ...event }));
  }

  #synthesise(): void {
    const next = this.#queued.shift();
    this.#synthesising = next !== undefined;
    if (next === undefined) return;
    const { turnId, segment, text } = next;
    const { wordTimes = true, wordMs = () => WORD_MS, chunks, afterMs = VOICE_MS } = this.#options.tts ?? {};
    if (afterMs === Number.POSITIVE_INFINITY) return;
    let endMs = 0;
    const words = text.split(" ").map((word): TimedWord => {
      const startMs = endMs;
      endMs += wordMs(word);
      return { text: word, startMs, endMs };
    });
    const chunkMs = chunks?.ms ?? endMs;
    for (let fromMs = 0; fromMs < endMs; fromMs += chunkMs) {
      const toMs = Math.min(endMs, fromMs + chunkMs);
      const dueMs = this.nowMs + afterMs + (chunks === undefined ? 0 : Math.round(fromMs / chunks.speed));
      this.at(dueMs, () => {
        if (this.#liveTurn !== turnId) return;
        const chunkWords = wordTimes ? words.filter(({ startMs }) => startMs >= fromMs && startMs < toMs) : [];
        this.handle({
          kind: "segment-audio",
          turnId,
          segment,
          samples: (toMs - fromMs) * SAMPLES_PER_MS,
          words: chunkWords,
        });
        for (let atMs = fromMs + FRAME_MS; atMs <= toMs; atMs += FRAME_MS) {
          this.#ring.push({ turnId, words: words.filter((word) => word.endMs === atMs).map((word) => word.text) });
        }
        if (toMs < endMs) return;
        this.handle({ kind: "segment-end", turnId, segment, samples: endMs * SAMPLES_PER_MS });
        this.#synthesise();
      });
    }
  }

  #cut(clear: boolean): void {
    this.#ring = [];
    this.#queued = [];
    this.#synthesising = false;
    this.#liveTurn = 0;
    this.#pausedTurn = undefined;
    if (!clear) return;
    this.#playback.flush(callMs(this.nowMs));
    this.#farEnd.clear(this.nowMs);
  }
}

/** The frames of one digit, which counts as heard with its last one. */
const toneOf = (digit: string): SpeechFrame[] =>
  Array.from({ length: DTMF_FRAMES_PER_DIGIT }, (_, at) => ({
    turnId: NO_REPLY_TURN_ID,
    words: at === DTMF_FRAMES_PER_DIGIT - 1 ? [digit] : [],
  }));
