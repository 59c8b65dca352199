import { EMULATED, type EmulatedName } from "../../simulator/emulator/emulator.ts";
import { notOneOf, readArguments, UsageError } from "../command.ts";

const CARRIERS = Object.keys(EMULATED) as readonly EmulatedName[];

export const DEMO_HELP = `Places one telephone call from end to end on this machine: starts a service and connects a simulated caller to it.

  npm run demo
  npm run demo -- --human
  npm run demo -- --phone
  npm run --silent demo -- --json

  --human  the caller is a person: recordings of a reader of Sense and Sensibility, which the local STT understands. The call
           takes a minute, and at most two of the reader's words may be understood otherwise
  --phone  the service has a number at an emulated carrier. A person calls it, asks, and is transferred; then the agent calls
           the person. Shows the requests to the carrier and its webhooks. Takes a minute
  --carrier <name>  the carrier of --phone: ${CARRIERS.join(", ")}; ${CARRIERS[0]} by default
  --json   prints one JSON document and nothing else; the conversation goes to standard error

Data, log and recordings go to a folder of data/demo. The exit code is 0 when all went as scripted, 1 otherwise, 2 for a usage
error.
`;

export interface DemoPlan {
  readonly json: boolean;
  readonly human: boolean;
  /** The carrier of the telephone demo. Absent: a demo without a carrier. */
  readonly phone?: EmulatedName;
}

/** Reads the arguments of `npm run demo`. Throws UsageError. */
export function planDemo(args: readonly string[]): DemoPlan {
  const { values } = readArguments(args, {
    json: { type: "boolean" },
    human: { type: "boolean" },
    phone: { type: "boolean" },
    carrier: { type: "string" },
  });
  const { json = false, human = false, phone = false, carrier } = values;
  const problems: string[] = [];
  const name = CARRIERS.find((each) => each === (carrier ?? CARRIERS[0]));
  if (carrier !== undefined && name === undefined) problems.push(notOneOf("--carrier", CARRIERS, carrier));
  if (carrier !== undefined && !phone) problems.push("--carrier needs --phone");
  if (human && phone) problems.push("--human and --phone exclude each other");
  if (problems.length > 0) throw new UsageError(problems);
  return { json, human, ...(phone && name !== undefined && { phone: name }) };
}
