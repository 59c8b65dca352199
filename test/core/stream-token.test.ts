import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { TOKEN_CHARS } from "../../src/core/limits/service/admission.ts";
import { isSignedToken, mintToken } from "../../src/core/stream-token.ts";

const [KEY, OTHER, FOREIGN] = [randomBytes(32), randomBytes(32), randomBytes(32)];

test("ADV-M5: a token is accepted under either of two keys, and under no other", () => {
  const token = mintToken(KEY);
  expect(isSignedToken(token, [KEY])).toBe(true);
  expect(isSignedToken(token, [OTHER, KEY])).toBe(true);
  expect(isSignedToken(token, [KEY, OTHER])).toBe(true);
  expect(isSignedToken(token, [OTHER])).toBe(false);
  expect(isSignedToken(token, [])).toBe(false);
  expect(isSignedToken(mintToken(FOREIGN), [KEY, OTHER])).toBe(false);
});

test("ADV-M5: a token with any one character changed is not signed", () => {
  const token = mintToken(KEY);
  for (let at = 0; at < TOKEN_CHARS; at += 1) {
    const other = token[at] === "A" ? "B" : "A";
    expect(isSignedToken(token.slice(0, at) + other + token.slice(at + 1), [KEY])).toBe(false);
  }
});

test.each([
  "",
  "x",
  mintToken(KEY).slice(1),
  `${mintToken(KEY)}A`,
  `${mintToken(KEY)}=`,
  ` ${mintToken(KEY)}`,
  mintToken(KEY).replace(/^./, "+"),
  mintToken(KEY).replace(/.$/, "é"),
  "\0".repeat(TOKEN_CHARS),
  randomBytes(48).toString("base64url"),
])("ADV-M5: %j is not signed", (token) => {
  expect(isSignedToken(token, [KEY])).toBe(false);
});
