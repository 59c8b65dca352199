import { strict as assert } from "node:assert";

/** Every bound of the service, in one place, each with its unit and, where it is reached, its policy. */

// Media: one frame is 20 ms of signed 16-bit mono.
export const FRAME_MS = 20;
export const CARRIER_RATE_HZ = 8_000;
export const CARRIER_FRAME_SAMPLES = (CARRIER_RATE_HZ / 1_000) * FRAME_MS;
/** How far output runs ahead of what the carrier plays, at least, so that a stall of the loop as long as that is not heard. */
export const OUTPUT_LEAD_MS = 100;
/** Speech that must be there before any of a reply is sent, unless it is all there is: a voice does not deliver evenly. */
export const OUTPUT_CUSHION_FRAMES = 10;
/** Synthesised speech waiting for its turn to be sent, per call; when full the synthesis is not pulled any further. */
export const OUTPUT_RING_FRAMES_MAX = 150;
/** Phase slots of the ticker: every call is due each FRAME_MS, but only a tenth of them in the same 2 ms. */
export const TICK_SLOTS = 10;

// Wires: what a peer may send.
export const CARRIER_MESSAGE_BYTES_MAX = 64 * 1024;
/** uWebSockets.js drops the connection above this without a close code, so it stands above our own cap, which answers 1009. */
export const SOCKET_PAYLOAD_BYTES_MAX = 2 * CARRIER_MESSAGE_BYTES_MAX;
export const STREAM_ID_CHARS_MAX = 256;
/** A carrier's own code for what it complains about; it is logged, so longer ones are not told. */
export const CARRIER_CODE_CHARS_MAX = 64;
/** What carrier_c passes on with its messages, as it limits it; with more than that its audio has no fast reader. */
export const EXTRA_HEADERS_CHARS_MAX = 512;
/** The caller's audio may run this far ahead of real time; past it the call ends with `audio_flood`. Of Opus in 2.5 ms 400 x 24 µs = 0.9 % of the loop. */
export const INGEST_AHEAD_MS_MAX = 2_000;
/** How much of a pause in the caller's audio may be made up for at once, as after a stall of the network, or of ours. */
export const INGEST_STALL_MS_MAX = 15_000;
/** Silence that the ear is given where the carrier sends none: enough for it to know that an utterance is over. */
export const EAR_SILENCE_FRAMES = 25;
/** With a frame this much later than usual the peer is taken to send none for silence, rather than to be late. */
export const EAR_STARVED_MS = 500;
/** Audio without a time of its own that lags our clock by this much is taken to come after a pause in which none was sent. */
export const UNDATED_LAG_MS_MAX = 500;
/** How much of the caller's audio a carrier may have held up and then sends all at once; more than that by its times is no delay. */
export const BACKLOG_MS_MAX = 45_000;
/** A backlog that takes longer than this to come is none: the carrier's clock was set. */
export const BACKLOG_DRAIN_MS_MAX = 2_000;
/** Messages within one second; past it the call ends with `protocol_error`. A carrier sends 50, unless it makes up. 2,500 x 4.5 µs = 1.1 % of the loop. */
export const MESSAGES_PER_SECOND_MAX = 2_500;
/** Of them those that are no audio: 500 x 28 µs = 1.4 % of the loop, with as many bytes as `message-limits.ts` allows. */
export const OTHER_MESSAGES_PER_SECOND_MAX = 500;
/** Audio that came before its turn waits this long for what is missing, or until this much more has come; then the gap is given up. */
export const REORDER_WAIT_MS = 60;
/** A message further ahead than this is no gap, it begins a new count: 2 s in messages of 20 ms. */
export const REORDER_AHEAD_CHUNKS_MAX = 100;
/** A message further behind than this is not late, it begins a new count. */
export const REORDER_LATE_CHUNKS_MAX = 100;
/** More messages in a row that seem to be late, or to come twice, are neither: the count has begun again. */
export const REORDER_DROPPED_MAX = 16;
/** Messages that wait at once, and audio of the longest that can; what does not fit gives up the gap in front of it. */
export const REORDER_HELD_MAX = 12;
export const REORDER_HELD_MESSAGE_MS_MAX = 200;
/** Marks that come back, and clears that are answered, within one second; more are ignored and counted. 100 x 92 µs = 0.9 % of the loop. */
export const MARKS_PER_SECOND_MAX = 100;
/** Malformed messages within one second; past it the call ends with `protocol_error`. 50 x 229 µs = 1.1 % of the loop. */
export const MALFORMED_PER_SECOND_MAX = 50;
/** How far a peer's timestamps may put its audio ahead of the time that has really passed; jumps beyond that are cut to it. */
export const TIMESTAMP_GAP_MS_MAX = 2_000;
/** Keys within one second; more are ignored and counted. 20 x 231 µs = 0.5 % of the loop. */
export const DTMF_PER_SECOND_MAX = 20;
/** Where keys may come out of order, each waits this long for one that was pressed before it. */
export const DTMF_ORDER_MS = 200;
/** Complaints of a carrier that are logged within one second; all are counted. */
export const CARRIER_ERRORS_LOGGED_PER_SECOND_MAX = 5;
/** Signatures of one upgrade that are looked at: a carrier sends a few while its secret is being changed. */
export const SIGNATURES_MAX = 8;

