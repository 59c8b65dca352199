import { expect, test } from "vitest";
import { readTrustedProxies } from "../../../src/config/network/proxies.ts";

const read = (given: string): { proxies: readonly string[]; problems: string[] } => {
  const problems: string[] = [];
  return { proxies: readTrustedProxies(given, problems), problems };
};

test("TRUSTED_PROXIES is a list of addresses and networks", () => {
  expect(read("")).toEqual({ proxies: [], problems: [] });
  expect(read(" 127.0.0.1, 10.0.0.0/8,::1, fd00::/8 ")).toEqual({
    proxies: ["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"],
    problems: [],
  });
});

test.each([
  ["proxy.example"],
  ["*"],
  ["127.0.0.1/33"],
  ["::1/129"],
  ["10.0.0.0/"],
  ["fe80::1%eth0"],
  // Every client could then name its own address.
  ["0.0.0.0/0"],
  ["::/0"],
])("TRUSTED_PROXIES=%s is refused", (given) => {
  expect(read(given).problems).toEqual([
    `TRUSTED_PROXIES must be addresses or networks such as 127.0.0.1 or 10.0.0.0/8, not "${given}"`,
  ]);
});
