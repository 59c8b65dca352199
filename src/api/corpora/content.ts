import type { FastifyRequest } from "fastify";
import { isObject } from "../../core/json.ts";
import { DOCUMENT_NAME_CHARS_MAX } from "../../core/limits/knowledge/corpora.ts";
import type { DocumentReplacement } from "../../store/corpora/document-store.ts";
import { problemsOfHead, problemsOfRequest } from "../calls/create.ts";
import { firstProblems, invalidRequest, type Problem } from "../http/errors.ts";
import { readJson } from "../http/requests/json-body.ts";
import { problemWithoutValue, validatorCompiler } from "../http/requests/validation.ts";
import type { FormField, Upload } from "../uploads/receive.ts";
import { type DocumentBody, UploadFields } from "./schemas.ts";

/** What a request says about a document; the name and the metadata only where they are given. */
export interface GivenContent extends Pick<DocumentReplacement, "source" | "url" | "fileName"> {
  name?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The content that a request gives as JSON, with its text. Throws ApiError with all problems together. */
export function contentInBody(
  request: FastifyRequest,
  isNew: boolean,
): { content: GivenContent; text: string | undefined } {
  const given = (isObject(request.body) ? request.body : {}) as DocumentBody;
  const isNameless = isNew && given.text !== undefined && given.name === undefined;
  const problems = [
    ...problemsOfRequest(request),
    ...(isNameless ? [problemWithoutValue(["name"], "must be given with text, but is missing")] : []),
  ];
  if (problems.length > 0) throw invalidRequest(problems);
  const { url, text, name, metadata } = given;
  const content: GivenContent = { source: url === undefined ? "text" : "url", url, name, metadata };
  return { content, text };
}

/** The fields of an upload so far. Throws ApiError with all problems together. */
export function checkedFields(request: FastifyRequest, fields: readonly FormField[]): UploadFields {
  const values = new Map<string, unknown>();
  const problems: Problem[] = [...problemsOfHead(request)];
  for (const [name, value] of fields) {
    if (values.has(name)) problems.push(problemWithoutValue([name], "must be given once"));
    else values.set(name, name === "metadata" ? jsonOr(value) : value);
  }
  const validate = validatorCompiler({ schema: UploadFields, method: "POST", url: "/corpora" });
  const checked = validate(Object.fromEntries(values)) as {
    value?: UploadFields;
    error?: { details: readonly Problem[] };
  };
  const all = firstProblems([...problems, ...(checked.error?.details ?? [])]);
  if (all.length > 0 || checked.value === undefined) throw invalidRequest(all);
  return checked.value;
}

/** What a text stands for as JSON; the schema reports one that stands for nothing. */
function jsonOr(text: string): unknown {
  try {
    return readJson(Buffer.from(text)) ?? text;
  } catch {
    return text;
  }
}

/** The content of an upload. */
export function contentOfUpload(request: FastifyRequest, { fields, fileName }: Upload): GivenContent {
  const { name, metadata } = checkedFields(request, fields);
  return { source: "upload", fileName: printableName(fileName), name, metadata };
}

/** A document's name where none is given: the end of its address. */
export function nameOfUrl(url: string): string {
  const { hostname, pathname } = new URL(url);
  return printableName(pathname.split("/").findLast((part) => part !== "") ?? hostname);
}

const printableName = (name: string): string =>
  name
    .replace(/\p{Cc}/gu, "")
    .slice(0, DOCUMENT_NAME_CHARS_MAX)
    .trim() || "document";
