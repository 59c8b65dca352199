import { strict as assert } from "node:assert";
import { CARRIER_FRAME_SAMPLES, FRAME_MS } from "../../core/limits/streams/media.ts";
import type { BusRateHz, SpeechOnset, VoiceActivityDetection, VoiceActivityDetector } from "./detector.ts";
import type { FvadFactory } from "./fvad.ts";
import { HalfBandDecimator } from "./half-band.ts";
import {
  SILERO_CHUNK_SAMPLES,
  SILERO_RATE_HZ,
  SILERO_VERSION,
  type Silero,
  type SileroStream,
} from "./silero/silero.ts";

const GATE_MODE = 2;
/** The gate stays open for this long after the last frame in which it detects something. */
const GATE_HANGOVER_FRAMES = 300 / FRAME_MS;
/** When the gate opens, the network gets this much of what precedes the end of the frame: 96 ms. */
const PREROLL_SAMPLES = 3 * SILERO_CHUNK_SAMPLES;
/** Speech begins at the upper probability, and ends below the lower one. */
const SPEECH_PROBABILITY_MIN = 0.4;
const SPEECH_END_PROBABILITY = 0.25;

const ONSET: SpeechOnset = { onsetSpeechFrames: 2, onsetWindowFrames: 3, settleMs: 0 };

/** What the detectors of a process share. */
interface Shared {
  isFallback: boolean;
  readonly counts: { gateFrames: number; networkFrames: number; fallbackFrames: number };
  /** Holds a chunk while the network reads it. */
  readonly chunk: Int16Array;
}

/**
 * Voice activity detection in two stages. The WebRTC VAD in mode 2 is the gate: it misses little, costs little and
 * takes much for speech that is none. While it is open, Silero decides. The fallback is the gate's own decision, whose
 * state is always up to date.
 */
export function twoStageDetection(openFvad: FvadFactory, silero: Silero): VoiceActivityDetection {
  const shared: Shared = {
    isFallback: false,
    counts: { gateFrames: 0, networkFrames: 0, fallbackFrames: 0 },
    chunk: new Int16Array(SILERO_CHUNK_SAMPLES),
  };
  const fallbackVersion = `fvad${GATE_MODE}`;
  return {
    version: `${SILERO_VERSION}+${fallbackVersion}`,
    onset: ONSET,
    fallbackVersion,
    counts: shared.counts,
    open: (rateHz) => {
      const gate = openFvad(SILERO_RATE_HZ, GATE_MODE);
      try {
        return new TwoStageDetector(gate, silero.open(), shared, rateHz);
      } catch (error) {
        gate.destroy();
        throw error;
      }
    },
    setFallback: (isOn) => {
      shared.isFallback = isOn;
    },
  };
}

/**
 * The detector of one stream. A frame runs the network at most three times, and only where the gate opens; otherwise
 * five times in eight frames while it is open.
 */
class TwoStageDetector implements VoiceActivityDetector {
  readonly #gate: VoiceActivityDetector;
  readonly #network: SileroStream;
  readonly #shared: Shared;
  readonly #decimator: HalfBandDecimator | undefined;
  readonly #frameSamples: number;
  /** The last samples at 8 kHz, the newest at the end. */
  readonly #recent = new Int16Array(PREROLL_SAMPLES);
  /** How many of the recent samples the network has not seen. */
  #unseenSamples = 0;
  /** Frames since the gate last detected something. */
  #gateSilentFrames = GATE_HANGOVER_FRAMES + 1;
  #isVoiced = false;
  #isDestroyed = false;

  constructor(gate: VoiceActivityDetector, network: SileroStream, shared: Shared, rateHz: BusRateHz) {
    this.#gate = gate;
    this.#network = network;
    this.#shared = shared;
    this.#decimator = rateHz === 16_000 ? new HalfBandDecimator() : undefined;
    this.#frameSamples = (rateHz / 1_000) * FRAME_MS;
  }

  isSpeech(frame: Int16Array): boolean {
    if (this.#isDestroyed) assert.fail("destroyed");
    if (frame.length !== this.#frameSamples) assert.fail("one frame at the detector's own rate");
    const samples = this.#decimator === undefined ? frame : this.#decimator.process(frame);
    const isGated = this.#gate.isSpeech(samples);
    this.#remember(samples);
    this.#gateSilentFrames = isGated ? 0 : Math.min(this.#gateSilentFrames, GATE_HANGOVER_FRAMES) + 1;
    const { isFallback, counts } = this.#shared;
    if (isFallback) {
      counts.fallbackFrames += 1;
      // Without a pre-roll for all calls at once when the fallback ends.
      this.#unseenSamples = 0;
      this.#isVoiced = false;
      return isGated;
    }
    if (this.#gateSilentFrames > GATE_HANGOVER_FRAMES) {
      counts.gateFrames += 1;
      this.#isVoiced = false;
      return false;
    }
    counts.networkFrames += 1;
    while (this.#unseenSamples >= SILERO_CHUNK_SAMPLES) this.#runNetwork();
    return this.#isVoiced;
  }

  destroy(): void {
    assert.ok(!this.#isDestroyed, "destroyed twice");
    this.#isDestroyed = true;
    this.#gate.destroy();
    this.#network.destroy();
  }

  #remember(samples: Int16Array): void {
    this.#recent.copyWithin(0, CARRIER_FRAME_SAMPLES);
    this.#recent.set(samples, PREROLL_SAMPLES - CARRIER_FRAME_SAMPLES);
    this.#unseenSamples = Math.min(PREROLL_SAMPLES, this.#unseenSamples + CARRIER_FRAME_SAMPLES);
  }

  /** Gives the network its oldest unseen chunk. */
  #runNetwork(): void {
    const { chunk } = this.#shared;
    const start = PREROLL_SAMPLES - this.#unseenSamples;
    for (let i = 0; i < SILERO_CHUNK_SAMPLES; i += 1) chunk[i] = this.#recent[start + i] as number;
    this.#unseenSamples -= SILERO_CHUNK_SAMPLES;
    const probability = this.#network.probability(chunk);
    this.#isVoiced = probability >= (this.#isVoiced ? SPEECH_END_PROBABILITY : SPEECH_PROBABILITY_MIN);
  }
}
