import type { AccountState } from "../../store/accounts/api-key-store.ts";

/** What the configured batch providers can do for one account. */
export interface BatchCapabilities {
  /** Whether one of them distinguishes speakers. */
  readonly speakers: boolean;
  /** Whether one of them detects the language. */
  readonly detectsLanguage: boolean;
  /** Whether one of them transcribes this language, a code of `GET /languages`. */
  servesLanguage(language: string): boolean;
  /** The ids of all providers of this version that could, whether they are configured or not. */
  readonly able: {
    readonly speakers: readonly string[];
    readonly detectsLanguage: readonly string[];
    language(language: string): readonly string[];
  };
}

/** What the batch providers can do for an account. */
export type BatchCapabilitiesOf = (account: Pick<AccountState, "settings">) => Promise<BatchCapabilities>;

/** Of a service without any. */
export const NO_BATCH_PROVIDERS: BatchCapabilities = {
  speakers: false,
  detectsLanguage: false,
  servesLanguage: () => false,
  able: { speakers: [], detectsLanguage: [], language: () => [] },
};
