import { isIP } from "node:net";

/**
 * Reads TRUSTED_PROXIES: addresses and networks (`10.0.0.0/8`), separated by commas. Problems are added to `problems`.
 */
export function readTrustedProxies(given: string, problems: string[]): readonly string[] {
  const proxies = given.trim() === "" ? [] : given.split(",").map((proxy) => proxy.trim());
  for (const proxy of proxies.filter((one) => !isNetwork(one))) {
    problems.push(
      `TRUSTED_PROXIES must be addresses or networks such as 127.0.0.1 or 10.0.0.0/8, not ${JSON.stringify(proxy)}`,
    );
  }
  return proxies;
}

/** A network of all addresses would let every client name its own address. */
function isNetwork(text: string): boolean {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || address.includes("%")) return false;
  return bits === undefined || (Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128));
}
