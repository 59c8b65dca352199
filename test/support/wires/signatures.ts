import { createHmac } from "node:crypto";
import type { UpgradeHeaders } from "../../../src/wire/upgrade.ts";

/** What carriers share with us in the tests of their signatures. */
export const SECRET = "auth_token_example";

/** The part of a request's headers that a server copies for a check of these `names`. */
export const headersFor =
  (names: readonly string[]) =>
  (headers: Readonly<Record<string, string>>): UpgradeHeaders =>
    Object.fromEntries(names.map((name) => [name, headers[name] ?? ""]));

export const hmac = (hash: "sha1" | "sha256", secret: string, text: string): string =>
  createHmac(hash, secret).update(text).digest("base64");

/** A text with one letter changed, at each place in turn. */
export const misspellings = (text: string): string[] =>
  Array.from(text, (letter, at) => text.slice(0, at) + (letter === "A" ? "B" : "A") + text.slice(at + 1));
