import type { Variable, Variables } from "../../core/configuration/variable.ts";
import { CARRIER_VARIABLES } from "./carriers.ts";
import { COMMAND_VARIABLES } from "./commands.ts";
import { NETWORK_VARIABLES } from "./network.ts";
import { PROVIDER_VARIABLES } from "./providers.ts";
import { SERVICE_VARIABLES } from "./service.ts";
import { SPENDING_VARIABLES } from "./spending.ts";
import { TOOL_VARIABLES } from "./tools.ts";
import { TRACE_VARIABLES } from "./traces.ts";

/** All variables, in the groups of docs/configuration.md. */
export const VARIABLE_GROUPS: Readonly<Record<string, Variables>> = {
  network: NETWORK_VARIABLES,
  carrier: CARRIER_VARIABLES,
  provider: PROVIDER_VARIABLES,
  spending: SPENDING_VARIABLES,
  tool: TOOL_VARIABLES,
  service: SERVICE_VARIABLES,
  trace: TRACE_VARIABLES,
  command: COMMAND_VARIABLES,
};

const ALL: Variables = Object.assign({}, ...Object.values(VARIABLE_GROUPS));

/** The variable of this name; every variable that is read must be declared. */
export function declaredVariable(name: string): Variable {
  const variable = ALL[name];
  if (variable === undefined) throw new Error(`the variable ${name} is not declared`);
  return variable;
}
