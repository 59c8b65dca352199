import { afterEach, describe, expect, test } from "vitest";
import { STREAM_CODECS, STREAM_RATES_HZ } from "../../src/core/call-spec.ts";
import { hashSecret } from "../../src/store/secrets.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, LEAST, pathsOf } from "./harness.ts";

const AGENT = { name: "Desk", basePrompt: "You book tables.", voiceId: "fake/en-us", languageId: "en-US" };
const WITHOUT_OPUS = STREAM_CODECS.filter((codec) => codec !== "opus");

interface Created {
  id: string;
  websocketUrl: string;
}

let api: ApiUnderTest;
afterEach(() => api.close());

/** The two ways to create the same call, each with the answer to a body's fields beside what every call needs. */
async function waysToCall(): Promise<((fields: object) => Promise<Answer>)[]> {
  const agent = (await api.post(AGENT, {}, "/api/v1/agents")).body as { id: string };
  return [
    (fields) => api.post({ ...LEAST, ...fields }),
    (fields) => api.post(fields, {}, `/api/v1/agents/${agent.id}/calls`),
  ];
}

/** What the gateway is handed of the audio's format. */
async function formatOf(answer: Answer): Promise<unknown> {
  expect(answer.status, answer.text).toBe(201);
  const token = (answer.body as Created).websocketUrl.split("/").at(-1) ?? "";
  return (await api.stores.calls.redeem(hashSecret(token), "worker-1"))?.spec.websocket;
}

const stream = (websocket?: unknown) => ({
  connectionType: "websocket",
  ...(websocket !== undefined && { websocket }),
});

describe("the format of a websocket call", () => {
  test("M9: is every codec with every pair of rates, but for G.711 beside another rate than 8000", async () => {
    api = await apiUnderTest();
    for (const codec of STREAM_CODECS) {
      for (const inputRateHz of STREAM_RATES_HZ) {
        for (const outputRateHz of STREAM_RATES_HZ) {
          const answer = await api.post({
            ...LEAST,
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
  ])("of %s is filled in, from an agent too", async (_what, websocket, format) => {
    api = await apiUnderTest();
    for (const call of await waysToCall()) expect(await formatOf(await call(stream(websocket)))).toEqual(format);
  });

  test("is shown by the names it was asked for with, and null for a carrier's call", async () => {
    api = await apiUnderTest();
    const asked = stream({ inputSampleRate: 24_000 });
    for (const [fields, websocket] of [
      [asked, { codec: "pcm_s16le", inputSampleRate: 24_000, outputSampleRate: 16_000 }],
      [{ connectionType: "carrier_b", websocket: { codec: "opus" } }, null],
    ] as const) {
      const { id } = (await api.post({ ...LEAST, ...fields })).body as Created;
      const { body } = await api.get(`/api/v1/calls/${id}`);
      expect(body).toMatchObject({ connectionType: fields.connectionType, configuration: { websocket } });
    }
    const { data } = (await api.get("/api/v1/calls?connectionType=websocket")).body as { data: object[] };
    expect(data).toMatchObject([{ configuration: { websocket: { inputSampleRate: 24_000 } } }]);
  });
});

describe("where Opus cannot be had", () => {
  test("it is 400, which names the codecs there are, and no call is created", async () => {
    api = await apiUnderTest(undefined, { streamCodecs: WITHOUT_OPUS });
    for (const call of await waysToCall()) {
      const answer = await call(stream({ codec: "opus", inputSampleRate: 48_000 }));
      expect([answer.status, errorOf(answer).code, errorOf(answer).details]).toEqual([
        400,
        "invalid_request",
        [
          {
            path: "/websocket/codec",
            message: 'websocket.codec must be one of pcm_s16le, mulaw, alaw, not "opus"',
          },
        ],
      ]);
    }
    api.clock.advance(600_000);
    expect(await api.stores.calls.expire()).toEqual([]);
  });

  test("that is told with all else that is wrong", async () => {
    api = await apiUnderTest(undefined, { streamCodecs: WITHOUT_OPUS });
    for (const call of await waysToCall()) {
      const answer = await call({ ...stream({ codec: "opus", inputSampleRate: 7_999, channels: 2 }), metadata: [] });
      expect(pathsOf(answer)).toEqual([
        "/metadata",
        "/websocket/channels",
        "/websocket/codec",
        "/websocket/inputSampleRate",
      ]);
    }
    expect(pathsOf(await api.post({ ...LEAST, voice: "Zelda", ...stream({ codec: "opus" }) }))).toEqual([
      "/voice",
      "/websocket/codec",
    ]);
  });

  test("it is not advised to whoever asks for a codec that nobody has", async () => {
    api = await apiUnderTest(undefined, { streamCodecs: WITHOUT_OPUS });
    expect(errorOf(await api.post({ ...LEAST, ...stream({ codec: "PCMU" }) })).message).toBe(
      'websocket.codec must be one of pcm_s16le, mulaw, alaw, not "PCMU"',
    );
  });

  test("all other calls are made as ever", async () => {
    api = await apiUnderTest(undefined, { streamCodecs: WITHOUT_OPUS });
    for (const codec of WITHOUT_OPUS) expect((await api.post({ ...LEAST, ...stream({ codec }) })).status).toBe(201);
    expect((await api.post({ ...LEAST, ...stream() })).status).toBe(201);
    // Beside another transport nobody looks at it.
    expect((await api.post({ ...LEAST, websocket: { codec: "opus" } })).status).toBe(201);
  });

  test("GET /readyz says so, and why; elsewhere it has nothing to note", async () => {
    api = await apiUnderTest(undefined, { streamCodecs: WITHOUT_OPUS });
    const without = await api.get("/readyz");
    await api.close();
    api = await apiUnderTest();
    const whole = await api.get("/readyz");
    expect([without.status, whole.status]).toEqual([200, 200]);
    expect(without.body).toEqual({
      status: "ready",
      codecs: ["pcm_s16le", "mulaw", "alaw"],
      notes: ["codec opus is not offered: the optional package @discordjs/opus cannot be loaded"],
    });
    expect(whole.body).toEqual({ status: "ready", codecs: ["pcm_s16le", "mulaw", "alaw", "opus"], notes: [] });
  });

  test("GET /readyz says first what the configured providers lack", async () => {
    const providerNotes = ["no STT is configured", "the LLM answers by rule"];
    api = await apiUnderTest(undefined, { streamCodecs: WITHOUT_OPUS, providerNotes });
    const { notes } = (await api.get("/readyz")).body as { notes: string[] };
    expect(notes).toEqual([...providerNotes, expect.stringContaining("codec opus")]);
  });
});
