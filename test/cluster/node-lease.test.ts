import { expect, test } from "vitest";
import { NodeLease } from "../../src/cluster/node-lease.ts";
import { unavailable } from "../../src/core/errors.ts";
import { asNodeName } from "../../src/core/ids.ts";
import { NODE_HEARTBEAT_MS, NODE_LEASE_MS, NODE_NAME_WAIT_MS_MAX } from "../../src/core/limits/cluster/nodes.ts";
import type { NodeStore, Registration, Renewal, TakenNode } from "../../src/store/cluster/node-store.ts";
import { ManualClock, settled } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";

const LOAD = { state: "accepting", callSlots: 1, calls: 0, webrtcSlots: 0, webrtcCalls: 0 } as const;

/** A lease with a scripted store. */
function lease() {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const done: string[] = [];
  const script = {
    registration: { kind: "registered", calls: 0 } as Registration,
    renewed: "renewed" as Renewal | Error,
    taken: [] as readonly TakenNode[],
    /** Until when a take-over lasts. */
    takeover: Promise.resolve(),
  };
  const nodes: NodeStore = {
    register: async () => script.registration,
    async renew() {
      done.push("renew");
      if (script.renewed instanceof Error) throw script.renewed;
      return script.renewed;
    },
    async takeExpired() {
      done.push("take");
      await script.takeover;
      return script.taken;
    },
    list: async () => [],
    leave: async () => void done.push("leave"),
    dissolve: async () => true,
    adopt: async () => 0,
    listUnnamed: async () => [],
  };
  const member = new NodeLease({
    nodes,
    node: {
      holder: { name: asNodeName("one"), incarnation: 1 },
      installation: "disk",
      mediaUrl: undefined,
      webrtcUrl: undefined,
      relayUrl: undefined,
      version: "trunkline/1.0.0",
      ipcVersion: 1,
      journalVersion: 1,
    },
    load: () => LOAD,
    onNodes: () => void done.push("nodes"),
    onTaken: (taken) => void done.push(`taken ${taken.map(({ name }) => name)}`),
    onFenced: (why) => void done.push(`fenced: ${why}`),
    clock,
    log,
  });
  const beats = async (count: number): Promise<string[]> => {
    done.length = 0;
    for (let beat = 0; beat < count; beat += 1) {
      clock.advance(NODE_HEARTBEAT_MS);
      await settled();
    }
    return [...done];
  };
  return { member, clock, script, done, beats, lines };
}

test("a heartbeat renews first, then takes over and reads the rows", async () => {
  const { member, script, beats } = lease();
  member.start();
  member.takeOver();
  expect(await beats(1)).toEqual(["renew", "take", "nodes"]);
  script.taken = [{ name: asNodeName("two"), callIds: [] }];
  expect(await beats(1)).toEqual(["renew", "take", "nodes", "taken two"]);
});

test("a take-over that waits for locked calls holds up neither renewals nor the rows, and is not begun twice", async () => {
  const { member, script, beats } = lease();
  let unlock = (): void => {};
  script.takeover = new Promise((resolve) => {
    unlock = resolve;
  });
  member.start();
  member.takeOver();
  expect(await beats(3)).toEqual(["renew", "take", "nodes", "renew", "nodes", "renew", "nodes"]);
  unlock();
  await settled();
  expect(await beats(1)).toEqual(["renew", "take", "nodes"]);
});

test("a take-over that fails holds up nothing, and is tried again", async () => {
  const { member, script, beats, lines } = lease();
  script.takeover = Promise.reject(unavailable("locked"));
  script.takeover.catch(() => {});
  member.start();
  member.takeOver();
  expect(await beats(2)).toEqual(["renew", "take", "nodes", "renew", "take", "nodes"]);
  expect(lines.filter((line) => line.includes("could not be taken over"))).toHaveLength(1);
  script.takeover = Promise.resolve();
  script.taken = [{ name: asNodeName("two"), callIds: [] }];
  expect(await beats(1)).toContain("taken two");
});

