import "../core/runtime/node-version.ts";
import { readStorePlace } from "../config/environment.ts";
import { systemClock } from "../core/clock.ts";
import { PROVIDERS_BY_STAGE } from "../speech/settings.ts";
import { openStores } from "../store/open-stores.ts";
import { ACCOUNTS_OPTIONS, readAccountsCommand } from "./accounts/arguments.ts";
import { runAccountsCommand } from "./accounts/run.ts";
import { pathOption, readArguments, runCommand } from "./command.ts";
import { operatorAct } from "./operator.ts";

const providers = (stage: keyof typeof PROVIDERS_BY_STAGE): string => PROVIDERS_BY_STAGE[stage].toSorted().join(",");

const HELP = `Manages the accounts in the database of the service, also while it runs.

  npm run accounts -- create --name <name>   create an account and print its id
  npm run accounts -- list                   list all accounts
  npm run accounts -- show <account>         print an account as JSON, by its id or its name
  npm run accounts -- update <account>       change an account, by its id or its name

With create and update:

  --name <name>                 its name, which no other account has; RETENTION names accounts by it
  --concurrent-calls <n>        calls at once, created and active; none for no limit but the service's
  --creations-per-minute <n>    calls that it may create within a minute; none for any number
  --concurrent-transcriptions <n>  transcriptions in progress at once; none for no limit but the service's
  --recording-days <n>          days after a call's end at which its recording is deleted; none for the service's
  --transcript-days <n>         likewise its transcript
  --record-days <n>             likewise its whole record
  --stt <list>                  the STT providers that its calls may use, separated by commas; all for all:
                                ${providers("stt")}
  --llm <list>                  likewise LLM providers: ${providers("llm")}
  --tts <list>                  likewise TTS providers: ${providers("tts")}

  --data-dir <path>             the service's data directory, instead of DATA_DIR

The service follows within a second. Calls whose stream has begun go on as they are. Every act is in the audit log of the
account, with the name of the user who ran the command.

The exit code is 0 on success, 1 on failure, 2 for a usage error.
`;

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, ACCOUNTS_OPTIONS, { allowPositionals: true });
  const command = readAccountsCommand(positionals, values);
  const { dataDir, databaseUrl } = readStorePlace();
  const place = { dataDir: pathOption("data-dir", values["data-dir"]) ?? dataDir, databaseUrl };
  const stores = await openStores(place, systemClock, { migrates: false });
  try {
    await runAccountsCommand(command, stores.accounts, operatorAct());
  } finally {
    await stores.close();
  }
  return 0;
}

/** An example for the command in the arguments, at any position. */
const EXAMPLES = new Map([
  ["list", "npm run accounts -- list"],
  ["show", "npm run accounts -- show acme"],
  ["update", "npm run accounts -- update acme --concurrent-calls 20"],
]);
const example = (args: readonly string[]): string =>
  args.flatMap((arg) => EXAMPLES.get(arg) ?? [])[0] ?? "npm run accounts -- create --name acme --concurrent-calls 20";

await runCommand({ help: HELP, example, run });
