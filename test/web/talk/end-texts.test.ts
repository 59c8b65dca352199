import { expect, test } from "vitest";
import { END_REASONS } from "../../../src/core/calls/reasons.ts";
import { endTextOf } from "../../../web/talk/end-texts.ts";

test("each end reason of the service has a sentence of its own on /talk", () => {
  const sentences = END_REASONS.map(endTextOf);
  expect(new Set(sentences).size).toBe(END_REASONS.length);
  expect(sentences).not.toContain(endTextOf("not_supported"));
  expect(endTextOf("inactivity")).toBe("The call ended after a long silence.");
});

test("an end that is no reason of the service has ended, whatever its name", () => {
  for (const reason of ["not_supported", "constructor", ""]) expect(endTextOf(reason)).toBe("The call has ended.");
});
