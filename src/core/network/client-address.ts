import { isIPv4, isIPv6 } from "node:net";

/**
 * What counts as one client: an IPv4 address, also where it is written as IPv6, and of an IPv6 address its /64, of which one
 * client has all addresses. Anything else is returned as it is.
 */
export function addressGroup(address: string): string {
  const plain = address.replace(/%.*$/, "");
  if (!isIPv6(plain)) return isIPv4(plain) ? plain : address;
  const groups = ipv6Groups(plain);
  if (groups.slice(0, 5).some((group) => group !== "0") || groups[5] !== "ffff") {
    return `${groups.slice(0, 4).join(":")}::/64`;
  }
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** The eight groups of an IPv6 address, without leading zeros. */
function ipv6Groups(address: string): string[] {
  // In its shortest form, with an IPv4 address at its end in groups, too.
  const shortest = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [before = "", after] = shortest.split("::");
  const groupsOf = (part: string): string[] => (part === "" ? [] : part.split(":"));
  if (after === undefined) return groupsOf(before);
  const [first, last] = [groupsOf(before), groupsOf(after)];
  return [...first, ...Array<string>(8 - first.length - last.length).fill("0"), ...last];
}
