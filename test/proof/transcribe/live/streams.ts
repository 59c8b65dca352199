import { setTimeout as delay } from "node:timers/promises";
import { FRAME_MS } from "../../../../src/core/limits/streams/media.ts";
import { pcmBytes } from "../../../../src/media/frame-codec.ts";
import type { Api } from "../../asked-service.ts";
import { RATE_HZ } from "../local/speech.ts";

const FRAME_SAMPLES = (RATE_HZ / 1_000) * FRAME_MS;
const POLL_MS = 250;
const OVER_MS_MAX = 1_800_000;

/** The whole frames of some samples as `pcm_s16le`. */
export const framesOf = (samples: Int16Array): Uint8Array[] =>
  Array.from({ length: Math.floor(samples.length / FRAME_SAMPLES) }, (_, at) =>
    pcmBytes(samples.subarray(at * FRAME_SAMPLES, (at + 1) * FRAME_SAMPLES)),
  );

/** A transcription once it is over. */
export async function over(service: Api, id: string): Promise<{ status: string; result: unknown }> {
  const endMs = performance.now() + OVER_MS_MAX;
  while (performance.now() < endMs) {
    const item = await service.ask<{ status: string; result: unknown }>("GET", `/transcriptions/${id}`);
    if (item.status !== "queued" && item.status !== "processing") return item;
    await delay(POLL_MS);
  }
  throw new Error(`the transcription ${id} is not over after ${OVER_MS_MAX / 60_000} minutes`);
}
