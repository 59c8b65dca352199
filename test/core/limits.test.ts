import { describe, expect, test } from "vitest";
import {
  SCHEMA_COMPILE_CPU_MS_MAX,
  SCHEMAS_OF_REQUEST_CPU_MS_MAX,
  TOOL_ARGUMENTS_CHARS_MAX,
  TOOL_ARGUMENTS_CHARS_PER_REPLY_MAX,
  TOOL_SCHEMA_DEPTH_MAX,
} from "../../src/core/limits/agents/tools.ts";
import {
  GOODBYE_MS_MAX,
  MARKS_OUTSTANDING_MAX,
  METADATA_BYTES_MAX,
  METADATA_DEPTH_MAX,
  REPLY_SEGMENTS_MAX,
  TURN_TEXT_CHARS_MAX,
} from "../../src/core/limits/calls/calls.ts";
import {
  BODY_BYTES_MAX,
  DOWNLOADS_MAX,
  DOWNLOADS_PER_ACCOUNT_MAX,
  JSON_DEPTH_MAX,
  KEEP_ALIVE_MS,
  LARGE_RESPONSES_MAX,
  LARGE_RESPONSES_PER_ACCOUNT_MAX,
} from "../../src/core/limits/control-api/api.ts";
import {
  LOAD_REPORT_MS,
  LOAD_SILENCE_MS_MAX,
  LOOP_LAG_MS_MAX,
  REDEEM_MS_MAX,
  REDEMPTION_LOCK_MS_MAX,
  REDEMPTION_LOCK_POLL_MS,
} from "../../src/core/limits/service/admission.ts";
import {
  CONTROL_STALL_MS_MAX,
  DRAIN_EXIT_MS_MAX,
  DRAIN_RECORDS_MS,
  HEARTBEAT_MS,
  RESTART_MS_MAX,
  RESTART_MS_MIN,
  TASK_RUN_MS_MAX,
  TASKS_MAX,
  TASKS_PER_ACCOUNT_MAX,
  WORKER_STALL_MS_MAX,
} from "../../src/core/limits/service/processes.ts";
import { LLM_IDLE_MS_MAX } from "../../src/core/limits/speech-providers/llm.ts";
import { PROVIDER_FIRST_OUTPUT_MS_MAX } from "../../src/core/limits/speech-providers/providers.ts";
import {
  STT_BACKLOG_MS_MAX,
  STT_CHUNK_FRAMES,
  STT_CONNECT_MS_MAX,
  STT_KEEP_ALIVE_MS,
  STT_REPLAY_MS_MAX,
  STT_REPLAY_SILENCE_MS,
  STT_TURN_PAUSE_MS,
  STT_UNRECOGNIZED_SPEECH_MS_MAX,
  STT_UTTERANCE_TRANSCRIPT_MS_MAX,
} from "../../src/core/limits/speech-providers/stt.ts";
import { TTS_CACHE_BYTES_MAX, TTS_CACHE_ENTRY_BYTES_MAX } from "../../src/core/limits/speech-providers/tts.ts";
import {
  JOURNAL_BACKLOG_BYTES_MAX,
  JOURNAL_PENDING_BYTES_MAX,
  RENDERER_STALL_MS_MAX,
} from "../../src/core/limits/storage/storage.ts";
import {
  BACKLOG_MS_MAX,
  INBOUND_AHEAD_MS_MAX,
  INBOUND_STALL_MS_MAX,
  JITTER_BUFFER_CHUNK_MS_MAX,
  JITTER_BUFFER_CHUNKS_MAX,
  JITTER_BUFFER_WAIT_MS,
  STT_SILENCE_FRAMES,
} from "../../src/core/limits/streams/caller-audio.ts";
import {
  FRAMING_BYTES_BURST_MAX,
  PING_INTERVAL_S_DEFAULT,
  PING_INTERVAL_S_MAX,
  PING_TIMEOUT_S_DEFAULT,
  PING_TIMEOUT_S_MAX,
  SOCKET_IDLE_S,
  SOCKET_PAYLOAD_BYTES_MAX,
} from "../../src/core/limits/streams/connections.ts";
import {
  CARRIER_FRAME_SAMPLES,
  FRAME_MS,
  OUTPUT_CUSHION_FRAMES,
  OUTPUT_LEAD_MS,
  OUTPUT_RING_FRAMES_MAX,
  TICK_SLOTS,
} from "../../src/core/limits/streams/media.ts";
import {
  CARRIER_BYTES_BURST_MAX,
  CARRIER_MESSAGE_BYTES_MAX,
  MESSAGE_PART_BYTES,
  MESSAGES_PER_SECOND_MAX,
  NON_AUDIO_MESSAGES_PER_SECOND_MAX,
  TEXT_BYTES_BURST_MAX,
  TYPED_CHARS_BURST_MAX,
} from "../../src/core/limits/streams/messages.ts";

