import { VOCABULARY_WORD_CHARS_MAX, VOCABULARY_WORDS_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import { invalidRequest, type Problem } from "../http/errors.ts";
import { problem, problemWithoutValue } from "../http/requests/validation.ts";
import type { FormField } from "../uploads/receive.ts";

export const OPENAI_FORMATS = ["json", "text", "srt", "vtt", "verbose_json"] as const;
export type OpenAiFormat = (typeof OPENAI_FORMATS)[number];

const GRANULARITIES = ["word", "segment"] as const;
type Granularity = (typeof GRANULARITIES)[number];

/** What a request in OpenAI's shape asks for. */
export interface OpenAiParameters {
  model: string;
  language: string | undefined;
  vocabulary: readonly string[];
  format: OpenAiFormat;
  granularities: readonly Granularity[];
}

const LIST = /^(timestamp_granularities|include|known_speaker_names|known_speaker_references)(?:\[\d*\])?$/;
/** Parameters of which this service knows only what has no effect. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  include: "is not available: there are no log probabilities",
  known_speaker_names: "is not available: use POST /transcriptions with speakers",
  known_speaker_references: "is not available: use POST /transcriptions with speakers",
};

/**
 * The parameters of `POST /audio/transcriptions` as of https://platform.openai.com/docs/api-reference/audio/createTranscription. Throws
 * ApiError 400 with what is unknown, wrong, or cannot be done.
 */
export function parametersIn(fields: readonly FormField[]): OpenAiParameters {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const key = LIST.exec(name)?.[1] ?? name;
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  const problems = [...values].flatMap(([name, given]) => problemsOfParameter(name, given));
  const format = (values.get("response_format")?.[0] ?? "json") as OpenAiFormat;
  const granularities = (values.get("timestamp_granularities") ?? ["segment"]) as Granularity[];
  if (values.has("timestamp_granularities") && format !== "verbose_json") {
    problems.push(problemWithoutValue(["timestamp_granularities"], "needs response_format verbose_json"));
  }
  const model = values.get("model")?.[0];
  if (model === undefined)
    problems.push(problemWithoutValue(["model"], "must be given, but is missing: any name will do"));
  if (problems.length > 0 || model === undefined) throw invalidRequest(problems);
  const language = values.get("language")?.[0];
  return { model, language, vocabulary: vocabularyIn(values.get("prompt")?.[0] ?? ""), format, granularities };
}

function problemsOfParameter(name: string, given: readonly string[]): readonly Problem[] {
  const [value = ""] = given;
  const wrong = (rule: string): readonly Problem[] => [problem([name], rule, value)];
  if (name === "timestamp_granularities") {
    const unknown = given.find((one) => !GRANULARITIES.includes(one as Granularity));
    return unknown === undefined ? [] : [problem([name], `must be of ${GRANULARITIES.join(", ")}`, unknown)];
  }
  const unsupported = UNSUPPORTED[name];
  if (unsupported !== undefined) return [problemWithoutValue([name], unsupported)];
  if (given.length > 1) return [problemWithoutValue([name], "must be given once")];
  switch (name) {
    case "model":
    case "language":
    case "prompt":
      return [];
    case "temperature":
      return value !== "" && Number(value) >= 0 && Number(value) <= 1 ? [] : wrong("must be a number from 0 to 1");
    case "response_format":
      return OPENAI_FORMATS.includes(value as OpenAiFormat) ? [] : wrong(`must be one of ${OPENAI_FORMATS.join(", ")}`);
    case "stream":
      return value === "false" ? [] : wrong("must be false: the answer comes whole");
    case "chunking_strategy":
      return value === "auto" ? [] : wrong("must be auto: the service finds the silences itself");
    default:
      return [problemWithoutValue([name], "is no parameter of this operation")];
  }
}

/** The names and words of a prompt: what stands between its commas and line ends, as many as there may be. */
const vocabularyIn = (prompt: string): readonly string[] =>
  [...new Set(prompt.split(/[,;.\n]+/).map((part) => part.trim()))]
    .filter((part) => part !== "" && part.length <= VOCABULARY_WORD_CHARS_MAX)
    .slice(0, VOCABULARY_WORDS_MAX);
