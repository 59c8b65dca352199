import { CARRIER_NAMES } from "../../carriers/list.ts";
import {
  type CallSpec,
  type ConnectionType,
  MODEL_DEFAULT,
  MODEL_NAMES,
  type ModelName,
  type StreamFormat,
} from "../../core/calls/spec.ts";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { CARRIER_RATE_HZ } from "../../core/limits/media.ts";
import { primaryLanguages } from "../../speech/languages.ts";
import type { Path } from "../http/display-path.ts";
import { firstProblems, notImplemented, notInThisVersion, type Problem } from "../http/errors.ts";
import { isBlank, problem, problemsOf } from "../http/validation.ts";
import { type ToolDeps, toolProblems, transportProblems, unsupportedTools } from "../tools/selected-tools.ts";
import { toolSpecsOf } from "../tools/tool-specs.ts";
import type { VoiceCatalogue } from "../voices/catalogue.ts";
import { languageByCode, lookUpVoiceAndLanguage, voiceByIdOrName } from "../voices/lookup.ts";
import { isG711, type NewCallBody, STREAM_RATE_HZ_DEFAULT, WebsocketBody } from "./request-schemas.ts";

/** The connection types that this build supports. */
const SUPPORTED_CONNECTION_TYPES: readonly ConnectionType[] = [...CARRIER_NAMES, "websocket"];

/** What this installation offers to calls. */
export interface CallSpecDeps extends ToolDeps {
  voices: VoiceCatalogue;
  /** The prices without which the `maxCost` of a call with this model cannot be enforced; empty if none is missing. */
  missingPrices: (model: ModelName) => readonly string[];
}

/**
 * Turns the body of `POST /calls` into the call's specification.
 *
 * `accountId` is the call's owner. `found` holds the schema's problems of the body; when there are any, the body is as received
 * and may have any shape.
 * Throws ApiError: 400 with all problems together; otherwise 501 for listed features that this build does not have.
 */
export async function callSpecOf(
  body: NewCallBody,
  found: readonly Problem[],
  accountId: AccountId,
  offer: CallSpecDeps,
): Promise<CallSpec> {
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const tools = await toolProblems(given.selectedTools, ["selectedTools"], accountId, offer);
  return specOfCheckedTools(
    body,
    [...found, ...websocketProblems(given), ...maxCostProblems(given, [], offer), ...tools],
    offer,
  );
}

/** The same as `callSpecOf` for a body whose tools and format have been checked; their problems are in `found`. */
export async function specOfCheckedTools(
  body: NewCallBody,
  found: readonly Problem[],
  { voices }: Pick<CallSpecDeps, "voices">,
): Promise<CallSpec> {
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const { voice, language, languages } = await lookUpVoiceAndLanguage([...found, ...transportProblems(given)], voices, {
    voiceField: "voice",
    givenVoice: given.voice,
    voice: voiceByIdOrName("voice", given.voice),
    language: languageByCode("language", given.language),
  });
  const missing = unsupportedFeatures(body);
  if (missing.length > 0) throw notImplemented(missing);
  return toCallSpec(body, voice.id, language.code, primaryLanguages(languages));
}

/** With another connection type the `websocket` object has no effect and is not checked. */
export function websocketProblems({ connectionType, websocket }: Record<string, unknown>): readonly Problem[] {
  if (connectionType !== "websocket" || websocket === undefined) return [];
  const result = WebsocketBody.safeParse(websocket, { reportInput: true });
  return result.success ? [] : firstProblems(problemsOf(result.error, ["websocket"]));
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

function unsupportedFeatures({ connectionType, selectedTools }: NewCallBody): readonly Problem[] {
  const missing = unsupportedTools(selectedTools, "/selectedTools");
  if (SUPPORTED_CONNECTION_TYPES.includes(connectionType)) return missing;
  return [notInThisVersion("/connectionType", `connectionType ${connectionType}`), ...missing];
}

function toCallSpec(body: NewCallBody, voiceId: string, language: string, languages: readonly string[]): CallSpec {
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
    ...(body.useParameters && { useParameters: true }),
    connectionType: body.connectionType,
    ...(body.connectionType === "websocket" && { websocket: streamFormatOf(body.websocket) }),
    tools: toolSpecsOf(body.selectedTools, languages),
    ...(body.metadata !== undefined && { metadata: body.metadata }),
  };
}

/** Requires a `websocket` object in which `websocketProblems` found nothing. */
function streamFormatOf(websocket: unknown = {}): StreamFormat {
  const { codec, inputSampleRate, outputSampleRate } = WebsocketBody.parse(websocket);
  const rateHz = isG711(codec) ? CARRIER_RATE_HZ : STREAM_RATE_HZ_DEFAULT;
  return { codec, inputRateHz: inputSampleRate ?? rateHz, outputRateHz: outputSampleRate ?? rateHz };
}
