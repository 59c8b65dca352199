import { strict as assert } from "node:assert";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { Stt, SttEvent } from "../../speech/contracts.ts";

/** A stream of the caller's STT, at the rate of the line. */
interface CallerStt {
  /** Takes samples at the line's rate, valid until this returns. */
  write(samples: Int16Array): void;
  /** For one reader, as in `SttStream`. */
  readonly events: AsyncIterable<SttEvent>;
  /** Frees the resampler's memory; nothing may be written afterwards. */
  close(): void;
}

/** Opens an STT stream for audio of `rateHz`. Audio is resampled to the STT's first rate when the STT does not support `rateHz`. */
export function openCallerStt(
  stt: Stt,
  { language, rateHz }: { language: string; rateHz: number },
  makeResampler: ResamplerFactory,
  signal: AbortSignal,
): CallerStt {
  const { ratesHz } = stt.capabilities;
  if (ratesHz.includes(rateHz)) {
    const { write, events } = stt.open({ language, rateHz }, signal);
    return { write, events, close: () => {} };
  }
  const [sttRateHz] = ratesHz;
  assert.ok(sttRateHz !== undefined, "an STT supports at least one rate");
  const stream = stt.open({ language, rateHz: sttRateHz }, signal);
  const resampler = makeResampler(rateHz, sttRateHz);
  return {
    write: (samples) => stream.write(resampler.process(samples)),
    events: stream.events,
    close: () => resampler.destroy(),
  };
}
