import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { VOICES_PAGE_MAX } from "../../core/limits/api.ts";
import type { Tts, Voice } from "../../speech/contracts.ts";
import { type Language, languageCodes, listLanguages } from "../../speech/languages.ts";
import { cursorOf } from "../http/cursor.ts";
import { LARGE_RESPONSE_ERRORS, type LargeResponses, largeResponseHooks } from "../http/large-responses.ts";
import { offsetOf, pageOf, pageSchema } from "../http/pages.ts";
import { pageParameters, parameter } from "../http/query.ts";

/** Filters of voices or languages; all given ones must match. */
export interface CatalogueQuery {
  /** A language code in any case; a bare language (`en`) includes its regions and dialects. */
  language?: string | undefined;
  provider?: string | undefined;
}

/** The voices and languages of the configured providers. */
export interface VoiceCatalogue {
  voices(query?: CatalogueQuery): Promise<readonly Voice[]>;
  /** `voices` of a language counts those of the requested provider. */
  languages(query?: CatalogueQuery): Promise<readonly Language[]>;
  /** The providers that have not listed their voices yet. */
  unlistedProviders(): readonly string[];
}

/** The catalogue of `tts`, which may combine several providers. */
export function catalogueOf(tts: Pick<Tts, "voices" | "unlistedProviders">): VoiceCatalogue {
  const voicesOf = async (provider: string | undefined): Promise<readonly Voice[]> => {
    const voices = await tts.voices();
    return provider === undefined ? voices : voices.filter((voice) => voice.provider === provider);
  };
  return {
    voices: async ({ language, provider } = {}) => {
      const voices = await voicesOf(provider);
      return voices.filter((voice) => matchesLanguage(language, [voice.language, ...languageCodes(voice.language)]));
    },
    languages: async ({ language, provider } = {}) => {
      const languages = listLanguages(await voicesOf(provider));
      return languages.filter(({ code }) => matchesLanguage(language, languageCodes(code)));
    },
    unlistedProviders: () => tts.unlistedProviders?.() ?? [],
  };
}

/** Codes are compared without regard to case (RFC 5646, section 2.1.1). */
function matchesLanguage(wanted: string | undefined, codes: readonly string[]): boolean {
  if (wanted === undefined) return true;
  const code = wanted.toLowerCase();
  return codes.some((other) => other.toLowerCase() === code);
}

const Filters = z.strictObject({
  // All items fit one page, unless there are thousands.
  ...pageParameters(VOICES_PAGE_MAX, VOICES_PAGE_MAX),
  language: parameter.optional().meta({
    description:
      "A code from `GET /languages`, in upper or lower case. A bare language (`en`) stands for its regions too (`en-GB`).",
    examples: ["en"],
  }),
  provider: parameter
    .optional()
    .meta({ description: "The `provider` of a voice, exactly as listed.", examples: ["espeak"] }),
});

const VoiceList = pageSchema(
  z
    .object({
      id: z.string().meta({ description: "Stable across restarts.", examples: ["espeak/gmw/en-US"] }),
      name: z.string().meta({ description: "Display name; need not be unique.", examples: ["English (America)"] }),
      language: z.string().meta({ description: "BCP 47.", examples: ["en-US"] }),
      provider: z.string().meta({ examples: ["espeak"] }),
    })
    .meta({ id: "Voice" }),
  "A page of voices that match the filters.",
);
const LanguageList = pageSchema(
  z
    .object({
      id: z.string().meta({ description: "For a saved agent's `languageId`; equal to the code." }),
      code: z.string().meta({ description: "BCP 47: a language (`en`), or a language and a region (`en-US`)." }),
      name: z.string().meta({ description: "In English." }),
      voices: z.int().meta({ description: "How many voices speak it; a voice of `en-US` also speaks `en`." }),
    })
    .meta({ id: "Language" }),
  "A page of languages that match the filters.",
);

const VOICES_PER_READ = 500;

const VOICES = {
  operationId: "listVoices",
  tags: ["voices"],
  summary: "List voices",
  description: "The voices that the configured TTS providers offer. A filter without a match gives an empty list.",
  querystring: Filters,
  errors: LARGE_RESPONSE_ERRORS,
  response: { 200: VoiceList },
};

const LANGUAGES = {
  operationId: "listLanguages",
  tags: ["voices"],
  summary: "List languages",
  description: "The languages of the voices. A filter without a match gives an empty list.",
  querystring: Filters,
  errors: LARGE_RESPONSE_ERRORS,
  response: { 200: LanguageList },
};

export function voiceRoutes(scope: FastifyInstance, catalogue: VoiceCatalogue, largeResponses: LargeResponses): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const hooks = largeResponseHooks(largeResponses);

  app.get(
    "/voices",
    { schema: VOICES, ...hooks },
    async ({ query }) => await pageInMemory(await catalogue.voices(query), query, "voices"),
  );

  app.get("/languages", { schema: LANGUAGES, ...hooks }, async ({ query }) => {
    const languages = await catalogue.languages(query);
    return await pageInMemory(
      languages.map((language) => ({ id: language.code, ...language })),
      query,
      "languages",
    );
  });
}

/** A page of a list that is in memory. If the list changes between two pages, an item may be missing or repeated. */
async function pageInMemory<Item>(
  all: readonly Item[],
  { cursor, limit, ...filters }: z.output<typeof Filters>,
  name: string,
) {
  const list = [name, filters];
  const from = cursor === undefined ? 0 : offsetOf(cursor, list);
  const { items: data, more } = await pageOf<Item>(limit, VOICES_PER_READ, async (before, count) => {
    const at = from + before.length;
    return { items: all.slice(at, at + count), more: at + count < all.length };
  });
  return { data, nextCursor: more ? cursorOf(String(from + data.length), list) : null };
}
