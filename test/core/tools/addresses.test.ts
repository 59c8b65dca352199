import { describe, expect, test } from "vitest";
import { isAllowedToolUrl, isLoopbackAddress, isPublicAddress } from "../../../src/core/tools/addresses.ts";

const PUBLIC_IPV4 = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "93.184.215.14",
  "100.63.255.255",
  "100.128.0.0",
]
  .concat("126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0")
  .concat("191.255.255.255", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0")
  .concat("198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255");
const PUBLIC_IPV6 = ["2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1", "2001:200::", "2003::1", "3ffe::1"];

/** The first and the last address of each network that is not public. */
const SPECIAL_IPV4 = [
  ...["0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.0"],
  ...["127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.0.0", "169.254.169.254", "169.254.255.255"],
  ...["172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.0"],
  ...["192.88.99.255", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.0"],
  ...["198.51.100.255", "203.0.113.0", "203.0.113.255", "224.0.0.0", "239.255.255.255", "240.0.0.0"],
  ...["255.255.255.254", "255.255.255.255"],
];
const SPECIAL_IPV6 = [
  ...["::", "::1", "::2", "::7f00:1", "::127.0.0.1", "::10.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1"],
  ...["::ffff:8.8.8.8", "::ffff:7f00:1", "0:0:0:0:0:ffff:7f00:1", "::ffff:0:127.0.0.1", "64:ff9b::127.0.0.1"],
  ...["64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "100:0:0:1::1", "1fff::1", "2001::1", "2001:0:53aa:64c::1"],
  ...["2001:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::1", "2001:db8::", "2001:db8:ffff::1"],
  ...["2002::1", "2002:7f00:1::", "2002:7f00:1::1", "2002:a00:1::1", "2002:ffff:ffff::1", "3fff::1", "3fff:fff::1"],
  ...["4000::1", "5f00::1", "8000::1", "fc00::", "fc00::1", "fd00:ec2::254", "fdff:ffff::1", "fe00::1", "fe80::1"],
  ...["fe80::1%eth0", "fe80::1%25", "febf::1", "fec0::1", "feff::1", "ff00::", "ff02::1", "ffff::1", "2606:4700::1%1"],
];
const NO_ADDRESSES = ["", "localhost", "1.1.1", "1.1.1.1.", " 1.1.1.1", "0x7f.0.0.1", "1.1.1.256", "[::1]", "::g"];

describe("S1: addresses", () => {
  test.each([...PUBLIC_IPV4, ...PUBLIC_IPV6])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([...SPECIAL_IPV4, ...SPECIAL_IPV6, ...NO_ADDRESSES])("%j is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test("loopback is 127.0.0.0/8 and ::1, and no IPv4-mapped address", () => {
    expect(["127.0.0.1", "127.255.0.1", "::1"].map(isLoopbackAddress)).toEqual([true, true, true]);
    expect(["126.0.0.1", "::", "::ffff:127.0.0.1", "localhost"].map(isLoopbackAddress)).toEqual(Array(4).fill(false));
  });
});

const REFUSED_HOSTS = [
  // All of them are spelled as addresses in URLs: what stands in them is found by the URL's own rules.
  ...SPECIAL_IPV4,
  ...SPECIAL_IPV4.flatMap((address) => [`[::${address}]`, `[::ffff:${address}]`, `[64:ff9b::${address}]`]),
  ...SPECIAL_IPV6.filter((address) => !address.includes("%")).map((address) => `[${address}]`),
  ...["127.1", "127.0.1", "0", "0x7f.1", "0x7f000001", "0X7F.0.0.1", "017700000001", "0177.0.0.1", "2130706433"],
  ...["127.0.0.1.", "127.1.", "①②⑦.⓪.⓪.①", "１２７.0.0.1", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1"],
  ...["10.1", "0xa.1", "012.1", "167772161", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "169.254.43518"],
  ...["192.168.1", "3232235521", "0xc0a80001", "0300.0250.0.1", "0.0", "00", "0x0", "1.1.1.1@127.0.0.1"],
  ...["[0:0:0:0:0:0:0:1]", "[::FFFF:127.0.0.1]", "[::ffff:7F00:1]", "[64:FF9B::7F00:1]", "[FE80::1]", "[FD00::1]"],
  ...["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.LocalHost.", "ｌocalhost", "loc%61lhost"],
  ...["user@example.com", "user:secret@example.com", ":@[::1]", "%31%32%37.0.0.1", "127.0.0.1%2e"],
];

describe("S1: servers in URLs", () => {
  const may = (url: string, allowLoopback = false): boolean =>
    URL.canParse(url) && isAllowedToolUrl(new URL(url), allowLoopback);

  test.each(REFUSED_HOSTS)("http://%s/ is refused", (host) => {
    expect(may(`http://${host}/`)).toBe(false);
    expect(may(`https://${host}:8443/x?y=z`)).toBe(false);
  });

  test.each([
    "[fe80::1%eth0]",
    "[::1%25lo]",
    "[::1",
    "::1",
    "1.1.1.256",
    "0x1ffffffff",
    "a b",
    "",
  ])("http://%s/ is no URL", (host) => {
    expect(may(`http://${host}/`)).toBe(false);
  });

  test("there are more than 200 of them", () => {
    expect(new Set([...REFUSED_HOSTS, ...SPECIAL_IPV4, ...SPECIAL_IPV6, ...NO_ADDRESSES]).size).toBeGreaterThan(200);
  });

  test.each([
    "example.com",
    "EXAMPLE.com.",
    "1.1.1.1",
    "[2606:4700::1111]",
    "münchen.example",
    "a.b.c.example",
    "internal",
  ])("http://%s/ passes; the addresses of a name are checked when it is connected", (host) => {
    expect(may(`http://${host}/`)).toBe(true);
  });

  test.each([
    "file:///etc/passwd",
    "gopher://example.com/",
    "ftp://example.com/",
    "data:text/plain,x",
    "unix:/run/x",
  ])("S4: %s is refused", (url) => {
    expect(may(url)).toBe(false);
  });

  test("S4: ports of services that cannot be tools are refused", () => {
    for (const port of [
      0, 1, 21, 22, 23, 25, 53, 81, 110, 143, 445, 993, 1_023, 2_375, 3_306, 5_432, 6_379, 9_200, 11_211, 27_017,
    ]) {
      expect([port, may(`http://example.com:${port}/`)]).toEqual([port, false]);
    }
    for (const port of [80, 443, 1_024, 3_000, 8_000, 8_080, 8_443, 49_152, 65_535]) {
      expect([port, may(`http://example.com:${port}/`)]).toEqual([port, true]);
    }
  });

  test("S6: loopback can be allowed without any other private address", () => {
    for (const host of ["localhost:3000", "127.0.0.1:3000", "127.1", "[::1]:3000", "a.localhost"]) {
      expect([host, may(`http://${host}/`, true), may(`http://${host}/`)]).toEqual([host, true, false]);
    }
    for (const host of ["10.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]", "0.0.0.0", "192.168.0.1", "[fd00::1]"]) {
      expect([host, may(`http://${host}/`, true)]).toEqual([host, false]);
    }
  });
});
