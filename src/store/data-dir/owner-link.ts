import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AccountStore } from "../accounts/account-store.ts";
import type { Act } from "../accounts/audit-store.ts";
import type { OwnerLinkStore } from "../accounts/owner-link-store.ts";
import { DEFAULT_ACCOUNT_NAME } from "./first-api-key.ts";

const FILE_MODE = 0o600;

/** The file in which a new service without a terminal stores its owner link. */
export const ownerLinkPath = (dataDir: string): string => join(dataDir, "owner-link");

/**
 * Makes an owner link of the first account and returns its address. The secret is in the fragment, which browsers send to no
 * server. `serviceUrl` is the address at which people reach the service, without a slash at its end.
 */
export async function createOwnerLink(
  { accounts, ownerLinks }: { accounts: Pick<AccountStore, "ensure">; ownerLinks: Pick<OwnerLinkStore, "create"> },
  serviceUrl: string,
  act: Act,
): Promise<string> {
  const { secret } = await ownerLinks.create(await accounts.ensure(DEFAULT_ACCOUNT_NAME, act), act);
  return `${serviceUrl}/talk#${secret}`;
}

/** Writes a link to its file, readable by its owner alone, and returns the path. An earlier file is replaced. Throws the system's error. */
export function writeOwnerLink(dataDir: string, url: string): string {
  const path = ownerLinkPath(dataDir);
  rmSync(path, { force: true });
  writeFileSync(path, `${url}\n`, { mode: FILE_MODE, flag: "wx" });
  return path;
}
