import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { A_LAW_CARRIERS, DTMF_MESSAGE_CARRIERS, UNORDERED_CARRIERS } from "../../../src/carriers/list.ts";
import {
  type CallSpec,
  CONNECTION_TYPE_DEFAULT,
  STREAM_RATES_HZ,
  type StreamFormat,
  type ToolSpec,
} from "../../../src/core/calls/spec.ts";
import { SIMULATED_WIRES, type SimulatedLine } from "../../../src/simulator/lines.ts";
import type { G711Codec } from "../../../src/wire/wire.ts";
import { SPEC } from "../../support/calls/virtual-call.ts";
import { queryCorpus } from "../../support/knowledge/passages.ts";
import { Random } from "../../support/random.ts";
import {
  CALLER_BEHAVIORS,
  type CallerBehavior,
  FATAL_FAULTS,
  FAULTS,
  type Fault,
  HANG_UP_TIMES,
  type HangUpTime,
} from "./kinds.ts";
import { agentText } from "./words.ts";

/** What a seed decides before the call begins; each part of the world draws the rest from a fork of `random`. */
export interface Plan {
  seed: number;
  spec: CallSpec;
  /** What the call comes over. */
  line: SimulatedLine;
  manner: CallerBehavior;
  leave: HangUpTime;
  troubles: ReadonlySet<Fault>;
  /** The LLM is asked before it is certain that the caller is done. */
  preemptive: boolean;
  /** The longest pause that is waited for: a short one takes many ends of turns too early. 0: turns end by fixed pauses. */
  turnWaitMsMax: number;
  random: Random;
}

/** Of every so many seeds one has no trouble at all. */
const UNTROUBLED_EVERY = 10;
/** One of every so many seeds has something that ends the call. */
const BLOW_EVERY = 3;
/** How many nuisances meet in one call, besides the one whose turn it is. */
const MORE_NUISANCES = [0, 0, 1, 1, 2, 2, 3, 5];
/** Silent people have less to tell. */
const MANNERS_DRAWN: readonly CallerBehavior[] = [
  ...CALLER_BEHAVIORS,
  "polite",
  "interrupting",
  "interrupting",
  "coughing",
  "humming",
];
/** Every second call goes on for as long as there is something to say. */
const STAYS_CHANCE = 0.5;
const WIRES: readonly SimulatedLine["wire"][] = [CONNECTION_TYPE_DEFAULT, ...SIMULATED_WIRES];
const LAWS: readonly G711Codec[] = ["mulaw", "alaw"];
/** So many calls are answered preemptively, as far as that goes. */
const PREEMPTIVE_CHANCE = 0.4;
const TURN_WAITS_MS_MAX = [0, 200, 200, DEFAULT_TURN_PARAMETERS.turnWaitMsMax] as const;
/** Each built-in tool is selected in so many of ten calls. */
const BUILT_IN_CHANCE = { hang_up: 0.8, transfer: 0.3, switch_language: 0.3, send_dtmf: 0.2 } as const;
/** So many calls have tools that the world carries out. */
const OWN_TOOLS_CHANCE = 0.5;
/** So many calls have corpora, and of them so many ask them for every turn. */
const CORPORA_CHANCE = 0.35;
const ALWAYS_CHANCE = 0.7;
const CORPORA_SEED = 1_000_000;
/** What does not come about without them. */
const OF_TOOLS: readonly Fault[] = ["too-many-tools", "tool-slow", "tool-fails", "tool-never-answers"];
/** What the LLM must not choose. */
export const FIXED = { shop: "bakery" } as const;

export function drawPlan(seed: number): Plan {
  const random = new Random(seed);
  // The first draws of neighbouring seeds are much alike.
  random.next();
  const manner = random.pick(MANNERS_DRAWN);
  const line = drawLine(manner, random);
  const troubles = drawTroubles(seed, random);
  return {
    seed,
    spec: withCorpora(seed, withTranscript(seed, drawSpec(line, troubles, random))),
    line,
    manner,
    leave: random.chance(STAYS_CHANCE)
      ? random.pick(["never-hangs-up", "hangs-up-when-done"])
      : random.pick(HANG_UP_TIMES),
    troubles,
    random: random.fork(),
    preemptive: random.chance(PREEMPTIVE_CHANCE),
    turnWaitMsMax: random.pick(TURN_WAITS_MS_MAX),
  };
}

