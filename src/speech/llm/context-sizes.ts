import { CONTEXT_TOKENS_DEFAULT, CONTEXT_TOKENS_LIMIT, CONTEXT_TOKENS_MIN } from "../../core/limits/llm.ts";

/** Context sizes in tokens by `provider:model`, as the operator sets them. */
export type ContextSizes = Readonly<Record<string, number>>;

/**
 * Context sizes of models in tokens, prompt and reply together; the first match counts. From the makers' lists of
 * models (platform.openai.com/docs/models, platform.claude.com/docs/en/about-claude/models/overview,
 * ai.google.dev/gemini-api/docs/models). Where the models of a family differ, the smallest size is used.
 */
const KNOWN: readonly [names: RegExp, contextTokens: number][] = [
  [/^openai:gpt-4\.1(?:-|$)/, 1_047_576],
  [/^openai:(?:gpt-4o|chatgpt-4o|gpt-4-turbo|gpt-4-1106|gpt-4-0125|o1-mini|gpt-oss)/, 128_000],
  [/^openai:gpt-4-32k/, 32_768],
  [/^openai:gpt-4(?:-|$)/, 8_192],
  [/^openai:gpt-3\.5/, 16_385],
  [/^openai:o\d/, 200_000],
  [/^openai:gpt-[5-9]/, 128_000],
  [/^anthropic:claude-(?:2\.0|instant)/, 100_000],
  [/^anthropic:claude-/, 200_000],
  [/^gemini:gemini-1\.0/, 32_768],
  [/^gemini:gemini-/, 1_048_576],
];

/**
 * The context size of `model` (`provider:model`): the operator's setting, the known size, or CONTEXT_TOKENS_DEFAULT.
 */
export const contextTokensOf = (model: string, configured: ContextSizes): number =>
  (Object.hasOwn(configured, model) ? configured[model] : undefined) ??
  KNOWN.find(([names]) => names.test(model))?.[1] ??
  CONTEXT_TOKENS_DEFAULT;

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
