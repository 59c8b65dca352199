import type { Clock } from "../../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../../core/clocks.ts";
import type { AccountId, ApiKeyId } from "../../../core/ids.ts";
import {
  API_KEY_CACHE_ENTRIES_MAX,
  API_KEY_CACHE_MS,
  API_KEY_REFRESH_MS,
} from "../../../core/limits/accounts/api-keys.ts";
import type { ApiKeyStore, Principal } from "../../../store/accounts/api-key-store.ts";
import { hashSecret } from "../../../store/secrets.ts";

export interface ApiKeyCacheOptions {
  apiKeys: Pick<ApiKeyStore, "authenticate">;
  clock: Clock;
  /** Called for every API key that a look-up found. */
  onFound?: (principal: Principal) => void;
}

interface Entry {
  principal: Principal;
  /** When its look-up began. */
  sinceMs: MonotonicMs;
}

/**
 * Authenticates API keys, and asks the store about one at most every API_KEY_REFRESH_MS while it is in use. An answer
 * counts for API_KEY_CACHE_MS from the moment at which it was asked for, so that a key that another process revoked is
 * refused within a second. Only positive answers are kept. Texts are held as SHA-256, never plain.
 */
export class ApiKeyCache {
  readonly #options: ApiKeyCacheOptions;
  /** By the hash of the text, the least recently looked up first. */
  readonly #entries = new Map<string, Entry>();
  readonly #lookups = new Map<string, Promise<Principal | undefined>>();
  /** How often something was forgotten. An answer that was asked for earlier may be older than what was forgotten. */
  #generation = 0;

  constructor(options: ApiKeyCacheOptions) {
    this.#options = options;
  }

  /** See `ApiKeyStore.authenticate`. Rejects with the store's errors. */
  async authenticate(key: string): Promise<Principal | undefined> {
    const hash = hashSecret(key);
    const entry = this.#entries.get(hash);
    if (entry !== undefined) {
      const ageMs = elapsedMs(entry.sinceMs, this.#options.clock.nowMs());
      if (this.#counts(entry.principal) && ageMs <= API_KEY_CACHE_MS) {
        // The entry serves until it is too old; then the request itself meets the error of the store.
        if (ageMs > API_KEY_REFRESH_MS) this.#lookUp(hash, key).catch(() => {});
        return entry.principal;
      }
      this.#entries.delete(hash);
    }
    return await this.#lookUp(hash, key);
  }

  /** From now on this API key is looked up again: it was revoked, rotated or changed. */
  forget(id: ApiKeyId): void {
    this.#forget((principal) => principal.apiKeyId === id);
  }

  /** From now on all API keys of this account are looked up again: its settings were changed. */
  forgetAccount(accountId: AccountId): void {
    this.#forget((principal) => principal.accountId === accountId);
  }

  #forget(isMeant: (principal: Principal) => boolean): void {
    this.#generation += 1;
    this.#lookups.clear();
    for (const [hash, { principal }] of this.#entries) if (isMeant(principal)) this.#entries.delete(hash);
  }

  #counts({ validUntilMs }: Principal): boolean {
    return validUntilMs === undefined || this.#options.clock.epochMs() < validUntilMs;
  }

  /** Requests that come during a look-up share it. */
  #lookUp(hash: string, key: string): Promise<Principal | undefined> {
    const current = this.#lookups.get(hash);
    if (current !== undefined) return current;
    const lookup = this.#ask(hash, key).finally(() => {
      if (this.#lookups.get(hash) === lookup) this.#lookups.delete(hash);
    });
    this.#lookups.set(hash, lookup);
    return lookup;
  }

  async #ask(hash: string, key: string): Promise<Principal | undefined> {
    const generation = this.#generation;
    const sinceMs = this.#options.clock.nowMs();
    const principal = await this.#options.apiKeys.authenticate(key);
    if (principal !== undefined) this.#options.onFound?.(principal);
    if (generation !== this.#generation) return principal;
    this.#entries.delete(hash);
    if (principal === undefined) return undefined;
    this.#entries.set(hash, { principal, sinceMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > API_KEY_CACHE_ENTRIES_MAX && oldest !== undefined) this.#entries.delete(oldest);
    return principal;
  }
}
