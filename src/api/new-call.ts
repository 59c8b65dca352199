import {
  BUILT_IN_TOOLS,
  type BuiltInTool,
  type CallSpec,
  type ConnectionType,
  type StreamCodec,
  type StreamFormat,
} from "../core/call-spec.ts";
import { CARRIER_RATE_HZ } from "../core/limits.ts";
import { isG711, type NewCallBody, STREAM_RATE_HZ_DEFAULT, WebsocketBody } from "./call-schemas.ts";
import { firstProblems, notBuilt, type Problem } from "./errors.ts";
import { languageByCode, lookUpOffered, voiceByIdOrName } from "./offered.ts";
import { isBlank, isObject, problem, problemsOf } from "./validation.ts";
import type { VoiceCatalogue } from "./voices.ts";

/** The transports this build carries. */
const CARRIED: readonly ConnectionType[] = ["carrier_a", "carrier_b", "carrier_c", "websocket"];

/** What this installation has to make calls of. */
export interface Offer {
  voices: VoiceCatalogue;
  /** The codecs that a call of connectionType `websocket` may have. */
  streamCodecs: readonly StreamCodec[];
}

/**
 * Turns the body of `POST /calls` into the call's specification.
 *
 * `found` is what the schema has against the body; with anything in it the body is as it came, of whatever shape.
 * Throws ApiError: 400 with all problems at once; else 501 for listed features that this build does not have.
 */
export async function specOf(
  body: NewCallBody,
  found: readonly Problem[],
  { voices, streamCodecs }: Offer,
): Promise<CallSpec> {
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const { voice, language } = await lookUpOffered([...found, ...websocketProblems(given, streamCodecs)], voices, {
    voice: voiceByIdOrName("voice", given.voice),
    language: languageByCode("language", given.language),
  });
  const missing = featuresNotBuilt(body);
  if (missing.length > 0) throw notBuilt(missing);
  return withUnits(body, voice.id, language.code);
}

/** The `websocket` object counts for nothing beside another transport, so it is not looked at then. */
export function websocketProblems(
  { connectionType, websocket }: Record<string, unknown>,
  streamCodecs: readonly StreamCodec[],
): readonly Problem[] {
  if (connectionType !== "websocket" || websocket === undefined) return [];
  return firstProblems(problemsWithin(websocket, streamCodecs));
}

/** The schema knows all codecs. What may be asked for instead are those that there are here, so that is told first. */
function* problemsWithin(websocket: unknown, streamCodecs: readonly StreamCodec[]): Generator<Problem> {
  const codec = isObject(websocket) ? websocket.codec : undefined;
  if (codec !== undefined && !streamCodecs.some((name) => name === codec)) {
    yield problem(["websocket", "codec"], `must be one of ${streamCodecs.join(", ")}`, codec);
  }
  const result = WebsocketBody.safeParse(websocket, { reportInput: true });
  if (!result.success) yield* problemsOf(result.error, ["websocket"]);
}

function featuresNotBuilt({ connectionType, selectedTools }: NewCallBody): readonly Problem[] {
  const missing = toolsNotBuilt(selectedTools, "/selectedTools");
  if (CARRIED.includes(connectionType)) return missing;
  return [notInThisVersion("/connectionType", `connectionType ${connectionType}`), ...missing];
}

/** `path` is where in the body the list stands. */
export function toolsNotBuilt(tools: NewCallBody["selectedTools"], path: string): readonly Problem[] {
  return tools.flatMap((tool, index) => {
    const miss = (feature: string) => [notInThisVersion(`${path}/${index}`, feature)];
    if (tool.toolId !== undefined) return miss("a tool by toolId");
    if (tool.definition !== undefined) return miss("a tool by definition");
    if (tool.toolName !== undefined && !isBuiltIn(tool.toolName)) return miss(`the tool ${tool.toolName}`);
    return [];
  });
}

export const notInThisVersion = (path: string, feature: string): Problem => ({
  path,
  message: `${feature} is not available in this version`,
});

const isBuiltIn = (name: string): name is BuiltInTool => BUILT_IN_TOOLS.some((tool) => tool === name);

function withUnits(body: NewCallBody, voiceId: string, language: string): CallSpec {
  const tools = new Set(body.selectedTools.flatMap(({ toolName = "" }) => (isBuiltIn(toolName) ? [toolName] : [])));
  // A greeting is the agent's opening line: there is none when the user opens, and a blank one says nothing.
  const greeting = body.firstSpeaker === "agent" && !isBlank(body.greeting ?? "") ? body.greeting : undefined;
  return {
    systemPrompt: body.systemPrompt,
    voiceId,
    language,
    languagePinned: false,
    model: body.model,
    temperature: body.temperature,
    ...(greeting !== undefined && { greeting }),
    firstSpeaker: body.firstSpeaker,
    interruptible: body.interruptible,
    maxDurationMs: body.maxDuration * 1_000,
    inactivityTimeoutMs: body.inactivityTimeout * 1_000,
    inactivityAction: body.inactivityAction,
    recordingEnabled: body.recordingEnabled,
    connectionType: body.connectionType,
    ...(body.connectionType === "websocket" && { websocket: streamFormatOf(body.websocket) }),
    tools: [...tools].map((name) => ({ kind: "built_in", name, fixedArguments: {} })),
    ...(body.metadata !== undefined && { metadata: body.metadata }),
  };
}

/** Of a `websocket` object that `websocketProblems` has nothing against. */
function streamFormatOf(websocket: unknown = {}): StreamFormat {
  const { codec, inputSampleRate, outputSampleRate } = WebsocketBody.parse(websocket);
  const rateHz = isG711(codec) ? CARRIER_RATE_HZ : STREAM_RATE_HZ_DEFAULT;
  return { codec, inputRateHz: inputSampleRate ?? rateHz, outputRateHz: outputSampleRate ?? rateHz };
}
