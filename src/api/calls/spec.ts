import { type AllowedProviders, allows } from "../../core/accounts/account-settings.ts";
import type { AnalysisSettings } from "../../core/calls/analysis.ts";
import { type CallSpec, MODEL_DEFAULT, MODEL_NAMES, type ModelName, type StreamFormat } from "../../core/calls/spec.ts";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { CARRIER_RATE_HZ } from "../../core/limits/streams/media.ts";
import { primaryLanguages } from "../../speech/languages.ts";
import type { AccountState } from "../../store/accounts/api-key-store.ts";
import type { Path } from "../http/display-path.ts";
import { ApiError, firstProblems, notImplemented, type Problem } from "../http/errors.ts";
import { isBlank, problem, problemsOf, problemWithoutValue } from "../http/requests/validation.ts";
import { callKnowledgeOf } from "../tools/corpora.ts";
import { readingOnce } from "../tools/corpora-once.ts";
import { type SavedToolDeps, type SavedTools, savedToolsOf, toolIdsIn } from "../tools/saved.ts";
import { type ToolDeps, toolProblems, transportProblems } from "../tools/selected-tools.ts";
import { toolSpecsOf } from "../tools/tool-specs.ts";
import type { VoiceCatalogue } from "../voices/catalogue.ts";
import { languageByCode, lookUpVoiceAndLanguage, voiceByIdOrName } from "../voices/lookup.ts";
import { afterCallProblems } from "./after-call.ts";
import { isG711, type NewCallBody, STREAM_RATE_HZ_DEFAULT, WebsocketBody } from "./schemas/request-schemas.ts";

/** What this installation offers to calls; `offerTo` narrows it to one account. */
export interface CallSpecDeps extends ToolDeps {
  voices: VoiceCatalogue;
  /** The LLM providers of a model, in order of failover. */
  llmProviders: (model: ModelName) => readonly string[];
  /**
   * The prices without which the `maxCost` of a call with this model cannot be enforced, when it may use these providers;
   * empty if none is missing.
   */
  missingPrices: (model: ModelName, allowed?: AllowedProviders) => readonly string[];
  /** What to install or to set for calls with connectionType `webrtc`; undefined where the service carries them. */
  webrtcMissing: string | undefined;
}

/** What is offered to one account, from what the installation offers. */
export const offerTo = <Deps extends CallSpecDeps>(deps: Deps, { settings }: Pick<AccountState, "settings">): Deps => {
  const { providers } = settings;
  return {
    ...deps,
    voices: deps.voices.forAccount(settings),
    llmProviders: (model) => deps.llmProviders(model).filter((provider) => allows(providers, "llm", provider)),
    missingPrices: (model) => deps.missingPrices(model, providers),
  };
};

/**
 * Turns the body of `POST /calls` into the call's specification.
 *
 * `accountId` is the call's owner. `found` holds the schema's problems of the body; when there are any, the body is as received
 * and may have any shape.
 * Throws ApiError: 400 with all problems together; otherwise 501 for listed features that this service lacks.
 */
export async function callSpecOf(
  body: NewCallBody,
  found: readonly Problem[],
  accountId: AccountId,
  offered: CallSpecDeps,
): Promise<CallSpec> {
  const offer = { ...offered, corpusLookup: readingOnce(offered.corpusLookup) };
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const tools = await toolProblems(given.selectedTools, ["selectedTools"], accountId, offer);
  return specOfCheckedTools(
    body,
    accountId,
    [
      ...agentFieldProblems(given),
      ...found,
      ...websocketProblems(given),
      ...modelProblems(given, [], offer),
      ...maxCostProblems(given, [], offer),
      ...(await afterCallProblems(given, [], accountId, offer)),
      ...tools,
    ],
    offer,
  );
}

/** The same as `callSpecOf` for a body whose tools and format have been checked; their problems are in `found`. */
export async function specOfCheckedTools(
  body: NewCallBody,
  accountId: AccountId,
  found: readonly Problem[],
  offer: Pick<CallSpecDeps, "voices" | "webrtcMissing" | "corpusLookup" | keyof SavedToolDeps>,
): Promise<CallSpec> {
  const { voices, webrtcMissing } = offer;
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const saved = await savedToolsOf(toolIdsIn(given.selectedTools), accountId, offer);
  const problems = [...found, ...transportProblems(given, saved)];
  const { voice, language, languages } = await lookUpVoiceAndLanguage(problems, voices, {
    voiceAt: ["voice"],
    givenVoice: given.voice,
    voice: voiceByIdOrName(["voice"], given.voice),
    language: languageByCode(["language"], given.language),
  });
  const missing = unsupportedFeatures(body, webrtcMissing);
  if (missing.length > 0) throw notImplemented(missing);
  requireSaved(body.selectedTools, saved);
  const facts = {
    languages: primaryLanguages(languages),
    knowledge: await callKnowledgeOf(body.selectedTools, accountId, offer.corpusLookup),
    saved,
  };
  return toCallSpec(body, voice.id, language.code, await toolSpecsOf(body.selectedTools, facts, offer));
}

