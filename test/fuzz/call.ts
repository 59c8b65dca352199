import { parseArgs } from "node:util";
import { OrderFailure, runOrder } from "../support/event-order.ts";

// Puts events to the call machine in random orders, far more than the tests can:
//
//   npm run fuzz:call -- --orders 1000000 --seed 1
//   npm run fuzz:call -- --seed 4711                 one order, with everything that happened in it
//
// A million without being told. Exits with 1 at the first order in which something happens that must not, and names its seed.

const ORDERS_DEFAULT = "1000000";
/** Whoever waits sees that it goes on. */
const TOLD_EVERY = 50_000;

const { values: options } = parseArgs({ options: { orders: { type: "string" }, seed: { type: "string" } } });
const isSingle = options.orders === undefined && options.seed !== undefined;
const orders = isSingle ? 1 : wholeNumber("orders", options.orders ?? ORDERS_DEFAULT);
const first = wholeNumber("seed", options.seed ?? "1");
const startedMs = performance.now();

try {
  for (let done = 0; done < orders; done += 1) {
    runOrder(first + done, isSingle ? console.log : undefined);
    if ((done + 1) % TOLD_EVERY === 0) console.log(`${done + 1} of ${orders} orders`);
  }
  const tookS = (performance.now() - startedMs) / 1_000;
  console.log(
    `${orders} orders of events, seeds ${first} to ${first + orders - 1}, ${tookS.toFixed(0)} s, nothing found`,
  );
} catch (error) {
  if (!(error instanceof OrderFailure)) throw error;
  console.error(`${error.message}\n\nnpm run fuzz:call -- --seed ${error.seed} tells everything that happened in it.`);
  process.exitCode = 1;
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`--${option} must be a whole number`);
}
