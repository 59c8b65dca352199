import { describe, expect, test } from "vitest";
import { Playout } from "../../src/call/playout.ts";

const RATE_HZ = 8_000;
const SECOND = RATE_HZ;

describe("what the far end has played", () => {
  test("a mark that comes back later than its audio was due moves the clock by half of that", () => {
    const playout = new Playout(RATE_HZ);
    playout.sent(SECOND, 1_000);
    expect(playout.mark(1, 0, 1_000)).toBe("1.0");
    expect(playout.returned("1.0", 2_400)).toMatchObject({ turnId: 1, piece: 0 });
    expect(playout.playsUntilMs).toBe(2_200);
  });

  test("a mark behind audio that was played long ago comes back at once, and nobody was late", () => {
    const playout = new Playout(RATE_HZ);
    playout.sent(SECOND, 1_000);
    expect(playout.mark(1, 0, 9_000)).toBe("1.0");
    playout.returned("1.0", 9_050);
    expect(playout.playsUntilMs).toBe(2_025);
  });
});
