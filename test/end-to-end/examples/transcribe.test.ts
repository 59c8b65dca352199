import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import wavefile from "wavefile";
import { utterance } from "../../callers/telephone.ts";
import { Service } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FORMAT = { codec: "pcm_s16le", rateHz: 16_000 } as const;
const SAID = "The bakery opens at eight.";

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});

/** A WAV file with the line and a second of silence around it. */
async function recording(): Promise<string> {
  const { frames } = await utterance(SAID, FORMAT);
  const bytes = Buffer.concat([Buffer.alloc(32_000), ...frames, Buffer.alloc(32_000)]);
  const wav = new wavefile.WaveFile();
  wav.fromScratch(1, FORMAT.rateHz, "16", new Int16Array(new Uint8Array(bytes).buffer));
  const path = join(temporaryDirectory(), "meeting.wav");
  writeFileSync(path, wav.toBuffer());
  return path;
}

test("examples/transcribe.mjs sends a file in real time, and prints what is said while it is said", {
  retry: ifMachineStalled,
}, async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [`${ROOT}/examples/transcribe.mjs`, await recording(), "en-US"],
    { env: { ...process.env, TRUNKLINE_URL: service.apiUrl, TRUNKLINE_API_KEY: service.apiKey } },
  );
  expect(stdout).toMatch(new RegExp(`^[01]\\.\\d s: ${SAID}\\n$`));
  expect(stderr).toContain("The bakery");
  expect(stderr).toMatch(/ended: caller_hangup, transcription_/);
});
