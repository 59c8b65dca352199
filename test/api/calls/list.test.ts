import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { epochMs } from "../../../src/core/clocks.ts";
import { asCarrierCallId, type CallId } from "../../../src/core/ids.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { createCarrier, queuedCall } from "../../support/telephony/stored.ts";
import { redeemedBy } from "../../support/tokens.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

interface Page {
  data: { id: string; status: string }[];
  nextCursor: string | null;
}

async function create(changes: object = {}): Promise<{ id: CallId; tokenHash: string }> {
  const { id, websocketUrl } = (await api.post({ ...MINIMAL_CALL, ...changes })).body as {
    id: CallId;
    websocketUrl: string;
  };
  return { id, tokenHash: hashSecret(websocketUrl.split("/").at(-1) ?? "") };
}

const list = (query: string): Promise<Answer> => api.get(`/api/v1/calls?${query}`);

async function idsOf(query: string): Promise<string[]> {
  const answer = await list(query);
  expect([answer.text, answer.status]).toEqual([answer.text, 200]);
  return (answer.body as Page).data.map((call) => call.id);
}

/** An API key of another account. */
async function otherAccountKey(): Promise<string> {
  const accountId = await api.stores.accounts.ensure("second");
  return (await api.stores.apiKeys.create({ accountId, name: "other" })).key;
}

