import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { type Language, listLanguages } from "../speech/languages.ts";
import type { Tts, Voice } from "../speech/speech.ts";

/** What the configured provider can speak with, and in. */
export interface VoiceCatalogue {
  voices(): Promise<readonly Voice[]>;
  languages(): Promise<readonly Language[]>;
}

/** The catalogue of one voice provider. */
export const catalogueOf = (tts: Pick<Tts, "voices">): VoiceCatalogue => ({
  voices: () => tts.voices(),
  languages: async () => listLanguages(await tts.voices()),
});

const VoiceList = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string(), language: z.string(), provider: z.string() })).readonly(),
});
/** `id` is what a saved agent's `languageId` refers to; it is the code. */
const LanguageList = z.object({
  data: z.array(z.object({ id: z.string(), code: z.string(), name: z.string(), voices: z.int() })).readonly(),
});

export function voiceRoutes(scope: FastifyInstance, catalogue: VoiceCatalogue): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/voices", { schema: { response: { 200: VoiceList } } }, async () => ({ data: await catalogue.voices() }));
  app.get("/languages", { schema: { response: { 200: LanguageList } } }, async () => ({
    data: (await catalogue.languages()).map((language) => ({ id: language.code, ...language })),
  }));
}
