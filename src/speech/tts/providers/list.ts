import type { ProviderDescriptor } from "../../provider-descriptor.ts";
import { cartesiaTts } from "./cartesia/descriptor.ts";
import { elevenLabsTts } from "./elevenlabs/descriptor.ts";
import { espeakTts } from "./espeak/descriptor.ts";
import { openAiTts } from "./openai/descriptor.ts";
import { referenceTts } from "./reference/descriptor.ts";

/** Every TTS provider, in the order of docs/configuration.md. */
export const TTS_PROVIDERS: readonly ProviderDescriptor<"tts">[] = [
  elevenLabsTts,
  cartesiaTts,
  openAiTts,
  espeakTts,
  referenceTts,
];