// The raw WebSocket protocol.
/** Audio in one message; more is answered with 1009. */
export const STREAM_MESSAGE_MS_MAX = 1_000;
/** RFC 6716, section 3.4: a packet of one frame is no longer; and the audio in one packet is never more than this. */
export const OPUS_PACKET_BYTES_MAX = 1_275;
export const OPUS_PACKET_MS_MAX = 120;

// Sockets.
/** Output buffered for a peer that reads too slowly; past it the call ends with `slow_consumer`. */
export const SOCKET_BACKPRESSURE_BYTES_MAX = 256 * 1024;
/** From the upgrade to the carrier's `start`. */
export const LEG_START_MS_MAX = 5_000;
/** Pings and pongs of a peer within one second; past it the call ends with `protocol_error`. 100 x 34 µs = 0.3 % of the loop. */
export const CONTROL_FRAMES_PER_SECOND_MAX = 100;
/** How often the certificate's files are looked at for another one. */
export const CERTIFICATE_POLL_MS = 5_000;
/** With less than this left to the certificate a warning is logged, once in CERTIFICATE_WARN_MS. */
export const CERTIFICATE_EXPIRES_SOON_MS = 14 * 86_400_000;
export const CERTIFICATE_WARN_MS = 86_400_000;

// Descriptors: of what the system lets a process have open at once, strangers take no more than calls leave.
/** For what every process needs beside its connections: programs, the other processes, the store, a file that is read. */
export const DESCRIPTORS_RESERVED = 128;
/** A call is its stream and its journal; a connection to the API, and the recording that is fetched on it. */
export const DESCRIPTORS_PER_CALL = 2;
export const DESCRIPTORS_PER_REQUEST = 2;

// Tokens; what they are made of stands in `token-limits.ts`.
export const TOKEN_TTL_S_DEFAULT = 60;
export const TOKEN_TTL_S_MIN = 5;
export const TOKEN_TTL_S_MAX = 600;
/** A redemption that has no answer by then is refused with 503, and the worker returns it: no call came of it. */
export const REDEEM_MS_MAX = 1_000;

// Ears that are asked over the network.
/** How long a provider may be connected to. */
export const EAR_CONNECT_MS_MAX = 3_000;
/** Audio that a provider has not taken yet, while it is connected to or reads too slowly; past it the stream has failed. */
export const EAR_BACKLOG_MS_MAX = 16_000;
/** What was said since its last final that another ear is told when one fails; of more the beginning is lost. */
export const EAR_KEPT_MS_MAX = 12_000;
/** The same where nobody is speaking: an ear is surer of words that silence stands before. */
export const EAR_KEPT_SILENCE_MS = 500;
/** Voice of which an ear that lives tells nothing: then it does not. */
export const EAR_UNHEARD_VOICE_MS_MAX = 6_000;
/** How much later than the voice one may tell of it that hears whole utterances only. */
export const EAR_UTTERANCE_ANSWER_MS_MAX = 4_000;
/** From the first failure until some ear hears again; past it the call has none. */
export const EAR_GAP_MS_MAX = 5_000;
/** Between attempts, once every ear has been tried. */
export const EAR_REOPEN_MS = 500;
/** A provider that has taken a stream and kept it for so long is there; some take what they close at once. */
export const EAR_STANDS_MS = 250;
/** Frames that go into one message to a provider. AssemblyAI takes none of less than 50 ms. */
export const EAR_CHUNK_FRAMES = 3;
/** One message of a provider; with a longer one it has failed. */
export const EAR_MESSAGE_BYTES_MAX = 1024 * 1024;
/** From our goodbye to a provider until its socket is cut. */
export const EAR_GOODBYE_MS_MAX = 500;
/** Deepgram closes a stream on which nothing came for 10 s. */
export const EAR_KEEP_ALIVE_MS = 4_000;
/** An utterance that is longer is cut there: Whisper listens to 30 s at once. */
export const EAR_UTTERANCE_MS_MAX = 30_000;
/** Utterances that wait for their transcription, the one that is being made included; past it the stream has failed. */
export const EAR_UTTERANCES_MS_MAX = 2 * EAR_UTTERANCE_MS_MAX;
/** The transcription of one utterance, as it comes; with more the ear has failed. */
export const EAR_ANSWER_BYTES_MAX = 256 * 1024;

