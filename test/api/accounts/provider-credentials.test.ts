import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";
import { allBytes } from "../../support/temporary-directory.ts";

const CREDENTIALS = "/api/v1/provider-credentials";
const SECRET = "sk-canary-0123456789abcdef";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const post = (body: object): Promise<Answer> => api.post(body, {}, CREDENTIALS);
const listed = async (): Promise<unknown[]> => ((await api.get(CREDENTIALS)).body as { data: unknown[] }).data;

test("L1: a credential is written once and shown nowhere: no answer, log line or file has it", async () => {
  const made = await post({ provider: "openai", apiKey: SECRET });
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^credential_/),
      provider: "openai",
      lastCharacters: "cdef",
      createdAt: expect.any(String),
    },
  ]);
  const refused = [
    await post({ provider: "openai", apiKey: `${SECRET} ` }),
    await post({ provider: "unknown", apiKey: SECRET }),
    await post({ provider: "openai", apiKey: `${SECRET}\u0000` }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
  const audit = await api.get("/api/v1/audit-events");
  const answers = [made, ...refused, await api.get(CREDENTIALS), audit].map(({ text }) => text).join();
  expect(answers).toContain("provider_credential.created");
  for (const text of [answers, api.logged.join(), allBytes(api.directory)]) expect(text.includes(SECRET)).toBe(false);
});

test("a credential of the same provider replaces the earlier one, and each can be deleted once", async () => {
  await post({ provider: "openai", apiKey: SECRET });
  const { id } = (await post({ provider: "openai", apiKey: "sk-second-0123456789" })).body as { id: string };
  expect(await listed()).toEqual([expect.objectContaining({ id, lastCharacters: "6789" })]);
  expect((await api.delete(`${CREDENTIALS}/${id}`)).status).toBe(204);
  expect((await api.delete(`${CREDENTIALS}/${id}`)).status).toBe(404);
  expect(await listed()).toEqual([]);
});

test("a provider without API keys, or that the service does not use, is refused with those that it does", async () => {
  const answer = await post({ provider: "espeak", apiKey: SECRET, nonsense: 1 });
  expect([answer.status, pathsOf(answer)]).toEqual([400, ["/nonsense", "/provider"]]);
  expect(
    errorOf(answer)
      .details.map(({ message }) => message)
      .join(),
  ).toContain('must be a provider of this service that has API keys: deepgram, openai, not "espeak"');
  expect(pathsOf(await post({}))).toEqual(["/apiKey", "/provider"]);
});
