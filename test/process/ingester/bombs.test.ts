import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { asAccountId } from "../../../src/core/ids.ts";
import { DOCUMENT_BYTES_DEFAULT, DOCUMENT_CPU_MS_MAX } from "../../../src/core/limits/knowledge/corpora.ts";
import type { IngestAnswer } from "../../../src/knowledge/documents/ingester.ts";
import { IngesterClient } from "../../../src/process/ingester/client.ts";
import { forkIngester } from "../../../src/process/ingester/fork.ts";
import { ingestTaskOf } from "../../support/knowledge/ingest-tasks.ts";
import { doublingPdf, inflatingPdf } from "../../support/knowledge/pdf-bombs.ts";
import { memoryLog } from "../../support/memory-log.ts";

const NEVER = new AbortController().signal;

let client: IngesterClient;
beforeAll(() => {
  client = new IngesterClient({ start: forkIngester(), clock: systemClock, log: memoryLog().log, count() {} });
});
afterAll(() => client.close());

const read = (content: string | Buffer): Promise<IngestAnswer> =>
  client.read(asAccountId("account_1"), ingestTaskOf(content), NEVER);
const isHarmless = async (): Promise<void> => expect(await read("Good.")).toMatchObject({ kind: "read" });

/** A page of 50 MB: this markup again and again, and a sentence. */
const pageOf = (markup: string): string =>
  `<html><body>${markup.repeat(DOCUMENT_BYTES_DEFAULT / markup.length - 2)}<p>The end.`;

test("D5: a PDF whose page inflates to gigabytes is given up, and harms no other", async () => {
  await expect(read(inflatingPdf(4 * 1024 ** 3))).rejects.toMatchObject({ code: "over_budget" });
  await isHarmless();
}, 120_000);

test(
  "D5: a PDF whose objects draw each other a billion times is given up, and harms no other",
  async () => {
    await expect(read(doublingPdf(30))).rejects.toMatchObject({ code: "over_budget" });
    await isHarmless();
  },
  8 * DOCUMENT_CPU_MS_MAX,
);

test("an HTML page of 50 MB of text has too much", async () => {
  expect(await read(pageOf("<p>Pumps and hoses last for many years, and are cheap.</p>"))).toMatchObject({
    kind: "failed",
    failure: { code: "too_much_text" },
  });
}, 120_000);

test("an HTML page of 50 MB with one sentence is read", async () => {
  const answer = await read(pageOf('<div class="a"><br></div>'));
  expect(answer).toMatchObject({ kind: "read", facts: { format: "html", chunks: 1 } });
}, 120_000);
