import type { Clock } from "../../../core/clock.ts";
import { elapsedMs } from "../../../core/clocks.ts";
import { codeOf } from "../../../core/errors.ts";
import type { ApiKeyId } from "../../../core/ids.ts";
import { LAST_USE_BATCH_MS, LAST_USE_MS } from "../../../core/limits/accounts/api-keys.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { ApiKeyStore, Principal } from "../../../store/accounts/api-key-store.ts";

export interface LastUseOptions {
  apiKeys: Pick<ApiKeyStore, "recordUse">;
  clock: Clock;
  log: Logger;
}

/** Stores when API keys were last used: at most once a minute each, many in one write, beside the requests. */
export class LastUse {
  readonly #options: LastUseOptions;
  readonly #used = new Set<ApiKeyId>();
  #cancel: (() => void) | undefined;

  constructor(options: LastUseOptions) {
    this.#options = options;
  }

  /** An API key is used, whose last use is stored as the principal has it. */
  note({ apiKeyId, lastUsedAtMs }: Principal): void {
    const { clock } = this.#options;
    if (lastUsedAtMs !== undefined && Math.abs(elapsedMs(lastUsedAtMs, clock.epochMs())) < LAST_USE_MS) return;
    this.#used.add(apiKeyId);
    this.#cancel ??= clock.after(LAST_USE_BATCH_MS, () => void this.flush());
  }

  /** Stores what is not stored yet. Never rejects: what could not be stored is noted again with the next use. */
  async flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    const ids = [...this.#used];
    this.#used.clear();
    if (ids.length === 0) return;
    const { apiKeys, clock, log } = this.#options;
    try {
      await apiKeys.recordUse(ids, clock.epochMs());
    } catch (error) {
      log.debug({ code: codeOf(error) }, "last use of API keys could not be stored");
    }
  }
}
