import { EventEmitter, once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventStream } from "../../../src/api/events/event-stream.ts";
import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { addMs, elapsedMs } from "../../../src/core/clocks.ts";
import { API_KEY_CACHE_MS } from "../../../src/core/limits/accounts/api-keys.ts";
import { SESSION_MS } from "../../../src/core/limits/accounts/people.ts";
import { STALL_MS_MAX } from "../../../src/core/limits/control-api/api.ts";
import {
  EVENT_HEARTBEAT_MS,
  EVENT_POLL_MS,
  EVENT_STREAMS_PER_ACCOUNT_MAX,
  EVENT_UNREAD_MS_MAX,
} from "../../../src/core/limits/control-api/events.ts";
import type { EventStreamEnd } from "../../../src/core/metrics/control-metrics.ts";
import { Browser, SESSION } from "../../support/api/browser.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL } from "../../support/api/harness.ts";
import { createCall as createStoredCall } from "../../support/calls/stored-calls.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { head } from "../../support/network/raw-http.ts";

const EVENTS = "/api/v1/events";

let api: ApiUnderTest;
let base: string;
const followed: Followed[] = [];
beforeEach(async () => {
  api = await apiUnderTest();
  base = await api.app.listen({ port: 0, host: "127.0.0.1" });
});
afterEach(async () => {
  for (const one of followed.splice(0)) one.response.destroy();
  await api.close();
});

interface Message {
  id: number;
  event: string;
  data: { id: string; type: string; data: { call: { id: string } } };
}

/** A stream over a real connection. */
class Followed {
  readonly response: IncomingMessage;
  /** The events, without comments and the message that begins the stream. */
  readonly messages: Message[] = [];
  text = "";
  hasEnded = false;
  #unfinished = "";

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8");
    response.on("data", (part: string) => this.#read(part));
    response.on("error", () => {});
    response.on("close", () => {
      this.hasEnded = true;
    });
  }

  #read(part: string): void {
    this.text += part;
    const blocks = (this.#unfinished + part).split("\n\n");
    this.#unfinished = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, id, event = "", data = ""] = /^id: (\d+)\nevent: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? [];
      if (id !== undefined) this.messages.push({ id: Number(id), event, data: JSON.parse(data) });
    }
  }

  /** Moves time until this is so. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await api.clock.play(EVENT_POLL_MS);
  }
}

/** Follows the events with these headers. */
async function followWith(headers: Record<string, string>, path = EVENTS): Promise<Followed> {
  const [response] = (await once(get(`${base}${path}`, { headers }), "response")) as [IncomingMessage];
  const one = new Followed(response);
  followed.push(one);
  return one;
}

const follow = ({ key = api.key, after }: { key?: string; after?: number } = {}): Promise<Followed> =>
  followWith({ "x-api-key": key, ...(after !== undefined && { "last-event-id": String(after) }) });

/** How many streams have ended for this reason. */
async function endedBy(reason: EventStreamEnd): Promise<number | undefined> {
  const metric = await api.metrics.registry.getSingleMetric("trunkline_event_streams_ended_total")?.get();
  return metric?.values.find(({ labels }) => labels.reason === reason)?.value;
}

/** How many streams are open. */
const openStreams = async (): Promise<number | undefined> =>
  (await api.metrics.registry.getSingleMetric("trunkline_event_streams")?.get())?.values[0]?.value;

/** Moves time until a stream is ended because its client is no longer allowed, and returns how much. Its client then sees the end. */
async function msUntilRevoked(stream: Followed): Promise<number> {
  const [before, sinceMs] = [await endedBy("revoked"), api.clock.nowMs()];
  while ((await endedBy("revoked")) === before) await api.clock.play(EVENT_POLL_MS);
  while (!stream.hasEnded) await settled();
  return elapsedMs(sinceMs, api.clock.nowMs());
}

const createCall = async (key = api.key): Promise<string> =>
  ((await api.post(MINIMAL_CALL, { "x-api-key": key })).body as { id: string }).id;
const eventsOf = ({ messages }: Followed) => messages.map(({ event, data }) => [event, data.data.call.id]);

