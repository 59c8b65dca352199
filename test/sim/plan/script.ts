import type { Step } from "../../../src/simulator/callers/caller.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import { formatsOf } from "../../../src/simulator/lines.ts";
import type { Random } from "../../support/random.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { CallerBehavior } from "./kinds.ts";
import type { Plan } from "./plan.ts";
import { callerText, cough, coughs, hum, monologue, utterance } from "./words.ts";

const TURNS_MAX = 8;
/** People interrupt when they have heard so many words. */
const PATIENCE_WORDS = 8;

/** What the person at the telephone does, from the first ring on. */
export function drawScript({ manner, leave, spec, line }: Plan, fate: FaultPlan): Step[] {
  const { random } = fate;
  const { inbound } = formatsOf(line);
  const speech = (): Utterance => utterance(random, fate.has("speech-goes-on") && random.chance(0.5), inbound);
  const say = (): Step => ({ do: "say", utterance: speech() });
  const politely = (): Step[] => [{ do: "listen" }, say()];
  const into = (what: Utterance): Step => ({
    do: "interrupt",
    afterWords: random.whole(0, PATIENCE_WORDS),
    utterance: what,
  });
  const press = (): Step => ({ do: "press", digits: keys(random) });
  const type = (): Step => ({ do: "type", text: callerText(random) });
  // Not always a whole turn: over the agent, too.
  const pause = (): Step => (random.chance(0.5) ? { do: "listen" } : into(cough(random, inbound)));
  const turn: Readonly<Record<CallerBehavior, () => Step[]>> = {
    polite: politely,
    interrupting: () => (random.chance(0.7) ? [into(speech())] : politely()),
    coughing: () => (random.chance(0.6) ? [into(coughs(random, inbound))] : politely()),
    humming: () => (random.chance(0.7) ? [into(hum(random, inbound))] : politely()),
    monologue: () => [random.chance(0.5) ? into(monologue(random, inbound)) : say()],
    "dtmf-entry": () => (random.chance(0.7) ? [pause(), press()] : politely()),
    // In one go: what comes before the answer is heard goes on with the turn.
    typing: () => (random.chance(0.7) ? [pause(), ...Array.from({ length: random.whole(1, 3) }, type)] : politely()),
    eager: () => (random.chance(0.4) ? [say()] : [into(speech())]),
    silent: () => [],
  };
  const begins = manner === "eager" || (spec.firstSpeaker === "user" && manner !== "silent");
  const turns = Array.from({ length: random.whole(1, TURNS_MAX) }, turn[manner]).flat();
  // A person who has nothing more to say hangs up; all others wait for whatever comes.
  const last: Step[] = leave === "hangs-up-when-done" ? [] : [{ do: "await-hang-up" }];
  return [...(begins ? [say()] : []), ...turns, ...last];
}

/** An entry with its end, an entry without, or more than one. */
const keys = (random: Random): string =>
  Array.from({ length: random.whole(1, 9) }, () => random.pick([..."0123456789*#"])).join("") +
  (random.chance(0.5) ? "#" : "");
