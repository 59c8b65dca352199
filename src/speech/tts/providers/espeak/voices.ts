import type { Voice } from "../../../contracts.ts";
import type { ProgramVoice } from "./protocol.ts";

/** BCP 47 tags for eSpeak's own language codes, where they differ. */
const LANGUAGE_TAGS: Readonly<Record<string, string>> = {
  "ca-ba": "ca-x-balear",
  "ca-nw": "ca-x-nw",
  "ca-va": "ca-valencia",
  "chr-US-Qaaa-x-west": "chr-US",
  "en-us-nyc": "en-US-x-nyc",
  piqd: "tlh",
  "ru-cl": "ru-x-classic",
};

/** An eSpeak voice as `provider` offers it. */
export const voiceOf = (provider: string, { identifier, name, language }: ProgramVoice): Voice => ({
  id: `${provider}/${identifier}`,
  name,
  language: Intl.getCanonicalLocales(LANGUAGE_TAGS[language] ?? language)[0] ?? language,
  provider,
});
