import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { exportDatabase, importDatabase } from "../../src/cli/admin/transfer.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { AccountId, AgentId } from "../../src/core/ids.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";
import type { Stores } from "../../src/store/stores.ts";
import type { SavedToolDefinition } from "../../src/store/tool-store.ts";
import { recordedOutput } from "../support/admin-output.ts";
import { AGENT, createCall, endAt, inEveryStatus, SPEC } from "../support/calls/stored-calls.ts";
import { CORPUS, newDocument, readyDocument } from "../support/knowledge/stored.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { present } from "../support/present.ts";
import { migratedDatabase } from "../support/stores/every-store.ts";
import { SEALING_KEYS } from "../support/stores/keys.ts";
import { createCarrier, importNumber, queuedCall } from "../support/telephony/stored.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { redeemedBy } from "../support/tokens.ts";
import { newTranscription, OUTCOME, PART, RESULT } from "../support/transcriptions/stored.ts";

const sqlite = async (): Promise<StorePlace> => ({ dataDir: temporaryDirectory(), databaseUrl: undefined });
const postgres = async (): Promise<StorePlace> => ({
  dataDir: temporaryDirectory(),
  databaseUrl: await migratedDatabase(),
});

let output = recordedOutput();
beforeEach(() => {
  output = recordedOutput();
});

/** A live call of a publishable key, and one that has cost something. */
async function fillWebCalls(stores: Stores, accountId: AccountId, agentId: AgentId): Promise<void> {
  const perAddress = { startsPerMinutePerAddress: 6, concurrentCallsPerAddress: 2, maxCostPerDayPerAddress: null };
  const limits = { startsPerMinute: 60, concurrentCalls: 20, maxCostPerDay: 5, ...perAddress };
  const origins = ["https://shop.example"];
  const key = await stores.publishableKeys.create({ accountId, name: "shop", agentIds: [agentId], origins, limits });
  const web = { publishableKeyId: key.id, addressHash: "address" };
  const [, over] = [
    await createCall(stores, accountId, SPEC, { web }),
    await createCall(stores, accountId, SPEC, { web }),
  ];
  await stores.redemptions.redeem(over.tokenHash, redeemedBy("worker-1"));
  const cost = { currency: "USD", total: 0.5, complete: true };
  await stores.calls.finish(over.id, endAt(new ManualClock(), { cost }));
}

const TOOL: SavedToolDefinition = {
  type: "client",
  name: "show",
  description: "Shows.",
  parameters: {},
  timeoutMs: 1_000,
  readOnly: true,
  idempotent: true,
};

/** A corpus with a document, and one that came with an `Idempotency-Key`. */
async function fillCorpora(stores: Stores, accountId: AccountId): Promise<void> {
  const { id } = (await stores.corpora.create(accountId, CORPUS)) ?? {};
  if (id === undefined) throw new Error("no corpus was created");
  await readyDocument(stores, newDocument(accountId, id));
  await stores.documents.createOnce(newDocument(accountId, id), { keyHash: "name", fingerprint: "body" });
}

/** Something in every table. */
async function fill(place: StorePlace): Promise<void> {
  const stores = await openStores(place, systemClock, { mediaSealing: SEALING_KEYS });
  try {
    const accountId = await stores.accounts.ensure("né \u2028");
    await stores.eventStreams.open(accountId);
    await stores.apiKeys.create({ accountId, name: "one" });
    const act = { actor: { kind: "operator", id: "root" } } as const;
    await stores.ownerLinks.create(accountId, act);
    await stores.bucketClaims.claim();
    await stores.users.invite({ accountId, email: "kim@example.com", name: "Kim", role: "owner" }, act);
    const secret = { kind: "tool_secret", name: "SHOP", text: "0123456789abcdef", hosts: ["x.example"] } as const;
    await stores.openAccountSecrets(SEALING_KEYS).put(accountId, secret);
    const agent = await stores.agents.create(accountId, { ...AGENT, name: "a\0b" });
    await fillWebCalls(stores, accountId, agent.id);
    await fillCorpora(stores, accountId);
    const nowMs = systemClock.epochMs();
    const { id: toolId } = present(await stores.tools.create(accountId, TOOL));
    const words = { arguments: "{}", result: "a\0b" };
    await stores.tools.addTestRun(accountId, {
      toolId,
      name: "show",
      startedAtMs: nowMs,
      durationMs: 5,
      failed: false,
      words,
    });
    const carrier = await createCarrier(stores, accountId);
    const { id: phoneNumberId } = await importNumber(stores, carrier);
    await stores.phoneCalls.create(queuedCall(accountId, carrier.id, nowMs, { phoneNumberId, carrierCallId: "CA\0" }));
    await stores.openWebhooks(SEALING_KEYS).create(accountId, {
      url: "https://example.com/",
      description: "",
      eventTypes: ["call.created", "call.ended"],
      enabled: true,
    });
    await inEveryStatus(stores, accountId, new ManualClock());
    await stores.eventStreams.number();
    const request = { keyHash: "name", fingerprint: "body" };
    await stores.transcriptions.createOnce(newTranscription(accountId), request);
    const { id } = await stores.transcriptions.create(newTranscription(accountId));
    await stores.transcriptions.requesting(id, PART, "deepgram");
    await stores.transcriptions.transcribed(id, PART, OUTCOME);
    const done = await stores.transcriptions.create(newTranscription(accountId));
    await stores.transcriptions.end(done.id, { status: "completed", result: RESULT });
    const idempotency = { keyHash: "name", fingerprint: "body", sealedToken: "sealed" };
    await createCall(stores, accountId, { ...SPEC, recordingEnabled: false }, { idempotency });
  } finally {
    await stores.close();
  }
}

