import {
  CONTEXT_TOKENS_DEFAULT,
  CONTEXT_TOKENS_LIMIT,
  CONTEXT_TOKENS_MIN,
} from "../../core/limits/speech-providers/llm.ts";
import { LLM_PROVIDERS } from "./providers/list.ts";

/** Context sizes in tokens by `provider:model`, as the operator sets them. */
export type ContextSizes = Readonly<Record<string, number>>;

/**
 * The context size of `model` (`provider:model`): the operator's setting, the known size, or CONTEXT_TOKENS_DEFAULT.
 */
export function contextTokensOf(model: string, configured: ContextSizes): number {
  if (Object.hasOwn(configured, model)) return configured[model] ?? CONTEXT_TOKENS_DEFAULT;
  const colon = model.indexOf(":");
  const provider = LLM_PROVIDERS.find(({ id }) => id === model.slice(0, colon));
  const known = provider?.capabilities.models?.find(([names]) => names.test(model.slice(colon + 1)));
  return known?.[1] ?? CONTEXT_TOKENS_DEFAULT;
}

/**
 * Parses CONTEXT_TOKENS, `openai:llama3.2=8192, openai:gpt-oss:20b=131072`. Appends what is wrong with it to
 * `problems`.
 */
export function readContextSizes(given: string, providers: readonly string[], problems: string[]): ContextSizes {
  const sizes: Record<string, number> = {};
  for (const part of given === "" ? [] : given.split(",")) {
    const [, model = "", tokens] = /^\s*([a-z]{1,32}:[\x21-\x7e]{1,256}?)\s*=\s*(\d{1,8})\s*$/.exec(part) ?? [];
    const isProvider = providers.includes(model.slice(0, model.indexOf(":")));
    if (!isProvider || !(Number(tokens) >= CONTEXT_TOKENS_MIN && Number(tokens) <= CONTEXT_TOKENS_LIMIT)) {
      const right = `a model and its context in tokens, from ${CONTEXT_TOKENS_MIN} to ${CONTEXT_TOKENS_LIMIT}, openai:llama3.2=8192`;
      problems.push(`CONTEXT_TOKENS must be ${right}, or several, separated by commas, not ${JSON.stringify(part)}`);
    } else sizes[model] = Number(tokens);
  }
  return sizes;
}
