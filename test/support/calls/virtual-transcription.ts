import type { CallMachine } from "../../../src/call/call.ts";
import type { CallCommand } from "../../../src/call/events.ts";
import { createCallMachine } from "../../../src/call/machine.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { JournalRecord, OccasionalEvent } from "../../../src/record/journal/records.ts";
import { journaledCommand } from "../../../src/record/journal/redact.ts";
import { SPEC, WORD_MS } from "./virtual-call.ts";

export const TRANSCRIPTION_SPEC: CallSpec = {
  ...SPEC,
  mode: "transcription",
  connectionType: "websocket",
  websocket: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 },
  languagePinned: true,
  tools: [],
};

export interface VirtualTranscriptionOptions {
  spec?: Partial<CallSpec>;
  sttFinalPerUtterance?: boolean;
}

/** One live transcription in virtual time: its machine, and a client that sends a frame every 20 ms. */
export class VirtualTranscription {
  readonly machine: CallMachine;
  readonly commands: { atMs: number; command: CallCommand }[] = [];
  /** What its journal has after the header. */
  readonly records: Exclude<JournalRecord, { kind: "header" }>[] = [];
  nowMs = 0;
  readonly #scheduled: { atMs: number; run: () => void }[] = [];
  #voicedUntilMs = 0;
  #mediaMs = -FRAME_MS;
  #isSending = false;

  constructor({ spec, sttFinalPerUtterance }: VirtualTranscriptionOptions = {}) {
    this.machine = createCallMachine({
      spec: { ...TRANSCRIPTION_SPEC, ...spec },
      rateHz: CARRIER_RATE_HZ,
      sttHasInterim: true,
      sttFinalPerUtterance,
      sink: (command) => {
        this.commands.push({ atMs: this.nowMs, command });
        this.records.push({ kind: "command", timeMs: callMs(this.nowMs), command: journaledCommand(command, true) });
      },
    });
    this.at(0, { kind: "leg-started", codec: "pcm_s16le" });
  }

  /** The client connects, or comes back, or loses its connection. */
  at(atMs: number, ...events: OccasionalEvent[]): void {
    this.#scheduled.push({
      atMs,
      run: () => {
        for (const event of events) {
          if (event.kind === "leg-started") this.#mediaMs = -FRAME_MS;
          if (event.kind === "leg-started" || event.kind === "leg-detached")
            this.#isSending = event.kind === "leg-started";
          this.#handle(event);
        }
      },
    });
  }

  /** Someone makes a sound, with no transcript. */
  sounds(fromMs: number, durationMs: number): void {
    this.#scheduled.push({
      atMs: fromMs,
      run: () => {
        this.#voicedUntilMs = fromMs + durationMs;
      },
    });
  }

  /** Someone says `text` from `fromMs` on: an interim for each word, and a final `finalMs` after the last, if there is one. */
  says(fromMs: number, text: string, finalMs = 250): void {
    const words = text.split(" ");
    const endMs = fromMs + words.length * WORD_MS;
    this.sounds(fromMs, endMs - fromMs);
    for (const index of words.keys()) {
      const interim = words.slice(0, index + 1).join(" ");
      this.at(fromMs + (index + 1) * WORD_MS, { kind: "stt-interim", text: interim });
    }
    if (Number.isFinite(finalMs)) this.at(endMs + finalMs, { kind: "stt-final", text });
  }

  run(untilMs: number): void {
    for (; this.nowMs <= untilMs; this.nowMs += FRAME_MS) {
      const due = this.#scheduled.filter(({ atMs }) => atMs <= this.nowMs && atMs > this.nowMs - FRAME_MS);
      for (const { run } of due) run();
      if (this.#isSending) {
        this.#mediaMs += FRAME_MS;
        const isSpeech = this.nowMs < this.#voicedUntilMs;
        const frame = { kind: "frame-in", isSpeech, mediaMs: mediaMs(this.#mediaMs) } as const;
        const timeMs = callMs(this.nowMs);
        this.records.push({ ...frame, timeMs, audio: new Uint8Array(), audioOmitted: false });
        this.machine.handle(frame, timeMs);
      }
      if (this.machine.isDue(callMs(this.nowMs))) this.#handle({ kind: "tick" });
    }
  }

  #handle(event: OccasionalEvent): void {
    this.records.push({ kind: "event", timeMs: callMs(this.nowMs), event });
    this.machine.handle(event, callMs(this.nowMs));
  }

  ofKind<K extends CallCommand["kind"]>(kind: K): Extract<CallCommand, { kind: K }>[] {
    return this.commands.flatMap(({ command }) =>
      command.kind === kind ? [command as Extract<CallCommand, { kind: K }>] : [],
    );
  }

  /** The texts that became final, in order. */
  get texts(): string[] {
    return this.ofKind("utterance").map(({ text }) => text);
  }

  /** When each command of this kind came. */
  timesOf(kind: CallCommand["kind"]): number[] {
    return this.commands.flatMap(({ atMs, command }) => (command.kind === kind ? [atMs] : []));
  }
}
