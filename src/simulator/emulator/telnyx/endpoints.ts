import { isObject } from "../../../core/json.ts";
import type { Leg } from "../network.ts";
import { type Endpoint, type RestRequest, type RestResponse, textOf } from "../rest/endpoint.ts";
import type { TelnyxCall, TelnyxCarrier, TelnyxStream } from "./carrier.ts";
import {
  applicationResource,
  CALL_ENDED,
  CALL_NOT_ANSWERED,
  callControlIdOf,
  callResource,
  numberResource,
  pageOf,
  type TelnyxApplication,
  telnyxError,
} from "./resources.ts";

/** https://developers.telnyx.com/api-reference/call-commands/dial */
const TIMEOUT_S_DEFAULT = 30;
const DIALLED = /^(?:\+[1-9]\d{6,14}|sips?:[^\s@]+@\S+)$/;
const INVALID_NUMBER = { code: "10016", title: "Phone number must be in +E.164 format" } as const;
const DONE: RestResponse = { status: 200, body: { data: { result: "ok" } } };

type Command = (leg: Leg, call: TelnyxCall, body: RestRequest["body"]) => RestResponse;

/** The operations of the REST API that the emulator has. */
export function telnyxEndpoints(carrier: TelnyxCarrier): readonly Endpoint[] {
  return [...callEndpoints(carrier), ...accountEndpoints(carrier)];
}

function callEndpoints(carrier: TelnyxCarrier): Endpoint[] {
  const { network, streams } = carrier.parts;
  const command = (name: string, needs: "alive" | "answered", run: Command): Endpoint => ({
    id: `calls.actions.${name}`,
    method: "POST",
    path: `/v2/calls/{call}/actions/${name}`,
    handle: ({ params, body }) => carryOut(carrier, params.call ?? "", needs, body, run),
  });
  return [
    { id: "calls.dial", method: "POST", path: "/v2/calls", handle: ({ body }) => dial(carrier, body) },
    {
      id: "calls.retrieveStatus",
      method: "GET",
      path: "/v2/calls/{call}",
      handle: ({ params }) => {
        const leg = legOf(carrier, params.call ?? "");
        return leg === undefined ? telnyxError(404) : { status: 200, body: { data: shownCall(carrier, leg) } };
      },
    },
    command("answer", "alive", (leg, call, body) => {
      const stream = streamOf(body);
      if (stream !== undefined) call.stream = stream;
      network.answer(leg);
      return DONE;
    }),
    command("reject", "alive", (leg, _, body) => {
      network.reject(leg, textOf(body, "cause") === "USER_BUSY" ? "busy" : "declined");
      return DONE;
    }),
    command("hangup", "alive", (leg) => {
      network.hangUp(leg, "account");
      return DONE;
    }),
    command("transfer", "answered", (leg, call, body) => transfer(carrier, leg, call, body)),
    command("send_dtmf", "answered", (leg, _, body) => {
      const digits = textOf(body, "digits");
      if (digits === undefined) return telnyxError(422);
      leg.receivedDigits += digits;
      return DONE;
    }),
    command("speak", "answered", (leg, _, body) => {
      const text = textOf(body, "payload");
      if (text === undefined) return telnyxError(422);
      carrier.notify(leg, "stream", "call.speak.started", {});
      carrier.parts.clock.after(text.length * 60, () => {
        const status = leg.state === "ended" ? "call_hangup" : "completed";
        carrier.notify(leg, "stream", "call.speak.ended", { status });
      });
      return DONE;
    }),
    command("streaming_start", "answered", (leg, _, body) => {
      const stream = streamOf(body);
      if (stream === undefined) return telnyxError(422);
      carrier.openStream(leg, stream);
      return DONE;
    }),
    command("streaming_stop", "answered", (leg) => {
      streams.stop(leg);
      return DONE;
    }),
  ];
}

