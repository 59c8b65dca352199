/** Provider usage: seconds of audio that an ear was sent, a model's tokens, characters that a voice was given to speak. */
export const USAGE_UNITS = ["audioSeconds", "inputTokens", "outputTokens", "characters"] as const;
export type UsageUnit = (typeof USAGE_UNITS)[number];

/** What a provider did. Units that it is not paid by are absent. */
export interface Usage extends Partial<Readonly<Record<UsageUnit, number>>> {
  /** Of a provider with models of different prices. */
  readonly model?: string;
  /** Some of it was counted by us, because the provider did not come to tell. */
  readonly approximate?: true;
}