// The call machine.
/** Transcripts longer than this are cut, and a model that says more at once is stopped: nobody says or hears that much in one turn. */
export const TURN_TEXT_CHARS_MAX = 16_384;
/** Failures of the model in a row that end the call; before that the caller hears an apology. */
export const MODEL_FAILURES_MAX = 2;
export const REPLY_PIECES_MAX = 400;
/** How often in one reply the model may ask for tools; after that it is offered none. */
export const TOOL_ROUNDS_MAX = 6;
/** Tools it may ask for at once; the rest is refused, and it is told. */
export const TOOL_CALLS_PER_ROUND_MAX = 8;
/** Arguments of one tool call, as JSON; with more the call is refused. */
export const TOOL_ARGUMENTS_CHARS_MAX = 16 * 1024;
/** And of all calls in one answer of the model; those with which it is more are refused. */
export const TOOL_ARGUMENTS_CHARS_PER_ANSWER_MAX = 64 * 1024;
/** Calls in one answer that are told on, to be refused at least; a model that asks for more is stopped. */
export const TOOL_CALLS_PER_ANSWER_MAX = 1_000;
/** Lists and objects in them: what is nested too deep could not be written again. */
export const TOOL_ARGUMENTS_PARTS_MAX = 1_000;
/** What the model is told of a tool's result; the rest is cut off. */
export const TOOL_RESULT_CHARS_MAX = 16 * 1024;
/** How long a tool may take, from the model's call to the result. */
export const TOOL_TIMEOUT_MS_DEFAULT = 10_000;
export const TOOL_TIMEOUT_MS_MIN = 1_000;
export const TOOL_TIMEOUT_MS_MAX = 30_000;
/** Tools of one call that run at once, those of replies that were cut included; one more fails, and the model is told. */
export const TOOLS_RUNNING_MAX = 16;
/** What is read of the answer to an HTTP tool; with more the tool has failed. */
export const TOOL_ANSWER_BYTES_MAX = 64 * 1024;
export const TOOL_ANSWER_HEAD_BYTES_MAX = 16 * 1024;
export const TOOL_NAME_CHARS_MAX = 64;
export const TOOL_DESCRIPTION_CHARS_MAX = 1_024;
export const TOOL_URL_CHARS_MAX = 2_048;
export const TOOL_HEADERS_MAX = 16;
export const TOOL_HEADER_CHARS_MAX = 2_048;
/** The JSON Schema of a tool's arguments: as JSON, and in levels. */
export const TOOL_SCHEMA_CHARS_MAX = 8 * 1024;
export const TOOL_SCHEMA_DEPTH_MAX = 8;
/** Keys of one entry; the next begins another. */
export const DTMF_ENTRY_DIGITS_MAX = 64;
export const MARKS_OUTSTANDING_MAX = 1_024;

