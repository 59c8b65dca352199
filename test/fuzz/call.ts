import { readArguments, runCommand, wholeNumber } from "../../src/cli/command.ts";
import { OrderFailure, runOrder } from "../support/calls/event-order.ts";

const HELP = `Puts events to the call machine in random orders, far more than the tests can.

  npm run fuzz:call -- --orders 1000000 --seed 1
  npm run fuzz:call -- --seed 4711                 one order, with everything that happened in it

  --orders  how many; default: a million
  --seed    of the first one; the next ones have the seeds after it

Exits with 1 at the first order in which something happens that must not, and names its seed.
`;

const ORDERS_DEFAULT = "1000000";
/** Reports progress. */
const TOLD_EVERY = 50_000;

async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments(args, { orders: { type: "string" }, seed: { type: "string" } });
  const isSingle = values.orders === undefined && values.seed !== undefined;
  const orders = isSingle ? 1 : wholeNumber("orders", values.orders ?? ORDERS_DEFAULT, 1);
  const first = wholeNumber("seed", values.seed ?? "1");
  const startedMs = performance.now();
  try {
    for (let done = 0; done < orders; done += 1) {
      runOrder(first + done, isSingle ? console.log : undefined);
      if ((done + 1) % TOLD_EVERY === 0) console.log(`${done + 1} of ${orders} orders`);
    }
  } catch (error) {
    if (!(error instanceof OrderFailure)) throw error;
    console.error(`${error.message}\n\nnpm run fuzz:call -- --seed ${error.seed} prints all of its events.`);
    return 1;
  }
  const tookS = ((performance.now() - startedMs) / 1_000).toFixed(0);
  console.log(`${orders} orders of events, seeds ${first} to ${first + orders - 1}, ${tookS} s, nothing found`);
  return 0;
}

await runCommand({ help: HELP, example: "npm run fuzz:call -- --orders 10000", run });
