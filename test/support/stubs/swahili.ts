import type { Phrases } from "../../../src/core/phrases/names.ts";

/** Service phrases in a language that has no built-in ones. */
export const SWAHILI: Phrases = {
  inactivity: "Bado upo hapo?",
  apology: "Samahani, unaweza kurudia?",
  filler: "Subiri kidogo.",
  goodbye: "Lazima tumalize simu hii. Kwaheri.",
  limit: "Siwezi kujibu hilo sasa hivi.",
};
