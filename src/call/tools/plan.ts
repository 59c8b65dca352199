import type { RecordingRequest } from "../../core/calls/recording-pause.ts";
import type { BuiltInTool, BuiltInToolSpec, CallSpec, ToolSpec } from "../../core/calls/spec.ts";
import { parseObject } from "../../core/json.ts";
import { HOLD_S_MAX, HOLD_S_MIN } from "../../core/limits/calls.ts";
import { TOOL_ARGUMENTS_CHARS_MAX, TOOL_ARGUMENTS_PARTS_MAX } from "../../core/limits/tools.ts";
import { primaryLanguage } from "../../core/text/language-tags.ts";
import { DTMF_DIGITS, isHoldSeconds, isTransferTarget } from "../../core/tools/built-in-tools.ts";
import type { ToolCall, ToolDescription } from "../../speech/contracts.ts";
import { languageCode } from "../../speech/languages.ts";

/** What a built-in tool does to its call. */
export type ToolEffect =
  | { kind: "hang-up" }
  | { kind: "transfer"; target: string }
  | { kind: "hold"; msMax: number }
  | { kind: "send-dtmf"; digits: string }
  | { kind: "language"; language: string }
  | { kind: "recording"; request: RecordingRequest };

/** How to handle a tool call of the LLM. */
export type ToolPlan =
  /** Handled here: `result` goes to the LLM, and the call carries out `effect`. */
  | { kind: "done"; result: string; effect?: ToolEffect }
  /** The gateway runs it. */
  | { kind: "run"; tool: Exclude<ToolSpec, { kind: "built_in" }>; arguments: Record<string, unknown> };

const text = (description: string, pattern?: string): object => ({
  type: "string",
  description,
  ...(pattern === undefined ? {} : { pattern }),
});

const described = (
  description: string,
  properties: Readonly<Record<string, object>>,
): Omit<ToolDescription, "name"> => ({
  description,
  parameters: { type: "object", properties, required: Object.keys(properties), additionalProperties: false },
});

const BUILT_IN: Readonly<Record<BuiltInTool, Omit<ToolDescription, "name">>> = {
  hang_up: described("Ends the call once everything said before it has been heard. Say goodbye first.", {}),
  send_dtmf: described("Presses keys on the telephone line, as for a menu.", {
    digits: text("The keys: 0-9, *, #, A-D.", DTMF_DIGITS.source),
  }),
  transfer: described(
    "Hands the caller on to somebody else once everything said before it has been heard, and leaves the call.",
    {
      target: text("A telephone number in E.164, or a SIP address."),
    },
  ),
  hold_call: described(
    "Puts the caller on hold once everything said before it has been heard: the caller hears music, and you hear nothing. You come " +
      "back by yourself after these seconds. Tell the caller first.",
    {
      seconds: { type: "integer", description: "For how long.", minimum: HOLD_S_MIN, maximum: HOLD_S_MAX },
    },
  ),
  pause_recording: described(
    "Stops storing what is said, on both sides, at once. Call this before the caller says or types something that must not be kept, such as a card number, and ask for it only after that.",
    {},
  ),
  resume_recording: described(
    "Goes on storing what is said, once you have finished speaking. Call this when what must not be kept has been said, and do not repeat it.",
    {},
  ),
  switch_language: described("Goes on in another language.", {
    language: text("A code such as en or de-AT."),
  }),
};

/** The tools of the call as the LLM sees them, without the arguments that are fixed. */
export const describeTools = (tools: CallSpec["tools"]): readonly ToolDescription[] =>
  tools.map((tool) => {
    const { description, parameters } = tool.kind === "built_in" ? BUILT_IN[tool.name] : tool;
    return { name: tool.name, description, parameters: withoutFixed(parameters, Object.keys(tool.fixedArguments)) };
  });

function withoutFixed(parameters: object, fixed: readonly string[]): object {
  const { properties, required, ...rest } = parameters as { properties?: object; required?: readonly string[] };
  if (fixed.length === 0 || properties === undefined) return parameters;
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !fixed.includes(name))),
    ...(required === undefined ? {} : { required: required.filter((name) => !fixed.includes(name)) }),
  };
}

/** Decides how to handle a tool call. Errors are returned to the LLM, which may correct itself. */
export function planTool(call: ToolCall, tools: CallSpec["tools"]): ToolPlan {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(", ");
    return errorResult(`there is no such tool; there ${names === "" ? "are none" : `is ${names}`}`);
  }
  const given = parseArguments(call.argumentsJson);
  if (given === undefined) return errorResult("the arguments must be one JSON object");
  const all = { ...given, ...tool.fixedArguments };
  return tool.kind === "built_in" ? planBuiltIn(tool, all) : { kind: "run", tool, arguments: all };
}

/** The plan that runs nothing and gives the LLM this error. `why` is a clause without a full stop. */
const errorResult = (why: string): ToolPlan => ({ kind: "done", result: `Error: ${why}.` });

function planBuiltIn({ name, languages }: BuiltInToolSpec, given: Readonly<Record<string, unknown>>): ToolPlan {
  switch (name) {
    case "hang_up":
      return { kind: "done", result: "The call ends when everything has been heard.", effect: { kind: "hang-up" } };
    case "transfer": {
      const { target } = given;
      if (!isTransferTarget(target)) return errorResult("target must be a telephone number or a SIP address");
      const effect = { kind: "transfer", target } as const;
      return { kind: "done", result: "The caller is handed on when everything has been heard.", effect };
    }
    case "send_dtmf": {
      const { digits } = given;
      if (typeof digits !== "string" || !DTMF_DIGITS.test(digits))
        return errorResult("digits must be keys: 0-9, *, #, A-D");
      return { kind: "done", result: "The keys are pressed.", effect: { kind: "send-dtmf", digits } };
    }
    case "hold_call": {
      const { seconds } = given;
      if (!isHoldSeconds(seconds))
        return errorResult(`seconds must be a whole number from ${HOLD_S_MIN} to ${HOLD_S_MAX}`);
      const effect = { kind: "hold", msMax: seconds * 1_000 } as const;
      return { kind: "done", result: "The caller is on hold when everything has been heard.", effect };
    }
    case "pause_recording":
      return {
        kind: "done",
        result: "Nothing that is said is stored from now on, until you call resume_recording.",
        effect: { kind: "recording", request: { kind: "pause-recording" } },
      };
    case "resume_recording":
      return {
        kind: "done",
        result: "What is said after this reply is stored.",
        effect: { kind: "recording", request: { kind: "resume-recording" } },
      };
    case "switch_language": {
      const language = typeof given.language === "string" ? languageCode(given.language) : undefined;
      if (language === undefined) return errorResult("language must be a code such as en");
      if (languages?.includes(primaryLanguage(language)) === false)
        return errorResult(`language must be one of ${languages.join(", ")}, not ${language}`);
      return { kind: "done", result: `Go on in ${language}.`, effect: { kind: "language", language } };
    }
  }
}

/** Some models send no arguments as an empty string. */
function parseArguments(json: string): Record<string, unknown> | undefined {
  if (json.trim() === "") return {};
  if (json.length > TOOL_ARGUMENTS_CHARS_MAX || json.split(/[[{]/).length > TOOL_ARGUMENTS_PARTS_MAX) return undefined;
  return parseObject(json);
}
