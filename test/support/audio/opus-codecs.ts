import { loadOpus } from "../../../src/media/opus/load.ts";

/** The Opus codec that calls have on this machine. */
export const opus = await loadOpus();
