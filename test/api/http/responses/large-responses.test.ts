import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { LargeResponses } from "../../../../src/api/http/responses/large-responses.ts";
import { errorResponse } from "../../../../src/api/openapi/responses.ts";
import { catalogueOf } from "../../../../src/api/voices/catalogue.ts";
import type { TranscriptTurn } from "../../../../src/core/calls/transcript.ts";
import { callMs, epochMs } from "../../../../src/core/clocks.ts";
import { asAccountId, type CallId } from "../../../../src/core/ids.ts";
import { METADATA_BYTES_MAX } from "../../../../src/core/limits/calls/calls.ts";
import {
  ANSWER_READ_MS_MAX,
  LARGE_RESPONSE_WAIT_MS_MAX,
  LARGE_RESPONSES_MAX,
  LARGE_RESPONSES_PER_ACCOUNT_MAX,
  LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX,
  LIST_BYTES_MAX,
  UNREAD_MS_MIN,
} from "../../../../src/core/limits/control-api/api.ts";
import { hashSecret } from "../../../../src/store/secrets.ts";
import { ANY_STT } from "../../../support/api/any-stt.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL, VOICES } from "../../../support/api/harness.ts";
import { ManualClock, settled } from "../../../support/manual-clock.ts";
import { head } from "../../../support/network/raw-http.ts";
import { redeemedBy } from "../../../support/tokens.ts";

interface Page {
  data: { id?: string; text?: string }[];
  nextCursor: string | null;
}

let api: ApiUnderTest;
afterEach(() => api?.close());

/** All pages of a list, each within its bound. */
async function pagesOf(path: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { text, body } = await api.get(`${path}${cursor && `${path.includes("?") ? "&" : "?"}cursor=${cursor}`}`);
    const page = body as Page;
    // In addition to the items: commas, brackets and the cursor.
    expect(Buffer.byteLength(text)).toBeLessThan(LIST_BYTES_MAX + 10_000);
    expect(page.data.length).toBeGreaterThan(0);
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

describe("a list", () => {
  test("ADV-M1: of large calls ends its pages early, without missing or repeated calls", async () => {
    api = await apiUnderTest();
    const metadata = { text: "é".repeat(METADATA_BYTES_MAX / 2 - 100) };
    const ids: string[] = [];
    for (let index = 0; index < 100; index++) {
      ids.unshift(((await api.post({ ...MINIMAL_CALL, metadata })).body as { id: string }).id);
    }
    const pages = await pagesOf("/api/v1/calls?limit=100");
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
  });

  test("ADV-M1: of a long transcript is paged", async () => {
    api = await apiUnderTest();
    const { id, websocketUrl } = (await api.post(MINIMAL_CALL)).body as { id: CallId; websocketUrl: string };
    await api.stores.redemptions.redeem(hashSecret(websocketUrl.split("/").at(-1) ?? ""), redeemedBy("worker-1"));
    const turns: TranscriptTurn[] = Array.from({ length: 100 }, (_, index) => ({
      ...{
        role: "user",
        text: `${index} ${"ü".repeat(8_000)}`,
        startMs: callMs(index),
        endMs: callMs(index + 1),
        interrupted: false,
      },
    }));
    const end = { status: "ended", endReason: "caller_hangup", endedAtMs: epochMs(1), durationMs: 1, turns } as const;
    await api.stores.calls.finish(id, end);
    const pages = await pagesOf(`/api/v1/calls/${id}/transcript`);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flatMap(({ data }) => data)).toEqual(turns);
    expect(await pagesOf(`/api/v1/calls/${id}/transcript?limit=60`)).toHaveLength(pages.length);
  });

  test("ADV-M1: of thousands of voices is paged", async () => {
    const many = Array.from({ length: 4_000 }, (_, index) => ({
      ...{ id: `v/${index}`, name: `Voice ${index} ${"x".repeat(100)}`, language: "en-US", provider: "fake" },
    }));
    api = await apiUnderTest(catalogueOf({ voices: async () => many }, ANY_STT));
    const pages = await pagesOf("/api/v1/voices");
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(({ data }) => data)).toEqual(many);
  });

  test("ADV-M1: an item larger than a page has a page of its own", async () => {
    const huge = { ...VOICES[0], name: "x".repeat(LIST_BYTES_MAX) } as (typeof VOICES)[number];
    api = await apiUnderTest(catalogueOf({ voices: async () => [huge, ...VOICES] }, ANY_STT));
    const { body } = await api.get("/api/v1/voices");
    expect((body as Page).data).toEqual([huge]);
    expect((body as Page).nextCursor).not.toBeNull();
  });

  test("ADV-M1: is 429 with Retry-After when its account has too many in progress, and other accounts are served", async () => {
    api = await apiUnderTest();
    const room = LARGE_RESPONSES_PER_ACCOUNT_MAX + LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX;
    for (let count = 0; count < room; count++) api.largeResponses.begin(api.accountId, () => {}).catch(() => {});
    const refused = await api.get("/api/v1/calls");
    expect([refused.status, errorOf(refused).code, refused.headers["retry-after"]]).toEqual([429, "rate_limited", "5"]);
    const { key } = await api.stores.apiKeys.create({
      accountId: await api.stores.accounts.ensure("second"),
      name: "other",
    });
    expect((await api.get("/api/v1/calls", { "x-api-key": key })).status).toBe(200);
  });

  test("ADV-M1: that is not read is closed after a while", async () => {
    const name = "x".repeat(64 * 1024 * 1024);
    api = await apiUnderTest(
      catalogueOf({ voices: async () => [{ ...VOICES[0], name } as (typeof VOICES)[number]] }, ANY_STT),
    );
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const address = api.app.server.address();
    const socket = connect(address !== null && typeof address === "object" ? address.port : 0, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(head("GET /api/v1/voices", { "X-API-Key": api.key }));
    await once(socket, "readable");
    api.clock.advance(ANSWER_READ_MS_MAX);
    socket.resume();
    await once(socket, "close");
    expect(api.logged.join("")).not.toContain("request failed");
  });
});

