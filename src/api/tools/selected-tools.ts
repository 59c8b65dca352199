import { CARRIER_NAMES } from "../../carriers/list.ts";
import {
  BUILT_IN_TOOLS,
  type BuiltInTool,
  CONNECTION_TYPE_DEFAULT,
  type ConnectionType,
} from "../../core/calls/spec.ts";
import { addMs, type MonotonicMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { ACCOUNT_SECRETS_MAX } from "../../core/limits/accounts/accounts.ts";
import {
  SCHEMA_COMPILE_CPU_MS_MAX,
  SCHEMAS_OF_REQUEST_CPU_MS_MAX,
  SCHEMAS_OF_REQUEST_MS_MAX,
  SELECTED_TOOLS_MAX,
} from "../../core/limits/agents/tools.ts";
import type { SchemaChecks } from "../../core/schemas/checker.ts";
import { compiledInTime } from "../../core/schemas/compiled-in-time.ts";
import { schemaProblem } from "../../core/schemas/shape.ts";
import { primaryLanguage } from "../../core/text/language-tags.ts";
import { argumentsIn, headerProblem, secretsIn, urlProblem, urlTemplateOf } from "../../core/tools/http-tool.ts";
import { isToolName } from "../../core/tools/names.ts";
import { type ToolSecrets, toolSecretFor, withSecretsOf } from "../../core/tools/secrets.ts";
import { languageCode, primaryLanguages } from "../../speech/languages.ts";
import type { AccountSecretStore } from "../../store/accounts/account-secret-store.ts";
import type { Path } from "../http/display-path.ts";
import { ApiError, type Problem } from "../http/errors.ts";
import { isBlank, problem, problemWithoutValue } from "../http/requests/validation.ts";
import type { VoiceCatalogue } from "../voices/catalogue.ts";
import { languageRule } from "../voices/lookup.ts";
import { type CorpusLookup, corpusProblems, type NamedCorpora, namedCorpora } from "./corpora.ts";
import { argumentNamesOf, type SavedToolDeps, type SavedTools, savedToolsOf, toolIdsIn } from "./saved.ts";
import { TOOL_NAMES } from "./schemas.ts";

/** What this installation allows to tools. */
export interface ToolDeps extends SavedToolDeps {
  /** The service's secrets that headers may contain, and which account may send them to which server. */
  toolSecrets: ToolSecrets;
  /** The accounts' own. */
  accountSecrets: Pick<AccountSecretStore, "list">;
  /** Tools may call this machine. */
  toolsAllowLoopback: boolean;
  schemas: Pick<SchemaChecks, "compile">;
  /** What `query_corpus` may ask. */
  corpusLookup: CorpusLookup;
  /** What `switch_language` may be fixed to. */
  voices: Pick<VoiceCatalogue, "languages">;
}

/** The account whose tools are checked, and what the check needs. */
interface ToolCheckContext extends ToolDeps {
  accountId: AccountId;
  /** The CPU time that the schemas of the request have taken. */
  schemaCpuMs: number;
  /** The deadline for compiling all of them, on `clock`. */
  schemasDeadlineMs: MonotonicMs;
}

/** Whether a built-in tool has this name. Names are case-sensitive. */
export const isBuiltIn = (name: string): name is BuiltInTool => BUILT_IN_TOOLS.some((tool) => tool === name);

/** What an agent has beside the `selectedTools` of its settings. */
interface OfAgent {
  tools?: ToolIds;
  corpora?: NamedCorpora;
  /** The agent is being saved: it may fix only arguments that a tool of an MCP server has now. For a call, others are ignored. */
  isSaved?: boolean;
}

/** Saved tools that are named elsewhere than in `selectedTools`. */
interface ToolIds {
  /** Any value. */
  ids: unknown;
  at: Path;
}

/**
 * The problems of `selectedTools` beyond its shape, which the schema checks: here it may be any value. `at` is its path in the
 * body, `accountId` the account of the request. Schemas are compiled off this event loop, within a budget of CPU time. Throws
 * ApiError `unavailable` when they cannot be compiled now.
 */
export async function toolProblems(
  selected: unknown,
  at: Path,
  accountId: AccountId,
  offer: ToolDeps,
  ofAgent: OfAgent = {},
): Promise<readonly Problem[]> {
  const { tools: more, corpora, isSaved = false } = ofAgent;
  const listed = Array.isArray(selected) && selected.length <= SELECTED_TOOLS_MAX ? selected : [];
  const checked = new CheckedNames();
  const saved = await savedToolsOf([...toolIdsIn(listed), ...idsOf(more)], accountId, offer);
  return [
    ...(await selectedToolProblems(listed, at, { ...offer, accountId, saved, checked, isSaved })),
    ...(more === undefined ? [] : toolIdProblems(more, listed.length, saved, checked)),
    ...(await corpusProblems(namedCorpora(selected, at), corpora, accountId, offer.corpusLookup)),
  ];
}

const idsOf = (more: ToolIds | undefined): readonly string[] =>
  more !== undefined && Array.isArray(more.ids)
    ? more.ids.slice(0, SELECTED_TOOLS_MAX).filter((id) => typeof id === "string")
    : [];

/** The names and the saved tools of a list, each of which it may have once. */
class CheckedNames {
  readonly #taken = new Set<unknown>();

  /** The rule that a name breaks; undefined where it is new. */
  problemOf(name: unknown): string | undefined {
    if (typeof name === "string" && this.#taken.has(name)) return "must differ from the names of the other tools";
    this.#taken.add(name);
    return undefined;
  }
}

/** Why an id cannot be that of a tool of the list: it is unknown, or what it names is there already. */
function savedToolRule(id: string, saved: SavedTools, checked: CheckedNames): string | undefined {
  const tool = saved.get(id);
  if (tool === undefined) return "must be the id of a saved tool of the account";
  if (checked.problemOf(id) !== undefined) return "must be there once";
  const { definition } = tool;
  if (definition.type === "mcp" || checked.problemOf(definition.name) === undefined) return undefined;
  return `must name a tool whose name no other one has, and ${definition.name} is taken`;
}

function* toolIdProblems(
  { ids, at }: ToolIds,
  selectedCount: number,
  saved: SavedTools,
  checked: CheckedNames,
): Generator<Problem> {
  if (!Array.isArray(ids) || ids.length > SELECTED_TOOLS_MAX) return;
  if (ids.length + selectedCount > SELECTED_TOOLS_MAX) {
    const rule = `must have, together with selectedTools, at most ${SELECTED_TOOLS_MAX} tools`;
    yield problemWithoutValue(at, rule);
  }
  for (const [index, id] of ids.entries()) {
    const rule = typeof id === "string" ? savedToolRule(id, saved, checked) : undefined;
    if (rule !== undefined) yield problem([...at, index], rule, id);
  }
}

function* savedSelectionProblems(
  { toolId, parameterOverrides }: Record<string, unknown>,
  at: Path,
  { saved, checked, isSaved }: Pick<SelectionContext, "saved" | "checked" | "isSaved">,
): Generator<Problem> {
  if (typeof toolId !== "string" || isBlank(toolId)) return;
  const rule = savedToolRule(toolId, saved, checked);
  if (rule !== undefined) yield problem([...at, "toolId"], rule, toolId);
  const tool = saved.get(toolId);
  if (tool === undefined || !isObject(parameterOverrides)) return;
  // A server that changes its list must not keep calls from being created.
  if (tool.definition.type === "mcp" && !isSaved) return;
  const known = argumentNamesOf(tool);
  for (const name of Object.keys(parameterOverrides)) {
    if (known.includes(name)) continue;
    yield problemWithoutValue([...at, "parameterOverrides", name], "must be an argument of the tool");
  }
}

interface SelectionContext extends ToolDeps {
  accountId: AccountId;
  saved: SavedTools;
  checked: CheckedNames;
  isSaved: boolean;
}

async function selectedToolProblems(
  selected: readonly unknown[],
  at: Path,
  { accountId, saved, checked, isSaved, ...offer }: SelectionContext,
): Promise<readonly Problem[]> {
  const schemasDeadlineMs = addMs(offer.clock.nowMs(), SCHEMAS_OF_REQUEST_MS_MAX);
  const toolSecrets = mentionsSecret(selected) ? await secretsFor(accountId, offer) : offer.toolSecrets;
  const context: ToolCheckContext = { ...offer, toolSecrets, accountId, schemaCpuMs: 0, schemasDeadlineMs };
  const problems: Problem[] = [];
  for (const [index, tool] of selected.entries()) {
    if (!isObject(tool)) continue;
    const { toolName, definition } = tool;
    const nameAt: Path = toolName === undefined ? [...at, index, "definition", "name"] : [...at, index, "toolName"];
    const name = toolName ?? (isObject(definition) ? definition.name : undefined);
    const nameRule = checked.problemOf(name);
    if (nameRule !== undefined) problems.push(problem(nameAt, nameRule, name));
    problems.push(...savedSelectionProblems(tool, [...at, index], { saved, checked, isSaved }));
    if (toolName === "switch_language" && isObject(tool.parameterOverrides))
      problems.push(...(await fixedLanguageProblems(tool.parameterOverrides.language, [...at, index], offer)));
    if (!isObject(definition)) continue;
    const definitionAt: Path = [...at, index, "definition"];
    problems.push(...definitionProblems(definition, definitionAt, context));
    if (!isObject(definition.parameters)) continue;
    const rule = await schemaRule(definition.parameters, context);
    if (rule !== undefined) problems.push(problemWithoutValue([...definitionAt, "parameters"], rule));
    // The schemas after one that exceeds the budget are not checked.
    if (rule === OVER_BUDGET || rule === OVER_BUDGET_TOGETHER) break;
  }
  return problems;
}

/** Whether a text somewhere in these tools may name a secret. */
const mentionsSecret = (selected: readonly unknown[]): boolean => JSON.stringify(selected).includes("{{");

/** All secrets that tools of the account may name: of its own only where they may be sent is looked at, not their texts. */
async function secretsFor(
  accountId: AccountId,
  { accountSecrets, toolSecrets }: Pick<ToolDeps, "accountSecrets" | "toolSecrets">,
): Promise<ToolSecrets> {
  const { secrets } = await accountSecrets.list(accountId, "tool_secret", { limit: ACCOUNT_SECRETS_MAX });
  const own = Object.fromEntries(secrets.map(({ name, hosts = [] }) => [name, { value: "", hosts }]));
  return withSecretsOf(accountId, own, toolSecrets);
}

/** A language that is served, or a region of one, as the tool itself requires it of the LLM. */
async function fixedLanguageProblems(given: unknown, at: Path, { voices }: ToolDeps): Promise<readonly Problem[]> {
  const code = typeof given === "string" ? languageCode(given) : undefined;
  if (code === undefined) return [];
  const served = primaryLanguages(await voices.languages());
  if (served.includes(primaryLanguage(code))) return [];
  return [problem([...at, "parameterOverrides", "language"], languageRule(served), given)];
}

const OVER_BUDGET = `must be a JSON Schema that is compiled within ${SCHEMA_COMPILE_CPU_MS_MAX} ms of CPU time`;
const OVER_BUDGET_TOGETHER = `must be JSON Schemas that are compiled, with those before it, within ${SCHEMAS_OF_REQUEST_CPU_MS_MAX} ms of CPU time`;

const SCHEMAS_NOT_CHECKED =
  "the JSON Schemas of the request cannot be checked at present: the machine is busy, or too many are waiting";

/** The problem of a schema, as a rule that continues a field's name. */
async function schemaRule(schema: Record<string, unknown>, context: ToolCheckContext): Promise<string | undefined> {
  const json = JSON.stringify(schema);
  const rule = schemaProblem(schema, json);
  if (rule !== undefined) return rule;
  const result = await compiledInTime(json, context);
  if (result === undefined) throw new ApiError("unavailable", SCHEMAS_NOT_CHECKED);
  context.schemaCpuMs += result.cpuMs;
  switch (result.outcome) {
    case "answered":
      if (context.schemaCpuMs > SCHEMAS_OF_REQUEST_CPU_MS_MAX) return OVER_BUDGET_TOGETHER;
      return result.answer.kind === "fits" ? undefined : "must be a JSON Schema that can be compiled";
    case "over_budget":
      return OVER_BUDGET;
    case "refused":
      throw new ApiError("unavailable", SCHEMAS_NOT_CHECKED);
    case "failed":
      throw new ApiError("internal", "internal error");
  }
}

/** The problem of one schema that is none of a tool. Throws as `toolProblems` does. */
export function singleSchemaRule(
  schema: Record<string, unknown>,
  accountId: AccountId,
  offer: ToolDeps,
): Promise<string | undefined> {
  const schemasDeadlineMs = addMs(offer.clock.nowMs(), SCHEMAS_OF_REQUEST_MS_MAX);
  return schemaRule(schema, { ...offer, accountId, schemaCpuMs: 0, schemasDeadlineMs });
}

/** The problems of the definition of a saved tool beyond its shape. It may be any object. */
export async function savedDefinitionProblems(
  definition: Record<string, unknown>,
  accountId: AccountId,
  offer: ToolDeps,
): Promise<readonly Problem[]> {
  const schemasDeadlineMs = addMs(offer.clock.nowMs(), SCHEMAS_OF_REQUEST_MS_MAX);
  const toolSecrets = mentionsSecret([definition]) ? await secretsFor(accountId, offer) : offer.toolSecrets;
  const context: ToolCheckContext = { ...offer, toolSecrets, accountId, schemaCpuMs: 0, schemasDeadlineMs };
  const problems = [
    ...(definition.type === "mcp" ? mcpProblems(definition.mcp, context) : definitionProblems(definition, [], context)),
  ];
  if (!isObject(definition.parameters)) return problems;
  const rule = await schemaRule(definition.parameters, context);
  return rule === undefined ? problems : [...problems, problemWithoutValue(["parameters"], rule)];
}

/** Headers of the protocol, which the client itself sets. */
const MCP_HEADERS = /^(?:accept|last-event-id|mcp-.*)$/i;

function* mcpProblems(mcp: unknown, context: ToolCheckContext): Generator<Problem> {
  if (!isObject(mcp)) return;
  const { url, headers } = mcp;
  const template = typeof url === "string" ? urlTemplateOf(url) : undefined;
  const urlRule = typeof url === "string" ? urlProblem(url, context.toolsAllowLoopback) : undefined;
  if (urlRule !== undefined) yield problem(["mcp", "url"], urlRule, url);
  else if (typeof url === "string" && argumentsIn(url).length > 0)
    yield problem(["mcp", "url"], "must be an address without arguments", url);
  if (!isObject(headers)) return;
  yield* headerProblems(headers, ["mcp", "headers"], urlRule === undefined ? template?.origin : undefined, context);
  for (const name of Object.keys(headers)) {
    if (MCP_HEADERS.test(name))
      yield problemWithoutValue(["mcp", "headers", name], "must not be set: the protocol needs it");
  }
}

function* definitionProblems(
  definition: Record<string, unknown>,
  at: Path,
  context: ToolCheckContext,
): Generator<Problem> {
  const { name, parameters, http } = definition;
  if (TOOL_NAMES.some((own) => own === name)) {
    yield problem([...at, "name"], "must not be the name of a built-in tool", name);
  }
  if (!isObject(http)) return;
  const { url, headers } = http;
  const urlRule = typeof url === "string" ? urlProblem(url, context.toolsAllowLoopback) : undefined;
  if (typeof url === "string") {
    const rule = urlRule ?? unknownArgument(url, parameters);
    if (rule !== undefined) yield problem([...at, "http", "url"], rule, url);
  }
  const server = typeof url === "string" && urlRule === undefined ? urlTemplateOf(url) : undefined;
  if (isObject(headers)) yield* headerProblems(headers, [...at, "http", "headers"], server?.origin, context);
}

function unknownArgument(url: string, parameters: unknown): string | undefined {
  const properties = isObject(parameters) && isObject(parameters.properties) ? parameters.properties : {};
  const unknown = argumentsIn(url).find((name) => !Object.hasOwn(properties, name));
  return unknown === undefined
    ? undefined
    : `must contain only arguments that parameters defines; ${unknown} is not one`;
}

/**
 * Quotes no value: it may be a secret. A secret that this account may not send to `origin` gets the same message as one that does
 * not exist. Without an origin, which is a problem of its own, secrets are not looked up.
 */
function* headerProblems(
  headers: Record<string, unknown>,
  at: Path,
  origin: string | undefined,
  { accountId, toolSecrets, toolsAllowLoopback: allowLoopback }: ToolCheckContext,
): Generator<Problem> {
  const mayBeSent = (secret: string): boolean =>
    origin === undefined ||
    toolSecretFor(toolSecrets, secret, { accountId, url: new URL(origin), allowLoopback }) !== undefined;
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string") continue;
    const missing = secretsIn(value).find((secret) => !mayBeSent(secret));
    const rule =
      headerProblem(name, value) ??
      (seen.has(name.toLowerCase()) ? "must appear only once, regardless of case" : undefined) ??
      (missing === undefined
        ? undefined
        : `must name only secrets that your account may send to this server; ${missing} is not one`);
    seen.add(name.toLowerCase());
    if (rule !== undefined) yield problemWithoutValue([...at, name], rule);
  }
}

/** Tools that the connection type of the call does not support. `saved` are those that it names. */
export function* transportProblems(
  { connectionType = CONNECTION_TYPE_DEFAULT, selectedTools }: Record<string, unknown>,
  saved: SavedTools,
): Generator<Problem> {
  const tools = Array.isArray(selectedTools) ? selectedTools.filter(isObject) : [];
  const mustBeOneOf = (types: readonly ConnectionType[], tool: string): Problem | undefined =>
    types.some((type) => type === connectionType)
      ? undefined
      : problem(["connectionType"], `must be ${types.join(" or ")} with the tool ${tool}`, connectionType);
  for (const { toolId, toolName, definition: given } of tools) {
    const definition = given ?? (typeof toolId === "string" ? saved.get(toolId)?.definition : undefined);
    const found =
      toolName === "send_dtmf"
        ? mustBeOneOf(CARRIER_NAMES, toolName)
        : isObject(definition) && definition.type === "client"
          ? mustBeOneOf(["websocket", "webrtc"], isToolName(definition.name) ? definition.name : "of the type client")
          : undefined;
    if (found !== undefined) yield found;
  }
}