test("events come as they happen, in order, as webhooks send them, and the call that ended with its record", async () => {
  const stream = await follow();
  expect(stream.response.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
  });
  const id = await createCall();
  await api.post({}, {}, `/api/v1/calls/${id}/end`);
  await stream.until(() => stream.messages.length === 2);
  expect(eventsOf(stream)).toEqual([
    ["call.created", id],
    ["call.ended", id],
  ]);
  const [created, ended] = stream.messages;
  expect(created?.data).toMatchObject({ id: expect.stringMatching(/^event_/), type: "call.created" });
  expect(ended?.data.data.call).toEqual((await api.get(`/api/v1/calls/${id}`)).body);
});

test("a client that comes back with the id of its last event gets what it missed, once", async () => {
  const first = await follow();
  const ids = [await createCall()];
  await first.until(() => first.messages.length === 1);
  first.response.destroy();
  ids.push(await createCall(), await createCall());
  const second = await follow({ after: first.messages[0]?.id ?? 0 });
  ids.push(await createCall());
  await second.until(() => second.messages.length >= 3);
  expect(eventsOf(second).map(([, id]) => id)).toEqual(ids.slice(1));
});

test("a stream begins with its position, so that a client can come back that has got no event yet", async () => {
  const first = await follow();
  await first.until(() => first.text.includes("\n\n"));
  const [, after] = /^retry: \d+\nid: (\d+)\n\n/.exec(first.text) ?? [];
  first.response.destroy();
  const id = await createCall();
  const second = await follow({ after: Number(after) });
  await second.until(() => second.messages.length === 1);
  expect(eventsOf(second)).toEqual([["call.created", id]]);
});

test("the stream says that events are lost to a client with an id of another database, and not to one that missed none", async () => {
  const first = await follow();
  await createCall();
  await first.until(() => first.messages.length === 1);
  const beyond = await follow({ after: 99 });
  await beyond.until(() => beyond.text.includes("events.lost"));
  for (const one of [first, beyond]) one.response.destroy();
  await once(first.response, "close");
  await createCall();
  const again = await follow({ after: 1 });
  await again.until(() => again.messages.length === 1);
  expect(again.text).not.toContain("events.lost");
});

test("A3: another account's events are not in it", async () => {
  const otherId = await api.stores.accounts.ensure("second");
  const { key } = await api.stores.apiKeys.create({ accountId: otherId, name: "other", scopes: SCOPES });
  const [ours, theirs] = [await follow(), await follow({ key })];
  const [id, theirId] = [await createCall(), await createCall(key)];
  await ours.until(() => ours.messages.length > 0 && theirs.messages.length > 0);
  await api.clock.play(10 * EVENT_POLL_MS);
  expect([eventsOf(ours), eventsOf(theirs)]).toEqual([[["call.created", id]], [["call.created", theirId]]]);
  expect([ours.text.includes(theirId), theirs.text.includes(id)]).toEqual([false, false]);
});

test.each([
  "is revoked",
  "loses the scope",
  "expires",
])("A1: a stream ends within a second when its API key %s", async (change) => {
  const expiresAtMs = addMs(api.clock.epochMs(), 3_000);
  const { key, record } = await api.stores.apiKeys.create({
    ...{ accountId: api.accountId, name: "x", scopes: ["read"] },
    ...(change === "expires" && { expiresAtMs }),
  });
  const stream = await follow({ key });
  await api.clock.play(3_000 - EVENT_POLL_MS);
  expect(stream.hasEnded).toBe(false);
  // As another process does it, so that this one has still cached the API key.
  if (change === "is revoked") await api.stores.apiKeys.revoke(api.accountId, record.id);
  if (change === "loses the scope") await api.stores.apiKeys.update(api.accountId, record.id, { scopes: ["calls"] });
  expect(await msUntilRevoked(stream)).toBeLessThanOrEqual(1_000);
});

