import { A_LAW_CARRIERS, CARRIER_NAMES, UNORDERED_CARRIERS } from "../../carriers/list.ts";
import {
  CONNECTION_TYPE_DEFAULT,
  STREAM_CODECS,
  STREAM_RATES_HZ,
  type StreamFormat,
  type StreamRateHz,
} from "../../core/calls/spec.ts";
import { MAX_DURATION_S_MAX } from "../../core/limits/calls/calls.ts";
import type { G711Codec } from "../../media/g711.ts";
import { SCENARIO } from "../../simulator/callers/scenario.ts";
import { SIMULATED_WIRES, type SimulatedLine } from "../../simulator/lines.ts";
import { notOneOf, readArguments, timeMs, UsageError } from "../command.ts";
import { AGENT_OPTIONS, agentOf, type PlannedAgent } from "./agent.ts";

/** The defaults of the API. */
const DEFAULT_STREAM_CODEC = "pcm_s16le";
const DEFAULT_STREAM_RATE_HZ = 16_000;
const G711_RATE_HZ = 8_000;

/** The carriers that some options are for. */
const A_LAW_NAMES = A_LAW_CARRIERS.join(", ");
const UNORDERED_NAMES = UNORDERED_CARRIERS.join(", ");

export const CALL_USAGE = `Places one simulated call to a Trunkline service or to another media stream, as a telephone of a simulated carrier or as a
WebSocket client.

  npm run call
  npm run call -- --wire carrier_b --say "What time do you open?"
  npm run call -- --wire websocket --codec opus --rate 48000 --say "What time do you open?"
  npm run call -- --agent agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10 --variable customer="Mrs Miller"

Actions of the caller, in the given order; before each the caller lets the agent finish:
  --say <text>               says it, with the reference TTS
  --play <file.wav>          plays a WAV file of any rate
  --dtmf <digits>            sends DTMF digits: 0-9, *, #, A-D
  --type <text>              websocket: types it
Without any of these the caller asks a service "${SCENARIO.lines[0].text}".
After the last one the caller listens to the reply and hangs up, or:
  --hang-up-after <time>     stays until this time after the stream opened: 20s, 1500ms, 2m

Transport:
  --wire <name>              ${SIMULATED_WIRES.join(", ")}; default ${CONNECTION_TYPE_DEFAULT}
  --parameter <name=value>   carriers: hands it to the call in the carrier's start; may be repeated. The LLM of a created
                             call is given them
  --codec <codec>            ${A_LAW_NAMES}: codec of the caller's audio, mulaw (default) or alaw
                             websocket: codec of both directions, ${STREAM_CODECS.join(", ")}; default ${DEFAULT_STREAM_CODEC}
  --agent-codec <codec>      ${A_LAW_NAMES}: codec of the agent's audio; a running service must be configured for
                             the same
  --rate <Hz>                websocket: rate of the caller's audio, ${STREAM_RATES_HZ.join(", ")}; default ${DEFAULT_STREAM_RATE_HZ}
  --agent-rate <Hz>          websocket: rate of the agent's audio, likewise; with mulaw and alaw both are ${G711_RATE_HZ}
  --shuffle <number>         ${UNORDERED_NAMES}: sends audio and DTMF out of order, in an order that depends on the number
                             websocket: sends the caller's audio in chunks of 1 ms to 1 s

Agent; by default the call is about a bakery:
  --agent <id>               creates the call from this saved agent; id@version names one of its versions
  --version <number>         the version of the agent, or draft; default the live one
  --variable <name=value>    a value of one of the agent's variables; may be repeated

Destination; by default the service on this machine (API_HOST, API_PORT):
  --api <http://...>         a Trunkline service, which creates the call; default TRUNKLINE_URL
  --url <ws://...>           a media stream
  --own-service              starts a service for this call
The API key is read from TRUNKLINE_API_KEY or, for the service of this machine, from the file first-api-key in DATA_DIR; never
from the command line, which other users of the machine can see.

  --language <code>          language of the caller and of a created call; default en-US
  --record <file.wav>        writes what the caller heard
  --json                     prints one JSON document; the conversation goes to standard error. Start it with
                             npm run --silent, so that npm prints nothing

Exit code 0: the call ended normally. 1: it did not. 2: usage error.
`;

export type PlannedStep =
  | { do: "say"; text: string }
  | { do: "play"; path: string }
  | { do: "press"; digits: string }
  | { do: "type"; text: string };

/** The destination of a call. */
export type Destination =
  | { at: "stream"; url: string }
  /** `apiUrl` without `/api/v1`. */
  | { at: "service"; apiUrl: string; apiKey: string }
  /** The service of this machine; without an API key, the one that it wrote at its first start. */
  | { at: "local-service"; apiKey: string | undefined }
  | { at: "own-service" };

