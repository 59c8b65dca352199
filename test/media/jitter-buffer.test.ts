import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callMs, mediaMs, millisecondsOf } from "../../src/core/clocks.ts";
import {
  JITTER_BUFFER_AHEAD_CHUNKS_MAX,
  JITTER_BUFFER_CHUNK_MS_MAX,
  JITTER_BUFFER_CHUNKS_MAX,
  JITTER_BUFFER_DROPPED_MAX,
  JITTER_BUFFER_LATE_CHUNKS_MAX,
  JITTER_BUFFER_WAIT_MS,
} from "../../src/core/limits/streams/caller-audio.ts";
import { A_LAW, MU_LAW } from "../../src/media/g711.ts";
import { JitterBuffer, type Verdict } from "../../src/media/jitter-buffer.ts";
import { heapBytesPerRun } from "../support/heap.ts";

interface Given {
  /** The first byte identifies a message in a test. */
  byte: number;
  timestampMs: number;
}

/** A message of `count` bytes, each `byte`. */
const message = (chunk: number, byte: number, count = 160) => {
  const bytes = new Uint8Array(count).fill(byte);
  const samples = new Int16Array(count).fill(MU_LAW.decodeTable[byte] as number);
  return { bytes, samples, count, chunk, timestampMs: mediaMs(Number.NaN) };
};

class Stage {
  readonly order: JitterBuffer;
  readonly given: Given[] = [];
  readonly verdicts: Verdict[] = [];
  nowMs = 0;

  constructor(waitMs = JITTER_BUFFER_WAIT_MS) {
    this.order = new JitterBuffer({ law: MU_LAW, rateHz: 8_000, waitMs });
  }

  /** A message, by its chunk alone: its bytes are the chunk's low seven bits. */
  push(chunk: number, { byte = chunk & 0x7f, count = 160 } = {}): this {
    this.verdicts.push(this.order.push(message(chunk, byte, count), callMs(this.nowMs)));
    return this.take(this.nowMs);
  }

  /** Each message comes 20 ms after the one before. */
  pushAll(chunks: readonly number[]): this {
    for (const chunk of chunks) {
      this.push(chunk);
      this.nowMs += 20;
    }
    return this;
  }

  take(untilMs: number): this {
    for (let audio = this.order.next(callMs(untilMs)); audio !== undefined; audio = this.order.next(callMs(untilMs))) {
      const byte = audio.bytes[0] as number;
      expect([...audio.samples.subarray(0, audio.count)]).toEqual(
        Array(audio.count).fill(MU_LAW.decodeTable[byte] as number),
      );
      this.given.push({ byte, timestampMs: millisecondsOf(audio.timestampMs) });
    }
    return this;
  }

  get bytes(): number[] {
    return this.given.map(({ byte }) => byte);
  }

  get timestamps(): number[] {
    return this.given.map(({ timestampMs }) => timestampMs);
  }
}

