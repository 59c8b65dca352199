import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import { pcmBytes } from "../../../src/media/frame-codec.ts";
import { A_LAW } from "../../../src/media/g711.ts";
import { ChannelTimeline } from "../../../src/record/recording/channel-timeline.ts";

const WINDOW_MS = 100;

/** At 1,000 Hz a millisecond is one sample, so that only adjacent samples are within the seam tolerance. */
const makePlane = (): ChannelTimeline =>
  new ChannelTimeline({ rateHz: 1_000, codec: "pcm_s16le", windowMs: WINDOW_MS });

function read(plane: ChannelTimeline, count: number): number[] {
  const samples = new Int16Array(count).fill(-1);
  plane.read(samples);
  return [...samples];
}

const sound = (count: number, value: number): Uint8Array => pcmBytes(new Int16Array(count).fill(value));

describe("one side of a call", () => {
  test("with any order of placing, silencing and reading, it equals a buffer of the whole call", () => {
    const place = fc.record({
      kind: fc.constant("place" as const),
      at: fc.integer({ min: -50, max: 150 }),
      count: fc.nat(60),
    });
    const silence = fc.record({ kind: fc.constant("silence" as const), at: fc.integer({ min: -50, max: 150 }) });
    const readOn = fc.record({ kind: fc.constant("read" as const), count: fc.nat(WINDOW_MS) });
    fc.assert(
      fc.property(fc.array(fc.oneof(place, silence, readOn), { maxLength: 60 }), (steps) => {
        const plane = makePlane();
        const whole = new Int16Array(20_000);
        let [start, end] = [0, 0];
        steps.forEach((step, index) => {
          if (step.kind === "read") {
            expect(read(plane, step.count)).toEqual([...whole.subarray(start, start + step.count)]);
            start += step.count;
            return;
          }
          const asked = start + step.at;
          if (step.kind === "silence") {
            const at = Math.max(start, asked);
            plane.silenceFrom(callMs(asked));
            if (at < end) {
              whole.fill(0, at, end);
              end = at;
            }
            return;
          }
          const at = Math.abs(asked - end) <= 1 ? end : asked;
          const [from, to] = [Math.max(at, start), Math.min(at + step.count, start + WINDOW_MS)];
          plane.place(sound(step.count, index + 1), callMs(asked));
          if (from < to) {
            whole.fill(index + 1, from, to);
            end = to;
          }
        });
        expect(read(plane, WINDOW_MS)).toEqual([...whole.subarray(start, start + WINDOW_MS)]);
      }),
      { numRuns: 500 },
    );
  });

  test("audio at any memory offset is decoded by its law, and audio at a NaN time is not placed", () => {
    const plane = new ChannelTimeline({ rateHz: 1_000, codec: "alaw", windowMs: WINDOW_MS });
    const code = A_LAW.encodeTable[8_000] as number;
    plane.place(new Uint8Array(3).fill(code), callMs(Number.NaN));
    plane.place(new Uint8Array(3).fill(code), callMs(2));
    expect(read(plane, 6)).toEqual([0, 0, 1, 1, 1, 0].map((each) => each * (A_LAW.decodeTable[code] as number)));
    const pcm = makePlane();
    pcm.place(Uint8Array.of(9, 1, 2, 3, 4).subarray(1), callMs(10));
    expect(read(pcm, 13).slice(10)).toEqual([0x0201, 0x0403, 0]);
  });
});
