import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { TrunklineError } from "../../../../core/errors.ts";
import {
  LOCAL_SPEECH_PROCESSES_DEFAULT_MAX,
  LOCAL_SPEECH_PROCESSES_LIMIT,
} from "../../../../core/limits/speech-providers/local-speech.ts";
import type { LocalSpeechSettings } from "../../../local/jobs.ts";
import { locateModel } from "../../../local/model-manifest.ts";
import { defineProvider } from "../../../provider-descriptor.ts";
import type { ConfiguredProviders } from "../../../provider-registry.ts";
import { modelLanguage } from "./language.ts";

export const localStt = defineProvider({
  id: "local",
  stage: "stt",
  capabilities: {},
  variables: {
    LOCAL_STT_PROCESSES: {
      defaultText: `one for every two processors, at least 1 and at most ${LOCAL_SPEECH_PROCESSES_DEFAULT_MAX}`,
      range: [1, LOCAL_SPEECH_PROCESSES_LIMIT],
      meaning:
        "processes with the local speech model, which all calls of the machine share; each takes some 300 MB and one processor " +
        "while it works, at a lower priority than the media workers; see [providers](providers.md#local-stt)",
    },
    LOCAL_STT_MODEL: {
      defaultText: "the model that `npm ci` installs, for English",
      format: "a folder",
      meaning:
        "the model of `STT=local`, for example one that `npm run models -- add` has added; see [local models](local-models.md)",
    },
    TURN_MODEL: {
      defaultText: "none",
      format: "a file",
      meaning:
        "a model of the end of a turn, such as smart-turn v3, an ONNX file; it runs in the processes of `STT=local`, which must be one of " +
        "the STT providers; see [local models](local-models.md#a-turn-model)",
    },
  },
  readSettings: ({ text, integer }): LocalSpeechSettings => ({
    processes: integer("LOCAL_STT_PROCESSES", processesByDefault(availableParallelism())),
    modelFolder: text("LOCAL_STT_MODEL") || undefined,
    turnModelPath: text("TURN_MODEL") || undefined,
  }),
  problems: ({ modelFolder, turnModelPath }) => [...modelProblems(modelFolder), ...turnModelProblems(turnModelPath)],
  servesLanguage: ({ modelFolder }, language) =>
    modelLanguage(locateModel(modelFolder).manifest.languages, language) !== undefined,
  create: async ({ modelFolder }, { openLocalSpeech }) => {
    const { createLocalStt } = await import("./adapter.ts");
    const { languages } = locateModel(modelFolder).manifest;
    return createLocalStt({ speech: await openLocalSpeech(), languages });
  },
  createBatch: async ({ modelFolder, processes }, { openLocalSpeech }) => {
    const { createLocalBatchStt } = await import("./batch.ts");
    const { languages } = locateModel(modelFolder).manifest;
    return createLocalBatchStt({ speech: await openLocalSpeech(), languages, processes });
  },
});

/** How many children serve a machine with this many processors: half of them belong to the media workers. */
export const processesByDefault = (processors: number): number =>
  Math.max(1, Math.min(LOCAL_SPEECH_PROCESSES_DEFAULT_MAX, Math.floor(processors / 2)));

/** The settings of the local speech models. */
export const localSettingsOf = (configured: ConfiguredProviders<"stt">): LocalSpeechSettings =>
  // `configure` of the descriptor above has read them.
  configured.get(localStt.id)?.settings as LocalSpeechSettings;

function turnModelProblems(path: string | undefined): string[] {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isFile() === true) return [];
  return [`TURN_MODEL must name an ONNX file, and ${JSON.stringify(path)} is none`];
}

/** Only the description of the model is read: its process checks the files. */
function modelProblems(modelFolder: string | undefined): string[] {
  try {
    locateModel(modelFolder);
    return [];
  } catch (error) {
    if (!(error instanceof TrunklineError)) throw error;
    return [`LOCAL_STT_MODEL: ${error.message}`];
  }
}
