import { isObject, parseObject } from "../core/json.ts";
import { SECRET_NAME } from "../core/tools/http-tool.ts";
import {
  exactHost,
  TOOL_SECRET_BINDINGS,
  TOOL_SECRET_PREFIX,
  type ToolSecret,
  type ToolSecrets,
} from "../core/tools/secrets.ts";

/** Reads all `TOOL_SECRET_<NAME>` with their bindings. Problems never quote a secret. */
export function readToolSecrets(env: Readonly<Record<string, string | undefined>>, problems: string[]): ToolSecrets {
  const bindings = readBindings(env[TOOL_SECRET_BINDINGS]?.trim() ?? "", problems);
  const secrets = new Map<string, ToolSecret>();
  for (const [key, value = ""] of Object.entries(env)) {
    if (!key.startsWith(TOOL_SECRET_PREFIX) || key === TOOL_SECRET_BINDINGS || value.trim() === "") continue;
    const name = key.slice(TOOL_SECRET_PREFIX.length);
    if (!SECRET_NAME.test(name)) problems.push(`${key} must have a name of A-Z, 0-9 and _ after ${TOOL_SECRET_PREFIX}`);
    if (!/^[\x20-\x7e]+$/.test(value.trim())) problems.push(`${key} must be printable ASCII`);
    secrets.set(name, { value: value.trim(), ...(bindings.get(name) ?? UNBOUND) });
  }
  for (const name of bindings.keys()) {
    if (!secrets.has(name))
      problems.push(`${TOOL_SECRET_BINDINGS} names ${name}, but ${TOOL_SECRET_PREFIX}${name} is not set`);
  }
  return secrets;
}

type Binding = Omit<ToolSecret, "value">;
const UNBOUND: Binding = { hosts: [], accountIds: [] };
const BINDING_FORMAT = `must be a JSON object such as {"SHOP_TOKEN": {"hosts": ["api.example.com"], "accounts": ["account_..."]}}`;

function readBindings(given: string, problems: string[]): Map<string, Binding> {
  const bindings = new Map<string, Binding>();
  if (given === "") return bindings;
  const byName = parseObject(given);
  if (byName === undefined) problems.push(`${TOOL_SECRET_BINDINGS} ${BINDING_FORMAT}`);
  for (const [name, binding] of Object.entries(byName ?? {})) {
    const at = `${TOOL_SECRET_BINDINGS}, ${JSON.stringify(name)},`;
    const { hosts, accounts, ...others } = isObject(binding) ? binding : {};
    const accountIds = textsIn(accounts);
    const spelled = textsIn(hosts)?.map((host) => ({ host, exact: exactHost(host) }));
    if (
      !SECRET_NAME.test(name) ||
      spelled === undefined ||
      accountIds === undefined ||
      Object.keys(others).length > 0
    ) {
      problems.push(`${at} ${BINDING_FORMAT}, with at least one host and one account`);
      continue;
    }
    for (const { host, exact } of spelled) {
      if (exact !== undefined) continue;
      problems.push(`${at} must have hosts as host or host:port, without wildcards, not ${JSON.stringify(host)}`);
    }
    for (const id of accountIds.filter((accountId) => !/^account_[0-9a-f-]{36}$/.test(accountId))) {
      problems.push(
        `${at} must have accounts by their ids, account_..., which npm run api-keys -- list shows, not ${JSON.stringify(id)}`,
      );
    }
    bindings.set(name, { hosts: spelled.flatMap(({ exact }) => exact ?? []), accountIds });
  }
  return bindings;
}

/** Undefined for anything but a non-empty list of texts. */
const textsIn = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.length > 0 && value.every((one): one is string => typeof one === "string")
    ? value
    : undefined;
