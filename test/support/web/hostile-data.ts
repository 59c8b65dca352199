import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page, Route } from "playwright-core";
import { expect } from "vitest";
import { monoWav } from "../../../src/media/wav.ts";
import { concatenated } from "../../../src/simulator/callers/utterance.ts";
import { telephone, utterance } from "../../callers/telephone.ts";
import { type Service, until } from "../services/service.ts";
import { adminClientOf } from "./page-calls.ts";

// What a page of the dashboard must show as text, whatever it is, and an account that is full of it.

/** Runs a script, asks another site or changes the page, where a page takes it for markup. */
export const MARKUP =
  `"><img src="https://evil.example/x.png" onerror="window.ran=1"><script>window.ran=2</script>` +
  `<a href="javascript:window.ran=3">link</a><svg onload="window.ran=4"></svg>` +
  "<style>*{display:none}</style><iframe src=https://evil.example></iframe>{{7*7}}$" +
  "{7*7}";
/** Turns the text after it around, where a page does not isolate it; and what is many code points and one character. */
const TURNED = "\u202Egnp.exe\u2066 مرحبا\u2069 👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301\u0301\u0301";
/** Wider than any window. */
export const LONG_WORD = "W".repeat(10_000);

/** Of at most so many code points: markup, turned text, and as much of the long word as is left. */
export const hostileText = (charsMax: number): string =>
  [...`${MARKUP} ${TURNED} ${LONG_WORD}`].slice(0, charsMax).join("");
const HOSTILE_NAME = hostileText(200);

/** The ids of what was made, as addresses have them. */
export type HostileIds = Readonly<Record<"call" | "agent" | "tool" | "corpus" | "transcription" | "webhook", string>>;

/** Makes one of everything, with hostile texts wherever the API takes a text. The service must have `TOOLS_ALLOW_LOOPBACK=true`. */
export async function hostileAccount(service: Service): Promise<HostileIds> {
  const client = await adminClientOf(service);
  const corpus = await client.post("/corpora", { body: { name: HOSTILE_NAME, description: hostileText(2_000) } });
  await client.post("/corpora/{id}/documents", {
    path: { id: corpus.id },
    body: { name: hostileText(255), text: hostileText(20_000), metadata: { [MARKUP.slice(0, 30)]: MARKUP } },
  });
  const tool = await whenChecked(() =>
    client.post("/tools", {
      body: {
        type: "client",
        name: "hostile",
        description: hostileText(1_000),
        parameters: { type: "object", properties: { order: { type: "string", description: MARKUP } } },
      },
    }),
  );
  const agent = await client.post("/agents", {
    body: {
      name: HOSTILE_NAME,
      basePrompt: hostileText(12_000),
      context: hostileText(12_000),
      languageId: "en-US",
      voiceId: "reference/gmw/en-US",
    },
  });
  const webhook = await client.post("/webhooks", {
    body: {
      url: `https://example.com/${encodeURIComponent(MARKUP)}`,
      eventTypes: ["call.ended"],
      description: hostileText(200),
    },
  });
  await client.post("/api-keys", { body: { name: HOSTILE_NAME } });
  await client.post("/publishable-keys", {
    body: { name: hostileText(100), agentIds: [agent.id], origins: ["https://shop.example"] },
  });
  await client.post("/users", { body: { email: "evil@example.com", name: HOSTILE_NAME, role: "viewer" } });
  const [call, transcription] = await Promise.all([hostileCall(service), hostileTranscription(service)]);
  return {
    ...{ call, transcription },
    ...{ agent: agent.id, tool: tool.id, corpus: corpus.id, webhook: webhook.id },
  };
}

/** JSON Schemas are checked in a process of their own, which on a busy machine takes a while to start. */
const whenChecked = <Made>(make: () => Promise<Made>): Promise<Made> =>
  until("the schemas to be checked", 60_000, () =>
    make().catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== "unavailable") throw error;
      return undefined;
    }),
  ) as Promise<Made>;

const QUESTION = "Where is my order A-17?";

