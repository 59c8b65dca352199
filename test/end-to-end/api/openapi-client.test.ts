import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { readRecording, telephone } from "../../callers/telephone.ts";
import { OpenapiClient } from "../../support/openapi/client.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

/** What of the document's schemas this script uses. */
interface Call {
  id: string;
  status: string;
  endReason: string | null;
  metadata: Record<string, unknown> | null;
  recording: object | null;
}
interface ExampleCall {
  greeting: string;
  voice: string;
  language: string;
  metadata: Record<string, unknown>;
}
interface Created extends Call {
  websocketUrl: string;
}
interface Listed<Item> {
  data: Item[];
  nextCursor: string | null;
}

const WITHIN_MS = 15_000;
/** Less than there are events of a call. */
const PAGE = 5;

let service: Service;
let client: OpenapiClient;
beforeAll(async () => {
  service = await Service.start();
  client = await OpenapiClient.of(`${service.apiUrl}/api/v1/openapi.json`, service.apiKey);
});

/** Everything of a list, page by page. */
async function listed<Item>(
  operationId: string,
  parameters: Record<string, string | Record<string, string>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Listed<Item> = (
      await client.call<Listed<Item>>(operationId, {
        parameters: { ...parameters, limit: PAGE, ...(cursor !== null && { cursor }) },
      })
    ).body;
    items.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === null) return items;
  }
}

function found<Item>(items: readonly Item[], fits: (item: Item) => boolean): Item {
  const item = items.find(fits);
  if (item === undefined) throw new Error("there is none that fits the example");
  return item;
}

/** The fullest example of the document, in a voice and a language that this service has. */
async function exampleCall(): Promise<ExampleCall> {
  const { data: voices } = (await client.call<Listed<{ id: string; language: string }>>("listVoices")).body;
  const { data: languages } = (await client.call<Listed<{ code: string }>>("listLanguages")).body;
  const example = client.bodyExamples("createCall").at(-1) as {
    greeting: string;
    metadata: Record<string, unknown>;
    language: string;
  };
  const { code: language } = found(languages, ({ code }) => code === example.language);
  const { id: voice } = found(voices, (one) => one.language === language);
  // By which the list finds this call, and not one of another try.
  return { ...example, metadata: { ...example.metadata, try: randomUUID() }, voice, language };
}

test("a client written from the OpenAPI document alone places, watches, ends, reads, lists and deletes a call", {
  retry: ifMachineStalled,
}, async () => {
  const example = await exampleCall();
  const created = await client.call<Created>("createCall", { body: example });
  expect(created.status).toBe(201);
  const parameters = { id: created.body.id };
  const get = async (): Promise<Call> => (await client.call<Call>("getCall", { parameters })).body;
  expect(await get()).toMatchObject({ status: "created", metadata: example.metadata });

  const placed = telephone(created.body.websocketUrl, [{ do: "await-hang-up" }]);
  await until("the call to be active", WITHIN_MS, async () => (await get()).status === "active");
  await until("the caller to have heard the greeting", WITHIN_MS, async () => {
    const { data } = (await client.call<Listed<{ kind: string }>>("listCallEvents", { parameters })).body;
    return data.some(({ kind }) => kind === "turn");
  });

  const ending = await client.call<Call>("endCall", { parameters });
  expect([ending.status, ending.body.status]).toEqual([202, "active"]);
  const call = await until("the call's record and recording", WITHIN_MS, async () => {
    const now = await get();
    return now.status === "ended" && now.recording !== null && now;
  });
  expect(call.endReason).toBe("api_hangup");
  const { caller } = await placed;
  expect([caller.finished, caller.heard.map(({ text }) => text)]).toEqual([true, [example.greeting]]);

  const turns = await client.call<Listed<{ role: string; text: string }>>("getTranscript", { parameters });
  expect(turns.body.data.map(({ role, text }) => [role, text])).toEqual([["agent", example.greeting]]);
  const events = await listed<{ kind: string }>("listCallEvents", parameters);
  expect(events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["leg-started", "speak", "playout-started", "turn", "end-requested", "end"]),
  );
  const recording = await client.call("getRecording", { parameters });
  expect(recording.status).toBe(200);
  expect(readRecording(recording.bytes).durationMs).toBeGreaterThan(500);

  const filters = { status: "ended", metadata: { try: String(example.metadata.try) } };
  expect((await listed<Call>("listCalls", filters)).map(({ id }) => id)).toEqual([parameters.id]);

  expect((await client.call("deleteCall", { parameters })).status).toBe(204);
  expect((await client.call("getCall", { parameters })).status).toBe(404);
  expect(await listed<Call>("listCalls", filters)).toEqual([]);
});
