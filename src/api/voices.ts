import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { Tts, Voice } from "../speech/speech.ts";

export interface Language {
  /** BCP 47, for example `en-US`. */
  code: string;
  /** In English. */
  name: string;
}

/** What the configured provider can speak with, and in. */
export interface VoiceCatalogue {
  voices(): Promise<readonly Voice[]>;
  languages(): Promise<readonly Language[]>;
}

/** The catalogue of one voice provider: its languages are those of its voices, in alphabetical order of their codes. */
export function catalogueOf(tts: Pick<Tts, "voices">): VoiceCatalogue {
  return {
    voices: () => tts.voices(),
    async languages() {
      const codes = new Set((await tts.voices()).map((voice) => voice.language));
      return [...codes].sort().map((code) => ({ code, name: nameOf(code) }));
    },
  };
}

const names = new Intl.DisplayNames(["en"], { type: "language" });

/** The code itself where it is a provider's own, which has no name. */
function nameOf(code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

const VoiceList = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string(), language: z.string(), provider: z.string() })).readonly(),
});
/** `id` is what a saved agent's `languageId` refers to; it is the code. */
const LanguageList = z.object({
  data: z.array(z.object({ id: z.string(), code: z.string(), name: z.string() })).readonly(),
});

export function voiceRoutes(scope: FastifyInstance, catalogue: VoiceCatalogue): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  app.get("/voices", { schema: { response: { 200: VoiceList } } }, async () => ({ data: await catalogue.voices() }));
  app.get("/languages", { schema: { response: { 200: LanguageList } } }, async () => ({
    data: (await catalogue.languages()).map(({ code, name }) => ({ id: code, code, name })),
  }));
}
