import { providerFailed } from "../../../../core/errors.ts";
import { isObject } from "../../../../core/json.ts";
import { VOICES_PER_PROVIDER_MAX } from "../../../../core/limits/speech-providers/tts.ts";
import type { Voice } from "../../../contracts.ts";
import { languageCode } from "../../../languages.ts";
import type { FetchVoices } from "../../voice-list.ts";
import { readJson, requestTts } from "../tts-http.ts";

export const CARTESIA = "cartesia";
/** What the ids of Cartesia's voices begin with. */
export const CARTESIA_PREFIX = `${CARTESIA}/`;
/** The version of the API that the adapter is written for. */
export const CARTESIA_VERSION = "2026-03-01";
const PAGE_SIZE = 100;
/**
 * The languages that every voice speaks with a Sonic 3 model, by our codes; in a language that is not its own a voice
 * has an accent (docs.cartesia.ai/build-with-cartesia/capability-guides/multilingual-voices; the 42 codes are from
 * docs.livekit.io/agents/models/tts/inference/cartesia).
 */
const SONIC_3 = /^sonic-3(?:[.-]|$)/;
const SONIC_3_LANGUAGES: readonly string[] =
  "ar bg bn cs da de el en es fi fil fr gu he hi hr hu id it ja ka kn ko ml mr ms nb nl pa pl pt ro ru sk sv ta te th tr uk vi zh".split(
    " ",
  );

/** Lists Cartesia's voices, page by page (https://docs.cartesia.ai/api-reference/voices/list). */
export async function fetchCartesiaVoices(
  { apiKey, url, model }: { apiKey: string; url: string; model: string },
  ...[signal, onPage]: Parameters<FetchVoices>
): Promise<readonly Voice[]> {
  const voices: Voice[] = [];
  const headers = { authorization: `Bearer ${apiKey}`, "cartesia-version": CARTESIA_VERSION };
  const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
  for (let hasMore = true; hasMore && voices.length < VOICES_PER_PROVIDER_MAX; ) {
    const response = await requestTts({ provider: CARTESIA, url: `${url}/voices?${query}`, headers }, signal);
    const page = await readJson(CARTESIA, response);
    if (!isObject(page) || !Array.isArray(page.data)) throw providerFailed(CARTESIA, "sent no list of voices");
    voices.push(...page.data.flatMap((voice) => voiceOf(voice, model)));
    onPage(voices);
    const last: unknown = page.data.at(-1);
    hasMore = page.has_more === true && isObject(last) && typeof last.id === "string";
    if (hasMore && isObject(last)) query.set("starting_after", String(last.id));
  }
  return voices;
}

function voiceOf(voice: unknown, model: string): Voice[] {
  if (!isObject(voice) || typeof voice.id !== "string" || typeof voice.name !== "string") return [];
  const language = languageOf(voice);
  if (language === undefined) return [];
  return [
    {
      id: CARTESIA_PREFIX + voice.id,
      name: voice.name.trim() || voice.id,
      language,
      provider: CARTESIA,
      ...(SONIC_3.test(model) ? { alsoSpeaks: SONIC_3_LANGUAGES } : { otherLanguagesUnknown: true as const }),
    },
  ];
}

/** The voice's native locale, else its language. Its country is not used: it may be where the owner lives. */
function languageOf({ language, locales }: Readonly<Record<string, unknown>>): string | undefined {
  const native = (Array.isArray(locales) ? locales : []).filter(isObject).find(({ is_native }) => is_native === true);
  for (const tag of [native?.locale, language]) {
    const code = typeof tag === "string" ? languageCode(tag) : undefined;
    if (code !== undefined) return code;
  }
  return undefined;
}
