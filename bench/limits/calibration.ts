// How fast the machine is at present, so that a check of a few minutes on a busy or a slow one tells what the code costs, and not what
// the machine does beside it.

/** CPU time of `calibrate` on a machine like that of bench/RESULTS.md, an Intel Xeon, once it is compiled, ms: the least of many runs. */
const CALIBRATION_MS = 44;
/** So often it runs before it is as fast as it becomes. */
export const CALIBRATION_WARM_UPS = 5;

const ROUNDS = 20_000;
/** Work like that of the loop: a message of a carrier with 20 ms of audio. */
const MESSAGE = JSON.stringify({
  event: "media",
  sequenceNumber: "4",
  media: { track: "inbound", chunk: "2", timestamp: "5", payload: Buffer.alloc(160, 0xd5).toString("base64") },
  streamSid: `MZ${"0".repeat(32)}`,
});

/** The same work each time. Returns a sum, so that none of it can be left out. */
export function calibrate(): number {
  let sum = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { media } = JSON.parse(MESSAGE) as { media: { payload: string } };
    const bytes = Buffer.from(media.payload, "base64");
    for (const byte of bytes) sum += byte;
  }
  return sum;
}

/** How many times as long as there the machine takes now, 1 where it is as fast or faster: a faster one does not make bounds narrower. */
export const slowdownOf = (calibrationMs: number): number => Math.max(1, calibrationMs / CALIBRATION_MS);