const upTo = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe("C5: audio that arrives out of order", () => {
  test("messages in order are delivered at once, with continuous times", () => {
    const stage = new Stage().push(1).push(2).push(3);
    expect(stage.given).toEqual([
      { byte: 1, timestampMs: 0 },
      { byte: 2, timestampMs: 20 },
      { byte: 3, timestampMs: 40 },
    ]);
  });

  test("messages reordered within the window are sorted, and none is missing", () => {
    for (const by of [1, 2, 3]) {
      const stage = new Stage().pushAll([1, ...upTo(3, 2 + by), 2, ...upTo(3 + by, 20)]);
      expect(stage.bytes).toEqual(upTo(1, 20));
      expect(stage.timestamps).toEqual(upTo(0, 19).map((place) => place * 20));
    }
  });

  test("a stream that begins out of order is sorted too, and a stream may begin at any number", () => {
    expect(new Stage().pushAll([3, 1, 2, 4]).given).toEqual(
      [1, 2, 3, 4].map((byte, place) => ({ byte, timestampMs: place * 20 })),
    );
    expect(new Stage().push(5).take(JITTER_BUFFER_WAIT_MS).given).toEqual([{ byte: 5, timestampMs: 0 }]);
    expect(new Stage().push(1_000, { byte: 9 }).push(1_001, { byte: 10 }).timestamps).toEqual([0, 20]);
    expect(new Stage().push(0).push(1).bytes).toEqual([0, 1]);
  });

  test("in any order of arrival, each message is delivered once and in sequence", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 5, maxLength: 60 }), (delays) => {
        // No message is overtaken by more than three: after that many, the wait for a missing one has not expired.
        const order = delays
          .map((delay, index) => ({ chunk: index + 1, at: index + delay + index / 1_000 }))
          .sort((a, b) => a.at - b.at)
          .map(({ chunk }) => chunk);
        const stage = new Stage().pushAll([0, ...order]).take(Number.POSITIVE_INFINITY);
        const late = stage.verdicts.filter((verdict) => verdict !== "taken").length;
        expect(stage.bytes).toEqual([...stage.bytes].sort((a, b) => a - b));
        expect(stage.bytes.length + late).toBe(order.length + 1);
        expect(new Set(stage.bytes).size).toBe(stage.bytes.length);
      }),
    );
  });

  test("after 60 ms of audio a missing message counts as lost, and leaves a gap of its length", () => {
    const stage = new Stage().push(1).push(3).push(4).push(5);
    expect(stage.bytes).toEqual([1]);
    stage.push(6);
    expect(stage.bytes).toEqual([1, 3, 4, 5, 6]);
    expect(stage.timestamps).toEqual([0, 40, 60, 80, 100]);
  });

  test("the wire says how long early audio waits", () => {
    const stage = new Stage(20).push(1).push(3);
    expect(stage.take(19).bytes).toEqual([1]);
    expect(stage.take(20).bytes).toEqual([1, 3]);
  });

  test("after 60 ms of time it counts as lost too, without any other message", () => {
    const stage = new Stage().push(1).push(3);
    expect(stage.take(JITTER_BUFFER_WAIT_MS - 1).bytes).toEqual([1]);
    expect(stage.take(JITTER_BUFFER_WAIT_MS).bytes).toEqual([1, 3]);
    expect(stage.take(10_000).bytes).toEqual([1, 3]);
  });

  test("a message that arrives after that is late, a repeated one is a duplicate, and both are dropped", () => {
    const stage = new Stage().push(1).push(3).take(100);
    stage.push(2).push(3).push(1).push(5).push(5).push(4);
    expect(stage.bytes).toEqual([1, 3, 4, 5]);
    expect(stage.verdicts).toEqual(["taken", "taken", "late", "duplicate", "duplicate", "taken", "duplicate", "taken"]);
  });

  test("a message that arrives much later is dropped too, and makes no gap in the following audio", () => {
    const lost = 12;
    for (const after of [1, 15, 17, 40, JITTER_BUFFER_LATE_CHUNKS_MAX]) {
      const stage = new Stage().pushAll(upTo(1, lost - 1)).pushAll(upTo(lost + 1, lost + after - 1));
      stage.pushAll([lost, 2 + after, ...upTo(lost + after, 140)]);
      // It is still awaited only where little has arrived after it.
      const expected = upTo(1, 140).filter((chunk) => chunk !== lost || after === 1);
      expect(stage.bytes).toEqual(expected.map((chunk) => chunk & 0x7f));
      expect(stage.timestamps).toEqual(expected.map((chunk) => (chunk - 1) * 20));
    }
  });

  test("messages of any length are sorted, also longer ones than the buffer holds", () => {
    const stage = new Stage().push(1, { count: 1 }).push(3, { count: 999 }).push(2, { count: 333 });
    expect(stage.timestamps).toEqual([0, 0.125, 0.125 + 333 / 8]);
    stage.push(5, { count: JITTER_BUFFER_CHUNK_MS_MAX * 8 + 1 });
    expect(stage.bytes).toEqual([1, 2, 3, 5]);
    const short = new Stage().push(1, { count: 8 });
    for (let i = 0; i < JITTER_BUFFER_CHUNKS_MAX; i += 1) short.push(3 + i, { count: 8 });
    expect(short.bytes).toEqual([1]);
    short.push(3 + JITTER_BUFFER_CHUNKS_MAX, { count: 8 });
    expect(short.bytes).toEqual([1, ...upTo(3, 3 + JITTER_BUFFER_CHUNKS_MAX)]);
  });

  test("audio without a sequence number is delivered after the waiting messages, and the count continues", () => {
    const stage = new Stage().push(1).push(Number.NaN, { byte: 100 }).push(2).push(4);
    stage.push(1.5, { byte: 101 }).push(5);
    expect(stage.bytes).toEqual([1, 100, 2, 4, 101, 5]);
    expect(new Stage().push(Number.NaN, { byte: 9 }).push(Number.NaN, { byte: 9 }).timestamps).toEqual([0, 20]);
  });

  test("waiting messages are decoded with the codec of the leg", () => {
    const order = new JitterBuffer({ law: A_LAW, rateHz: 8_000, waitMs: JITTER_BUFFER_WAIT_MS });
    order.push(message(1, 0x11), callMs(0));
    order.next(callMs(0));
    order.push(message(3, 0x22), callMs(0));
    expect(order.next(callMs(0))).toBeUndefined();
    expect(order.next(callMs(Number.POSITIVE_INFINITY))?.samples[0]).toBe(A_LAW.decodeTable[0x22]);
  });
});

