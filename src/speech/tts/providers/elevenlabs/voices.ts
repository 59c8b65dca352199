import { providerFailed } from "../../../../core/errors.ts";
import { isObject } from "../../../../core/json.ts";
import { VOICES_PER_PROVIDER_MAX } from "../../../../core/limits/speech-providers/tts.ts";
import type { Voice } from "../../../contracts.ts";
import { languageCode, languageCodes } from "../../../languages.ts";
import type { FetchVoices } from "../../voice-list.ts";
import { readJson, requestTts } from "../tts-http.ts";

export const ELEVENLABS = "elevenlabs";
/** What the ids of ElevenLabs' voices begin with. */
export const ELEVENLABS_PREFIX = `${ELEVENLABS}/`;
const PAGE_SIZE = 100;
/** The language of a voice that states none: every model speaks it. */
const LANGUAGE_DEFAULT = "en";

/**
 * The languages of each ElevenLabs model, for all voices, by our codes. From
 * https://elevenlabs.io/docs/overview/models and, for eleven_v3,
 * https://help.elevenlabs.io/hc/en-us/articles/17883183930129, as of November 2026.
 */
const MULTILINGUAL_V2 = "ar bg cs da de el en es fi fil fr hi hr id it ja ko ms nl pl pt ro ru sk sv ta tr uk zh";
const FLASH_V2_5 = `${MULTILINGUAL_V2} hu nb vi`;
const V3 =
  "af ar as az be bg bn bs ca ceb cs cy da de el en es et fa fi fil fr ga gl gu ha he hi hr hu hy id is it ja jv ka kk kn ko ky " +
  "lb ln lt lv mk ml mr ms nb ne nl ny pa pl ps pt ro ru sd sk sl so sr sv sw ta te th tr uk ur vi zh";

const MODELS: readonly { name: RegExp; languages: readonly string[] }[] = [
  { name: /^eleven_(?:flash|turbo)_v2_5$/, languages: FLASH_V2_5.split(" ") },
  { name: /^eleven_multilingual_v2$/, languages: MULTILINGUAL_V2.split(" ") },
  { name: /^eleven_v3(?:_|$)/, languages: V3.split(" ") },
  { name: /^eleven_(?:(?:flash|turbo)_v2|monolingual_v1)$/, languages: ["en"] },
];

/** The languages that every voice speaks with `model`; undefined for a model that is not known here. */
const languagesOfModel = (model: string): readonly string[] | undefined =>
  MODELS.find(({ name }) => name.test(model))?.languages;

/** Lists ElevenLabs' voices, page by page (https://elevenlabs.io/docs/api-reference/voices/search). */
export async function fetchElevenLabsVoices(
  { apiKey, model, url }: { apiKey: string; model: string; url: string },
  ...[signal, onPage]: Parameters<FetchVoices>
): Promise<readonly Voice[]> {
  const voices: Voice[] = [];
  const query = new URLSearchParams({ page_size: String(PAGE_SIZE) });
  for (let hasMore = true; hasMore && voices.length < VOICES_PER_PROVIDER_MAX; ) {
    const response = await requestTts(
      { provider: ELEVENLABS, url: `${url}/v2/voices?${query}`, headers: { "xi-api-key": apiKey } },
      signal,
    );
    const page = await readJson(ELEVENLABS, response);
    if (!isObject(page) || !Array.isArray(page.voices)) throw providerFailed(ELEVENLABS, "sent no list of voices");
    voices.push(...page.voices.flatMap((voice) => voiceOf(voice, model)));
    onPage(voices);
    hasMore = page.has_more === true && page.voices.length > 0 && typeof page.next_page_token === "string";
    if (hasMore) query.set("next_page_token", page.next_page_token as string);
  }
  return voices;
}

function voiceOf(voice: unknown, model: string): Voice[] {
  if (!isObject(voice) || typeof voice.voice_id !== "string" || typeof voice.name !== "string") return [];
  const name = voice.name.trim() || voice.voice_id;
  const language = languageOf(voice, model);
  const ofModel = languagesOfModel(model);
  const others = ofModel ?? otherVerifiedLanguages(language, voice, model);
  return [
    {
      id: ELEVENLABS_PREFIX + voice.voice_id,
      name,
      language,
      provider: ELEVENLABS,
      ...(others.length > 0 && { alsoSpeaks: others }),
      ...(ofModel === undefined && { otherLanguagesUnknown: true as const }),
    },
  ];
}

/** The other languages in which a voice is verified with this model. */
const otherVerifiedLanguages = (language: string, voice: Readonly<Record<string, unknown>>, model: string): string[] =>
  verifiedLanguages(voice).flatMap(({ language: tag, model_id }) => {
    const code = typeof tag === "string" && model_id === model ? languageCode(tag) : undefined;
    return code === undefined || code === languageCodes(language)[0] ? [] : [code];
  });

const verifiedLanguages = ({ verified_languages }: Readonly<Record<string, unknown>>) =>
  (Array.isArray(verified_languages) ? verified_languages : []).filter(isObject);

/** The language in which a voice is verified, preferably with this model; else the one of its labels. */
function languageOf(voice: Readonly<Record<string, unknown>>, model: string): string {
  const { labels } = voice;
  const verified = verifiedLanguages(voice);
  const best = verified.find(({ model_id }) => model_id === model) ?? verified[0];
  const tags = [best?.locale, best?.language, isObject(labels) ? labels.language : undefined];
  for (const tag of tags) {
    const code = typeof tag === "string" ? languageCode(tag) : undefined;
    if (code !== undefined) return code;
  }
  return LANGUAGE_DEFAULT;
}
