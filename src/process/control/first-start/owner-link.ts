import { codeOf } from "../../../core/errors.ts";
import type { Logger } from "../../../core/log/logger.ts";
import { BY_SERVICE } from "../../../store/accounts/audit-store.ts";
import { createOwnerLink, writeOwnerLink } from "../../../store/data-dir/owner-link.ts";
import type { Stores } from "../../../store/stores.ts";

export interface OwnerLinkOptions {
  stores: Pick<Stores, "accounts" | "ownerLinks">;
  dataDir: string;
  /** The address at which people reach the service, without a slash at its end. */
  serviceUrl: string;
  /** Shows the link to the person who started the service; undefined where there is none, or where it may be logged. */
  showOnTerminal: ((url: string) => Promise<void>) | undefined;
  log: Logger;
}

/** Makes the owner link of a new service: for its terminal, else in a file that the log names. */
export async function offerOwnerLink({
  stores,
  dataDir,
  serviceUrl,
  showOnTerminal,
  log,
}: OwnerLinkOptions): Promise<void> {
  try {
    const url = await createOwnerLink(stores, serviceUrl, BY_SERVICE);
    if (showOnTerminal !== undefined) await showOnTerminal(url);
    else
      log.info(
        { path: writeOwnerLink(dataDir, url) },
        "owner link written: it opens the page /talk once, within 15 minutes",
      );
  } catch (error) {
    log.error(
      { err: error, code: codeOf(error) },
      "owner link could not be made: npm run admin -- owner-link makes one",
    );
  }
}
