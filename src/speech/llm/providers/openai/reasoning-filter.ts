const OPENING = "<think>";
const CLOSING = "</think>";

/**
 * Removes a model's reasoning from its reply. Servers without support for a model's reasoning format (Ollama and vLLM
 * without a parser for it, llama.cpp) send it as a part of the reply, between `<think>` and `</think>`. A tag may be
 * split over several texts. Reasoning that is never closed extends to the end of the reply. Some chat templates open
 * the reasoning themselves, so the opening tag is missing: then only the closing tag can be removed, because the
 * reasoning has been emitted by then.
 */
export class ReasoningFilter {
  /** The end of the text so far, if it may be the beginning of a tag. */
  #partialTag = "";
  #isReasoning = false;
  /** The whitespace after reasoning belongs to it. */
  #isAfterReasoning = false;

  /** Takes the next text; returns its part without reasoning. */
  push(text: string): string {
    let rest = this.#partialTag + text;
    let visible = "";
    for (;;) {
      const found = this.#nextTag(rest);
      if (found === undefined) break;
      const { index, tag } = found;
      visible += this.#visibleText(rest.slice(0, index));
      rest = rest.slice(index + tag.length);
      this.#isAfterReasoning ||= this.#isReasoning;
      this.#isReasoning = tag === OPENING;
    }
    const end = rest.length - Math.max(...this.#tags.map((tag) => partialTagChars(rest, tag)));
    this.#partialTag = rest.slice(end);
    return visible + this.#visibleText(rest.slice(0, end));
  }

  /** Ends the reply; returns the text that was held back as a possible tag. */
  end(): string {
    return this.#visibleText(this.#partialTag);
  }

  /** The tags that have an effect in the current state. */
  get #tags(): readonly string[] {
    return this.#isReasoning ? [CLOSING] : [OPENING, CLOSING];
  }

  #nextTag(text: string): { index: number; tag: string } | undefined {
    const found = this.#tags.map((tag) => ({ index: text.indexOf(tag), tag })).filter(({ index }) => index !== -1);
    return found.sort((a, b) => a.index - b.index)[0];
  }

  #visibleText(text: string): string {
    if (this.#isReasoning) return "";
    const visible = this.#isAfterReasoning ? text.trimStart() : text;
    if (visible !== "") this.#isAfterReasoning = false;
    return visible;
  }
}

/** How many characters at the end of `text` may be the beginning of `tag`. */
function partialTagChars(text: string, tag: string): number {
  let chars = Math.min(text.length, tag.length - 1);
  while (chars > 0 && !tag.startsWith(text.slice(-chars))) chars -= 1;
  return chars;
}
