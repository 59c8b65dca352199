import { expect, test } from "vitest";
import { TOKEN_CHARS } from "../../src/core/limits/service/admission.ts";
import { createApiKey, hashSecret } from "../../src/store/secrets.ts";
import { mintToken } from "../support/tokens.ts";

test("T12: 200,000 minted tokens are all different, and all of the right length and alphabet", () => {
  const tokens = new Set<string>();
  for (let count = 0; count < 200_000; count++) tokens.add(mintToken());
  expect(tokens.size).toBe(200_000);
  const shape = /^[A-Za-z0-9_-]+$/;
  for (const token of tokens) if (token.length !== TOKEN_CHARS || !shape.test(token)) expect.fail(token);
});

test("T12: every character of a token takes every value of the alphabet", () => {
  const seen = Array.from({ length: TOKEN_CHARS }, () => new Set<string>());
  for (let count = 0; count < 2_000; count++) {
    for (const [at, character] of [...mintToken()].entries()) seen[at]?.add(character);
  }
  expect(seen.map((values) => values.size)).toEqual(Array(TOKEN_CHARS).fill(64));
});

test("an API key carries its prefix and as many random bytes as a token", () => {
  expect(createApiKey()).toMatch(/^tlk_[A-Za-z0-9_-]{43}$/);
});

test("a secret's hash is its SHA-256 in lower-case hex", () => {
  expect(hashSecret("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
