import type { FastifyRequest } from "fastify";
import type { CallSpec } from "../../../core/calls/spec.ts";
import { parseTraceparent, traceparentText } from "../../../core/traces/traceparent.ts";

/** The specification with the span of the client that asks for the call, where its request names one. Visitors of web pages name none. */
export function withTraceparent<Spec extends CallSpec>(
  spec: Spec,
  { headers, webCall }: Pick<FastifyRequest, "headers" | "webCall">,
): Spec {
  const { traceparent } = headers;
  const parent = typeof traceparent === "string" && webCall === undefined ? parseTraceparent(traceparent) : undefined;
  return parent === undefined ? spec : { ...spec, traceparent: traceparentText(parent) };
}
