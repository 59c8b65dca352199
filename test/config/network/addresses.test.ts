import { describe, expect, test } from "vitest";
import {
  isAddress,
  isWildcard,
  localUrlOf,
  readApiUrls,
  redactedAddress,
} from "../../../src/config/network/addresses.ts";

test.each([
  ["0.0.0.0", true],
  ["0", true],
  ["::", true],
  ["0::0", true],
  ["127.0.0.1", false],
  ["::1", false],
  ["api.example.com", false],
  ["no host", false],
])("the host %s means all interfaces: %s", (host, isAll) => {
  expect(isWildcard(host)).toBe(isAll);
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:8080"],
  ["::1", "http://[::1]:8080"],
  ["0.0.0.0", "http://127.0.0.1:8080"],
  ["::", "http://127.0.0.1:8080"],
])("a service that listens on %s is reached from its machine at %s", (host, url) => {
  expect(localUrlOf(host, "8080")).toBe(url);
});

test.each([
  ["wss://media.example.com/base", true],
  ["https://media.example.com", false],
  ["wss://media.example.com?key=x", false],
  ["wss://media.example.com#part", false],
  ["wss://user:password@media.example.com", false],
  ["media.example.com", false],
])("a path can be appended to %s: %s", (text, canAppend) => {
  expect(isAddress(text, ["ws:", "wss:"])).toBe(canAppend);
});

test("a refused address is quoted without its password and its query", () => {
  expect(redactedAddress("wss://user:canary@media.example.com/x?key=canary")).toBe('"wss://…@media.example.com/x?…"');
});

describe("PUBLIC_API_URL", () => {
  test("gets the base path where it is missing, for each address", () => {
    const problems: string[] = [];
    const urls = readApiUrls("https://a.example.com/, https://b.example.com/x/api/v1", problems);
    expect(urls).toEqual(["https://a.example.com/api/v1", "https://b.example.com/x/api/v1"]);
    expect(problems).toEqual([]);
    expect(readApiUrls("", problems)).toEqual([]);
  });

  test("reports each address that is none", () => {
    const problems: string[] = [];
    readApiUrls("ftp://a.example.com,b.example.com", problems);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^PUBLIC_API_URL must be http:\/\/ or https:\/\/ addresses .*"ftp:\/\/a.example.com"$/);
  });
});
