import { z } from "zod";
import type { CarrierEmulator } from "./emulator.ts";
import type { Leg } from "./network.ts";
import { callsPage } from "./page.ts";
import type { RestRequest, RestResponse } from "./rest/endpoint.ts";
import type { OwnRoutes } from "./rest/rest-server.ts";
import { defined, FAULT, PLAN, WEBHOOK } from "./scenario-schema.ts";

// What the emulator serves in addition to the carrier's API: the page, and JSON below /emulator. Without credentials: it is
// for one machine.

const CALL = z.strictObject({ from: z.string().min(1), to: z.string().min(1), ...PLAN.shape });
const PERSON = z.strictObject({ number: z.string().min(1), ...PLAN.shape });
const DIGIT = z.strictObject({ digit: z.string().regex(/^[0-9*#A-D]$/) });

/** A call as the control API shows it. */
function shownCall(emulator: CarrierEmulator, leg: Leg): Record<string, unknown> {
  const { direction, from, to, state, cause, endedBy, parent, isMachine, receivedDigits } = leg;
  const price = emulator.network.priceOf(leg);
  return {
    ...{ id: emulator.callIdOf(leg), direction, from, to, state, isMachine, receivedDigits },
    hasStream: emulator.streams.has(leg),
    ...(cause !== undefined && { cause, endedBy }),
    ...(parent !== undefined && { parentId: emulator.callIdOf(parent) }),
    ...(price !== undefined && { price }),
  };
}

/** The routes of the page and of the control API. */
export function controlRoutes(emulator: CarrierEmulator): OwnRoutes {
  const calls = (): RestResponse => ok({ calls: emulator.network.legs.map((leg) => shownCall(emulator, leg)) });
  const ofCall = (id: string, then: (leg: Leg) => RestResponse): RestResponse => {
    const leg = emulator.legOf(id);
    return leg === undefined ? { status: 404, body: { error: "there is no such call" } } : then(leg);
  };
  const routes: Record<string, (request: Omit<RestRequest, "params">, id: string) => RestResponse> = {
    "GET /": () => ({ status: 200, body: page(emulator) }),
    "GET /emulator/calls": calls,
    "POST /emulator/calls": ({ body }) =>
      checked(CALL, body, ({ from, to, ...plan }) => {
        if (!emulator.numbers.includes(to))
          return { status: 404, body: { error: "the account does not have this number" } };
        return { status: 201, body: shownCall(emulator, emulator.call({ from, to }, defined(plan))) };
      }),
    "GET /emulator/calls/{id}": (_, id) => ofCall(id, (leg) => ok(shownCall(emulator, leg))),
    "POST /emulator/calls/{id}/hang-up": (_, id) =>
      ofCall(id, (leg) => {
        emulator.network.hangUp(leg, "person");
        return ok(shownCall(emulator, leg));
      }),
    "POST /emulator/calls/{id}/press": ({ body }, id) =>
      ofCall(id, (leg) =>
        checked(DIGIT, body, ({ digit }) => {
          emulator.network.press(leg, digit);
          return ok(shownCall(emulator, leg));
        }),
      ),
    "POST /emulator/people": ({ body }) =>
      checked(PERSON, body, ({ number, ...plan }) => {
        emulator.network.setPerson(number, defined(plan));
        return ok({ number, ...plan });
      }),
    "GET /emulator/faults": () => ok({ faults: emulator.faults }),
    "POST /emulator/faults": ({ body }) =>
      checked(FAULT, body, (fault) => {
        emulator.addFault(defined(fault));
        return { status: 201, body: fault };
      }),
    "DELETE /emulator/faults": () => {
      emulator.clearFaults();
      return { status: 204 };
    },
    "POST /emulator/webhooks": ({ body }) =>
      checked(WEBHOOK, body, (rule) => {
        emulator.addWebhookRule(defined(rule));
        return { status: 201, body: rule };
      }),
    "GET /emulator/webhooks": () => ok({ webhooks: emulator.sentWebhooks.map(({ body: _, ...webhook }) => webhook) }),
    "GET /emulator/requests": () => ok({ requests: emulator.requests }),
  };
  return async (request) => {
    const [, id = "", rest = ""] = /^\/emulator\/calls\/([^/]+)(\/[a-z-]+)?$/.exec(request.path) ?? [];
    const path = id === "" ? request.path : `/emulator/calls/{id}${rest}`;
    return routes[`${request.method} ${path}`]?.(request, decodeURIComponent(id));
  };
}

function page(emulator: CarrierEmulator): string {
  const calls = emulator.network.legs.map((leg) => ({
    id: emulator.callIdOf(leg),
    leg,
    hasStream: emulator.streams.has(leg),
    price: emulator.network.priceOf(leg),
  }));
  return callsPage(emulator.name, emulator.numbers, calls);
}

const ok = (body: unknown): RestResponse => ({ status: 200, body });

function checked<Value>(schema: z.ZodType<Value>, body: unknown, then: (value: Value) => RestResponse): RestResponse {
  const { success, data, error } = schema.safeParse(body);
  return success ? then(data) : { status: 400, body: { error: z.prettifyError(error) } };
}
