import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asTurnId } from "../../src/core/ids.ts";
import { FrameRing } from "../../src/media/frame-ring.ts";
import { heapBytesPerRun } from "../support/heap.ts";

describe("the frame ring", () => {
  test("returns frames in order, with their turn ids", () => {
    const ring = new FrameRing(3, 2);
    expect(ring.push(Uint8Array.of(1, 2), asTurnId(7))).toBe(true);
    expect(ring.push(Uint8Array.of(3, 0), asTurnId(8))).toBe(true);
    expect(ring.count).toBe(2);
    expect(ring.shift()).toEqual({ bytes: Uint8Array.of(1, 2), turnId: 7 });
    expect(ring.shift()).toEqual({ bytes: Uint8Array.of(3, 0), turnId: 8 });
    expect(ring.shift()).toBeUndefined();
  });

  test("copies the samples that it is given", () => {
    const ring = new FrameRing(1, 1);
    const frame = Uint8Array.of(5);
    ring.push(frame, asTurnId(1));
    frame[0] = 6;
    expect(ring.shift()?.bytes).toEqual(Uint8Array.of(5));
  });

  test("refuses a frame when it is full, and keeps its frames", () => {
    const ring = new FrameRing(1, 1);
    ring.push(Uint8Array.of(1), asTurnId(1));
    expect(ring.push(Uint8Array.of(2), asTurnId(2))).toBe(false);
    expect(ring.shift()).toMatchObject({ turnId: 1 });
    expect(ring.push(Uint8Array.of(3), asTurnId(3))).toBe(true);
    expect(ring.shift()).toMatchObject({ turnId: 3 });
  });

  test("a frame of another length fails an assertion", () => {
    const ring = new FrameRing(1, 2);
    expect(() => ring.push(new Uint8Array(1), asTurnId(1))).toThrow("frames of a ring are equal");
  });

  test("behaves like a bounded queue for every sequence of operations", () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.constant("push") },
      { weight: 5, arbitrary: fc.constant("shift") },
      { weight: 1, arbitrary: fc.constant("clear") },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.array(step, { maxLength: 200 }), (capacity, steps) => {
        const ring = new FrameRing(capacity, 1);
        let queue: number[] = [];
        for (const [i, what] of steps.entries()) {
          if (what === "push") {
            expect(ring.isFull).toBe(queue.length === capacity);
            expect(ring.push(Uint8Array.of(i), asTurnId(i))).toBe(queue.length < capacity);
            if (queue.length < capacity) queue.push(i);
          } else if (what === "shift") {
            const expected = queue.shift();
            const frame = ring.shift();
            expect(frame?.turnId).toBe(expected);
            expect(frame?.bytes[0]).toBe(expected);
          } else {
            ring.clear();
            queue = [];
          }
          expect(ring.count).toBe(queue.length);
        }
      }),
    );
  });

  test("puts the last frames that were shifted back, in order, for every sequence of operations", () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.constant("push" as const) },
      { weight: 6, arbitrary: fc.constant("shift" as const) },
      { weight: 1, arbitrary: fc.constant("clear" as const) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 7 }),
        fc.array(step, { maxLength: 200 }),
        (capacity, pastFrames, steps) => {
          const ring = new FrameRing(capacity, 1, pastFrames);
          let queue: number[] = [];
          let past: number[] = [];
          for (const [i, what] of steps.entries()) {
            if (what === "push") {
              expect(ring.push(Uint8Array.of(i), asTurnId(i))).toBe(queue.length < capacity);
              if (queue.length < capacity) queue.push(i);
            } else if (what === "shift") {
              const expected = queue.shift();
              expect(ring.shift()?.bytes[0]).toBe(expected);
              if (expected !== undefined) past = pastFrames === 0 ? [] : [...past, expected].slice(-pastFrames);
            } else if (what === "clear") {
              ring.clear();
              [queue, past] = [[], []];
            } else {
              ring.rewind(what);
              queue = [...past.splice(-what), ...queue];
            }
            expect(ring.count).toBe(queue.length);
          }
        },
      ),
    );
  });

  test("allocates nothing", () => {
    const ring = new FrameRing(250, 160);
    const frame = new Uint8Array(160);
    const bytes = heapBytesPerRun(() => {
      ring.push(frame, asTurnId(1));
      ring.shift();
    }, 2_000);
    expect(bytes).toBeLessThan(1);
  });
});
