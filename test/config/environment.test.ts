import { expect, test } from "vitest";
import {
  readDataDir,
  readLoaderEnvironment,
  readRetentionRules,
  readServiceAccess,
} from "../../src/config/environment.ts";

test("a command reaches the service of this machine, or the one that is named", () => {
  expect(readServiceAccess({})).toEqual({ apiUrl: undefined, apiKey: undefined, localUrl: "http://127.0.0.1:8080" });
  expect(
    readServiceAccess({
      TRUNKLINE_URL: " https://api.example.com ",
      TRUNKLINE_API_KEY: "key",
      API_HOST: "::",
      API_PORT: "9000",
    }),
  ).toEqual({ apiUrl: "https://api.example.com", apiKey: "key", localUrl: "http://127.0.0.1:9000" });
});

test("a child process gets the variables of the dynamic linker and no others", () => {
  expect(readLoaderEnvironment({ LD_LIBRARY_PATH: "/lib", OPENAI_API_KEY: "secret", PATH: "/bin" })).toEqual({
    LD_LIBRARY_PATH: "/lib",
  });
});

test("the data directory is `data` unless it is set", () => {
  expect([readDataDir({}), readDataDir({ DATA_DIR: " " }), readDataDir({ DATA_DIR: " /srv/x " })]).toEqual([
    "data",
    "data",
    "/srv/x",
  ]);
});

test("all problems of the retention rules are reported together", () => {
  expect(readRetentionRules({ RETENTION: '{"recordDays":3}' }).days.record).toBe(3);
  expect(() => readRetentionRules({ RETENTION: '{"recordDays":0,"recordings":1}' })).toThrow(
    /^bad configuration:\n {2}RETENTION must .*\n {2}RETENTION must .*"recordings"$/,
  );
});
