import { expect, test } from "vitest";
import { NodeView } from "../../src/cluster/node-view.ts";
import { epochMs } from "../../src/core/clocks.ts";
import { asNodeName } from "../../src/core/ids.ts";
import type { NodeRecord } from "../../src/store/cluster/node-store.ts";
import { ManualClock } from "../support/manual-clock.ts";

const record = (name: string, of: Partial<NodeRecord> = {}): NodeRecord => ({
  name: asNodeName(name),
  incarnation: 1,
  mediaUrl: `wss://${name}.example`,
  webrtcUrl: undefined,
  relayUrl: undefined,
  version: "trunkline/1.0.0",
  ipcVersion: 1,
  journalVersion: 1,
  state: "accepting",
  callSlots: 2,
  calls: 0,
  webrtcSlots: 0,
  webrtcCalls: 0,
  waitingCalls: 0,
  waitingWebrtcCalls: 0,
  startedAtMs: epochMs(0),
  leaseLeftMs: 5_000,
  takenBy: undefined,
  ...of,
});

test("calls that were placed since the rows were read count, and those that wait for their streams", () => {
  const view = new NodeView(new ManualClock(), () => 0);
  view.update([record("one", { waitingCalls: 1 }), record("two", { calls: 1 })]);
  expect(view.freeSlots("media")).toBe(2);
  const placed = [view.place("media"), view.place("media")].map((node) => node?.name);
  expect(placed.sort()).toEqual(["one", "two"]);
  expect(view.freeSlots("media")).toBe(0);
  expect(view.place("media")).toBeUndefined();
  view.update([record("one"), record("two", { calls: 2 })]);
  expect(view.place("media")).toMatchObject({ name: "one", mediaUrl: "wss://one.example" });
});

test("a WebRTC call is placed only where there are slots for it", () => {
  const view = new NodeView(new ManualClock(), () => 0);
  view.update([record("one"), record("two", { webrtcSlots: 1 }), record("three", { webrtcSlots: 1, webrtcCalls: 1 })]);
  expect(view.place("webrtc")?.name).toBe("two");
  expect(view.place("webrtc")).toBeUndefined();
});

test("a node whose lease ends gets no calls from then on, before its row is read again", () => {
  const clock = new ManualClock();
  const view = new NodeView(clock, () => 0);
  view.update([record("one", { leaseLeftMs: 1_000 })]);
  expect(view.find(asNodeName("one"))).toBeDefined();
  clock.advance(1_000);
  expect(view.place("media")).toBeUndefined();
  expect(view.find(asNodeName("one"))).toBeUndefined();
  view.update([record("one", { takenBy: asNodeName("two") })]);
  expect(view.place("media")).toBeUndefined();
});