describe("the large responses of an account", () => {
  const clock = new ManualClock();
  const refused: string[] = [];
  const answers = () =>
    new LargeResponses(clock, { refused: (by) => refused.push(by), closed: () => refused.push("unread") });
  const ignore = () => {};

  test("ADV-M1: beyond its limit wait until one of them is over, in the order of arrival", async () => {
    const large = answers();
    const first = await Promise.all(
      Array.from({ length: LARGE_RESPONSES_PER_ACCOUNT_MAX }, () => large.begin(asAccountId("one"), ignore)),
    );
    const begun: number[] = [];
    for (const index of [1, 2]) void large.begin(asAccountId("one"), ignore).then(() => begun.push(index));
    await settled();
    expect(begun).toEqual([]);
    first[0]?.end();
    await settled();
    expect(begun).toEqual([1]);
    // Other accounts do not wait for it.
    (await large.begin(asAccountId("two"), ignore)).end();
    first[1]?.end();
    await settled();
    expect(begun).toEqual([1, 2]);
  });

  test("ADV-M1: that wait too long are refused: 429 at its own limit, 503 at the service's", async () => {
    const large = answers();
    const accounts = Array.from(
      { length: LARGE_RESPONSES_MAX / LARGE_RESPONSES_PER_ACCOUNT_MAX },
      (_, index) => `${index}`,
    );
    for (const account of accounts) {
      for (let count = 0; count < LARGE_RESPONSES_PER_ACCOUNT_MAX; count++)
        await large.begin(asAccountId(account), ignore);
    }
    const late = [large.begin(asAccountId("0"), ignore), large.begin(asAccountId("another"), ignore)].map((begun) =>
      begun.catch(({ status }) => status),
    );
    clock.advance(LARGE_RESPONSE_WAIT_MS_MAX);
    expect(await Promise.all(late)).toEqual([429, 503]);
    expect(refused).toEqual(["account", "service"]);
  });

  test("ADV-M1: an account without a slot gets that of the longest unread response of the account with the most", async () => {
    const large = answers();
    refused.length = 0;
    const closed: string[] = [];
    // Four accounts take all slots. The responses of the first two are still being created; those of the others are not read.
    for (let slot = 0; slot < LARGE_RESPONSES_PER_ACCOUNT_MAX; slot++) {
      for (let account = 0; account < LARGE_RESPONSES_MAX / LARGE_RESPONSES_PER_ACCOUNT_MAX; account++) {
        const name = `${account}/${slot}`;
        const answer = await large.begin(asAccountId(`${account}`), () => {
          closed.push(name);
          answer.end();
        });
        if (account > 1) answer.written();
        clock.advance(1);
      }
    }
    // It came first, and has reached its limit.
    const greedy = large.begin(asAccountId("2"), ignore).then(() => "greedy");
    const begun: string[] = [];
    void large.begin(asAccountId("another"), ignore).then(() => begun.push("another"));
    await settled();
    expect([closed, begun]).toEqual([[], []]);
    clock.advance(UNREAD_MS_MIN);
    await settled();
    expect([closed, begun]).toEqual([["2/0"], ["another"]]);
    // The next one need not wait: some have been unread for long enough.
    void large.begin(asAccountId("another"), ignore).then(() => begun.push("another again"));
    await settled();
    expect([closed, begun]).toEqual([
      ["2/0", "3/0"],
      ["another", "another again"],
    ]);
    expect(refused).toEqual(["unread", "unread"]);
    clock.advance(LARGE_RESPONSE_WAIT_MS_MAX);
    await expect(greedy).rejects.toMatchObject({ code: "overloaded" });
  });

  test("ADV-M1: an unread response is not closed for an account that has as many itself", async () => {
    const large = answers();
    const accounts = Array.from({ length: LARGE_RESPONSES_MAX }, (_, index) => `${index}`);
    const close = () => expect.unreachable("nothing was to be closed");
    for (const account of accounts) (await large.begin(asAccountId(account), close)).written();
    clock.advance(UNREAD_MS_MIN);
    const late = large.begin(asAccountId("0"), ignore).catch(({ status }) => status);
    clock.advance(LARGE_RESPONSE_WAIT_MS_MAX);
    expect(await late).toBe(503);
  });
});

