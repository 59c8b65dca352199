import type { AccountProviders } from "../../../core/accounts/account-providers.ts";
import type { ModelName } from "../../../core/calls/spec.ts";
import { providerFailed } from "../../../core/errors.ts";
import type { AccountId } from "../../../core/ids.ts";
import {
  ANALYSIS_ANSWER_CHARS_MAX,
  ANALYSIS_FIRST_TOKEN_MS_MAX,
  ANALYSIS_IDLE_MS_MAX,
  ANALYSIS_REQUEST_MS_MAX,
} from "../../../core/limits/calls/analysis.ts";
import type { AnalysisLlm } from "../../../record/analysis/job.ts";
import type { CallLlm, ProviderObserver } from "../../../speech/contracts.ts";
import type { AccountLlms } from "../../../speech/llm/accounts.ts";
import type { LlmDeadlines } from "../../../speech/llm/fallback.ts";

/** An LLM may read a long transcript before it answers. */
export const ANALYSIS_DEADLINES: LlmDeadlines = {
  firstContentMs: ANALYSIS_FIRST_TOKEN_MS_MAX,
  idleMs: ANALYSIS_IDLE_MS_MAX,
  totalMs: ANALYSIS_REQUEST_MS_MAX,
};

export interface AnalysisLlmsOptions {
  llms: AccountLlms;
  /** The providers of an account that may differ from those of the service. */
  providersOf: (accountId: AccountId) => Promise<AccountProviders>;
}

/** The LLMs of analyses: those of calls, with the API keys of their accounts. */
export const analysisLlms =
  ({ llms, providersOf }: AnalysisLlmsOptions) =>
  async (accountId: AccountId, model: ModelName): Promise<AnalysisLlm> => {
    const llm = await llms(await providersOf(accountId), model);
    return { contextTokens: llm.contextTokens, ask: askWith(llm, accountId) };
  };

const askWith =
  (llm: CallLlm, accountId: AccountId): AnalysisLlm["ask"] =>
  async ({ system, user, tool, language }, signal, onUsed) => {
    const observer: ProviderObserver = {
      failedOver: () => {},
      contextExceeded: () => {},
      responded: () => {},
      requesting: () => {},
      used: onUsed,
    };
    const messages = [
      { role: "system" as const, text: system },
      { role: "user" as const, text: user },
    ];
    const argumentsJson: string[] = [];
    let text = "";
    const request = { messages, tools: [tool], temperature: 0, language, accountId };
    for await (const event of llm.reply(request, signal, observer)) {
      if (event.kind === "text") text += event.text;
      else if (event.kind === "tool-call" && event.name === tool.name) argumentsJson.push(event.argumentsJson);
      if (text.length > ANALYSIS_ANSWER_CHARS_MAX)
        throw providerFailed(llm.provider, "sent an analysis that is too long");
    }
    signal.throwIfAborted();
    return { argumentsJson, text };
  };
