import type { InjectOptions } from "fastify";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { Llm } from "../../src/speech/contracts.ts";
import { readExposition, sampleOf } from "../support/metrics/exposition.ts";
import { unknownLabels } from "../support/metrics/known-labels.ts";
import { OPCODE, RawWs } from "../support/network/raw-ws.ts";
import { ScriptedStt } from "../support/providers/scripted-stt.ts";
import { MINIMAL_CALL, type WholeService, wholeService } from "../support/services/whole-service.ts";
import { allBytes } from "../support/temporary-directory.ts";

/** Stands in everything that must not come to light. */
const CANARY = "canary7f3a";
/** Stands in fields that are wrong: an answer may show it to the one who sent it, and nothing else may. */
const WRONG = "wrong9c2e";
const CALLS = 8;
/** Keys that are pressed and nothing else: as text of their own they stand nowhere by chance. */
const KEYS = ["*", "#", "D"];

let service: WholeService;
afterEach(() => service.close());

/** An LLM that answers with the canary, and every third time fails with an error that quotes it. */
function indiscreetModel(): Llm {
  let asked = 0;
  return {
    provider: "scripted",
    async *reply() {
      asked += 1;
      if (asked % 3 === 0) throw new Error(`401 for key ${CANARY}: prompt ${CANARY}`);
      yield { kind: "text", text: `The ${CANARY} says hello.` };
      yield { kind: "end", inputTokens: 1, outputTokens: 4 };
    },
  };
}

const start = async (): Promise<void> => {
  const stt = new ScriptedStt(systemClock, [
    { atMs: 100, event: { kind: "interim", text: CANARY } },
    { atMs: 150, event: { kind: "final", text: `${CANARY} please` } },
  ]);
  service = await wholeService({ stt, llm: indiscreetModel() });
};

interface Answered {
  status: number;
  text: string;
  websocketUrl?: string;
}

async function ask(options: InjectOptions): Promise<Answered> {
  const { statusCode, body } = await service.api.inject({
    ...options,
    headers: { "x-api-key": service.key, ...options.headers },
  });
  const websocketUrl = /"websocketUrl":"([^"]+)"/.exec(body)?.[1];
  return { status: statusCode, text: body, ...(websocketUrl !== undefined && { websocketUrl }) };
}

/** The canary wherever a client may put what is only its own, in `round` this way and that. */
function requests(round: number): InjectOptions[] {
  const words = { systemPrompt: `Keep the ${CANARY}.`, greeting: `Hello ${CANARY}`, metadata: { order: CANARY } };
  // Made, then repeated, then asked for otherwise under the same name.
  const name = `${CANARY}-${round % CALLS}`;
  const call = {
    ...MINIMAL_CALL,
    ...words,
    recordingEnabled: round % 2 === 0,
    transcriptEnabled: round % 4 < 2,
    temperature: round < 2 * CALLS ? 0 : 1,
  };
  const layers = { name: CANARY, basePrompt: CANARY, context: CANARY, customInstructions: CANARY };
  const agent = { ...layers, voiceId: MINIMAL_CALL.voice, languageId: MINIMAL_CALL.language };
  const post = (url: string, payload: object | string, headers: Record<string, string> = {}): InjectOptions => ({
    method: "POST",
    url: `/api/v1${url}`,
    headers: { "content-type": "application/json", ...headers },
    payload,
  });
  const get = (url: string, headers: Record<string, string> = {}): InjectOptions => ({ method: "GET", url, headers });
  return [
    post("/calls", call, { "idempotency-key": name }),
    post("/calls", { ...call, maxDuration: 1 }),
    post("/calls", { ...call, connectionType: "webrtc" }),
    post("/calls", { ...call, systemPrompt: [CANARY], greeting: { say: CANARY } }),
    post("/calls", `{"systemPrompt":"${CANARY}`),
    post("/calls", JSON.stringify(call), { "content-type": `text/${CANARY}` }),
    post("/calls", call, { "x-api-key": `${CANARY}-wrong` }),
    post("/agents", agent),
    post("/agents", { ...agent, callSettings: { greeting: CANARY, temperature: 9 } }),
    post(`/agents/${CANARY}/calls`, { metadata: { order: CANARY } }),
    post(`/calls/${CANARY}/end`, {}),
    post("/api-keys", { name: CANARY }),
    post(`/api-keys/${CANARY}/rotate`, {}),
    get(`/api/v1/audit-events?targetId=${CANARY}&actorId=${CANARY}`),
    { method: "DELETE", url: `/api/v1/calls/${CANARY}` },
    get(`/api/v1/calls/${CANARY}?key=${CANARY}`, { authorization: CANARY, "user-agent": CANARY }),
    get(`/api/v1/calls?cursor=${WRONG}&${WRONG}=1`),
    post("/calls", { ...call, voice: WRONG, model: WRONG, metadata: WRONG, [WRONG]: 1, websocket: { [WRONG]: 1 } }),
    get(`/api/v1/calls?metadata[order]=${CANARY}`, { cookie: CANARY, "x-forwarded-for": CANARY }),
    get(`/api/v1/voices?language=${CANARY}`),
    get(`/stream/${CANARY}?token=${CANARY}`),
    get(`/${CANARY}/%0a${CANARY}`),
    { method: "OPTIONS", url: `/${CANARY}`, headers: { origin: CANARY } },
  ];
}

