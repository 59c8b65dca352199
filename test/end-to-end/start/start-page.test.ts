import { beforeAll, expect, test } from "vitest";
import { Service } from "../../support/services/service.ts";

const PAGE = "http://localhost:5173";

let service: Service;
beforeAll(async () => {
  service = await Service.start({ env: { STT: "reference", TTS: "espeak", MODEL_A: "reference", CORS_ORIGINS: PAGE } });
});

test("the start page leads to the metrics of this service, and to its reference", async () => {
  const page = (await service.fetch("GET", "/")).bytes.toString();
  const [, metricsUrl = ""] = /href="(http:\/\/127\.0\.0\.1:\d+\/metrics)"/.exec(page) ?? [];
  expect(await (await fetch(metricsUrl)).text()).toContain("trunkline_ready 1");
  expect((await service.fetch("GET", "/docs")).status).toBe(200);
});

test("/readyz notes that the reference STT does not understand people, and that the reference LLM answers by rules", async () => {
  const { body } = await service.fetch<{ status: string; notes: string[] }>("GET", "/readyz");
  expect(body.status).toBe("ready");
  expect(body.notes.slice(0, 2)).toEqual([
    expect.stringMatching(/^STT names reference, a test instrument/),
    expect.stringMatching(/^MODEL_A, MODEL_B, MODEL_C name the reference LLM/),
  ]);
});

test("a page of an origin in CORS_ORIGINS may read the responses of the API, another one may not", async () => {
  const allowed = async (origin: string) =>
    (await fetch(`${service.apiUrl}/api/v1/voices`, { headers: { origin } })).headers.get(
      "access-control-allow-origin",
    );
  expect([await allowed(PAGE), await allowed("http://localhost:1")]).toEqual([PAGE, null]);
});
