import { AssertionError } from "node:assert";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { unavailable } from "../core/errors.ts";
import { nearestOf } from "../core/text/edit-distance.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<Given extends Options> = ReturnType<
  typeof parseArgs<{ options: Given; allowPositionals: true; tokens: true }>
>;

/** The exit code of a usage error. */
export const USAGE_EXIT_CODE = 2;
/** An unknown option counts as a mistyped one within this number of differing characters, for short and for longer names. */
const TYPOS_MAX = { short: 1, long: 2 };
const LONG_NAME_CHARS = 6;

/** The problems of a command line, one line each. Nothing has been started. */
export class UsageError extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

export interface Command {
  /** The text of `--help`. */
  help: string;
  /** A valid command line, shown with every UsageError. It may depend on the arguments. */
  example: string | ((args: readonly string[]) => string);
  /** Resolves with the exit code; throws UsageError for a command line that cannot be read. */
  run: (args: readonly string[]) => Promise<number>;
}

/**
 * Runs a command as the main program of this process: `--help` prints its help and exits with 0; a UsageError is printed with the
 * example and exits with 2; any other error exits with 1 and is printed as its message, or with its stack if it is a bug.
 */
export async function runCommand({ help, example, run }: Command, args = process.argv.slice(2)): Promise<void> {
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  if (options.includes("--help") || options.includes("-h")) {
    process.stdout.write(help);
    return;
  }
  try {
    process.exitCode = await run(args);
  } catch (error) {
    const message = isBug(error) ? error.stack : error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError;
    const shown = typeof example === "string" ? example : example(args);
    process.stderr.write(isUsage ? `${message}\n\nFor example: ${shown}\nSee --help\n` : `${message}\n`);
    process.exitCode = isUsage ? USAGE_EXIT_CODE : 1;
  }
}

const isBug = (error: unknown): error is Error =>
  [TypeError, RangeError, ReferenceError, AssertionError].some((kind) => error instanceof kind);

/**
 * Reads a command line. Throws UsageError with all problems together: an unknown option, with the nearest known one; an option
 * without its value; a flag with one; and, unless `allowPositionals`, an argument that belongs to no option.
 */
export function readArguments<const Given extends Options>(
  args: readonly string[],
  options: Given,
  { allowPositionals = false }: { allowPositionals?: boolean } = {},
): Parsed<Given> {
  const config = { args: [...args], options, allowPositionals: true, tokens: true } as const;
  const problems = parseArgs({ ...config, strict: false }).tokens.flatMap((token) => {
    if (token.kind === "positional")
      return allowPositionals ? [] : [`${JSON.stringify(token.value)} belongs to no option`];
    return token.kind === "option" ? optionProblems(token, options) : [];
  });
  if (problems.length > 0) throw new UsageError(problems);
  return parseArgs(config);
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function optionProblems({ name, rawName, value, inlineValue }: OptionToken, options: Options): string[] {
  if (!Object.hasOwn(options, name)) {
    const typosMax = name.length < LONG_NAME_CHARS ? TYPOS_MAX.short : TYPOS_MAX.long;
    const nearest = nearestOf(name, Object.keys(options), typosMax);
    return [`${rawName} is not known${nearest === undefined ? "" : `: did you mean --${nearest}?`}`];
  }
  if (options[name]?.type === "boolean") return value === undefined ? [] : [`${rawName} takes no value`];
  if (value === undefined) return [`${rawName} needs a value`];
  if (inlineValue === true || !/^-./.test(value)) return [];
  return [`${rawName} needs a value; one that begins with "-" is written ${rawName}=${value}`];
}

/** The path in an option's text; undefined when not given. Throws UsageError for an empty one, which would name the working directory. */
export function pathOption(option: string, text: string | undefined): string | undefined {
  if (text?.trim() === "") throw new UsageError([`--${option} must not be empty`]);
  return text;
}

/** A whole number from `min` to `max` in an option's text. Throws UsageError for anything else. */
export function wholeNumber(option: string, text: string, min = 0, max = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? (min === 0 ? "" : `, ${min} or more`) : ` from ${min} to ${max}`;
  throw new UsageError([`--${option} must be a whole number${range}, not ${JSON.stringify(text)}`]);
}

/** The problem of a value that is none of `choices`. `option` has its dashes. */
export const notOneOf = (option: string, choices: readonly (string | number)[], given: string): string =>
  `${option} must be one of ${choices.join(", ")}, not ${JSON.stringify(given)}`;

/** The problem of a first argument that is no command, or is missing. `known` is a list of the commands, in words. */
export const notACommand = (command: string | undefined, known: string): string =>
  `${command === undefined ? "a command is missing" : `${JSON.stringify(command)} is not a command`}: it must be ${known}`;

/** The problem of an argument that `command` does not take. */
export const surplusArgument = (argument: string, command: string | undefined): string =>
  `${JSON.stringify(argument)} is one argument too many after ${command}`;

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** The time in an option's text, such as 12.3s, 1500ms or 2m, in ms. NaN for any other text. */
export function timeMs(text: string): number {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  return digits === undefined ? Number.NaN : Number(digits) * (UNITS_MS[unit] ?? Number.NaN);
}

/** Aborts when this process is asked to stop, with an error that names the signal. */
export function abortOnSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => stop.abort(unavailable(`stopped by ${signal}`)));
  }
  return stop;
}
