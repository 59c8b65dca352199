import { Service } from "./service.ts";
import { World } from "./world.ts";

export interface SimulatedCall {
  seed: number;
  /** What happened, line by line. */
  story: readonly string[];
  violations: readonly { invariant: string; detail: string }[];
  reason: string | undefined;
}

/** After so long every call is over, s. */
const LIFETIME_S = 4 * 3_600;
/** With every request lost for a while, s. */
const HANG_UP_S_MAX = 250;

/** Plays one telephone call with everything that may go wrong around it, and holds it to the invariants. */
export function simulatePhoneCall(seed: number): SimulatedCall {
  const world = new World(seed);
  const service = new Service(world);
  const { carrier, worker } = service;
  worker.onStreamEnd = () => {
    // Carriers that obey documents go on after the stream: they ask what follows.
    const call = carrier.calls.at(-1);
    if (call?.line === "stream" && !call.ringsTarget()) {
      if (world.takesDocuments) carrier.askWhatFollows(call);
      else call.setLine("silence");
    }
  };
  worker.onEnd = worker.onStreamEnd;
  carrier.isKnown = () => service.state?.carrierCallId !== undefined;
  if (world.chance(0.2)) {
    world.after(world.between(0, world.pick([2_000, 30_000, 90_000])), () => {
      const call = carrier.calls.at(-1);
      if (call !== undefined) call.isHungUp = true;
      service.handle({ kind: "hang-up-requested", reason: "api_hangup" });
    });
  }
  service.start();
  let isDone = false;
  try {
    isDone = world.run(LIFETIME_S);
  } catch (error) {
    world.violated(
      "no event is unexpected",
      error instanceof Error ? `${error.message} ${error.stack}` : String(error),
    );
  }
  checkEnd(world, service, isDone);
  return { seed, story: world.story, violations: world.violations, reason: service.stored.record.reason };
}

function checkEnd(world: World, service: Service, isDone: boolean): void {
  const { state, stored, carrier, known, hasSlot } = service;
  if (state === undefined) return;
  const { reason } = stored.record;
  if (state.phase.at !== "over" || !isDone) world.violated("every call ends", state.phase.at);
  if (reason === undefined) world.violated("every record ends", state.phase.at);
  if (hasSlot || state.hasSlot) world.violated("every slot is released", state.phase.at);
  for (const call of carrier.calls) if (!call.isOver) world.violated("no call is forgotten", call.id);
  checkHangUp(world, service);
  if (reason === "unknown" && known.isDialAnswered) {
    world.violated("unknown is what cannot be known", "the carrier's answer had come");
  }
  if (reason === "unknown" && world.listsCallIds && !carrier.calls.every(({ isOver }) => isOver)) {
    world.violated("unknown is what cannot be known", "the carrier's lists show the call");
  }
  if (reason === "unknown" && carrier.placed === 0 && known.isUnplaced && world.faults.crash === 0) {
    world.violated("unknown is what cannot be known", "the carrier's last list shows that there is no call");
  }
  const rang = carrier.calls.length > 0;
  if (reason === "no_capacity" && rang && world.direction === "outbound") {
    world.violated("the end reason is true", "the call was placed");
  }
  if (reason === "carrier_failed" && carrier.placed > 0 && carrier.calls[0]?.isAnswered === true) {
    world.violated("the end reason is true", "the call was answered");
  }
}

/** After a request to hang up, the call ends before the person at the line ends it. */
function checkHangUp(world: World, { carrier, known }: Service): void {
  const call = carrier.calls.at(-1);
  const { hangUpS, learnedS, transferredS } = known;
  if (call === undefined || hangUpS === undefined || learnedS === undefined || transferredS !== undefined) return;
  const lateS = call.overS - Math.max(hangUpS, learnedS);
  if (lateS >= HANG_UP_S_MAX) world.violated("a hang-up is obeyed", `${lateS.toFixed(0)} s later`);
}

/** A failed call, with its whole story. */
export const failureOf = ({ seed, violations, story }: SimulatedCall): string | undefined =>
  violations.length === 0
    ? undefined
    : [
        `seed ${seed} violates: ${violations.map(({ invariant, detail }) => `${invariant} (${detail})`).join("; ")}`,
        `npm run sim:telephony -- --seed ${seed}`,
        ...story,
      ].join("\n");
