import { expect, test } from "vitest";
import { readRetention } from "../../src/config/retention.ts";

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
  const problems: string[] = [];
  readRetention(given, problems);
  expect(problems).toEqual([problem]);
});
