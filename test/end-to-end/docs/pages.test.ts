import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { documentedPages, exampleIn, placeOf, readBlocks } from "../../support/docs/blocks.ts";
import { freshCheckout } from "../../support/docs/checkout.ts";
import { ANSWER, DocumentationFakes, PROVIDER_API_KEY, QUESTION } from "../../support/docs/fakes.ts";
import { Reader } from "../../support/docs/reader.ts";
import { missingOutput } from "../../support/docs/shown-output.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

// README.md and the pages as a newcomer follows them: in a fresh checkout, with a service on other ports than those of the page.

const PAGE_MS_MAX = 400_000;
const START_MS_MAX = 120_000;

const checkout = freshCheckout();
const pages = documentedPages().map((page) => ({ page, blocks: readBlocks(page).blocks }));
const marked = pages.flatMap(({ blocks }) => blocks.filter(({ noRun }) => noRun !== undefined));
const runnable = pages.filter(({ blocks }) =>
  blocks.some(({ language, noRun }) => (language === "sh" || language === "ts") && noRun === undefined),
);

/** What each block wrote, by its place. */
const written = new Map<string, string>();
let fakes: DocumentationFakes;
let reader: Reader | undefined;

beforeAll(async () => {
  fakes = await DocumentationFakes.create();
}, START_MS_MAX);
afterEach(() => reader?.stop(), START_MS_MAX);
afterAll(async () => {
  await fakes.close();
  checkout.remove();
});

const readerOf = (page: string): Reader => {
  reader = new Reader(page, { checkout: checkout.path, env: fakes.env });
  return reader;
};

test(
  "npm start builds the service in a fresh checkout, says so, and writes a first API key that is not in its log",
  async () => {
    const output = await readerOf("docs/getting-started.md").startService();
    expect(output).toContain("There is no build in dist/ yet: building it, once.\n");
    const path = join(checkout.path, "data/first-api-key");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(output).not.toContain(readFileSync(path, "utf8").trim());
    expect(output.split("\n").filter((line) => line.startsWith("{")).length).toBeLessThanOrEqual(20);
  },
  START_MS_MAX,
);

test.each(runnable)("every command and program of $page works, one after the other, and shows what the page says", {
  retry: ifMachineStalled,
  timeout: PAGE_MS_MAX,
}, async ({ page }) => {
  const followed = readerOf(page);
  await followed.followPage();
  for (const [place, output] of followed.outputs) written.set(place, output);
});

test("a talk with real providers, as README.md begins it, reaches both with their API keys and is answered", () => {
  const talk = readBlocks("README.md").blocks.find(({ text }) => text.includes("examples/talk.mjs"));
  const output = talk === undefined ? "" : (written.get(placeOf(talk)) ?? "");
  expect(missingOutput(`user: ${QUESTION}\n…\nagent: ${ANSWER}\n…\nended: caller_hangup`, output)).toBe("");
  expect(fakes.deepgram.last?.headers.authorization).toBe(`Token ${PROVIDER_API_KEY}`);
  expect(fakes.openai.requests.at(-1)?.headers.authorization).toBe(`Bearer ${PROVIDER_API_KEY}`);
});

test("a request with a mistake gets the error that docs/api.md shows", { timeout: START_MS_MAX }, async () => {
  const service = readerOf("docs/api.md");
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
  const logged = lines(await readerOf("docs/node-versions.md").startService()).find(
    ({ msg }) => msg === "media server selected",
  );
  const like = shown.find(({ mediaServer }) => mediaServer === logged?.mediaServer) ?? {};
  // A line of the log begins with the time, which the page leaves out.
  expect(Object.keys(logged ?? {}).filter((name) => name !== "time")).toEqual(Object.keys(like));
});

test.each(marked.map((block) => [placeOf(block), block.noRun]))("%s is not run: %s", { skip: true }, () => {});
