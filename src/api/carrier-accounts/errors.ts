import type { CarrierType } from "../../core/calls/spec.ts";
import { codeOf } from "../../core/errors.ts";
import type { CarrierId } from "../../core/ids.ts";
import type { CarrierStore, OpenedCarrier } from "../../store/telephony/carrier-store.ts";
import type { CarrierProblem } from "../../telephony/carrier-accounts.ts";
import { ApiError, found, invalidRequest } from "../http/errors.ts";
import { problemWithoutValue } from "../http/requests/validation.ts";

/** Codes of carriers are short; anything else is no code. */
const CODE = /^[\w.-]{1,64}$/;

/** The carrier did not do what it was asked for; `what` names that, as in `the import of its numbers`. */
export function carrierError(carrier: CarrierType, problem: CarrierProblem, what: string): ApiError {
  switch (problem.kind) {
    case "refused":
    case "gone":
      return new ApiError("invalid_request", `${carrier} refused ${what}${reasonOf(problem)}`);
    case "busy":
      return problem.isUnreachable === true ? unreachable(carrier) : busy(carrier, problem.afterMs);
    case "uncertain":
      return uncertain(carrier, problem.status, what);
  }
}

/** The credentials in the request were not accepted. */
export const credentialsError = (carrier: CarrierType, problem: CarrierProblem): ApiError =>
  problem.kind === "refused" || problem.kind === "gone"
    ? invalidRequest([problemWithoutValue(["credentials"], `were refused by ${carrier}${reasonOf(problem)}`)])
    : carrierError(carrier, problem, "the check of the credentials");

function reasonOf(problem: Extract<CarrierProblem, { kind: "refused" | "gone" }>): string {
  if (problem.kind === "gone") return ": it knows no such account, number or call";
  const code = CODE.test(problem.code) ? `, code ${problem.code}` : "";
  return ` with status ${problem.status}${code}`;
}

const unreachable = (carrier: CarrierType): ApiError =>
  new ApiError(
    "unavailable",
    `${carrier} could not be reached from the service, and nothing was changed there: try again`,
  );

function busy(carrier: CarrierType, afterMs: number | undefined): ApiError {
  const headers = afterMs === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(afterMs / 1_000))) };
  return new ApiError("unavailable", `${carrier} takes no more requests at present: try again later`, { headers });
}

function uncertain(carrier: CarrierType, status: number, what: string): ApiError {
  const answer = status === 0 ? "did not answer" : `answered with status ${status}`;
  return new ApiError("unavailable", `${carrier} ${answer}, and ${what} may or may not have happened: try again`);
}

/** The account's carrier with its credentials. Throws ApiError where there is none, or its credentials are lost. */
export async function openedCarrier(
  carriers: Pick<CarrierStore, "get" | "open">,
  { accountId, carrierId }: { accountId: Parameters<CarrierStore["get"]>[0]; carrierId: CarrierId },
): Promise<OpenedCarrier> {
  found(await carriers.get(accountId, carrierId), "carrier");
  try {
    return found(await carriers.open(carrierId), "carrier");
  } catch (error) {
    if (codeOf(error) !== "unsealable") throw error;
    throw new ApiError(
      "conflict",
      "the key that sealed the credentials of this carrier is lost: give it new credentials",
    );
  }
}
