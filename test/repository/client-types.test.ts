import { expect, test } from "vitest";
import { openapiDocument } from "../support/api/requests.ts";
import { CLIENT_TYPES, typesOf } from "../support/openapi/client-types.ts";

// `npm run client:types` runs this file, and writes the types instead of comparing them.

const { json } = await openapiDocument();

test("the types of the TypeScript client are as the generator makes them: after a change run `npm run client:types`", async () => {
  await expect(typesOf(json)).toMatchFileSnapshot(CLIENT_TYPES);
});

test("a new field of the document changes the generated types; servers and paths outside the base path do not", () => {
  const types = typesOf(json);
  expect(types).toContain('"/calls/{id}/recording"');
  expect(types).not.toContain('"/healthz"');
  expect(typesOf({ ...json, servers: [{ url: "https://api.example.com/api/v1" }] })).toBe(types);
  const changed = structuredClone(json) as { components: { schemas: { NewCallInput: { properties: object } } } };
  Object.assign(changed.components.schemas.NewCallInput.properties, { mood: { type: "string", description: "New." } });
  expect(typesOf(changed)).toContain("mood?: string;");
});
