import { isObject } from "../../../core/json.ts";
import { joinedBy, type ReferencePhrases } from "../language/phrases.ts";
import { wordsOfName } from "../language/words.ts";

/** The longest spoken result; a caller does not listen to more. */
const SPOKEN_CHARS_MAX = 300;
const FACTS_MAX = 6;
const ITEMS_MAX = 4;
const DEPTH_MAX = 3;
/** Properties in which servers return a text to speak, the best first. */
const SPOKEN_KEYS: readonly string[] = ["answer", "message", "text", "summary", "speech"];

/** Tools that end the call, so that nothing is said after them. */
const LAST_WORDS = new Set(["hang_up", "transfer"]);
/** The tool result for a server's response without a body. */
const NO_BODY = /^Done, with status \d{3}\.$/;

/**
 * The spoken form of a tool's result: a JSON value in short sentences, a text unchanged, an error as an apology. Empty
 * if there is nothing to say.
 */
export function spokenResult(tool: string, result: string, phrases: ReferencePhrases): string {
  if (/^Error: /.test(result)) return phrases.toolFailed;
  if (LAST_WORDS.has(tool)) return "";
  if (tool === "switch_language") return phrases.opening;
  if (tool === "send_dtmf" || NO_BODY.test(result)) return phrases.toolDone;
  const value = parsed(result);
  if (isObject(value) && (Boolean(value.error) || value.ok === false || value.success === false))
    return phrases.toolFailed;
  const spoken = spokenIn(value) ?? rendered(value, phrases, 0);
  return spoken === "" ? phrases.toolDone : sentence(shortened(spoken));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}

function spokenIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  for (const key of SPOKEN_KEYS) {
    const spoken = value[key];
    if (typeof spoken === "string" && spoken.trim() !== "") return spoken.trim();
  }
  return undefined;
}

function rendered(value: unknown, phrases: ReferencePhrases, depth: number): string {
  if (value === null || value === undefined || depth > DEPTH_MAX) return "";
  if (typeof value === "boolean") return value ? phrases.yes : phrases.no;
  if (Array.isArray(value)) {
    const items = value.slice(0, ITEMS_MAX).map((item) => rendered(item, phrases, depth + 1));
    return joinedBy(
      phrases.and,
      items.filter((item) => item !== ""),
    );
  }
  if (!isObject(value)) return String(value).trim();
  const facts: string[] = [];
  for (const [name, inner] of Object.entries(value)) {
    const text = rendered(inner, phrases, depth + 1);
    if (text !== "" && facts.length < FACTS_MAX) facts.push(`${wordsOfName(name).join(" ")}: ${text}`);
  }
  return facts.join(", ");
}

/** The text, shortened after a sentence or else after a word. */
function shortened(text: string): string {
  if (text.length <= SPOKEN_CHARS_MAX) return text;
  const begin = text.slice(0, SPOKEN_CHARS_MAX);
  return /^.*[.!?](?=\s)/su.exec(begin)?.[0] ?? begin.replace(/\s*\S*$/u, "");
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…。！？]$/u.test(begun) ? begun : `${begun}.`;
}
