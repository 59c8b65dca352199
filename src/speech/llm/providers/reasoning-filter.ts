const OPENING = "<think>";
const CLOSING = "</think>";

/**
 * What a model says, without what it thinks: servers that do not know a model's way of reasoning (Ollama and vLLM without a parser for
 * it, llama.cpp) hand it on as a part of the answer, between `<think>` and `</think>`. Tags may come in any pieces. A thought that is
 * never closed goes to the end of the answer; of one that was never opened, as templates have it that open it themselves, only the
 * tag can be left out, for it has been said by then.
 */
export class ReasoningFilter {
  /** The beginning of a tag, perhaps. */
  #partialTag = "";
  #isReasoning = false;
  /** The blank lines behind a thought belong to it. */
  #isAfterReasoning = false;

  /** What there is to be said of `text`, which comes next. */
  push(text: string): string {
    let rest = this.#partialTag + text;
    let said = "";
    for (;;) {
      const found = this.#nextTag(rest);
      if (found === undefined) break;
      const { at, tag } = found;
      said += this.#visibleText(rest.slice(0, at));
      rest = rest.slice(at + tag.length);
      this.#isAfterReasoning ||= this.#isReasoning;
      this.#isReasoning = tag === OPENING;
    }
    const end = rest.length - Math.max(...this.#tags.map((tag) => partialTagChars(rest, tag)));
    this.#partialTag = rest.slice(end);
    return said + this.#visibleText(rest.slice(0, end));
  }

  /** The answer is over: what was no tag after all. */
  end(): string {
    return this.#visibleText(this.#partialTag);
  }

  /** Those that mean anything now. */
  get #tags(): readonly string[] {
    return this.#isReasoning ? [CLOSING] : [OPENING, CLOSING];
  }

  #nextTag(text: string): { at: number; tag: string } | undefined {
    const found = this.#tags.map((tag) => ({ at: text.indexOf(tag), tag })).filter(({ at }) => at !== -1);
    return found.sort((a, b) => a.at - b.at)[0];
  }

  #visibleText(text: string): string {
    if (this.#isReasoning) return "";
    const said = this.#isAfterReasoning ? text.trimStart() : text;
    if (said !== "") this.#isAfterReasoning = false;
    return said;
  }
}

/** How many characters at the end of `text` may be the beginning of `tag`. */
function partialTagChars(text: string, tag: string): number {
  let chars = Math.min(text.length, tag.length - 1);
  while (chars > 0 && !tag.startsWith(text.slice(-chars))) chars -= 1;
  return chars;
}
