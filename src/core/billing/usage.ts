/** Provider usage: seconds of audio sent to an STT, tokens of an LLM, characters sent to a TTS. */
export const USAGE_UNITS = ["audioSeconds", "inputTokens", "outputTokens", "characters"] as const;
export type UsageUnit = (typeof USAGE_UNITS)[number];

/** The usage of one provider. Units that it does not bill are absent. */
export interface Usage extends Partial<Readonly<Record<UsageUnit, number>>> {
  /** Present for providers whose models have different prices. */
  readonly model?: string;
  /** A part of it is estimated, because the provider did not report it. */
  readonly approximate?: true;
}
