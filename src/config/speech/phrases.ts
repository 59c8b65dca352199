import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isObject } from "../../core/json.ts";
import {
  PHRASE_CHARS_MAX,
  PHRASES_FILE_BYTES_MAX,
  PHRASES_FILE_PROBLEMS_MAX,
} from "../../core/limits/agents/phrases.ts";
import { PHRASE_NAMES, type PhraseName } from "../../core/phrases/names.ts";
import { isPhraseTag, type PhraseOverrides } from "../../core/phrases/phrases.ts";

const VARIABLE = "PHRASES_FILE";
/** How much of a wrong value is quoted. */
const SHOWN_CHARS_MAX = 40;

/**
 * Reads the phrases that an operator adds or changes: a JSON object of language tags (BCP 47), each with any of the phrases by name.
 * Adds every problem to `problems`, with its place in the file and its value. With a problem the service does not start.
 */
export function readPhrasesFile(path: string, problems: string[]): PhraseOverrides {
  const text = textOf(path, problems);
  if (text === undefined) return {};
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    problems.push(`${VARIABLE} must name a JSON file: ${path} does not contain JSON`);
    return {};
  }
  if (!isObject(given)) {
    problems.push(`${VARIABLE} must hold a JSON object of languages, not ${shown(given)}`);
    return {};
  }
  const found: string[] = [];
  const overrides: Record<string, Partial<Record<PhraseName, string>>> = {};
  for (const [tag, phrases] of Object.entries(given)) {
    const canonical = canonicalTag(tag);
    if (canonical === undefined) found.push(`${at(tag)} must be a language tag such as de, pt-BR or zh-Hant`);
    else if (!isPhraseTag(canonical))
      found.push(`${at(tag)} must be a language tag such as de, pt-BR or zh-Hant: no call can have this language`);
    else if (overrides[canonical] !== undefined) found.push(`${at(tag)} must occur once: it is ${canonical} again`);
    else overrides[canonical] = phrasesOf(tag, phrases, found);
  }
  problems.push(...found.slice(0, PHRASES_FILE_PROBLEMS_MAX));
  if (found.length > PHRASES_FILE_PROBLEMS_MAX) {
    problems.push(`${VARIABLE} has ${found.length - PHRASES_FILE_PROBLEMS_MAX} more problems`);
  }
  return overrides;
}

function textOf(path: string, problems: string[]): string | undefined {
  let file: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe without a writer would block the start.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) {
      problems.push(`${VARIABLE} must name a regular file: ${path} is not one`);
      return undefined;
    }
    const bytes = Buffer.alloc(PHRASES_FILE_BYTES_MAX + 1);
    let length = 0;
    for (let count = -1; count !== 0; length += count)
      count = readSync(file, bytes, length, bytes.length - length, null);
    if (length < bytes.length) return bytes.toString("utf8", 0, length);
    problems.push(`${VARIABLE} must name a file of at most ${PHRASES_FILE_BYTES_MAX} bytes: ${path} has more`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no code";
    problems.push(`${VARIABLE} must name a file that can be read: ${path} cannot (${code})`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return undefined;
}

function phrasesOf(tag: string, given: unknown, problems: string[]): Partial<Record<PhraseName, string>> {
  if (!isObject(given)) {
    problems.push(`${at(tag)} must be an object of phrases, not ${shown(given)}`);
    return {};
  }
  const phrases: Partial<Record<PhraseName, string>> = {};
  for (const [name, value] of Object.entries(given)) {
    const known = PHRASE_NAMES.find((one) => one === name);
    const text = typeof value === "string" ? value.trim() : "";
    if (known === undefined) problems.push(`${at(tag, name)} must be one of ${PHRASE_NAMES.join(", ")}`);
    else if (text === "" || text.length > PHRASE_CHARS_MAX || /\p{Cc}/u.test(text)) {
      problems.push(`${at(tag, name)} must be a line of 1 to ${PHRASE_CHARS_MAX} characters, not ${shown(value)}`);
    } else phrases[known] = text;
  }
  return phrases;
}

function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** A place in the file, as a JSON pointer (RFC 6901). */
const at = (...keys: string[]): string =>
  `${VARIABLE} ${keys.map((key) => `/${cut(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`;

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(cut(value));
  return Array.isArray(value) ? "a list" : isObject(value) ? "an object" : String(value);
}

const cut = (text: string): string => (text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`);
