import { isSame, type SelectedTool } from "./definition.ts";

type ToolName = NonNullable<SelectedTool["toolName"]>;

/** A fixed argument of a built-in tool, or a setting of it. */
export interface ToolSetting {
  name: string;
  label: string;
  hint: string;
  kind: "text" | "number" | "yes-no" | "choice";
  choices?: readonly string[];
}

/** What of each built-in tool can be fixed; corpora are chosen for the agent as a whole. */
const SETTINGS: Partial<Readonly<Record<ToolName, readonly ToolSetting[]>>> = {
  transfer: [
    {
      name: "target",
      label: "Target",
      hint: "A number in E.164 or a SIP address. Empty: the LLM chooses.",
      kind: "text",
    },
  ],
  send_dtmf: [{ name: "digits", label: "Digits", hint: "0-9, *, #, A-D. Empty: the LLM chooses.", kind: "text" }],
  hold_call: [{ name: "seconds", label: "Seconds", hint: "1 to 600. Empty: the LLM chooses.", kind: "number" }],
  switch_language: [
    { name: "language", label: "Language", hint: "A code such as de. Empty: the LLM chooses.", kind: "text" },
  ],
  query_corpus: [
    {
      ...{ name: "retrieval", label: "When", kind: "choice", choices: ["tool", "always"] },
      hint: "tool: when the LLM asks. always: for every turn of the caller.",
    },
    { name: "passagesMax", label: "Passages", hint: "At most so many each time.", kind: "number" },
    {
      ...{ name: "allowEffects", label: "Tools with effects at once", kind: "yes-no" },
      hint: "Otherwise they wait for the caller's next words once passages were read.",
    },
  ],
};

export const settingsOfTool = (toolName: ToolName): readonly ToolSetting[] => SETTINGS[toolName] ?? [];

/** What a built-in tool does, shorter than the LLM is given it. */
export const BUILT_IN_NOTES: Readonly<Record<ToolName, string>> = {
  hang_up: "ends the call",
  transfer: "connects the caller with somebody else",
  send_dtmf: "presses keys; on telephone lines only",
  hold_call: "lets the caller wait",
  pause_recording: "stops recording for a while",
  resume_recording: "goes on with it",
  query_corpus: "searches the corpora below",
  switch_language: "goes on in another language",
};

/** The tools with a built-in one added or taken away. */
export function withBuiltIn(tools: readonly SelectedTool[], toolName: ToolName, isOn: boolean): SelectedTool[] {
  const others = tools.filter((tool) => tool.toolName !== toolName);
  return isOn ? [...others, { toolName }] : others;
}

/** The tools with a fixed argument of a built-in one; undefined takes it away. */
export const withToolSetting = (
  tools: readonly SelectedTool[],
  toolName: ToolName,
  name: string,
  value: unknown,
): SelectedTool[] =>
  tools.map((tool) => {
    if (tool.toolName !== toolName) return tool;
    const { parameterOverrides, ...rest } = tool;
    const { [name]: _, ...others } = parameterOverrides ?? {};
    const next = value === undefined ? others : { ...others, [name]: value };
    return isSame(next, {}) ? rest : { ...rest, parameterOverrides: next };
  });
