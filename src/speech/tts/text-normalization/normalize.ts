import type { TimedWord, TtsChunk, TtsRequest } from "../../contracts.ts";
import { normalizationRules } from "./rules.ts";

/** Words as the LLM wrote them, and the words that the TTS speaks for them. */
interface NormalizedPart {
  written: string;
  spoken: string;
}

const SPEAKABLE = /[\p{L}\p{N}]/u;
/** Most words: no rule matches text that begins like this. */
const PLAIN_WORD = /\p{Ll}[\p{L}'’]*(?=[\s,;!?]|$)/uy;
/** The rest of a word at whose beginning no rule matched. */
const REST_OF_WORD = /[\p{L}\p{N}]+/uy;

/**
 * Normalizes `text` for the TTS: amounts, addresses, telephone numbers, abbreviations and units become words; Markdown,
 * emoji and references are left out. Whole numbers stay in digits, because every TTS reads them better in its own
 * language. In a language without a lexicon only markup is removed. The `written` of all parts, joined by spaces, are
 * the text.
 */
export function normalizeText(text: string, language: string): NormalizedPart[] {
  const rules = normalizationRules(language);
  const parts: NormalizedPart[] = [];
  let written = "";
  let spoken = "";
  const close = (): void => {
    if (written !== "") parts.push({ written: collapseSpaces(written), spoken: collapseSpaces(spoken) });
    written = "";
    spoken = "";
  };
  for (let at = 0; at < text.length; ) {
    const plain = matchAt(PLAIN_WORD, text, at);
    const found = plain === "" ? rules(text, at) : undefined;
    const char = String.fromCodePoint(text.codePointAt(at) as number);
    if (found === undefined && /\s/.test(char)) {
      close();
      at += char.length;
      continue;
    }
    const taken = found?.length ?? (plain || matchAt(REST_OF_WORD, text, at) || char).length;
    const as = text.slice(at, at + taken);
    written += as;
    spoken += found?.spoken ?? as;
    at += taken;
  }
  close();
  return withoutUnspoken(parts);
}

/** The request with the text that the TTS speaks, and a mapping of its chunks. */
interface NormalizedRequest {
  request: TtsRequest;
  /** Returns the chunk with its words as they were written. */
  map(chunk: TtsChunk): TtsChunk;
}

/** Normalizes the text of `request`; undefined if there is nothing to speak in it. */
export function normalizeRequest(request: TtsRequest): NormalizedRequest | undefined {
  const parts = normalizeText(request.text, request.language);
  if (parts.length === 0) return undefined;
  const written = new WrittenWordMapper(parts);
  return {
    request: { ...request, text: joinSpoken(parts) },
    map: (chunk) => (chunk.words.length === 0 ? chunk : { ...chunk, words: written.take(chunk.words) }),
  };
}

/** The text for the TTS. */
export const joinSpoken = (parts: readonly NormalizedPart[]): string => parts.map(({ spoken }) => spoken).join(" ");

/**
 * Maps the timed words of a TTS that speaks `joinSpoken(parts)` back to the words as the LLM wrote them. A part is
 * complete with its last spoken word, and lasts from its first to its last.
 */
export class WrittenWordMapper {
  readonly #parts: readonly { written: string; words: number }[];
  #next = 0;
  #spokenWordCount = 0;
  #startMs = 0;

  constructor(parts: readonly NormalizedPart[]) {
    this.#parts = parts.map(({ written, spoken }) => ({ written, words: spoken.split(" ").length }));
  }

  /** Takes the next spoken words and returns the written words that they complete. */
  take(words: readonly TimedWord[]): TimedWord[] {
    const completed: TimedWord[] = [];
    for (const { startMs, endMs } of words) {
      const part = this.#parts[this.#next];
      // The provider reported more words than the text has.
      if (part === undefined) break;
      if (this.#spokenWordCount === 0) this.#startMs = startMs;
      this.#spokenWordCount += 1;
      if (this.#spokenWordCount < part.words) continue;
      completed.push({ text: part.written, startMs: this.#startMs, endMs });
      this.#next += 1;
      this.#spokenWordCount = 0;
    }
    return completed;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

const collapseSpaces = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * Joins parts without anything to speak, for example bullets and rules, to the part before them, after which the TTS
 * pauses. At the beginning they join the first spoken part.
 */
function withoutUnspoken(parts: readonly NormalizedPart[]): NormalizedPart[] {
  const joined: NormalizedPart[] = [];
  let before = "";
  let pause = "";
  for (const { written, spoken } of parts) {
    const last = joined.at(-1);
    if (SPEAKABLE.test(spoken)) {
      if (last !== undefined && /[\p{L}\p{N}]$/u.test(last.spoken)) last.spoken += pause;
      joined.push({ written: before + written, spoken });
      before = "";
      pause = "";
    } else if (last === undefined) {
      before += `${written} `;
    } else {
      last.written += ` ${written}`;
      if (/^[.!?…]+$/.test(spoken)) last.spoken += spoken;
      else pause = ",";
    }
  }
  return joined;
}
