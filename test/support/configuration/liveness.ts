import { readConfig } from "../../../src/config/config.ts";
import type { LivenessOptions } from "../../../src/gateway/transport/liveness.ts";

/** When peers are pinged, and when they are lost, unless an operator says otherwise. */
export const DEFAULT_LIVENESS: LivenessOptions = readConfig({}).liveness;
