import { strict as assert } from "node:assert";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { Stt, SttEvent } from "../../speech/contracts.ts";

/** An ear at the rate of a line. */
export interface CallerStt {
  /** Takes samples at the line's rate, valid until this returns. */
  write(samples: Int16Array): void;
  /** One reader; as of `SttStream`. */
  readonly events: AsyncIterable<SttEvent>;
  /** Gives the resampler's memory back; nothing is written after that. */
  close(): void;
}

/** Opens an ear to audio of `rateHz`, which is resampled to the first rate that the ear takes where this is none of them. */
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
  const [earHz] = ratesHz;
  assert.ok(earHz !== undefined, "an ear takes some rate");
  const ear = stt.open({ language, rateHz: earHz }, signal);
  const resampler = makeResampler(rateHz, earHz);
  return {
    write: (samples) => ear.write(resampler.process(samples)),
    events: ear.events,
    close: () => resampler.destroy(),
  };
}
