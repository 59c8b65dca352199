import { z } from "zod";
import { VariableValuesBody } from "../agents/variable-schemas.ts";
import { WebsocketBody } from "../calls/schemas/request-schemas.ts";
import { documentedAs } from "../http/documented-as.ts";
import { oneOf } from "../http/requests/fields.ts";

/** The connection types of calls that web pages start. */
export const WEB_CONNECTION_TYPES = ["websocket", "webrtc"] as const;

/** `POST /agents/{id}/web-calls`. A missing body equals an empty one. */
export const WebCallBody = z
  .strictObject(
    {
      connectionType: oneOf(WEB_CONNECTION_TYPES).optional().meta({
        description:
          "The protocol of the media stream: `websocket` by default. `webrtc`: audio as RTP; 501 where the service lacks the optional package `node-datachannel` or `WEBRTC_UDP_PORTS`.",
      }),
      // Read only when `connectionType` is `websocket`; any other value is accepted otherwise.
      websocket: documentedAs(z.unknown(), WebsocketBody).optional(),
      variables: VariableValuesBody.optional().meta({
        description:
          "Values of the agent's variables, as in `POST /agents/{id}/calls`. The page's visitor can choose them.",
        examples: [{ customer: "Mrs Miller" }],
      }),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewWebCall",
    description: "What a page gives of a call; everything else is the agent's.",
    examples: [{ variables: { customer: "Mrs Miller" } }, { connectionType: "websocket" }],
  })
  .nullish();
/** The body as the client sends it. */
export type WebCallBody = NonNullable<z.input<typeof WebCallBody>>;
