import { TURN_TEXT_CHARS_MAX } from "../../../../core/limits/calls/calls.ts";
import { STT_ITEMS_MAX } from "../../../../core/limits/speech-providers/stt.ts";
import { joinTexts } from "../../../../core/text/words.ts";
import type { SttEvent } from "../../../contracts.ts";
import { transcriptLanguage, transcriptText } from "../../transcript-text.ts";

/** What a commit is for: the words so far, or those of an utterance that is over. */
export type CommitKind = "interim" | "final";

/** A part of the audio that is or will be transcribed as one. */
interface Item {
  /** Undefined for an item without audio. */
  id: string | undefined;
  /** Undefined until it is committed; `own`: the server has committed it by itself. */
  kind: CommitKind | "own" | undefined;
  /** The words that have arrived while it was not complete. */
  partial: string;
  /** Undefined until it is complete. */
  transcript: string | undefined;
  /** What the server detected, BCP 47. */
  language: string | undefined;
}

interface ItemsOptions {
  /** The language of the call, BCP 47. */
  language: string;
  /** The words of items that are not complete are emitted as interim transcripts. */
  emitsPartials: boolean;
  emit: (event: SttEvent) => void;
}

/**
 * The end of a turn by semantic VAD: it sends no figure. It is not certain, because it also ends every turn after some
 * seconds of silence.
 */
const OWN_END_OF_TURN = 0.9;
/** How many complete items are remembered, to ignore what comes late for them. */
const COMPLETE_ITEMS_MAX = 8;

/**
 * The items of one stream, in the order of their audio. Transcripts may arrive in another order, and are emitted in
 * this one: a final for each item, unless it was committed only for the words so far. Those begin the next final.
 */
export class Items {
  readonly #options: ItemsOptions;
  readonly #items: Item[] = [];
  /** Our commits that the server has not confirmed, in order. */
  readonly #requests: CommitKind[] = [];
  readonly #completeIds: string[] = [];
  /** The item that the server will commit by itself. */
  #stoppedId: string | undefined;
  /** The words since the last final that are complete, of items committed for the words so far. */
  #text = "";
  #lastInterim = "";

  constructor(options: ItemsOptions) {
    this.#options = options;
  }

  /** Transcripts are on their way, or commits. */
  get isPending(): boolean {
    return this.#items.length > 0 || this.#requests.length > 0;
  }

  /** The words whose item is not committed, and no commit is under way, are more than `charsMax`. */
  hasUncommitted(charsMax: number): boolean {
    if (this.#requests.length > 0) return false;
    return this.#items.some(({ kind, partial }) => kind === undefined && partial.length > charsMax);
  }

  /** A commit was sent. */
  requested(kind: CommitKind): void {
    this.#requests.push(kind);
  }

  /** Ends an utterance, or answers a request for its words, with what is known: there is no audio to commit. */
  concludeWithoutAudio(kind: CommitKind): void {
    this.#items.push({ id: undefined, kind, partial: "", transcript: "", language: undefined });
    this.#emitComplete();
  }

  /**
   * The utterance is over, and all of its audio is committed. Returns whether its final is pending: also where only the
   * words so far were asked for, which now are its words.
   */
  concludePending(): boolean {
    const [request, item] = [this.#requests.at(-1), this.#items.at(-1)];
    if (request === "interim") this.#requests[this.#requests.length - 1] = "final";
    else if (request === undefined && item?.kind === "interim") item.kind = "final";
    return this.isPending;
  }

  /** The server has found the end of a turn and commits this item. */
  stopped(id: string): void {
    this.#stoppedId = id;
  }

  /** An item was committed, by us or by the server. Returns whether the server did by itself. */
  committed(id: string): boolean {
    const isOwn = id === this.#stoppedId;
    const kind = isOwn ? "own" : (this.#requests.shift() ?? "final");
    if (!this.#completeIds.includes(id)) {
      this.#committedItem(id).kind = kind;
      this.#emitComplete();
    }
    return isOwn;
  }

  /** There was no audio to commit. */
  commitFailed(): void {
    const kind = this.#requests.shift();
    if (kind !== undefined) this.concludeWithoutAudio(kind);
  }

  /** Further words of an item. */
  partial(id: string, words: string): void {
    if (this.#completeIds.includes(id)) return;
    const item = this.#known(id) ?? this.#added(id);
    if (item.partial.length < TURN_TEXT_CHARS_MAX) item.partial += words;
    if (!this.#options.emitsPartials) return;
    const texts = this.#items.map(({ transcript, partial }) => transcript ?? partial);
    const text = transcriptText(texts.reduce((sum, part) => joinTexts(sum, part.trim()), this.#text));
    if (text === "" || text === this.#lastInterim) return;
    this.#lastInterim = text;
    this.#options.emit({ kind: "interim", text });
  }

  /** An item is complete. */
  complete(id: string, transcript: string, language: string | undefined): void {
    if (this.#completeIds.includes(id)) return;
    const item = this.#committedItem(id);
    item.kind ??= this.#requests.shift() ?? "final";
    item.transcript = transcriptText(transcript);
    item.language = language;
    this.#emitComplete();
  }

  /** More is open than a working server leaves open. */
  get areTooMany(): boolean {
    return this.#items.length > STT_ITEMS_MAX || this.#requests.length > STT_ITEMS_MAX;
  }

  /** The item that is committed under this id: also one whose words came under another id before. */
  #committedItem(id: string): Item {
    const known = this.#known(id);
    if (known !== undefined) return known;
    const open = this.#items.find(({ kind }) => kind === undefined) ?? this.#added(id);
    open.id = id;
    return open;
  }

  #known(id: string): Item | undefined {
    return this.#items.find((item) => item.id === id);
  }

  #added(id: string): Item {
    const item: Item = { id, kind: undefined, partial: "", transcript: undefined, language: undefined };
    this.#items.push(item);
    return item;
  }

  #emitComplete(): void {
    for (
      let first = this.#items[0];
      first?.kind !== undefined && first.transcript !== undefined;
      first = this.#items[0]
    ) {
      this.#items.shift();
      if (first.id !== undefined) this.#remember(first.id);
      this.#text = joinTexts(this.#text, first.transcript);
      if (first.kind === "interim") this.#options.emit({ kind: "interim", text: this.#text });
      else this.#emitFinal(first);
    }
  }

  #emitFinal({ kind, language }: Item): void {
    const text = this.#text;
    const hadInterim = this.#lastInterim !== "";
    this.#text = "";
    this.#lastInterim = "";
    // It was not requested, and without words it was a noise.
    if (text === "" && kind === "own" && !hadInterim) return;
    this.#options.emit({
      kind: "final",
      text,
      ...(text === "" || language === undefined
        ? {}
        : { language: transcriptLanguage(language, this.#options.language) }),
      ...(text === "" || kind !== "own" ? {} : { endOfTurn: OWN_END_OF_TURN }),
    });
  }

  #remember(id: string): void {
    this.#completeIds.push(id);
    if (this.#completeIds.length > COMPLETE_ITEMS_MAX) this.#completeIds.shift();
  }
}
