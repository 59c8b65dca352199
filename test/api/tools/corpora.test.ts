import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { knowledgeOf } from "../../../src/core/calls/spec.ts";
import type { CorpusId } from "../../../src/core/ids.ts";
import type { CallKnowledge } from "../../../src/core/knowledge/call-knowledge.ts";
import { WHOLE_CORPORA_TOKENS_MAX } from "../../../src/core/limits/knowledge/call-knowledge.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { ScriptedCorpora } from "../../support/knowledge/corpora.ts";
import { redeemedBy } from "../../support/tokens.ts";

let api: ApiUnderTest;
let corpora: ScriptedCorpora;
beforeEach(async () => {
  corpora = new ScriptedCorpora();
  api = await apiUnderTest(undefined, { corpusLookup: corpora });
});
afterEach(() => api.close());

const UNKNOWN = "cor_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e99";
const AGENT = { name: "Shop", basePrompt: "You sell.", languageId: "en-US", voiceId: "fake/en-us" };

const queryCorpus = (parameterOverrides?: object) => ({ toolName: "query_corpus", parameterOverrides });
const create = (parameterOverrides?: object): Promise<Answer> =>
  api.post({ ...MINIMAL_CALL, selectedTools: [queryCorpus(parameterOverrides)] });
const save = (changes: object): Promise<Answer> => api.post({ ...AGENT, ...changes }, {}, "/api/v1/agents");
const call = (agentId: string, body: object = {}): Promise<Answer> =>
  api.post(body, {}, `/api/v1/agents/${agentId}/calls`);
const idOf = ({ body }: Answer): string => (body as { id: string }).id;

/** What the call of a response answers from, as the worker receives it. */
async function knowledgeFor(answer: Answer): Promise<CallKnowledge | undefined> {
  expect(answer.status, answer.text).toBe(201);
  const token = (answer.body as { websocketUrl: string }).websocketUrl.slice(-64);
  const redeemed = await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1"));
  return redeemed && knowledgeOf(redeemed.spec);
}

