import type { Schema } from "../../../../client/src/index.ts";
import type { Definition, SelectedTool } from "./definition.ts";
import { filled, promptOf, type VariableValues } from "./texts.ts";

const QUERY_CORPUS = "query_corpus";

/** A tool that needs a telephone line: a call in the browser cannot have it. */
export const LINE_TOOL = "send_dtmf";

/**
 * A call that has everything of an agent that may not be saved yet, as the service makes one of a saved agent. It has no connection
 * type yet.
 */
export function trialCallOf(
  definition: Definition,
  values: VariableValues,
): Omit<Schema<"NewCallInput">, "connectionType"> {
  const { callSettings, voiceId, languageId } = definition;
  const { greeting, selectedTools = [], ...settings } = callSettings;
  const all = [...selectedTools, ...definition.toolIds.map((toolId): SelectedTool => ({ toolId }))];
  return {
    ...settings,
    systemPrompt: filled(promptOf(definition), values),
    voice: voiceId,
    language: languageId,
    ...(greeting !== undefined && { greeting: filled(greeting, values) }),
    selectedTools: withCorpora(
      all.filter(({ toolName }) => toolName !== LINE_TOOL),
      definition.corpusIds,
    ),
  };
}

/** The agent's corpora are those of `query_corpus`, with the ones that this names itself. */
function withCorpora(selected: readonly SelectedTool[], corpusIds: readonly string[]): SelectedTool[] {
  if (corpusIds.length === 0) return [...selected];
  const own = selected.find(({ toolName }) => toolName === QUERY_CORPUS);
  const named = own?.parameterOverrides?.corpusIds;
  const all = [...new Set([...corpusIds, ...(Array.isArray(named) ? named : [])])];
  const tool: SelectedTool = {
    toolName: QUERY_CORPUS,
    parameterOverrides: { ...own?.parameterOverrides, corpusIds: all },
  };
  return own === undefined ? [...selected, tool] : selected.map((other) => (other === own ? tool : other));
}

/** The names of the tools that a page is to carry out. */
export const clientToolsOf = ({ callSettings }: Definition): readonly string[] =>
  (callSettings.selectedTools ?? []).flatMap(({ definition }) =>
    definition?.type === "client" ? [definition.name] : [],
  );
