import type { ProviderDescriptor } from "../../provider-descriptor.ts";
import { anthropicLlm } from "./anthropic/descriptor.ts";
import { geminiLlm } from "./gemini/descriptor.ts";
import { openAiLlm } from "./openai/descriptor.ts";
import { referenceLlm } from "./reference/descriptor.ts";

/** Every LLM provider, in the order of docs/configuration.md. */
export const LLM_PROVIDERS: readonly ProviderDescriptor<"llm">[] = [openAiLlm, anthropicLlm, geminiLlm, referenceLlm];
