import { expect, test } from "vitest";
import { documentedPages, exampleIn, placeOf, readBlocks } from "../../support/docs/blocks.ts";
import {
  accountPages,
  FollowedPages,
  firstPages,
  postgresPages,
  runnablePages,
  START_MS_MAX,
  slowPages,
} from "../../support/docs/followed-pages.ts";
import { missingOutput } from "../../support/docs/shown-output.ts";

// The pages as a newcomer follows them: in a fresh checkout, with a service on other ports than those of the page.

const pages = new FollowedPages();
const marked = documentedPages().flatMap((page) => readBlocks(page).blocks.filter(({ noRun }) => noRun !== undefined));

const others = [...firstPages, ...accountPages, ...slowPages, ...postgresPages];
pages.test(runnablePages.filter((page) => !others.includes(page)));

test("a request with a mistake gets the error that docs/api.md shows", { timeout: START_MS_MAX }, async () => {
  const service = pages.readerOf("docs/api.md");
  await service.startService();
  const response = await fetch(`http://127.0.0.1:${service.ports?.apiPort}/api/v1/calls`, {
    method: "POST",
    headers: { "X-API-Key": service.apiKey, "Content-Type": "application/json" },
    body: JSON.stringify({ systemPrompt: "x", voice: "English (America)", language: "en-US", maxDuration: 5 }),
  });
  expect(response.status).toBe(400);
  expect(missingOutput(exampleIn("docs/api.md", "Errors", "json"), await response.text())).toBe("");
});

test("the log says which media server was chosen, as docs/node-versions.md shows", {
  timeout: START_MS_MAX,
}, async () => {
  const lines = (log: string): Record<string, unknown>[] =>
    log.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : []));
  const shown = lines(exampleIn("docs/node-versions.md", "What runs where", "text"));
  const logged = lines(await pages.readerOf("docs/node-versions.md").startService()).find(
    ({ msg }) => msg === "media server selected",
  );
  const like = shown.find(({ mediaServer }) => mediaServer === logged?.mediaServer) ?? {};
  // A line of the log begins with the time, which the page leaves out.
  expect(Object.keys(logged ?? {}).filter((name) => name !== "time")).toEqual(Object.keys(like));
});

test.each(marked.map((block) => [placeOf(block), block.noRun]))("%s is not run: %s", { skip: true }, () => {});