// The relations between limits: each of them is chosen for itself, and these must hold whatever is chosen.

type Relation = readonly [relation: string, holds: () => boolean];
const holds = (_: string, relation: () => boolean): void => expect(relation()).toBe(true);

describe("audio fits its buffers", () => {
  test.each<Relation>([
    ["a frame of a carrier is whole samples", () => Number.isInteger(CARRIER_FRAME_SAMPLES)],
    ["a slot of the ticker is whole milliseconds", () => FRAME_MS % TICK_SLOTS === 0],
    ["the cushion of output fits the ring", () => OUTPUT_CUSHION_FRAMES < OUTPUT_RING_FRAMES_MAX],
    ["the lead of output covers a late tick", () => OUTPUT_LEAD_MS >= 2 * FRAME_MS],
    ["workers are offered fewer calls before a caller hears the loop's lag", () => LOOP_LAG_MS_MAX < OUTPUT_LEAD_MS],
    [
      "a frame fits the jitter buffer",
      () => JITTER_BUFFER_CHUNKS_MAX * FRAME_MS > JITTER_BUFFER_WAIT_MS && JITTER_BUFFER_CHUNK_MS_MAX > FRAME_MS,
    ],
    [
      "what is caught up with after a stall is less than the backlog that is read",
      () => INBOUND_STALL_MS_MAX < BACKLOG_MS_MAX,
    ],
  ])("%s", holds);
});

describe("messages within one limit break no other", () => {
  test.each<Relation>([
    ["our own close code 1009 comes before the library's", () => SOCKET_PAYLOAD_BYTES_MAX > CARRIER_MESSAGE_BYTES_MAX],
    [
      "audio after a stall is no flood",
      () => (INBOUND_AHEAD_MS_MAX + BACKLOG_MS_MAX) / FRAME_MS < MESSAGES_PER_SECOND_MAX,
    ],
    [
      "all marks of an interrupted reply may come back at once",
      () => NON_AUDIO_MESSAGES_PER_SECOND_MAX > REPLY_SEGMENTS_MAX && MARKS_OUTSTANDING_MAX > REPLY_SEGMENTS_MAX,
    ],
    ["the longest typed text passes", () => TYPED_CHARS_BURST_MAX >= TURN_TEXT_CHARS_MAX],
    [
      "the longest result of a client tool passes, charged twice",
      () => TEXT_BYTES_BURST_MAX >= 2 * CARRIER_MESSAGE_BYTES_MAX,
    ],
    [
      "one message of a carrier passes, whatever it holds",
      () => CARRIER_BYTES_BURST_MAX > CARRIER_MESSAGE_BYTES_MAX * (1 + MESSAGE_PART_BYTES),
    ],
    ["two incomplete messages of the largest size pass", () => FRAMING_BYTES_BURST_MAX >= 2 * SOCKET_PAYLOAD_BYTES_MAX],
    [
      "a connection that is lost is closed by our rule and not by the library's",
      () => PING_TIMEOUT_S_MAX + PING_INTERVAL_S_MAX < SOCKET_IDLE_S,
    ],
    [
      "a connection is lost after at least three unanswered pings",
      () => PING_TIMEOUT_S_DEFAULT >= 3 * PING_INTERVAL_S_DEFAULT,
    ],
  ])("%s", holds);
});

