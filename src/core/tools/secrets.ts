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
