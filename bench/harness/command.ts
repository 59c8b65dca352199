import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { readArguments, runCommand as runCommandLine, UsageError } from "../../src/cli/command.ts";
import { describeMachine } from "./machine.ts";
import { commitHere, inProject } from "./project.ts";
import { tableSection, writeResults } from "./results-file.ts";

// What all benches have in common: they read their command line, run with a line of progress now and then, and print a table.
// JSON and a page go to a folder; with --write the table replaces the bench's section of bench/RESULTS.md.

/** The values of a command line by their names, as texts; flags are "" when they are set. */
export type Given = Readonly<Record<string, string | undefined>>;

export interface Command<Options, Result> {
  /** Of the npm script `bench:{name}`, its section of bench/RESULTS.md and the files `{name}.json` and `{name}.html`. */
  name: string;
  /** The section of bench/RESULTS.md where it depends on the options: a part of a bench has its own. */
  section?(options: Options): string;
  usage: string;
  /** The options besides `--out`, with their defaults; undefined where there is none. */
  defaults: Given;
  /** Options without a value, besides `--write`. */
  flags?: readonly string[];
  /** Undefined when a value is missing or out of range. */
  read(given: Given): Options | undefined;
  run(options: Options, write: (line: string) => void, out: URL): Promise<Result>;
  text(result: Result): string;
  /** What a reader of the table must know: it stands above the table in bench/RESULTS.md. */
  explanation?: string;
  /** `out` is the folder of the page. */
  page(result: Result, out: URL): string;
  /** Why the result proves nothing; then its figures are neither printed nor written to bench/RESULTS.md. */
  problems?(result: Result): readonly string[];
  /** Whether a valid run is a failure. */
  failed?(result: Result): boolean;
}

/** Runs a bench as a process: prints, writes files and sets the exit code, which is 2 for a usage error. */
export async function runCommand<Options, Result>(command: Command<Options, Result>): Promise<void> {
  const { usage } = command;
  await runCommandLine({ help: usage, example: firstExample(usage), run: (args) => run(command, args) });
}

/** The first command of a usage text, without its options. */
export const firstExample = (usage: string): string => /npm run [\w:-]+/.exec(usage)?.[0] ?? "";

async function run<Options, Result>(command: Command<Options, Result>, args: readonly string[]): Promise<number> {
  const given = readCommandLine(command, args);
  const options = command.read(given);
  if (options === undefined) {
    throw new UsageError([`an argument is missing or out of range\n\n${command.usage.trimEnd()}`]);
  }
  const out = given.out === undefined ? inProject("bench/results/") : pathToFileURL(`${given.out}/`);
  try {
    mkdirSync(out, { recursive: true });
    const result = await command.run(options, (line) => console.log(line), out);
    const problems = command.problems?.(result) ?? [];
    writeFileSync(new URL(`${command.name}.json`, out), `${JSON.stringify(result, null, 2)}\n`);
    writeFileSync(new URL(`${command.name}.html`, out), command.page(result, out));
    for (const problem of problems) console.error(`this run proves nothing: ${problem}`);
    if (problems.length === 0) {
      const text = command.text(result);
      console.log(`\n${text}\n`);
      if (given.write !== undefined) writeTable(command, args, text, command.section?.(options));
    }
    console.log(`written: ${new URL(`${command.name}.json`, out).pathname}, ${command.name}.html`);
    return problems.length > 0 || command.failed?.(result) === true ? 1 : 0;
  } catch (error) {
    console.error(`this run failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

/** Replaces a section of bench/RESULTS.md, `bench:{name}` by default, with the table `text`. */
export function writeTable(
  { name, explanation }: Pick<Command<unknown, unknown>, "name" | "explanation">,
  args: readonly string[],
  text: string,
  section = `bench:${name}`,
): void {
  const others = repeatableArguments(args);
  const command = [`npm run bench:${name}`, ...(others.length > 0 ? ["--"] : []), ...others].join(" ");
  const origin = { command, commit: commitHere(), machine: describeMachine() };
  const whole = `bench:${name}`;
  // A part of a bench is explained in the section of the whole one.
  const what = section === whole ? explanation : `What the tables mean says [${whole}](#bench${name}).`;
  writeResults(section, tableSection(origin, what, text));
}

/** Options whose values are folders of the machine that a bench ran on. */
const FOLDER_OPTIONS: readonly string[] = ["--cache", "--out"];

/** The arguments with which another machine gets the same table. */
export const repeatableArguments = (args: readonly string[]): readonly string[] =>
  args.filter((arg, at) => {
    const isFolder = FOLDER_OPTIONS.includes(args[at - 1] ?? "") || FOLDER_OPTIONS.includes(arg.split("=")[0] ?? "");
    return !isFolder && arg !== "--write";
  });

function readCommandLine(
  { defaults, flags = [] }: Pick<Command<unknown, unknown>, "defaults" | "flags">,
  args: readonly string[],
): Given {
  const names = ["out", ...Object.keys(defaults)];
  const { values } = readArguments(
    args,
    Object.fromEntries([
      ...names.map((name) => [name, { type: "string" as const }]),
      ...["write", ...flags].map((name) => [name, { type: "boolean" as const }]),
    ]),
  );
  const set = Object.entries(values).map(([name, value]) => [name, value === true ? "" : value]);
  return { ...defaults, ...Object.fromEntries(set) } as Given;
}

/** A whole number from `min` to `max`; NaN where it is none. */
export function integer(text: string | undefined, min: number, max: number): number {
  const value = text !== undefined && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : Number.NaN;
}

/** `options`, unless one of its numbers, or of the numbers in its lists, is none. */
export function sensible<Options extends object>(options: Options): Options | undefined {
  const values: unknown[] = Object.values(options).flat();
  return values.some(Number.isNaN) ? undefined : options;
}