// Models: what a server may send in answer to one question; past it the answer has failed.
export const MODEL_ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** One server-sent event of it, in characters. */
export const MODEL_EVENT_CHARS_MAX = 1024 * 1024;
/** What is read of a refusal, for the code that stands in it. */
export const MODEL_REFUSAL_BYTES_MAX = 64 * 1024;
/** When the last event has come, the end of the body is waited for so long: then its connection can be used again. */
export const MODEL_TAIL_MS = 250;
/** What a model may say and think, where its server insists on a bound: twice what a turn keeps. */
export const MODEL_TOKENS_MAX = 8_192;
/** Signatures of a model's tool calls that are kept to be shown again; of the oldest none is known any more. */
export const MODEL_SIGNATURES_MAX = 4_096;
export const MODEL_SIGNATURE_CHARS_MAX = 16 * 1024;

// Providers: what may fail of them before the call does, whose own deadlines (`modelSilenceMs`, `voiceSilenceMs`) are longer.
/** Failures in a row after which a provider is left alone, and how often it is tried then, by one stream at a time. */
export const PROVIDER_FAILURES_MAX = 3;
export const PROVIDER_PROBE_MS = 2_000;
/** Streams of one provider that an operator may allow at once. */
export const PROVIDER_STREAMS_MAX = 100_000;
/** How often one provider is asked the same within one answer, and when again if it refused and did not say when. */
export const PROVIDER_TRIES_MAX = 2;
export const PROVIDER_RETRY_MS = 250;
/** So often a model is asked ahead within one turn of the caller's: who stops behind each word costs no more than that. */
export const ASKED_AHEAD_MAX = 3;
/** A connection to a provider is kept for so long though nobody asks anything: longer than most servers keep theirs. */
export const PROVIDER_CONNECTION_IDLE_MS = 120_000;
/** A provider that closes a WebSocket and keeps its connection is hung up on after this. */
export const PROVIDER_CLOSE_MS_MAX = 500;
/** A model, or a voice, that has told nothing by then is given up where there is another one. */
export const MODEL_FIRST_MS_MAX = 3_000;
export const VOICE_FIRST_MS_MAX = 2_000;
/** All of them together, and the only one. */
export const ANSWER_BEGINS_MS_MAX = 7_500;
/** Silence within an answer, and within speech that somebody waits for. */
export const MODEL_IDLE_MS_MAX = 6_000;
export const VOICE_IDLE_MS_MAX = 3_000;
/** A whole answer of a model, and all the waiting for one piece of speech: what only drips ends here. */
export const MODEL_ANSWER_MS_MAX = 60_000;
export const VOICE_WAITED_MS_MAX = 30_000;
/** How long another provider's voice is looked for, and a list of voices waited for where others are at hand. */
export const VOICE_CHOICE_MS_MAX = 1_000;
/** Speech that is kept because it was asked for more than once, of all calls; and the longest text, and speech, of which it is. */
export const SPEECH_CACHE_BYTES_MAX = 16 * 1024 * 1024;
export const SPEECH_CACHED_CHARS_MAX = 500;
export const SPEECH_CACHED_BYTES_MAX = 2 * 1024 * 1024;
/** Texts of which it is remembered that they were asked for once. */
export const SPEECH_ASKED_MAX = 4_096;

// Calls.
export const MAX_DURATION_S_MIN = 60;
export const MAX_DURATION_S_MAX = 7_200;
export const MAX_DURATION_S_DEFAULT = 3_000;
export const INACTIVITY_S_MIN = 10;
export const INACTIVITY_S_MAX = 300;
export const INACTIVITY_S_DEFAULT = 30;
/** The unanswered prompt that ends the call, counted in a row. */
export const INACTIVITY_PROMPTS_MAX = 3;
export const METADATA_BYTES_MAX = 8 * 1024;
export const METADATA_DEPTH_MAX = 5;
export const SELECTED_TOOLS_MAX = 32;
/** In characters, of which a pair of surrogates is one. */
export const AGENT_NAME_CHARS_MAX = 200;
export const AGENT_CORPORA_MAX = 32;
export const CALLS_PER_WORKER_DEFAULT = 1_000;
/** The goodbye of a call that we end is heard for so long at most; then the call ends anyway. */
export const GOODBYE_MS_MAX = 3_500;

