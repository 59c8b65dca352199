/**
 * `npm run test:long`: tests of what few changes touch, which would take `npm test` beyond its 6 minutes. Calls in real time,
 * measurements of a blocked event loop, processes that are killed or wait for their deadlines, commands that compile or are many,
 * and whatever repeats a test of `npm test` at a larger size. Of those that take 20 s and more:
 * - `call-command` and `human-demo`: whole calls in real time, whose parts test/simulator and test/cli/demo test;
 * - `postgres/contract`: the contract suite of the stores on Postgres; `npm test` runs it on SQLite;
 * - `uws/server` and `ws/server`: the contract suite of the media servers, with peers that never read and heads that never end;
 * - `workers`, `overload`, `resumption` and `tls`: services with several workers, on both media servers;
 * - `cluster/other-node`: two whole services on one Postgres; test/cluster has the messages between them;
 * - `cluster/faults` and `cluster/shared-files`: the same with an S3 server, killed, with other clocks, and a bucket that fails;
 * - `cluster/placed-calls`: two services, one of which drains or dies before a stream comes;
 * - `cluster/failover`: two services whose Postgres fails over to a replica that lags;
 * - `cluster/postgres-away`: two services whose Postgres is killed, or hangs, for longer than a lease;
 * - `first-start`: whole starts in new data directories;
 * - `call/run`: whole calls in real time, with every wire and file;
 * - `opus/native`, `opus/wasm` and `opus/lossy`: the suite of the codec on each library, and FEC over a lossy network;
 * - `golden-calls`: whole calls over every wire, which `npm run golden` also runs; `golden-journals` stays in `npm test`;
 * - `cli/api-keys`, `cli/users`, `cli/jobs`, `cli/command` and `cli/start`: each command as a process; other tests have what they do;
 * - `api/http/access`: every route with every kind of credential, as a request;
 * - `transcriptions/files`, `newer-schema` and `stalled-log`: whole services, which are killed, upgraded or not read;
 * - `openapi/document` and `session/roles`: every status of every operation, and every route with every role;
 * - `client-package`, `metrics`, `hang-up`, `encrypted-media` and `bucket`: whole services with a packed client, all metrics, every hang-up,
 *   and an S3 server;
 * - the files of `dashboard`: pages in Chromium against a whole service;
 * - the files of `web`: calls of real browsers in real time, and the packed browser SDK;
 * - `espeak/espeak` and `espeak/pool`: processes of eSpeak NG in real time;
 * - `list-plans`, `list-pages` and `next-version`: 100,000 records, and a made-up next version beside this one;
 * - `layers`: the linter, once for each rule; `npm run check` applies the rules;
 * - `drain` and `roll`: deadlines of whole processes, which the tests of the supervisor have in virtual time;
 * - `whole-call`, `account-providers` and `generated-client`: whole services whose calls take real time, and a compiled client;
 * - `telephony/calls`, `telephony/hold`, `telephony/in-the-call` and `telephony/demo`: whole services with emulated carriers, whose calls
 *   take real time;
 * - `nginx`: deployment behind a proxy that few have installed;
 * - the files of `docs`: all commands of the documentation; test/repository/blocks checks the rest of its blocks;
 * - `opus-packets`, `opus-dtx`, `pair-opus` and `frame-heap`: every size of packet, and the heap while frames pass;
 * - `hostile-calls`: 500 offers that nothing follows, a flood, and megabytes for a client that does not read;
 * - `setup-failures`: each step of the setup of a call fails, with each fault;
 * - `proof`: command lines of the proofs, and lists of all tests;
 * - `opus-codec` and the examples: whole calls in real time, whose codec and tools other tests cover;
 * - `calls/traces`: a whole service with a collector; test/record/traces has the spans of all journals;
 * - `first-words`: a build, and the time until a person is understood;
 * - `budgeted-process` and `checker`: child processes that use up their budgets of CPU time;
 * - `local/pool/memory`: the installed speech model in a process of its own, as it is built;
 * - `local/pool/processes`: child processes of the local STT that are killed, whose pool the other tests have in virtual time;
 * - `delivery/killed-process`: a process that is killed at each of its statements, on both databases;
 * - `busy-endpoints`, `dead-endpoint` and `two-runners`: hundreds of messages on both databases, each of which writes to the disk;
 * - `exiting-handler` and `poisonous-job`: processes that a job ends, again and again;
 * - `rotations`: programs ask while keys are rotated and the control process dies, until the clock says to seal again;
 * - `two-nodes`: built services as nodes on one Postgres, which are killed, stopped and started again;
 * - `promotion`, `server-clock` and `slow-server`: servers of Postgres in real time;
 * - `long-calls`: an hour of speech and 20 minutes of noise through the speech detectors, an hour of replies through the echo check;
 * - `all-outcomes` and `mutant-calls`: more seeds and mutants of the simulation than test/sim/sim and test/sim/mutants take;
 * - `local-cluster`: a Postgres, an S3 server and two nodes, started as `npm run cluster` does;
 * - `sim/cluster/sim`: whole simulations of clusters; test/cluster has their parts;
 * - `postgres/nodes` and `postgres/node-messages`: leases and messages of nodes on servers of Postgres in real time;
 * - `near-misses`: thousands of streams of STT providers, each with one message that is nearly right;
 * - `local/engine/moonshine`: the installed speech model itself; its parts are tested in `npm test`;
 * - `ingester/bombs`: documents that use up the budgets of the process that reads them;
 * - `resampler-rates`: the pairs of rates that test/media/resampler does not have, and an hour of audio;
 * - `client-types`: the types of the client are made again; `read-document`: every format of documents in a child process;
 * - `thread-client` and `echo-detector`: thousands of messages between threads, and minutes of echo.
 *
 * Since they take 6 s and more and few changes touch them: the other files of `longShared`, and of `longInParallel` those of accounts,
 * backups, secrets and retention as commands, of WebRTC, of the packed service and its configuration, `languages`, `openapi-client`,
 * `caller-audio`, `leaks`, `mutants` and `faults`.
 */
