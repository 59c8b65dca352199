import { SPEND_ACTIONS, SPEND_UNITS, type Spend, type SpendAction, type SpendSettings } from "../core/billing/spend.ts";
import { ACCOUNT_SPEND_DEFAULT, CALL_SPEND_DEFAULT, SPEND_PER_MINUTE_MAX } from "../core/limits/spend.ts";

/** The value for no limit. */
const OFF = "off";
const ACTION_DEFAULT: SpendAction = "refuse";

/**
 * Reads the spend limits of a call and an account. `text` returns the value of a variable, or the fallback when it is empty.
 * Problems are added to `problems`.
 */
export function readSpendSettings(text: (key: string, fallback: string) => string, problems: string[]): SpendSettings {
  const read = (scope: string, defaults: Spend): Spend =>
    Object.fromEntries(
      SPEND_UNITS.map((unit) => [unit, readLimit(`${scope}_${unit.toUpperCase()}_PER_MINUTE`, defaults[unit])]),
    ) as Record<keyof Spend, number>;
  const readLimit = (key: string, fallback: number): number => {
    const given = text(key, String(fallback));
    if (given === OFF) return Number.POSITIVE_INFINITY;
    const limit = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
    if (!(limit >= 1 && limit <= SPEND_PER_MINUTE_MAX)) {
      const right = `${OFF} or a whole number from 1 to ${SPEND_PER_MINUTE_MAX}`;
      problems.push(`${key} must be ${right}, not ${JSON.stringify(given)}`);
    }
    return limit;
  };
  const given = text("SPEND_LIMIT_ACTION", ACTION_DEFAULT);
  const action = SPEND_ACTIONS.find((candidate) => candidate === given);
  if (action === undefined) {
    problems.push(`SPEND_LIMIT_ACTION must be one of ${SPEND_ACTIONS.join(", ")}, not ${JSON.stringify(given)}`);
  }
  return {
    call: read("CALL", CALL_SPEND_DEFAULT),
    account: read("ACCOUNT", ACCOUNT_SPEND_DEFAULT),
    action: action ?? ACTION_DEFAULT,
  };
}
