import { afterEach, describe, expect, test } from "vitest";
import { STREAM_CODECS, STREAM_RATES_HZ } from "../../../src/core/calls/spec.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, MINIMAL_CALL } from "../../support/api/harness.ts";
import { redeemedBy } from "../../support/tokens.ts";

const AGENT = { name: "Desk", basePrompt: "You book tables.", voiceId: "fake/en-us", languageId: "en-US" };

interface Created {
  id: string;
  websocketUrl: string;
}

let api: ApiUnderTest;
afterEach(() => api.close());

/** The two ways to create the same call, each with the response to these fields in addition to the required ones. */
async function waysToCall(): Promise<((fields: object) => Promise<Answer>)[]> {
  const agent = (await api.post(AGENT, {}, "/api/v1/agents")).body as { id: string };
  return [
    (fields) => api.post({ ...MINIMAL_CALL, ...fields }),
    (fields) => api.post(fields, {}, `/api/v1/agents/${agent.id}/calls`),
  ];
}

/** The audio format that the gateway receives. */
async function formatOf(answer: Answer): Promise<unknown> {
  expect(answer.status, answer.text).toBe(201);
  const token = (answer.body as Created).websocketUrl.split("/").at(-1) ?? "";
  return (await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1")))?.spec.websocket;
}

const stream = (websocket?: unknown) => ({
  connectionType: "websocket",
  ...(websocket !== undefined && { websocket }),
});

describe("the format of a websocket call", () => {
  test("M9: allows every codec with every pair of rates, but G.711 only with 8000", async () => {
    api = await apiUnderTest();
    for (const codec of STREAM_CODECS) {
      for (const inputRateHz of STREAM_RATES_HZ) {
        for (const outputRateHz of STREAM_RATES_HZ) {
          const answer = await api.post({
            ...MINIMAL_CALL,
            ...stream({ codec, inputSampleRate: inputRateHz, outputSampleRate: outputRateHz }),
          });
          const wrong =
            codec === "mulaw" || codec === "alaw"
              ? Object.entries({ inputSampleRate: inputRateHz, outputSampleRate: outputRateHz }).filter(
                  ([, rateHz]) => rateHz !== 8_000,
                )
              : [];
          if (wrong.length === 0) {
            expect(await formatOf(answer)).toEqual({ codec, inputRateHz, outputRateHz });
            continue;
          }
          expect([answer.status, errorOf(answer).code]).toEqual([400, "invalid_request"]);
          expect(errorOf(answer).details).toEqual(
            wrong.map(([name, rateHz]) => ({
              path: `/websocket/${name}`,
              message: `websocket.${name} must be 8000 with the codecs mulaw and alaw, not ${rateHz}`,
            })),
          );
        }
      }
    }
  });

  test.each([
    ["no object at all", undefined, { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 }],
    ["an empty object", {}, { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 }],
    ["opus alone", { codec: "opus" }, { codec: "opus", inputRateHz: 16_000, outputRateHz: 16_000 }],
    ["mulaw alone", { codec: "mulaw" }, { codec: "mulaw", inputRateHz: 8_000, outputRateHz: 8_000 }],
    [
      "alaw and one rate",
      { codec: "alaw", outputSampleRate: 8_000 },
      { codec: "alaw", inputRateHz: 8_000, outputRateHz: 8_000 },
    ],
    ["one rate", { outputSampleRate: 48_000 }, { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 48_000 }],
  ])("of %s is filled in, also for a call from an agent", async (_what, websocket, format) => {
    api = await apiUnderTest();
    for (const call of await waysToCall()) expect(await formatOf(await call(stream(websocket)))).toEqual(format);
  });

  test("is shown with the names of the request, and is null for a carrier's call", async () => {
    api = await apiUnderTest();
    const asked = stream({ inputSampleRate: 24_000 });
    for (const [fields, websocket] of [
      [asked, { codec: "pcm_s16le", inputSampleRate: 24_000, outputSampleRate: 16_000 }],
      [{ connectionType: "carrier_b", websocket: { codec: "opus" } }, null],
    ] as const) {
      const { id } = (await api.post({ ...MINIMAL_CALL, ...fields })).body as Created;
      const { body } = await api.get(`/api/v1/calls/${id}`);
      expect(body).toMatchObject({ connectionType: fields.connectionType, configuration: { websocket } });
    }
    const { data } = (await api.get("/api/v1/calls?connectionType=websocket")).body as { data: object[] };
    expect(data).toMatchObject([{ configuration: { websocket: { inputSampleRate: 24_000 } } }]);
  });
});

describe("every codec is always available", () => {
  test("a call is created in each", async () => {
    api = await apiUnderTest();
    for (const codec of STREAM_CODECS) {
      for (const call of await waysToCall()) expect((await call(stream({ codec }))).status).toBe(201);
    }
  });

  test("GET /readyz names them", async () => {
    api = await apiUnderTest();
    expect((await api.get("/readyz")).body).toMatchObject({
      status: "ready",
      codecs: ["pcm_s16le", "mulaw", "alaw", "opus"],
    });
  });

  test("GET /readyz says what the configured providers lack", async () => {
    const providerNotes = ["no STT is configured", "the LLM answers by rule"];
    api = await apiUnderTest(undefined, { providerNotes });
    expect((await api.get("/readyz")).body).toMatchObject({ status: "ready", notes: providerNotes });
  });
});
