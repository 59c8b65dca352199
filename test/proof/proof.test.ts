import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { contractTestFiles } from "./checkout.ts";
import { expectedMediaServer, mediaServerInLog, whyNotServed } from "./node/media-server.ts";
import { LONG, REDUCED } from "./node/node-line.ts";
import { explanation } from "./node/node-lines.ts";
import { npmWarnings } from "./node/npm-output.ts";
import { runParts } from "./parts.ts";
import { PROJECT } from "./processes.ts";
import { Checks } from "./proof.ts";
import { preamble } from "./results.ts";
import { filtersWithoutFile, readVitestReport, reportedFiles } from "./vitest-report.ts";

describe("the command line of npm run proof", () => {
  const proof = (...args: string[]) =>
    spawnSync(process.execPath, ["--import", "tsx", "test/proof/run.ts", ...args], { cwd: PROJECT, encoding: "utf8" });

  test("--help names every area and every option", () => {
    const { status, stdout } = proof("--help");
    expect(status).toBe(0);
    for (const word of ["node", "image", "--reduced", "--results DIR", "PROOF_CACHE"]) expect(stdout).toContain(word);
  });

  test.each([
    [["nodes"], 'there is no area "nodes"; known are: node, image'],
    [["constructor"], 'there is no area "constructor"; known are: node, image'],
    [[], "no area is given; known are: node, image"],
    [["node", "image"], 'one area at a time, not also "image"'],
    [["node", "--fast"], "--fast is not known"],
    [
      ["knowledge", "--only", "calls,pages"],
      'knowledge has no part "pages"; known are: calls, questions, answers, documents, analyses',
    ],
    [["node", "--only", "tests"], 'node has no part "tests"; it has none'],
  ])("%j is refused with what is allowed", (args, reason) => {
    const { status, stderr } = proof(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(reason);
  });
});

describe("what npm prints", () => {
  test("an unsuitable engine, a deprecated package and an error are reported", () => {
    const output = [
      "npm warn EBADENGINE Unsupported engine {",
      "npm WARN deprecated glob@7.0.0: no longer supported",
      "npm error code E404",
      "added 298 packages in 34s",
      "npm notice New version of npm available!",
    ].join("\n");
    expect(npmWarnings(output)).toEqual(output.split("\n").slice(0, 3));
  });

  test("warnings about npm settings of the machine are ignored", () => {
    const output = [
      'npm warn Unknown user config "nodedir". This will stop working in the next major version of npm.',
      'npm warn Unknown env config "nodedir". This will error in a future major version of npm.',
    ].join("\n");
    expect(npmWarnings(output)).toEqual([]);
  });

  test('but those of the project are: npm warn Unknown project config "nodedir"', () => {
    expect(npmWarnings('npm warn Unknown project config "nodedir".')).toHaveLength(1);
  });
});

describe("the expected media server", () => {
  test.each([
    [20, 36, "uws"],
    [22, 36, "uws"],
    [24, 36, "ws"],
    [24, 38, "uws"],
    [26, 37, "ws"],
    [26, 41, "uws"],
    [24, undefined, "ws"],
  ] as const)("Node %i with glibc 2.%s: %s", (node, glibcMinor, server) => {
    const here = process.platform === "linux" && process.arch === "x64";
    expect(expectedMediaServer(node, glibcMinor)).toBe(here ? server : "ws");
  });

  test("is compared with the log line that names it", () => {
    const line = '{"level":"info","mediaServer":"ws","reason":"glibc 2.36","msg":"media server selected"}';
    expect(mediaServerInLog(`{"msg":"starting"}\n${line}\n`)).toBe("ws");
    expect(mediaServerInLog('{"msg":"starting"}')).toBeUndefined();
  });
});

describe("a service that was started and stopped", () => {
  const chosen = '{"mediaServer":"uws","msg":"media server selected"}';
  const ready = '{"msg":"service ready"}';

  test("passes if it was ready, used the expected media server, and exited with 0", () => {
    expect(whyNotServed("uws", { code: 0, output: `${chosen}\n${ready}\n` })).toBe("");
  });

  test.each([
    ["no worker gets ready", { code: 1, output: `${chosen}\n` }, "it was never ready (exit code 1)"],
    ["it hangs until it is asked to stop", { code: 0, output: `${chosen}\n` }, "it was never ready (exit code 0)"],
    [
      "it does not end well",
      { code: 137, output: `${chosen}\n${ready}\n` },
      "asked to stop, it ended with exit code 137",
    ],
    ["another one serves", { code: 0, output: `${chosen.replace("uws", "ws")}\n${ready}\n` }, "it was ws"],
    ["the log does not say what serves", { code: 0, output: `${ready}\n` }, "it was not named"],
  ])("fails if %s", (_what, finished, why) => {
    expect(whyNotServed("uws", finished).split("\n")[0]).toBe(why);
  });
});

describe("counts", () => {
  const report = (testResults: object[]): string => {
    const file = join(temporaryDirectory(), "report.json");
    writeFileSync(file, JSON.stringify({ testResults }));
    return file;
  };
  const tests = (...statuses: string[]) => statuses.map((status) => ({ status }));

  test("are those of the runner's report, for all files or some", () => {
    const file = report([
      {
        name: "/srv/x/test/a.test.ts",
        status: "failed",
        assertionResults: tests("passed", "failed", "skipped", "todo"),
      },
      { name: "/srv/x/test/b.test.ts", status: "passed", assertionResults: tests("passed") },
    ]);
    expect(readVitestReport(file, "/srv/x")).toMatchObject({ passed: 2, failed: 1, skipped: 2 });
    expect(reportedFiles(file, "/srv/x")).toEqual(["test/a.test.ts", "test/b.test.ts"]);
    const some = readVitestReport(file, "/srv/x", (path) => path === "test/b.test.ts");
    expect(some).toEqual({ passed: 1, failed: 0, skipped: 0, failures: [] });
  });

  test("include a file that could not be loaded as failed", () => {
    const file = report([
      { name: "/srv/x/test/a.test.ts", status: "failed", message: "no such module\nat x", assertionResults: [] },
    ]);
    const failures = ["test/a.test.ts > the file: no such module"];
    expect(readVitestReport(file, "/srv/x")).toEqual({ passed: 0, failed: 1, skipped: 0, failures });
  });

  test("a property that failed shows its seed and counterexample", () => {
    const message =
      "Error: Property failed after 2 tests\n{ seed: 7 }\nCounterexample: [1]\nShrunk 0 time(s)\n    at x";
    const assertionResults = [{ status: "failed", fullName: "p", failureMessages: [message] }];
    const file = report([{ name: "/srv/x/test/a.test.ts", status: "failed", assertionResults }]);
    const failures = ["test/a.test.ts > p: Error: Property failed after 2 tests | { seed: 7 } | Counterexample: [1]"];
    expect(readVitestReport(file, "/srv/x")).toMatchObject({ failures });
  });

  test("include a suite without tests as failed, and checks that cannot run as skipped", () => {
    const checks = new Checks(() => undefined);
    checks.suite("an empty suite", { passed: 0, failed: 0, skipped: 3 });
    checks.skipped("a root of another Debian", "only root may make one", 7);
    expect(checks.report()).toEqual({ numPassedTests: 0, numFailedTests: 1, numPendingTests: 7, numTodoTests: 0 });
    expect(checks.summary()).toContain("skipped: a root of another Debian: only root may make one");
  });
});

describe("the parts of an area", () => {
  const ran = async (only: readonly string[]): Promise<[string[], Checks["counts"]]> => {
    const names: string[] = [];
    const checks = new Checks(() => undefined);
    const part = (name: string) => async () => {
      names.push(name);
      if (name === "broken") throw new Error("no server");
      checks.passed(name);
      return name;
    };
    const proof = { reduced: true, seed: 1, only, writesResults: false, cache: "", checks };
    const parts = { first: part("first"), broken: part("broken"), last: part("last") };
    await runParts(proof, { area: "knowledge", title: "Knowledge", parts });
    return [names, checks.counts];
  };

  test("all run, and one that cannot be measured is a failed check", async () => {
    expect(await ran([])).toEqual([["first", "broken", "last"], { passed: 2, failed: 1, skipped: 0 }]);
  });

  test("run by themselves where they are named", async () => {
    expect(await ran(["last"])).toEqual([["last"], { passed: 1, failed: 0, skipped: 0 }]);
  });
});

describe("the results section of an area", () => {
  test("names the command, the commit, and the numbers of passed, failed and skipped checks", () => {
    const checks = new Checks(() => undefined);
    checks.passed("it runs");
    const reduced = preamble({ reduced: true, seed: 1 }, "node", "abc123", checks.counts);
    expect(reduced).toMatch(/^`npm run proof -- node --reduced`, commit abc123, \d{4}-/);
    expect(reduced).toContain("1 tests passed, 0 failed, 0 skipped");
    const full = preamble({ reduced: false, seed: 7 }, "knowledge --only calls", "abc123", checks.counts);
    expect(full).toMatch(/^`npm run proof -- knowledge --only calls --seed 7`,/);
  });

  test("of the Node versions says what the reduced form omits", () => {
    expect(explanation(true)).toContain("reduced form");
    expect(explanation(false)).not.toContain("reduced");
  });
});

describe("the reduced tests", () => {
  const LIST = ["list", "--filesOnly"];

  test("are files that are there", () => {
    const filters = [...contractTestFiles(PROJECT), ...REDUCED, ...LONG];
    const { stdout } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", ...LIST, ...filters], {
      cwd: PROJECT,
      encoding: "utf8",
    });
    expect(filtersWithoutFile(filters, stdout.split("\n"))).toEqual([]);
  });

  test("fail if one of their filters matches no file", () => {
    const paths = ["test/end-to-end/processes/roll.test.ts", "test/media/voice-activity/fvad.test.ts"];
    expect(filtersWithoutFile(["test/media/voice-activity", "test/gateway/tls", "roll"], paths)).toEqual([
      "test/gateway/tls",
    ]);
  });
});

test("the contract suites are found by their imports, so that a new one runs without being listed", () => {
  const files = contractTestFiles(PROJECT);
  expect(files).toContain("test/store/sqlite/contract.test.ts");
  expect(files).toContain("test/carriers/twilio/wire.test.ts");
  expect(files.filter((file) => file.includes("node_modules"))).toEqual([]);
});
