import { expect, test } from "vitest";
import { readRetention } from "../../src/config/retention.ts";
import { deletesAnything, retentionDaysOf } from "../../src/core/retention.ts";

const read = (given: string) => {
  const problems: string[] = [];
  return { rules: readRetention(given, problems), problems };
};

test("ADV-M7: without rules nothing expires", () => {
  const { rules, problems } = read("");
  expect([deletesAnything(rules), problems]).toEqual([false, []]);
  expect(retentionDaysOf(rules, "acme")).toEqual({ recording: undefined, transcript: undefined, record: undefined });
});

test("ADV-M7: an account's own days replace the common ones, and null means no expiry", () => {
  const given = { recordingDays: 30, recordDays: 365, accounts: { acme: { recordingDays: 7, recordDays: null } } };
  const { rules, problems } = read(JSON.stringify(given));
  expect(problems).toEqual([]);
  expect(retentionDaysOf(rules, "acme")).toEqual({ recording: 7, transcript: undefined, record: undefined });
  expect(retentionDaysOf(rules, "other")).toEqual({ recording: 30, transcript: undefined, record: 365 });
  expect(deletesAnything(read('{"accounts":{"acme":{"recordDays":1}}}').rules)).toBe(true);
});
