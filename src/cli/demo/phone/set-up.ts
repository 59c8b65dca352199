import type { TrunklineClient } from "#client";
import { unavailable } from "../../../core/errors.ts";
import { type CarrierEmulator, EMULATED } from "../../../simulator/emulator/emulator.ts";
import { voiceOf } from "../../../simulator/service/api-calls.ts";
import { AGENT, LANGUAGE, NUMBER } from "./scenario.ts";

/**
 * Does what an operator does once, by the public API: makes the agent, stores the carrier's credentials, imports its numbers, and
 * attaches the agent to one. Resolves with the agent's id; `note` gets each step.
 */
export async function setUp(
  api: TrunklineClient,
  { name, credentials }: Pick<CarrierEmulator, "name" | "credentials">,
  note: (text: string) => void,
): Promise<string> {
  const voices = await api.get("/voices", { query: { language: LANGUAGE } });
  const { id: agentId } = await api.post("/agents", {
    body: { ...AGENT, voiceId: voiceOf(voices.data, LANGUAGE) },
  });
  note(`POST /agents: ${agentId}`);
  const carrier = await api.post("/carriers", {
    body: { carrier: EMULATED[name].wire, name: `Emulated ${name}`, credentials: { ...credentials } },
  });
  note(`POST /carriers: ${carrier.id}, its credentials are checked and stored`);
  const { data: numbers } = await api.post("/phone-numbers/import", { body: { carrierId: carrier.id } });
  note(`POST /phone-numbers/import: ${numbers.map(({ number }) => number).join(", ")}`);
  const number = numbers.find((each) => each.number === NUMBER);
  if (number === undefined) throw unavailable(`the emulated carrier has no number ${NUMBER}`);
  await api.patch("/phone-numbers/{id}", { path: { id: number.id }, body: { agentId } });
  await api.post("/phone-numbers/{id}/attach", { path: { id: number.id } });
  note(`POST /phone-numbers/${number.id}/attach: the agent answers ${NUMBER}`);
  return agentId;
}
