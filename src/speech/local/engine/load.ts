import { locateModel } from "../model-manifest.ts";
import type { SpeechModel } from "../speech-model.ts";
import { loadMoonshine } from "./moonshine.ts";
import { loadWhisper } from "./whisper/load.ts";

/**
 * Loads the speech model in `folder`, as its manifest says; undefined is the installed one. Takes about 1.5 s of CPU time and 300 MB, so
 * it is done once in a child process. Throws `bad_configuration`, in one line, for a folder without a manifest, and for a file that
 * is missing, truncated or another one.
 */
export async function loadSpeechModel(folder: string | undefined): Promise<SpeechModel> {
  const model = locateModel(folder);
  switch (model.manifest.kind) {
    case "moonshine":
      return await loadMoonshine(model);
    case "whisper":
      return await loadWhisper(model);
  }
}
