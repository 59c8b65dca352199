import { serve } from "../../../../bench/rig/child-process.ts";
import { type LatencyOptions, type LatencyResult, LatencyTrial } from "./trial.ts";

// The carriers, and the people who wait, in a process with nothing else to do.

export type LatencyQuestions = { measure: { ask: LatencyOptions; answer: LatencyResult } };

serve<LatencyQuestions>({ measure: (options) => new LatencyTrial(options).run() });
