import { strict as assert } from "node:assert";
import { BUILT_IN_TOOLS, type BuiltInTool, type CallSpec, type ConnectionType } from "../core/call-spec.ts";
import type { Language } from "../speech/languages.ts";
import type { Voice } from "../speech/speech.ts";
import { type NewCallBody, WebsocketBody } from "./call-schemas.ts";
import { firstProblems, invalidRequest, notBuilt, type Problem } from "./errors.ts";
import { isBlank, isObject, problem, problemsOf } from "./validation.ts";
import type { VoiceCatalogue } from "./voices.ts";

/** The transports this build carries. */
const CARRIED: readonly ConnectionType[] = ["carrier_a"];

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
  const [voices, languages] = await Promise.all([catalogue.voices(), catalogue.languages()]);
  const given: Record<string, unknown> = isObject(body) ? body : {};
  const problems = [...found, ...websocketProblems(given)];
  const voice = lookUpVoice(given.voice, voices);
  const language = lookUpLanguage(given.language, languages);
  let code: "invalid_request" | "unknown_voice" | "unknown_language" | undefined;
  if (problems.length > 0) code = "invalid_request";
  if (isProblem(voice)) {
    problems.push(voice);
    code ??= "unknown_voice";
  }
  if (isProblem(language)) {
    problems.push(language);
    code ??= "unknown_language";
  }
  if (code !== undefined) throw invalidRequest(problems, code);
  const missing = featuresNotBuilt(body);
  if (missing.length > 0) throw notBuilt(missing);
  assert.ok(voice !== undefined && !isProblem(voice) && language !== undefined && !isProblem(language));
  return withUnits(body, voice.id, language.code);
}

const isProblem = (found: object | undefined): found is Problem => found !== undefined && "path" in found;

/** By id, or by a name that only one voice has. Undefined for what is no string: the schema tells that. */
function lookUpVoice(given: unknown, voices: readonly Voice[]): Voice | Problem | undefined {
  if (typeof given !== "string") return undefined;
  const byId = voices.find((voice) => voice.id === given);
  if (byId !== undefined) return byId;
  const named = voices.filter((voice) => voice.name === given);
  if (named.length === 1) return named[0];
  if (named.length === 0) return problem(["voice"], "must be the id or name of a voice from GET /voices", given);
  const ids = named.map((voice) => voice.id).join(", ");
  return problem(["voice"], `must be one of the ids ${ids}, whose voices share this name`, given);
}

/** Codes are compared without regard to case (RFC 5646, section 2.1.1), and stored as the catalogue writes them. */
function lookUpLanguage(given: unknown, languages: readonly Language[]): Language | Problem | undefined {
  if (typeof given !== "string") return undefined;
  const wanted = given.toLowerCase();
  const found = languages.find((language) => language.code.toLowerCase() === wanted);
  return found ?? problem(["language"], "must be a language code from GET /languages", given);
}

/** The `websocket` object counts for nothing beside another transport, so it is not looked at then. */
function websocketProblems(body: Record<string, unknown>): readonly Problem[] {
  if (body.connectionType !== "websocket" || body.websocket === undefined) return [];
  const result = WebsocketBody.safeParse(body.websocket, { reportInput: true });
  return result.success ? [] : firstProblems(problemsOf(result.error, ["websocket"]));
}

function featuresNotBuilt(body: NewCallBody): readonly Problem[] {
  const missing: Problem[] = [];
  const miss = (path: string, feature: string) =>
    missing.push({ path, message: `${feature} is not available in this version` });
  if (!CARRIED.includes(body.connectionType)) miss("/connectionType", `connectionType ${body.connectionType}`);
  for (const [index, tool] of body.selectedTools.entries()) {
    const path = `/selectedTools/${index}`;
    if (tool.toolId !== undefined) miss(path, "a tool by toolId");
    else if (tool.definition !== undefined) miss(path, "a tool by definition");
    else if (tool.toolName !== undefined && !isBuiltIn(tool.toolName)) miss(path, `the tool ${tool.toolName}`);
  }
  return missing;
}

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
