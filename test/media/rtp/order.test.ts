import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { monotonicMs } from "../../../src/core/clocks.ts";
import {
  RTP_ORDER_PACKETS_MAX,
  RTP_PATIENCE_MS_MAX,
  RTP_PATIENCE_MS_MIN,
} from "../../../src/core/limits/streams/webrtc.ts";
import { RtpOrder, type RtpVerdict } from "../../../src/media/rtp/order.ts";
import { type RtpPacket, rtpPacket } from "../../../src/media/rtp/packet.ts";
import { heapBytesPerRun } from "../../support/heap.ts";
import { Random } from "../../support/random.ts";

const FIRST = 1_000_000;

/** The packet number `n` of a stream that began with the sequence number `first`. Its payload is `n`. */
const packetOf = (
  n: number,
  { first = 0, ssrc = 1, timestamp = FIRST + 960 * n, payload = [n & 0xff, (n >> 8) & 0xff] } = {},
): RtpPacket => ({
  ...rtpPacket(),
  bytes: Uint8Array.of(9, 9, ...payload),
  payloadStart: 2,
  payloadEnd: 2 + payload.length,
  sequence: (first + n) & 0xffff,
  timestamp: timestamp >>> 0,
  ssrc,
});

interface Delivered {
  n: number;
  missing: number;
  timestamp: number;
}

class Stage {
  readonly order = new RtpOrder();
  readonly delivered: Delivered[] = [];
  readonly verdicts: RtpVerdict[] = [];
  jitterMs = 0;
  nowMs = 0;
  stepMs = 20;

  push(packet: RtpPacket): this {
    this.verdicts.push(this.order.push(packet, monotonicMs(this.nowMs)));
    return this.tick();
  }

  /** The packets of these numbers, `stepMs` apart. */
  pushAll(numbers: readonly number[], options?: Parameters<typeof packetOf>[1]): this {
    for (const n of numbers) {
      this.push(packetOf(n, options));
      this.nowMs += this.stepMs;
    }
    return this;
  }

  tick(): this {
    const { order, jitterMs } = this;
    const nowMs = monotonicMs(this.nowMs);
    for (let next = order.next(nowMs, jitterMs); next !== undefined; next = order.next(nowMs, jitterMs)) {
      const payload = next.bytes.slice(next.payloadStart, next.payloadEnd);
      const n = (payload[0] as number) | ((payload[1] as number) << 8);
      this.delivered.push({ n, missing: next.missing, timestamp: next.timestamp });
    }
    return this;
  }

  get numbers(): number[] {
    return this.delivered.map(({ n }) => n);
  }

  get missing(): number[] {
    return this.delivered.map(({ missing }) => missing);
  }

  /** From the first timestamp, in frames. */
  get frames(): number[] {
    return this.delivered.map(({ timestamp }) => ((timestamp - FIRST) | 0) / 960);
  }
}

const upTo = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Around every wrap of a sequence number, of the ring of waiting packets, and of the memory of delivered ones. */
const STARTS = [0, 1, 15, 16, 127, 128, 32_767, 32_768, 65_420, 65_520, 65_534, 65_535];