test("a node that stops during a take-over leaves what it takes to the others", async () => {
  const { member, script, beats, done } = lease();
  let unlock = (): void => {};
  script.takeover = new Promise((resolve) => {
    unlock = resolve;
  });
  script.taken = [{ name: asNodeName("two"), callIds: [] }];
  member.start();
  member.takeOver();
  await beats(1);
  const stopped = member.stop();
  unlock();
  await stopped;
  expect(done).toEqual(["renew", "take", "nodes", "leave"]);
});

test("a node that is still starting keeps its lease, and takes no calls", async () => {
  const { member, script, beats } = lease();
  script.taken = [{ name: asNodeName("two"), callIds: [] }];
  member.start();
  expect(await beats(2)).toEqual(["renew", "nodes", "renew", "nodes"]);
  member.takeOver();
  expect(await beats(1)).toEqual(["renew", "take", "nodes", "taken two"]);
});

test("while the database does not answer nothing is decided, and heartbeats go on", async () => {
  const { member, script, beats, lines } = lease();
  member.start();
  member.takeOver();
  script.renewed = unavailable("no answer");
  expect(await beats(3)).toEqual(["renew", "renew", "renew"]);
  script.renewed = "renewed";
  expect(await beats(1)).toEqual(["renew", "take", "nodes"]);
  expect(lines.filter((line) => line.includes("lease could not be renewed"))).toHaveLength(1);
});

test("a node whose lease is another's learns that once, and does nothing any more", async () => {
  const { member, script, beats } = lease();
  member.start();
  member.takeOver();
  script.renewed = "taken";
  expect(await beats(3)).toEqual(["renew", "fenced: taken"]);
});

test("a lease is certain for its length after the last renewal that was sent and confirmed, and no more once it is another's", async () => {
  const { member, clock, script, beats } = lease();
  expect(member.isCertain).toBe(false);
  await member.register();
  expect(member.isCertain).toBe(true);
  member.start();
  member.takeOver();
  await beats(1);
  script.renewed = unavailable("no answer");
  await beats(3);
  expect(member.isCertain).toBe(true);
  clock.advance(NODE_LEASE_MS - 3 * NODE_HEARTBEAT_MS);
  await settled();
  expect(member.isCertain).toBe(false);
  script.renewed = "renewed";
  await beats(1);
  expect(member.isCertain).toBe(true);
  script.renewed = "taken";
  await beats(1);
  expect(member.isCertain).toBe(false);
});

test("a start waits for its name, and gives up where another node keeps it", async () => {
  const { member, clock, script } = lease();
  script.registration = { kind: "held", leaseLeftMs: 4_000 };
  const waiting = clock.drive(member.register());
  await settled();
  script.registration = { kind: "registered", calls: 2 };
  await waiting;
  script.registration = { kind: "held", leaseLeftMs: 5_000 };
  const begunMs = clock.nowMs();
  await expect(clock.drive(member.register())).rejects.toMatchObject({ code: "bad_configuration" });
  expect(Number(clock.nowMs()) - Number(begunMs)).toBeGreaterThanOrEqual(NODE_NAME_WAIT_MS_MAX);
});

test("a start waits until a node has taken the calls of a newer version, and not for ever", async () => {
  const { member, clock, script, lines } = lease();
  script.registration = { kind: "held", leaseLeftMs: 4_000 };
  const waiting = clock.drive(member.register());
  await settled();
  script.registration = { kind: "unreadable", calls: 3, version: "trunkline/2.0.0" };
  await clock.play(1_000);
  expect(lines.join("\n")).toContain("a newer version has left calls under this name");
  script.registration = { kind: "registered", calls: 0 };
  await waiting;
  script.registration = { kind: "unreadable", calls: 3, version: "trunkline/2.0.0" };
  await expect(clock.drive(member.register())).rejects.toMatchObject({
    code: "bad_configuration",
    message: expect.stringContaining(
      "node one has left 3 calls whose journals are of the newer version trunkline/2.0.0",
    ),
  });
});

test("an orderly end gives the lease up after the heartbeat in progress", async () => {
  const { member, beats, done } = lease();
  member.start();
  member.takeOver();
  await beats(1);
  await member.stop();
  expect(done.at(-1)).toBe("leave");
  expect(await beats(2)).toEqual([]);
});
