import { strict as assert } from "node:assert";
import type { Voice } from "../../speech/contracts.ts";
import { type Language, primaryLanguages } from "../../speech/languages.ts";
import { maySpeak, voicesSpeaking } from "../../speech/tts/voice-matching.ts";
import type { Path } from "../http/display-path.ts";
import { ApiError, invalidRequest, type Problem } from "../http/errors.ts";
import { problem } from "../http/requests/validation.ts";
import type { VoiceCatalogue } from "./catalogue.ts";

/**
 * Finds the item that a field names, or the problem of its value. Undefined for a value that is no string: the schema reports
 * that. `isRestricted` when the service has others, which the account may not use.
 */
type LookUp<Item> = (items: readonly Item[], isRestricted?: boolean) => Item | Problem | undefined;

/**
 * The voice and the language of a request, and the languages that there are. Throws ApiError 400 with all problems together: those `found` before, an unknown voice
 * or language, and a voice that does not speak the language. Throws 503 `unavailable` when nothing else is wrong and the voice may
 * belong to a provider that has not listed its voices yet.
 */
export async function lookUpVoiceAndLanguage(
  found: readonly Problem[],
  catalogue: VoiceCatalogue,
  lookUp: { voiceAt: Path; givenVoice: unknown; voice: LookUp<Voice>; language: LookUp<Language> },
): Promise<{ voice: Voice; language: Language; languages: readonly Language[] }> {
  const [voices, languages] = await Promise.all([catalogue.voices(), catalogue.languages()]);
  const problems = [...found];
  const voice = lookUp.voice(voices, catalogue.isRestricted);
  const language = lookUp.language(languages, catalogue.isRestricted);
  let code: "invalid_request" | "unknown_voice" | "unknown_language" | undefined;
  if (problems.length > 0) code = "invalid_request";
  if (isProblem(voice)) {
    const provider =
      problems.length > 0 ? undefined : unlistedProvider(lookUp.givenVoice, catalogue.unlistedProviders());
    if (provider !== undefined) throw new ApiError("unavailable", `${provider} cannot list its voices at present`);
    problems.push(voice);
    code ??= "unknown_voice";
  }
  if (isProblem(language)) {
    problems.push(language);
    code ??= "unknown_language";
  }
  if (isFound(voice) && isFound(language) && !maySpeak(voice, language.code)) {
    const rule = `must be one that speaks ${language.code}, for example ${examplesOf(voices, voice, language.code)}`;
    problems.push(problem(lookUp.voiceAt, rule, lookUp.givenVoice));
    code ??= "invalid_request";
  }
  if (code !== undefined) throw invalidRequest(problems, code);
  assert.ok(voice !== undefined && !isProblem(voice) && language !== undefined && !isProblem(language));
  return { voice, language, languages };
}

const isProblem = (found: object | undefined): found is Problem => found !== undefined && "path" in found;

const isFound = <Item extends object>(found: Item | Problem | undefined): found is Item =>
  found !== undefined && !isProblem(found);

/** The number of voices in the message about a voice that does not speak the language. */
const VOICES_NAMED_MAX = 3;

/** A few voices that speak `language`, those of the provider of `voice` first, and how to find the others. */
function examplesOf(voices: readonly Voice[], voice: Voice, language: string): string {
  const ids = voicesSpeaking(voices, language, voice.provider);
  return someOf(ids, `GET /voices?language=${language}`);
}

function someOf(ids: readonly string[], list: string): string {
  const named = ids.slice(0, VOICES_NAMED_MAX).join(", ");
  return ids.length <= VOICES_NAMED_MAX ? named : `${named} or another of ${list}`;
}

/** What a voice must be, where `usual` is what it must be for an account that may use all voices. */
const voiceRule = (usual: string, voices: readonly Voice[], isRestricted: boolean | undefined): string =>
  isRestricted === true && voices.length > 0
    ? `must be a voice that this account may use: ${someOf(
        voices.map(({ id }) => id),
        "GET /voices",
      )}`
    : usual;

/** Why an agent's `voice` can no longer be used with `language`; undefined when it can. */
export function languageMismatch(voices: readonly Voice[], voice: Voice, language: string): string | undefined {
  if (maySpeak(voice, language)) return undefined;
  return `voice ${JSON.stringify(voice.id)} in ${language}, which ${examplesOf(voices, voice, language)} speak`;
}

/** The unlisted provider that `given` may belong to: an id begins with its provider, a name has no fixed form. */
const unlistedProvider = (given: unknown, providers: readonly string[]): string | undefined =>
  typeof given === "string" && given !== ""
    ? providers.find((provider) => given.startsWith(`${provider}/`) || !given.includes("/"))
    : undefined;

/** By id, or by a name that only one voice has. */
export const voiceByIdOrName =
  (at: Path, given: unknown): LookUp<Voice> =>
  (voices, isRestricted) => {
    if (typeof given !== "string") return undefined;
    const byId = voices.find((voice) => voice.id === given);
    if (byId !== undefined) return byId;
    const named = voices.filter((voice) => voice.name === given);
    if (named.length === 1) return named[0];
    if (named.length === 0) {
      return problem(at, voiceRule("must be the id or name of a voice from GET /voices", voices, isRestricted), given);
    }
    const ids = named.map((voice) => voice.id).join(", ");
    return problem(at, `must be one of the ids ${ids}, whose voices share this name`, given);
  };

export const voiceById =
  (at: Path, given: unknown): LookUp<Voice> =>
  (voices, isRestricted) => {
    if (typeof given !== "string") return undefined;
    const found = voices.find((voice) => voice.id === given);
    return found ?? problem(at, voiceRule("must be the id of a voice from GET /voices", voices, isRestricted), given);
  };

/** Codes are compared without regard to case (RFC 5646, section 2.1.1), and stored as in the catalogue. */
export const languageByCode =
  (at: Path, given: unknown): LookUp<Language> =>
  (languages) => {
    if (typeof given !== "string") return undefined;
    const wanted = given.toLowerCase();
    const found = languages.find((language) => language.code.toLowerCase() === wanted);
    if (found !== undefined) return found;
    return problem(at, languageRule(primaryLanguages(languages)), given);
  };

/** What a language must be where `served` are those of the service, without their regions. */
export const languageRule = (served: readonly string[]): string => {
  const list = served.length === 0 ? "" : `: ${served.join(", ")}, or a region of these`;
  return `must be a language code from GET /languages${list}`;
};