describe("the order of RTP packets", () => {
  test.each(STARTS)("from %d: packets in order are delivered at once, with their timestamps", (first) => {
    const stage = new Stage();
    for (const n of upTo(0, 300)) {
      stage.push(packetOf(n, { first }));
      expect(stage.numbers.at(-1)).toBe(n);
    }
    expect(stage.frames).toEqual(upTo(0, 300));
    expect(stage.missing.every((missing) => missing === 0)).toBe(true);
    expect(stage.order.counters).toEqual({
      reordered: 0,
      late: 0,
      duplicate: 0,
      missing: 0,
      doubtful: 0,
      restarted: 0,
    });
  });

  test.each(STARTS)("from %d: reordered packets are put in order, duplicates and late ones are dropped", (first) => {
    const stage = new Stage();
    stage.stepMs = 6;
    stage.pushAll([0, 1, 3, 2, 2, 4, 1, 7, 7, 6, 5, 8], { first });
    expect(stage.numbers).toEqual(upTo(0, 8));
    expect(stage.verdicts.filter((verdict) => verdict === "duplicate")).toHaveLength(3);
    expect(stage.order.counters).toMatchObject({ reordered: 3, duplicate: 3, late: 0, missing: 0 });
  });

  test.each(STARTS)("from %d: a lost packet is reported by the one after it", (first) => {
    const stage = new Stage().pushAll([0, 1, 3, 4, 5, 6], { first });
    expect(stage.numbers).toEqual([0, 1, 3, 4, 5, 6]);
    expect(stage.missing).toEqual([0, 0, 1, 0, 0, 0]);
    stage.push(packetOf(2, { first }));
    expect(stage.verdicts.at(-1)).toBe("late");
    expect(stage.numbers).toHaveLength(6);
  });

  test.each([
    [0, RTP_PATIENCE_MS_MIN],
    [8, RTP_PATIENCE_MS_MIN + 16],
    [100, RTP_PATIENCE_MS_MAX],
  ])("with %d ms of jitter a packet waits %d ms for the one before it", (jitterMs, waitMs) => {
    const stage = new Stage();
    stage.jitterMs = jitterMs;
    stage.push(packetOf(0)).push(packetOf(2));
    stage.nowMs = waitMs - 1;
    expect(stage.tick().numbers).toEqual([0]);
    stage.nowMs = waitMs;
    expect(stage.tick().numbers).toEqual([0, 2]);
  });

  test("a packet far ahead ends the waiting: those that wait come first", () => {
    const stage = new Stage().push(packetOf(0)).push(packetOf(2)).push(packetOf(3));
    stage.push(packetOf(RTP_ORDER_PACKETS_MAX + 1));
    expect(stage.numbers).toEqual([0, 2, 3, RTP_ORDER_PACKETS_MAX + 1]);
    expect(stage.missing).toEqual([0, 1, 0, RTP_ORDER_PACKETS_MAX - 3]);
  });

  test("an outage of a minute is a gap, and its end is known by the timestamps", () => {
    const stage = new Stage().pushAll(upTo(0, 5));
    stage.nowMs += 50_000;
    stage.pushAll(upTo(2_506, 2_510));
    expect(stage.numbers.slice(6)).toEqual(upTo(2_506, 2_510));
    expect(stage.missing[6]).toBe(2_500);
    expect(stage.frames.slice(6)).toEqual(upTo(2_506, 2_510));
  });

  test("DTX: a step of the timestamps without a lost packet stays as it is", () => {
    const stage = new Stage().push(packetOf(0));
    stage.nowMs = 400;
    stage.push(packetOf(1, { timestamp: FIRST + 20 * 960 }));
    expect(stage.delivered).toEqual([
      { n: 0, missing: 0, timestamp: FIRST },
      { n: 1, missing: 0, timestamp: FIRST + 20 * 960 },
    ]);
  });

  test("timestamps wrap", () => {
    const stage = new Stage();
    for (const n of upTo(0, 3)) stage.push(packetOf(n, { timestamp: 0xffff_fc40 + 960 * n }));
    expect(stage.delivered.map(({ timestamp }) => timestamp)).toEqual([0xffff_fc40, 0, 960, 1_920]);
  });

  test("W3: another source takes over with its second packet, and time goes on by the clock", () => {
    const stage = new Stage().pushAll(upTo(0, 4));
    stage.pushAll([5, 6, 7], { ssrc: 2, first: 40_000, timestamp: 7 });
    expect(stage.verdicts.slice(5)).toEqual(["doubtful", "restarted", "taken"]);
    expect(stage.frames).toEqual([0, 1, 2, 3, 4, 6, 6]);
    expect(stage.missing.slice(5)).toEqual([0, 0]);
  });

  test("W3: single packets of another source, or far away, change nothing", () => {
    const stage = new Stage().pushAll(upTo(0, 4));
    stage.push(packetOf(5, { ssrc: 2, first: 40_000 }));
    stage.push(packetOf(5));
    stage.push(packetOf(20_000));
    stage.push(packetOf(6));
    stage.push(packetOf(20_001, { ssrc: 2 }));
    stage.push(packetOf(-500 & 0xffff));
    stage.push(packetOf(7));
    expect(stage.numbers).toEqual(upTo(0, 7));
    expect(stage.order.counters).toMatchObject({ doubtful: 4, restarted: 0, missing: 0 });
  });

  test("W3: a sequence that jumps restarts, and what was waiting is dropped", () => {
    const stage = new Stage().push(packetOf(0)).push(packetOf(1)).push(packetOf(3));
    stage.push(packetOf(40_000)).push(packetOf(40_001));
    expect(stage.numbers).toEqual([0, 1, 40_001]);
    expect(stage.order.counters).toMatchObject({ doubtful: 1, restarted: 1 });
  });

  test("timestamps that go backwards, or far ahead of the clock, continue by the clock", () => {
    const stage = new Stage().pushAll(upTo(0, 2));
    stage.push(packetOf(3, { timestamp: 5 }));
    stage.nowMs += 20;
    stage.push(packetOf(4, { timestamp: 5 + 960 }));
    stage.nowMs += 20;
    stage.push(packetOf(5, { timestamp: 5 + 48_000 * 60 }));
    expect(stage.frames).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("a packet without payload has its place, and is not delivered", () => {
    const stage = new Stage()
      .push(packetOf(0))
      .push(packetOf(1, { payload: [] }))
      .push(packetOf(2));
    expect(stage.numbers).toEqual([0, 2]);
    expect(stage.missing).toEqual([0, 0]);
    const lossy = new Stage().pushAll([0, 2], { payload: [] }).push(packetOf(3));
    lossy.nowMs += 60;
    expect(lossy.tick().missing).toEqual([1]);
  });

  test("whatever is lost, doubled and delayed: each packet comes at most once, in order, with the right loss", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 0xffff }), (seed, first) => {
        const random = new Random(seed);
        const stage = new Stage();
        const arrivals: { atMs: number; n: number }[] = [];
        for (let n = 0; n < 300; n += 1) {
          if (n > 0 && random.chance(0.1)) continue;
          const delayMs = n === 0 ? 0 : random.whole(0, 70);
          arrivals.push({ atMs: 20 * n + delayMs, n });
          if (random.chance(0.05)) arrivals.push({ atMs: 20 * n + delayMs + random.whole(0, 200), n });
        }
        arrivals.sort((a, b) => a.atMs - b.atMs);
        for (const { atMs, n } of arrivals) {
          while (stage.nowMs + 20 <= atMs) {
            stage.nowMs += 20;
            stage.tick();
          }
          stage.nowMs = Math.max(stage.nowMs, atMs);
          stage.jitterMs = random.whole(0, 40);
          stage.push(packetOf(n, { first }));
        }
        stage.nowMs += RTP_PATIENCE_MS_MAX;
        stage.tick();
        for (let i = 1; i < stage.delivered.length; i += 1) {
          const [before, after] = stage.delivered.slice(i - 1, i + 1) as [Delivered, Delivered];
          expect(after.n - before.n).toBe(after.missing + 1);
        }
        expect(stage.frames).toEqual(stage.numbers);
        const { late, duplicate, missing } = stage.order.counters;
        expect(stage.numbers.length + late + duplicate).toBe(arrivals.length);
        expect(stage.numbers.length + missing).toBe((stage.numbers.at(-1) as number) + 1);
      }),
      { numRuns: 200 },
    );
  });

  test("W3: whatever numbers a peer chooses, nothing throws, and no packet is delivered that was not pushed", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            sequence: fc.integer({ min: 0, max: 0xffff }),
            timestamp: fc.integer({ min: 0, max: 0xffff_ffff }),
            ssrc: fc.integer({ min: 0, max: 2 }),
            aheadMs: fc.integer({ min: 0, max: 100 }),
          }),
          { maxLength: 60 },
        ),
        (packets) => {
          const stage = new Stage();
          for (const { sequence, timestamp, ssrc, aheadMs } of packets) {
            stage.nowMs += aheadMs;
            stage.push(packetOf(sequence, { timestamp, ssrc }));
          }
          expect(stage.delivered.length).toBeLessThanOrEqual(packets.length);
          const pushed = new Set(packets.map(({ sequence }) => sequence));
          expect(stage.numbers.every((n) => pushed.has(n))).toBe(true);
        },
      ),
    );
  });

  test("packets in order, and reordered ones, allocate nothing", () => {
    const order = new RtpOrder();
    const packet = packetOf(0);
    let n = 0;
    const push = (number: number): void => {
      packet.sequence = number & 0xffff;
      packet.timestamp = (960 * number) >>> 0;
      order.push(packet, monotonicMs(20 * number));
      while (order.next(monotonicMs(20 * number), 5) !== undefined);
    };
    expect(
      heapBytesPerRun(() => {
        push(n);
        push(n + 2);
        push(n + 1);
        n += 3;
      }, 200),
    ).toBeLessThan(200);
  });
});
