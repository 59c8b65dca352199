import { beforeEach, expect, test } from "vitest";
import { NodeSpend } from "../../src/cluster/node-spend.ts";
import type { AccountSpend } from "../../src/core/billing/spend.ts";
import { asAccountId, asNodeName, type NodeName } from "../../src/core/ids.ts";
import {
  ANNOUNCEMENT_BYTES_MAX,
  NODE_SPEND_ANNOUNCED_MS,
  NODE_SPEND_REPEATED_MS,
  SPENDS_PER_ANNOUNCEMENT,
} from "../../src/core/limits/cluster/node-messages.ts";
import { MemoryCluster } from "../support/cluster/memory-node-messages.ts";
import { ManualClock, settled } from "../support/manual-clock.ts";

const spendOf = (number: number, inputTokens: number): AccountSpend => ({
  accountId: asAccountId(`acc_01jd5q3hx7f8w9k2m4n6p8r${String(number).padStart(3, "0")}`),
  spend: { llm_requests: 1, input_tokens: inputTokens, output_tokens: 123_456_789, tts_characters: 123_456_789 },
});

let clock: ManualClock;
let here: AccountSpend[];
let heard: { node: NodeName; spends: readonly AccountSpend[] }[];
let changes: number;

beforeEach(() => {
  clock = new ManualClock();
  [here, heard, changes] = [[], [], 0];
  const cluster = new MemoryCluster(clock);
  const ignored = { reportedByNode: () => {} };
  new NodeSpend({
    totals: { ofThisNode: () => here, ...ignored },
    messages: cluster.join(asNodeName("a")),
    onChanged: () => {},
    clock,
  }).start();
  new NodeSpend({
    totals: { ofThisNode: () => [], reportedByNode: (node, spends) => void heard.push({ node, spends }) },
    messages: cluster.join(asNodeName("b")),
    onChanged: () => {
      changes += 1;
    },
    clock,
  }).start();
});

async function announced(afterMs = NODE_SPEND_ANNOUNCED_MS) {
  heard = [];
  clock.advance(afterMs);
  await settled();
  return heard.flatMap(({ spends }) => spends);
}

test("what accounts spend is announced when it changes, and once more when it is nothing any more", async () => {
  here = [spendOf(1, 10), spendOf(2, 20)];
  expect(await announced()).toEqual(here);
  expect([heard[0]?.node, changes]).toEqual(["a", 1]);
  expect(await announced()).toEqual([]);
  here = [spendOf(1, 11)];
  const nothing = { llm_requests: 0, input_tokens: 0, output_tokens: 0, tts_characters: 0 };
  expect(await announced()).toEqual([spendOf(1, 11), { accountId: spendOf(2, 0).accountId, spend: nothing }]);
  expect(await announced()).toEqual([]);
});

test("all of it is repeated now and then, because an announcement may be lost", async () => {
  here = [spendOf(1, 10)];
  await announced();
  expect(await announced(NODE_SPEND_REPEATED_MS)).toEqual(here);
});

test("many accounts are announced in parts, each small enough for a notification", async () => {
  here = Array.from({ length: 2 * SPENDS_PER_ANNOUNCEMENT + 1 }, (_, number) => spendOf(number, 123_456_789));
  expect(await announced()).toEqual(here);
  expect(heard).toHaveLength(3);
  // Sealed, a part is a third longer, and says more.
  for (const { spends } of heard)
    expect(Buffer.byteLength(JSON.stringify(spends)) * 1.4 + 300).toBeLessThan(ANNOUNCEMENT_BYTES_MAX);
});