export interface CallPlan {
  line: SimulatedLine;
  steps: readonly PlannedStep[];
  destination: Destination;
  /** Undefined: the caller hangs up after the reply to the last step. */
  hangUpAfterMs: number | undefined;
  language: string;
  recordPath: string | undefined;
  json: boolean;
  /** Undefined: the call has a prompt of its own. */
  agent: PlannedAgent | undefined;
}

const OPTIONS = {
  ...AGENT_OPTIONS,
  say: { type: "string", multiple: true },
  play: { type: "string", multiple: true },
  dtmf: { type: "string", multiple: true },
  type: { type: "string", multiple: true },
  "hang-up-after": { type: "string" },
  wire: { type: "string" },
  codec: { type: "string" },
  "agent-codec": { type: "string" },
  rate: { type: "string" },
  "agent-rate": { type: "string" },
  shuffle: { type: "string" },
  parameter: { type: "string", multiple: true },
  url: { type: "string" },
  api: { type: "string" },
  "own-service": { type: "boolean" },
  language: { type: "string" },
  record: { type: "string" },
  json: { type: "boolean" },
} as const;

const HANG_UP_AFTER_MS_MIN = 1_000;
const HANG_UP_AFTER_MS_MAX = MAX_DURATION_S_MAX * 1_000;
const SEED_MAX = 0xffff_ffff;

/**
 * Reads the arguments of `npm run call`. `access` holds the service's address and API key from the environment. Throws UsageError
 * with all problems together.
 */
export function planCall(
  args: readonly string[],
  access: { apiUrl: string | undefined; apiKey: string | undefined },
): CallPlan {
  const { values, tokens } = readArguments(args, OPTIONS);
  const problems: string[] = [];
  const line = lineOf(values, problems);
  const steps = stepsOf(tokens, problems);
  const destination = destinationOf(values, access, problems);
  const asks = steps.length === 0 && values["hang-up-after"] === undefined && destination.at !== "stream";
  const plan: CallPlan = {
    line,
    steps: asks ? [{ do: "say", text: SCENARIO.lines[0].text }] : steps,
    destination,
    hangUpAfterMs: durationOf(values["hang-up-after"], problems),
    language: values.language ?? "en-US",
    recordPath: values.record,
    json: values.json === true,
    agent: agentOf(values, problems),
  };
  if (plan.agent !== undefined && (destination.at === "stream" || destination.at === "own-service")) {
    problems.push("--agent needs a running service: not with --url or --own-service");
  }
  if (problems.length > 0) throw new UsageError(problems);
  return plan;
}

type Read = ReturnType<typeof readArguments<typeof OPTIONS>>;
type Values = Read["values"];

function lineOf(values: Values, problems: string[]): SimulatedLine {
  const { wire = CONNECTION_TYPE_DEFAULT } = values;
  const shuffled = shuffleOf(values.shuffle, problems);
  const given = parametersOf(values.parameter, wire, problems);
  if (wire === "websocket") return { wire, format: streamFormatOf(values, problems), ...shuffled };
  const carrier = CARRIER_NAMES.find((name) => name === wire);
  if (carrier === undefined) problems.push(notOneOf("--wire", SIMULATED_WIRES, wire));
  for (const option of ["rate", "agent-rate", "type"] as const) {
    if (values[option] !== undefined) problems.push(`--${option} is only for websocket, not for ${wire}`);
  }
  const inbound = g711Of("--codec", values.codec, problems);
  const outbound = g711Of("--agent-codec", values["agent-codec"], problems);
  const hasALaw = A_LAW_CARRIERS.some((name) => name === wire);
  if (!hasALaw && (inbound === "alaw" || outbound === "alaw"))
    problems.push(`A-law is only for ${A_LAW_NAMES} among the carriers, not for ${wire}`);
  if (values.shuffle !== undefined && !UNORDERED_CARRIERS.some((name) => name === wire)) {
    problems.push(`--shuffle is only for ${UNORDERED_NAMES} and websocket: ${wire} delivers in order`);
  }
  return {
    wire: carrier ?? CONNECTION_TYPE_DEFAULT,
    ...(hasALaw && { codecs: { inbound, outbound } }),
    ...shuffled,
    ...given,
  };
}

