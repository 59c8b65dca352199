import type { CallSpec } from "../../src/core/call-spec.ts";
import { SPEC } from "../support/virtual-call.ts";
import { BLOWS, LEAVES, type Leave, MANNERS, type Manner, NUISANCES, type Trouble } from "./kinds.ts";
import { Random } from "./random.ts";
import { agentText } from "./words.ts";

/** What a seed decides before the call begins; each part of the world draws the rest from a fork of `random`. */
export interface Plan {
  seed: number;
  spec: CallSpec;
  manner: Manner;
  leave: Leave;
  troubles: ReadonlySet<Trouble>;
  random: Random;
}

/** Of every so many seeds one has no trouble at all. */
const UNTROUBLED_EVERY = 10;
/** One of every so many seeds has something that ends the call. */
const BLOW_EVERY = 3;
/** How many nuisances meet in one call, besides the one whose turn it is. */
const MORE_NUISANCES = [0, 0, 1, 1, 2, 2, 3, 5];
/** Silent people have less to tell. */
const MANNERS_DRAWN: readonly Manner[] = [...MANNERS, "polite", "polite", "interrupting", "interrupting"];
/** Every second call goes on for as long as there is something to say. */
const STAYS_CHANCE = 0.5;

export function draw(seed: number): Plan {
  const random = new Random(seed);
  // The first draws of neighbouring seeds are much alike.
  random.next();
  return {
    seed,
    spec: drawSpec(random),
    manner: random.pick(MANNERS_DRAWN),
    leave: random.chance(STAYS_CHANCE) ? random.pick(["leaves-never", "leaves-when-done"]) : random.pick(LEAVES),
    troubles: drawTroubles(seed, random),
    random: random.fork(),
  };
}

/** Troubles take turns, so that not so many seeds have seen them all. */
function drawTroubles(seed: number, random: Random): ReadonlySet<Trouble> {
  if (seed % UNTROUBLED_EVERY === 0) return new Set();
  const troubles = new Set<Trouble>([NUISANCES[seed % NUISANCES.length] as Trouble]);
  for (let more = random.pick(MORE_NUISANCES); more > 0; more -= 1) troubles.add(random.pick(NUISANCES));
  if (seed % BLOW_EVERY === 0) troubles.add(BLOWS[(seed / BLOW_EVERY) % BLOWS.length] as Trouble);
  return troubles;
}

function drawSpec(random: Random): CallSpec {
  const { greeting: _, ...rest } = SPEC;
  return {
    ...rest,
    ...(random.chance(0.7) ? { greeting: agentText(random, random.whole(1, 2)) } : {}),
    firstSpeaker: random.chance(0.75) ? "agent" : "user",
    interruptible: random.chance(0.5),
    maxDurationMs: random.chance(0.7) ? 60_000 : random.whole(60, 240) * 1_000,
    inactivityTimeoutMs: random.chance(0.6) ? 10_000 : random.whole(10, 40) * 1_000,
    inactivityAction: random.chance(0.5) ? "prompt" : "hang_up",
    recordingEnabled: random.chance(0.7),
    tools: random.chance(0.8) ? [{ kind: "built_in", name: "hang_up", fixedArguments: {} }] : [],
  };
}
