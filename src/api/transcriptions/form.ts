import { isObject } from "../../core/json.ts";
import { firstProblems, type Problem } from "../http/errors.ts";
import { readJson } from "../http/requests/json-body.ts";
import { problemWithoutValue, validatorCompiler } from "../http/requests/validation.ts";
import type { FormField } from "../uploads/receive.ts";
import { UploadOptions } from "./schemas/request-schemas.ts";

/** The fields that may be repeated: their values are a list. */
const LISTS: readonly string[] = ["vocabulary", "redact"];
const FLAGS: readonly string[] = ["speakers", "deleteAudio"];

/** The options in the fields of a form, checked; where there are problems, as they were received. */
export function optionsInForm(fields: readonly FormField[]): {
  given: Readonly<Record<string, unknown>>;
  problems: readonly Problem[];
} {
  const values = new Map<string, unknown>();
  const problems: Problem[] = [];
  for (const [name, value] of fields) {
    if (LISTS.includes(name)) values.set(name, [...((values.get(name) as string[] | undefined) ?? []), value]);
    else if (values.has(name)) problems.push(problemWithoutValue([name], "must be given once"));
    else values.set(name, fieldValueOf(name, value));
  }
  const given = Object.fromEntries(values);
  const validate = validatorCompiler({ schema: UploadOptions, method: "POST", url: "/transcriptions" });
  const checked = validate(given) as { value?: Record<string, unknown>; error?: { details: readonly Problem[] } };
  const all = firstProblems([...problems, ...(checked.error?.details ?? [])]);
  return all.length === 0 && isObject(checked.value)
    ? { given: checked.value, problems: [] }
    : { given, problems: all };
}

/** What a text stands for; the schema reports one that stands for nothing. */
function fieldValueOf(name: string, text: string): unknown {
  if (FLAGS.includes(name)) return text === "true" ? true : text === "false" ? false : text;
  if (name !== "metadata") return text;
  try {
    return readJson(Buffer.from(text)) ?? text;
  } catch {
    return text;
  }
}
