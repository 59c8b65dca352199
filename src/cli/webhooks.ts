import "../core/runtime/node-version.ts";
import { readDataDir, readServiceAccess } from "../config/environment.ts";
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from "../core/webhook-events.ts";
import { openLocalService } from "../simulator/service/local-service.ts";
import { firstApiKeyPath } from "../store/data-dir/first-api-key.ts";
import {
  abortOnSignals,
  notACommand,
  notOneOf,
  readArguments,
  runCommand,
  surplusArgument,
  UsageError,
  wholeNumber,
} from "./command.ts";
import { listen } from "./webhooks/listen.ts";

const HELP = `Receives webhooks of the service on this machine, for development.

  npm run webhooks -- listen                       print and verify every delivery, until Ctrl-C
  npm run webhooks -- listen --event call.ended    only events of this type; may be repeated

  --port <number>   the port that deliveries come to; any free one by default
  --count <number>  exit after so many deliveries
  --json            print whole messages, one line of JSON each
  --fail <number>   answer the first so many deliveries with 500, to see them sent again

It creates a webhook and deletes it at the end. The service must run with WEBHOOKS_ALLOW_LOOPBACK=true, and the API key is
TRUNKLINE_API_KEY or the service's first one.

The exit code is 0 when every signature was right, 1 otherwise, 2 for a usage error.
`;

const OPTIONS = {
  event: { type: "string", multiple: true },
  port: { type: "string", default: "0" },
  count: { type: "string" },
  fail: { type: "string", default: "0" },
  json: { type: "boolean" },
} as const;

const PORT_MAX = 65_535;

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS, { allowPositionals: true });
  const [command, ...others] = positionals;
  if (command !== "listen") throw new UsageError([notACommand(command, "listen")]);
  if (others[0] !== undefined) throw new UsageError([surplusArgument(others[0], command)]);
  const given = values.event ?? WEBHOOK_EVENT_TYPES;
  const unknown = given.filter((type) => !(WEBHOOK_EVENT_TYPES as readonly string[]).includes(type));
  if (unknown.length > 0) throw new UsageError(unknown.map((type) => notOneOf("--event", WEBHOOK_EVENT_TYPES, type)));
  const stop = abortOnSignals();
  const { apiUrl, apiKey, localUrl } = readServiceAccess();
  const place = { apiUrl: apiUrl ?? localUrl, firstKeyPath: firstApiKeyPath(readDataDir()) };
  const plan = {
    eventTypes: given as readonly WebhookEventType[],
    port: wholeNumber("port", values.port, 0, PORT_MAX),
    count: values.count === undefined ? Number.POSITIVE_INFINITY : wholeNumber("count", values.count, 1),
    failures: wholeNumber("fail", values.fail),
    json: values.json === true,
  };
  const api = await openLocalService(place, apiKey, stop.signal);
  const isRight = await listen(plan, api, stop.signal, {
    print: (line) => process.stdout.write(`${line}\n`),
    note: (line) => process.stderr.write(`${line}\n`),
  });
  return isRight ? 0 : 1;
}

await runCommand({ help: HELP, example: "npm run webhooks -- listen --event call.ended", run });
