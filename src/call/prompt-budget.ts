import { type CallSpec, knowledgeOf } from "../core/calls/spec.ts";
import { PASSAGES_TOKENS_MAX } from "../core/limits/knowledge/call-knowledge.ts";
import { LLM_OUTPUT_TOKENS_MAX, PROMPT_CONTEXT_SHARE } from "../core/limits/speech-providers/llm.ts";
import { messageTokens, toolsTokens } from "../speech/llm/prompt/prompt-tokens.ts";
import { textTokens } from "../speech/llm/prompt/text-tokens.ts";
import { systemText } from "./conversation.ts";
import { wholeMessage } from "./knowledge/passages-block.ts";
import { describeTools } from "./tools/plan.ts";

/**
 * The upper bound of a call's prompt, in estimated tokens: the system prompt, the documents and the tools, plus `historyTokensMax` of
 * conversation and parameters of the start, but at most what the model's context allows in addition to the reply. `contextTokens` is the model's context,
 * prompt and answer together; undefined where there is no bound.
 */
export function promptTokensMaxOf(spec: CallSpec, contextTokens: number | undefined, historyTokensMax: number): number {
  const fixedTokens = textTokens(systemText(spec)) + toolsTokens(describeTools(spec.tools)) + documentsTokens(spec);
  const wantedTokens = fixedTokens + historyTokensMax;
  if (contextTokens === undefined) return wantedTokens;
  const answerTokens = Math.min(LLM_OUTPUT_TOKENS_MAX, contextTokens / 4);
  return Math.min(wantedTokens, Math.floor(contextTokens * PROMPT_CONTEXT_SHARE - answerTokens));
}

/** What documents take of a prompt: those of every prompt, and the passages for one turn. */
function documentsTokens(spec: CallSpec): number {
  const knowledge = knowledgeOf(spec);
  const whole = wholeMessage(knowledge);
  const passagesTokens = knowledge?.retrieval === "always" && knowledge.corpora.length > 0 ? PASSAGES_TOKENS_MAX : 0;
  return (whole === undefined ? 0 : messageTokens(whole)) + passagesTokens;
}
