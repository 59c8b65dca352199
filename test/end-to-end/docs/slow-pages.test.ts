import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FollowedPages, START_MS_MAX, slowPages } from "../../support/docs/followed-pages.ts";

// The pages with the longest programs, in a fresh checkout of their own: see pages.test.ts.

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

pages.test(slowPages);
