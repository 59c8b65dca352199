import { MODEL_DEFAULT, MODEL_NAMES } from "../../core/calls/spec.ts";
import type { AgentDefinition } from "../../store/agent-store.ts";
import type { CallSpecDeps } from "../calls/spec.ts";

/** The prices, without repetitions, that a limit of the cost of these agents' calls needs and that are not configured. */
export function pricesMissingFor(
  agents: readonly Pick<AgentDefinition, "callSettings">[],
  missingPrices: CallSpecDeps["missingPrices"],
): readonly string[] {
  const models = agents.map(({ callSettings: { model = MODEL_DEFAULT } }) => model);
  const known = MODEL_NAMES.filter((name) => models.includes(name));
  return [...new Set(known.flatMap((name) => [...missingPrices(name)]))];
}
