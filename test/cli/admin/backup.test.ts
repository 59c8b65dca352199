import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { backup, restore } from "../../../src/cli/admin/backup.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId, CallId, DeliveryId } from "../../../src/core/ids.ts";
import { openTokenKeys } from "../../../src/store/data-dir/token-keys.ts";
import { DELIVERY_JOB } from "../../../src/store/job-kinds.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { openSecretsKeys } from "../../../src/store/sealing/secrets-key.ts";
import { lockDataDir } from "../../../src/store/sqlite/database/data-dir-lock.ts";
import type { WebhookSettings } from "../../../src/store/webhooks/webhook-store.ts";
import { recordedOutput } from "../../support/admin-output.ts";
import { createCall } from "../../support/calls/stored-calls.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase } from "../../support/stores/every-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const sqlite = async (): Promise<StorePlace> => ({ dataDir: temporaryDirectory(), databaseUrl: undefined });
const postgres = async (): Promise<StorePlace> => ({
  dataDir: temporaryDirectory(),
  databaseUrl: await migratedDatabase(),
});

let output = recordedOutput();
beforeEach(() => {
  output = recordedOutput();
});
const newFolder = (): string => join(temporaryDirectory(), "backup");

const WEBHOOK: WebhookSettings = {
  url: "https://example.com/",
  description: "",
  eventTypes: ["call.created"],
  enabled: true,
};

/** A data directory with a call, a journal, two recordings, a webhook whose secret is sealed, and keys. */
async function fill(place: StorePlace): Promise<{ accountId: AccountId; callId: CallId; secret: string }> {
  const stores = await openStores(place, systemClock);
  try {
    const accountId = await stores.accounts.ensure("first");
    const keys = openSecretsKeys({ dataDir: place.dataDir, fromEnvironment: undefined, usedKeyIds: [] });
    const created = await stores.openWebhooks(keys).create(accountId, WEBHOOK);
    const { id: callId } = await createCall(stores, accountId);
    openTokenKeys(place.dataDir);
    const files = {
      journals: ["a.tlj"],
      recordings: ["a.wav", "b.wav"],
      transcriptions: ["a.audio"],
      documents: ["a.1.document"],
    };
    for (const [folder, names] of Object.entries(files)) {
      mkdirSync(join(place.dataDir, folder), { recursive: true });
      for (const name of names) writeFileSync(join(place.dataDir, folder, name), `content of ${name}`, { mode: 0o600 });
    }
    return { accountId, callId, secret: created?.secret ?? "" };
  } finally {
    await stores.close();
  }
}

const contentOf = (folder: string, ...path: string[]): string => readFileSync(join(folder, ...path), "utf8");

describe.each([
  ["SQLite", true, sqlite],
  ["Postgres (only where postgresql is installed)", hasPostgres, postgres],
] as const)("a backup of %s", (_, isHere, makePlace) => {
  test.skipIf(!isHere)(
    "made beside an open store, has everything in a folder of its owner, and is restored elsewhere",
    async () => {
      const [from, to, folder] = [await makePlace(), await makePlace(), newFolder()];
      const { accountId, callId, secret } = await fill(from);
      const open = await openStores(from, systemClock);
      try {
        await backup(from, folder, output);
      } finally {
        await open.close();
      }
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(statSync(join(folder, "database.jsonl.gz")).mode & 0o777).toBe(0o600);
      expect(output.said.slice(1)).toEqual([
        "1 files of journals copied",
        "2 files of recordings copied",
        "1 files of transcriptions copied",
        "1 files of documents copied",
        `backup complete in ${folder}; it holds secrets-key, which opens the secrets of webhooks and encrypted media`,
      ]);
      // Everything that the original had may be gone.
      rmSync(from.dataDir, { recursive: true, force: true });

      await restore(to, folder, output);
      expect(contentOf(to.dataDir, "journals", "a.tlj")).toBe("content of a.tlj");
      expect(contentOf(to.dataDir, "recordings", "b.wav")).toBe("content of b.wav");
      expect(contentOf(to.dataDir, "documents", "a.1.document")).toBe("content of a.1.document");
      expect(contentOf(to.dataDir, "token-keys.json")).toBe(contentOf(folder, "token-keys.json"));
      expect(statSync(join(to.dataDir, "secrets-key")).mode & 0o777).toBe(0o600);
      const stores = await openStores(to, systemClock);
      try {
        expect(await stores.calls.get(accountId, callId)).toMatchObject({ id: callId, status: "created" });
        const usedKeyIds = await stores.sealingKeyIds();
        const webhooks = stores.openWebhooks(
          openSecretsKeys({ dataDir: to.dataDir, fromEnvironment: undefined, usedKeyIds }),
        );
        const [job] = (await stores.jobs.list({ kind: DELIVERY_JOB, limit: 1 })).jobs;
        const due = await webhooks.due((job?.payload as { deliveryId: DeliveryId }).deliveryId);
        expect(due).toMatchObject({ event: { type: "call.created", callId }, secrets: [secret] });
      } finally {
        await stores.close();
      }
    },
  );
});

