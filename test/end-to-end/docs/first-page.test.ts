import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placeOf, readBlocks } from "../../support/docs/blocks.ts";
import { ANSWER, PROVIDER_API_KEY, QUESTION } from "../../support/docs/fakes.ts";
import { FollowedPages, firstPages, START_MS_MAX } from "../../support/docs/followed-pages.ts";
import { missingOutput } from "../../support/docs/shown-output.ts";

// README.md, in a fresh checkout of its own: see pages.test.ts.

const pages = new FollowedPages();

test(
  "npm start builds the service in a fresh checkout, says so, and writes a first API key that is not in its log",
  async () => {
    const output = await pages.readerOf("docs/getting-started.md").startService();
    expect(output).toContain("There is no build in dist/ yet: building it, once.\n");
    const path = join(pages.path, "data/first-api-key");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(output).not.toContain(readFileSync(path, "utf8").trim());
    expect(output.split("\n").filter((line) => line.startsWith("{")).length).toBeLessThanOrEqual(20);
  },
  START_MS_MAX,
);

pages.test(firstPages);

test("a talk with real providers, as README.md begins it, reaches both with their API keys and is answered", () => {
  const talk = readBlocks("README.md").blocks.find(({ text }) => text.includes("examples/talk.mjs"));
  const output = talk === undefined ? "" : (pages.written.get(placeOf(talk)) ?? "");
  expect(missingOutput(`user: ${QUESTION}\n…\nagent: ${ANSWER}\n…\nended: caller_hangup`, output)).toBe("");
  expect(pages.fakes.deepgram.last?.headers.authorization).toBe(`Token ${PROVIDER_API_KEY}`);
  expect(pages.fakes.openai.requests.at(-1)?.headers.authorization).toBe(`Bearer ${PROVIDER_API_KEY}`);
});
