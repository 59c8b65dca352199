import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { loadFvad } from "../../../src/media/voice-activity/fvad.ts";
import { SILERO_FILES, SILERO_VERSION } from "../../../src/media/voice-activity/silero/silero.ts";
import { loadVoiceActivity } from "../../../src/process/worker/voice-activity.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const openFvad = await loadFvad();

test("VAD=silero is the two stages, and VAD=fvad is fvad alone", async () => {
  expect((await loadVoiceActivity(openFvad, "silero", 1)).version).toBe(`${SILERO_VERSION}+fvad2`);
  expect((await loadVoiceActivity(openFvad, "fvad", 1)).version).toBe("fvad3");
});

test("a missing file is named, with what to do about it", async () => {
  const missing = join(temporaryDirectory(), "network.wasm");
  const files = { ...SILERO_FILES, network: pathToFileURL(missing) };
  await expect(loadVoiceActivity(openFvad, "silero", 1, files)).rejects.toMatchObject({
    code: "bad_configuration",
    message: `the speech detector's file ${missing} cannot be read (ENOENT): install or build the service again, or set VAD=fvad to do without it`,
  });
});

test("without the network its files are not read", async () => {
  const missing = pathToFileURL(join(temporaryDirectory(), "none"));
  await expect(loadVoiceActivity(openFvad, "fvad", 1, { network: missing, weights: missing })).resolves.toBeDefined();
});