/** Holds a call that says the canary in every message there is; returns when it is over. */
async function hold(websocketUrl: string, round: number): Promise<void> {
  const streamSid = `MZ${CANARY}`;
  const ws = await RawWs.connect(websocketUrl);
  const { pathname } = new URL(websocketUrl);
  const answer = await ws.upgrade(`${pathname}?key=${CANARY}`, { "User-Agent": CANARY, Origin: CANARY });
  expect(answer?.status).toBe(101);
  const send = (message: object): void => ws.sendText(JSON.stringify(message));
  send({ event: "mark", streamSid, mark: { name: CANARY } });
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 };
  // The carrier's id of the call is logged, so that an operator finds the call at the carrier.
  const ids = { accountSid: CANARY, callSid: "CA7f3a", streamSid, customParameters: { name: CANARY } };
  send({ event: "start", streamSid, start: { ...ids, tracks: ["inbound"], mediaFormat } });
  for (const digit of [...KEYS, CANARY, "#"])
    send({ event: "dtmf", streamSid, dtmf: { track: "inbound_track", digit } });
  send({ event: CANARY, streamSid, [CANARY]: CANARY });
  send({ event: "media", streamSid: `${streamSid}-other`, media: { payload: CANARY } });
  send({ event: "media", streamSid, media: { timestamp: CANARY, payload: `!${CANARY}` } });
  ws.sendText(`{"event":"${CANARY}`);
  // Long enough for the words to be answered, or for the LLM to have failed. A line that carries nothing confirms nothing.
  const silence = Buffer.alloc(160, 0xff).toString("base64");
  for (let frame = 0; frame < 50; frame += 1) {
    send({ event: "media", streamSid, media: { track: "inbound", timestamp: String(20 * frame), payload: silence } });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (round % 4 === 0) ws.sendText(JSON.stringify({ event: "stop", streamSid, stop: ids }));
  else if (round % 4 === 1) ws.sendFrame({ opcode: OPCODE.binary, payload: CANARY });
  else if (round % 4 === 2)
    ws.sendFrame({ opcode: OPCODE.close, payload: Buffer.concat([Buffer.from([3, 232]), Buffer.from(CANARY)]) });
  else ws.reset();
  while (!ws.ended && round % 4 !== 3) await new Promise((resolve) => setTimeout(resolve, 10));
  ws.destroy();
}

/** Requests of unauthenticated clients, all of which are refused. */
async function refusedRequests(): Promise<void> {
  for (const path of [`/stream/${CANARY}`, `/stream/${CANARY.padEnd(64, "x")}`, `/${CANARY}`]) {
    const ws = await RawWs.connect(service.url);
    await ws.upgrade(path, { "Sec-WebSocket-Protocol": CANARY });
    ws.destroy();
  }
}

async function everythingAtOnce(): Promise<{ answers: Answered[]; urls: string[] }> {
  const answers: Answered[] = [];
  for (let round = 0; round < 3 * CALLS; round += 1) {
    for (const request of requests(round)) answers.push(await ask(request));
  }
  const urls = [...new Set(answers.flatMap(({ websocketUrl }) => websocketUrl ?? []))];
  await Promise.all([...urls.map(hold), refusedRequests()]);
  while (service.gateway.callIds().length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  await service.finalizer.idle();
  return { answers, urls };
}

test("L1, L3: API keys, tokens, prompts, words, digits and ids reach no log, error or metric, and API keys and tokens no disk", async () => {
  await start();
  const { answers, urls } = await everythingAtOnce();
  const tokens = urls.map((url) => url.slice(-64));
  expect([answers.length, tokens.length]).toEqual([3 * CALLS * 23, CALLS]);
  const made = answers.flatMap(({ text }) => /"key":"(tlk_[^"]+)"/.exec(text)?.[1] ?? []);
  expect(made).toHaveLength(3 * CALLS);
  const logged = service.logged.join("");
  for (const line of ["call ended", "call record stored", "request completed", "stage failed without a fallback"]) {
    expect(logged).toContain(line);
  }
  const exposition = await service.exposition();
  const errors = answers.filter(({ status }) => status >= 400).map(({ text }) => text);
  expect(errors.length).toBeGreaterThan(300);
  const secrets = [service.key, ...made, CANARY, "x-api-key", ...tokens];
  for (const text of [logged, exposition, ...errors]) for (const secret of secrets) expect(text).not.toContain(secret);
  for (const text of [logged, exposition]) expect(text).not.toContain(WRONG);
  for (const key of KEYS) expect(logged).not.toContain(`"${key}"`);
  const disk = allBytes(service.directory);
  for (const secret of [service.key, ...made, `${CANARY}-wrong`, ...tokens]) expect(disk).not.toContain(secret);

  const metrics = readExposition(exposition);
  const { paths } = (await service.api.inject("/api/v1/openapi.json")).json() as { paths: Record<string, object> };
  const routes = Object.keys(paths).map((path) => `/api/v1${path.replace(/\{(\w+)\}/g, ":$1")}`);
  expect(unknownLabels(metrics, [...routes, "/healthz", "/readyz", "/api/v1/openapi.json"])).toEqual([]);
  expect(sampleOf(metrics, "trunkline_calls_started_total", { connection_type: "carrier_a" })).toBe(tokens.length);
  expect(sampleOf(metrics, "trunkline_stage_failures_total", { stage: "llm" })).toBeGreaterThan(0);
});

