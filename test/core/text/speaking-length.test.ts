import { expect, test } from "vitest";
import { speakingLength } from "../../../src/core/text/speaking-length.ts";

test("F14-3: a letter counts as long as it takes to speak", () => {
  expect(speakingLength("open at nine")).toBe(12);
  expect(speakingLength("我们九点")).toBe(16);
  expect(speakingLength("매일")).toBe(6);
  expect(speakingLength("ひらカナ")).toBe(8);
});