describe("C5: when counters wrap, restart or jump", () => {
  const WRAPS: [string, number[]][] = [
    ["16 bits", [...upTo(65_530, 65_535), ...upTo(0, 5)]],
    ["16 bits, signed", [...upTo(32_764, 32_767), ...upTo(-32_768, -32_764)]],
    ["31 bits", [...upTo(2 ** 31 - 4, 2 ** 31 - 1), ...upTo(0, 5)]],
    ["32 bits", [...upTo(2 ** 32 - 4, 2 ** 32 - 1), ...upTo(0, 5)]],
    ["32 bits, signed", [...upTo(2 ** 31 - 4, 2 ** 31 - 1), ...upTo(-(2 ** 31), 5 - 2 ** 31)]],
    ["below zero", upTo(-5, 5)],
  ];

  test.each(WRAPS)("a counter of %s wraps without a lost, late or reordered message", (_, chunks) => {
    const stage = new Stage().pushAll(chunks);
    expect(stage.given).toEqual(chunks.map((chunk, place) => ({ byte: chunk & 0x7f, timestampMs: place * 20 })));
    // The two on either side of the wrap change places.
    const swapped = chunks.flatMap((chunk, i) => (i % 2 === 0 && i + 1 < chunks.length ? [chunks[i + 1], chunk] : []));
    const other = new Stage().push(Number(chunks[0]) - 1).pushAll(swapped as number[]);
    expect(other.bytes.slice(1)).toEqual(chunks.slice(0, swapped.length).map((chunk) => chunk & 0x7f));
  });

  test("up to two seconds are a gap; a larger jump begins a new count without silence", () => {
    const gap = new Stage()
      .push(1)
      .push(2 + JITTER_BUFFER_AHEAD_CHUNKS_MAX)
      .take(100);
    expect(gap.timestamps).toEqual([0, 20 + JITTER_BUFFER_AHEAD_CHUNKS_MAX * 20]);
    const jump = new Stage()
      .push(1)
      .push(3 + JITTER_BUFFER_AHEAD_CHUNKS_MAX)
      .push(4 + JITTER_BUFFER_AHEAD_CHUNKS_MAX);
    expect(jump.timestamps).toEqual([0, 20, 40]);
    for (const far of [1e9, -1e9, 1e15, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      expect(new Stage().push(1).push(far, { byte: 7 }).push(1, { byte: 8 }).bytes).toEqual([1, 7, 8]);
    }
  });

  test("waiting messages are delivered before the first message of a new count", () => {
    expect(new Stage().push(1).push(4).push(3).push(5_000, { byte: 100 }).bytes).toEqual([1, 3, 4, 100]);
  });

  test("a restart of the counter loses at most the messages that could be late ones", () => {
    for (const before of [
      1,
      5,
      JITTER_BUFFER_DROPPED_MAX,
      JITTER_BUFFER_DROPPED_MAX + 1,
      40,
      JITTER_BUFFER_LATE_CHUNKS_MAX + 1,
      1_000,
    ]) {
      const stage = new Stage().pushAll(upTo(1, before)).pushAll(upTo(1, 60));
      expect(stage.given.length).toBeGreaterThanOrEqual(before + 60 - JITTER_BUFFER_DROPPED_MAX);
      expect(stage.bytes.slice(-20)).toEqual(upTo(41, 60));
    }
  });

  test("a counter that stops counting does not stop the audio permanently", () => {
    const stage = new Stage().pushAll(Array.from({ length: 200 }, () => 1));
    expect(stage.given.length).toBeGreaterThan(200 / (JITTER_BUFFER_DROPPED_MAX + 2));
  });

  test("with any counters, every accepted message is delivered once, within 60 ms, with increasing times", () => {
    const chunk = fc.oneof(fc.integer({ min: -5, max: 30 }), fc.double(), fc.constantFrom(65_535, 65_536, 2 ** 32));
    fc.assert(
      fc.property(fc.array(fc.tuple(chunk, fc.integer({ min: 1, max: 1_200 })), { maxLength: 80 }), (messages) => {
        const stage = new Stage();
        let endMs = 0;
        for (const [index, [number, count]] of messages.entries()) stage.push(number, { byte: index, count });
        stage.take(JITTER_BUFFER_WAIT_MS);
        const taken = stage.verdicts.flatMap((verdict, index) => (verdict === "taken" ? [index] : []));
        expect([...stage.bytes].sort((a, b) => a - b)).toEqual(taken);
        for (const { byte, timestampMs } of stage.given) {
          expect(timestampMs).toBeGreaterThanOrEqual(endMs);
          endMs = timestampMs + (messages[byte]?.[1] ?? 0) / 8;
        }
      }),
    );
  });
});

test("the jitter buffer allocates nothing per message, in order or not", () => {
  const order = new JitterBuffer({ law: MU_LAW, rateHz: 8_000, waitMs: JITTER_BUFFER_WAIT_MS });
  const input = message(0, 1);
  let base = 0;
  const bytes = heapBytesPerRun(() => {
    for (const step of [0, 2, 1, 4, 3]) {
      input.chunk = base + step;
      order.push(input, callMs(base * 20));
      while (order.next(callMs(base * 20)) !== undefined);
    }
    base += 5;
  }, 100);
  expect(bytes).toBeLessThan(1);
});
