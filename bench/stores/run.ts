import { type Given, runCommand } from "../harness/command.ts";
import { runStoresBench } from "./bench.ts";
import { grossExcess } from "./goals.ts";
import { STORES_EXPLANATION, storesPage, storesText } from "./report.ts";
import { PARTS, type Part, STORE_NAMES, type StoreName, type StoresOptions } from "./result.ts";

const USAGE = `What the stores, the jobs and the webhooks cost under load, on SQLite and on Postgres, in whole services.

  npm run bench:stores -- [--stores SQLite,Postgres] [--only PARTS] [--reduced] [--write] [--out DIR]

  --stores   which stores
  --only     parts, separated by commas: ${PARTS.join(", ")}
  --reduced  two minutes: 10,000 calls instead of 100,000, short rounds, no live calls; fails only where figures of the run that
             are compared with each other have grown grossly; not with --write
  --write    replaces the section bench:stores of bench/RESULTS.md; with --only, the section of these parts
  --out      where stores.json and stores.html go; default bench/results

PostgreSQL must be installed; the bench starts a server of its own. A goal that is missed is printed and fails nothing. Exits with 1
when the run proves nothing. About half an hour.
`;

/** What takes two minutes together. */
const REDUCED_PARTS: readonly Part[] = ["creation", "lists", "slow-endpoint", "deliveries"];

function read(given: Given): StoresOptions | undefined {
  const reduced = given.reduced !== undefined;
  if (given.write !== undefined && reduced) return undefined;
  const stores = namesIn<StoreName>(given.stores, STORE_NAMES);
  const parts = given.only === "" ? (reduced ? REDUCED_PARTS : PARTS) : namesIn<Part>(given.only, PARTS);
  return stores && parts && { stores, parts, reduced };
}

/** Undefined where one of the names is unknown. */
function namesIn<Name extends string>(text: string | undefined, known: readonly Name[]): readonly Name[] | undefined {
  const names = (text ?? "").split(",");
  return names.every((name) => (known as readonly string[]).includes(name)) ? (names as Name[]) : undefined;
}

await runCommand({
  name: "stores",
  section: ({ parts }) => (parts.length === PARTS.length ? "bench:stores" : `bench:stores --only ${parts.join(",")}`),
  usage: USAGE,
  defaults: { stores: STORE_NAMES.join(","), only: "" },
  flags: ["reduced"],
  read,
  run: runStoresBench,
  text: storesText,
  explanation: STORES_EXPLANATION,
  page: storesPage,
  problems: ({ problems }) => problems,
  failed: (result) => result.options.reduced && grossExcess(result).length > 0,
});