test("ADV-M1: the OpenAPI document says that 429 and 503 also apply to lists and downloads", () => {
  expect(errorResponse(429, ["rate_limited"]).description).toContain("concurrent lists, downloads");
  expect(errorResponse(503, ["overloaded"]).description).toContain("too many lists, downloads");
});

describe("a pipelined list", () => {
  /** A connection that requests this many lists of calls at once; each is counted when it is created, and sent once `made` is called. */
  async function pipelined(count: number) {
    api = await apiUnderTest();
    const { calls } = api.stores;
    const list = calls.list.bind(calls);
    let begun = 0;
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    calls.list = async (...query) => {
      begun += 1;
      await gate;
      return await list(...query);
    };
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const address = api.app.server.address();
    const accepted = once(api.app.server, "connection");
    const socket = connect(address !== null && typeof address === "object" ? address.port : 0, "127.0.0.1");
    const [serverSide] = (await accepted) as [Socket];
    let requestCount = 0;
    api.app.server.on("request", () => {
      requestCount += 1;
    });
    socket.write(head("GET /api/v1/calls", { "X-API-Key": api.key }).repeat(count));
    const making = Math.min(count, LARGE_RESPONSES_PER_ACCOUNT_MAX);
    while (begun < making || requestCount < count) await new Promise((resolve) => setImmediate(resolve));
    await settled();
    const hangUp = async () => {
      socket.destroy();
      if (!serverSide.destroyed) await new Promise((resolve) => serverSide.once("close", resolve));
    };
    return { hangUp, release, begun: () => begun };
  }

  test("ADV-M1: whose client disconnects frees its slot, although Node emits nothing for a queued response", async () => {
    const lists = await pipelined(LARGE_RESPONSES_PER_ACCOUNT_MAX);
    await lists.hangUp();
    lists.release();
    expect((await api.get("/api/v1/calls")).status).toBe(200);
    // All slots are free again.
    let free = 0;
    for (let slot = 0; slot < LARGE_RESPONSES_PER_ACCOUNT_MAX; slot++) {
      void api.largeResponses.begin(api.accountId, () => {}).then(() => free++);
    }
    await settled();
    expect(free).toBe(LARGE_RESPONSES_PER_ACCOUNT_MAX);
  });

  test("ADV-M1: that waits is not created after its client has disconnected", async () => {
    const lists = await pipelined(2 * LARGE_RESPONSES_PER_ACCOUNT_MAX);
    await lists.hangUp();
    await settled();
    lists.release();
    expect((await api.get("/api/v1/calls")).status).toBe(200);
    expect(lists.begun()).toBe(LARGE_RESPONSES_PER_ACCOUNT_MAX + 1);
    expect(api.logged.join("")).not.toContain("request failed");
  });
});
