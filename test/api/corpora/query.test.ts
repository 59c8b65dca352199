import { describe, expect, onTestFinished, test } from "vitest";
import { LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX } from "../../../src/core/limits/control-api/api.ts";
import {
  CORPUS_QUERIES_PER_ACCOUNT_MAX,
  PASSAGES_MAX,
  QUESTION_CHARS_MAX,
} from "../../../src/core/limits/knowledge/retrieval.ts";
import { apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";

async function scene() {
  const api = await apiUnderTest();
  onTestFinished(() => api.close());
  const corpus = await api.stores.corpora.create(api.accountId, {
    name: "Products",
    description: "",
    languageId: "de",
    mode: "search",
    metadata: {},
  });
  const path = `/api/v1/corpora/${corpus?.id}/query`;
  return { api, corpus, path };
}

describe("POST /corpora/{id}/query", () => {
  test("gives the passages of the corpus", async () => {
    const { api, corpus, path } = await scene();
    const answer = await api.post({ text: "Wie lange ist die Garantie?" }, {}, path);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      corpusId: corpus?.id,
      passages: [{ documentName: "catalogue.pdf", headings: ["Tyres"], page: null, score: 1.5 }],
      tookMs: 1,
    });
  });

  test("reports all problems of a question together", async () => {
    const { api, path } = await scene();
    const body = {
      text: "x".repeat(QUESTION_CHARS_MAX + 1),
      passagesMax: PASSAGES_MAX + 1,
      languageId: "no tag",
      nonsense: 1,
    };
    const answer = await api.post(body, {}, path);
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual(["/languageId", "/nonsense", "/passagesMax", "/text"]);
    expect((await api.post({ text: " " }, {}, path)).status).toBe(400);
  });

  test("an account has a limit of questions at once", async () => {
    const { api, path } = await scene();
    const waiting = CORPUS_QUERIES_PER_ACCOUNT_MAX + LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX;
    for (let count = 0; count < waiting; count += 1) api.corpusQueries.begin(api.accountId, () => {}).catch(() => {});
    const refused = await api.post({ text: "x" }, {}, path);
    expect([refused.status, errorOf(refused)]).toMatchObject([
      429,
      {
        code: "rate_limited",
        message: "this account has reached its limit of 8 concurrent questions to corpora",
      },
    ]);
  });

  test("a corpus of another account is not found", async () => {
    const { api } = await scene();
    const answer = await api.post({ text: "x" }, {}, "/api/v1/corpora/cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10/query");
    expect([answer.status, errorOf(answer).code]).toEqual([404, "not_found"]);
  });
});