test.each([
  "sign out",
  "are removed",
  "have been signed in for too long",
])("A1: people who are signed in follow the events, until they %s", async (change) => {
  const invited = await api.post({ email: "kim@example.com", name: "Kim", role: "viewer" }, {}, "/api/v1/users");
  const { id, link } = invited.body as { id: string; link: { url: string } };
  const browser = new Browser(api.app);
  await browser.accept(link.url);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const stream = await followWith({ cookie }, SESSION + EVENTS);
  const callId = await createCall();
  await stream.until(() => stream.messages.length === 1);
  expect(eventsOf(stream)).toEqual([["call.created", callId]]);
  expect(stream.hasEnded).toBe(false);
  if (change === "sign out") await browser.request("POST", "sign-out");
  else if (change === "are removed") await api.delete(`/api/v1/users/${id}`);
  else api.clock.stall(SESSION_MS);
  expect(await msUntilRevoked(stream)).toBeLessThanOrEqual(1_000);
});

test("a stream without events gets a comment, and ends when the service stops", async () => {
  const stream = await follow();
  await stream.until(() => stream.text.includes("\n\n"));
  const comments = () => stream.text.split("\n").filter((line) => line.startsWith(":")).length;
  for (let count = 1; count <= 3; count++) {
    for (let ms = 0; ms < EVENT_HEARTBEAT_MS; ms += EVENT_POLL_MS) await api.clock.play(EVENT_POLL_MS);
    while (comments() < count) await settled();
  }
  expect(comments()).toBe(3);
  const ended = once(stream.response, "end");
  await api.app.close();
  await ended;
});

test("an account has only so many streams, and one more when another has ended", async () => {
  const streams: Followed[] = [];
  for (let count = 0; count < EVENT_STREAMS_PER_ACCOUNT_MAX; count++) streams.push(await follow());
  const refused = await api.get(EVENTS);
  expect([refused.status, errorOf(refused).message]).toEqual([
    429,
    "this account has reached its limit of 10 streams of events",
  ]);
  streams[0]?.response.destroy();
  while ((await openStreams()) === EVENT_STREAMS_PER_ACCOUNT_MAX) await settled();
  expect((await api.get(`${EVENTS}?follow=false`)).status).toBe(200);
});

test("1,000 unauthenticated clients open no stream, and keep no account from its own", async () => {
  const stream = await follow();
  for (let batch = 0; batch < 10; batch += 1) {
    const asked = Array.from({ length: 100 }, () => followWith({ "x-api-key": "tl_unknown" }));
    const statuses = (await Promise.all(asked)).map(({ response }) => response.statusCode);
    expect(new Set(statuses)).toEqual(new Set([401]));
  }
  expect(await openStreams()).toBe(1);
  const callId = await createCall();
  await stream.until(() => stream.messages.length > 0);
  expect(eventsOf(stream)).toEqual([["call.created", callId]]);
});

test("a client that disconnects while its stream is being opened has no open stream", async () => {
  const { eventStreams } = api.stores;
  const open = eventStreams.open.bind(eventStreams);
  const steps = new EventEmitter();
  const begun = once(steps, "begun");
  eventStreams.open = async (accountId) => {
    const isGone = once(steps, "gone");
    steps.emit("begun");
    await isGone;
    return await open(accountId);
  };
  const connected = once(api.app.server, "connection");
  const request = get(`${base}${EVENTS}`, { headers: { "x-api-key": api.key } });
  request.on("error", () => {});
  const [socket] = (await connected) as [Socket];
  const closed = once(socket, "close");
  await begun;
  request.destroy();
  await closed;
  steps.emit("gone");
  while ((await endedBy("client")) === 0) await settled();
  expect(await openStreams()).toBe(0);
});

test("a stream that waits for another response of its connection ends with the connection", async () => {
  const { port } = new URL(base);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(head(`GET ${EVENTS}`, { "X-API-Key": api.key }).repeat(2));
  while ((await openStreams()) !== 2) await settled();
  socket.destroy();
  while ((await endedBy("client")) !== 2) await settled();
  expect(await openStreams()).toBe(0);
});

