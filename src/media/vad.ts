import { strict as assert } from "node:assert";
import loadFvad, { type Fvad } from "@echogarden/fvad-wasm";
import { unavailable } from "../core/errors.ts";
import { FRAME_MS } from "../core/limits/media.ts";

/** Detects voice activity, 20 ms at a time. One per stream: the result depends on earlier frames. */
export interface Vad {
  /** Takes one frame of FRAME_MS at the rate it was made for; does not retain it. Allocates nothing. */
  isSpeech(frame: Int16Array): boolean;
  /** Frees its memory; it must not be used afterwards. */
  destroy(): void;
}

/** The rates of the bus, Hz. */
export type VadRate = 8_000 | 16_000;
/** Throws `unavailable` when there is no memory for one. */
export type VadFactory = (rateHz: VadRate) => Vad;

/** "Very aggressive", the fewest false starts: libfvad, `fvad_set_mode`. */
const MODE = 3;
const FRAME_SAMPLES_MAX = (16_000 / 1_000) * FRAME_MS;

/** Loads the WebRTC VAD, once per process; the factory makes one for each stream. */
export async function loadVad(): Promise<VadFactory> {
  return vadFactory(await loadFvad());
}

/** The factory over a loaded module, which all its detectors share. */
export function vadFactory(fvad: Fvad): VadFactory {
  // Shared by all: it holds a frame only while `isSpeech` runs.
  const framePointer = fvad._malloc(FRAME_SAMPLES_MAX * Int16Array.BYTES_PER_ELEMENT);
  assert.ok(framePointer > 0);
  return (rateHz) => new FvadVad(fvad, framePointer, rateHz);
}

class FvadVad implements Vad {
  readonly #fvad: Fvad;
  readonly #framePointer: number;
  readonly #frameSamples: number;
  /** 0 once destroyed. */
  #state: number;

  constructor(fvad: Fvad, framePointer: number, rateHz: VadRate) {
    this.#fvad = fvad;
    this.#framePointer = framePointer;
    this.#frameSamples = (rateHz / 1_000) * FRAME_MS;
    this.#state = fvad._fvad_new();
    if (this.#state === 0) throw unavailable("no memory for another voice activity detector");
    assert.equal(fvad._fvad_set_mode(this.#state, MODE), 0);
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