// Admission: what bounds the calls that are taken.
/** Tokens that one worker takes to the store at once; past it upgrades get 503, and their tokens stay good. */
export const REDEMPTIONS_MAX = 1_000;
/** How often a worker tells the control process how it stands. */
export const LOAD_TELL_MS = 250;
/** A worker that has told nothing for so long is stuck, and is offered no more calls. */
export const LOAD_SILENCE_MS_MAX = 2_000;
/** How long one figure of the event loop's lag is gathered for, and how closely the loop is looked at meanwhile. */
export const LOOP_LAG_WINDOW_MS = 1_000;
export const LOOP_LAG_LOOK_MS = 5;
/** A worker whose loop lags by more than this is offered no more calls: three quarters of what no caller hears. */
export const LOOP_LAG_MS_MAX = 0.75 * OUTPUT_LEAD_MS;
/** But for so many, which make no loop lag: a machine that is busy with something else would refuse its first call. */
export const LAGGING_CALLS_MAX = 8;
/** It is offered calls again when it has lagged by less for so long. */
export const LOOP_LAG_CALM_MS = 3_000;

// The control API.
export const BODY_BYTES_MAX = 256 * 1024;
export const JSON_DEPTH_MAX = 32;
/** Headers of a request; uWebSockets.js draws the line at about as many. */
export const HEADERS_MAX = 100;
/** Items on one page of a list. */
export const LIST_ITEMS_DEFAULT = 20;
export const LIST_ITEMS_MAX = 100;
/** Conditions on the metadata of the calls that one list asks for. */
export const LIST_METADATA_MAX = 8;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
/** How long a request that its client has named is remembered. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;
/** From the first byte of a request to the last of its body; past it the connection is closed. */
export const REQUEST_MS_MAX = 10_000;
/** A connection on which nothing moves is closed: a download that nobody reads would keep its file open for good. */
export const STALL_MS_MAX = 60_000;

// Voices over the network.
/** One message of a voice provider; a larger one ends its connection. Seconds of audio in base64 come in one. */
export const VOICE_MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
/** Speech that nobody has pulled: with more of it its connection is read no further, until half of it is gone. */
export const VOICE_UNREAD_MS_MAX = 10_000;
/** The same on a connection that other requests share, which cannot wait: with more the request fails. */
export const VOICE_WAITING_MS_MAX = 180_000;
/** Requests on one connection; the next opens another. */
export const VOICE_REQUESTS_PER_CONNECTION_MAX = 32;
/** Speech takes no longer than this for a text, whoever speaks: with more the voice is not saying what it was asked to. */
export const SPEECH_MS_BASE_MAX = 10_000;
export const SPEECH_MS_PER_CHAR_MAX = 600;
/** What stands in front of the samples of a WAV file. */
export const WAV_HEAD_BYTES_MAX = 64 * 1024;
/** A provider's list of voices: one page of it, and all of them. */
export const VOICE_LIST_PAGE_BYTES_MAX = 16 * 1024 * 1024;
export const VOICES_PER_PROVIDER_MAX = 5_000;
/** After this the list is fetched again, while the one at hand goes on being used. */
export const VOICE_LIST_FRESH_MS = 600_000;
/** How long it may take, and how long a provider that failed to give it is left alone. */
export const VOICE_LIST_MS_MAX = 5_000;
export const VOICE_LIST_RETRY_MS = 5_000;

// Processes.
export const WORKERS_MAX = 64;
/** From the start of a process until it says that it is ready; past it, it is killed. */
export const PROCESS_START_MS_MAX = 30_000;
/** The control process has so long in addition where the database of an earlier version is brought up to date. */
export const MIGRATION_MS_MAX = 3_600_000;
/** How often a process tells the supervisor that its loop turns. */
export const HEARTBEAT_MS = 250;
/** A worker that was silent for so long is killed and replaced: none of its callers has heard anything meanwhile. */
export const WORKER_STALL_MS_MAX = 2_000;
/** The control process has longer: live calls do not wait for it. */
export const CONTROL_STALL_MS_MAX = 10_000;
/** A process that died is started again after this; after twice as long each time that it was up for less than PROCESS_STABLE_MS. */
export const RESTART_MS_MIN = 100;
export const RESTART_MS_MAX = 5_000;
export const PROCESS_STABLE_MS = 2_000;
/** So long behind a start the next spare process is loaded. */
export const SPARE_AFTER_MS = 1_000;
/** What may come behind DRAIN_MS, goodbyes, last records and whatever hangs; then the service has ended. */
export const DRAIN_EXIT_MS_MAX = 5_000;
/** The last part of it is the control process's alone. */
export const DRAIN_RECORDS_MS = 1_000;
/** A worker that is replaced serves the connections that it has accepted; those without a request are closed after this time. */
export const HANDSHAKE_MS_MAX = 10_000;

