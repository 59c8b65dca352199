import { z } from "zod";
import { NewCallBody } from "../calls/schemas/request-schemas.ts";
import { oneOf } from "../http/requests/fields.ts";
import { email } from "../users/schemas.ts";
import { WEB_CONNECTION_TYPES } from "../web-calls/schemas.ts";

/** `POST /talk/session`. The text of the link is checked by the handler, which names no value. */
export const OpenBody = z.strictObject({ token: z.unknown() }, { error: "must be a JSON object" });

/** `POST /talk/owner`. The password is checked by the handler, which shows no value. */
export const OwnerBody = z.strictObject({ email, password: z.unknown() }, { error: "must be a JSON object" });

/** `POST /talk/calls`: what the form of the page has. Everything else is as `POST /calls` has it by default. */
export const ScratchCallBody = NewCallBody.pick({
  systemPrompt: true,
  voice: true,
  language: true,
  greeting: true,
  websocket: true,
}).extend({ connectionType: oneOf(WEB_CONNECTION_TYPES).default("websocket") });

/** `GET /talk/voices`. */
export const VoicesQuery = z.strictObject({ language: z.string({ error: "must be the code of a language" }) });
