import { createHash } from "node:crypto";
import { canonicalJson } from "../core/canonical-json.ts";
import { ACCOUNT_SPEECH_ENTRIES_MAX } from "../core/limits/accounts/accounts.ts";

/**
 * What was made for accounts, at most ACCOUNT_SPEECH_ENTRIES_MAX of it: accounts and requests that differ in nothing share it. The
 * least recently used goes first.
 */
export class AccountCache<T> {
  /** By the hash of what they were made from, which may hold API keys; the least recently used first. */
  readonly #entries = new Map<string, Promise<T>>();

  /** What was made from an equal `source`, which is JSON, or else what `create` makes of it. One that failed is made again. */
  get(source: unknown, create: () => Promise<T>): Promise<T> {
    const key = createHash("sha256").update(canonicalJson(source)).digest("base64");
    const found = this.#entries.get(key);
    const entry = found ?? create();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (found === undefined) entry.catch(() => this.#remove(key, entry));
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > ACCOUNT_SPEECH_ENTRIES_MAX && oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }

  #remove(key: string, entry: Promise<T>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
