import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import type { NewAgent } from "../../store/agent-store.ts";
import { type CallSpecDeps, maxCostProblems } from "../calls/spec.ts";
import { notImplemented, notInThisVersion, type Problem } from "../http/errors.ts";
import { toolProblems, unsupportedTools } from "../tools/selected-tools.ts";
import { languageByCode, lookUpVoiceAndLanguage, voiceById } from "../voices/lookup.ts";
import type { NewAgentBody } from "./schemas.ts";

/**
 * Turns the body of `POST /agents` into an agent of this account. `found` holds the schema's problems of the body, as in
 * `callSpecOf`. Throws ApiError: 400 with all problems together; otherwise 501 for listed features that this build does not have.
 */
export async function newAgentOf(
  body: NewAgentBody,
  found: readonly Problem[],
  accountId: AccountId,
  offer: CallSpecDeps,
): Promise<NewAgent> {
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const settings = isObject(given.callSettings) ? given.callSettings : {};
  const { selectedTools } = settings;
  const tools = await toolProblems(selectedTools, ["callSettings", "selectedTools"], accountId, offer);
  const { voice, language } = await lookUpVoiceAndLanguage(
    [...found, ...maxCostProblems(settings, ["callSettings"], offer), ...tools],
    offer.voices,
    {
      voiceField: "voiceId",
      givenVoice: given.voiceId,
      voice: voiceById("voiceId", given.voiceId),
      language: languageByCode("languageId", given.languageId),
    },
  );
  const missing = unsupportedFeatures(body);
  if (missing.length > 0) throw notImplemented(missing);
  return { ...body, voiceId: voice.id, languageId: language.code };
}

function unsupportedFeatures({ callSettings, toolIds, corpusIds }: NewAgentBody): readonly Problem[] {
  return [
    ...unsupportedTools(callSettings.selectedTools ?? [], "/callSettings/selectedTools"),
    ...(toolIds.length > 0 ? [notInThisVersion("/toolIds", "a tool by toolIds")] : []),
    ...(corpusIds.length > 0 ? [notInThisVersion("/corpusIds", "a corpus by corpusIds")] : []),
  ];
}
