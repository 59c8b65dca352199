import type { Stage } from "../../../src/core/calls/stages.ts";
import { LLM_PROVIDERS } from "../../../src/speech/llm/providers/list.ts";
import type { ProviderDescriptor } from "../../../src/speech/provider-descriptor.ts";
import { STT_PROVIDERS } from "../../../src/speech/stt/providers/list.ts";
import { TTS_PROVIDERS } from "../../../src/speech/tts/providers/list.ts";

// The providers that problems of the configuration name as valid.

const inOrder = (ids: readonly string[]): string => [...new Set(ids)].sort().join(", ");
const idsOf = (list: readonly ProviderDescriptor<Stage>[]): string[] => list.map(({ id }) => id);

/** Of `STT`. */
export const VALID_STT = inOrder(idsOf(STT_PROVIDERS));
/** Of `TTS`. */
export const VALID_TTS = inOrder(idsOf(TTS_PROVIDERS));
/** Of `MODEL_A` to `MODEL_C`. */
export const VALID_MODELS = `reference, or a provider and its model: ${idsOf(LLM_PROVIDERS)
  .filter((id) => id !== "reference")
  .map((id) => `${id}:<model>`)
  .join(", ")}`;
/** Of `PROVIDER_STREAMS_MAX`. */
export const VALID_PROVIDERS = inOrder([...idsOf(STT_PROVIDERS), ...idsOf(LLM_PROVIDERS), ...idsOf(TTS_PROVIDERS)]);
