import { beforeEach, describe, expect, test } from "vitest";
import { RtpPlayout } from "../../../web/sdk/src/rtp-playout.ts";

const PACKET = 960;

let playout: RtpPlayout;
beforeEach(() => {
  playout = new RtpPlayout();
});

describe("the playout by RTP timestamps", () => {
  test.each([0, 1_000, 2 ** 32 - 5 * PACKET])("counts what was played since the first packet, from %i on", (first) => {
    for (let packet = 0; packet <= 10; packet += 1) playout.observe((first + packet * PACKET) % 2 ** 32);
    expect(playout.playedMs).toBe(200);
  });

  test("counts nothing twice where a timestamp repeats or goes back", () => {
    playout.observe(0);
    playout.observe(2 * PACKET);
    playout.observe(PACKET);
    playout.observe(2 * PACKET);
    expect(playout.playedMs).toBe(40);
  });

  test("returns marks whose audio was played, over the wrap", () => {
    const first = 2 ** 32 - 2 * PACKET;
    playout.observe(first);
    playout.mark("a", 2 ** 32 - PACKET);
    playout.mark("b", PACKET);
    expect(playout.observe(first)).toEqual([]);
    expect(playout.observe(2 ** 32 - PACKET)).toEqual(["a"]);
    expect(playout.observe(0)).toEqual([]);
    expect(playout.observe(PACKET + 5)).toEqual(["b"]);
    expect(playout.isWaiting).toBe(false);
  });

  test("after a clear is closed until playback is past it, drops the marks, and does not count the rest", () => {
    playout.observe(0);
    playout.observe(10 * PACKET);
    playout.mark("a", 30 * PACKET);
    expect(playout.clear(20 * PACKET)).toBe(200);
    expect([playout.isClosed, playout.isWaiting]).toEqual([true, true]);
    expect(playout.observe(15 * PACKET)).toEqual([]);
    expect([playout.isClosed, playout.playedMs]).toEqual([true, 200]);
    expect(playout.observe(20 * PACKET)).toEqual([]);
    expect([playout.isClosed, playout.playedMs]).toEqual([false, 200]);
    expect(playout.observe(40 * PACKET)).toEqual([]);
    expect(playout.playedMs).toBe(600);
  });

  test("a second clear before the first is passed counts nothing of both", () => {
    playout.observe(0);
    playout.observe(10 * PACKET);
    playout.clear(20 * PACKET);
    playout.observe(12 * PACKET);
    expect(playout.clear(30 * PACKET)).toBe(200);
    playout.observe(31 * PACKET);
    expect(playout.playedMs).toBe(220);
  });

  test("opened by the clock, still counts nothing of what was cleared", () => {
    playout.observe(0);
    playout.clear(20 * PACKET);
    playout.reopen();
    expect(playout.isClosed).toBe(false);
    playout.observe(25 * PACKET);
    expect(playout.playedMs).toBe(100);
  });

  test("waits for the first packet, from which it counts", () => {
    expect(playout.isWaiting).toBe(true);
    playout.observe(5);
    expect([playout.isWaiting, playout.playedMs]).toEqual([false, 0]);
  });
});
