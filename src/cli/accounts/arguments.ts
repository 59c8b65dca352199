import type { AccountSettingsChanges } from "../../core/accounts/account-settings.ts";
import type { Stage } from "../../core/calls/stages.ts";
import {
  ACCOUNT_NAME_CHARS_MAX,
  CONCURRENT_CALLS_MAX,
  CONCURRENT_TRANSCRIPTIONS_MAX,
  CREATIONS_PER_MINUTE_MAX,
} from "../../core/limits/accounts/accounts.ts";
import { RETENTION_DAYS_MAX } from "../../core/retention.ts";
import { PROVIDERS_BY_STAGE } from "../../speech/settings.ts";
import { notACommand, notOneOf, surplusArgument, UsageError } from "../command.ts";

const SETTINGS_OPTIONS = {
  name: { type: "string" },
  "concurrent-calls": { type: "string" },
  "concurrent-transcriptions": { type: "string" },
  "creations-per-minute": { type: "string" },
  "recording-days": { type: "string" },
  "transcript-days": { type: "string" },
  "record-days": { type: "string" },
  stt: { type: "string" },
  llm: { type: "string" },
  tts: { type: "string" },
} as const;

export const ACCOUNTS_OPTIONS = { ...SETTINGS_OPTIONS, "data-dir": { type: "string" } } as const;

type Given = { [Name in keyof typeof SETTINGS_OPTIONS]?: string | undefined };

/** What a command line asks for. `account` is an id or a name. */
export type AccountsCommand =
  | { kind: "create"; name: string; changes: AccountSettingsChanges }
  | { kind: "list" }
  | { kind: "show"; account: string }
  | { kind: "update"; account: string; name?: string | undefined; changes: AccountSettingsChanges };

/** Reads a command and its options. Throws UsageError with all problems together. */
export function readAccountsCommand([command, ...rest]: readonly string[], given: Given): AccountsCommand {
  const problems: string[] = [];
  const [account, ...others] = command === "show" || command === "update" ? rest : [undefined, ...rest];
  for (const other of others) problems.push(surplusArgument(other ?? "", command));
  const options = Object.keys(SETTINGS_OPTIONS).filter((name) => given[name as keyof Given] !== undefined);
  if (command !== "create" && command !== "update") {
    for (const option of options) problems.push(`--${option} is only for create and update`);
  }
  const read = commandOf(command, account, given, problems);
  if (command === "update" && options.length === 0)
    problems.push("nothing is to be changed: see --help for the options");
  if (read === undefined || problems.length > 0) throw new UsageError(problems);
  return read;
}

function commandOf(
  command: string | undefined,
  account: string | undefined,
  given: Given,
  problems: string[],
): AccountsCommand | undefined {
  switch (command) {
    case "create": {
      if (given.name === undefined) problems.push("--name is missing: no other account has it");
      return { kind: command, name: nameOf(given, problems) ?? "", changes: changesOf(given, problems) };
    }
    case "list":
      return { kind: command };
    case "show":
    case "update": {
      if (account === undefined) problems.push("the account is missing: npm run accounts -- list shows all");
      const named = account ?? "";
      if (command === "show") return { kind: command, account: named };
      return { kind: command, account: named, name: nameOf(given, problems), changes: changesOf(given, problems) };
    }
    default:
      problems.unshift(notACommand(command, "create, list, show or update"));
      return undefined;
  }
}

function nameOf({ name: given }: Given, problems: string[]): string | undefined {
  const name = given?.trim();
  if (name === undefined) return undefined;
  if (name === "" || [...name].length > ACCOUNT_NAME_CHARS_MAX || /\p{Cc}/u.test(name)) {
    problems.push(`--name must have 1 to ${ACCOUNT_NAME_CHARS_MAX} characters, none of them a control character`);
  }
  return name;
}

function changesOf(given: Given, problems: string[]): AccountSettingsChanges {
  const number = (option: keyof Given, max: number): number | null | undefined =>
    numberOf(option, given[option], max, problems);
  const providers = (stage: Stage): readonly string[] | null | undefined => providersOf(stage, given[stage], problems);
  return {
    limits: {
      concurrentCalls: number("concurrent-calls", CONCURRENT_CALLS_MAX),
      creationsPerMinute: number("creations-per-minute", CREATIONS_PER_MINUTE_MAX),
      concurrentTranscriptions: number("concurrent-transcriptions", CONCURRENT_TRANSCRIPTIONS_MAX),
    },
    retention: {
      recording: number("recording-days", RETENTION_DAYS_MAX),
      transcript: number("transcript-days", RETENTION_DAYS_MAX),
      record: number("record-days", RETENTION_DAYS_MAX),
    },
    providers: { stt: providers("stt"), llm: providers("llm"), tts: providers("tts") },
  };
}

function numberOf(
  option: string,
  text: string | undefined,
  max: number,
  problems: string[],
): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= max) return value;
  problems.push(`--${option} must be a whole number from 1 to ${max}, or none, not ${JSON.stringify(text)}`);
  return undefined;
}

function providersOf(stage: Stage, text: string | undefined, problems: string[]): readonly string[] | null | undefined {
  if (text === undefined) return undefined;
  if (text.trim() === "all") return null;
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  const known = PROVIDERS_BY_STAGE[stage].toSorted();
  for (const name of names) if (!known.includes(name)) problems.push(notOneOf(`--${stage}`, ["all", ...known], name));
  return names;
}
