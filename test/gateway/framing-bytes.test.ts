import { expect, test } from "vitest";
import { FramingBytes } from "../../src/gateway/media-server/framing-bytes.ts";

test("ADV-L8: bytes that become no message fill the bucket, messages empty it, and so does time", () => {
  const framing = new FramingBytes({ max: 1_000, perSecond: 100 });
  expect(framing.came(1_000, 0)).toBe(true);
  framing.were(1_000);
  expect(framing.came(1_000, 0)).toBe(true);
  expect(framing.came(100, 999)).toBe(false);
  expect(framing.came(0, 2_000)).toBe(true);
});

test("messages earn nothing for what comes behind them", () => {
  const framing = new FramingBytes({ max: 1_000, perSecond: 100 });
  framing.came(10, 0);
  framing.were(10_000);
  expect(framing.came(1_001, 0)).toBe(false);
});
