import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { type Language, languageCodes, listLanguages } from "../speech/languages.ts";
import type { Tts, Voice } from "../speech/speech.ts";
import { parameter } from "./query.ts";

/** Which voices or languages to list. Every condition that is given must hold. */
export interface CatalogueQuery {
  /** A language code, whatever its case; a bare language (`en`) stands for its regions and dialects too. */
  language?: string | undefined;
  provider?: string | undefined;
}

/** What the configured providers can speak with, and in. */
export interface VoiceCatalogue {
  voices(query?: CatalogueQuery): Promise<readonly Voice[]>;
  /** `voices` of a language counts those of the asked provider. */
  languages(query?: CatalogueQuery): Promise<readonly Language[]>;
  /** The providers whose voices have never been told. */
  untold(): readonly string[];
}

/** The catalogue of `tts`, which may be several providers as one. */
export function catalogueOf(tts: Pick<Tts, "voices" | "untold">): VoiceCatalogue {
  const voicesOf = async (provider: string | undefined): Promise<readonly Voice[]> => {
    const voices = await tts.voices();
    return provider === undefined ? voices : voices.filter((voice) => voice.provider === provider);
  };
  return {
    voices: async ({ language, provider } = {}) => {
      const voices = await voicesOf(provider);
      return voices.filter((voice) => isIn(language, [voice.language, ...languageCodes(voice.language)]));
    },
    languages: async ({ language, provider } = {}) => {
      const languages = listLanguages(await voicesOf(provider));
      return languages.filter(({ code }) => isIn(language, languageCodes(code)));
    },
    untold: () => tts.untold?.() ?? [],
  };
}

/** Codes are compared without regard to case (RFC 5646, section 2.1.1). */
function isIn(wanted: string | undefined, codes: readonly string[]): boolean {
  if (wanted === undefined) return true;
  const code = wanted.toLowerCase();
  return codes.some((other) => other.toLowerCase() === code);
}

const Filters = z.strictObject({
  language: parameter.optional().meta({
    description:
      "A code from `GET /languages`, in upper or lower case. A bare language (`en`) stands for its regions too (`en-GB`).",
    examples: ["en"],
  }),
  provider: parameter
    .optional()
    .meta({ description: "A voice's `provider`, letter for letter.", examples: ["espeak"] }),
});

/** In the shape of every list, though all of it fits one page. */
const onePage = <Item extends z.ZodType>(item: Item) =>
  z
    .object({ data: z.array(item), nextCursor: z.string().nullable() })
    .meta({ description: "All that fit the filters." });

const VoiceList = onePage(
  z
    .object({
      id: z.string().meta({ description: "The same after every restart.", examples: ["espeak/gmw/en-US"] }),
      name: z
        .string()
        .meta({ description: "What people call it; two voices may share one.", examples: ["English (America)"] }),
      language: z.string().meta({ description: "BCP 47.", examples: ["en-US"] }),
      provider: z.string().meta({ examples: ["espeak"] }),
    })
    .meta({ id: "Voice" }),
);
const LanguageList = onePage(
  z
    .object({
      id: z.string().meta({ description: "What a saved agent's `languageId` refers to; it is the code." }),
      code: z.string().meta({ description: "BCP 47: a language (`en`), or a language and a region (`en-US`)." }),
      name: z.string().meta({ description: "In English." }),
      voices: z.int().meta({ description: "How many voices speak it; a voice of `en-US` also speaks `en`." }),
    })
    .meta({ id: "Language" }),
);

const VOICES = {
  operationId: "listVoices",
  tags: ["voices"],
  summary: "List voices",
  description: "What the configured voice providers really offer. A filter that fits nothing gives an empty list.",
  querystring: Filters,
  response: { 200: VoiceList },
};

const LANGUAGES = {
  operationId: "listLanguages",
  tags: ["voices"],
  summary: "List languages",
  description: "The languages of the voices. A filter that fits nothing gives an empty list.",
  querystring: Filters,
  response: { 200: LanguageList },
};

export function voiceRoutes(scope: FastifyInstance, catalogue: VoiceCatalogue): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.get("/voices", { schema: VOICES }, async (request) => ({
    data: [...(await catalogue.voices(request.query))],
    nextCursor: null,
  }));

  app.get("/languages", { schema: LANGUAGES }, async (request) => ({
    data: (await catalogue.languages(request.query)).map((language) => ({ id: language.code, ...language })),
    nextCursor: null,
  }));
}