/** A call whose prompt, greeting, metadata, parameters and tool answers are hostile. */
async function hostileCall(service: Service): Promise<string> {
  const shop = createServer((_request, response) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify({ [MARKUP]: hostileText(3_000) })),
  );
  await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
  try {
    const definition = {
      ...{ type: "http", name: "order_status", description: `Tells where an order is. ${hostileText(900)}` },
      parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
      http: { method: "GET", url: `http://127.0.0.1:${(shop.address() as AddressInfo).port}/orders/{order}` },
    };
    const { id, websocketUrl } = await service.createCall({
      systemPrompt: `It is ${hostileText(600)}.`,
      greeting: "<b>Hello</b> <script>window.ran=5</script>.",
      metadata: { [MARKUP.slice(0, 60)]: hostileText(3_000) },
      selectedTools: [{ definition }, { toolName: "hang_up" }],
    });
    const question = await utterance(QUESTION);
    const call = telephone(websocketUrl, [
      { do: "listen" },
      { do: "say", utterance: question },
      { do: "await-hang-up" },
    ]);
    let isOver = false;
    void call.finally(() => {
      isOver = true;
    });
    await until("the tool to have run, or the caller to hang up", 25_000, async () => {
      const { body } = await service.api<{ data: { kind: string }[] }>("GET", `/calls/${id}/events?limit=1000`);
      return isOver || body.data.some(({ kind }) => kind === "tool-result");
    });
    await service.api("POST", `/calls/${id}/end`);
    await call;
    await service.withRecording(id);
    return id;
  } finally {
    shop.close();
  }
}

/** A file whose name is hostile; its words come from the test instrument. */
async function hostileTranscription(service: Service): Promise<string> {
  const { frames } = await utterance(QUESTION, { codec: "pcm_s16le", rateHz: 16_000 });
  const samples = concatenated(frames.map((bytes) => new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)));
  const form = new FormData();
  form.append("language", "en");
  form.append("file", new Blob([monoWav(samples, 16_000)]), `${MARKUP.slice(0, 100)}.wav`);
  const response = await fetch(`${service.apiUrl}/api/v1/transcriptions`, {
    method: "POST",
    headers: { "X-API-Key": service.apiKey },
    body: form,
  });
  const text = await response.text();
  expect(response.status, text).toBe(202);
  return (JSON.parse(text) as { id: string }).id;
}

/** Members of the API's answers that are texts of others, or of a version to come. */
const TEXTS: readonly string[] = [
  ...["text", "name", "description", "message", "prompt", "systemPrompt", "basePrompt", "context", "greeting"],
  ...["from", "to", "carrierCallId", "fileName", "url", "email", "question", "content", "title", "detail", "error"],
  ...["provider", "model", "requestId", "answer", "arguments", "result", "body", "response", "request", "summary"],
];
/** Members whose members are of others, whatever they are called. */
const MAPS: readonly string[] = ["metadata", "details"];

/**
 * Has the API answer this tab with hostile texts also where the service takes none, or where no test can bring it to: in what carriers
 * send, and in what providers answer. Real carriers and records of other versions may.
 */
export const answerHostilely = (tab: Page): Promise<unknown> =>
  tab.route("**/dashboard/session/api/v1/**", async (route: Route) => {
    const url = route.request().url();
    // The stream of events does not end.
    if (/\/events\?activity|\/events$/.test(url) || route.request().method() !== "GET") return route.fallback();
    const response = await route.fetch().catch(() => undefined);
    if (response === undefined) return route.abort();
    if (response.headers()["content-type"]?.startsWith("application/json") !== true) return route.fulfill({ response });
    const json = (await response.json()) as unknown;
    return route.fulfill({ response, json: hostile(json) });
  });

function hostile(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => hostile(item, name));
  if (typeof value === "string")
    return TEXTS.includes(name) ? `${MARKUP}\u0000${TURNED}${LONG_WORD.slice(0, 3_000)}` : value;
  if (value === null && name === "phone") return HOSTILE_PHONE;
  if (typeof value !== "object" || value === null) return value;
  if (MAPS.includes(name)) return { [MARKUP]: `\u0000${TURNED}${LONG_WORD}`, [LONG_WORD]: MARKUP };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hostile(item, key)]));
}

/** Of a call by telephone, whose carrier sends what it likes. */
const HOSTILE_PHONE = {
  ...{ direction: "inbound", from: `${MARKUP}${TURNED}`, to: LONG_WORD, phoneNumberId: null, carrierId: null },
  headers: { [MARKUP]: LONG_WORD },
};

/** The addresses of the dashboard's pages below its root, as `PAGES` has them: `calls/:id`. */
export function pagePaths(): string[] {
  const source = readFileSync(new URL("../../../web/dashboard/app/pages.ts", import.meta.url), "utf8");
  return [...source.matchAll(/\bpath: "([^"]+)"/g)].map(([, path]) => path as string);
}
