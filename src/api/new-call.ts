import { BUILT_IN_TOOLS, type BuiltInTool, type CallSpec, type ConnectionType } from "../core/call-spec.ts";
import { type NewCallBody, WebsocketBody } from "./call-schemas.ts";
import { firstProblems, notBuilt, type Problem } from "./errors.ts";
import { languageByCode, lookUpOffered, voiceByIdOrName } from "./offered.ts";
import { isBlank, isObject, problemsOf } from "./validation.ts";
import type { VoiceCatalogue } from "./voices.ts";

/** The transports this build carries. */
const CARRIED: readonly ConnectionType[] = ["carrier_a", "carrier_b", "carrier_c"];

/**
 * Turns the body of `POST /calls` into the call's specification.
 *
 * `found` is what the schema has against the body; with anything in it the body is as it came, of whatever shape.
 * Throws ApiError: 400 with all problems at once; else 501 for listed features that this build does not have.
 */
export async function specOf(
  body: NewCallBody,
  found: readonly Problem[],
  catalogue: VoiceCatalogue,
): Promise<CallSpec> {
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const { voice, language } = await lookUpOffered([...found, ...websocketProblems(given)], catalogue, {
    voice: voiceByIdOrName("voice", given.voice),
    language: languageByCode("language", given.language),
  });
  const missing = featuresNotBuilt(body);
  if (missing.length > 0) throw notBuilt(missing);
  return withUnits(body, voice.id, language.code);
}

/** The `websocket` object counts for nothing beside another transport, so it is not looked at then. */
export function websocketProblems(body: Record<string, unknown>): readonly Problem[] {
  if (body.connectionType !== "websocket" || body.websocket === undefined) return [];
  const result = WebsocketBody.safeParse(body.websocket, { reportInput: true });
  return result.success ? [] : firstProblems(problemsOf(result.error, ["websocket"]));
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
    tools: [...tools],
    ...(body.metadata !== undefined && { metadata: body.metadata }),
  };
}