describe("query_corpus of a call", () => {
  test("reaches the worker with the corpora's names, and a fence of its own", async () => {
    const id = corpora.add(api.accountId, { name: "Bakery" });
    const [one, other] = [
      await knowledgeFor(await create({ corpusIds: [id] })),
      await knowledgeFor(await create({ corpusIds: [id] })),
    ];
    expect(one).toEqual({
      retrieval: "tool",
      corpora: [{ id, name: "Bakery", description: "About Bakery." }],
      passagesMax: 5,
      fence: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(other?.fence).not.toBe(one?.fence);
    const settings = { corpusIds: [id], retrieval: "always", passagesMax: 20, allowEffects: true };
    expect(await knowledgeFor(await create(settings))).toMatchObject({
      retrieval: "always",
      passagesMax: 20,
      allowsEffects: true,
    });
  });

  test("is shown as it was selected, without the fence", async () => {
    const id = corpora.add(api.accountId);
    const settings = { corpusIds: [id], retrieval: "always" };
    const answer = await api.get(`/api/v1/calls/${idOf(await create(settings))}`);
    expect(answer.body).toMatchObject({
      configuration: { selectedTools: [{ toolName: "query_corpus", parameterOverrides: settings }] },
    });
    expect(answer.text).not.toContain("fence");
  });

  test("an unknown corpus and one of another account are refused with the same words", async () => {
    const foreign = corpora.add(await api.stores.accounts.ensure("second"));
    const own = corpora.add(api.accountId);
    const answer = await create({ corpusIds: [own, foreign, UNKNOWN] });
    const at = "/selectedTools/0/parameterOverrides/corpusIds";
    expect([answer.status, pathsOf(answer)]).toEqual([400, [`${at}/1`, `${at}/2`]]);
    const [first = "", second = ""] = errorOf(answer).details.map(({ message }) => message);
    const asOne = (message: string, id: string): string =>
      message.replace(id, "ID").replace(/corpusIds\.\d/, "corpusIds");
    expect(asOne(first, foreign)).toBe(asOne(second, UNKNOWN));
    expect(second).toContain("must be the id of a corpus of this account");
  });

  test.each([
    ["no settings", undefined, "/selectedTools/0/parameterOverrides/corpusIds"],
    ["no ids", {}, "/selectedTools/0/parameterOverrides/corpusIds"],
    ["an empty list", { corpusIds: [] }, "/selectedTools/0/parameterOverrides/corpusIds"],
    ["an id twice", { corpusIds: [UNKNOWN, UNKNOWN] }, "/selectedTools/0/parameterOverrides/corpusIds"],
    ["another type", { corpusIds: UNKNOWN }, "/selectedTools/0/parameterOverrides/corpusIds"],
    [
      "33 ids",
      { corpusIds: Array.from({ length: 33 }, (_, n) => `cor_${n}`) },
      "/selectedTools/0/parameterOverrides/corpusIds",
    ],
    ["an unknown field", { corpusId: UNKNOWN }, "/selectedTools/0/parameterOverrides/corpusId"],
    ["another retrieval", { retrieval: "never" }, "/selectedTools/0/parameterOverrides/retrieval"],
    ["0 passages", { passagesMax: 0 }, "/selectedTools/0/parameterOverrides/passagesMax"],
    ["21 passages", { passagesMax: 21 }, "/selectedTools/0/parameterOverrides/passagesMax"],
    ["a number for allowEffects", { allowEffects: 1 }, "/selectedTools/0/parameterOverrides/allowEffects"],
  ])("%s is 400 by its path", async (_, overrides, path) => {
    const answer = await create(overrides);
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toContain(path);
  });
});

describe("corpora of the mode full", () => {
  const full = (documents: readonly (readonly string[])[]): CorpusId =>
    corpora.add(api.accountId, { name: "Hours", mode: "full", documents });

  test("are read whole when the call is created, and are not asked", async () => {
    const id = full([["We open at six.", "We close at eight."], ["A loaf costs two euros."]]);
    expect(await knowledgeFor(await create({ corpusIds: [id] }))).toMatchObject({
      corpora: [],
      whole: [
        { documentName: "Document 0", headings: ["Bread"], page: 1, text: "We open at six." },
        { documentName: "Document 0", headings: ["Bread"], page: 2, text: "We close at eight." },
        { documentName: "Document 1", headings: ["Bread"], page: 1, text: "A loaf costs two euros." },
      ],
    });
  });

  test("with more than a prompt takes are 400, with the figures and what to do", async () => {
    const long = Array.from({ length: 250 }, () => "one word after another ".repeat(20));
    const answer = await create({ corpusIds: [full([long])] });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/selectedTools/0/parameterOverrides/corpusIds"]]);
    expect(answer.text).toContain(`at most ${WHOLE_CORPORA_TOKENS_MAX} estimated tokens`);
    expect(answer.text).toMatch(/they have 8\d{3} already; set its mode to search/);
  });

  test("are read once for a call of an agent, however often they are checked", async () => {
    const id = full([["We open at six."]]);
    const agentId = idOf(await save({ corpusIds: [id], allowedOverrides: ["selectedTools"] }));
    const overrides = { selectedTools: [queryCorpus({ corpusIds: [id] })] };
    const before = corpora.reads;
    expect((await knowledgeFor(await call(agentId, { overrides })))?.whole).toHaveLength(1);
    expect(corpora.reads - before).toBe(1);
  });

  test("beside others: those are asked", async () => {
    const search = corpora.add(api.accountId);
    const knowledge = await knowledgeFor(await create({ corpusIds: [full([["We open at six."]]), search] }));
    expect(knowledge?.corpora.map(({ id }) => id)).toEqual([search]);
    expect(knowledge?.whole).toHaveLength(1);
  });
});

describe("corpusIds of an agent", () => {
  test("are what query_corpus of its calls answers from, with those that this names", async () => {
    const [one, other] = [corpora.add(api.accountId), corpora.add(api.accountId)];
    const agentId = idOf(await save({ corpusIds: [one] }));
    expect(await knowledgeFor(await call(agentId))).toMatchObject({ retrieval: "tool", corpora: [{ id: one }] });
    const always = { corpusIds: [other, one], retrieval: "always" };
    const both = idOf(await save({ corpusIds: [one], callSettings: { selectedTools: [queryCorpus(always)] } }));
    const knowledge = await knowledgeFor(await call(both));
    expect([knowledge?.retrieval, knowledge?.corpora.map(({ id }) => id)]).toEqual(["always", [one, other]]);
    const settings = { callSettings: { selectedTools: [queryCorpus({ retrieval: "always" })] } };
    const own = await knowledgeFor(await call(idOf(await save({ corpusIds: [one], ...settings }))));
    expect([own?.retrieval, own?.corpora.map(({ id }) => id)]).toEqual(["always", [one]]);
  });

  test("unknown and foreign ones are 400 when it is saved", async () => {
    const foreign = corpora.add(await api.stores.accounts.ensure("second"));
    const answer = await save({ corpusIds: [foreign, UNKNOWN] });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/corpusIds/0", "/corpusIds/1"]]);
  });

  test("one that was deleted since is a conflict of the call, whatever tools the call overrides", async () => {
    const id = corpora.add(api.accountId);
    const agentId = idOf(await save({ corpusIds: [id], allowedOverrides: ["selectedTools"] }));
    corpora.remove(id);
    for (const body of [{}, { overrides: { selectedTools: [{ toolName: "hang_up" }] } }]) {
      const answer = await call(agentId, body);
      expect([answer.status, errorOf(answer).code]).toEqual([409, "conflict"]);
      expect(errorOf(answer).message).toContain("/corpusIds/0");
    }
  });
});
