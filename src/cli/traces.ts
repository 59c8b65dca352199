import "../core/runtime/node-version.ts";
import {
  abortOnSignals,
  notACommand,
  readArguments,
  runCommand,
  surplusArgument,
  UsageError,
  wholeNumber,
} from "./command.ts";
import { listenForTraces } from "./traces/listen.ts";

const HELP = `Receives traces of the service on this machine, in place of a collector, and draws them.

  npm run traces -- listen    print each trace once its call is over, until Ctrl-C

  --port <number>   the port that traces come to; by default 4318, that of collectors
  --count <number>  exit after so many traces

The service must run with OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318.

The exit code is 0, or 2 for a usage error.
`;

const OPTIONS = {
  port: { type: "string", default: "4318" },
  count: { type: "string" },
} as const;

const PORT_MAX = 65_535;

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS, { allowPositionals: true });
  const [command, ...others] = positionals;
  if (command !== "listen") throw new UsageError([notACommand(command, "listen")]);
  if (others[0] !== undefined) throw new UsageError([surplusArgument(others[0], command)]);
  const plan = {
    port: wholeNumber("port", values.port, 0, PORT_MAX),
    count: values.count === undefined ? Number.POSITIVE_INFINITY : wholeNumber("count", values.count, 1),
  };
  await listenForTraces(plan, abortOnSignals().signal, {
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
  });
  return 0;
}

await runCommand({ help: HELP, example: "npm run traces -- listen", run });