test("L2: with any text in its fields, every log entry is one line of printable characters", async () => {
  await start();
  const hostile = `\n{"level":60,"msg":"forged"}\r\u001b[31mred\u001b[0m\u2028\u2029\u0085\u0000\u202e`;
  const words = { systemPrompt: hostile, greeting: hostile, metadata: { [hostile]: hostile } };
  const agent = { name: hostile, basePrompt: hostile, voiceId: hostile, languageId: hostile };
  for (const [url, payload] of [
    ["/api/v1/calls", { ...MINIMAL_CALL, ...words }],
    ["/api/v1/calls", { ...MINIMAL_CALL, ...words, voice: hostile, [hostile]: 1 }],
    ["/api/v1/agents", agent],
    ["/api/v1/agents", { ...agent, voiceId: MINIMAL_CALL.voice, languageId: MINIMAL_CALL.language }],
  ] as const) {
    await ask({ method: "POST", url, payload });
  }
  for (const url of [
    `/${encodeURIComponent(hostile)}`,
    `/api/v1/calls/${encodeURIComponent(hostile)}?a=%0d%0a%1b[2J`,
  ]) {
    await ask({ method: "GET", url });
  }
  const { websocketUrl = "" } = await ask({
    method: "POST",
    url: "/api/v1/calls",
    payload: { ...MINIMAL_CALL, ...words },
  });
  const ws = await RawWs.connect(websocketUrl);
  await ws.upgrade(new URL(websocketUrl).pathname);
  ws.sendText(JSON.stringify({ event: hostile, streamSid: hostile }));
  ws.sendText(hostile);
  ws.sendFrame({ opcode: OPCODE.close, payload: Buffer.concat([Buffer.from([3, 232]), Buffer.from(hostile)]) });
  while (!service.logged.some((line) => line.includes("call record stored"))) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  ws.destroy();
  expect(service.logged.length).toBeGreaterThan(10);
  for (const line of service.logged) {
    expect(line).toMatch(/^\{[\x20-\x7e]*\}\n$/);
    expect(JSON.parse(line)).not.toMatchObject({ msg: "forged" });
  }
});

test("L4: when every dependency of the API fails, no response contains a stack, a path, a query or a host", async () => {
  await start();
  const { websocketUrl = "" } = await ask({ method: "POST", url: "/api/v1/calls", payload: MINIMAL_CALL });
  const broken = async (): Promise<never> => {
    throw new Error("SELECT words FROM turns failed at /srv/trunkline/data on db7.internal:5432");
  };
  const { calls, redemptions, agents, eventStreams } = service.stores;
  for (const store of [calls, redemptions, agents, eventStreams]) {
    for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(store)))
      Object.assign(store, { [name]: broken });
  }
  const { paths } = (await service.api.inject("/api/v1/openapi.json")).json() as { paths: Record<string, object> };
  const agent = { name: "a", basePrompt: "b", voiceId: MINIMAL_CALL.voice, languageId: MINIMAL_CALL.language };
  const bodies: Readonly<Record<string, object>> = { "/calls": MINIMAL_CALL, "/agents": agent };
  let failed = 0;
  for (const [path, operations] of Object.entries(paths)) {
    for (const method of Object.keys(operations).filter((name) => /^(get|post|delete|head)$/.test(name))) {
      const { status, text } = await ask({
        method: method as "get" | "post" | "delete" | "head",
        url: `/api/v1${path.replace("{id}", "call_01980000-0000-7000-8000-000000000001")}`,
        ...(method === "post" && { payload: bodies[path] ?? {} }),
      });
      if (status === 500) failed += 1;
      if (status >= 400) expect(text, `${method} ${path}`).not.toMatch(LEAKED);
    }
  }
  expect(failed).toBeGreaterThanOrEqual(9);
  expect(service.logged.filter((line) => line.includes("db7.internal")).length).toBeGreaterThanOrEqual(failed);

  const ws = await RawWs.connect(websocketUrl);
  const answer = await ws.upgrade(new URL(websocketUrl).pathname);
  ws.destroy();
  expect(answer?.status).toBe(503);
  expect(answer?.body).not.toMatch(LEAKED);
});

/** What only the inside of the service knows. */
const LEAKED =
  /select|turns failed|\/srv|\/work|\/tmp|node_modules|\.[jt]s\b|\bat \S+ \(|db7\.internal|:5432|127\.0\.0\.1|localhost/i;
