import { killTrial } from "../support/local-speech/kill-trial.ts";
import type { Proof } from "./proof.ts";

/** Kills processes of the local STT at random while calls speak: the full number of both, several times. */
export async function proveLocalStt({ reduced, checks }: Proof): Promise<void> {
  for (const seed of reduced ? [1] : [1, 2, 3]) {
    const { kills, right, wrong, failed, stuck } = await killTrial({ calls: 200, kills: 50, processes: 2, seed });
    const seen = `${right} calls understood, ${wrong} with other words, ${failed} lost, ${stuck} stuck`;
    checks.check(
      `seed ${seed}: a process killed ${kills} times in 200 calls loses no call, and none is stuck`,
      right === 200 && kills === 50 ? "" : seen,
    );
  }
}
