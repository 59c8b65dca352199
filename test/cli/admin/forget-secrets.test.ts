import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { beforeEach, describe, expect, test } from "vitest";
import { forgetSecrets } from "../../../src/cli/admin/forget-secrets.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId, WebhookId } from "../../../src/core/ids.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import type { Keyring } from "../../../src/store/sealing/seal.ts";
import { openSecretsKeys, rotateSecretsKey, secretsKeyPath } from "../../../src/store/sealing/secrets-key.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { recordedOutput } from "../../support/admin-output.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase } from "../../support/stores/every-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

let output = recordedOutput();
beforeEach(() => {
  output = recordedOutput();
});

async function withStores<T>(place: StorePlace, work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(place, systemClock);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

const openKeys = async ({ dataDir }: StorePlace, stores: Stores): Promise<Keyring> =>
  openSecretsKeys({ dataDir, fromEnvironment: undefined, usedKeyIds: await stores.sealingKeyIds() });

const createWebhook = (place: StorePlace, path: string): Promise<{ accountId: AccountId; id: WebhookId }> =>
  withStores(place, async (stores): Promise<{ accountId: AccountId; id: WebhookId }> => {
    const accountId = await stores.accounts.ensure("first");
    const created = await stores.openWebhooks(await openKeys(place, stores)).create(accountId, {
      url: `https://example.com/${path}`,
      description: "",
      eventTypes: ["webhook.disabled"],
      enabled: true,
    });
    if (created === undefined) throw new Error("no webhook was created");
    return { accountId, id: created.webhook.id };
  });

const noDatabase = async (): Promise<string | undefined> => undefined;

describe.each([
  ["SQLite", true, noDatabase],
  ["Postgres (only where postgresql is installed)", hasPostgres, migratedDatabase],
] as const)("forget-secrets on %s", (_, isHere, makeDatabase) => {
  test.skipIf(!isHere)("replaces what a lost key sealed, says so, and lets the service start", async () => {
    const place: StorePlace = { dataDir: temporaryDirectory(), databaseUrl: await makeDatabase() };
    const lost = await createWebhook(place, "lost?token=secret");
    rotateSecretsKey(place.dataDir);
    const kept = await createWebhook(place, "kept");
    // The earlier key is removed before everything is sealed again.
    const text = readFileSync(secretsKeyPath(place.dataDir), "utf8");
    const [current = ""] = text.split("\n");
    rmSync(secretsKeyPath(place.dataDir));
    process.env.SECRETS_KEY = current;
    try {
      const open = async (stores: Stores) =>
        openSecretsKeys({
          dataDir: place.dataDir,
          fromEnvironment: current,
          usedKeyIds: await stores.sealingKeyIds(),
        });
      await withStores(place, async (stores) => {
        await expect(open(stores)).rejects.toThrow(/forget-secrets/);
      });

      await forgetSecrets(place, true, output);
      const planned = output.said;
      expect(planned).toEqual([
        `${lost.id} of ${lost.accountId}, https://example.com, would get a new secret and would be disabled`,
        expect.stringMatching(/^key [0-9a-f]{12} would be forgotten$/),
      ]);
      output = recordedOutput();
      await withStores(place, async (stores) => {
        await expect(open(stores)).rejects.toThrow(/forget-secrets/);
      });

      await forgetSecrets(place, false, output);
      expect(output.said).toEqual([
        `${lost.id} of ${lost.accountId}, https://example.com, got a new secret and was disabled`,
        planned[1]?.replace("would be", "was"),
        "rotate the secrets of these webhooks, give them to their endpoints, then enable the webhooks",
      ]);
      await withStores(place, async (stores) => {
        const webhooks = stores.openWebhooks(await open(stores));
        expect(await webhooks.get(lost.accountId, lost.id)).toMatchObject({ disabledReason: "secret_lost" });
        expect(await webhooks.get(kept.accountId, kept.id)).not.toHaveProperty("disabledReason");
        expect(await webhooks.rotateSecret(lost.accountId, lost.id, 0)).toMatchObject({
          secret: expect.stringMatching(/^whsec_/),
        });
        // The other webhook of the account hears of it.
        const { deliveries = [] } = (await webhooks.listDeliveries(kept.accountId, kept.id, { limit: 10 })) ?? {};
        expect(deliveries).toMatchObject([{ eventType: "webhook.disabled", status: "pending" }]);
      });
      output = recordedOutput();
      await forgetSecrets(place, false, output);
      expect(output.said).toEqual(["no secret is lost"]);
    } finally {
      delete process.env.SECRETS_KEY;
    }
  });
});

test("a previous secret that is lost is deleted, and the webhook stays enabled", async () => {
  const place: StorePlace = { dataDir: temporaryDirectory(), databaseUrl: undefined };
  const { accountId, id } = await createWebhook(place, "");
  await withStores(place, async (stores) => {
    const webhooks = stores.openWebhooks(await openKeys(place, stores));
    await webhooks.rotateSecret(accountId, id, 3_600_000);
  });
  // As a disk that damages one value leaves it.
  const file = new Libsql(join(place.dataDir, "trunkline.db"));
  file.exec("UPDATE webhooks SET previous_secret = substr(previous_secret, 1, 30)");
  file.close();
  await forgetSecrets(place, false, output);
  expect(output.said).toEqual([`${id} lost its previous secret, and keeps its current one`]);
  await withStores(place, async (stores) => {
    const webhook = await stores.openWebhooks(await openKeys(place, stores)).get(accountId, id);
    expect(webhook).not.toHaveProperty("disabledReason");
    expect(webhook).not.toHaveProperty("previousSecretUntilMs");
  });
});

test("a webhook that was removed is not named, and its key is forgotten, too", async () => {
  const place: StorePlace = { dataDir: temporaryDirectory(), databaseUrl: undefined };
  const { accountId, id } = await createWebhook(place, "");
  await withStores(place, async (stores) => {
    await stores.openWebhooks(await openKeys(place, stores)).remove(accountId, id);
  });
  rmSync(secretsKeyPath(place.dataDir));
  await forgetSecrets(place, false, output);
  expect(output.said).toEqual([expect.stringMatching(/^key [0-9a-f]{12} was forgotten$/)]);
  await withStores(place, async (stores) => void (await openKeys(place, stores)));
});

test("a trial without any key shows that everything is lost, and makes no key", async () => {
  const place: StorePlace = { dataDir: temporaryDirectory(), databaseUrl: undefined };
  const { id } = await createWebhook(place, "");
  rmSync(secretsKeyPath(place.dataDir));
  await forgetSecrets(place, true, output);
  expect(output.said[0]).toContain(id);
  expect(existsSync(secretsKeyPath(place.dataDir))).toBe(false);
});
