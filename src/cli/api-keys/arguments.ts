import { SCOPES, type Scope } from "../../core/accounts/scopes.ts";
import { isoEpochMs, systemClock } from "../../core/clock.ts";
import { type EpochMs, millisecondsOf } from "../../core/clocks.ts";
import { type ApiKeyId, asApiKeyId } from "../../core/ids.ts";
import { API_KEY_OVERLAP_S_DEFAULT, API_KEY_OVERLAP_S_MAX } from "../../core/limits/accounts/api-keys.ts";
import { DEFAULT_ACCOUNT_NAME } from "../../store/data-dir/first-api-key.ts";
import { notACommand, notOneOf, surplusArgument, UsageError } from "../command.ts";

export const API_KEY_OPTIONS = {
  name: { type: "string" },
  account: { type: "string" },
  scopes: { type: "string" },
  expires: { type: "string" },
  overlap: { type: "string" },
  "data-dir": { type: "string" },
} as const;

/** The command that takes each option. */
const COMMAND_OF = {
  name: "create",
  account: "create",
  scopes: "create",
  expires: "create",
  overlap: "rotate",
} as const;
type Option = keyof typeof COMMAND_OF;
type Given = { [Name in Option]?: string | undefined };

/** What a command line asks for. */
export type ApiKeysCommand =
  | { kind: "create"; name: string; account: string; scopes?: readonly Scope[]; expiresAtMs?: EpochMs }
  | { kind: "list" }
  | { kind: "rotate"; id: ApiKeyId; overlapMs: number }
  | { kind: "revoke"; id: ApiKeyId };

/** Reads a command and its options. Throws UsageError with all problems together. */
export function readApiKeysCommand([command, ...rest]: readonly string[], given: Given): ApiKeysCommand {
  const problems: string[] = [];
  const [id, ...others] = command === "revoke" || command === "rotate" ? rest : [undefined, ...rest];
  for (const other of others) problems.push(surplusArgument(other ?? "", command));
  for (const [option, owner] of Object.entries(COMMAND_OF)) {
    if (given[option as Option] !== undefined && command !== owner) problems.push(`--${option} is only for ${owner}`);
  }
  const read = commandOf(command, id, given, problems);
  if (read === undefined || problems.length > 0) throw new UsageError(problems);
  return read;
}

function commandOf(
  command: string | undefined,
  id: string | undefined,
  given: Given,
  problems: string[],
): ApiKeysCommand | undefined {
  switch (command) {
    case "create":
      return createCommandOf(given, problems);
    case "list":
      return { kind: command };
    case "rotate":
    case "revoke": {
      if (id === undefined) problems.push("the id of the API key is missing: npm run api-keys -- list shows it");
      const apiKeyId = asApiKeyId(id ?? "");
      if (command === "revoke") return { kind: command, id: apiKeyId };
      return { kind: command, id: apiKeyId, overlapMs: 1_000 * overlapSeconds(given.overlap, problems) };
    }
    default:
      problems.unshift(notACommand(command, "create, list, rotate or revoke"));
      return undefined;
  }
}

function createCommandOf(given: Given, problems: string[]): ApiKeysCommand {
  const [name, account = DEFAULT_ACCOUNT_NAME] = [given.name?.trim(), given.account?.trim()];
  if (name === undefined) problems.push("--name is missing: it says what the API key is for");
  if (name === "" || account === "") problems.push(`--${name === "" ? "name" : "account"} must not be empty`);
  return {
    kind: "create",
    name: name ?? "",
    account,
    ...(given.scopes !== undefined && { scopes: scopesOf(given.scopes, problems) }),
    ...(given.expires !== undefined && { expiresAtMs: expiryOf(given.expires, problems) }),
  };
}

function scopesOf(text: string, problems: string[]): readonly Scope[] {
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  const isScope = (name: string): name is Scope => (SCOPES as readonly string[]).includes(name);
  for (const name of names) if (!isScope(name)) problems.push(notOneOf("--scopes", SCOPES, name));
  return names.filter(isScope);
}

function expiryOf(text: string, problems: string[]): EpochMs {
  const time = isoEpochMs(text);
  if (Number.isNaN(millisecondsOf(time))) {
    problems.push(`--expires must be a time with its zone, such as 2027-01-31T00:00:00Z, not ${JSON.stringify(text)}`);
  } else if (time <= systemClock.epochMs()) problems.push("--expires must be in the future");
  return time;
}

function overlapSeconds(text: string | undefined, problems: string[]): number {
  if (text === undefined) return API_KEY_OVERLAP_S_DEFAULT;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= API_KEY_OVERLAP_S_MAX) return seconds;
  problems.push(`--overlap must be a whole number from 0 to ${API_KEY_OVERLAP_S_MAX}, not ${JSON.stringify(text)}`);
  return 0;
}
