import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readArguments, UsageError, wholeNumber } from "../../src/cli/command.ts";
import { builtProgram } from "../support/services/build.ts";
import { runProgram } from "../support/services/run-program.ts";

const command = (name: string, ...args: string[]) => runProgram([builtProgram(`cli/${name}`), ...args]);

const START = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));
const COMMANDS = ["api-keys", "admin", "call", "demo", "replay"];

describe.each(COMMANDS)("npm run %s", (name) => {
  test.each(["--help", "-h"])("%s prints the purpose and the usage, and exits with 0", async (help) => {
    const answer = await command(name, help);
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toMatch(new RegExp(`^  npm run (--silent )?${name}( |$)`, "m"));
    expect(answer.stdout).toMatch(/exit code/i);
  });

  test("names an unknown option, shows an example, and exits with 2", async () => {
    const answer = await command(name, "--nonsense");
    expect(answer).toMatchObject({ code: 2, stdout: "" });
    expect(answer.stderr).toMatch(/^--nonsense is not known\n\nFor example: npm run /);
  });
});

describe("npm start", () => {
  const start = (...args: string[]) => runProgram([START, ...args]);

  test.each(["--help", "-h"])("%s prints the usage and starts no service", async (help) => {
    const answer = await start(help);
    expect(answer).toMatchObject({ code: 0, stderr: "" });
    expect(answer.stdout).toMatch(/^ {2}npm start$/m);
    expect(answer.stdout).toMatch(/exit code/i);
    expect(answer.stdout).toContain("docs/configuration.md");
  });

  test.each(["--port=8090", "8090"])("refuses %s and starts no service", async (argument) => {
    const answer = await start(argument);
    expect(answer).toMatchObject({ code: 2, stdout: "" });
    expect(answer.stderr).toContain("\n\nFor example: npm start\n");
  });
});

test.each([
  {
    name: "admin",
    args: [],
    problem:
      "a command is missing: it must be roll or jobs or prune or clean-bucket or export or import or backup or restore or recover or media-key or owner-link or rotate-token-key or rotate-secrets-key or forget-secrets",
  },
  {
    name: "admin",
    args: ["rol"],
    problem:
      '"rol" is not a command: it must be roll or jobs or prune or clean-bucket or export or import or backup or restore or recover or media-key or owner-link or rotate-token-key or rotate-secrets-key or forget-secrets',
  },
  { name: "admin", args: ["roll", "--data-dir", ""], problem: "--data-dir must not be empty" },
  { name: "replay", args: [], problem: "the journal is missing: its path, data/journals/<call id>.tlj" },
  { name: "replay", args: ["a", "b"], problem: 'only one journal can be replayed: "b" is one too many' },
  { name: "demo", args: ["loud"], problem: '"loud" belongs to no option' },
])("npm run $name -- $args names the missing or superfluous argument", async ({ name, args, problem }) => {
  const answer = await command(name, ...args);
  expect(answer.code).toBe(2);
  expect(answer.stderr.split("\n")[0]).toBe(problem);
});

describe("a command line", () => {
  const OPTIONS = { name: { type: "string" }, seed: { type: "string" }, json: { type: "boolean" } } as const;
  const problemsOf = (args: readonly string[], allowPositionals = false): string[] => {
    try {
      readArguments(args, OPTIONS, { allowPositionals });
    } catch (error) {
      if (error instanceof UsageError) return error.message.split("\n");
      throw error;
    }
    return [];
  };

  test("is read into options, and positional arguments where they are allowed", () => {
    const { values, positionals } = readArguments(["list", "--name", "a", "--seed=-1", "--json"], OPTIONS, {
      allowPositionals: true,
    });
    expect({ ...values }).toEqual({ name: "a", seed: "-1", json: true });
    expect(positionals).toEqual(["list"]);
  });

  test("is refused with all problems", () => {
    expect(problemsOf(["--nmae=x", "--json=yes", "--seed"])).toEqual([
      "--nmae is not known: did you mean --name?",
      "--json takes no value",
      "--seed needs a value",
    ]);
    expect(problemsOf(["--seed", "-1"])).toEqual([
      '--seed needs a value; one that begins with "-" is written --seed=-1',
    ]);
    expect(problemsOf(["--name", "--json"])[0]).toContain("--name needs a value");
    expect(problemsOf(["list"])).toEqual(['"list" belongs to no option']);
    expect(problemsOf(["list"], true)).toEqual([]);
  });

  test("has whole numbers within bounds", () => {
    expect(wholeNumber("seed", "4711")).toBe(4_711);
    expect(() => wholeNumber("seed", "1e3")).toThrow('--seed must be a whole number, not "1e3"');
    expect(() => wholeNumber("calls", "0", 1)).toThrow('--calls must be a whole number, 1 or more, not "0"');
    expect(() => wholeNumber("calls", "9", 1, 8)).toThrow('--calls must be a whole number from 1 to 8, not "9"');
  });
});
