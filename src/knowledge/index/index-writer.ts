import type { CorpusId } from "../../core/ids.ts";
import type { ChangeOutcome, IndexChange } from "./changes.ts";
import { corporaIn, corpusPath } from "./corpus-path.ts";
import { CorpusWriter } from "./corpus-writer.ts";
import { isCorrupt, isMissing, languageOf, removeCorpusFile } from "./schema.ts";

/** Makes changes of the index, one after the other. It keeps the file of one corpus open, since changes come corpus by corpus. */
export class IndexWriter {
  readonly #folder: string;
  #open: { corpusId: CorpusId; writer: CorpusWriter } | undefined;
  /** Corpora whose files still have words of what was removed, or may have them: those of an earlier process are looked at first. */
  readonly #uncompacted: Set<CorpusId>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#uncompacted = new Set(corporaIn(folder));
  }

  /** Whether no file has words of what was removed, as far as this is known. */
  get isCompact(): boolean {
    return this.#uncompacted.size === 0;
  }

  /** Throws SQLite's errors and the system's, such as that of a full disk. */
  change(change: IndexChange): ChangeOutcome {
    const { corpusId } = change;
    try {
      if (change.kind === "remove-corpus") {
        this.#remove(corpusId);
        return "done";
      }
      if (change.kind === "corpus") return this.#make(corpusId, change.languageId);
      const writer = this.#existing(corpusId);
      if (writer === undefined) return "lost";
      return this.#apply(change, writer);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#remove(corpusId);
      return "lost";
    }
  }

  /**
   * Overwrites what removed documents have left in the file of one corpus, where it has anything. Throws as `change`; that corpus comes
   * last then.
   */
  compactOne(): void {
    const [corpusId] = this.#uncompacted;
    if (corpusId === undefined) return;
    this.#uncompacted.delete(corpusId);
    try {
      const writer = this.#existing(corpusId);
      if (writer?.isCompact === false) writer.compact();
    } catch (error) {
      // A damaged file is reported by the next question.
      if (isCorrupt(error)) return;
      this.#uncompacted.add(corpusId);
      throw error;
    }
  }

  close(): void {
    this.#open?.writer.close();
    this.#open = undefined;
  }

  #apply(change: Exclude<IndexChange, { kind: "corpus" | "remove-corpus" }>, writer: CorpusWriter): ChangeOutcome {
    switch (change.kind) {
      case "add":
        if (!writer.add(change.batch)) return "done";
        break;
      case "remove-document":
        writer.remove(change.documentId);
        break;
      case "vectors":
        return writer.setVectors(change) ? "done" : "lost";
    }
    this.#uncompacted.add(change.corpusId);
    return "replaced";
  }

  /**
   * `made` where the file is new. One that cannot be used is removed first, by a change of its own: readers close it before there is
   * another, since a connection to a removed file goes on answering.
   */
  #make(corpusId: CorpusId, languageId: string): ChangeOutcome {
    const path = corpusPath(this.#folder, corpusId);
    if (languageOf(path) === languageId) return "done";
    if (!isMissing(path)) {
      this.#remove(corpusId);
      return "lost";
    }
    this.close();
    this.#open = { corpusId, writer: new CorpusWriter(path, languageId) };
    return "made";
  }

  #existing(corpusId: CorpusId): CorpusWriter | undefined {
    const path = corpusPath(this.#folder, corpusId);
    if (this.#open?.corpusId === corpusId && !isMissing(path)) return this.#open.writer;
    this.close();
    const languageId = languageOf(path);
    if (languageId === undefined) return undefined;
    const writer = new CorpusWriter(path, languageId);
    this.#open = { corpusId, writer };
    return writer;
  }

  #remove(corpusId: CorpusId): void {
    if (this.#open?.corpusId === corpusId) this.close();
    this.#uncompacted.delete(corpusId);
    removeCorpusFile(corpusPath(this.#folder, corpusId));
  }
}
