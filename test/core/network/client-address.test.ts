import { expect, test } from "vitest";
import { addressGroup } from "../../../src/core/network/client-address.ts";

test.each([
  ["203.0.113.1", "203.0.113.1"],
  ["::ffff:203.0.113.1", "203.0.113.1"],
  ["::ffff:cb00:7101", "203.0.113.1"],
  ["2001:db8:0:2::1", "2001:db8:0:2::/64"],
  ["2001:0db8:0000:0002:ffff:ffff:ffff:ffff", "2001:db8:0:2::/64"],
  ["2001:db8::", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::203.0.113.1", "64:ff9b:0:0::/64"],
  ["not an address", "not an address"],
])("A8: %s counts as %s", (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
