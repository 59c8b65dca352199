import type { Schema } from "../../../../client/src/index.ts";

type Agent = Schema<"Agent">;

/** What a version of an agent has. */
export type Definition = Pick<
  Agent,
  | "name"
  | "basePrompt"
  | "context"
  | "customInstructions"
  | "languageId"
  | "voiceId"
  | "callSettings"
  | "toolIds"
  | "corpusIds"
  | "variables"
  | "allowedOverrides"
>;
export type CallSettings = Definition["callSettings"];
export type SelectedTool = Schema<"SelectedTool">;
export type Variable = Schema<"AgentVariable">;

/** In the order in which pages show them. */
export const FIELDS = [
  "name",
  "languageId",
  "voiceId",
  "basePrompt",
  "context",
  "customInstructions",
  "variables",
  "toolIds",
  "corpusIds",
  "callSettings",
  "allowedOverrides",
] as const satisfies readonly (keyof Definition)[];

/** The definition of a new agent, which has no language and no voice yet. */
export const EMPTY_DEFINITION: Definition = {
  name: "",
  basePrompt: "",
  context: "",
  customInstructions: "",
  languageId: "",
  voiceId: "",
  callSettings: {},
  toolIds: [],
  corpusIds: [],
  variables: [],
  allowedOverrides: [],
};

/** The definition of an agent or a version, without what else the API says of it. */
export function definitionOf(item: Definition): Definition {
  const { name, basePrompt, context, customInstructions, languageId, voiceId } = item;
  const { callSettings, toolIds, corpusIds, variables, allowedOverrides } = item;
  return {
    ...{ name, basePrompt, context, customInstructions, languageId, voiceId },
    ...{ callSettings, toolIds, corpusIds, variables, allowedOverrides },
  };
}

/** The fields that differ, whole: the body of a change. */
export function changesOf(base: Definition, edited: Definition): Partial<Definition> {
  const changed = FIELDS.filter((field) => !isSame(base[field], edited[field]));
  return Object.fromEntries(changed.map((field) => [field, edited[field]]));
}

/** Whether two values of the API say the same, whatever the order of the fields. A field that is undefined is absent. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  if (Array.isArray(one) && one.length !== (other as unknown[]).length) return false;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => isSame(left[name], right[name]));
}

/** The settings with another value of one; undefined leaves it to the service. */
export function withSetting<Name extends keyof CallSettings>(
  settings: CallSettings,
  name: Name,
  value: CallSettings[Name] | undefined,
): CallSettings {
  const { [name]: _, ...rest } = settings;
  return value === undefined ? rest : { ...rest, [name]: value };
}
