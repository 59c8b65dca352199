import type { CallSpec } from "../../core/calls/spec.ts";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import type { AgentDefinition, VariableValues } from "../../store/agent-store.ts";
import { afterCallProblems } from "../calls/after-call.ts";
import { type CallSettingsBody, NewCallBody } from "../calls/schemas/request-schemas.ts";
import { type CallSpecDeps, maxCostProblems, modelProblems, specOfCheckedTools } from "../calls/spec.ts";
import { ApiError, invalidRequest, type Problem } from "../http/errors.ts";
import { isBlank, problemWithoutValue } from "../http/requests/validation.ts";
import { corpusProblems, type NamedCorpora, withCorporaOfAgent } from "../tools/corpora.ts";
import { readingOnce } from "../tools/corpora-once.ts";
import { toolProblems } from "../tools/selected-tools.ts";
import { languageByCode, languageMismatch, lookUpVoiceAndLanguage, voiceByIdOrName } from "../voices/lookup.ts";
import type { AgentCallBody } from "./schemas.ts";
import { type CallFacts, type FilledTexts, filledTexts, valuesOf } from "./variables.ts";

/**
 * Joins the prompt layers of a saved agent into one prompt in Markdown: the base prompt, then the context under the heading
 * `# Context`, then the custom instructions under `# Instructions`. A blank layer is omitted with its heading. A blank line
 * separates the layers; the text of a layer does not change.
 */
export function promptOf(agent: Omit<FilledTexts, "greeting">): string {
  const parts = [agent.basePrompt];
  if (!isBlank(agent.context)) parts.push("# Context", agent.context);
  if (!isBlank(agent.customInstructions)) parts.push("# Instructions", agent.customInstructions);
  return parts.join("\n\n");
}

/** A call to place from an agent. */
export interface AgentCall {
  /** The version of the agent. */
  definition: AgentDefinition;
  accountId: AccountId;
  /** The body as received: of any shape when there are problems. */
  body: AgentCallBody;
  /** The problems that were found before. */
  found: readonly Problem[];
  /** Values for variables that `body` does not give. */
  facts?: CallFacts;
}

/**
 * The specification of a call that is placed from a saved agent, and the values of its variables. It equals `POST /calls`
 * with the agent's prompt, voice, language and settings, the overrides and the fields of `body`. Throws ApiError: 400 with
 * all problems together; `conflict` when the agent's voice, its language or something that a tool needs is no longer
 * offered, or when the voice no longer speaks the language; otherwise what `specOfCheckedTools` throws.
 */
export async function agentSpecOf(
  { definition, accountId, body, found, facts }: AgentCall,
  offered: CallSpecDeps,
): Promise<{ spec: CallSpec; variables: VariableValues }> {
  const offer = { ...offered, corpusLookup: readingOnce(offered.corpusLookup) };
  const overrides: Record<string, unknown> = isObject(body.overrides) ? body.overrides : {};
  const { values, problems: wrongValues } = valuesOf(definition.variables, body.variables, facts);
  const { texts, problems: wrongTexts } =
    wrongValues.length > 0 ? { texts: definition, problems: [] } : filledTexts(definition, values);
  const problems = [
    ...found,
    ...wrongValues,
    ...wrongTexts,
    ...(await overrideProblems(definition, overrides, accountId, offer)),
  ];
  const { voice = definition.voiceId, language = definition.languageId } = overrides;
  if (overrides.voice !== undefined || overrides.language !== undefined) {
    await requireVoice(definition, overrides, problems, offer);
  }
  if (problems.length > 0) throw invalidRequest(problems);
  await requireAvailable(definition, accountId, offer, overrides);
  const { voice: _, language: __, ...settings } = overrides;
  const { connectionType, websocket, metadata } = body;
  const whole = NewCallBody.parse({
    ...definition.callSettings,
    selectedTools: toolsOf(definition),
    greeting: "greeting" in texts ? texts.greeting : undefined,
    ...settings,
    systemPrompt: promptOf(texts),
    voice,
    language,
    connectionType,
    websocket,
    metadata,
  });
  const selectedTools = withCorporaOfAgent(whole.selectedTools, definition.corpusIds);
  const spec = await specOfCheckedTools({ ...whole, selectedTools }, accountId, [], offer);
  const isRedacted = spec.redact?.includes("variables") === true;
  return {
    spec: isRedacted ? { ...spec, redactedValues: Object.values(values).map(String) } : spec,
    variables: values,
  };
}

/** The tools of an agent's calls: those of its settings, and its saved ones. */
function toolsOf({ callSettings, toolIds }: Pick<AgentDefinition, "callSettings" | "toolIds">): readonly unknown[] {
  const { selectedTools = [] } = callSettings as CallSettingsBody;
  return [...selectedTools, ...toolIds.map((toolId) => ({ toolId }))];
}

