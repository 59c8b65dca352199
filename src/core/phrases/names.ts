import type { SpeakReason } from "../calls/reasons.ts";

/**
 * Service phrases, without the LLM, by the reason for it: `inactivity`, to a caller who has been silent for too
 * long; `apology`, when the LLM failed; `filler`, when a reply or a tool takes long; `goodbye`, when the service ends the call;
 * `limit`, when a spend limit is reached.
 */
export const PHRASE_NAMES = [
  "inactivity",
  "apology",
  "filler",
  "goodbye",
  "limit",
] as const satisfies readonly SpeakReason[];
export type PhraseName = (typeof PHRASE_NAMES)[number];

/** All phrases of one language. */
export type Phrases = Readonly<Record<PhraseName, string>>;