/** Only one wire has a way to type. Opus is not among the codecs: what it makes of a level cannot be read back. */
function drawLine(manner: CallerBehavior, random: Random): SimulatedLine {
  const wire = manner === "typing" ? "websocket" : random.pick(WIRES);
  const shuffle = random.chance(0.5) ? { shuffleSeed: random.whole(1, 1_000_000) } : {};
  if (wire === "websocket") return { wire, format: drawFormat(random), ...shuffle };
  return {
    wire,
    ...(A_LAW_CARRIERS.includes(wire) && {
      codecs: { inbound: random.pick(LAWS), outbound: random.pick(LAWS) },
    }),
    ...(UNORDERED_CARRIERS.includes(wire) && shuffle),
  };
}

function drawFormat(random: Random): StreamFormat {
  const codec = random.pick(["pcm_s16le", "pcm_s16le", ...LAWS] as const);
  if (codec !== "pcm_s16le") return { codec, inputRateHz: 8_000, outputRateHz: 8_000 };
  return { codec, inputRateHz: random.pick(STREAM_RATES_HZ), outputRateHz: random.pick(STREAM_RATES_HZ) };
}

/** Troubles take turns, so that not so many seeds have seen them all. */
function drawTroubles(seed: number, random: Random): ReadonlySet<Fault> {
  if (seed % UNTROUBLED_EVERY === 0) return new Set();
  const troubles = new Set<Fault>([FAULTS[seed % FAULTS.length] as Fault]);
  for (let more = random.pick(MORE_NUISANCES); more > 0; more -= 1) troubles.add(random.pick(FAULTS));
  // Only an STT without interim transcripts is asked for them.
  if (troubles.has("silent-to-requests")) troubles.add("no-interims");
  if (seed % BLOW_EVERY === 0) troubles.add(FATAL_FAULTS[(seed / BLOW_EVERY) % FATAL_FAULTS.length] as Fault);
  return troubles;
}

/** A sixth of the calls stores audio alone or words alone. */
const withTranscript = (seed: number, spec: CallSpec): CallSpec =>
  seed % 6 === 0 ? { ...spec, transcriptEnabled: !spec.recordingEnabled } : spec;

/** Drawn from a source of its own: no other draw changes by it. */
function withCorpora(seed: number, spec: CallSpec): CallSpec {
  const random = new Random(seed + CORPORA_SEED);
  random.next();
  if (!random.chance(CORPORA_CHANCE)) return spec;
  const retrieval = random.chance(ALWAYS_CHANCE) ? "always" : "tool";
  return { ...spec, tools: [...spec.tools, queryCorpus({ retrieval })] };
}

function drawSpec(line: SimulatedLine, troubles: ReadonlySet<Fault>, random: Random): CallSpec {
  const { greeting: _, ...rest } = SPEC;
  return {
    ...rest,
    ...(random.chance(0.7) ? { greeting: agentText(random, random.whole(1, 2)) } : {}),
    connectionType: line.wire,
    ...(line.wire === "websocket" ? { websocket: line.format } : {}),
    languagePinned: random.chance(0.3),
    firstSpeaker: random.chance(0.75) ? "agent" : "user",
    interruptible: random.chance(0.5),
    maxDurationMs: random.chance(0.7) ? 60_000 : random.whole(60, 240) * 1_000,
    inactivityTimeoutMs: random.chance(0.6) ? 10_000 : random.whole(10, 40) * 1_000,
    inactivityAction: random.chance(0.5) ? "prompt" : "hang_up",
    recordingEnabled: random.chance(0.7),
    tools: drawTools(line, troubles, random),
  };
}

/** Over carriers there is no client to run a client tool, and not every wire can press keys. */
function drawTools({ wire }: SimulatedLine, troubles: ReadonlySet<Fault>, random: Random): ToolSpec[] {
  const tools: ToolSpec[] = [];
  for (const name of ["hang_up", "transfer", "switch_language", "send_dtmf"] as const) {
    const selected = random.chance(BUILT_IN_CHANCE[name]);
    if (selected && (name !== "send_dtmf" || DTMF_MESSAGE_CARRIERS.includes(wire))) {
      tools.push({ kind: "built_in", name, fixedArguments: {} });
    }
  }
  const hasOwn = random.chance(OWN_TOOLS_CHANCE) || OF_TOOLS.some((trouble) => troubles.has(trouble));
  if (!hasOwn) return tools;
  const described = { description: "Looks something up.", parameters: { type: "object" }, timeoutMs: 10_000 };
  const url = "https://tools.example/look-up";
  tools.push({ ...described, kind: "http", name: "look_up", method: "GET", url, headers: {}, fixedArguments: FIXED });
  if (wire === "websocket") tools.push({ ...described, kind: "client", name: "ask_page", fixedArguments: {} });
  return tools;
}
