import type { AnalysisSettings } from "../../core/calls/analysis.ts";
import { isObject } from "../../core/json.ts";
import { ANALYSIS_ANSWER_CHARS_MAX } from "../../core/limits/calls/analysis.ts";
import { hasSummary } from "./request.ts";

/** What an LLM has answered: the arguments of its tool calls, and its text. */
export interface LlmAnswer {
  readonly argumentsJson: readonly string[];
  readonly text: string;
}

/**
 * The JSON of the answer, which nothing has checked yet: the arguments of the first tool call, or an object in the text of a model
 * that calls no tool. Undefined where there is none.
 */
export function answerJsonOf({ argumentsJson: [first], text }: LlmAnswer): string | undefined {
  const given = first ?? text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  if (given.length > ANALYSIS_ANSWER_CHARS_MAX) return undefined;
  try {
    return isObject(JSON.parse(given)) ? given : undefined;
  } catch {
    return undefined;
  }
}

/** The parts of an answer; undefined where a summary is wanted and is none. Nothing has checked `data` yet. */
export function partsOf(
  json: string,
  settings: AnalysisSettings,
): { readonly summary?: string; readonly data?: Record<string, unknown> } | undefined {
  const answer = JSON.parse(json) as Record<string, unknown>;
  if (!hasSummary(settings)) return { data: answer };
  const { summary, data } = answer;
  if (typeof summary !== "string" || summary.trim() === "") return undefined;
  if (settings.schema === undefined) return { summary };
  return isObject(data) ? { summary, data } : undefined;
}
