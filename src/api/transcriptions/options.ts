import { TrunklineError } from "../../core/errors.ts";
import { primaryLanguage } from "../../core/text/language-tags.ts";
import type { TranscriptionOptions } from "../../core/transcriptions/options.ts";
import { primaryLanguages } from "../../speech/languages.ts";
import { ApiError, firstProblems, invalidRequest, type Problem } from "../http/errors.ts";
import { problem, problemWithoutValue } from "../http/requests/validation.ts";
import type { VoiceCatalogue } from "../voices/catalogue.ts";
import { languageByCode, languageRule } from "../voices/lookup.ts";
import type { BatchCapabilities } from "./capabilities.ts";

/** What an account may ask of transcriptions. */
export interface TranscriptionOffer {
  voices: VoiceCatalogue;
  capabilities: BatchCapabilities;
}

/** The options of a request as received: they have any shape while there are problems. */
type Given = Readonly<Record<string, unknown>>;

const AUTO = "auto";
/** As in calls, where it is transcribed. */
const DEFAULT_LANGUAGE = "en";

/**
 * The options of a request in whose shape `found` is wrong. Throws ApiError 400 with all problems together: those, a language that
 * there is not or no provider transcribes, and what no configured provider can do.
 */
export async function checkedOptions(
  given: Given,
  found: readonly Problem[],
  offer: TranscriptionOffer,
): Promise<TranscriptionOptions> {
  const language = await languageOf(given.language, offer);
  const problems = [...found, ...speakersProblems(given, offer)];
  const isUnknownLanguage = problems.length === 0 && language instanceof TrunklineError;
  if (language instanceof TrunklineError) problems.push(...language.details);
  if (problems.length > 0) throw invalidRequest(problems, isUnknownLanguage ? "unknown_language" : "invalid_request");
  const { channels, timestamps, speakers, vocabulary, redact = [] } = given as unknown as TranscriptionOptions;
  const options = { language: language as string, channels, timestamps, speakers, vocabulary };
  return redact.length > 0 ? { ...options, redact: [...new Set(redact)] } : options;
}

/** What of the options of an upload is wrong so far, before its file is read. */
export const speakersProblems = ({ speakers }: Given, { capabilities }: TranscriptionOffer): readonly Problem[] =>
  speakers !== true || capabilities.speakers
    ? []
    : [
        problemWithoutValue(
          ["speakers"],
          `must be false: no configured provider distinguishes speakers${could(capabilities.able.speakers)}`,
        ),
      ];

/** Who could, where none does. */
const could = (providers: readonly string[]): string =>
  providers.length === 0 ? "" : `; ${providers.join(", ")} would`;

/** The language to transcribe, or an error with its problems; the text of a schema's problem is not repeated. */
async function languageOf(given: unknown, { voices, capabilities }: TranscriptionOffer): Promise<string | ApiError> {
  const wrong = (rule: string): ApiError =>
    new ApiError("unknown_language", rule, { details: firstProblems([problem(["language"], rule, given)]) });
  const languages = await voices.languages();
  if (given === undefined) {
    if (capabilities.detectsLanguage) return AUTO;
    const served = languages.filter(({ code }) => capabilities.servesLanguage(code));
    const chosen = served.find(({ code }) => primaryLanguage(code) === DEFAULT_LANGUAGE) ?? served[0];
    if (chosen !== undefined) return chosen.code;
    return wrong("has no provider: none that transcribes files is configured");
  }
  if (given === AUTO) {
    if (capabilities.detectsLanguage) return AUTO;
    const { detectsLanguage } = capabilities.able;
    return wrong(
      `must be a code from GET /languages: no configured provider detects the language${could(detectsLanguage)}`,
    );
  }
  const found = languageByCode(["language"], given)(languages);
  if (found !== undefined && "code" in found) {
    if (capabilities.servesLanguage(found.code)) return found.code;
    const served = languages.filter(({ code }) => capabilities.servesLanguage(code));
    const who = could(capabilities.able.language(found.code));
    return wrong(`${languageRule(primaryLanguages(served))}; no configured provider transcribes files in it${who}`);
  }
  return new ApiError("unknown_language", "unknown", { details: found === undefined ? [] : [found] });
}
