import { Call } from "../../src/call/call.ts";
import type { CallCommand, CallEvent } from "../../src/call/events.ts";
import type { CallSpec, EndReason, TranscriptTurn } from "../../src/core/call-spec.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS, OUTPUT_LEAD_MS } from "../../src/core/limits.ts";
import { PlaybackClock } from "../../src/media/playback-clock.ts";
import type { SpokenWord } from "../../src/speech/speech.ts";

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

/** What the model answers: text, then perhaps a tool, or no end; or a failure; or nothing at all, for ever. */
export type Answer = { text: string; hangUp?: boolean; endless?: boolean } | "fails" | "hangs";

export interface VirtualCallOptions {
  spec?: Partial<CallSpec>;
  greeting?: "none";
  earHasPartials?: boolean;
  /** How the model answers the caller's last words. */
  answer?: (userText: string | undefined) => Answer;
  /** Whether the carrier returns marks. */
  marks?: boolean;
}

/** How long the virtual voice takes for a word, and the virtual model and voice for their first output, ms. */
export const WORD_MS = 300;
const MODEL_MS = 40;
const VOICE_MS = 30;

type Scheduled = { atMs: number; order: number; run: () => void };

/**
 * One call in virtual time: the real machine, with a paced sender, a carrier that plays and returns marks, a model and a voice
 * around it, all exact to the millisecond and without a clock.
 */
export class VirtualCall {
  readonly call: Call;
  readonly commands: { atMs: number; command: CallCommand }[] = [];
  readonly turns: TranscriptTurn[] = [];
  endReason: EndReason | undefined;
  endMs = Number.NaN;
  nowMs = 0;
  /** Words the caller's ear really got: played before any clear. */
  readonly heardWords: string[] = [];
  readonly #options: VirtualCallOptions;
  readonly #playback = new PlaybackClock(CARRIER_RATE_HZ);
  #scheduled: Scheduled[] = [];
  #order = 0;
  #voicedUntilMs = 0;
  #mediaMs = 0;
  /** Frames of the reply in the making, with the words that end in each. */
  #ring: { turnId: number; words: string[] }[] = [];
  #queued: { turnId: number; piece: number; text: string }[] = [];
  #synthesising = false;
  /** Played at `atMs`, unless a clear comes before. */
  #playing: { atMs: number; words: string[]; mark?: string }[] = [];
  #liveTurn = 0;
  #pausedTurn: number | undefined;

  constructor(options: VirtualCallOptions = {}) {
    this.#options = options;
    const { greeting, ...rest } = SPEC;
    this.call = new Call({
      spec: {
        ...rest,
        ...(greeting === undefined || options.greeting === "none" ? {} : { greeting }),
        ...options.spec,
      },
      rateHz: CARRIER_RATE_HZ,
      earHasPartials: options.earHasPartials ?? true,
      sink: (command) => this.#run(command),
    });
  }

  at(atMs: number, run: () => void): void {
    this.#order += 1;
    this.#scheduled.push({ atMs, order: this.#order, run });
  }

  handle(event: CallEvent): void {
    this.call.handle(event, this.nowMs);
  }

  /** The caller speaks `text` from `atMs` on, with partials word by word and a final 250 ms after the last. */
  says(atMs: number, text: string): void {
    const words = text.split(" ");
    this.at(atMs, () => {
      this.#voicedUntilMs = atMs + words.length * WORD_MS;
    });
    for (const [index] of words.entries()) {
      const partial = words.slice(0, index + 1).join(" ");
      this.at(atMs + (index + 1) * WORD_MS, () => this.handle({ kind: "ear-partial", text: partial }));
    }
    this.at(atMs + words.length * WORD_MS + 250, () => this.handle({ kind: "ear-final", text }));
  }

  /** The caller makes a noise that is voice to the detector and no word to the ear. */
  coughs(atMs: number, durationMs: number): void {
    this.at(atMs, () => {
      this.#voicedUntilMs = atMs + durationMs;
    });
  }

  /** Runs until `untilMs` or the end of the call, from one moment at which something is due to the next. */
  run(untilMs: number): void {
    for (
      ;
      this.nowMs <= untilMs && this.call.nextDeadlineMs !== Number.POSITIVE_INFINITY;
      this.nowMs = this.#nextMs()
    ) {
      this.#runScheduled();
      this.#runPlayed();
      if (this.nowMs % FRAME_MS === 0) this.#frame();
    }
  }

