import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import type { AccountState } from "./api-key-store.ts";
import type { Act } from "./audit-store.ts";

/** A secret as it is made; its text can be seen only now. */
export interface OwnerSecret {
  secret: string;
  expiresAtMs: EpochMs;
}

/** What a page that an owner link has opened may act for. */
export interface OwnerPage {
  accountId: AccountId;
  account: AccountState;
  expiresAtMs: EpochMs;
}

/**
 * Owner links: a person who reads the terminal or the data directory of the service owns it, and opens a page of it in a
 * browser by a link that works once. Secrets are stored as SHA-256. Making and using a link are in the audit log, in the
 * same transaction. Every operation rejects with `unavailable` when the store cannot answer at present.
 */
export interface OwnerLinkStore {
  /** A link of this account for OWNER_LINK_MS. Earlier links of the account no longer work; pages that are open stay so. */
  create(accountId: AccountId, act: Act): Promise<OwnerSecret>;
  /**
   * Uses a link up and opens a page for OWNER_PAGE_MS. Undefined, and changes nothing, for a link that is unknown, was used,
   * has expired or was replaced. Of uses at the same time one alone succeeds.
   */
  use(link: string, act: Act): Promise<(OwnerSecret & Pick<OwnerPage, "accountId">) | undefined>;
  /** Undefined for a page that is unknown or has expired. */
  findPage(secret: string): Promise<OwnerPage | undefined>;
}