function accountEndpoints(carrier: TelnyxCarrier): Endpoint[] {
  const { network } = carrier.parts;
  return [
    {
      id: "balance.retrieve",
      method: "GET",
      path: "/v2/balance",
      handle: () => ({
        status: 200,
        body: {
          data: {
            record_type: "balance",
            balance: "100.00",
            credit_limit: "0.00",
            available_credit: "100.00",
            pending: "0.00",
            currency: "USD",
          },
        },
      }),
    },
    {
      id: "connections.listActiveCalls",
      method: "GET",
      path: "/v2/connections/{connection}/active_calls",
      handle: ({ params, query }) => {
        const isOfConnection = (leg: Leg): boolean => carrier.calls.get(leg)?.connectionId === params.connection;
        const legs = network.legs.filter((leg) => leg.state !== "ended" && isOfConnection(leg));
        return pageOf(
          legs.map((leg) => {
            const { is_alive: _, start_time: _start, ...shown } = shownCall(carrier, leg);
            return shown;
          }),
          query,
        );
      },
    },
    {
      id: "phoneNumbers.list",
      method: "GET",
      path: "/v2/phone_numbers",
      handle: ({ query }) => {
        const wanted = (query.get("filter[phone_number]") ?? "").replace("+", "");
        const numbers = carrier.numbers.filter(({ phoneNumber }) => phoneNumber.includes(wanted));
        return pageOf(
          numbers.map(({ id }) => shownNumber(carrier, id)),
          query,
        );
      },
    },
    {
      id: "phoneNumbers.retrieve",
      method: "GET",
      path: "/v2/phone_numbers/{number}",
      handle: ({ params }) => numberAnswer(carrier, params.number ?? ""),
    },
    {
      id: "phoneNumbers.update",
      method: "PATCH",
      path: "/v2/phone_numbers/{number}",
      handle: ({ params, body }) => {
        const number = carrier.numbers.find(({ id }) => id === params.number);
        if (number === undefined) return telnyxError(404);
        const { connection_id: connectionId } = body;
        if (connectionId !== undefined) number.connectionId = textOf(body, "connection_id") ?? "";
        if (Array.isArray(body.tags)) number.tags = body.tags.map(String);
        return numberAnswer(carrier, number.id);
      },
    },
    ...applicationEndpoints(carrier),
  ];
}

function applicationEndpoints(carrier: TelnyxCarrier): Endpoint[] {
  const path = "/v2/call_control_applications";
  const answer = (application: TelnyxApplication | undefined): RestResponse =>
    application === undefined
      ? telnyxError(404)
      : { status: 200, body: { data: applicationResource(application, carrier.startedAt) } };
  return [
    {
      id: "callControlApplications.list",
      method: "GET",
      path,
      handle: ({ query }) =>
        pageOf(
          carrier.applications.map((application) => applicationResource(application, carrier.startedAt)),
          query,
        ),
    },
    {
      id: "callControlApplications.create",
      method: "POST",
      path,
      handle: ({ body }) => {
        const [name, url] = [textOf(body, "application_name"), textOf(body, "webhook_event_url")];
        if (name === undefined || url === undefined) return telnyxError(422);
        const application = carrier.newApplication(name, url);
        change(application, body);
        carrier.applications.push(application);
        return { ...answer(application), status: 201 };
      },
    },
    {
      id: "callControlApplications.retrieve",
      method: "GET",
      path: `${path}/{application}`,
      handle: ({ params }) => answer(carrier.applications.find(({ id }) => id === params.application)),
    },
    {
      id: "callControlApplications.update",
      method: "PATCH",
      path: `${path}/{application}`,
      handle: ({ params, body }) => {
        const application = carrier.applications.find(({ id }) => id === params.application);
        // Both are required, although the other members may be left out.
        if (textOf(body, "application_name") === undefined || textOf(body, "webhook_event_url") === undefined) {
          return telnyxError(422);
        }
        if (application !== undefined) change(application, body);
        return answer(application);
      },
    },
  ];
}

function change(application: TelnyxApplication, body: RestRequest["body"]): void {
  application.name = textOf(body, "application_name") ?? application.name;
  application.webhookUrl = textOf(body, "webhook_event_url") ?? application.webhookUrl;
  if ("webhook_event_failover_url" in body)
    application.failoverUrl = textOf(body, "webhook_event_failover_url") ?? null;
  if (typeof body.call_cost_in_webhooks === "boolean") application.costInWebhooks = body.call_cost_in_webhooks;
}

function dial(carrier: TelnyxCarrier, body: RestRequest["body"]): RestResponse {
  const [to = "", from = "", connectionId = ""] = ["to", "from", "connection_id"].map((name) => textOf(body, name));
  const [commandId, clientState, webhookUrl] = ["command_id", "client_state", "webhook_url"].map((name) =>
    textOf(body, name),
  );
  const former = carrier.placed.find((placed) => commandId !== undefined && placed.commandId === commandId);
  // "Telnyx will ignore others Dial commands with the same command_id"; what it answers is not documented.
  if (former !== undefined) return { status: 200, body: { data: shownCall(carrier, former.leg) } };
  if (!carrier.applications.some(({ id }) => id === connectionId)) {
    return telnyxError(422, { code: "10017", title: "Associated resource does not exist" });
  }
  if (!DIALLED.test(to)) return telnyxError(422, INVALID_NUMBER);
  if (!carrier.numbers.some(({ phoneNumber }) => phoneNumber === from)) {
    return telnyxError(403, { code: "D35", title: "Caller Origination Number is Invalid" });
  }
  const ringMsMax = Number(textOf(body, "timeout_secs") ?? TIMEOUT_S_DEFAULT) * 1_000;
  const leg = carrier.parts.network.dial({ to, from, ringMsMax });
  const stream = streamOf(body);
  const detection = textOf(body, "answering_machine_detection") ?? "disabled";
  carrier.add(leg, {
    connectionId,
    detectsMachines: detection !== "disabled",
    ...(clientState !== undefined && { clientState }),
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(stream !== undefined && { stream }),
  });
  carrier.placed.push({
    leg,
    carrierCallId: callControlIdOf(leg),
    from,
    to,
    urls: webhookUrl === undefined ? [] : [webhookUrl],
    ...(clientState !== undefined && { clientState }),
    ...(commandId !== undefined && { commandId }),
  });
  carrier.notify(leg, "initiated", "call.initiated", { state: "bridging" });
  return { status: 200, body: { data: shownCall(carrier, leg) } };
}

