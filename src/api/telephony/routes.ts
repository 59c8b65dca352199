import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { codeOf } from "../../core/errors.ts";
import { asCallId } from "../../core/ids.ts";
import { CARRIER_WEBHOOK_BYTES_MAX } from "../../core/limits/phone/phone-calls.ts";
import type { InboundSpec, PhoneWebhooks, WebhookSubject } from "../../telephony/webhooks.ts";
import { ApiError, notFound } from "../http/errors.ts";

export interface CarrierWebhookDeps {
  /** Undefined where no public address of the service is configured: then carriers know no address of it. */
  phoneWebhooks: Pick<PhoneWebhooks, "answer"> | undefined;
  inboundSpec: InboundSpec;
}

/** What carriers send. Both are checked and read as the bytes that came. */
const CONTENT_TYPES = ["application/x-www-form-urlencoded", "application/json"];

interface Params {
  webhookKey: string;
  callId?: string;
  transfer?: string;
  connect?: string;
  name?: string;
}

/** Transfers and connections of a call are numbered 1, 2, ... */
const NUMBER = /^[1-9][0-9]{0,8}$/;

/**
 * Registers the addresses that carriers call, in `scope`. They have no API key: the address names the credentials, and the signature
 * proves who sent it.
 */
export function carrierWebhookRoutes(scope: FastifyInstance, { phoneWebhooks, inboundSpec }: CarrierWebhookDeps): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(CONTENT_TYPES, { parseAs: "buffer" }, async (_: FastifyRequest, body: Buffer) => body);

  const register = (path: string, subjectOf: (params: Params) => WebhookSubject | undefined): void => {
    const options = { schema: { hide: true }, bodyLimit: CARRIER_WEBHOOK_BYTES_MAX };
    scope.post<{ Params: Params }>(path, options, async (request, reply) => {
      const subject = subjectOf(request.params);
      if (phoneWebhooks === undefined || subject === undefined) throw notFound("resource");
      const answer = await answerOf(phoneWebhooks, request, subject, inboundSpec);
      return send(reply, answer);
    });
  };

  for (const what of ["voice", "status"]) {
    register(`/telephony/:webhookKey/${what}`, () => ({ kind: "account" }));
    register(`/telephony/:webhookKey/calls/:callId/${what}`, ({ callId = "" }) => {
      return { kind: "call", callId: asCallId(callId) };
    });
  }
  register("/telephony/:webhookKey/calls/:callId/transfer/:transfer", ({ callId = "", transfer = "" }) => {
    if (!NUMBER.test(transfer)) return undefined;
    return { kind: "call", callId: asCallId(callId), transfer: Number(transfer) };
  });
  register("/telephony/:webhookKey/calls/:callId/after-stream/:connect", ({ callId = "", connect = "" }) => {
    if (!NUMBER.test(connect)) return undefined;
    return { kind: "after-stream", callId: asCallId(callId), connect: Number(connect) };
  });
  register("/telephony/:webhookKey/calls/:callId/instructions/:name", ({ callId = "", name = "" }) => {
    return { kind: "instruction", callId: asCallId(callId), name };
  });
}

type Answer = Awaited<ReturnType<PhoneWebhooks["answer"]>>;

async function answerOf(
  phoneWebhooks: Pick<PhoneWebhooks, "answer">,
  { method, raw, headers, body, params }: FastifyRequest<{ Params: Params }>,
  subject: WebhookSubject,
  inboundSpec: InboundSpec,
): Promise<Answer> {
  const webhook = {
    method,
    url: raw.url ?? "",
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    ),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  };
  try {
    return await phoneWebhooks.answer(params.webhookKey, subject, webhook, inboundSpec);
  } catch (error) {
    if (codeOf(error) !== "webhook_malformed") throw error;
    throw new ApiError("invalid_request", "the webhook could not be read");
  }
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  switch (answer.kind) {
    case "unknown":
      throw notFound("resource");
    case "forbidden":
      throw new ApiError("forbidden", "the signature of the webhook is not that of the carrier's account");
    case "done": {
      const { document } = answer;
      if (document === undefined) return reply.code(200).send();
      return reply.code(200).type(document.contentType).send(document.body);
    }
  }
}
