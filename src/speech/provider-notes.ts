import { MODEL_NAMES } from "../core/calls/spec.ts";
import type { SpeechConfig } from "./settings.ts";

const REFERENCE = "reference";

const STT_EXAMPLE = "set STT, for example STT=deepgram with DEEPGRAM_API_KEY";

/**
 * Notes for the operator about configured providers that cannot hold a conversation: a sentence each, with what to set.
 * Empty where every provider can. A list of fallbacks gets its note also where the reference provider is the last one.
 */
export function providerNotes({ stt, tts, models }: Pick<SpeechConfig, "stt" | "tts" | "models">): string[] {
  const notes: string[] = [];
  if (stt === undefined) notes.push(`no STT is configured, so callers are not understood: ${STT_EXAMPLE}`);
  else if (namesReference(stt)) {
    notes.push(
      `STT names reference, a test instrument that decodes the reference TTS and does not understand people: ${STT_EXAMPLE}`,
    );
  }
  if (namesReference(tts)) {
    notes.push(
      "TTS names reference, a test instrument whose speech carries audible data for the reference STT: " +
        "set TTS, for example TTS=espeak, which needs no API key",
    );
  }
  const referenceModels = MODEL_NAMES.filter((name) => namesReference(models[name]));
  const [first] = referenceModels;
  if (first !== undefined) {
    const example = referenceModels.includes("model_b") ? "model_b" : first;
    const variables = referenceModels.map((name) => name.toUpperCase()).join(", ");
    notes.push(
      `${variables} ${referenceModels.length > 1 ? "name" : "names"} the reference LLM, which answers by rule from the prompt and holds no ` +
        `conversation: set ${example.toUpperCase()}=openai:gpt-4o-mini with OPENAI_API_KEY, for example`,
    );
  }
  return notes;
}

const namesReference = (names: string): boolean => names.split(",").some((name) => name.trim() === REFERENCE);