/** The service decides what it takes of them: nothing but the form is checked here. */
function parametersOf(
  given: readonly string[] | undefined,
  wire: string,
  problems: string[],
): { parameters?: Readonly<Record<string, string>> } {
  if (given === undefined) return {};
  if (wire === "websocket") problems.push("--parameter is only for carriers: a raw WebSocket has no start message");
  const parameters = given.map((text): [string, string] => {
    const at = text.indexOf("=");
    if (at < 1) problems.push(`--parameter must be name=value, not ${quoted(text)}`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return { parameters: Object.fromEntries(parameters) };
}

function shuffleOf(text: string | undefined, problems: string[]): { shuffleSeed?: number } {
  if (text === undefined) return {};
  const shuffleSeed = Number(text);
  if (!/^\d+$/.test(text) || shuffleSeed > SEED_MAX) {
    problems.push(`--shuffle must be a whole number from 0 to ${SEED_MAX}, not ${quoted(text)}`);
  }
  return { shuffleSeed };
}

function streamFormatOf(values: Values, problems: string[]): StreamFormat {
  const { codec: name = DEFAULT_STREAM_CODEC, rate, "agent-rate": agentRate, "agent-codec": agentCodec } = values;
  const codec = STREAM_CODECS.find((known) => known === name) ?? DEFAULT_STREAM_CODEC;
  if (codec !== name) problems.push(notOneOf("--codec", STREAM_CODECS, name));
  if (agentCodec !== undefined)
    problems.push(`--agent-codec is only for ${A_LAW_NAMES}: websocket has one codec for both directions`);
  if (codec === "opus" && values.shuffle !== undefined) {
    problems.push("--shuffle is not for the codec opus: its packets cannot be cut");
  }
  const isG711 = codec === "mulaw" || codec === "alaw";
  const fallbackHz = isG711 ? G711_RATE_HZ : DEFAULT_STREAM_RATE_HZ;
  const rateOf = (option: string, text: string | undefined): StreamRateHz => {
    const rateHz = text === undefined ? fallbackHz : STREAM_RATES_HZ.find((known) => String(known) === text);
    if (rateHz === undefined) {
      problems.push(notOneOf(option, STREAM_RATES_HZ, text ?? ""));
    } else if (isG711 && rateHz !== G711_RATE_HZ) {
      problems.push(`${option} must be ${G711_RATE_HZ} with ${codec}, not ${rateHz}`);
    }
    return rateHz ?? fallbackHz;
  };
  return { codec, inputRateHz: rateOf("--rate", rate), outputRateHz: rateOf("--agent-rate", agentRate) };
}

function g711Of(option: string, value: string | undefined, problems: string[]): G711Codec {
  if (value === "alaw" || value === "mulaw" || value === undefined) return value ?? "mulaw";
  problems.push(`${option} must be mulaw or alaw, not ${quoted(value)}`);
  return "mulaw";
}

/** In the order of the command line. */
function stepsOf(tokens: Read["tokens"], problems: string[]): PlannedStep[] {
  return tokens.flatMap((token): PlannedStep[] => {
    if (token.kind !== "option" || token.value === undefined) return [];
    const { name, value } = token;
    if (name === "say") {
      if (value.trim() === "") problems.push("--say must not be empty");
      return [{ do: "say", text: value }];
    }
    if (name === "type") {
      if (value.trim() === "") problems.push("--type must not be empty");
      return [{ do: "type", text: value }];
    }
    if (name === "play") return [{ do: "play", path: value }];
    if (name !== "dtmf") return [];
    if (!/^[0-9*#A-D]+$/.test(value))
      problems.push(`--dtmf must be DTMF digits (0-9, *, #, A-D), not ${quoted(value)}`);
    return [{ do: "press", digits: value }];
  });
}

function destinationOf(
  { url, api, "own-service": isOwn = false }: Values,
  access: { apiUrl: string | undefined; apiKey: string | undefined },
  problems: string[],
): Destination {
  if ([url !== undefined, api !== undefined, isOwn].filter(Boolean).length > 1) {
    problems.push("only one of --url, --api and --own-service can be given");
  }
  if (url !== undefined) {
    if (!isAddress(url, ["ws:", "wss:"])) problems.push("--url must be a ws:// or wss:// address");
    return { at: "stream", url };
  }
  if (isOwn) return { at: "own-service" };
  const apiUrl = api ?? access.apiUrl;
  if (apiUrl === undefined) return { at: "local-service", apiKey: access.apiKey };
  const { apiKey = "" } = access;
  const source = api === undefined ? "TRUNKLINE_URL" : "--api";
  if (!isAddress(apiUrl, ["http:", "https:"])) problems.push(`${source} must be an http:// or https:// address`);
  if (apiKey === "") problems.push(`${source} needs an API key: set TRUNKLINE_API_KEY`);
  return { at: "service", apiUrl: apiUrl.replace(/\/+$/, "").replace(/\/api\/v1$/, ""), apiKey };
}

function durationOf(text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  const durationMs = timeMs(/\d$/.test(text) ? `${text}s` : text);
  if (!(durationMs >= HANG_UP_AFTER_MS_MIN && durationMs <= HANG_UP_AFTER_MS_MAX)) {
    problems.push(`--hang-up-after must be a time from 1s to ${MAX_DURATION_S_MAX / 60}m, not ${quoted(text)}`);
  }
  return durationMs;
}

const isAddress = (text: string, protocols: readonly string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

const quoted = (text: string): string => JSON.stringify(text);
