import type { VoiceCatalogue } from "../../../api/voices/catalogue.ts";
import { codeOf } from "../../../core/errors.ts";
import { type Logger, loggableError } from "../../../core/log/logger.ts";
import { primaryLanguages } from "../../../speech/languages.ts";

/** With fewer languages the log says how to have more. */
const LANGUAGES_ENOUGH = 50;
/** With this many languages or fewer, the log names them. */
const LANGUAGES_NAMED_MAX = 12;

/** What makes the languages of the bare service more than LANGUAGES_ENOUGH; docs/languages.md says the same. */
const MORE_LANGUAGES =
  "for more than 50 set STT=deepgram,local with DEEPGRAM_API_KEY, or run npm run models -- add whisper-base and set LOCAL_STT_MODEL";

/**
 * Logs how many languages calls can have, regions not counted, and how to have more where they are few. Never rejects.
 */
export async function logLanguages(
  catalogue: Pick<VoiceCatalogue, "languages">,
  stt: string,
  log: Pick<Logger, "info" | "warn">,
): Promise<void> {
  try {
    const languages = primaryLanguages(await catalogue.languages());
    const count = languages.length;
    const named = count <= LANGUAGES_NAMED_MAX ? { languages } : {};
    const more = count < LANGUAGES_ENOUGH ? { more: MORE_LANGUAGES } : {};
    log.info({ stt, count, ...named, ...more }, "languages of calls listed");
  } catch (error) {
    log.warn({ code: codeOf(error), ...loggableError(error) }, "voices could not be listed");
  }
}
