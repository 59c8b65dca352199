import type { RecordingRequest } from "../../core/calls/recording-pause.ts";
import type { BuiltInTool, BuiltInToolSpec, CallSpec, ToolSpec } from "../../core/calls/spec.ts";
import { parseObject } from "../../core/json.ts";
import type { CallKnowledge } from "../../core/knowledge/call-knowledge.ts";
import { TOOL_ARGUMENTS_CHARS_MAX, TOOL_ARGUMENTS_PARTS_MAX } from "../../core/limits/agents/tools.ts";
import { HOLD_S_MAX, HOLD_S_MIN } from "../../core/limits/calls/calls.ts";
import { RETRIEVAL_QUESTION_CHARS_MAX } from "../../core/limits/knowledge/call-knowledge.ts";
import { primaryLanguage } from "../../core/text/language-tags.ts";
import { DTMF_DIGITS, isHoldSeconds, isTransferTarget } from "../../core/tools/built-in-tools.ts";
import { hasEffects } from "../../core/tools/effects.ts";
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
  | { kind: "run"; tool: ToolSpec; arguments: Record<string, unknown> };

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
  query_corpus: described(
    "Searches documents and gives the passages that fit best. Ask in a whole sentence of the caller's words and yours, in the " +
      "language of the call.",
    { question: text("What is to be found out.") },
  ),
  switch_language: described("Goes on in another language.", {
    language: text("A code such as en or de-AT."),
  }),
};

/** The tools of the call as the LLM sees them, without the arguments that are fixed. */
export const describeTools = (tools: CallSpec["tools"]): readonly ToolDescription[] =>
  tools.filter(isForLlm).map((tool) => {
    const { description, parameters } = tool.kind === "built_in" ? BUILT_IN[tool.name] : tool;
    return {
      name: tool.name,
      description: tool.kind === "built_in" ? `${description}${corporaText(tool.knowledge)}` : description,
      parameters: withoutFixed(parameters, Object.keys(tool.fixedArguments)),
    };
  });

/** Corpora that are asked for every turn, or stand whole in the prompt, are no tool. */
const isForLlm = (tool: ToolSpec): boolean => {
  if (tool.kind !== "built_in" || tool.name !== "query_corpus") return true;
  return tool.knowledge?.retrieval === "tool" && tool.knowledge.corpora.length > 0;
};

const corporaText = (knowledge: CallKnowledge | undefined): string => {
  const lines = (knowledge?.corpora ?? []).map(({ name, description }) =>
    description === "" ? `- ${name}` : `- ${name}: ${description}`,
  );
  return lines.length === 0 ? "" : ` They are:\n${lines.join("\n")}`;
};

/**
 * The tools that the LLM may call now. With `hasReadPassages` it continues after it has read passages in this turn, and what it does
 * might be what they say: then tools with effects are not among them, unless the call allows it.
 */
export function offeredTools(tools: CallSpec["tools"], hasReadPassages: boolean): CallSpec["tools"] {
  const offered = tools.filter(isForLlm);
  const isAllowed = tools.some((tool) => tool.kind === "built_in" && tool.knowledge?.allowsEffects === true);
  return hasReadPassages && !isAllowed ? offered.filter((tool) => !hasEffects(tool)) : offered;
}

function withoutFixed(parameters: object, fixed: readonly string[]): object {
  const { properties, required, ...rest } = parameters as { properties?: object; required?: readonly string[] };
  if (fixed.length === 0 || properties === undefined) return parameters;
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !fixed.includes(name))),
    ...(required === undefined ? {} : { required: required.filter((name) => !fixed.includes(name)) }),
  };
}

/**
 * Decides how to handle a tool call, when the LLM may have called the `offered` ones. Errors are returned to the LLM, which may correct
 * itself.
 */
export function planTool(call: ToolCall, tools: CallSpec["tools"], offered: CallSpec["tools"] = tools): ToolPlan {
  const tool = offered.find(({ name }) => name === call.name);
  if (tool === undefined) {
    if (tools.some((own) => own.name === call.name && isForLlm(own)))
      return errorResult("it is not offered after passages were read: answer the caller first");
    const names = offered.map(({ name }) => name).join(", ");
    return errorResult(`there is no such tool; there ${names === "" ? "are none" : `is ${names}`}`);
  }
  const given = parseArguments(call.argumentsJson);
  if (given === undefined) return errorResult("the arguments must be one JSON object");
  const all = { ...given, ...tool.fixedArguments };
  return tool.kind === "built_in" ? planBuiltIn(tool, all) : { kind: "run", tool, arguments: all };
}

/** The plan that runs nothing and gives the LLM this error. `why` is a clause without a full stop. */
const errorResult = (why: string): ToolPlan => ({ kind: "done", result: `Error: ${why}.` });

function planBuiltIn(tool: BuiltInToolSpec, given: Readonly<Record<string, unknown>>): ToolPlan {
  const { name, languages } = tool;
  switch (name) {
    case "query_corpus": {
      const { question } = given;
      if (typeof question !== "string" || question.trim() === "") return errorResult("question must be a text");
      return { kind: "run", tool, arguments: { question: question.slice(0, RETRIEVAL_QUESTION_CHARS_MAX) } };
    }
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