/** Of these, the files that leave no state in their process: they share processes. */
export const longShared = [
  "api/audio-transcriptions/openai-client",
  "api/calls/recordings/recordings",
  "api/events/stream",
  "api/http/hostile-requests",
  "api/http/responses/large-responses",
  "api/openapi/lint",
  "api/session/guessing",
  "api/transcriptions/live",
  "api/voices/routes",
  "call/knowledge/hostile-documents",
  "cluster/postgres-node-messages",
  "core/tools/mcp/process",
  "gateway/agent/exceptions",
  "gateway/leg/call/opus",
  "gateway/server/signed-upgrades",
  "knowledge/documents/read-document",
  "media/echo/echo-detector",
  "process/control/http/http-connections",
  "process/ingester/ingester",
  "process/renderer/client",
  "process/retrieval",
  "record/redaction/canaries",
  "repository/client-types",
  "simulator/audio/wav",
  "speech/reference/pair",
  "speech/reference/watermark/modulation",
  "speech/registry",
  "store/agents/query-plans",
  "store/bucket/s3",
  "store/bucket/shared-files",
  "store/handoff/thread-client",
  "store/older-schema",
  "store/phone-call-plans",
  "store/postgres/statements",
  "store/sqlite/database/write-lock",
  "store/sqlite/schema",
  "store/transfer",
  "transcription/audio/open-audio",
].map((name) => `test/${name}.test.ts`);
/** Files that need a process each, several of which run at once. */
export const longInParallel = [
  "test/bench/**/*.test.ts",
  "test/api/http/access.test.ts",
  "test/api/http/pages-in-a-browser.test.ts",
  "test/simulator/emulator/page.test.ts",
  "test/api/openapi/document.test.ts",
  "test/api/session/roles.test.ts",
  "test/cli/call/run.test.ts",
  "test/cli/api-keys.test.ts",
  "test/cli/command.test.ts",
  "test/cli/development-tools.test.ts",
  "test/cli/jobs.test.ts",
  "test/cli/models/add.test.ts",
  "test/cli/start.test.ts",
  "test/local-cluster/local-cluster.test.ts",
  "test/cli/users.test.ts",
  "test/core/runtime/node-version.test.ts",
  "test/delivery/busy-endpoints.test.ts",
  "test/delivery/dead-endpoint.test.ts",
  "test/delivery/killed-process.test.ts",
  "test/delivery/two-runners.test.ts",
  "test/gateway/golden-calls.test.ts",
  "test/gateway/leg/call/opus-dtx.test.ts",
  "test/gateway/leg/call/opus-packets.test.ts",
  "test/gateway/leg/frame-heap.test.ts",
  "test/gateway/leg/setup-failures.test.ts",
  "test/gateway/webrtc/hostile-calls.test.ts",
  "test/gateway/server/uws/server.test.ts",
  "test/gateway/server/ws/server.test.ts",
  "test/jobs/exiting-handler.test.ts",
  "test/jobs/poisonous-job.test.ts",
  "test/media/echo/long-calls.test.ts",
  "test/media/opus/lossy.test.ts",
  "test/media/opus/native.test.ts",
  "test/media/opus/wasm.test.ts",
  "test/media/resampler-rates.test.ts",
  "test/media/voice-activity/long-calls.test.ts",
  "test/media/voice-activity/silero/long-calls.test.ts",
  "test/process/ingester/bombs.test.ts",
  "test/proof/proof.test.ts",
  "test/record/journal/crash.test.ts",
  "test/repository/layers.test.ts",
  "test/speech/reference/pair-opus.test.ts",
  "test/speech/local/pool/turn-model.test.ts",
  "test/sim/all-outcomes.test.ts",
  "test/speech/stt/near-misses.test.ts",
  "test/sim/cluster/sim.test.ts",
  "test/sim/mutant-calls.test.ts",
  "test/store/list-pages.test.ts",
  "test/store/list-plans.test.ts",
  "test/store/next-version.test.ts",
  "test/store/postgres/contract.test.ts",
  "test/store/postgres/faults.test.ts",
  "test/store/postgres/node-messages.test.ts",
  "test/store/postgres/nodes.test.ts",
  "test/store/postgres/promotion.test.ts",
  "test/store/postgres/server-clock.test.ts",
  "test/store/postgres/slow-server.test.ts",
  "test/speech/local/engine/moonshine.test.ts",
  "test/speech/tts/providers/espeak/espeak.test.ts",
  "test/speech/tts/providers/espeak/pool.test.ts",
  "test/cli/accounts.test.ts",
  "test/cli/prune.test.ts",
  "test/cli/admin/backup.test.ts",
  "test/cli/admin/forget-secrets.test.ts",
  "test/cli/admin/recover.test.ts",
  "test/end-to-end/api/openapi-client.test.ts",
  "test/end-to-end/calls/languages.test.ts",
  "test/end-to-end/start/package.test.ts",
  "test/gateway/leg/caller-audio.test.ts",
  "test/gateway/webrtc/calls.test.ts",
  "test/gateway/webrtc/hostile-datagrams.test.ts",
  "test/gateway/webrtc/loopback.test.ts",
  "test/security/leaks.test.ts",
  "test/sim/mutants.test.ts",
  "test/store/sqlite/faults.test.ts",
  "test/end-to-end/start/configuration.test.ts",
  "test/cli/call.test.ts",
];
/** Of the same tests, files that measure time or hold calls in real time: one at a time, so that no test slows another down. */
export const longInTurn = [
  "test/core/schemas/checker.test.ts",
  "test/core/task-processes/budgeted-process.test.ts",
  "test/speech/local/pool/memory.test.ts",
  "test/speech/local/pool/processes.test.ts",
  "test/end-to-end/start/first-words.test.ts",
  "test/security/costly-input.test.ts",
  ...[
    "calls/call-command",
    "calls/human-demo",
    "calls/matrix",
    "calls/opus-codec",
    "calls/stage-latency",
    "calls/traces",
    "examples/listen",
    "examples/talk",
    "examples/tools",
    "examples/transcribe",
    "network/nginx",
    "network/unauthenticated-connections",
    "web/drift",
    "processes/chaos",
    "processes/postgres-outage",
    "cluster/failover",
    "cluster/faults",
    "cluster/postgres-away",
    "cluster/two-nodes",
    "telephony/demo",
  ].map((name) => `test/end-to-end/${name}.test.ts`),
];
/** The commands of the documentation, and deadlines of whole processes. They mostly wait, so two files run at once. */
export const longInPairs = [
  ...["docs/first-page", "docs/pages", "docs/account-pages", "docs/slow-pages", "docs/postgres-pages"],
  ...["network/tls", "start/first-start"],
  ...["processes/drain", "processes/killed-supervisor", "processes/lost-process"],
  ...[
    "cluster/other-node",
    "cluster/placed-calls",
    "cluster/shared-files",
    "processes/overload",
    "processes/resumption",
    "processes/workers",
    "processes/roll",
    "processes/rotations",
    "processes/signals",
    "start/data-dir",
    "start/newer-schema",
    "start/stalled-log",
  ],
  ...["api/client-package", "api/generated-client", "api/metrics"],
  ...["calls/account-providers", "calls/hang-up", "calls/whole-call", "processes/encrypted-media", "processes/bucket"],
  ...[
    "knowledge/calls",
    "knowledge/documents",
    "knowledge/retrieval",
    "telephony/calls",
    "telephony/hold",
    "telephony/in-the-call",
    "transcriptions/files",
    "transcriptions/live",
    "dashboard/agents",
    "dashboard/audit",
    "dashboard/call",
    "dashboard/corpora",
    "dashboard/day",
    "dashboard/failing",
    "dashboard/firefox",
    "dashboard/first-run",
    "dashboard/health",
    "dashboard/hostile-data",
    "dashboard/listen",
    "dashboard/keys",
    "dashboard/live",
    "dashboard/numbers",
    "dashboard/people",
    "dashboard/shared-stream",
    "dashboard/usage",
    "dashboard/webhooks",
    "dashboard/tools",
    "dashboard/transcriptions",
    "web/sdk-package",
    "web/firefox",
    "web/webrtc",
    "web/sdk-service",
    "web/sdk-transports",
    "web/talk",
    "web/widget",
    "web/examples",
  ],
].map((name) => `test/end-to-end/${name}.test.ts`);
