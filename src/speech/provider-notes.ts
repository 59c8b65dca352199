import { MODEL_NAMES } from "../core/calls/spec.ts";
import { LLM_REGISTRY, llmsIn } from "./llm/registry.ts";
import { namesIn } from "./provider-registry.ts";
import type { SpeechConfig } from "./settings.ts";
import { STT_REGISTRY } from "./stt/registry.ts";
import { TTS_REGISTRY } from "./tts/registry.ts";

const STT_EXAMPLE =
  "leave STT unset for local speech recognition, or set, for example, STT=deepgram with DEEPGRAM_API_KEY";

/**
 * Notes for the operator about configured providers that cannot hold a conversation: a sentence each, with what to set.
 * Empty where every provider can. A list of fallbacks gets its note also where the test instrument is the last one.
 */
export function providerNotes({ stt, tts, models }: Pick<SpeechConfig, "stt" | "tts" | "models">): string[] {
  const notes: string[] = [];
  if (namesIn(stt).includes(STT_REGISTRY.testInstrument.id)) {
    const { id, limits } = STT_REGISTRY.testInstrument;
    notes.push(`STT names ${id}, a test instrument ${limits}: ${STT_EXAMPLE}`);
  }
  if (namesIn(tts).includes(TTS_REGISTRY.testInstrument.id)) {
    const { id, limits } = TTS_REGISTRY.testInstrument;
    notes.push(`TTS names ${id}, a test instrument ${limits}: set TTS, for example TTS=espeak, which needs no API key`);
  }
  const { id, limits } = LLM_REGISTRY.testInstrument;
  const testModels = MODEL_NAMES.filter((name) => llmsIn(models[name]).some(({ provider }) => provider === id));
  const [first] = testModels;
  if (first !== undefined) {
    const example = testModels.includes("model_b") ? "model_b" : first;
    const variables = testModels.map((name) => name.toUpperCase()).join(", ");
    notes.push(
      `${variables} ${testModels.length > 1 ? "name" : "names"} the ${id} LLM, ${limits}: ` +
        `set ${example.toUpperCase()}=openai:gpt-4o-mini with OPENAI_API_KEY, for example`,
    );
  }
  return notes;
}