const sumsOf = async (place: StorePlace) => {
  const stores = await openStores(place, systemClock);
  try {
    return await stores.transfer.export(async () => {});
  } finally {
    await stores.close();
  }
};

describe.each([
  ["SQLite", "SQLite", sqlite, sqlite],
  ["SQLite", "Postgres (only where postgresql is installed)", sqlite, postgres],
  ["Postgres", "SQLite (only where postgresql is installed)", postgres, sqlite],
] as const)("from %s to %s", (_from, to, makeFrom, makeTo) => {
  test.skipIf(to.includes("only") && !hasPostgres)("everything moves, counted and compared", async () => {
    const [from, target] = [await makeFrom(), await makeTo()];
    await fill(from);
    const path = join(temporaryDirectory(), "export.jsonl.gz");
    await exportDatabase(from, path, output);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await importDatabase(target, path, output);
    expect(output.said.join("\n")).toContain("counted and compared");
    for (const line of [
      /^\d+ rows exported, at calls$/,
      /^\d+ rows imported$/,
      /^\d+ of \d+ rows compared, at jobs$/,
    ]) {
      expect(output.progressed).toContainEqual(expect.stringMatching(line));
    }
    const [before, after] = [await sumsOf(from), await sumsOf(target)];
    expect(after).toEqual(before);
    for (const [table, { rows }] of Object.entries(before)) expect([table, rows > 0]).toEqual([table, true]);
  });

  test.skipIf(to.includes("only") && !hasPostgres)(
    "an interrupted import starts over when it is run again, and no service starts on what it left",
    async () => {
      const [from, target] = [await makeFrom(), await makeTo()];
      await fill(from);
      const path = join(temporaryDirectory(), "export.jsonl.gz");
      await exportDatabase(from, path, output);
      let batches = 0;
      const progress = (): void => {
        batches += 1;
        if (batches === 5) throw new Error("the process was killed");
      };
      await expect(importDatabase(target, path, { ...output, progress })).rejects.toThrow("killed");
      await expect(openStores(target, systemClock)).rejects.toThrow(/half filled/);
      await importDatabase(target, path, output);
      expect(output.said).toContain(
        "an import into this database was interrupted: its rows are deleted, and it starts again",
      );
      expect(output.progressed).toContainEqual(
        expect.stringMatching(/^[1-9]\d* rows of the interrupted import deleted$/),
      );
      expect(await sumsOf(target)).toEqual(await sumsOf(from));
    },
  );
});

describe("an import", () => {
  const exported = async (): Promise<string> => {
    const from = await sqlite();
    await fill(from);
    const path = join(temporaryDirectory(), "export.jsonl.gz");
    await exportDatabase(from, path, output);
    return path;
  };
  /** The same file with other lines. */
  const changed = (path: string, change: (lines: string[]) => string[]): string => {
    const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split("\n");
    const other = `${path}.changed`;
    writeFileSync(other, gzipSync(`${change(lines).join("\n")}\n`));
    return other;
  };

  test("refuses a database that is not empty", async () => {
    const target = await sqlite();
    await fill(target);
    await expect(importDatabase(target, await exported(), output)).rejects.toThrow(/not empty/);
  });

  test("refuses a file of another schema, one that is cut off, and one that is no export", async () => {
    const path = await exported();
    const other = changed(path, ([head = "", ...rest]) => [
      head.replace(/"schema":"[^"]+"/, '"schema":"9999"'),
      ...rest,
    ]);
    await expect(importDatabase(await sqlite(), other, output)).rejects.toThrow(/9999/);
    const cut = changed(path, (lines) => lines.slice(0, -3));
    await expect(importDatabase(await sqlite(), cut, output)).rejects.toThrow(/incomplete/);
    const torn = `${path}.torn`;
    writeFileSync(torn, readFileSync(path));
    truncateSync(torn, 200);
    await expect(importDatabase(await sqlite(), torn, output)).rejects.toThrow();
    const text = join(temporaryDirectory(), "text");
    writeFileSync(text, "hello");
    await expect(importDatabase(await sqlite(), text, output)).rejects.toThrow();
  });

  test("names a damaged line by its number, and does not show it", async () => {
    const path = await exported();
    for (const damage of ['{"table":"calls","ro', '{"table":"calls","row":{"id":{}}}', '{"sums":{"calls":1}}']) {
      const damaged = changed(path, (lines) => lines.with(4, damage));
      await expect(importDatabase(await sqlite(), damaged, output)).rejects.toThrow(
        new Error(`line 5 of ${damaged} is damaged`),
      );
    }
  });

  test("notices a row that is missing, and one that was changed", async () => {
    const path = await exported();
    const without = changed(path, (lines) => lines.filter((line) => !line.includes('"table":"agent_versions"')));
    await expect(importDatabase(await sqlite(), without, output)).rejects.toThrow(
      /agent_versions has 0 rows instead of 1/,
    );
    const other = changed(path, (lines) => lines.map((line) => line.replace("Lario", "Mario")));
    await expect(importDatabase(await sqlite(), other, output)).rejects.toThrow(/other contents/);
  });
});

test("an export never overwrites a file, and leaves no part of one when it fails", async () => {
  const from = await sqlite();
  const path = join(temporaryDirectory(), "there");
  writeFileSync(path, "mine");
  await expect(exportDatabase(from, path, output)).rejects.toThrow(/EEXIST/);
  expect(readFileSync(path, "utf8")).toBe("mine");
  const nowhere = join(temporaryDirectory(), "no", "folder");
  await expect(exportDatabase(from, nowhere, output)).rejects.toThrow(/ENOENT/);
  expect(existsSync(nowhere)).toBe(false);
});
