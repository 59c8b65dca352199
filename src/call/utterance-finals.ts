import type { CallOptions } from "./call.ts";

/** Whether the STT of a call sends one final transcript for each utterance, in their order. */
export const hasFinalForEach = ({
  sttHasInterim,
  sttFinalPerUtterance = false,
}: Pick<CallOptions, "sttHasInterim" | "sttFinalPerUtterance">): boolean => sttFinalPerUtterance || !sttHasInterim;