describe("GET /calls", () => {
  test("is empty for an account without calls", async () => {
    expect((await api.get("/api/v1/calls")).body).toEqual({ data: [], nextCursor: null });
  });

  test("shows each call like GET /calls/{id} without its tools and its analysis, newest first, and never its stream's address", async () => {
    const ids = [];
    for (const index of [1, 2, 3]) ids.unshift((await create({ metadata: { index } })).id);
    const answer = await api.get("/api/v1/calls");
    const single = await Promise.all(ids.map(async (id) => (await api.get(`/api/v1/calls/${id}`)).body));
    for (const call of single as {
      analysis?: object;
      configuration: { selectedTools?: object; analysis?: object };
    }[]) {
      delete call.analysis;
      delete call.configuration.selectedTools;
      delete call.configuration.analysis;
    }
    expect(answer.body).toEqual({ data: single, nextCursor: null });
    expect(answer.text).not.toMatch(/websocketUrl|stream\//);
  });

  test("has 20 calls a page by default, and at most 100", async () => {
    for (let index = 0; index < 101; index++) await create();
    expect(await idsOf("")).toHaveLength(20);
    expect(await idsOf("limit=1")).toHaveLength(1);
    expect(await idsOf("limit=100")).toHaveLength(100);
  });

  test("pages without gaps or repeats while calls are created and deleted", async () => {
    const before: string[] = [];
    for (let index = 0; index < 11; index++) before.unshift((await create({ metadata: { mine: true } })).id);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
      // The limit may change between pages.
      const page = (await list(`metadata[mine]=true&limit=${2 + (seen.length % 3)}${query}`)).body as Page;
      seen.push(...page.data.map((call) => call.id));
      cursor = page.nextCursor;
      await create({ metadata: { mine: true } });
      await api.delete(`/api/v1/calls/${seen.at(-1)}`);
    }
    expect(seen).toEqual(before);
  });

  test("F14-4: finds a call by its carrier's id, which its record also shows", async () => {
    const [mine, other] = [await create(), await create()];
    const carrierCallId = asCarrierCallId("../../etc 👋\n'\"%");
    const end = {
      status: "ended",
      endReason: "caller_hangup",
      endedAtMs: epochMs(1),
      durationMs: 1,
      turns: [],
    } as const;
    await api.stores.redemptions.redeem(mine.tokenHash, redeemedBy("worker-1"));
    await api.stores.calls.finish(mine.id, { ...end, carrierCallId });
    expect(await idsOf(`carrierCallId=${encodeURIComponent(carrierCallId)}`)).toEqual([mine.id]);
    expect(await idsOf("carrierCallId=CA0")).toEqual([]);
    expect((await api.get(`/api/v1/calls/${mine.id}`)).body).toMatchObject({ carrierCallId });
    expect((await api.get(`/api/v1/calls/${other.id}`)).body).toMatchObject({ carrierCallId: null });
    for (const refused of ["carrierCallId=", `carrierCallId=${"x".repeat(257)}`, "carrierCallId=a&carrierCallId=b"]) {
      const answer = await list(refused);
      expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([
        400,
        "invalid_request",
        ["/carrierCallId"],
      ]);
    }
  });

  test("filters by state, transport, times and metadata", async () => {
    const early = await create({ metadata: { shop: "north", vip: true, n: 17 } });
    api.clock.advance(1_000);
    const late = await create({ metadata: { shop: "north & south", "a.b": "" } });
    await api.stores.redemptions.redeem(late.tokenHash, redeemedBy("worker-1"));
    for (const [query, expected] of [
      ["status=created", [early.id]],
      ["status=active", [late.id]],
      ["status=failed", []],
      ["connectionType=carrier_a", [late.id, early.id]],
      ["connectionType=webrtc", []],
      ["createdAfter=2026-01-01T00:00:00.001Z", [late.id]],
      ["createdAfter=2026-01-01T00:00:01Z", [late.id]],
      ["createdAfter=2026-01-01T00:00:01.001Z", []],
      ["createdBefore=2026-01-01T00:00:01.000Z", [early.id]],
      ["createdBefore=2026-01-01T01:00:00.001%2B01:00", [early.id]],
      ["createdBefore=2025-12-31T23:00:00-01:00", []],
      ["metadata[shop]=north", [early.id]],
      ["metadata%5Bshop%5D=north%20%26%20south", [late.id]],
      ["metadata[n]=17&metadata[vip]=true&status=created", [early.id]],
      ["metadata[n]=17&metadata[vip]=false", []],
      ["metadata[a.b]=", [late.id]],
      ["metadata[]=x", []],
      ["metadata[constructor]=x", []],
    ] as const) {
      expect([query, await idsOf(query)]).toEqual([query, expected]);
    }
  });

  test("shows a call with an expired token as expired", async () => {
    const { id } = await create();
    api.clock.advance(60_000);
    expect([await idsOf("status=expired"), await idsOf("status=created")]).toEqual([[id], []]);
    expect(((await list("")).body as Page).data).toMatchObject([{ id, status: "expired" }]);
  });

  test.each([
    ["limit=0", "/limit"],
    ["limit=101", "/limit"],
    ["limit=", "/limit"],
    ["limit=ten", "/limit"],
    ["limit=1.5", "/limit"],
    ["limit=1e1", "/limit"],
    ["limit=-1", "/limit"],
    ["limit=%2B1", "/limit"],
    ["limit=999999999999999999999", "/limit"],
    ["limit=1&limit=2", "/limit"],
    ["status=", "/status"],
    ["status=over", "/status"],
    ["status=CREATED", "/status"],
    ["status=created&status=active", "/status"],
    ["connectionType=carrier_z", "/connectionType"],
    ["createdAfter=", "/createdAfter"],
    ["createdAfter=yesterday", "/createdAfter"],
    ["createdAfter=1767225600000", "/createdAfter"],
    ["createdAfter=2026-01-01", "/createdAfter"],
    ["createdAfter=2026-01-01T00:00:00", "/createdAfter"],
    ["createdAfter=2026-02-29T00:00:00Z", "/createdAfter"],
    ["createdAfter=2026-01-01T25:00:00Z", "/createdAfter"],
    ["createdAfter=2026-01-01T00:00:00+01:00", "/createdAfter"],
    ["createdBefore=2026-01-01T00:00:00Z&createdBefore=2026-01-02T00:00:00Z", "/createdBefore"],
    ["cursor=a&cursor=b", "/cursor"],
    ["metadata=x", "/metadata"],
    ["metadata[a]=1&metadata[a]=2", "/metadata/a"],
    [[..."abcdefghi"].map((key) => `metadata[${key}]=1`).join("&"), "/metadata"],
    ["metadata[a][b]=1", "/metadata[a][b]"],
    ["metadata[__proto__]=1", "/metadata[__proto__]"],
    ["metadata.a=1", "/metadata.a"],
    ["header=x", "/header"],
    ["header[a]=1&header[a]=2", "/header/a"],
    [[..."abcde"].map((name) => `header[${name}]=1`).join("&"), "/header"],
    ["header[a][b]=1", "/header[a][b]"],
    ["header[__proto__]=1", "/header[__proto__]"],
    ["headers[a]=1", "/headers[a]"],
    ["Limit=5", "/Limit"],
    ["accountId=account_1", "/accountId"],
    ["__proto__=1", "/__proto__"],
  ])("%s is refused by name", async (query, path) => {
    const answer = await list(query);
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([400, "invalid_request", [path]]);
  });

  test("filters telephone calls by their headers", async () => {
    const carrier = await createCarrier(api.stores, api.accountId);
    const facts = { direction: "inbound", from: "+12025550199", to: "+12025550100" } as const;
    const received = async (headers: Record<string, string>): Promise<string> => {
      const call = queuedCall(api.accountId, carrier.id, api.clock.epochMs(), { facts: { ...facts, headers } });
      const made = await api.stores.phoneCalls.create(call);
      return "call" in made ? made.call.id : made.kind;
    };
    await create({ metadata: { "x-customer": "12" } });
    const first = await received({ "x-customer": "12", "x-shop": "a&b" });
    const second = await received({ "x-customer": "12" });
    for (const [query, expected] of [
      ["header[X-Customer]=12", [second, first]],
      ["header%5Bx-customer%5D=12&header[x-shop]=a%26b&direction=inbound", [first]],
      ["header[x-customer]=1", []],
      ["header[]=12", []],
      ["header[x-customer]=12&metadata[x-customer]=12", []],
    ] as const) {
      expect([query, await idsOf(query)]).toEqual([query, expected]);
    }
  });

  test("a metadata filter without a key is refused with the right form", async () => {
    for (const query of ["metadata=x", "metadata[a]=1&metadata=x"]) {
      expect(errorOf(await list(query)).message).toBe('metadata must be written metadata[key]=value, not "x"');
    }
  });

  test("all problems are reported together", async () => {
    const answer = await list("limit=x&status=y&nonsense=z&metadata[a]=1&metadata[a]=2");
    expect(pathsOf(answer)).toEqual(["/limit", "/metadata/a", "/nonsense", "/status"]);
  });
});

