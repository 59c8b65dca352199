import { createHash } from "node:crypto";
import { FEATURES } from "../../call/turn-taking/end-of-turn/features.ts";
import { BIAS, WEIGHTS } from "../../call/turn-taking/end-of-turn/weights.ts";

const HASH_CHARS = 8;
const weighed = JSON.stringify([BIAS, FEATURES.map(({ name }, at) => [name, WEIGHTS[at]])]);

/**
 * Names the weights by which this build scores the ends of turns. They are no parameter of a call: a replay uses its own, and says
 * where the call had others.
 */
export const TURN_WEIGHTS = createHash("sha256").update(weighed).digest("hex").slice(0, HASH_CHARS);
