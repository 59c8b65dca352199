import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { readTranscriberEnvironment, readWorkerEnvironment } from "../../src/config/environment.ts";

const SECRET = "secret-of-the-bucket";
const SET = {
  BUCKET_URL: "https://s3.example.com/trunkline",
  BUCKET_ACCESS_KEY_ID: "key-id",
  BUCKET_SECRET_ACCESS_KEY: SECRET,
};

const problemsOf = (env: Record<string, string>): string => {
  try {
    readConfig(env, { checksFiles: false });
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("the variables of the bucket", () => {
  test("without BUCKET_URL there is none", () => {
    expect(readConfig({}, { checksFiles: false }).bucket).toBeUndefined();
  });

  test("are read with their defaults", () => {
    expect(readConfig(SET, { checksFiles: false }).bucket).toEqual({
      url: SET.BUCKET_URL,
      region: "us-east-1",
      accessKeyId: "key-id",
      secretAccessKey: SECRET,
      segmentS: 5,
    });
  });

  test.each([
    "http://127.0.0.1:9000/calls",
    "https://calls.s3.eu-central-1.amazonaws.com",
    "https://minio/calls/",
  ])("%s is an address of a bucket", (BUCKET_URL) => {
    expect(problemsOf({ ...SET, BUCKET_URL })).toBe("");
  });

  test.each([
    "s3://trunkline",
    "https://s3.example.com/a/b",
    "https://127.0.0.1:9000",
    "https://example.com",
    `https://key:${SECRET}@s3.example.com/trunkline`,
    "https://s3.example.com/trunkline?region=x",
    "trunkline",
  ])("%s is none, and the problem does not repeat it", (BUCKET_URL) => {
    const problems = problemsOf({ ...SET, BUCKET_URL });
    expect(problems).toContain("BUCKET_URL must be the address of a bucket");
    expect(problems).not.toContain(SECRET);
  });

  test("credentials and BUCKET_URL are set together", () => {
    const { BUCKET_ACCESS_KEY_ID: _, ...withoutId } = SET;
    expect(problemsOf(withoutId)).toContain("BUCKET_ACCESS_KEY_ID must be set together with BUCKET_URL");
    const { BUCKET_URL: __, ...withoutUrl } = SET;
    expect(problemsOf(withoutUrl)).toContain("BUCKET_URL must be set together with BUCKET_ACCESS_KEY_ID and");
    expect(problemsOf(withoutUrl)).not.toContain(SECRET);
  });

  test("no media worker and no transcriber gets them", () => {
    for (const env of [readWorkerEnvironment({ ...SET }), readTranscriberEnvironment({ ...SET })])
      expect(JSON.stringify(env)).not.toMatch(/BUCKET|secret/);
  });
});
