import { SPEND_ACTIONS, SPEND_UNITS, type Spend, type SpendSettings } from "../core/billing/spend.ts";
import type { VariableReader } from "./variables/reader.ts";

/** The value for no limit. */
const OFF = "off";

/** Reads the spend limits of a call and an account. */
export function readSpendSettings(reader: VariableReader): SpendSettings {
  const readLimit = (key: string): number =>
    reader.text(key) === OFF ? Number.POSITIVE_INFINITY : reader.integer(key);
  const limitsOf = (scope: string): Spend =>
    Object.fromEntries(
      SPEND_UNITS.map((unit) => [unit, readLimit(`${scope}_${unit.toUpperCase()}_PER_MINUTE`)]),
    ) as Record<keyof Spend, number>;
  return {
    call: limitsOf("CALL"),
    account: limitsOf("ACCOUNT"),
    action: reader.word("SPEND_LIMIT_ACTION", SPEND_ACTIONS),
  };
}
