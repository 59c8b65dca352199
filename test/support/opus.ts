import { loadOpus } from "../../src/media/load-opus.ts";

/** The Opus codec that calls have on this machine. */
export const opus = await loadOpus();
