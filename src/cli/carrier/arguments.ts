import { readFileSync } from "node:fs";
import { EMULATED, type EmulatedName } from "../../simulator/emulator/emulator.ts";
import { BEHAVIOURS, type PersonPlan, SCENARIO_DEFAULT, type Scenario } from "../../simulator/emulator/scenario.ts";
import { readScenario } from "../../simulator/emulator/scenario-schema.ts";
import { notACommand, notOneOf, readArguments, surplusArgument, UsageError, wholeNumber } from "../command.ts";

export const CARRIERS_HELP = Object.keys(EMULATED).join(", ");
const PORT_DEFAULT = 8_400;
const PORT_MAX = 65_535;
const SEED_MAX = 0xffff_ffff;
const NUMBER = /^\+[1-9]\d{6,14}$/;

export const CARRIER_HELP = `Emulates a telephone carrier on this machine: its REST API, signed webhooks, media streams, and people who call and are called.

  npm run carrier -- twilio                                    Twilio (carrier_a)
  npm run carrier -- telnyx                                    Telnyx (carrier_b)
  npm run carrier -- plivo --person +12025550143=busy          Plivo (carrier_c); one person's line is busy

  --port <number>             the port of 127.0.0.1; default ${PORT_DEFAULT}, 0 for any free one
  --number <E.164>            a number of the account; may be repeated
  --voice-url <address>       where calls to the numbers are reported, as if set by REST
  --status-url <address>      where their ends are reported; Telnyx sends these to --voice-url
  --person <E.164=behaviour>  what a person does when called; may be repeated: ${BEHAVIOURS.join(", ")}
  --scenario <file.json>      people, webhooks and faults; see docs/emulators.md
  --credentials <file.json>   the account's credentials, by the carrier's own names
  --seed <number>             the ids of calls, streams and events depend on it; another one at each start by default
  --proxy <number>            also an HTTP proxy on this port that leads every tunnel to the emulator, with
  --cert <file>, --key <file> the certificate of the carrier's host and its key, in PEM

It prints the account's credentials, and shows its calls at http://127.0.0.1:<port>/. End it with Ctrl-C.

The exit code is 0 after Ctrl-C, 1 on failure, 2 for a usage error.
`;

const OPTIONS = {
  port: { type: "string" },
  number: { type: "string", multiple: true },
  "voice-url": { type: "string" },
  "status-url": { type: "string" },
  person: { type: "string", multiple: true },
  scenario: { type: "string" },
  credentials: { type: "string" },
  seed: { type: "string" },
  proxy: { type: "string" },
  cert: { type: "string" },
  key: { type: "string" },
} as const;

export interface CarrierPlan {
  readonly carrier: EmulatedName;
  readonly port: number;
  readonly numbers: readonly string[] | undefined;
  readonly webhooks: { readonly voiceUrl: string; readonly statusUrl?: string } | undefined;
  readonly scenario: Scenario;
  readonly credentials: Readonly<Record<string, string>>;
  readonly proxy: { readonly port: number; readonly cert: string; readonly key: string } | undefined;
}

/** Reads the arguments of `npm run carrier`, and the files that they name. Throws UsageError. */
export function planCarrier(args: readonly string[], randomSeed: number): CarrierPlan {
  const { values, positionals } = readArguments(args, OPTIONS, { allowPositionals: true });
  const [name, ...others] = positionals;
  if (!isEmulated(name)) throw new UsageError([notACommand(name, CARRIERS_HELP)]);
  if (others[0] !== undefined) throw new UsageError([surplusArgument(others[0], name)]);
  const problems: string[] = [];
  const people = (values.person ?? []).map((text) => personOf(text, problems));
  for (const number of values.number ?? []) {
    if (!NUMBER.test(number))
      problems.push(`--number must be a number in E.164 such as +12025550187, not ${JSON.stringify(number)}`);
  }
  const { "voice-url": voiceUrl, "status-url": statusUrl } = values;
  for (const [option, url] of Object.entries({ "voice-url": voiceUrl, "status-url": statusUrl })) {
    if (url !== undefined && !/^https?:\/\//.test(url))
      problems.push(`--${option} must be an http:// or https:// address`);
  }
  if (statusUrl !== undefined && voiceUrl === undefined) problems.push("--status-url needs --voice-url");
  if (problems.length > 0) throw new UsageError(problems);
  const seed = values.seed === undefined ? randomSeed : wholeNumber("seed", values.seed, 0, SEED_MAX);
  const scenario =
    readFile("scenario", values.scenario, (text) => readScenario(text, SCENARIO_DEFAULT)) ?? SCENARIO_DEFAULT;
  return {
    carrier: name,
    port: wholeNumber("port", values.port ?? String(PORT_DEFAULT), 0, PORT_MAX),
    numbers: values.number,
    webhooks: voiceUrl === undefined ? undefined : { voiceUrl, ...(statusUrl !== undefined && { statusUrl }) },
    scenario: { ...scenario, seed, people: { ...scenario.people, ...Object.fromEntries(people) } },
    credentials: readFile("credentials", values.credentials, credentialsOf) ?? {},
    proxy: proxyOf(values),
  };
}

const isEmulated = (name: string | undefined): name is EmulatedName =>
  name !== undefined && Object.hasOwn(EMULATED, name);

function personOf(text: string, problems: string[]): [string, Partial<PersonPlan>[]] {
  const [number = "", does = ""] = text.split("=", 2);
  const behaviour = BEHAVIOURS.find((one) => one === does);
  if (!NUMBER.test(number) || behaviour === undefined) {
    const given = behaviour === undefined ? notOneOf("the behaviour of --person", BEHAVIOURS, does) : "";
    problems.push(given === "" ? `--person must begin with a number in E.164, not ${JSON.stringify(number)}` : given);
  }
  return [number, [{ does: behaviour ?? "answer" }]];
}

function proxyOf({ proxy, cert, key }: { proxy?: string; cert?: string; key?: string }): CarrierPlan["proxy"] {
  if (proxy === undefined && cert === undefined && key === undefined) return undefined;
  if (proxy === undefined || cert === undefined || key === undefined) {
    throw new UsageError(["--proxy, --cert and --key need each other"]);
  }
  const whole = (text: string): string => text;
  return {
    port: wholeNumber("proxy", proxy, 0, PORT_MAX),
    cert: readFile("cert", cert, whole) ?? "",
    key: readFile("key", key, whole) ?? "",
  };
}

function credentialsOf(text: string): Record<string, string> {
  const value: unknown = JSON.parse(text);
  const isRecord =
    typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
  if (!isRecord) throw new Error("it must be a JSON object of texts");
  return value as Record<string, string>;
}

function readFile<Value>(option: string, path: string | undefined, read: (text: string) => Value): Value | undefined {
  if (path === undefined) return undefined;
  try {
    return read(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError([`--${option}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}
