import type { CarrierAnswer, CarrierOperation, Exchange } from "../../../src/carriers/telephony.ts";
import type { CarrierType } from "../../../src/core/calls/spec.ts";
import type { CarrierClient } from "../../../src/telephony/carrier-client.ts";

/** What a carrier's API answers, by operation. */
export type CarrierScript = Partial<Record<CarrierOperation, CarrierAnswer<unknown>>>;

const NUMBERS = [{ number: "+15550100", carrierNumberId: `PN${"0".repeat(32)}` }];

/** An account with one number, whose calls go to another service. */
const ANSWERS: CarrierScript = {
  verify: { kind: "done", value: undefined },
  list_numbers: { kind: "done", value: { numbers: NUMBERS } },
  read_number: { kind: "done", value: { voice_url: "https://before.example/" } },
  attach_number: { kind: "done", value: {} },
  detach_number: { kind: "done", value: {} },
  test_call: { kind: "done", value: undefined },
};

/** A carrier's API that answers as the script says, and remembers what it was asked for. */
export class ScriptedCarrierClient implements CarrierClient {
  readonly asked: { carrier: CarrierType; operation: CarrierOperation; text: string }[] = [];
  #script: CarrierScript;

  constructor(script: CarrierScript = {}) {
    this.#script = script;
  }

  /** From now on it answers like this. */
  answer(script: CarrierScript): void {
    this.#script = { ...this.#script, ...script };
  }

  async send<Value>(carrier: CarrierType, { request }: Exchange<Value>): Promise<CarrierAnswer<Value>> {
    const { operation, path, body = "" } = request;
    this.asked.push({ carrier, operation, text: `${path} ${body}` });
    const answer = this.#script[operation] ?? ANSWERS[operation];
    if (answer === undefined) throw new Error(`no answer to ${operation}`);
    return answer as CarrierAnswer<Value>;
  }
}
