import "../core/runtime/node-version.ts";
import { systemClock } from "../core/clock.ts";
import { millisecondsOf } from "../core/clocks.ts";
import { ConnectProxy } from "../simulator/emulator/connect-proxy.ts";
import { CarrierEmulator, EMULATED } from "../simulator/emulator/emulator.ts";
import { speakingPeople } from "../simulator/emulator/speaking-person.ts";
import { createReferenceTts } from "../speech/reference/tts.ts";
import { CARRIER_HELP, planCarrier } from "./carrier/arguments.ts";
import { abortOnSignals, runCommand } from "./command.ts";

/** `npm run carrier -- ...`: one emulated carrier, until Ctrl-C. */
async function run(args: readonly string[]): Promise<number> {
  const { port, numbers, webhooks, proxy, ...plan } = planCarrier(
    args,
    millisecondsOf(systemClock.epochMs()) % 2 ** 32,
  );
  const stop = abortOnSignals();
  const tts = createReferenceTts({ children: 1, clock: systemClock });
  const personOf = speakingPeople(tts, stop.signal);
  const emulator = new CarrierEmulator({ ...plan, personOf, ...(numbers !== undefined && { numbers }) });
  if (webhooks !== undefined) for (const number of emulator.numbers) emulator.setWebhooks(number, webhooks);
  const tunnels = proxy === undefined ? undefined : new ConnectProxy({ ...proxy, server: emulator.server });
  try {
    const url = await emulator.start(port);
    const proxyUrl = await tunnels?.start(proxy?.port);
    process.stdout.write(announcement(emulator, url, proxyUrl, plan.scenario.seed));
    await new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
    return 0;
  } finally {
    await tunnels?.stop();
    await emulator.stop();
    tts.close();
  }
}

function announcement(emulator: CarrierEmulator, url: string, proxyUrl: string | undefined, seed: number): string {
  const { name, numbers, credentials } = emulator;
  const lines = [
    `Emulated ${name} (${EMULATED[name].wire}), listening on port ${new URL(url).port}`,
    ["address", url],
    ...(proxyUrl === undefined ? [] : [["proxy", proxyUrl]]),
    ...Object.entries(credentials),
    ["numbers", numbers.join(", ")],
    ["seed", String(seed)],
    `Its calls are shown at ${url}/. End it with Ctrl-C.`,
  ];
  return lines
    .map((line) => (typeof line === "string" ? `${line}\n` : `  ${line[0]?.padEnd(12)}  ${line[1]}\n`))
    .join("");
}

await runCommand({ help: CARRIER_HELP, example: "npm run carrier -- twilio --number +12025550187", run });
