import { isObject } from "../../core/json.ts";
import {
  CALL_VARIABLES_BYTES_MAX,
  FILLED_TEXT_BYTES_MAX,
  VARIABLE_NAME_CHARS_MAX,
} from "../../core/limits/agents/agents.ts";
import type { AgentDefinition, AgentVariable, VariableType, VariableValues } from "../../store/agent-store.ts";
import type { Problem } from "../http/errors.ts";
import { isBlank, problem, problemWithoutValue } from "../http/requests/validation.ts";

/** A place for a variable: `{{name}}`, with spaces inside the braces or without. */
const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_]\w*)[ \t]*\}\}/g;

/** The parts of an agent in which variables are replaced. */
const LAYERS = ["basePrompt", "context", "customInstructions"] as const;

/** What a telephone call itself knows: `from` and `to`, and of an inbound one `carrierCallId` and its headers. */
export type CallFacts = Readonly<Record<string, string>>;

/** Names in one message about names that are not declared. */
const NAMES_SHOWN_MAX = 5;

/** The texts of a call, in which all variables are replaced. */
export type FilledTexts = Pick<AgentDefinition, (typeof LAYERS)[number]> & { greeting?: string | undefined };

const placeholdersIn = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(PLACEHOLDER), ([, name = ""]) => name));

/**
 * A problem for each text of an agent that uses variables which the agent does not declare. `given` is the agent as
 * received, in any shape.
 */
export function placeholderProblems(given: Record<string, unknown>): readonly Problem[] {
  const { variables = [], callSettings } = given;
  // The schema reports a list that is none.
  if (!Array.isArray(variables)) return [];
  const declared = new Set(variables.filter(isObject).map(({ name }) => name));
  const greeting = isObject(callSettings) ? callSettings.greeting : undefined;
  const texts = [
    ...LAYERS.map((layer) => ({ path: [layer], text: given[layer] })),
    { path: ["callSettings", "greeting"], text: greeting },
  ];
  return texts.flatMap(({ path, text }) => {
    if (typeof text !== "string") return [];
    const undeclared = [...placeholdersIn(text)].filter((name) => !declared.has(name));
    return undeclared.length === 0
      ? []
      : [problemWithoutValue(path, `uses ${shownNames(undeclared)}, which \`variables\` does not declare`)];
  });
}

function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).map((name) => `{{${name.slice(0, VARIABLE_NAME_CHARS_MAX)}}}`);
  const others = names.length - shown.length;
  return shown.join(", ") + (others > 0 ? ` and ${others} others` : "");
}

const TYPE_RULES: Readonly<Record<VariableType, string>> = {
  string: "must be a string",
  number: "must be a number",
  boolean: "must be true or false",
};

/**
 * The values of all declared variables in a call: those of `given`, as received in any shape, then texts of `facts`, then
 * the defaults. With a problem for each value that is missing, of another type, or for a name that is not declared.
 */
export function valuesOf(
  declared: readonly AgentVariable[],
  given: unknown,
  facts: CallFacts = {},
): { values: VariableValues; problems: readonly Problem[] } {
  // The schema reports anything else.
  const received = new Map(Object.entries(isObject(given) ? given : {}));
  const problems: Problem[] = [];
  const values: [string, AgentVariable["default"]][] = [];
  for (const { name, type, default: usual } of declared) {
    const known = type === "string" && Object.hasOwn(facts, name) ? facts[name] : usual;
    const value = received.has(name) ? received.get(name) : known;
    received.delete(name);
    // Of the type that is declared, typeof says the same.
    if (typeof value === type) values.push([name, value as AgentVariable["default"]]);
    else problems.push(problem(["variables", name], TYPE_RULES[type], value));
  }
  for (const name of received.keys()) {
    problems.push(problemWithoutValue(["variables", name], "is no variable that the agent declares"));
  }
  const found = Object.fromEntries(values) as VariableValues;
  const bytes = Buffer.byteLength(JSON.stringify(found));
  if (problems.length === 0 && bytes > CALL_VARIABLES_BYTES_MAX) {
    const rule = `must take at most ${CALL_VARIABLES_BYTES_MAX} bytes as JSON together with the defaults, not ${bytes}`;
    problems.push(problemWithoutValue(["variables"], rule));
  }
  return { values: found, problems };
}

/**
 * The texts of an agent with these values in them. What a value contains is not replaced again. With the problem of
 * values that make the texts too long or leave no prompt; the texts are then not filled.
 */
export function filledTexts(
  definition: AgentDefinition,
  values: VariableValues,
): { texts: FilledTexts; problems: readonly Problem[] } {
  const { basePrompt, context, customInstructions, callSettings } = definition;
  const greeting = typeof callSettings.greeting === "string" ? callSettings.greeting : undefined;
  const texts: FilledTexts = { basePrompt, context, customInstructions, greeting };
  const names = Object.keys(values);
  if (names.length === 0) return { texts, problems: [] };
  const replacements = new Map(names.map((name) => [name, String(values[name])]));
  const all = [basePrompt, context, customInstructions, greeting ?? ""];
  const bytes = all.reduce((sum, text) => sum + filledBytes(text, replacements), 0);
  const refused = (rule: string) => ({ texts, problems: [problemWithoutValue(["variables"], rule)] });
  if (bytes > FILLED_TEXT_BYTES_MAX) {
    return refused(`must not make prompt and greeting longer than ${FILLED_TEXT_BYTES_MAX} bytes, not ${bytes}`);
  }
  const filled: FilledTexts = {
    basePrompt: fill(basePrompt, replacements),
    context: fill(context, replacements),
    customInstructions: fill(customInstructions, replacements),
    greeting: greeting === undefined ? undefined : fill(greeting, replacements),
  };
  if (isBlank(filled.basePrompt)) return refused("must not leave a blank base prompt");
  return { texts: filled, problems: [] };
}

type Replacements = ReadonlyMap<string, string>;

/** The replaced text is as long as this. It is measured first, because a long text with long values can be enormous. */
function filledBytes(text: string, replacements: Replacements): number {
  const sizes = new Map(Array.from(replacements, ([name, value]) => [name, Buffer.byteLength(value)]));
  let bytes = Buffer.byteLength(text);
  for (const [place, name = ""] of text.matchAll(PLACEHOLDER)) {
    const size = sizes.get(name);
    if (size !== undefined) bytes += size - place.length;
  }
  return bytes;
}

const fill = (text: string, replacements: Replacements): string =>
  text.replace(PLACEHOLDER, (place, name: string) => replacements.get(name) ?? place);