/** Throws ApiError `conflict` when a saved tool was deleted since its problems were looked for. */
function requireSaved(selected: NewCallBody["selectedTools"], saved: SavedTools): void {
  const deleted = toolIdsIn(selected).find((id) => !saved.has(id));
  if (deleted !== undefined) throw new ApiError("conflict", `the tool ${deleted} was deleted meanwhile`);
}

/** Fields of calls from a saved agent, which `POST /calls` does not have. */
const AGENT_FIELDS = ["agentId", "variables", "overrides"] as const;

const agentFieldProblems = (given: Record<string, unknown>): readonly Problem[] =>
  AGENT_FIELDS.filter((field) => field in given).map((field) => {
    return problemWithoutValue([field], "is for calls from a saved agent, which POST /agents/{id}/calls creates");
  });

/** With another connection type the `websocket` object has no effect and is not checked. */
export function websocketProblems({ connectionType, websocket }: Record<string, unknown>): readonly Problem[] {
  if (connectionType !== "websocket" || websocket === undefined) return [];
  const result = WebsocketBody.safeParse(websocket, { reportInput: true });
  return result.success ? [] : firstProblems(problemsOf(result.error, ["websocket"]));
}

/** A model is refused when the account may use none of its providers. `at` is the path of the settings in the body. */
export function modelProblems(
  { model = MODEL_DEFAULT }: Record<string, unknown>,
  at: Path,
  { llmProviders }: Pick<CallSpecDeps, "llmProviders">,
): readonly Problem[] {
  const isUsable = (name: ModelName): boolean => llmProviders(name).length > 0;
  if (!MODEL_NAMES.some((known) => known === model && !isUsable(known))) return [];
  const usable = MODEL_NAMES.filter(isUsable);
  const rule =
    usable.length === 0
      ? "has no provider that this account may use, and neither has another model: ask the operator"
      : `must be a model whose provider this account may use: ${usable.join(", ")}`;
  return [problem([...at, "model"], rule, model)];
}

/** A limit is accepted only when it can be enforced. `at` is the path of the settings in the body. */
export function maxCostProblems(
  { maxCost, model = MODEL_DEFAULT }: Record<string, unknown>,
  at: Path,
  { missingPrices }: Pick<CallSpecDeps, "missingPrices">,
): readonly Problem[] {
  const name = MODEL_NAMES.find((known) => known === model);
  if (maxCost === undefined || name === undefined) return [];
  const missing = missingPrices(name);
  if (missing.length === 0) return [];
  const rule = `needs a price in PRICES, 0 where it is free, for ${missing.join(", ")}`;
  return [problem([...at, "maxCost"], rule, maxCost)];
}

function unsupportedFeatures({ connectionType }: NewCallBody, webrtcMissing: string | undefined): readonly Problem[] {
  if (connectionType !== "webrtc" || webrtcMissing === undefined) return [];
  return [
    { path: "/connectionType", message: `connectionType webrtc is not set up in this service: ${webrtcMissing}` },
  ];
}

function toCallSpec(body: NewCallBody, voiceId: string, language: string, tools: CallSpec["tools"]): CallSpec {
  // A greeting is the agent's opening line. There is none when the user speaks first; a blank greeting counts as absent.
  const greeting = body.firstSpeaker === "agent" && !isBlank(body.greeting ?? "") ? body.greeting : undefined;
  return {
    systemPrompt: body.systemPrompt,
    voiceId,
    language,
    languagePinned: body.languagePinned,
    model: body.model,
    temperature: body.temperature,
    ...(greeting !== undefined && { greeting }),
    firstSpeaker: body.firstSpeaker,
    interruptible: body.interruptible,
    maxDurationMs: body.maxDuration * 1_000,
    inactivityTimeoutMs: body.inactivityTimeout * 1_000,
    inactivityAction: body.inactivityAction,
    ...(body.maxCost !== undefined && { maxCost: body.maxCost }),
    recordingEnabled: body.recordingEnabled,
    transcriptEnabled: body.transcriptEnabled,
    ...(body.useParameters && { useParameters: true }),
    ...(body.redact.length > 0 && { redact: [...new Set(body.redact)] }),
    ...(body.analysis !== undefined && { analysis: analysisSettingsOf(body.analysis) }),
    connectionType: body.connectionType,
    ...(body.connectionType === "websocket" && { websocket: streamFormatOf(body.websocket) }),
    tools,
    ...(body.metadata !== undefined && { metadata: body.metadata }),
  };
}

const analysisSettingsOf = ({ schema, prompt, summary }: NonNullable<NewCallBody["analysis"]>): AnalysisSettings => ({
  ...(schema !== undefined && { schema }),
  ...(prompt !== undefined && !isBlank(prompt) && { prompt }),
  ...(summary && { summary }),
});

/** Requires a `websocket` object in which `websocketProblems` found nothing. */
export function streamFormatOf(websocket: unknown = {}): StreamFormat {
  const { codec, inputSampleRate, outputSampleRate } = WebsocketBody.parse(websocket);
  const rateHz = isG711(codec) ? CARRIER_RATE_HZ : STREAM_RATE_HZ_DEFAULT;
  return { codec, inputRateHz: inputSampleRate ?? rateHz, outputRateHz: outputSampleRate ?? rateHz };
}