test("a stream stays open while the database does not answer, which is logged once, and then goes on", async () => {
  const stream = await follow();
  api.state.storeIsAway = true;
  // Until then the API key counts without a look-up.
  await api.clock.play(2 * API_KEY_CACHE_MS);
  const { id } = await createStoredCall(api.stores, api.accountId);
  for (let count = 0; count < 20; count++) await api.clock.play(EVENT_POLL_MS);
  expect([stream.hasEnded, stream.messages]).toEqual([false, []]);
  api.state.storeIsAway = false;
  await stream.until(() => stream.messages.length > 0);
  expect(eventsOf(stream)).toEqual([["call.created", id]]);
  expect(api.logged.filter((line) => line.includes("events cannot be read at present"))).toHaveLength(1);
});

test("a client that does not read is disconnected, and goes on after its last event without a gap", async () => {
  const { eventStreams } = api.stores;
  const read = eventStreams.read.bind(eventStreams);
  // Together more than the kernel takes for a client that does not read.
  const padding = "x".repeat(512 * 1024);
  eventStreams.read = async (...given) =>
    (await read(...given)).map((event) => ({ ...event, data: { ...(event.data as object), padding } }));
  const slow = await follow();
  slow.response.pause();
  const ids: string[] = [];
  for (let count = 0; count < 40; count++) ids.push(await createCall());
  while ((await endedBy("slow")) === 0) await api.clock.play(EVENT_POLL_MS);
  slow.response.resume();
  while (!slow.hasEnded) await settled();
  const got = slow.messages.length;
  expect(got).toBeGreaterThan(0);
  expect(got).toBeLessThan(40);
  const again = await follow({ after: slow.messages.at(-1)?.id ?? 0 });
  while (again.messages.length < 40 - got) await settled();
  expect([...eventsOf(slow), ...eventsOf(again)].map(([, id]) => id)).toEqual(ids);
});

test("how long a client follows the events is not a duration of a request", async () => {
  await api.get(`${EVENTS}?follow=false`);
  const valuesOf = async (name: string) => (await api.metrics.registry.getSingleMetric(name)?.get())?.values ?? [];
  const requests = await valuesOf("trunkline_api_requests_total");
  expect(requests.filter(({ labels }) => labels.route === EVENTS).map(({ value }) => value)).toEqual([1]);
  const durations = await valuesOf("trunkline_api_request_duration_seconds");
  expect(durations.filter(({ labels }) => labels.route === EVENTS)).toEqual([]);
});

test("a comment comes before a quiet connection would be closed", () => {
  expect(EVENT_HEARTBEAT_MS + EVENT_POLL_MS).toBeLessThan(STALL_MS_MAX);
});

test.each(["x", "-1", "1.5", "1".repeat(16)])("Last-Event-ID %j is 400", async (id) => {
  expect((await api.get(EVENTS, { "last-event-id": id })).status).toBe(400);
});

test("events are read from the store no faster than the client reads, which is disconnected when it does not read", async () => {
  const clock = new ManualClock();
  const ends: string[] = [];
  let reads = 0;
  const stream = new EventStream({
    accountId: api.accountId,
    position: { last: 0, lostThrough: 0 },
    after: undefined,
    follows: true,
    onActivityMissed: undefined,
    events: {
      read: async (accountId, after, limit) => {
        reads += 1;
        return Array.from({ length: limit }, (_, index) => ({
          ...{ id: "event_1" as never, accountId, type: "call.created" as const, createdAtMs: clock.epochMs() },
          data: { text: "x".repeat(1_000) },
          sequence: after + index + 1,
        }));
      },
    },
    documents: { ...api.stores, prices: undefined },
    clock,
    onEnd: (reason) => ends.push(reason),
  });
  await stream.advance();
  const readAtFirst = reads;
  expect(readAtFirst).toBeLessThan(4);
  for (let count = 0; count < 20; count++) await stream.advance();
  expect([reads, stream.body.readableLength < 200_000]).toEqual([readAtFirst, true]);
  clock.advance(EVENT_UNREAD_MS_MAX - 1);
  stream.tick();
  expect(ends).toEqual([]);
  clock.advance(1);
  stream.tick();
  expect([ends, stream.body.destroyed]).toEqual([["slow"], true]);
});