// The metrics.
/** A worker that has not told its metrics by then is missing from the scrape. Well below what a scraper waits, 10 s by default. */
export const METRICS_ANSWER_MS_MAX = 1_000;

// The journal.
export const JOURNAL_FLUSH_MS = 250;
/** Where nothing but frames has come, and no more than these bytes of them, this many flushes leave a journal out. */
export const JOURNAL_FLUSHES_LEFT_OUT_MAX = 2;
export const JOURNAL_FRAMES_BYTES_MAX = 4 * 1024;
/** Journal bytes of one call that wait for the disk; past it audio is left out and the recording says `incomplete`. */
export const JOURNAL_PENDING_BYTES_MAX = 256 * 1024;
/** Past this, with events alone, the disk counts as gone: the journal fails and its call goes on without. Bounds one record, too. */
export const JOURNAL_BACKLOG_BYTES_MAX = 2 * JOURNAL_PENDING_BYTES_MAX;
/** Events on one page of a call's list. */
export const EVENTS_PAGE_DEFAULT = 200;
export const EVENTS_PAGE_MAX = 1_000;
/** Journals whose reading is remembered from one page of events to the next; others are read from their beginning. */
export const EVENT_READINGS_MAX = 64;

assert.equal(CARRIER_FRAME_SAMPLES, Math.trunc(CARRIER_FRAME_SAMPLES), "a frame must be whole samples");
assert.equal(FRAME_MS % TICK_SLOTS, 0, "a slot must be whole milliseconds");
assert.ok(SOCKET_PAYLOAD_BYTES_MAX > CARRIER_MESSAGE_BYTES_MAX, "our own 1009 must come before the library's cut");
assert.ok(OUTPUT_CUSHION_FRAMES < OUTPUT_RING_FRAMES_MAX, "the cushion must fit the ring");
assert.ok(
  (INGEST_AHEAD_MS_MAX + BACKLOG_MS_MAX) / FRAME_MS < MESSAGES_PER_SECOND_MAX,
  "audio after a stall is no flood",
);
assert.ok(OTHER_MESSAGES_PER_SECOND_MAX > REPLY_PIECES_MAX, "the marks of a reply that is cut come back all at once");
assert.ok(INGEST_STALL_MS_MAX < BACKLOG_MS_MAX, "what is dropped of a backlog is what cannot be made up for");
assert.ok(
  REORDER_HELD_MAX * FRAME_MS > REORDER_WAIT_MS && REORDER_HELD_MESSAGE_MS_MAX > FRAME_MS,
  "frames must fit the places in which they wait",
);
assert.ok(OUTPUT_LEAD_MS >= 2 * FRAME_MS, "the lead must cover a late tick");
assert.ok(DRAIN_EXIT_MS_MAX > GOODBYE_MS_MAX + DRAIN_RECORDS_MS, "workers must have time for their goodbyes");
assert.ok(EAR_KEPT_MS_MAX + EAR_CONNECT_MS_MAX < EAR_BACKLOG_MS_MAX, "what was kept must be told at once");
assert.ok(
  EAR_UNHEARD_VOICE_MS_MAX + EAR_UTTERANCE_ANSWER_MS_MAX < EAR_KEPT_MS_MAX,
  "what an ear does not hear must be there for the next",
);
assert.ok(MODEL_IDLE_MS_MAX < ANSWER_BEGINS_MS_MAX, "within an answer nobody waits longer than for its beginning");
// What a model wants of its tools is journaled twice, as its words and as our commands; a character is three bytes at most.
assert.ok(
  JOURNAL_BACKLOG_BYTES_MAX > 2 * 3 * TOOL_ARGUMENTS_CHARS_PER_ANSWER_MAX,
  "a journal must hold what one answer of a model may come to",
);
// Of a call from a saved agent, the agent was one body, and the call adds its metadata.
assert.ok(
  JOURNAL_BACKLOG_BYTES_MAX > BODY_BYTES_MAX + METADATA_BYTES_MAX,
  "a journal must hold the specification it begins with",
);
