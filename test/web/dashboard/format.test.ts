import { expect, test } from "vitest";
import {
  bytesText,
  delayText,
  durationText,
  moneyText,
  numberText,
  timeText,
  utcText,
} from "../../../web/dashboard/app/format.ts";

test.each([
  [0, "0:00.0"],
  [49, "0:00.0"],
  [50, "0:00.1"],
  [62_340, "1:02.3"],
  [59_960, "1:00.0"],
  [3_602_300, "1:00:02.3"],
  [-5, "0:00.0"],
])("a duration of %d ms is %s", (durationMs, text) => {
  expect(durationText(durationMs)).toBe(text);
});

test("a duration without tenths is rounded to seconds", () => {
  expect([durationText(1_499, { tenths: false }), durationText(1_500, { tenths: false })]).toEqual(["0:01", "0:02"]);
});

test.each([
  [0, "0.00 USD"],
  [0.000_123_456, "0.0001235 USD"],
  [0.012_345_6, "0.01235 USD"],
  [0.5, "0.50 USD"],
  [12.3456, "12.35 USD"],
  [12_345.678, "12,345.68 USD"],
])("money of %d has 4 significant digits, and cents at least", (amount, text) => {
  expect(moneyText(amount, "USD")).toBe(text);
});

test("figures are grouped, and have few digits", () => {
  expect([numberText(1_234_567.891), delayText(842.4), delayText(1_234), delayText(12_440)]).toEqual([
    "1,234,567.89",
    "842 ms",
    "1,234 ms",
    "12.4 s",
  ]);
});

test("a time is shown in the viewer's zone, with its day unless that is today, and in UTC", () => {
  const time = new Date("2026-11-27T23:30:05.000Z");
  const berlin = { timeZone: "Europe/Berlin" };
  expect(timeText(time, new Date("2026-11-28T10:00:00.000Z"), berlin)).toBe("00:30:05");
  expect(timeText(time, new Date("2026-11-29T10:00:00.000Z"), berlin)).toBe("28 Nov 2026, 00:30:05");
  expect(timeText(time, new Date("2026-11-27T23:59:00.000Z"), { timeZone: "UTC", seconds: false })).toBe("23:30");
  expect(utcText(time)).toBe("2026-11-27 23:30:05 UTC");
});

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [1_000, "1.0 kB"],
  [9_949, "9.9 kB"],
  [310_412, "310 kB"],
  [999_600, "1.0 MB"],
  [2_147_483_648, "2.1 GB"],
  [5_000_000_000_000_000, "5,000 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
