import type { AccountId } from "../ids.ts";
import { isLocalhost, isLoopbackAddress } from "./addresses.ts";

// Secrets for headers of HTTP tools, with the accounts that may send them and the servers that may receive them.

/** The prefix of the variables. */
export const TOOL_SECRET_PREFIX = "TOOL_SECRET_";
export const TOOL_SECRET_BINDINGS = "TOOL_SECRET_BINDINGS";

export interface ToolSecret {
  value: string;
  /** The servers that may receive it: `host` or `host:port`, as a URL spells them; none without a binding. */
  hosts: readonly string[];
  /** The ids of the accounts whose tools may send it. */
  accountIds: readonly string[];
}

/** The secrets by their names in headers. */
export type ToolSecrets = ReadonlyMap<string, ToolSecret>;

/** An account's own secrets by their names in headers, each with the servers that may receive it. */
export type AccountToolSecrets = Readonly<Record<string, Pick<ToolSecret, "value" | "hosts">>>;

/** A call's account, and those of its own secrets that the call's tools name. */
export interface SecretsOfCall {
  accountId: AccountId;
  toolSecrets?: AccountToolSecrets;
}

/** All secrets that calls of an account can have: its own go before those of the service. */
export const withSecretsOf = (accountId: AccountId, own: AccountToolSecrets, ofService: ToolSecrets): ToolSecrets =>
  new Map([
    ...ofService,
    ...Object.entries(own).map(([name, secret]) => [name, { ...secret, accountIds: [accountId] }] as const),
  ]);

/** The host as an https URL spells it, so that hosts can be compared as texts; undefined for anything but a host. */
export function exactHost(given: string): string | undefined {
  if (!/^[^/?#\\\s{}@*]+$/.test(given) || !URL.canParse(`https://${given}`)) return undefined;
  return new URL(`https://${given}`).host;
}

/** The properties of a tool request on which its secrets depend. */
export interface SecretUse {
  accountId: AccountId;
  url: URL;
  /** Tools may call this machine, also over plain HTTP. */
  allowLoopback: boolean;
}

/** The value of a secret; undefined when it does not exist, and also when this request may not have it. */
export function toolSecretFor(secrets: ToolSecrets, name: string, use: SecretUse): string | undefined {
  const { accountId, url, allowLoopback } = use;
  const isPrivate = url.protocol === "https:" || (allowLoopback && isThisMachine(url));
  const secret = secrets.get(name);
  const isBound = secret?.hosts.includes(url.host) === true && secret.accountIds.includes(accountId);
  return isPrivate && isBound ? secret.value : undefined;
}

const isThisMachine = ({ hostname }: URL): boolean =>
  isLocalhost(hostname) || isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
