import {
  DEFAULT_TURN_PARAMETERS,
  PREEMPTIVE_TURN_PARAMETERS,
  type TurnParameters,
} from "../../../src/call/parameters.ts";

/**
 * Turns end by fixed pauses, so that the times in a test do not depend on the fitted weights of the score. Tests of the
 * score itself use the default parameters.
 */
export const FIXED_PAUSES: Readonly<TurnParameters> = { ...DEFAULT_TURN_PARAMETERS, turnWaitMsMax: 0 };

/** The same, with preemptive generation. */
export const FIXED_PAUSES_PREEMPTIVE: Readonly<TurnParameters> = { ...PREEMPTIVE_TURN_PARAMETERS, turnWaitMsMax: 0 };
