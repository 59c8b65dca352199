import { setImmediate as nextTurn } from "node:timers/promises";
import type { TranscriptionResult } from "../../../core/transcriptions/result.ts";
import { formatSteps, type TextFormat } from "../../../transcription/formats/format.ts";

/** Other work of the process has its turn after so much of it. */
const TURN_MS = 5;

/** A result in a format, in UTF-8. */
export async function formatInTurns(result: TranscriptionResult, format: TextFormat): Promise<string> {
  const steps = formatSteps(result, format);
  for (let begunMs = performance.now(); ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - begunMs < TURN_MS) continue;
    await nextTurn();
    begunMs = performance.now();
  }
}
