import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { VOICES_PAGE_MAX } from "../../core/limits/control-api/api.ts";
import { pageParameters, parameter } from "../http/requests/query.ts";
import { cursorOf } from "../http/responses/cursor.ts";
import { LARGE_RESPONSE_ERRORS, largeResponseHooks } from "../http/responses/large-response-hooks.ts";
import type { LargeResponses } from "../http/responses/large-responses.ts";
import { offsetOf, pageOf, pageSchema } from "../http/responses/pages.ts";
import type { VoiceCatalogue } from "./catalogue.ts";

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
      stt: z
        .array(z.string())
        .readonly()
        .meta({
          description: "The STT providers that transcribe it, in the order in which calls use them. Never empty.",
          examples: [["deepgram", "local"]],
        }),
      tts: z
        .array(z.string())
        .readonly()
        .meta({ description: "The TTS providers whose voices speak it. Never empty.", examples: [["espeak"]] }),
    })
    .meta({ id: "Language" }),
  "A page of languages that match the filters.",
);

const VOICES_PER_READ = 500;

const VOICES = {
  operationId: "listVoices",
  scope: "read" as const,
  tags: ["voices"],
  summary: "List voices",
  description: "The voices that are available to the account. A filter without a match gives an empty list.",
  querystring: Filters,
  errors: LARGE_RESPONSE_ERRORS,
  response: { 200: VoiceList },
};

const LANGUAGES = {
  operationId: "listLanguages",
  scope: "read" as const,
  tags: ["voices"],
  summary: "List languages",
  description:
    "The languages that calls of the account can have: those that a voice speaks and an STT provider transcribes. A filter " +
    "without a match gives an empty list.",
  querystring: Filters,
  errors: LARGE_RESPONSE_ERRORS,
  response: { 200: LanguageList },
};

/** Registers `GET /voices` and `GET /languages` in `scope`, which must require an API key. */
export function voiceRoutes(scope: FastifyInstance, catalogue: VoiceCatalogue, largeResponses: LargeResponses): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const hooks = largeResponseHooks(largeResponses);

  app.get(
    "/voices",
    { schema: VOICES, ...hooks },
    async ({ query, account }) =>
      await pageInMemory(await catalogue.forAccount(account.settings).voices(query), query, "voices"),
  );

  app.get("/languages", { schema: LANGUAGES, ...hooks }, async ({ query, account }) => {
    const languages = await catalogue.forAccount(account.settings).languages(query);
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
