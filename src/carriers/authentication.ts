import type { UpgradeAuthentication, UpgradeHeaders } from "../wire/upgrade.ts";
import { CARRIERS, type CarrierName, type CarrierSecrets } from "./list.ts";

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
