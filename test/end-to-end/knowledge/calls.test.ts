import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { Service, until } from "../../support/services/service.ts";

// Calls that answer from a corpus, through the whole service: the index, the worker that asks it, the events and the record.

const DONE_MS_MAX = 60_000;
const QUESTION = "How long are pumps guaranteed?";

interface Turn {
  role: string;
  text: string;
  retrieval?: { tookMs: number; passages: { documentName: string; score: number }[] };
  latency?: { endOfTurnMs: number; retrievalMs?: number };
}

interface Retrieved {
  callId: string;
  question: string | null;
  passages: { documentName: string }[];
}

interface Event {
  kind: string;
  passages?: { documentName: string }[];
  retrieval?: { passages: { documentName: string }[] };
}

async function voiceOf(service: Service): Promise<{ voice: string; language: string }> {
  const { body } = await service.api<{ data: { id: string; language: string }[] }>("GET", "/voices?language=en-US");
  const [voice] = body.data;
  return { voice: voice?.id ?? "none", language: "en-US" };
}

/** A corpus with one document, which is found. */
async function corpusIn(service: Service): Promise<string> {
  const { id } = (await service.api<{ id: string }>("POST", "/corpora", { name: "Pumps" })).body;
  const document = { name: "Guarantee", text: "# Guarantee\n\nPumps are guaranteed for five years." };
  await service.api("POST", `/corpora/${id}/documents`, document);
  await until("the document to be found", DONE_MS_MAX, async () => {
    const { status, body } = await service.api<{ passages: object[] }>("POST", `/corpora/${id}/query`, {
      text: "guarantee",
    });
    return status === 200 && body.passages.length > 0;
  });
  return id;
}

/** A call whose caller types the question; resolves with its id when the agent has answered and the call is over. */
async function askedCall(service: Service, parameterOverrides: object): Promise<string> {
  const { status, body } = await service.api<{ id: string; websocketUrl: string }>("POST", "/calls", {
    systemPrompt: "You answer the telephone of a shop.",
    ...(await voiceOf(service)),
    firstSpeaker: "user",
    connectionType: "websocket",
    selectedTools: [{ toolName: "query_corpus", parameterOverrides }, { toolName: "hang_up" }],
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const peer = new WebSocket(body.websocketUrl);
  const answered = new Promise<void>((resolve) => {
    peer.on("message", (data, isBinary) => {
      const text = isBinary ? "" : String(data);
      if (text.includes('"role":"agent"') && text.includes('"final":true')) resolve();
    });
  });
  await new Promise((resolve) => peer.once("open", resolve));
  peer.send(JSON.stringify({ type: "text", text: QUESTION }));
  await answered;
  peer.close();
  await until("the call to be over", DONE_MS_MAX, async () => {
    const call = await service.api<{ status: string }>("GET", `/calls/${body.id}`);
    return call.body.status === "ended";
  });
  return body.id;
}

test("an agent answers from a corpus for every turn, and by its tool; turns and events name the passages", async () => {
  const service = await Service.start();
  const corpusId = await corpusIn(service);
  const asked: string[] = [];
  for (const retrieval of ["always", "tool"] as const) {
    const id = await askedCall(service, { corpusIds: [corpusId], retrieval });
    asked.push(id);
    const { data: turns } = (await service.api<{ data: Turn[] }>("GET", `/calls/${id}/transcript`)).body;
    expect(turns.map(({ role }) => role)).toEqual(["user", "agent"]);
    expect(turns[1]?.text).toContain("guaranteed for five years");
    expect(turns[1]?.retrieval?.passages[0]).toMatchObject({ documentName: "Guarantee" });
    const { data: events } = (await service.api<{ data: Event[] }>("GET", `/calls/${id}/events?limit=1000`)).body;
    const kind = retrieval === "always" ? "passages-used" : "tool-result";
    const found = events.find((event) => event.kind === kind);
    const passages = found?.passages ?? found?.retrieval?.passages;
    expect(passages?.[0]).toMatchObject({ documentName: "Guarantee" });
    expect(turns[1]?.latency?.retrievalMs !== undefined).toBe(retrieval === "always");
  }
  const { data: retrieved } = (await service.api<{ data: Retrieved[] }>("GET", `/corpora/${corpusId}/retrievals`)).body;
  expect(retrieved.map(({ callId, question }) => [callId, question])).toEqual(
    asked.toReversed().map((id) => [id, QUESTION]),
  );
  expect(retrieved[0]?.passages[0]).toMatchObject({ documentName: "Guarantee" });
  // A corpus that is deleted is an unknown one for the next call.
  await service.api("DELETE", `/corpora/${corpusId}`);
  const { status } = await service.api("POST", "/calls", {
    ...{ systemPrompt: "You sell.", ...(await voiceOf(service)) },
    selectedTools: [{ toolName: "query_corpus", parameterOverrides: { corpusIds: [corpusId] } }],
  });
  expect(status).toBe(400);
  expect(await service.stop()).toBe(0);
}, 300_000);
