import type { CallLlm, Llm, LlmRequest } from "../contracts.ts";
import { llmMetering } from "../metering/usage.ts";
import { withPolicy } from "../resilience/policy.ts";

/** An LLM that runs in this process: it needs no deadline and no fallback, and is only metered. */
export function meteredLlm(llm: Llm): CallLlm {
  const { provider, contextTokens } = llm;
  const metered = withPolicy(
    { provider, send: (request: LlmRequest, signal: AbortSignal) => llm.reply(request, signal) },
    { metering: llmMetering() },
  );
  return {
    provider,
    ...(contextTokens === undefined ? {} : { contextTokens }),
    prepare: (signal) => llm.prepare?.(signal),
    reply: (request, signal, observer) => metered.request(request, signal, observer),
  };
}
