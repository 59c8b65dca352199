import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import type { Random } from "../../support/random.ts";
import type { Facts, ReplyFacts } from "../observer/facts.ts";
import type { Rule } from "../rules/rule.ts";
import type { HangUpTime } from "./kinds.ts";

export interface HangUpOptions {
  leave: HangUpTime;
  random: Random;
  facts: Facts;
  /** Hangs up, so many ms from now. */
  go(afterMs: number): void;
}

/** Makes the caller hang up at the time that the seed has chosen: sees the steps of a call as a rule does, and waits for the right one. */
export class HangUp implements Rule {
  readonly #options: HangUpOptions;
  /** How often the chance is skipped. */
  #patience: number;
  #gone = false;

  constructor(options: HangUpOptions) {
    this.#options = options;
    this.#patience = options.random.pick([0, 1, 2, 4]);
    if (options.leave === "hangs-up-any-time") this.#go(options.random.between(0, 60_000));
  }

  event(event: CallEvent): void {
    if (event.kind === "stt-interim") this.#chance("hangs-up-while-speaking");
    else if (event.kind === "reply-text") this.#chance("hangs-up-at-first-text");
  }

  command(command: CallCommand): void {
    if (command.kind === "generate-reply") this.#chance("hangs-up-while-llm-works");
  }

  /** In the middle of what is being said, and now and then just after its end. */
  frameOut(reply: ReplyFacts | undefined): void {
    const { leave, random, facts } = this.#options;
    if (reply === undefined || this.#gone) return;
    const is: HangUpTime =
      reply.afterwards !== undefined
        ? "hangs-up-in-goodbye"
        : facts.replies.size === 1
          ? "hangs-up-in-greeting"
          : "hangs-up-in-reply";
    if (is === leave) this.#go(random.between(0, 2_000));
  }

  #chance(time: HangUpTime): void {
    const { leave, random } = this.#options;
    if (time !== leave || this.#gone) return;
    this.#patience -= 1;
    if (this.#patience < 0) this.#go(random.pick([0, 5, random.between(0, 1_000)]));
  }

  #go(afterMs: number): void {
    this.#gone = true;
    this.#options.go(afterMs);
  }
}
