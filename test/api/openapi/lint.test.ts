import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { openapiDocument } from "../../support/api/requests.ts";

/** Problems that Redocly's recommended rules find in a document; `pointer` is the place. */
async function problemsOf(json: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintDocument({
    document: makeDocumentFromString(JSON.stringify(json), "/openapi.json"),
    externalRefResolver: new BaseResolver(),
    config,
  });
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}

test("the document satisfies all of Redocly's recommended rules", async () => {
  const { json } = await openapiDocument();
  expect(await problemsOf(json)).toEqual([]);
});

test("the rules are active: an operation without a 4XX and an invalid example are reported", async () => {
  const { json } = await openapiDocument();
  const broken = structuredClone(json) as { paths: Record<string, { get: { responses: object } }> };
  const health = broken.paths["/healthz"];
  if (health === undefined) throw new Error("there is no /healthz");
  health.get.responses = {
    200: {
      description: "x",
      content: { "application/json": { schema: { type: "object", properties: {} }, example: { status: 1 } } },
    },
  };
  expect(await problemsOf(broken)).toEqual([
    expect.stringMatching(/^operation-4xx-response at #\/paths\/~1healthz/),
    expect.stringMatching(/^no-invalid-media-type-examples at #\/paths\/~1healthz/),
  ]);
});
