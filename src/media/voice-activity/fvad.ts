import { strict as assert } from "node:assert";
import loadModule, { type Fvad } from "@echogarden/fvad-wasm";
import { unavailable } from "../../core/errors.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { BusRateHz, SpeechOnset, VoiceActivityDetection, VoiceActivityDetector } from "./detector.ts";

/** The modes of libfvad that are used, by how readily it decides for speech: 3 is the least ready. */
export type FvadMode = 2 | 3;

/**
 * Opens a WebRTC VAD for one stream. Throws `unavailable` when there is no memory for one.
 * https://github.com/dpirch/libfvad
 */
export type FvadFactory = (rateHz: BusRateHz, mode: FvadMode) => VoiceActivityDetector;

const MODE: FvadMode = 3;
/** Measured for mode 3 over G.711; its noise model settles within the first 300 ms. */
const ONSET: SpeechOnset = { onsetSpeechFrames: 3, onsetWindowFrames: 5, settleMs: 300 };
const FRAME_SAMPLES_MAX = (16_000 / 1_000) * FRAME_MS;

/** Loads the WebRTC VAD, once per process; the factory opens one for each stream. */
export async function loadFvad(): Promise<FvadFactory> {
  return fvadFactory(await loadModule());
}

/** The factory over a loaded module, which all its detectors share. */
export function fvadFactory(fvad: Fvad): FvadFactory {
  // Shared by all: it holds a frame only while `isSpeech` runs.
  const framePointer = fvad._malloc(FRAME_SAMPLES_MAX * Int16Array.BYTES_PER_ELEMENT);
  assert.ok(framePointer > 0);
  return (rateHz, mode) => new FvadDetector(fvad, framePointer, rateHz, mode);
}

/** Loads voice activity detection by the WebRTC VAD alone, once per process. */
export const loadFvadDetection = async (): Promise<VoiceActivityDetection> => fvadDetection(await loadFvad());

/** Voice activity detection by the WebRTC VAD alone, in its least ready mode. */
export function fvadDetection(openFvad: FvadFactory): VoiceActivityDetection {
  return {
    version: `fvad${MODE}`,
    onset: ONSET,
    fallbackVersion: undefined,
    counts: { gateFrames: 0, networkFrames: 0, fallbackFrames: 0 },
    open: (rateHz) => openFvad(rateHz, MODE),
    setFallback: () => {},
  };
}

class FvadDetector implements VoiceActivityDetector {
  readonly #fvad: Fvad;
  readonly #framePointer: number;
  readonly #frameSamples: number;
  /** 0 once destroyed. */
  #state: number;

  constructor(fvad: Fvad, framePointer: number, rateHz: BusRateHz, mode: FvadMode) {
    this.#fvad = fvad;
    this.#framePointer = framePointer;
    this.#frameSamples = (rateHz / 1_000) * FRAME_MS;
    this.#state = fvad._fvad_new();
    if (this.#state === 0) throw unavailable("no memory for another voice activity detector");
    assert.equal(fvad._fvad_set_mode(this.#state, mode), 0);
    assert.equal(fvad._fvad_set_sample_rate(this.#state, rateHz), 0);
  }

  isSpeech(frame: Int16Array): boolean {
    // Called only on failure: on Node 26 each call of `assert.equal` allocates 56 bytes for its message.
    if (this.#state === 0) assert.fail("destroyed");
    if (frame.length !== this.#frameSamples) assert.fail("one frame at the detector's own rate");
    this.#fvad.HEAP16.set(frame, this.#framePointer / Int16Array.BYTES_PER_ELEMENT);
    return this.#fvad._fvad_process(this.#state, this.#framePointer, this.#frameSamples) === 1;
  }

  destroy(): void {
    assert.notEqual(this.#state, 0, "destroyed twice");
    this.#fvad._fvad_free(this.#state);
    this.#state = 0;
  }
}
