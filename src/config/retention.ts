import { isObject, parseObject } from "../core/json.ts";
import {
  KEEP_ALL,
  RETAINED_PARTS,
  RETENTION_DAYS_MAX,
  RETENTION_FIELDS,
  type RetainedPart,
  type RetentionDays,
  type RetentionRules,
} from "../core/retention.ts";

const FIELD_NAMES = Object.values(RETENTION_FIELDS).join(", ");

/**
 * Reads RETENTION: JSON such as `{"recordingDays": 30, "recordDays": 365, "accounts": {"acme": {"recordingDays": 7}}}`. An account
 * has the default days unless it has its own; null keeps the part. Problems are added to `problems`.
 */
export function readRetention(given: string, problems: string[]): RetentionRules {
  const rules = given === "" ? {} : parseObject(given);
  if (rules === undefined) {
    problems.push(`RETENTION must be a JSON object with any of ${FIELD_NAMES} and accounts`);
    return { days: KEEP_ALL, accounts: new Map() };
  }
  const { accounts = {}, ...common } = rules;
  const days = readDays("RETENTION", common, KEEP_ALL, problems);
  if (!isObject(accounts)) {
    problems.push("RETENTION must have, in accounts, an object of account names");
    return { days, accounts: new Map() };
  }
  const ofAccounts = Object.entries(accounts).map(([name, own]): [string, RetentionDays] => {
    const place = `RETENTION.accounts[${JSON.stringify(name)}]`;
    if (isObject(own)) return [name, readDays(place, own, days, problems)];
    problems.push(`${place} must be an object with any of ${FIELD_NAMES}`);
    return [name, days];
  });
  return { days, accounts: new Map(ofAccounts) };
}

function readDays(
  place: string,
  given: Record<string, unknown>,
  common: RetentionDays,
  problems: string[],
): RetentionDays {
  const days: Record<RetainedPart, number | undefined> = { ...common };
  for (const [field, value] of Object.entries(given)) {
    const what = RETAINED_PARTS.find((retained) => RETENTION_FIELDS[retained] === field);
    if (what === undefined) problems.push(`${place} must have any of ${FIELD_NAMES}, not ${JSON.stringify(field)}`);
    else if (value === null) days[what] = undefined;
    else if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= RETENTION_DAYS_MAX) {
      days[what] = Number(value);
    } else {
      const right = `a whole number from 1 to ${RETENTION_DAYS_MAX}, or null to keep`;
      problems.push(`${place} must have, as ${field}, ${right}, not ${JSON.stringify(value)}`);
    }
  }
  return days;
}