describe("a backup", () => {
  test("says how many rows and files it has copied, and a restore too", async () => {
    const [from, to, folder] = [await sqlite(), await sqlite(), newFolder()];
    await fill(from);
    await backup(from, folder, output);
    expect(output.progressed).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\d+ rows exported, at calls$/),
        "0 of 2 files of recordings copied",
        "1 of 2 files of recordings copied",
      ]),
    );
    output = recordedOutput();
    await restore(to, folder, output);
    expect(output.progressed).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\d+ rows imported$/),
        expect.stringMatching(/^\d+ of \d+ rows compared, at calls$/),
        "1 of 2 files of recordings copied",
      ]),
    );
  });

  test("without a secrets-key says that SECRETS_KEY is not in it", async () => {
    const [from, folder] = [await sqlite(), newFolder()];
    await fill(from);
    rmSync(join(from.dataDir, "secrets-key"));
    await backup(from, folder, output);
    expect(output.said.at(-1)).toBe(`backup complete in ${folder}; SECRETS_KEY is not in it: keep that apart`);
  });

  test("never overwrites a folder, and leaves none that is incomplete", async () => {
    const [from, folder] = [await sqlite(), newFolder()];
    await fill(from);
    await backup(from, folder, output);
    const before = contentOf(folder, "token-keys.json");
    await expect(backup(from, folder, output)).rejects.toThrow(/EEXIST/);
    expect(contentOf(folder, "token-keys.json")).toBe(before);

    const incomplete = newFolder();
    const failing = {
      ...output,
      say: (line: string) => {
        if (line.includes("journals")) throw new Error("the disk is full");
      },
    };
    await expect(backup(from, incomplete, failing)).rejects.toThrow("the disk is full");
    expect(existsSync(incomplete)).toBe(false);
  });
});

test("a backup of a database that has a bucket names that, and so does its restore", async () => {
  const [from, to, folder] = [await sqlite(), await sqlite(), newFolder()];
  await fill(from);
  const stores = await openStores(from, systemClock);
  const { databaseId } = await stores.bucketClaims.claim();
  await stores.bucketClaims.confirm();
  await stores.close();
  const url = "https://s3.example.com/calls";
  vi.stubEnv("BUCKET_URL", url);
  vi.stubEnv("BUCKET_ACCESS_KEY_ID", "id");
  vi.stubEnv("BUCKET_SECRET_ACCESS_KEY", "secret");
  try {
    await backup(from, folder, output);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(output.said.at(-2)).toContain(`the objects of the bucket ${url} are not in it`);
  expect(JSON.parse(contentOf(folder, "bucket.json"))).toEqual({ url, databaseId });
  await restore(to, folder, output);
  expect(output.said.at(-2)).toBe(`the rest is in the bucket ${url}: set BUCKET_URL to it, or to a copy of it`);
  const restored = await openStores(to, systemClock);
  expect(await restored.bucketClaims.find()).toEqual({ databaseId, isConfirmed: true });
  await restored.close();
});

describe("a restore", () => {
  test("holds the lock of the data directory until the files are there too", async () => {
    const [from, to, folder] = [await sqlite(), await sqlite(), newFolder()];
    await fill(from);
    await backup(from, folder, output);
    let tries = 0;
    const progress = (): void => {
      tries += 1;
      expect(() => lockDataDir(to.dataDir)).toThrow(/in use/);
    };
    await restore(to, folder, { ...output, progress });
    expect(tries).toBeGreaterThan(0);
    lockDataDir(to.dataDir).release();
  });

  test.each([
    "journals",
    "imported",
  ])("that was interrupted at %s lets no service start, and starts over when it is run again", async (where) => {
    const [from, to, folder] = [await sqlite(), await sqlite(), newFolder()];
    const { accountId, callId } = await fill(from);
    await backup(from, folder, output);
    const progress = (line: () => string): void => {
      if (line().includes(where)) throw new Error("the process was killed");
    };
    await expect(restore(to, folder, { ...output, progress })).rejects.toThrow("killed");
    await expect(openStores(to, systemClock)).rejects.toThrow(/half filled/);
    await restore(to, folder, output);
    expect(contentOf(to.dataDir, "journals", "a.tlj")).toBe("content of a.tlj");
    expect(contentOf(to.dataDir, "secrets-key")).toBe(contentOf(folder, "secrets-key"));
    expect(existsSync(join(to.dataDir, "restore-in-progress"))).toBe(false);
    const stores = await openStores(to, systemClock);
    expect(await stores.calls.get(accountId, callId)).toMatchObject({ id: callId });
    await stores.close();
  });

  test("over an interrupted import leaves the files of the data directory alone", async () => {
    const [from, to, folder] = [await sqlite(), await sqlite(), newFolder()];
    await fill(from);
    await backup(from, folder, output);
    const stores = await openStores(to, systemClock);
    await stores.transfer.beginImport("of another command");
    await stores.close();
    writeFileSync(join(to.dataDir, "secrets-key"), "mine");
    await expect(restore(to, folder, output)).rejects.toThrow("already has secrets-key");
    expect(contentOf(to.dataDir, "secrets-key")).toBe("mine");
  });

  test("refuses a data directory that has files, and one whose database is not empty, and changes neither", async () => {
    const [from, folder] = [await sqlite(), newFolder()];
    await fill(from);
    await backup(from, folder, output);
    await expect(restore(from, folder, output)).rejects.toThrow(
      "already has journals, recordings, transcriptions, documents, token-keys.json, secrets-key: restore into an empty data directory",
    );
    const used = await sqlite();
    const stores = await openStores(used, systemClock);
    await stores.accounts.ensure("mine");
    await stores.close();
    await expect(restore(used, folder, output)).rejects.toThrow("the database is not empty");
    expect(
      readdirSync(used.dataDir).filter((name) => !name.startsWith("trunkline.db") && name !== "service.lock"),
    ).toEqual([]);
  });
});
