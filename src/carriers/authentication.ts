import type { CarrierType } from "../core/calls/spec.ts";
import type { UpgradeAuthentication, UpgradeHeaders } from "../wire/upgrade.ts";
import { CARRIERS, type CarrierName, type CarrierSecrets, carrierOf } from "./list.ts";
import type { CarrierCredentials } from "./telephony.ts";

/**
 * Which carriers an upgrade of `url` may come from: those that prove it with one of their secrets, and those without a
 * configured secret. `url` is as in `UpgradeAuthentication`.
 */
export function authenticatedCarriers(
  url: string,
  headers: UpgradeHeaders,
  secrets: CarrierSecrets,
): ReadonlySet<CarrierName> {
  const possible = CARRIERS.filter(({ connectionType, signature }) => {
    const { [connectionType]: known = [] } = secrets;
    return known.length === 0 || known.some((secret) => signature.isAuthentic(secret, url, headers));
  });
  return new Set(possible.map(({ connectionType }) => connectionType));
}

/** The authentication of all carriers. Clients of the raw protocol sign nothing: the token is their only credential. */
export const upgradeAuthentication = (secrets: CarrierSecrets): UpgradeAuthentication => ({
  headerNames: [...new Set(CARRIERS.flatMap(({ signature }) => signature.headers))],
  allowedTypes(url, headers) {
    const carriers = authenticatedCarriers(url, headers, secrets);
    return carriers.size === CARRIERS.length ? undefined : ["websocket", ...carriers];
  },
});

/** Whether an upgrade of `url` with these headers proves that its sender knows these credentials of an account. */
export function isStreamOfAccount(
  carrier: CarrierType,
  credentials: CarrierCredentials,
  { url, headers }: { url: string; headers: UpgradeHeaders },
): boolean {
  const descriptor = carrierOf(carrier);
  const secret = descriptor?.telephony.streamSecret(credentials) ?? "";
  return secret !== "" && descriptor?.signature.isAuthentic(secret, url, headers) === true;
}
