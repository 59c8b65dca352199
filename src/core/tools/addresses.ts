import { BlockList, isIP } from "node:net";

// The addresses to which the service may connect on behalf of a client: only the public internet. For IPv6 an allow-list is used,
// because an IPv4 address can be embedded in several ways (IANA's registries of special-purpose addresses).

const SPECIAL_IPV4: readonly [network: string, prefix: number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Metadata services of clouds at addresses that look public.
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
/** Excluded from global unicast: protocol assignments and tunnels (including Teredo), documentation, 6to4. */
const SPECIAL_IPV6: readonly [network: string, prefix: number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const listOf = (family: "ipv4" | "ipv6", networks: readonly [network: string, prefix: number][]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
};
const specialIpv4 = listOf("ipv4", SPECIAL_IPV4);
const specialIpv6 = listOf("ipv6", SPECIAL_IPV6);
const globalUnicast = listOf("ipv6", [["2000::", 3]]);
const loopbackIpv4 = listOf("ipv4", [["127.0.0.0", 8]]);

/** Ports below this belong to well-known services; of these tools may use only the ports of the web. */
const WEB_PORTS: readonly number[] = [80, 443];
const REGISTERED_PORT_MIN = 1_024;
/** Databases, queues, caches, remote desktops and APIs of container hosts, where no tool server is. */
const SERVICE_PORTS: ReadonlySet<number> = new Set([
  ...[1_433, 1_521, 1_883, 2_049, 2_181, 2_375, 2_376, 2_379, 2_380, 3_128, 3_306, 3_389, 4_369, 5_060, 5_061, 5_432],
  ...[5_671, 5_672, 5_900, 5_984, 6_000, 6_379, 6_443, 6_667, 7_000, 7_001, 8_086, 8_125, 8_500, 9_042, 9_092, 9_200],
  ...[9_300, 10_250, 11_211, 15_672, 26_257, 27_017, 27_018, 50_000],
]);

/** Whether an IP address, as a resolver or a URL spells it, is public. False for other texts. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, "ipv4");
    case 6:
      return !address.includes("%") && globalUnicast.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
    default:
      return false;
  }
}

/** Whether an IP address is this machine's own: `::1` or 127.0.0.0/8. False for names. */
export const isLoopbackAddress = (address: string): boolean =>
  address === "::1" || (isIP(address) === 4 && loopbackIpv4.check(address, "ipv4"));

/** The name of this machine (RFC 6761, section 6.3). */
export const isLocalhost = (host: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(host);

/** A URL's host without brackets when it is an IP address; undefined for a name. */
function ipAddressOf({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  return isIP(host) === 0 ? undefined : host;
}

/**
 * Whether the server of a tool may be at `url`, as far as this is known without a resolver: names pass here and are checked when
 * they are connected to. `allowLoopback` allows this machine, for tests and trials.
 */
export function isAllowedToolUrl(url: URL, allowLoopback: boolean): boolean {
  if (!["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "") return false;
  const port = url.port === "" ? undefined : Number(url.port);
  if (port !== undefined && !isToolPort(port)) return false;
  const address = ipAddressOf(url);
  if (address === undefined) return url.hostname !== "" && (allowLoopback || !isLocalhost(url.hostname));
  return isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));
}

const isToolPort = (port: number): boolean =>
  WEB_PORTS.includes(port) || (port >= REGISTERED_PORT_MIN && !SERVICE_PORTS.has(port));