/** The path of the agent's own corpora in problems. */
const OWN_CORPORA = "/corpusIds";

const corporaOf = (corpusIds: readonly string[]): NamedCorpora => ({ at: ["corpusIds"], ids: corpusIds });

/** The problems of overrides that the schema does not see: those that the agent does not allow, tools, and the limit of cost. */
async function overrideProblems(
  { allowedOverrides, callSettings, corpusIds }: AgentDefinition,
  overrides: Record<string, unknown>,
  accountId: AccountId,
  offer: CallSpecDeps,
): Promise<readonly Problem[]> {
  const refused = Object.keys(overrides)
    .filter((name) => !allowedOverrides.includes(name))
    .map((name) => problemWithoutValue(["overrides", name], "is not one of the agent's `allowedOverrides`"));
  const { maxCost, model } = overrides;
  const at = ["overrides", "selectedTools"];
  // That those of the agent are gone is no problem of the request: see `requireAvailable`.
  const tools = await toolProblems(overrides.selectedTools, at, accountId, offer, {
    corpora: corporaOf(corpusIds),
  });
  // What the agent itself asks for was checked when it was saved, with its own `transcriptEnabled`.
  const { redact = callSettings.redact, analysis = callSettings.analysis, transcriptEnabled } = overrides;
  const storing = { redact, analysis, transcriptEnabled: transcriptEnabled ?? callSettings.transcriptEnabled };
  const limited = maxCost === undefined && model === undefined ? {} : { ...callSettings, ...overrides };
  return [
    ...refused,
    ...(model === undefined ? [] : modelProblems(overrides, ["overrides"], offer)),
    ...maxCostProblems(limited, ["overrides"], offer),
    ...(await afterCallProblems(storing, ["overrides"], accountId, offer)),
    ...tools.filter(({ path }) => path !== OWN_CORPORA && !path.startsWith(`${OWN_CORPORA}/`)),
  ];
}

/** Throws ApiError 400, with the `problems` found before, when the overrides name no voice that speaks the call's language. */
async function requireVoice(
  { voiceId, languageId }: AgentDefinition,
  { voice = voiceId, language = languageId }: Record<string, unknown>,
  problems: readonly Problem[],
  { voices }: CallSpecDeps,
): Promise<void> {
  await lookUpVoiceAndLanguage(problems, voices, {
    voiceAt: ["overrides", "voice"],
    givenVoice: voice,
    voice: voiceByIdOrName(["overrides", "voice"], voice),
    language: languageByCode(["overrides", "language"], language),
  });
}

/**
 * Throws ApiError `conflict` when something that the agent itself names, and `overrides` do not replace, is no longer
 * offered.
 */
export async function requireAvailable(
  { voiceId, languageId, callSettings, toolIds, corpusIds }: AgentDefinition,
  accountId: AccountId,
  offer: CallSpecDeps,
  overrides: Record<string, unknown> = {},
): Promise<void> {
  const [voices, languages] = await Promise.all([offer.voices.voices(), offer.voices.languages()]);
  const noLongerOffered: string[] = [];
  // Overrides of these have been looked up together with the agent's own.
  if (overrides.voice === undefined && overrides.language === undefined) {
    const voice = voices.find(({ id }) => id === voiceId);
    const hasLanguage = languages.some(({ code }) => code === languageId);
    if (voice === undefined) noLongerOffered.push(`voice ${JSON.stringify(voiceId)}`);
    if (!hasLanguage) noLongerOffered.push(`language ${JSON.stringify(languageId)}`);
    const unspoken = voice && hasLanguage ? languageMismatch(voices, voice, languageId) : undefined;
    if (unspoken !== undefined) noLongerOffered.push(unspoken);
  }
  const tools =
    overrides.selectedTools === undefined
      ? await toolProblems(callSettings.selectedTools ?? [], ["callSettings", "selectedTools"], accountId, offer, {
          tools: { ids: toolIds, at: ["toolIds"] },
          corpora: corporaOf(corpusIds),
        })
      : await corpusProblems([], corporaOf(corpusIds), accountId, offer.corpusLookup);
  const replacesCost = overrides.maxCost !== undefined || overrides.model !== undefined;
  const cost = replacesCost ? [] : maxCostProblems(callSettings, ["callSettings"], offer);
  const model = overrides.model === undefined ? modelProblems(callSettings, ["callSettings"], offer) : [];
  noLongerOffered.push(...[...tools, ...model, ...cost].map(({ path }) => path));
  if (noLongerOffered.length > 0)
    throw new ApiError("conflict", `the agent uses what is no longer offered: ${noLongerOffered.join(", ")}`);
}