describe("a cursor", () => {
  const nextOf = async (query: string): Promise<string> => ((await list(query)).body as Page).nextCursor ?? "";

  beforeEach(async () => {
    for (let index = 0; index < 3; index++) await create({ metadata: { a: "1", b: "2" } });
  });

  test("is opaque: it shows no id", async () => {
    const cursor = await nextOf("limit=1");
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(cursor).not.toContain("call_");
  });

  test("is refused when modified", async () => {
    const cursor = await nextOf("limit=1");
    const changed = [...cursor].map(
      (char, at) => cursor.slice(0, at) + (char === "A" ? "B" : "A") + cursor.slice(at + 1),
    );
    const texts = [
      ...changed,
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `%20${cursor}`,
      "",
      "x",
      "call_1",
      "%00",
    ];
    for (const text of [...texts, "x".repeat(4_000), encodeURIComponent(`${cursor}é`)]) {
      const answer = await list(`limit=1&cursor=${text}`);
      expect([text, answer.status, pathsOf(answer)]).toEqual([text, 400, ["/cursor"]]);
    }
  });

  test("A3: is refused with other filters, in another list and in another account", async () => {
    const filters = "metadata[a]=1&metadata[b]=2&status=created&createdAfter=2026-01-01T00:00:00Z";
    const cursor = await nextOf(`${filters}&limit=1`);
    for (const other of [
      "limit=1",
      "metadata[a]=1&status=created&createdAfter=2026-01-01T00:00:00Z",
      filters.replace("created&", "active&"),
      filters.replace("metadata[a]=1", "metadata[a]=2"),
      filters.replace("createdAfter", "createdBefore"),
      filters.replace("00:00Z", "00:01Z"),
    ]) {
      const answer = await list(`${other}&cursor=${cursor}`);
      expect([other, answer.status, pathsOf(answer)]).toEqual([other, 400, ["/cursor"]]);
    }
    const theirs = await api.get(`/api/v1/calls?${filters}&cursor=${cursor}`, { "x-api-key": await otherAccountKey() });
    expect([theirs.status, pathsOf(theirs)]).toEqual([400, ["/cursor"]]);
    const agents = await api.get(`/api/v1/agents?cursor=${await nextOf("limit=1")}`);
    expect([agents.status, pathsOf(agents)]).toEqual([400, ["/cursor"]]);
  });

  test("is valid for any order of filters, any notation of a time, and after its call was deleted", async () => {
    const cursor = await nextOf("metadata[a]=1&metadata[b]=2&createdAfter=2026-01-01T00:00:00Z&limit=1");
    const [newest, ...rest] = await idsOf("");
    await api.delete(`/api/v1/calls/${newest}`);
    const same = "createdAfter=2026-01-01T01:00:00.000%2B01:00&metadata[b]=2&metadata[a]=1";
    expect(await idsOf(`${same}&cursor=${cursor}`)).toEqual(rest);
  });
});

test("A3: another account lists none of them with any filter", async () => {
  await create({ metadata: { shop: "north" } });
  const key = await otherAccountKey();
  for (const query of ["", "status=created", "metadata[shop]=north", "createdAfter=2020-01-01T00:00:00Z"]) {
    const answer = await api.get(`/api/v1/calls?${query}`, { "x-api-key": key });
    expect(answer.body).toEqual({ data: [], nextCursor: null });
  }
});