describe("the timeouts of providers are shorter than those of the call", () => {
  test.each<Relation>([
    ["replayed audio is accepted at once", () => STT_REPLAY_MS_MAX + STT_CONNECT_MS_MAX < STT_BACKLOG_MS_MAX],
    [
      "what a silent STT missed can be replayed to the next",
      () => STT_UNRECOGNIZED_SPEECH_MS_MAX + STT_UTTERANCE_TRANSCRIPT_MS_MAX < STT_REPLAY_MS_MAX,
    ],
    ["the silence that is replayed fits what is replayed", () => STT_REPLAY_SILENCE_MS < STT_REPLAY_MS_MAX],
    [
      "within a reply nothing is waited for longer than for its beginning",
      () => LLM_IDLE_MS_MAX < PROVIDER_FIRST_OUTPUT_MS_MAX,
    ],
    ["a keep-alive comes before Deepgram closes the stream, after 10 s", () => STT_KEEP_ALIVE_MS < 10_000],
    [
      "the silence that stands for frames that are not sent is enough to ask for the end of a turn",
      () => STT_TURN_PAUSE_MS <= STT_SILENCE_FRAMES * FRAME_MS,
    ],
    ["a chunk is long enough for AssemblyAI, 50 ms", () => STT_CHUNK_FRAMES * FRAME_MS >= 50],
    ["a cached phrase fits the cache", () => TTS_CACHE_ENTRY_BYTES_MAX < TTS_CACHE_BYTES_MAX],
  ])("%s", holds);
});

describe("the buffers of a journal have room for the largest events", () => {
  test.each<Relation>([
    [
      "the tool calls of one reply, journaled as its text and as commands, three bytes a character",
      () => JOURNAL_BACKLOG_BYTES_MAX > 2 * 3 * TOOL_ARGUMENTS_CHARS_PER_REPLY_MAX,
    ],
    [
      "the specification: an agent, which was one body, and the metadata of the call",
      () => JOURNAL_BACKLOG_BYTES_MAX > BODY_BYTES_MAX + METADATA_BYTES_MAX,
    ],
    ["audio is left out before events are", () => JOURNAL_PENDING_BYTES_MAX < JOURNAL_BACKLOG_BYTES_MAX],
  ])("%s", holds);
});

describe("tools and their schemas", () => {
  test.each<Relation>([
    [
      "one schema is cheaper than all of a request, and less than a task may run",
      () => SCHEMA_COMPILE_CPU_MS_MAX <= SCHEMAS_OF_REQUEST_CPU_MS_MAX && SCHEMA_COMPILE_CPU_MS_MAX < TASK_RUN_MS_MAX,
    ],
    [
      "a schema is nested less deep than JSON may be",
      () => TOOL_SCHEMA_DEPTH_MAX < JSON_DEPTH_MAX && METADATA_DEPTH_MAX < JSON_DEPTH_MAX,
    ],
    [
      "one tool call fits the arguments of a reply",
      () => TOOL_ARGUMENTS_CHARS_MAX <= TOOL_ARGUMENTS_CHARS_PER_REPLY_MAX,
    ],
  ])("%s", holds);
});

describe("processes have time to end, and are not restarted while they work", () => {
  test.each<Relation>([
    ["workers have time for their goodbyes", () => DRAIN_EXIT_MS_MAX > GOODBYE_MS_MAX + DRAIN_RECORDS_MS],
    ["a worker is replaced before the control process is", () => WORKER_STALL_MS_MAX < CONTROL_STALL_MS_MAX],
    [
      "a stall is whole heartbeats",
      () =>
        [WORKER_STALL_MS_MAX, CONTROL_STALL_MS_MAX, RENDERER_STALL_MS_MAX].every(
          (stallMs) => stallMs % HEARTBEAT_MS === 0,
        ),
    ],
    ["the wait between restarts grows", () => RESTART_MS_MIN < RESTART_MS_MAX],
    [
      "a redemption asks for the lock several times, and gives up before its worker does",
      () => REDEMPTION_LOCK_POLL_MS < REDEMPTION_LOCK_MS_MAX && REDEMPTION_LOCK_MS_MAX < REDEEM_MS_MAX,
    ],
    ["a worker reports its load before it counts as silent", () => LOAD_REPORT_MS < LOAD_SILENCE_MS_MAX],
    [
      "one account leaves room for others",
      () =>
        LARGE_RESPONSES_PER_ACCOUNT_MAX < LARGE_RESPONSES_MAX &&
        DOWNLOADS_PER_ACCOUNT_MAX < DOWNLOADS_MAX &&
        TASKS_PER_ACCOUNT_MAX < TASKS_MAX,
    ],
    ["a load balancer closes a kept-alive connection first, after 60 s", () => KEEP_ALIVE_MS > 60_000],
  ])("%s", holds);
});
