import type { TimedWord } from "../../contracts.ts";
import { normalizationRules } from "./rules.ts";

/** Words as the model wrote them, and the words that a voice is to say for them. */
export interface NormalizedPart {
  written: string;
  spoken: string;
}

const SPEAKABLE = /[\p{L}\p{N}]/u;
/** Most words: nothing is written in signs that begins with one of these. */
const PLAIN_WORD = /\p{Ll}[\p{L}'’]*(?=[\s,;!?]|$)/uy;
/** What is left of a word that began as none of what is written in signs. */
const REST_OF_WORD = /[\p{L}\p{N}]+/uy;

/**
 * What a voice is to say for `text`: amounts, addresses, telephone numbers, abbreviations and units in words, without the marks of
 * Markdown, emoji and references. Whole numbers stay in digits: every voice reads them in its own language, and better than we could.
 * In a language that we know no words of, only marks are left out. The `written` of all parts, joined by spaces, are the text.
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

/** What a voice is to say for all of `parts`. */
export const joinSpoken = (parts: readonly NormalizedPart[]): string => parts.map(({ spoken }) => spoken).join(" ");

/**
 * Gives the words of a voice that speaks `spokenTextOf(parts)` back as the model wrote them: a part is known when the last of its words
 * is, and lasts from the first to the last.
 */
export class WrittenWordMapper {
  readonly #parts: readonly { written: string; words: number }[];
  #next = 0;
  #spokenWordCount = 0;
  #startMs = 0;

  constructor(parts: readonly NormalizedPart[]) {
    this.#parts = parts.map(({ written, spoken }) => ({ written, words: spoken.split(" ").length }));
  }

  /** The words that have become known with `words`, which are the next that were spoken. */
  take(words: readonly TimedWord[]): TimedWord[] {
    const known: TimedWord[] = [];
    for (const { startMs, endMs } of words) {
      const part = this.#parts[this.#next];
      // More words than were to be spoken are not ours.
      if (part === undefined) break;
      if (this.#spokenWordCount === 0) this.#startMs = startMs;
      this.#spokenWordCount += 1;
      if (this.#spokenWordCount < part.words) continue;
      known.push({ text: part.written, startMs: this.#startMs, endMs });
      this.#next += 1;
      this.#spokenWordCount = 0;
    }
    return known;
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

const collapseSpaces = (text: string): string => text.replace(/\s+/g, " ").trim();

/**
 * Parts of which nothing is said, bullets and rules for example, join those before them, after which the voice pauses; at the
 * beginning they join the first that is spoken.
 */
function withoutUnspoken(parts: readonly NormalizedPart[]): NormalizedPart[] {
  const kept: NormalizedPart[] = [];
  let before = "";
  let pause = "";
  for (const { written, spoken } of parts) {
    const last = kept.at(-1);
    if (SPEAKABLE.test(spoken)) {
      if (last !== undefined && /[\p{L}\p{N}]$/u.test(last.spoken)) last.spoken += pause;
      kept.push({ written: before + written, spoken });
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
  return kept;
}
