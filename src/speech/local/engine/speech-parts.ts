import { readFileSync } from "node:fs";
import { FRAME_MS } from "../../../core/limits/streams/media.ts";
import { HalfBandDecimator } from "../../../media/voice-activity/half-band.ts";
import {
  loadSilero,
  SILERO_CHUNK_SAMPLES,
  SILERO_FILES,
  SILERO_RATE_HZ,
  type Silero,
} from "../../../media/voice-activity/silero/silero.ts";

/** Where in an utterance there is speech. */
export interface SpeechParts {
  /** From the first chunk with speech to the end of the last one, ms; both 0 where there is none. */
  readonly startMs: number;
  readonly endMs: number;
  /** The time of all chunks with speech, ms. */
  readonly speechMs: number;
}

/** A chunk of this probability holds speech. */
const SPEECH_PROBABILITY = 0.5;

const CHUNK_MS = (1_000 * SILERO_CHUNK_SAMPLES) / SILERO_RATE_HZ;
const RATE_HZ = 16_000;
const FRAME_SAMPLES = (RATE_HZ / 1_000) * FRAME_MS;
const FULL_SCALE = 32_768;

/** Finds speech by the service's second detector, which the guard against invented words asks before a pass. */
export class SpeechFinder {
  readonly #silero: Silero;

  private constructor(silero: Silero) {
    this.#silero = silero;
  }

  static async load(): Promise<SpeechFinder> {
    return new SpeechFinder(
      await loadSilero(readFileSync(SILERO_FILES.network), readFileSync(SILERO_FILES.weights), 1),
    );
  }

  /** `samples` at 16,000 Hz, -1 to 1, borrowed until the return. Takes at most some 2 % of the time that they last. */
  find(samples: Float32Array): SpeechParts {
    const stream = this.#silero.open();
    try {
      const parts = { startMs: 0, endMs: 0, speechMs: 0 };
      for (const [index, chunk] of chunksOf(samples).entries()) {
        if (stream.probability(chunk) < SPEECH_PROBABILITY) continue;
        if (parts.speechMs === 0) parts.startMs = index * CHUNK_MS;
        parts.speechMs += CHUNK_MS;
        parts.endMs = (index + 1) * CHUNK_MS;
      }
      return parts;
    } finally {
      stream.destroy();
    }
  }
}

/** At 8,000 Hz, the last chunk filled with silence. */
function chunksOf(samples: Float32Array): Int16Array[] {
  const decimator = new HalfBandDecimator();
  const frames = Math.ceil(samples.length / FRAME_SAMPLES);
  const chunks = Math.ceil((frames * FRAME_SAMPLES) / 2 / SILERO_CHUNK_SAMPLES);
  const narrow = new Int16Array(chunks * SILERO_CHUNK_SAMPLES);
  for (let frame = 0; frame < frames; frame += 1) {
    const wide = Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => {
      const sample = samples[frame * FRAME_SAMPLES + at] ?? 0;
      return Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(FULL_SCALE * sample)));
    });
    narrow.set(decimator.process(wide), (frame * FRAME_SAMPLES) / 2);
  }
  return Array.from({ length: chunks }, (_, at) =>
    narrow.subarray(at * SILERO_CHUNK_SAMPLES, (at + 1) * SILERO_CHUNK_SAMPLES),
  );
}