/** https://developers.telnyx.com/api-reference/call-commands/transfer-call */
function transfer(carrier: TelnyxCarrier, leg: Leg, call: TelnyxCall, body: RestRequest["body"]): RestResponse {
  const [to = "", from = leg.from] = [textOf(body, "to"), textOf(body, "from")];
  if (!DIALLED.test(to)) return telnyxError(422, INVALID_NUMBER);
  const ringMsMax = Number(textOf(body, "timeout_secs") ?? TIMEOUT_S_DEFAULT) * 1_000;
  const [clientState, webhookUrl] = [
    textOf(body, "target_leg_client_state"),
    textOf(body, "webhook_url") ?? call.webhookUrl,
  ];
  const target = carrier.parts.network.dial({ to, from, ringMsMax, parent: leg });
  const { connectionId } = call;
  carrier.add(target, {
    connectionId,
    partner: leg,
    ...(clientState !== undefined && { clientState }),
    ...(webhookUrl !== undefined && { webhookUrl }),
  });
  call.partner = target;
  call.parks = textOf(body, "park_after_unbridge") === "self";
  carrier.notify(target, "transfer", "call.initiated", { state: "bridging" });
  return DONE;
}

function carryOut(
  carrier: TelnyxCarrier,
  id: string,
  needs: "alive" | "answered",
  body: RestRequest["body"],
  run: Command,
): RestResponse {
  const leg = legOf(carrier, id);
  const call = leg === undefined ? undefined : carrier.calls.get(leg);
  if (leg === undefined || call === undefined) return telnyxError(404);
  const commandId = textOf(body, "command_id");
  if (commandId !== undefined && call.commandIds.has(commandId)) return DONE;
  if (leg.state === "ended") return telnyxError(422, CALL_ENDED);
  if (needs === "answered" && leg.state !== "answered") return telnyxError(422, CALL_NOT_ANSWERED);
  if (commandId !== undefined) call.commandIds.add(commandId);
  const clientState = textOf(body, "client_state");
  if (clientState !== undefined) call.clientState = clientState;
  return run(leg, call, body);
}

/** https://developers.telnyx.com/docs/voice/programmable-voice/media-streaming */
function streamOf(body: RestRequest["body"]): TelnyxStream | undefined {
  const url = textOf(body, "stream_url");
  if (url === undefined) return undefined;
  const authToken = textOf(body, "stream_auth_token");
  const given = Array.isArray(body.custom_parameters) ? body.custom_parameters.filter(isObject) : [];
  return {
    url,
    codec: textOf(body, "stream_bidirectional_codec") === "PCMA" ? "alaw" : "mulaw",
    parameters: Object.fromEntries(given.map(({ name, value }) => [String(name), String(value)])),
    ...(authToken !== undefined && { authToken }),
  };
}

const legOf = (carrier: TelnyxCarrier, id: string): Leg | undefined =>
  carrier.parts.network.legs.find((leg) => callControlIdOf(leg) === id);

const shownCall = (carrier: TelnyxCarrier, leg: Leg): Record<string, unknown> =>
  callResource(leg, carrier.parts.clock.epochMs(), carrier.calls.get(leg)?.clientState);

function shownNumber(carrier: TelnyxCarrier, id: string): Record<string, unknown> | undefined {
  const number = carrier.numbers.find((one) => one.id === id);
  if (number === undefined) return undefined;
  const application = carrier.applications.find((one) => one.id === number.connectionId);
  return numberResource(number, application?.name ?? null, carrier.startedAt);
}

function numberAnswer(carrier: TelnyxCarrier, id: string): RestResponse {
  const data = shownNumber(carrier, id);
  return data === undefined ? telnyxError(404) : { status: 200, body: { data } };
}
