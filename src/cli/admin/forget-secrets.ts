import { randomBytes } from "node:crypto";
import { readSecretsKey } from "../../config/environment.ts";
import { systemClock } from "../../core/clock.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { Keyring, SEALING_KEY_BYTES, sealingKeyOf } from "../../store/sealing/seal.ts";
import { existingSecretsKeys, openSecretsKeys } from "../../store/sealing/secrets-key.ts";
import { lockDataDir } from "../../store/sqlite/database/data-dir-lock.ts";
import type { ForgottenSecrets } from "../../store/stores.ts";
import type { AdminOutput } from "./output.ts";

/**
 * Replaces the secrets of webhooks that no key opens any more, and deletes those of accounts, carriers and numbers, so that the service starts without the lost key. It must
 * not run. Throws when a key that is there is malformed.
 */
export async function forgetSecrets(place: StorePlace, dryRun: boolean, { say }: AdminOutput): Promise<void> {
  const lock = lockDataDir(place.dataDir);
  try {
    const stores = await openStores(place, systemClock, { migrates: false });
    try {
      report(await stores.forgetLostSecrets(keysOf(place, dryRun), dryRun), dryRun, say);
    } finally {
      await stores.close();
    }
  } finally {
    lock.release();
  }
}

function keysOf({ dataDir }: StorePlace, dryRun: boolean): Keyring {
  const fromEnvironment = readSecretsKey();
  if (!dryRun) return openSecretsKeys({ dataDir, fromEnvironment, usedKeyIds: [] });
  const [current, ...previous] = existingSecretsKeys({ dataDir, fromEnvironment });
  // Without any key everything is lost: one that opens nothing shows it, and no file is made.
  return new Keyring([current ?? sealingKeyOf(randomBytes(SEALING_KEY_BYTES)), ...previous]);
}

function report(
  { disabled, withoutPrevious, deleted, withoutCredentials, withoutInboundWebhook, keyIds }: ForgottenSecrets,
  dryRun: boolean,
  say: AdminOutput["say"],
): void {
  const verb = dryRun ? "would get" : "got";
  for (const { id, accountId, url } of disabled) {
    say(`${id} of ${accountId}, ${originOf(url)}, ${verb} a new secret and ${dryRun ? "would be" : "was"} disabled`);
  }
  for (const id of withoutPrevious)
    say(`${id} ${dryRun ? "would lose" : "lost"} its previous secret, and keeps its current one`);
  for (const { id, accountId, kind, name } of deleted) {
    say(`${id} of ${accountId}, ${kind} ${name}, ${dryRun ? "would be" : "was"} deleted`);
  }
  for (const { id, accountId, name } of withoutCredentials) {
    say(
      `${id} of ${accountId}, carrier ${name}, ${dryRun ? "would lose" : "lost"} its credentials, and keeps its numbers`,
    );
  }
  for (const { id, accountId } of withoutInboundWebhook) {
    say(`${id} of ${accountId} ${dryRun ? "would lose" : "lost"} its inbound webhook: set it again`);
  }
  for (const id of keyIds) say(`key ${id} ${dryRun ? "would be" : "was"} forgotten`);
  const lost = [disabled, withoutPrevious, deleted, withoutCredentials, withoutInboundWebhook, keyIds];
  if (lost.every((each) => each.length === 0)) say("no secret is lost");
  else if (!dryRun && disabled.length > 0) {
    say("rotate the secrets of these webhooks, give them to their endpoints, then enable the webhooks");
  }
}

/** Paths and queries of webhooks often hold a credential. */
const originOf = (url: string): string => new URL(url).origin;