  #nextMs(): number {
    let nextMs = (Math.floor(this.nowMs / FRAME_MS) + 1) * FRAME_MS;
    for (const { atMs } of this.#scheduled) nextMs = Math.min(nextMs, atMs);
    return Math.max(this.nowMs + 1, Math.min(nextMs, Math.ceil(this.#playing[0]?.atMs ?? nextMs)));
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

  #runPlayed(): void {
    while (this.#playing[0] !== undefined && this.#playing[0].atMs <= this.nowMs) {
      const played = this.#playing.shift();
      this.heardWords.push(...(played?.words ?? []));
      if (played?.mark !== undefined) this.#returnMark(played.mark);
    }
  }

  #returnMark(name: string): void {
    if (this.#options.marks !== false) this.handle({ kind: "mark", name });
  }

  #frame(): void {
    this.#mediaMs += FRAME_MS;
    this.handle({ kind: "frame-in", voiced: this.nowMs < this.#voicedUntilMs, mediaMs: this.#mediaMs });
    if (this.nowMs >= this.call.nextDeadlineMs) this.handle({ kind: "tick" });
    while (this.#playback.unplayedMs(this.nowMs) < OUTPUT_LEAD_MS - FRAME_MS / 2) {
      if (this.#ring[0]?.turnId === this.#pausedTurn) break;
      const frame = this.#ring.shift();
      if (frame === undefined) break;
      const playsMs = this.#playback.sent(CARRIER_FRAME_SAMPLES, this.nowMs);
      this.#playing.push({ atMs: playsMs + FRAME_MS, words: frame.words });
      this.handle({ kind: "frame-out", turnId: frame.turnId, samples: CARRIER_FRAME_SAMPLES });
    }
  }

  #run(command: CallCommand): void {
    this.commands.push({ atMs: this.nowMs, command });
    switch (command.kind) {
      case "ask":
        this.#ask(command.turnId, command.messages.findLast((message) => message.role === "user")?.text);
        return;
      case "speak":
        this.#liveTurn = command.turnId;
        this.#queued.push(command);
        if (!this.#synthesising) this.#synthesise();
        return;
      case "mark":
        this.#playing.push({ atMs: this.nowMs + this.#playback.unplayedMs(this.nowMs), words: [], mark: command.name });
        return;
      case "cut":
        this.#cut(command.clear);
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
      case "state":
      case "pass-over":
      case "tool":
      case "send-dtmf":
      case "language":
      case "transfer":
        return;
    }
  }

  #ask(turnId: number, userText: string | undefined): void {
    const answer: Answer = this.#options.answer?.(userText) ?? { text: `You said ${userText}.` };
    if (answer === "hangs") return;
    this.at(this.nowMs + MODEL_MS, () => {
      if (answer === "fails") {
        this.handle({ kind: "reply-failed", turnId, code: "provider_failed" });
        return;
      }
      for (const word of answer.text.split(" ")) this.handle({ kind: "reply-text", turnId, text: `${word} ` });
      if (answer.hangUp === true) {
        this.handle({ kind: "reply-tool", turnId, id: "1", name: "hang_up", argumentsJson: "{}" });
      }
      if (answer.endless !== true) this.handle({ kind: "reply-end", turnId });
    });
  }

  #synthesise(): void {
    const next = this.#queued.shift();
    this.#synthesising = next !== undefined;
    if (next === undefined) return;
    const { turnId, piece, text } = next;
    this.at(this.nowMs + VOICE_MS, () => {
      if (this.#liveTurn !== turnId) return;
      const texts = text.split(" ");
      const words: SpokenWord[] = texts.map((word, index) => ({
        text: word,
        startMs: index * WORD_MS,
        endMs: (index + 1) * WORD_MS,
      }));
      const frames = (texts.length * WORD_MS) / FRAME_MS;
      this.handle({ kind: "piece-audio", turnId, piece, samples: 0, words });
      for (let frame = 0; frame < frames; frame += 1) {
        const endMs = (frame + 1) * FRAME_MS;
        this.#ring.push({ turnId, words: endMs % WORD_MS === 0 ? [texts[endMs / WORD_MS - 1] ?? ""] : [] });
      }
      this.handle({ kind: "piece-end", turnId, piece, samples: frames * CARRIER_FRAME_SAMPLES });
      this.#synthesise();
    });
  }

  #cut(clear: boolean): void {
    this.#ring = [];
    this.#queued = [];
    this.#synthesising = false;
    this.#liveTurn = 0;
    if (!clear) return;
    this.#playback.flush(this.nowMs);
    const flushed = this.#playing;
    this.#playing = [];
    // After a clear the carrier returns every mark that was out, played or not.
    for (const { mark } of flushed) if (mark !== undefined) this.at(this.nowMs + 1, () => this.#returnMark(mark));
  }
}
