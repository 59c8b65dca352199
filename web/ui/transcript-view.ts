import type { Sentence, SentenceProgress, Turn } from "./conversation.ts";
import { element, setText } from "./elements.ts";

export interface TranscriptTexts {
  /** The label of the list. */
  transcript: string;
  agent: string;
  user: string;
  /** What is said of a turn that began this long after the caller's last word; undefined to say nothing. */
  delay?: (delayMs: number) => string;
  /** What is said of a sentence, on a pointer that rests on it; undefined to say nothing. */
  progress?: Readonly<Record<SentenceProgress, string>>;
}

interface Shown {
  item: HTMLElement;
  words: HTMLElement;
  delay: HTMLElement;
  isFinal: boolean;
}

/**
 * The conversation as it goes on, scrolled to its end unless the reader has scrolled away. Words that still change are not read by
 * screen readers; each turn is, once it is final.
 */
export class TranscriptView {
  readonly element: HTMLElement;
  /** Apart from the list, whose texts change with every word. */
  readonly announcer = element("div", { class: "hidden", role: "log", "aria-live": "polite" });
  readonly #texts: TranscriptTexts;
  readonly #list: HTMLElement;
  readonly #shown = new Map<string, Shown>();

  constructor(texts: TranscriptTexts) {
    this.#texts = texts;
    this.#list = element("ol", { class: "turns", part: "turns" });
    const attributes = { class: "transcript", part: "transcript", role: "region", tabindex: 0 };
    this.element = element("div", { ...attributes, "aria-label": texts.transcript }, this.#list);
  }

  /** Shows all turns; those that are no more disappear. */
  show(turns: readonly Turn[]): void {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 48;
    const ids = new Set(turns.map(({ id }) => id));
    for (const [id, { item }] of this.#shown) {
      if (ids.has(id)) continue;
      item.remove();
      this.#shown.delete(id);
    }
    for (const turn of turns) this.#showTurn(turn);
    if (isAtEnd) this.element.scrollTop = this.element.scrollHeight;
  }

  /** A line between the turns, as that the call has ended. */
  note(text: string): void {
    this.#list.append(element("li", { class: "note", part: "note" }, text));
    this.element.scrollTop = this.element.scrollHeight;
  }

  #showTurn(turn: Turn): void {
    const shown = this.#shown.get(turn.id) ?? this.#add(turn);
    showSentences(shown.words, turn.sentences, this.#texts.progress);
    if (turn.delayMs !== undefined) setText(shown.delay, this.#texts.delay?.(turn.delayMs) ?? "");
    shown.item.classList.toggle("open", !turn.isFinal);
    if (turn.isFinal && !shown.isFinal) {
      shown.isFinal = true;
      const heard = turn.sentences.filter(({ progress }) => progress !== "unheard").map(({ text }) => text);
      if (heard.length > 0) this.announcer.append(element("p", {}, `${this.#texts[turn.role]}: ${heard.join("")}`));
    }
  }

  #add({ id, role }: Turn): Shown {
    const words = element("p", { class: "words", dir: "auto" });
    const delay = element("span", { class: "delay" });
    const name = element("span", { class: "speaker" }, this.#texts[role], delay);
    const item = element("li", { class: `turn ${role}`, part: `turn turn-${role}` }, name, words);
    this.#list.append(item);
    const shown = { item, words, delay, isFinal: false };
    this.#shown.set(id, shown);
    return shown;
  }
}

/** The sentences of a turn. Spaces stand between them, so that no mark of a sentence is on one. */
function showSentences(
  words: HTMLElement,
  sentences: readonly Sentence[],
  meanings: TranscriptTexts["progress"] = undefined,
): void {
  if (words.textContent !== sentences.map(({ text }) => text).join("")) {
    const parts = sentences.flatMap(({ text }) => {
      const [, before = "", said = "", after = ""] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? [];
      return [before, element("span", {}, said), after];
    });
    words.replaceChildren(...parts.filter((part) => part !== ""));
  }
  for (const [at, { progress }] of sentences.entries()) {
    const span = words.children[at];
    if (span === undefined) continue;
    span.className = `sentence ${progress}`;
    if (meanings !== undefined) span.setAttribute("title", meanings[progress]);
  }
}
