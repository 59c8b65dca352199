import type { CallSpec } from "../../core/calls/spec.ts";
import type { Agent, NewAgent } from "../../store/agent-store.ts";
import { NewCallBody } from "../calls/request-schemas.ts";
import { type CallSpecDeps, maxCostProblems, specOfCheckedTools } from "../calls/spec.ts";
import { ApiError } from "../http/errors.ts";
import { isBlank } from "../http/validation.ts";
import { toolProblems } from "../tools/selected-tools.ts";
import { languageMismatch } from "../voices/lookup.ts";
import type { AgentCallBody } from "./schemas.ts";

/**
 * Joins the prompt layers of a saved agent into one prompt in Markdown: the base prompt, then the context under the heading
 * `# Context`, then the custom instructions under `# Instructions`. A blank layer is omitted with its heading. A blank line
 * separates the layers; the text of a layer does not change.
 */
export function promptOf(agent: Pick<NewAgent, "basePrompt" | "context" | "customInstructions">): string {
  const parts = [agent.basePrompt];
  if (!isBlank(agent.context)) parts.push("# Context", agent.context);
  if (!isBlank(agent.customInstructions)) parts.push("# Instructions", agent.customInstructions);
  return parts.join("\n\n");
}

/**
 * The specification of a call that is placed from a saved agent. It equals `POST /calls` with the agent's prompt, voice,
 * language and settings and the fields of `body`. The caller has already validated `body.websocket`. Throws ApiError `conflict`
 * when the agent's voice, its language or something that a tool needs is no longer offered, or when the voice no longer speaks
 * the language; otherwise it throws what `specOfCheckedTools` throws.
 */
export async function agentSpecOf(agent: Agent, body: AgentCallBody, offer: CallSpecDeps): Promise<CallSpec> {
  await requireAvailable(agent, offer);
  const { connectionType, websocket, metadata } = body;
  const whole = NewCallBody.parse({
    ...agent.callSettings,
    systemPrompt: promptOf(agent),
    voice: agent.voiceId,
    language: agent.languageId,
    connectionType,
    websocket,
    metadata,
  });
  return specOfCheckedTools(whole, [], offer);
}

async function requireAvailable(
  { accountId, voiceId, languageId, callSettings }: Agent,
  offer: CallSpecDeps,
): Promise<void> {
  const [voices, languages] = await Promise.all([offer.voices.voices(), offer.voices.languages()]);
  const noLongerOffered: string[] = [];
  const voice = voices.find(({ id }) => id === voiceId);
  const hasLanguage = languages.some(({ code }) => code === languageId);
  if (voice === undefined) noLongerOffered.push(`voice ${JSON.stringify(voiceId)}`);
  if (!hasLanguage) noLongerOffered.push(`language ${JSON.stringify(languageId)}`);
  const unspoken = voice && hasLanguage ? languageMismatch(voices, voice, languageId) : undefined;
  if (unspoken !== undefined) noLongerOffered.push(unspoken);
  const tools = await toolProblems(callSettings.selectedTools, ["callSettings", "selectedTools"], accountId, offer);
  noLongerOffered.push(
    ...[...tools, ...maxCostProblems(callSettings, ["callSettings"], offer)].map(({ path }) => path),
  );
  if (noLongerOffered.length > 0)
    throw new ApiError("conflict", `the agent uses what is no longer offered: ${noLongerOffered.join(", ")}`);
}
