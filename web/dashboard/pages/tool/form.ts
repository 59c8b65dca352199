import type { RequestOptions, Schema } from "../../../client/src/index.ts";
import { jsonObjectOf } from "../../app/json-schema.ts";
import type { ToolType } from "../../app/tool-words.ts";

export type Tool = Schema<"Tool">;
export type NewTool = RequestOptions<"post", "/tools">["body"];
export type ToolChanges = RequestOptions<"patch", "/tools/{id}">["body"];
export type HttpMethod = NonNullable<Tool["http"]>["method"];

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const satisfies readonly HttpMethod[];

/** A header in a form. The value of one that is stored is empty, because the service does not show it. */
export interface GivenHeader {
  name: string;
  value: string;
}

/** What stands in the fields of a form of a tool. */
export interface GivenTool {
  name: string;
  description: string;
  /** JSON. */
  parameters: string;
  method: HttpMethod;
  url: string;
  headers: readonly GivenHeader[];
  /** One name in each line; empty: all of them. */
  allowedTools: string;
  timeoutMs: string;
  readOnly: boolean;
  idempotent: boolean;
  whileRunning: string;
}

const FIRST_PARAMETERS = { type: "object", properties: {}, required: [], additionalProperties: false };

const jsonText = (value: object): string => JSON.stringify(value, undefined, 2);

/** The fields of a new tool. */
export const emptyTool = (): GivenTool => ({
  name: "",
  description: "",
  parameters: jsonText(FIRST_PARAMETERS),
  method: "GET",
  url: "",
  headers: [],
  allowedTools: "",
  timeoutMs: "5000",
  readOnly: false,
  idempotent: false,
  whileRunning: "",
});

/** The fields of a saved tool. */
export const givenOf = ({ http, mcp, ...tool }: Tool): GivenTool => ({
  name: tool.name,
  description: tool.description ?? "",
  parameters: jsonText(tool.parameters ?? FIRST_PARAMETERS),
  method: http?.method ?? "GET",
  url: http?.url ?? mcp?.url ?? "",
  headers: (http?.headerNames ?? mcp?.headerNames ?? []).map((name) => ({ name, value: "" })),
  allowedTools: (mcp?.allowedTools ?? []).join("\n"),
  timeoutMs: String(tool.timeoutMs),
  readOnly: tool.readOnly,
  idempotent: tool.idempotent,
  whileRunning: tool.whileRunning ?? "",
});

/** What is wrong with the fields before the service is asked, by the names that the service gives them. */
export type FormProblems = Readonly<Record<string, string>>;

export type Checked<Body> = { body: Body } | { problems: FormProblems };

/** The request that saves a new tool. */
export function newToolOf(type: ToolType, given: GivenTool): Checked<NewTool> {
  const parameters = jsonObjectOf(given.parameters);
  const problems = { ...parametersProblem(type, parameters), ...headerProblems(type, given, []) };
  if (Object.keys(problems).length > 0) return { problems };
  return {
    body: {
      type,
      name: given.name.trim(),
      ...(given.description.trim() !== "" && { description: given.description.trim() }),
      ...(type !== "mcp" && "value" in parameters && { parameters: parameters.value }),
      ...(type === "http" && { http: httpOf(given) }),
      ...(type === "mcp" && { mcp: mcpOf(given) }),
      timeoutMs: Number(given.timeoutMs),
      readOnly: given.readOnly,
      idempotent: given.idempotent,
      ...(given.whileRunning.trim() !== "" && { whileRunning: given.whileRunning.trim() }),
    },
  };
}

/**
 * The request that changes a tool: the fields that are not as they were. Headers are stored with the address of their server, and their
 * values are not shown: a change of one of them needs all values.
 */
export function changesOf(tool: Tool, given: GivenTool): Checked<ToolChanges> {
  const before = givenOf(tool);
  const changed = (names: readonly (keyof GivenTool)[]): boolean =>
    names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(given[name]));
  const parameters = jsonObjectOf(given.parameters);
  const changesServer = changed(["method", "url", "headers", "allowedTools"]);
  const storedNames = tool.http?.headerNames ?? tool.mcp?.headerNames ?? [];
  const problems = {
    ...(changed(["parameters"]) && parametersProblem(tool.type, parameters)),
    ...(changesServer && headerProblems(tool.type, given, storedNames)),
  };
  if (Object.keys(problems).length > 0) return { problems };
  const whileRunning = given.whileRunning.trim();
  return {
    body: {
      ...(changed(["name"]) && { name: given.name.trim() }),
      ...(changed(["description"]) && { description: given.description.trim() }),
      ...(changed(["parameters"]) && tool.type !== "mcp" && "value" in parameters && { parameters: parameters.value }),
      ...(changesServer && tool.type === "http" && { http: httpOf(given) }),
      ...(changesServer && tool.type === "mcp" && { mcp: mcpOf(given) }),
      ...(changed(["timeoutMs"]) && { timeoutMs: Number(given.timeoutMs) }),
      ...(changed(["readOnly"]) && { readOnly: given.readOnly }),
      ...(changed(["idempotent"]) && { idempotent: given.idempotent }),
      ...(changed(["whileRunning"]) && { whileRunning: whileRunning === "" ? null : whileRunning }),
    },
  };
}

const parametersProblem = (type: ToolType, parsed: ReturnType<typeof jsonObjectOf>): FormProblems =>
  type !== "mcp" && "problem" in parsed ? { parameters: parsed.problem } : {};

function headerProblems(type: ToolType, { headers }: GivenTool, storedNames: readonly string[]): FormProblems {
  if (type === "client") return {};
  return Object.fromEntries(
    headers
      .filter(({ name, value }) => name.trim() !== "" && value === "")
      .map(({ name }) => {
        const why = storedNames.includes(name) ? "again: the service does not show what it has" : "or be removed";
        return [headerField(type, name), `must have its value ${why}`];
      }),
  );
}

/** How the service names the field of a header. */
export const headerField = (type: ToolType, name: string): string => `${type}.headers.${name}`;

const headersOf = (headers: readonly GivenHeader[]): Record<string, string> =>
  Object.fromEntries(headers.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]));

const httpOf = ({ method, url, headers }: GivenTool) => ({ method, url: url.trim(), headers: headersOf(headers) });

function mcpOf({ url, headers, allowedTools }: GivenTool) {
  const names = allowedTools
    .split("\n")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return { url: url.trim(), headers: headersOf(headers), ...(names.length > 0 && { allowedTools: names }) };
}
