import { describe, expect, test } from "vitest";
import { headerProblem, secretsIn, urlProblem } from "../../../src/core/tools/http-tool.ts";

describe("the URL of an HTTP tool", () => {
  test.each([
    "https://api.example.com",
    "http://api.example.com/",
    "HTTPS://Api.Example.com:8443/a/{b}/c?d={d}&e=1",
    "https://api.example.com/{a}{b}.json",
    "https://api.example.com?q={q}",
    "https://api.example.com/a%20b/.well-known/..x",
  ])("%s is one", (url) => {
    expect(urlProblem(url, false)).toBeUndefined();
  });

  test.each([
    ["", "a user name"],
    ["example.com/a", "a user name"],
    ["//example.com/a", "a user name"],
    ["https:example.com/a", "a user name"],
    ["https:/example.com", "a user name"],
    ["https://{host}/a", "a user name"],
    ["https://{a}.example.com/", "a user name"],
    ["https://example.com{port}/", "a user name"],
    ["{scheme}://example.com/", "a user name"],
    ["https://user@example.com/", "a user name"],
    ["https://example.com/#{a}", "a user name"],
    ["https://example.com\\@127.0.0.1/", "a user name"],
    ["https://example.com/a b", "a user name"],
    ["https://example.com/a\r\nHost: x", "a user name"],
    ["https://example.com/\u0000", "a user name"],
    [" https://example.com/", "a user name"],
    ["ftp://example.com/", "a user name"],
    ["file:///etc/passwd", "a user name"],
    ["https://example.com/{a", "braces"],
    ["https://example.com/{}", "braces"],
    ["https://example.com/{a b}", "a user name"],
    ["https://example.com/?key={{SHOP_TOKEN}}", "braces"],
    ["https://127.0.0.1/", "a public server"],
    ["https://0x7f.1/{a}", "a public server"],
    ["https://localhost:3000/", "a public server"],
    ["https://example.com:22/", "a public server"],
    ["https://example.com/a/../b", ". or .."],
    ["https://example.com/a/%2E%2e/b", ". or .."],
    ["https://example.com/.", ". or .."],
    [`https://example.com/${"a".repeat(2_048)}`, "2048 characters"],
  ])("S4: %j is none", (url, why) => {
    expect(urlProblem(url, false)).toContain(why);
  });
});

describe("the headers of an HTTP tool", () => {
  test("may hold secrets by name", () => {
    const value = "Basic {{USER_1}}:{{PASSWORD}}";
    expect(headerProblem("Authorization", value)).toBeUndefined();
    expect(secretsIn(value)).toEqual(["USER_1", "PASSWORD"]);
    expect(headerProblem("X-API-Key", "{{KEY}}")).toBeUndefined();
  });

  test.each([
    ...[
      "Host",
      "host",
      "Content-Length",
      "Content-Type",
      "Transfer-Encoding",
      "Connection",
      "Keep-Alive",
      "TE",
      "Trailer",
    ],
    ...[
      "Upgrade",
      "Expect",
      "Via",
      "Date",
      "Accept-Encoding",
      "Content-Encoding",
      "Proxy-Authorization",
      "Sec-Fetch-Mode",
    ],
  ])("S4: %s is the service's own", (name) => {
    expect(headerProblem(name, "x")).toContain("the service says it itself");
  });

  test.each(["", "a b", "a:", "a\r\nb", "é", "{{NAME}}", "x".repeat(65)])("S4: %j is no name of a header", (name) => {
    expect(headerProblem(name, "x")).toContain("header's name");
  });

  test.each(["a\r\nHost: x", "a\nb", "\u0000", "é", "\u007f", "x".repeat(2_049)])("S4: %j is no value", (value) => {
    expect(headerProblem("X-Order", value)).toContain("printable ASCII");
  });

  test.each(["{{name}}", "{{}}", "{{A", "A}}", "{{A B}}"])("%s names no secret", (value) => {
    expect(headerProblem("X-Order", value)).toContain("{{NAME}}");
  });
});
