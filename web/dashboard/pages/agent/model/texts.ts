import type { Definition } from "./definition.ts";

/** A place for a variable: `{{name}}`, with spaces inside the braces or without. The service reads them in the same way. */
const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_]\w*)[ \t]*\}\}/g;

/** Values of variables by their names. */
export type VariableValues = Readonly<Record<string, string | number | boolean>>;

const textsOf = ({ basePrompt, context, customInstructions, callSettings }: Definition): readonly string[] => [
  basePrompt,
  context,
  customInstructions,
  callSettings.greeting ?? "",
];

/** The names of the variables that the texts use, in the order of the texts. */
export const usedVariables = (definition: Definition): readonly string[] => [
  ...new Set(textsOf(definition).flatMap((text) => Array.from(text.matchAll(PLACEHOLDER), ([, name = ""]) => name))),
];

/** Those that the texts use and the agent does not declare: the service refuses such an agent. */
export const undeclaredVariables = (definition: Definition): readonly string[] =>
  usedVariables(definition).filter((name) => !definition.variables.some((variable) => variable.name === name));

/** A text with values in it; a value is not read again. */
export const filled = (text: string, values: VariableValues): string =>
  text.replace(PLACEHOLDER, (place, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : place));

/** The prompt as the service joins it from the three layers: a blank layer is left out with its heading. */
export function promptOf({ basePrompt, context, customInstructions }: Definition): string {
  const parts = [basePrompt];
  if (context.trim() !== "") parts.push("# Context", context);
  if (customInstructions.trim() !== "") parts.push("# Instructions", customInstructions);
  return parts.join("\n\n");
}
