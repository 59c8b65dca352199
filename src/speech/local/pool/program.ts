import { loadSpeechModel } from "../engine/load.ts";
import { loadTurnModel } from "../engine/turn-model.ts";
import { serveSpeechModels } from "./serve.ts";

// The program of the children that hold a speech model: see child.ts. Its arguments are the folder of the model and the file of
// the turn model; an empty one stands for the installed model, and for no turn model.
const [, , modelFolder = "", turnModelPath = ""] = process.argv;
await serveSpeechModels(async () => ({
  speech: await loadSpeechModel(modelFolder || undefined),
  turn: turnModelPath === "" ? undefined : await loadTurnModel(turnModelPath),
}));
