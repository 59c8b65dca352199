import { expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { readWorkerEnvironment } from "../../src/config/environment.ts";

const SHARED = {
  DATABASE_URL: "postgres://trunkline:password@db.example:5432/trunkline",
  SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
  BUCKET_URL: "https://s3.example/calls",
  BUCKET_ACCESS_KEY_ID: "id",
  BUCKET_SECRET_ACCESS_KEY: "key",
};
const read = (env: Readonly<Record<string, string>>) => readConfig(env, { checksFiles: false }).cluster;

test("a service without a name is alone on its database", () => {
  expect(read({})).toBeUndefined();
  expect(read(SHARED)).toBeUndefined();
  expect(read({ ...SHARED, NODE_NAME: " " })).toBeUndefined();
});

test("a node has a name, and addresses of its own where clients, or the other nodes, reach it alone", () => {
  expect(read({ ...SHARED, NODE_NAME: "node-1.west_2" })).toEqual({
    name: "node-1.west_2",
    mediaUrl: undefined,
    relayUrl: undefined,
  });
  expect(read({ ...SHARED, NODE_NAME: "a", NODE_MEDIA_URL: "wss://a.example:8443//" })).toEqual({
    name: "a",
    mediaUrl: "wss://a.example:8443",
    relayUrl: undefined,
  });
  expect(read({ ...SHARED, NODE_NAME: "a", NODE_RELAY_URL: "ws://10.0.0.5:8081/" })).toEqual({
    name: "a",
    mediaUrl: undefined,
    relayUrl: "ws://10.0.0.5:8081",
  });
});

test("all that a node needs is asked for at once, without showing a secret", () => {
  const problemsOf = (env: Readonly<Record<string, string>>): string => {
    try {
      read(env);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return "";
  };
  expect(problemsOf({ NODE_NAME: "-a b" })).toMatch(
    /NODE_NAME must have at most 63 letters[\s\S]*together with DATABASE_URL[\s\S]*together with SECRETS_KEY[\s\S]*together with BUCKET_URL/,
  );
  expect(problemsOf({ ...SHARED, NODE_NAME: "a".repeat(64) })).toContain("NODE_NAME must have");
  for (const name of ["NODE_MEDIA_URL", "NODE_RELAY_URL"])
    expect(problemsOf({ [name]: "wss://a.example" })).toContain(`${name} must be set together with NODE_NAME`);
  const { BUCKET_URL: _, BUCKET_ACCESS_KEY_ID: __, BUCKET_SECRET_ACCESS_KEY: ___, ...withoutBucket } = SHARED;
  expect(problemsOf({ ...withoutBucket, NODE_NAME: "a" })).toContain("NODE_NAME must be set together with BUCKET_URL");
  const wrong = problemsOf({ ...SHARED, NODE_NAME: "a", NODE_MEDIA_URL: "https://user:secret@a.example" });
  expect(wrong).toContain("NODE_MEDIA_URL must be a ws:// or wss:// address");
  expect(wrong).not.toContain("secret");
});

test("workers are no nodes, and drain none: they have neither the name nor what must stand beside it, nor the operator's token", () => {
  const { DATABASE_URL, SECRETS_KEY } = SHARED;
  const env = readWorkerEnvironment({
    DATABASE_URL,
    SECRETS_KEY,
    NODE_NAME: "a",
    NODE_MEDIA_URL: "wss://a.example",
    NODE_RELAY_URL: "ws://a",
    OPERATOR_TOKEN: "k3".repeat(16),
    PATH: "/bin",
  });
  expect(Object.keys(env).sort()).toEqual(["DATABASE_URL", "PATH"]);
});
