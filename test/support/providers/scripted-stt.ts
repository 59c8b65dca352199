import type { Clock } from "../../../src/core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../../../src/core/clocks.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import { NO_SPEECH, type SpeechEdge } from "../../../src/media/voice-activity/speech-activity.ts";
import type { CallSttStream, Stt, SttEvent, SttStreamOptions } from "../../../src/speech/contracts.ts";
import { aborted, sleep } from "../manual-clock.ts";

/** One event at a time after `open`. `fail` ends the stream. */
export interface SttStep {
  atMs: number;
  event: SttEvent | { kind: "fail" };
}

/** An edge of speech, and the index of the frame with which it came. */
type Edge = readonly [edge: SpeechEdge, frame: number];

interface WrittenAudio {
  samples: number;
  frames: number;
  voicedFrames: number;
  edges: readonly Edge[];
}

/** An Stt that emits `script` at the given times after each `open`, whatever the audio. It counts its input. */
export class ScriptedStt implements Stt {
  readonly provider = "scripted";
  readonly capabilities: Stt["capabilities"];
  /** One entry per `open`: the options, and what was written before the abort. */
  readonly opened: (Omit<SttStreamOptions, "onOpened"> & WrittenAudio)[] = [];
  /** One entry per `open`: aborted when its stream has ended. */
  readonly signals: AbortSignal[] = [];
  /** The languages given to `setLanguage` of open streams. */
  readonly turned: string[] = [];
  readonly #clock: Clock;
  readonly #script: readonly SttStep[];

  constructor(clock: Clock, script: readonly SttStep[], capabilities: Partial<Stt["capabilities"]> = {}) {
    this.#clock = clock;
    this.#script = script;
    this.capabilities = { ratesHz: [8_000, 16_000], interimTranscripts: true, anyLanguage: true, ...capabilities };
  }

  open({ language, languagePinned = false, rateHz }: SttStreamOptions, signal: AbortSignal): CallSttStream {
    const record = { language, languagePinned, rateHz, samples: 0, frames: 0, voicedFrames: 0, edges: [] as Edge[] };
    this.opened.push(record);
    this.signals.push(signal);
    return {
      write: (frame, { isSpeech, edge } = NO_SPEECH) => {
        if (signal.aborted) return;
        if (edge !== "same") record.edges.push([edge, record.frames]);
        record.frames += 1;
        record.samples += frame.length;
        record.voicedFrames += Number(isSpeech);
      },
      setLanguage: (newLanguage) => {
        if (!signal.aborted) this.turned.push(newLanguage);
      },
      events: this.#play(this.#clock.nowMs(), signal),
    };
  }

  async *#play(startMs: MonotonicMs, signal: AbortSignal): AsyncGenerator<SttEvent> {
    for (const { atMs, event } of this.#script) {
      await sleep(this.#clock, elapsedMs(this.#clock.nowMs(), addMs(startMs, atMs)), signal);
      if (signal.aborted) return;
      if (event.kind === "fail") throw providerFailed(this.provider, "failed as scripted");
      yield event;
    }
    await aborted(signal);
  }
}
