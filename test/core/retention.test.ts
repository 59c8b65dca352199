import { expect, test } from "vitest";
import { deletesAnything, readRetention, retentionDaysOf } from "../../src/core/retention.ts";

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

test.each([
  ["30", "RETENTION must be a JSON object with any of recordingDays, transcriptDays, recordDays and accounts"],
  ['{"recordings":30}', 'RETENTION must have any of recordingDays, transcriptDays, recordDays, not "recordings"'],
  ['{"recordDays":0}', "RETENTION must have, as recordDays, a whole number from 1 to 36500, or null to keep, not 0"],
  ['{"accounts":[]}', "RETENTION must have, in accounts, an object of account names"],
  [
    '{"accounts":{"acme":{"recordDays":"1"}}}',
    'RETENTION.accounts["acme"] must have, as recordDays, a whole number from 1 to 36500, or null to keep, not "1"',
  ],
  [
    '{"accounts":{"acme":7}}',
    'RETENTION.accounts["acme"] must be an object with any of recordingDays, transcriptDays, recordDays',
  ],
])("ADV-M7: %s is refused with what is allowed", (given, problem) => {
  expect(read(given).problems).toEqual([problem]);
});
