import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject } from "../../core/json.ts";
import { PHRASE_CACHE_BYTES_MAX } from "../../core/limits/agents/phrases.ts";
import type { Phrases } from "../../core/phrases/names.ts";
import { samePhrases } from "../../core/phrases/phrases.ts";
import { validateTranslation } from "../../speech/llm/phrase-translation.ts";

/**
 * Translated phrases, one JSON file per language under `phrases` in the data folder: `{english, phrases,
 * translatedBy}`. They outlive the process and are shared by all workers; the last writer wins, and each writes a whole
 * file.
 */
export class PhraseCache {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, "phrases");
  }

  /**
   * The phrases for `tag`; undefined where there are none, where they were made from another `english`, or where they
   * are no valid translation of it.
   */
  async read(tag: string, english: Phrases): Promise<Phrases | undefined> {
    const saved = parsed(await this.#text(tag));
    if (!isObject(saved) || !isObject(saved.english) || !isObject(saved.phrases)) return undefined;
    if (!samePhrases(saved.english as Partial<Phrases>, english)) return undefined;
    const phrases = validateTranslation(saved.phrases, tag, english);
    return typeof phrases === "string" ? undefined : phrases;
  }

  /** Rejects where the file cannot be written. */
  async write(tag: string, english: Phrases, phrases: Phrases, translatedBy: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const unfinished = `${this.#path(tag)}.${randomUUID()}`;
    try {
      const json = `${JSON.stringify({ english, phrases, translatedBy }, undefined, 2)}\n`;
      await writeFile(unfinished, json, { mode: 0o600 });
      await rename(unfinished, this.#path(tag));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  async #text(tag: string): Promise<string> {
    try {
      const file = await open(this.#path(tag));
      try {
        const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(PHRASE_CACHE_BYTES_MAX), position: 0 });
        return buffer.toString("utf8", 0, bytesRead);
      } finally {
        await file.close();
      }
    } catch {
      // A file that cannot be read is written again.
      return "";
    }
  }

  #path(tag: string): string {
    return join(this.#folder, `${tag}.json`);
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
