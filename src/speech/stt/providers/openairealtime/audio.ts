import { pcmBytes } from "../../../../media/frame-codec.ts";
import { mulawEncode } from "../../../../media/g711.ts";
import type { Resampler, ResamplerFactory } from "../../../../media/resampler.ts";

/** The only rate of PCM in a realtime session. */
const PCM_RATE_HZ = 24_000;
/** The rate of mu-law, which is what most telephone calls are in: it loses nothing of theirs, and needs no resampling. */
const MULAW_RATE_HZ = 8_000;

/** The audio of one stream in the format of its session. */
export interface SessionAudio {
  /** As `session.update` names it. */
  readonly format: Readonly<Record<string, string | number>>;
  /** The event that carries the samples, which are borrowed. */
  append(samples: Int16Array): string;
  /** Frees its memory; it must not be used afterwards. */
  destroy(): void;
}

/** Throws `unavailable` when there is no memory for a resampler. */
export function sessionAudio(rateHz: number, makeResampler: ResamplerFactory): SessionAudio {
  if (rateHz === MULAW_RATE_HZ)
    return {
      format: { type: "audio/pcmu" },
      append(samples) {
        const codes = new Uint8Array(samples.length);
        mulawEncode(samples, codes);
        return appendEvent(codes);
      },
      destroy() {},
    };
  const resampler: Resampler | undefined = rateHz === PCM_RATE_HZ ? undefined : makeResampler(rateHz, PCM_RATE_HZ);
  return {
    format: { type: "audio/pcm", rate: PCM_RATE_HZ },
    append: (samples) => appendEvent(pcmBytes(resampler?.process(samples) ?? samples)),
    destroy: () => resampler?.destroy(),
  };
}

const appendEvent = (bytes: Uint8Array): string =>
  `{"type":"input_audio_buffer.append","audio":"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")}"}`;
