import { canonicalJson } from "../../core/canonical-json.ts";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import type { AgentDefinition } from "../../store/agent-store.ts";
import { afterCallProblems } from "../calls/after-call.ts";
import { type CallSpecDeps, maxCostProblems, modelProblems } from "../calls/spec.ts";
import type { Problem } from "../http/errors.ts";
import { toolProblems } from "../tools/selected-tools.ts";
import { languageByCode, lookUpVoiceAndLanguage, voiceById } from "../voices/lookup.ts";
import { placeholderProblems } from "./variables.ts";

/**
 * The definition of an agent of this account from a body. `found` holds the schema's problems of the body, as in
 * `callSpecOf`; when there are any, `body` may have any shape. Throws ApiError: 400 with all problems together.
 */
export async function checkedDefinition(
  body: AgentDefinition,
  found: readonly Problem[],
  accountId: AccountId,
  offer: CallSpecDeps,
): Promise<AgentDefinition> {
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const settings = isObject(given.callSettings) ? given.callSettings : {};
  const tools = await toolProblems(settings.selectedTools, ["callSettings", "selectedTools"], accountId, offer, {
    tools: { ids: given.toolIds, at: ["toolIds"] },
    corpora: { ids: given.corpusIds, at: ["corpusIds"] },
    isSaved: true,
  });
  const { voice, language } = await lookUpVoiceAndLanguage(
    [
      ...found,
      ...placeholderProblems(given),
      ...modelProblems(settings, ["callSettings"], offer),
      ...maxCostProblems(settings, ["callSettings"], offer),
      ...(await afterCallProblems(settings, ["callSettings"], accountId, offer)),
      ...tools,
    ],
    offer.voices,
    {
      voiceAt: ["voiceId"],
      givenVoice: given.voiceId,
      voice: voiceById(["voiceId"], given.voiceId),
      language: languageByCode(["languageId"], given.languageId),
    },
  );
  return { ...body, voiceId: voice.id, languageId: language.code };
}

/** Whether two definitions say the same. */
export const isSameDefinition = (one: AgentDefinition, other: AgentDefinition): boolean =>
  canonicalJson(one) === canonicalJson(other);
