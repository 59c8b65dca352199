import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import wavefile from "wavefile";
import { systemClock } from "../../src/core/clock.ts";
import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import type { AudioFormat } from "../../src/simulator/audio/format.ts";
import type { CallerEvent, Step } from "../../src/simulator/callers/caller.ts";
import { openCallerStt } from "../../src/simulator/callers/stt.ts";
import { concatenated, synthesise, type Utterance } from "../../src/simulator/callers/utterance.ts";
import { formatsOf, type SimulatedLine } from "../../src/simulator/lines.ts";
import type { ServiceMessage } from "../../src/simulator/peers/websocket-client.ts";
import { type PlacedCall, placeCall } from "../../src/simulator/place-call.ts";
import type { ClosableTts, Stt } from "../../src/speech/contracts.ts";
import { createReferenceStt } from "../../src/speech/reference/stt.ts";
import { createReferenceTts } from "../../src/speech/reference/tts.ts";
import { WATERMARK_DECODER_RATES_HZ, WatermarkDecoder } from "../../src/speech/reference/watermark/decoder.ts";

/** A caller who hangs on for longer than this has been forgotten. */
const HANG_UP_AFTER_MS = 25_000;
/** Longer than the pause between two words, shorter than any between two turns. */
const QUIET_MS = 250;

let voice: ClosableTts | undefined;
afterAll(() => voice?.close());

/** What a simulated caller says, spoken by the reference voice, in the format of the caller's line. */
export async function utterance(text: string, format?: AudioFormat): Promise<Utterance> {
  voice ??= createReferenceTts({ children: 1, clock: systemClock });
  const request = { text, voiceId: "reference/gmw/en-US", language: "en-US" };
  return await synthesise(voice, request, new AbortController().signal, format);
}

/** Listens, says each line when the agent has fallen silent, and waits for the agent to hang up. */
export const conversation = (lines: readonly Utterance[]): Step[] => [
  ...lines.flatMap((line): Step[] => [{ do: "listen" }, { do: "say", utterance: line }]),
  { do: "await-hang-up" },
];

interface TestCall extends PlacedCall {
  /** Everything that was played to the caller, as signed 16-bit samples at the rate of the line. */
  played: Int16Array;
  /** Everything that the service said in text, where it says such. */
  serviceMessages: ServiceMessage[];
}

/**
 * Plays a simulated carrier, by default carrier_a, with a caller who has the reference STT, into a stream,
 * until one side hangs up.
 */
export async function telephone(
  url: string,
  script: readonly Step[],
  {
    notice: onEvent = () => {},
    line = { wire: "carrier_a" },
    hangUpAfterMs = HANG_UP_AFTER_MS,
  }: { notice?: (notice: CallerEvent) => void; line?: SimulatedLine; hangUpAfterMs?: number } = {},
): Promise<TestCall> {
  const played: Int16Array[] = [];
  const serviceMessages: ServiceMessage[] = [];
  const referenceStt = createReferenceStt();
  const makeResampler = await loadResampler();
  // It is opened at the rate of the line, where a gap is nothing but silence; a resampler would blur its edges.
  const stt: Stt = {
    ...referenceStt,
    capabilities: { ...referenceStt.capabilities, ratesHz: [formatsOf(line).outbound.rateHz] },
    open(options, signal) {
      const stream = openCallerStt(referenceStt, options, makeResampler, signal);
      const gapless = new GapCloser((samples) => stream.write(samples), options.rateHz);
      const write = (frame: Int16Array): void => {
        played.push(frame.slice());
        gapless.write(frame);
      };
      return { write, events: stream.events };
    },
  };
  const placed = await placeCall(
    {
      url,
      line,
      id: randomBytes(16).toString("hex"),
      script,
      hangUpAfterMs,
      stt,
      language: "en-US",
      clock: systemClock,
      onEvent,
      onServiceMessage: (message) => serviceMessages.push(message),
    },
    new AbortController().signal,
  );
  return { ...placed, played: concatenated(played), serviceMessages };
}

interface StereoRecording {
  /** The caller. */
  left: Int16Array;
  /** The agent. */
  right: Int16Array;
  rateHz: number;
  durationMs: number;
}

export function readRecording(bytes: Uint8Array): StereoRecording {
  const wav = new wavefile.WaveFile(bytes);
  const format = wav.fmt as { numChannels: number; sampleRate: number; bitsPerSample: number };
  const { numChannels, sampleRate, bitsPerSample } = format;
  if (numChannels !== 2 || bitsPerSample !== 16) {
    throw new Error(`${numChannels} channels of ${bitsPerSample} bits at ${sampleRate} Hz`);
  }
  const [left, right] = wav.getSamples(false, Int16Array) as unknown as [Int16Array, Int16Array];
  return { left, right, rateHz: sampleRate, durationMs: (left.length * 1_000) / sampleRate };
}

/** The words that the reference voice has put into audio of 8 or 16 kHz. */
export function wordsIn(samples: Int16Array, rateHz: number = CARRIER_RATE_HZ): string[] {
  const words: string[] = [];
  const decoderHz = WATERMARK_DECODER_RATES_HZ.find((known) => known === rateHz);
  if (decoderHz === undefined) throw new Error(`words are not read at ${rateHz} Hz`);
  const decoder = new WatermarkDecoder(decoderHz, QUIET_MS, { onWord: (word) => words.push(word), onQuiet() {} });
  const gapless = new GapCloser((chunk) => decoder.write(chunk), rateHz);
  gapless.write(samples);
  gapless.write(new Int16Array(rateHz));
  return words;
}

/** Silence no longer than this is taken for a gap; it is shorter than any pause that means something. */
const GAP_MS_MAX = 200;
/** A-law has no zero: its silence is 8. */
const SILENCE_MAX = 8;
/** Anything shorter may stand in speech by itself. */
const GAP_MS_MIN = 2;

/**
 * Takes the gaps out of speech that came late. A machine that has other things to do for longer than the service sends ahead
 * tears a word apart; the tests compare which words come through, not how punctually.
 */
class GapCloser {
  readonly #sink: (samples: Int16Array) => void;
  readonly #samplesMax: number;
  readonly #samplesMin: number;
  /** Silent samples at the end of what came; up to `#samplesMax` of them are held back. */
  #silent = 0;

  constructor(sink: (samples: Int16Array) => void, rateHz: number) {
    this.#sink = sink;
    this.#samplesMax = (GAP_MS_MAX * rateHz) / 1_000;
    this.#samplesMin = (GAP_MS_MIN * rateHz) / 1_000;
  }

  write(samples: Int16Array): void {
    const out: number[] = [];
    const pushSilence = (count: number): void => {
      for (let n = 0; n < count; n += 1) out.push(0);
    };
    for (const sample of samples) {
      if (sample >= -SILENCE_MAX && sample <= SILENCE_MAX) {
        this.#silent += 1;
        if (this.#silent > this.#samplesMax) pushSilence(this.#silent === this.#samplesMax + 1 ? this.#silent : 1);
      } else {
        if (this.#silent < this.#samplesMin) pushSilence(this.#silent);
        this.#silent = 0;
        out.push(sample);
      }
    }
    this.#sink(Int16Array.from(out));
  }
}
