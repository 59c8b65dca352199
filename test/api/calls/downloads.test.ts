import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type AccountId, asAccountId } from "../../../src/core/ids.ts";
import {
  ANSWER_READ_MS_MAX,
  DOWNLOADS_PER_ACCOUNT_MAX,
  LARGE_RESPONSE_WAIT_MS_MAX,
} from "../../../src/core/limits/control-api/api.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";
import { filesClosedIn, openFilesOf, recordedIn } from "../../support/api/recorded-calls.ts";
import { settled } from "../../support/manual-clock.ts";
import { head } from "../../support/network/raw-http.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

async function ask(method: "GET" | "HEAD", id: string) {
  const url = `/api/v1/calls/${id}/recording`;
  const answer = await api.app.inject({ method, url, headers: { "x-api-key": api.key } });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}

describe("downloads", () => {
  /** More than the kernel buffers for a client that does not read. */
  const LARGE = Buffer.alloc(32 * 1024 * 1024);

  /** A connection that sends these requests at once and reads nothing; `closed` resolves when the service closes it. */
  async function unread(requests: string) {
    await api.app.listen({ host: "127.0.0.1", port: 0 });
    const address = api.app.server.address();
    const accepted = once(api.app.server, "connection");
    const socket = connect(address !== null && typeof address === "object" ? address.port : 0, "127.0.0.1");
    socket.on("error", () => {}).pause();
    const [serverSide] = (await accepted) as [Socket];
    socket.write(requests);
    return { socket, closed: new Promise((resolve) => serverSide.once("close", resolve)) };
  }

  const download = (id: string) => head(`GET /api/v1/calls/${id}/recording`, { "X-API-Key": api.key });

  test("ADV-M6: beyond an account's limit wait and are then 429, while other accounts download", async () => {
    const id = await recordedIn(api, Buffer.from("RIFF"));
    const begin = (accountId: AccountId) => api.downloads.begin(accountId, () => {});
    const held = await Promise.all(Array.from({ length: DOWNLOADS_PER_ACCOUNT_MAX }, () => begin(api.accountId)));
    const late = ask("GET", id);
    // Give the request time to arrive and wait.
    await vi.waitFor(() => expect(api.clock.pending).toBeGreaterThan(0));
    api.clock.advance(LARGE_RESPONSE_WAIT_MS_MAX);
    const answer = await late;
    expect([answer.status, JSON.parse(answer.text).error.code, answer.headers["retry-after"]]).toEqual([
      ...[429, "rate_limited", "5"],
    ]);
    (await begin(asAccountId("another"))).end();
    held[0]?.end();
    expect((await ask("GET", id)).status).toBe(200);
    expect((await ask("HEAD", id)).status).toBe(200);
  });

  test("ADV-M6: a pipelined one whose client disconnects closes its file and frees its slot", async () => {
    const id = await recordedIn(api, LARGE);
    const { socket, closed } = await unread(download(id).repeat(DOWNLOADS_PER_ACCOUNT_MAX));
    await vi.waitFor(() => expect(openFilesOf(api, id)).toBe(DOWNLOADS_PER_ACCOUNT_MAX));
    socket.destroy();
    await closed;
    expect(await filesClosedIn(api, id, 2_000)).toBe(true);
    let free = 0;
    for (let count = 0; count < DOWNLOADS_PER_ACCOUNT_MAX; count++) {
      void api.downloads.begin(api.accountId, () => {}).then(() => free++);
    }
    await settled();
    expect(free).toBe(DOWNLOADS_PER_ACCOUNT_MAX);
  });

  test("ADV-M1: a list after an unread download is closed after a while", async () => {
    const id = await recordedIn(api, LARGE);
    const made = vi.spyOn(api.stores.calls, "list");
    const list = head("GET /api/v1/calls", { "X-API-Key": api.key });
    const { closed } = await unread(download(id) + list);
    await vi.waitFor(() => expect(made).toHaveBeenCalled());
    await settled();
    api.clock.advance(ANSWER_READ_MS_MAX);
    await closed;
    expect(await filesClosedIn(api, id, 2_000)).toBe(true);
  });
});
