import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { readArguments, runCommand as runCommandLine, UsageError } from "../../src/cli/command.ts";
import { inProject } from "./project.ts";

// What all commands of the bench have in common: they read their command line, run with a line of progress now and then, and
// leave a table on the terminal, and JSON and a page in a folder.

/** The values of a command line as they stand there, by their names; flags are "" when they are set. */
export type Given = Readonly<Record<string, string | undefined>>;

export interface Command<Options, Result> {
  /** Of the files: `{name}.json` and `{name}.html`. */
  name: string;
  usage: string;
  /** The options there are besides `--out`, with their defaults; undefined where there is none. */
  defaults: Given;
  /** Those of them that stand for themselves. */
  flags?: readonly string[];
  /** Undefined when they make no sense. */
  read(given: Given): Options | undefined;
  run(options: Options, write: (line: string) => void, out: URL): Promise<Result>;
  text(result: Result): string;
  /** `out` is where it goes. */
  page(result: Result, out: URL): string;
  /** Why the result shows nothing; then its figures are not printed. */
  problems?(result: Result): readonly string[];
  /** Where a good run is a failure all the same. */
  failed?(result: Result): boolean;
}

/** Runs a command as the process that it is: prints, writes and sets the exit code; 2 stands for a senseless command line. */
export async function runCommand<Options, Result>(command: Command<Options, Result>): Promise<void> {
  const { usage } = command;
  await runCommandLine({ help: usage, example: firstExample(usage), run: (args) => run(command, args) });
}

/** The first command line that a usage text has, without what may be left out. */
export const firstExample = (usage: string): string => /npm run [\w:-]+/.exec(usage)?.[0] ?? "";

async function run<Options, Result>(command: Command<Options, Result>, args: readonly string[]): Promise<number> {
  const given = readCommandLine(command, args);
  const options = command.read(given);
  if (options === undefined) {
    throw new UsageError([`an argument is missing, or beyond what it may be\n\n${command.usage.trimEnd()}`]);
  }
  const out = given.out === undefined ? inProject("bench/results/") : pathToFileURL(`${given.out}/`);
  try {
    mkdirSync(out, { recursive: true });
    const result = await command.run(options, (line) => console.log(line), out);
    const problems = command.problems?.(result) ?? [];
    writeFileSync(new URL(`${command.name}.json`, out), `${JSON.stringify(result, null, 2)}\n`);
    writeFileSync(new URL(`${command.name}.html`, out), command.page(result, out));
    for (const problem of problems) console.error(`this run shows nothing: ${problem}`);
    if (problems.length === 0) console.log(`\n${command.text(result)}\n`);
    console.log(`written: ${new URL(`${command.name}.json`, out).pathname}, ${command.name}.html`);
    return problems.length > 0 || command.failed?.(result) === true ? 1 : 0;
  } catch (error) {
    console.error(`this run failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

function readCommandLine(
  { defaults, flags = [] }: Pick<Command<unknown, unknown>, "defaults" | "flags">,
  args: readonly string[],
): Given {
  const names = ["out", ...Object.keys(defaults)];
  const { values } = readArguments(
    args,
    Object.fromEntries([
      ...names.map((name) => [name, { type: "string" as const }]),
      ...flags.map((name) => [name, { type: "boolean" as const }]),
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
