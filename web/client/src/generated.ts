// Generated from the OpenAPI document by `npm run client:types`: change the routes, not this file.

export interface paths {
    "/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List calls
         * @description The account's calls, newest first. Calls created meanwhile come before the first page and do not shift the following pages. Filters can be combined: a call must match all of them. A page may be shorter than `limit`, or empty where many calls match each filter and few match all: rely on `nextCursor`. Requires the scope `read`.
         */
        get: operations["listCalls"];
        put?: never;
        /**
         * Create a call
         * @description Creates a call and returns the single-use, short-lived address of its media stream. The call starts when a client connects there. Requires the scope `calls`.
         */
        post: operations["createCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a call
         * @description The current state of the call and its configuration, without prompt and greeting. Requires the scope `read`.
         */
        get: operations["getCall"];
        put?: never;
        post?: never;
        /**
         * Delete a call
         * @description Deletes the call permanently: its record, transcript, events, recording and Idempotency-Key. A created call is ended by this; an active call, and a telephone call that is queued or ringing, must be ended first. A telephone call whose caller the carrier still connects or speaks to is 409 for a minute or two. Requires the scope `write`.
         */
        delete: operations["deleteCall"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A call's transcript
         * @description The transcript turn by turn; empty until the call has ended, 404 once retention has deleted it. One page holds all but very long transcripts; see `nextCursor`. Requires the scope `read`.
         */
        get: operations["getTranscript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a call
         * @description A created call ends at once, and its `websocketUrl` becomes invalid. For an active call the end is requested: the response is 202 with the call's current state; `getCall` shows it as ended shortly after. An ended call is not changed, so the request can be repeated safely. Requires the scope `calls`.
         */
        post: operations["endCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put the caller on hold
         * @description The agent falls silent in the middle of a word, and the caller hears hold audio. Nothing that the caller says, types or presses reaches the agent, and none of it is transcribed. The hold ends with `resumeCall`, by itself after `maxDuration`, or when the caller is transferred. 409 `already_on_hold` answers a repeated request, which changes nothing: the first one's `maxDuration` holds. 409 `conflict` for a call that is not live, that ends, or whose caller is being transferred. Requires the scope `calls`.
         */
        post: operations["holdCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a hold
         * @description The hold audio stops, and the agent, which is given how long the hold was, speaks. 409 `not_on_hold` answers a repeated request, and one that comes after the hold has ended by itself. 409 `conflict` as for `holdCall`. Requires the scope `calls`.
         */
        post: operations["resumeCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/recording/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause the recording of a call
         * @description From now on neither audio nor words of either side are stored, also no keys that the caller presses and no arguments and results of tools: the recording has silence, and turns that lie in the pause even in part have no text. The conversation goes on. The pause has no longest time: it lasts until `resumeRecording`, the agent's tool `resume_recording`, or the end of the call. 409 `recording_paused` answers a repeated request. 409 `conflict` for a call that is not live, or of which nothing is stored. Requires the scope `calls`.
         */
        post: operations["pauseRecording"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/recording/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume the recording of a call
         * @description What is said is stored again as soon as neither side speaks and no words of the pause can come any more: a reply, an utterance or a transcript that is under way may still say what was said in it. 409 `recording_not_paused` answers a request when it is not paused, also a repeated one once the pause has ended. 409 `conflict` as for `pauseRecording`. Requires the scope `calls`.
         */
        post: operations["resumeRecording"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/recording": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a call's recording
         * @description A stereo WAV file of 16-bit PCM: the caller is left, the agent right. Its rate is 8000 Hz for calls whose stream used that rate in both directions, and 16000 Hz otherwise. It is available shortly after the call's end, when the call has `recording`; before that, and for calls that are not recorded, this is 404. The file never changes, nor does its `ETag`. Requires the scope `read`.
         */
        get: operations["getRecording"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Read the headers of a call's recording
         * @description The headers of `getRecording` without a range. A stereo WAV file of 16-bit PCM: the caller is left, the agent right. Its rate is 8000 Hz for calls whose stream used that rate in both directions, and 16000 Hz otherwise. It is available shortly after the call's end, when the call has `recording`; before that, and for calls that are not recorded, this is 404. The file never changes, nor does its `ETag`. Requires the scope `read`.
         */
        head: operations["headRecording"];
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/listen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Listen to a live call
         * @description Returns a WebSocket's address that carries the audio of both sides, as it would be recorded, until the call ends. It is valid for 60 s and for one connection; docs/listen.md describes the messages. Neither caller nor agent notices, and the call is not changed; the audit log records who asked. While the recording is paused there is silence. 403 `listening_not_allowed` for a call whose audio may not be recorded, or that is redacted. 409 `conflict` for a call that is not live, or that has too many listeners. Requires the scope `calls`.
         */
        post: operations["listenToCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/waveform": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The waveform of a call's recording
         * @description What a page draws of a recording without loading it. There are as many buckets as were asked for, or fewer where the recording has fewer than one for every 20 ms. It is there, and 404, as the recording is; like it, it never changes. The first answer for a recording of a version before this operation takes longer: the waveform is made then. Requires the scope `read`.
         */
        get: operations["getWaveform"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/replay-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Replay a call, and compare
         * @description Runs the call's state machine again over the inputs in its journal, and compares what it decides with what it decided in the call. Where the two are identical, the events of the call explain it completely. A call that an earlier version carried may differ: versions decide differently. It takes a few seconds for a long call. 409 `conflict` for a call that is not over, or whose journal lacks the words because of `transcriptEnabled: false` or `redact`; 404 where there is no journal, as once retention has deleted the recording or the transcript. Requires the scope `read`.
         */
        get: operations["checkReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a call
         * @description All inputs and commands of a call in order of time: the caller's speech and transcripts, the replies of the LLM and the TTS, playout and interruptions. With `transcriptEnabled: false` the list has times and counts and no words.
         *
         *     The list shows why the agent fell silent. An interruption is `speech-started`, `pause`, `playout-ended`, `stt-interim`, `cancel-reply`; a cough ends with `resume`. `cancel-reply` and `end` have a `reason`. From `generate-reply` to `reply-text` the LLM is working, from `run-tool` to `tool-result` a tool is running, from `speak` to `playout-started` the TTS is working. `playout-ended` after the last `segment-end` means that everything was said; before it, that the TTS did not keep up.
         *
         *     For a call that is not over the list is almost live, and `nextCursor` is never null: an empty page means that nothing has happened since, so wait before the next request. The list of a call whose worker was lost has no `end`. A page may be shorter than `limit`: rely on `nextCursor`. Once retention has deleted the recording or the transcript this is 404. Requires the scope `read`.
         */
        get: operations["listCallEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/phone-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Place a telephone call
         * @description Calls a number by telephone. The call is `queued` until a slot and the limits of its carrier allow it to be dialled, then `ringing`, and `active` once it is answered. It is placed at most once: where it cannot be known whether the carrier has placed it, it ends with `unknown`. 429 `rate_limited` also where 1000 calls of the carrier, or 2000 of the account, wait to be dialled. Requires the scope `calls`.
         */
        post: operations["createPhoneCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer a telephone call
         * @description Rings another number or SIP address, and joins the caller to it. Where there is no answer, the caller comes back to the agent, which knows why. 409 `conflict` for a call that is not live, or is no telephone call of this service. Requires the scope `calls`.
         */
        post: operations["transferCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/dtmf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send DTMF digits
         * @description Sends digits to the other end of a telephone call. 409 `conflict` for a call that is not live, or is no telephone call of this service, and, where the digits are tones of the media stream, while the call has none or too many digits wait. Requires the scope `calls`.
         */
        post: operations["sendDtmf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transcriptions/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transcribe a live stream
         * @description Creates a live transcription and returns the single-use, short-lived address of its stream, to which a client sends audio and from which it gets interims and finals. It takes a slot of the service's calls, and counts as one of the account's calls. Its record has its result once it is over. Requires the scope `calls`.
         */
        post: operations["createLiveTranscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transcriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transcriptions
         * @description The account's transcriptions without their results, newest first. A transcription must match all filters. Requires the scope `read`.
         */
        get: operations["listTranscriptions"];
        put?: never;
        /**
         * Transcribe a file
         * @description Transcribes an uploaded file (multipart/form-data), a file at a URL, or the recording of a call. The answer comes at once; `getTranscription` shows the progress and the result, and webhooks report the end. For an Idempotency-Key, an upload is the same request where its fields and the bytes of its file are the same. Requires the scope `calls`.
         */
        post: operations["createTranscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transcriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a transcription
         * @description The state of a transcription, with its result once it is complete. As text or as subtitles it is the result alone: 409 before it is complete, and where it has failed. Subtitles have at most 42 characters a line (16 in Chinese, Japanese and Korean) and two lines. Requires the scope `read`.
         */
        get: operations["getTranscription"];
        put?: never;
        post?: never;
        /**
         * Delete a transcription
         * @description Deletes the transcription permanently, in any state: its audio, its result, its record, its events and its Idempotency-Key. A live one is ended first; 409 where that takes longer than a few seconds. Requires the scope `write`.
         */
        delete: operations["deleteTranscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transcriptions/{id}/audio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a transcription's audio
         * @description The audio as it was uploaded or fetched, while `hasAudio` says that it is kept; its media type is that of its content. 404 once it is deleted, before it is fetched, for live transcriptions, and with `redact`, because the audio has every word. That of a call's recording is `getRecording` of the call. Requires the scope `read`.
         */
        get: operations["getTranscriptionAudio"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transcriptions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a transcription
         * @description A transcription that is queued or in progress ends as `cancelled`, without a result and without an event. A live one whose stream has connected is ended instead: the response is 202 with its current state, and it is `completed` shortly after, with what was said. One that is over is not changed, so the request can be repeated safely. Requires the scope `calls`.
         */
        post: operations["cancelTranscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/corpora": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List corpora
         * @description The account's corpora, newest first. Requires the scope `read`.
         */
        get: operations["listCorpora"];
        put?: never;
        /**
         * Create a corpus
         * @description Creates a corpus without documents. Requires the scope `write`.
         */
        post: operations["createCorpus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/corpora/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a corpus
         * @description A corpus, with the number of its documents by state. Requires the scope `read`.
         */
        get: operations["getCorpus"];
        put?: never;
        post?: never;
        /**
         * Delete a corpus
         * @description Deletes the corpus with its documents: from now on nothing of them can be read or found, and shortly after nothing of them is stored. Agents that name it stay as they are, and answer without it. Requires the scope `write`.
         */
        delete: operations["deleteCorpus"];
        options?: never;
        head?: never;
        /**
         * Change a corpus
         * @description Changes the fields that are given. With another language its documents are indexed again; where their sentences end is decided when they are processed. Requires the scope `write`.
         */
        patch: operations["updateCorpus"];
        trace?: never;
    };
    "/corpora/{id}/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a corpus
         * @description The passages of a corpus that fit a question: those that an agent would get. A document is found within seconds after it is `ready`. 503 where the index does not have the corpus yet, or too many questions wait. An account may have 8 questions under way, and all accounts 32; further ones wait for up to 2 s, then they get 429 or 503. Requires the scope `read`.
         */
        post: operations["queryCorpus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/corpora/{id}/retrievals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was retrieved from a corpus
         * @description The replies of agents, in calls that are over, for which the LLM was given passages of the corpus, the latest first. They go with the transcripts of their calls. A page may be empty and not be the last one. Requires the scope `read`.
         */
        get: operations["listCorpusRetrievals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/corpora/{id}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List documents
         * @description The documents of a corpus, newest first. A document must match all filters. Requires the scope `read`.
         */
        get: operations["listDocuments"];
        put?: never;
        /**
         * Add a document
         * @description Adds an uploaded file (multipart/form-data), a document at a URL, or a text to a corpus. The answer comes at once; `getDocument` shows what becomes of it, and webhooks report it as `document.ready` or `document.failed`. For an Idempotency-Key, an upload is the same request where its fields and the bytes of its file are the same. Requires the scope `write`.
         */
        post: operations["addDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/corpora/{id}/documents/{documentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a document
         * @description The state of a document, and what was found out about it. Requires the scope `read`.
         */
        get: operations["getDocument"];
        /**
         * Replace a document
         * @description Gives a document other content, as `addDocument` does, and has it processed. The text before can be found until the new one is ready. Without `name` or `metadata` those stay. 409 where another request changes the document at the same time. Requires the scope `write`.
         */
        put: operations["replaceDocument"];
        post?: never;
        /**
         * Delete a document
         * @description Deletes the document permanently, in any state: from now on nothing of it can be read or found, and shortly after nothing of it is stored. Requires the scope `write`.
         */
        delete: operations["deleteDocument"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/corpora/{id}/documents/{documentId}/reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process a document again
         * @description Reads the document again, which is fetched again where it has an address. Its text can be found meanwhile. 409 where it is being processed, and where its file was not kept. Requires the scope `write`.
         */
        post: operations["reprocessDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description The account's saved agents, oldest first. A page can hold fewer than `limit` when agents are very large. Requires the scope `read`.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Save an agent
         * @description A saved agent holds what its calls have in common; a call is placed from it with `POST /agents/{id}/calls`. Its prompt is put together from three layers: the base prompt, the context under the heading `# Context`, and the custom instructions under `# Instructions`, divided by blank lines; a layer that is blank is left out. Requires the scope `write`.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an agent
         * @description The agent as its calls have it: its live version. Requires the scope `read`.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Delete an agent
         * @description No call can be created from the agent any more, and no list shows it. Its calls and its versions stay as they are. Requires the scope `write`.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        /**
         * Change an agent
         * @description Makes a new version of the agent from its draft, or from its live version where there is no draft. Calls that were created before keep their version. A change that changes nothing makes no version. Requires the scope `write`.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/agents/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an agent
         * @description The versions of an agent, newest first, without their fields; also of a deleted agent. Requires the scope `read`.
         */
        get: operations["listAgentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a version of an agent
         * @description One version of an agent, as it was saved; also of a deleted agent. Requires the scope `read`.
         */
        get: operations["getAgentVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/versions/{version}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions of an agent
         * @description What changed from the version `against` to this one: field by field, the layers of the prompt by lines. Requires the scope `read`.
         */
        get: operations["compareAgentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of an agent
         * @description Makes a new version that equals this one. 409 `conflict` when something that it uses is no longer offered. Requires the scope `write`.
         */
        post: operations["restoreAgentVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a version of an agent
         * @description Calls have this version from now on; those that were created before keep theirs. 409 `conflict` when the agent has no draft and no version is named, or when something that the version uses is no longer offered. Requires the scope `write`.
         */
        post: operations["publishAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a call from a saved agent
         * @description As `POST /calls`, with the prompt, voice, language and settings of a version of the agent: the live one, or the one that the path (`id@version`) or `version` names. The call keeps it, however the agent is changed afterwards. 409 `conflict` when its voice, its language or what a tool of it needs is no longer offered, or the voice does not speak the language any more, or when there is no draft to call from. Requires the scope `calls`.
         */
        post: operations["createAgentCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{id}/web-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a call from a web page
         * @description A call from the live version of the agent, for a page that connects to its `websocketUrl` at once. The only operation for publishable keys: the header X-API-Key has the publishable key, and the header Origin one of its origins, which browsers send by themselves. 403 `forbidden` with any other origin, or none; 404 for an agent that it does not name. 429 `rate_limited` and `spend_limit` by its limits, of which the response names the first that is reached. An API key needs no origin and has its own limits. A request is not idempotent: what is started twice expires unused. Requires a publishable key, or the scope `calls`.
         */
        post: operations["createWebCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description The account's webhooks, oldest first; there are at most 50. Requires the scope `read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Events that happen from now on are sent to its URL, signed as Standard Webhooks says. The secret is in this answer only. Requires the scope `write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description A webhook, without its secret. Requires the scope `read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description The webhook and its deliveries are gone; what waits is not sent. Requires the scope `write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Deliveries that wait go to the new URL. Enabling a webhook that was disabled forgets its failures. What waited when it was disabled can be replayed; events that happened while it was disabled have no delivery. Requires the scope `write`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make another secret
         * @description Until the overlap ends every message has two signatures, so that the receiver can take the new secret at any time before. Another rotation within the overlap ends it for the oldest secret. Requires the scope `write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description What was sent to a webhook and how it answered, newest first. Deliveries are listed for 30 days. Requires the scope `read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery
         * @description A delivery with its message: what was sent, or is sent next, and how the attempts were answered. Requires the scope `read`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description The message has the same `webhook-id`, so a receiver that has seen it can ignore it. 409 while it is still to be sent, and while the webhook is disabled. Requires the scope `write`.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send deliveries again
         * @description All deliveries that match: by default those that failed. Their messages have the same `webhook-id` as before. 409 while the webhook is disabled. Requires the scope `write`.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the account's events
         * @description Server-sent events: each has an `id`, the type of the event, and as data `{id, type, timestamp, data}` as a webhook's message, with the same `id`. `call.ended` has the call without its transcript, and an event of a transcription has that without its text. Events are kept for a day after a stream was last open; `events.lost` says that some are missing. A client that does not read for 10 s is disconnected, and can resume. Requires the scope `read`.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description The account's API keys, oldest first, also those that are revoked or expired. Requires the scope `admin`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Another API key of the account. Its text is in this answer only. An API key can grant only scopes that it has itself. Requires the scope `admin`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an API key
         * @description An API key, without its text. Requires the scope `admin`.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an API key
         * @description Its name, scopes and expiry; within a second every process follows them. 409 when it is revoked. An API key can grant only scopes that it has itself. Requires the scope `admin`.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an API key another text
         * @description The API key keeps its id. Both texts work until the overlap ends; another rotation within the overlap ends it for the oldest text. 409 when the API key is revoked. The request must have every scope of the API key, whose new text it gets. Requires the scope `admin`.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an API key
         * @description It is refused at once by the process that answers, and within a second by every other one. It stays in the list. Calls that it has created continue. One that is already revoked stays as it is. An API key may revoke itself. Requires the scope `admin`.
         */
        post: operations["revokeApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List people
         * @description The account's people, in the order in which they were invited. Requires the scope `admin`.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Invite a person
         * @description Another person of the account, with the one-time link by which they set a password. The request must have every scope of the role. Requires the scope `admin`.
         */
        post: operations["inviteUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a person
         * @description A person, without anything that signs them in. Requires the scope `admin`.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Remove a person
         * @description The person is deleted and signed out everywhere: their next request is refused. The audit log keeps what they did. 409 where the account would be without an owner. Requires the scope `admin`.
         */
        delete: operations["removeUser"];
        options?: never;
        head?: never;
        /**
         * Change a person
         * @description The name and the role. The next request of a person who is signed in has another role already. 409 where the account would be without an owner. The request must have every scope of the role. Requires the scope `admin`.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/users/{id}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a person another one-time link
         * @description Another invitation, or a link that resets the password of a person who has one. Earlier links of the person no longer work. The request must have every scope of the role. Requires the scope `admin`.
         */
        post: operations["createUserLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/publishable-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List publishable keys
         * @description The account's publishable keys, oldest first, also those that are revoked. Requires the scope `admin`.
         */
        get: operations["listPublishableKeys"];
        put?: never;
        /**
         * Create a publishable key
         * @description A key for web pages, good for `POST /agents/{id}/web-calls` and nothing else. It is no secret: origins keep other pages from using it, and the limits bound what a program can do that sends any origin. Requires the scope `admin`.
         */
        post: operations["createPublishableKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/publishable-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a publishable key
         * @description A publishable key, with its text. Requires the scope `admin`.
         */
        get: operations["getPublishableKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a publishable key
         * @description Its name, agents, origins and limits; the next start follows them. 409 when it is revoked. Requires the scope `admin`.
         */
        patch: operations["updatePublishableKey"];
        trace?: never;
    };
    "/publishable-keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a publishable key
         * @description It starts no call from then on, and stays in the list. Calls that it has started continue. One that is already revoked stays as it is. Requires the scope `admin`.
         */
        post: operations["revokePublishableKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log
         * @description Who did what in the account, newest first: acts on API keys, people, agents and webhooks, and deletions of calls, by requests, people and commands of the operator. Events are never changed or deleted. Filters can be combined. Requires the scope `admin`.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the account
         * @description The account of the API key, with its limits and what is available to it. Requires the scope `read`.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the account
         * @description What the account decides by itself: for how long its calls are kept, and which voices and languages its calls and agents may have. Within a second every process follows. Calls whose stream has begun go on as they are. What is deleted by fewer days cannot be had again. Requires the scope `admin`.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/provider-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys of providers
         * @description The account's own API keys at providers, without their texts, oldest first. Requires the scope `admin`.
         */
        get: operations["listProviderCredentials"];
        put?: never;
        /**
         * Store an API key of a provider
         * @description From then on the account's calls ask this provider with it, and not with the service's own API key. It replaces the account's earlier one of the same provider. Calls whose stream has begun keep the one that they began with. Requires the scope `admin`.
         */
        post: operations["createProviderCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/provider-credentials/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an API key of a provider
         * @description One of the account's own API keys at providers, without its text. Requires the scope `admin`.
         */
        get: operations["getProviderCredential"];
        put?: never;
        post?: never;
        /**
         * Delete an API key of a provider
         * @description From then on the account's calls ask this provider with the service's own API key. Requires the scope `admin`.
         */
        delete: operations["deleteProviderCredential"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/carriers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List carriers
         * @description The account's carriers, oldest first; there are at most 20. Requires the scope `admin`.
         */
        get: operations["listCarriers"];
        put?: never;
        /**
         * Store credentials of a carrier
         * @description The service asks the carrier by a request that changes nothing whether it accepts them, and stores them then. 400 names the status that the carrier answered with, 503 says that it could not be asked. Requires the scope `admin`.
         */
        post: operations["createCarrier"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/carriers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a carrier
         * @description One of the account's carriers, without its secrets. Requires the scope `admin`.
         */
        get: operations["getCarrier"];
        put?: never;
        post?: never;
        /**
         * Delete a carrier
         * @description Deletes the credentials, and the carrier's numbers from the account. 409 while one of them is attached, a call of it is not over, the carrier has not confirmed a hang-up, or a call that ended `unknown` within the last hour may ring late; the message names these. Requires the scope `admin`.
         */
        delete: operations["deleteCarrier"];
        options?: never;
        head?: never;
        /**
         * Change a carrier
         * @description Its name, its limits, or its credentials, which are checked as new ones are. Webhooks and streams that the carrier signs with the earlier credentials are refused from then on. 409 for credentials of another account or application there (`accountSid`, `connectionId`, `authId`), while the carrier is in use: a number is attached, a call is not over, or the carrier has not confirmed a hang-up. Requires the scope `admin`.
         */
        patch: operations["updateCarrier"];
        trace?: never;
    };
    "/phone-numbers/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import the numbers of a carrier
         * @description Asks the carrier for a page of the numbers that the account has there, and stores those that are new. Nothing changes at the carrier. A number that the account has at another carrier stays there, and is left out of the answer. Where `nextCursor` is a string, the same request with it as `cursor` imports the next page. Requires the scope `write`.
         */
        post: operations["importPhoneNumbers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/phone-numbers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List telephone numbers
         * @description The account's telephone numbers, oldest first. Requires the scope `read`.
         */
        get: operations["listPhoneNumbers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/phone-numbers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a telephone number
         * @description One of the account's telephone numbers. Requires the scope `read`.
         */
        get: operations["getPhoneNumber"];
        put?: never;
        post?: never;
        /**
         * Delete a telephone number
         * @description Deletes it from the account; the carrier keeps it. 409 while it is attached. Requires the scope `write`.
         */
        delete: operations["deletePhoneNumber"];
        options?: never;
        head?: never;
        /**
         * Change a telephone number
         * @description Its name, its agent, its webhook and its limits; the next call follows them. Requires the scope `write`.
         */
        patch: operations["updatePhoneNumber"];
        trace?: never;
    };
    "/phone-numbers/{id}/attach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Attach a telephone number
         * @description Has the carrier send the calls of the number to this service. What the carrier did with them before is stored, and restored when the number is detached. Attaching it again repeats the requests to the carrier. Requires the scope `write`.
         */
        post: operations["attachPhoneNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/phone-numbers/{id}/detach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Detach a telephone number
         * @description Has the carrier do with the calls of the number what it did before it was attached. A number that is not attached stays as it is. Requires the scope `write`.
         */
        post: operations["detachPhoneNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/phone-numbers/{id}/test-call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Have a person of an emulated carrier call
         * @description For development: a person of the emulator calls the number, and its agent answers. 409 where the API of the carrier is no emulator on this machine, and while the number is not attached. Requires the scope `calls`.
         */
        post: operations["testCallPhoneNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a saved tool
         * @description Runs the tool once as a call would, with the arguments of the request, and shows what was sent, what came back and how long it took. The tool's effects are real. Requires the scope `write`.
         */
        post: operations["testTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs of a saved tool
         * @description The last runs, newest first: those of calls that are over, as long as their calls are kept, and tests of the last 30 days; at most about 1,000. Requires the scope `read`.
         */
        get: operations["listToolRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved tools
         * @description The account's saved tools, oldest first. Built-in tools are at `GET /tools/built-ins`. Requires the scope `read`.
         */
        get: operations["listTools"];
        put?: never;
        /**
         * Save a tool
         * @description Calls and agents name it as `{"toolId": ...}` in `selectedTools`, agents in `toolIds` as well. An MCP server is asked for its tools before it is saved; one that does not answer is refused. Requires the scope `write`.
         */
        post: operations["createTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/built-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List built-in tools
         * @description The tools that the service carries out by itself, with the JSON Schemas of their arguments. Requires the scope `read`.
         */
        get: operations["listBuiltInTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a saved tool
         * @description A saved tool; of an MCP server also the tools that calls get, with their schemas. Requires the scope `read`.
         */
        get: operations["getTool"];
        put?: never;
        post?: never;
        /**
         * Delete a saved tool
         * @description Deletes the tool with its runs. 409 while the live version or the draft of an agent names it. Calls that were created before keep it; an earlier version of an agent that names it is 409 when it is called or published. Requires the scope `write`.
         */
        delete: operations["deleteTool"];
        options?: never;
        head?: never;
        /**
         * Change a saved tool
         * @description Calls that are created afterwards have the change, those of agents included; calls that were created before keep what they have. Another server of a tool of the type `mcp` is asked for its tools first. Requires the scope `write`.
         */
        patch: operations["updateTool"];
        trace?: never;
    };
    "/tool-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List secrets of tools
         * @description The account's own secrets of tools, without their texts, oldest first. Requires the scope `admin`.
         */
        get: operations["listToolSecrets"];
        put?: never;
        /**
         * Store a secret of tools
         * @description From then on headers of the account's HTTP tools may have it as `{{NAME}}`. It replaces the account's earlier one of the same name. Calls whose stream has begun keep the one that they began with. Requires the scope `admin`.
         */
        post: operations["createToolSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tool-secrets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a secret of tools
         * @description One of the account's own secrets of tools, without its text. Requires the scope `admin`.
         */
        get: operations["getToolSecret"];
        put?: never;
        post?: never;
        /**
         * Delete a secret of tools
         * @description From then on no call can send it. Agents and calls that name it stay, and their tools fail as without an answer. Requires the scope `admin`.
         */
        delete: operations["deleteToolSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calls, transcriptions, minutes and cost
         * @description What the account's ended calls and transcriptions add up to, from their records: those whose records retention has deleted are not in it. 400 where the range has more than 50000 of both or 5000 groups: ask for a shorter one. Requires the scope `read`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List voices
         * @description The voices that are available to the account. A filter without a match gives an empty list. Requires the scope `read`.
         */
        get: operations["listVoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/languages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List languages
         * @description The languages that calls of the account can have: those that a voice speaks and an STT provider transcribes. A filter without a match gives an empty list. Requires the scope `read`.
         */
        get: operations["listLanguages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of the service
         * @description The workers, the providers with their circuit breakers, the jobs, the disk and the database of the whole service, and what its configuration has and lacks. It shows nothing of an account. Requires the scope `admin`.
         */
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description The OpenAPI document of the running version.
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An account: what it may have, and for how long it keeps what it has. */
        Account: {
            /**
             * @description `account_` and a UUIDv7.
             * @example account_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /**
             * @description Unique; the operator sets it.
             * @example acme
             */
            name: string;
            /** @description The operator sets them. */
            limits: {
                /**
                 * @description Calls at once, created and active; null: no limit but the service's.
                 * @example 20
                 */
                concurrentCalls: number | null;
                /**
                 * @description Calls that may be created within a minute, all of which may come at once; null: any number.
                 * @example 60
                 */
                creationsPerMinute: number | null;
                /**
                 * @description Transcriptions in progress at once; others wait. Null: no limit but the service's.
                 * @example null
                 */
                concurrentTranscriptions: number | null;
            };
            /** @description The account's own days; the fewer of these and the service's count. */
            retention: {
                /**
                 * @description Days after a call's end at which its recording is deleted; null: as the service.
                 * @example 30
                 */
                recordingDays: number | null;
                /**
                 * @description Days after a call's end at which its transcript is deleted; null: as the service.
                 * @example 30
                 */
                transcriptDays: number | null;
                /**
                 * @description Days after a call's end at which its whole record is deleted; null: as the service.
                 * @example 30
                 */
                recordDays: number | null;
            };
            /** @description The operator sets them. */
            providers: {
                /**
                 * @description The STT providers that calls may use; null: all.
                 * @example null
                 */
                stt: string[] | null;
                /**
                 * @description The LLM providers that calls may use; null: all.
                 * @example null
                 */
                llm: string[] | null;
                /**
                 * @description The TTS providers that calls may use; null: all.
                 * @example null
                 */
                tts: string[] | null;
            };
            /**
             * @description The ids of the voices that calls and agents may have; null: all that the providers offer.
             * @example [
             *       "espeak/gmw/en-US"
             *     ]
             */
            voices: string[] | null;
            /**
             * @description The languages that calls and agents may have, as codes of `GET /languages`; a bare language (`en`) includes its regions. Null: all that there are.
             * @example [
             *       "en"
             *     ]
             */
            languages: string[] | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /**
         * @description What to change; the rest stays. The operator alone changes the name, the limits and the providers.
         * @example {
         *       "retention": {
         *         "recordingDays": 7
         *       }
         *     }
         * @example {
         *       "languages": null
         *     }
         */
        AccountChangesInput: {
            /** @description Days that are fewer than the service's. What is absent stays. */
            retention?: {
                /**
                 * @description Days after a call's end at which its recording is deleted; null: as the service.
                 * @example 30
                 */
                recordingDays?: number | null;
                /**
                 * @description Days after a call's end at which its transcript is deleted; null: as the service.
                 * @example 30
                 */
                transcriptDays?: number | null;
                /**
                 * @description Days after a call's end at which its whole record is deleted; null: as the service.
                 * @example 30
                 */
                recordDays?: number | null;
            };
            /**
             * @description The ids of the voices that calls and agents may have; null: all that the providers offer.
             * @example [
             *       "espeak/gmw/en-US"
             *     ]
             */
            voices?: string[] | null;
            /**
             * @description The languages that calls and agents may have, as codes of `GET /languages`; a bare language (`en`) includes its regions. Null: all that there are.
             * @example [
             *       "en"
             *     ]
             */
            languages?: string[] | null;
        };
        /** @description A saved agent, as its calls have it. */
        Agent: {
            /**
             * @description `agent_` and a UUIDv7.
             * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /**
             * @description Display name of the agent; need not be unique.
             * @example Front desk
             */
            name: string;
            /**
             * @description Who the agent is and what it is for: the first layer of the prompt.
             * @example You answer the telephone of a bakery.
             */
            basePrompt: string;
            /**
             * @description What the agent knows. Added to the prompt under the heading `# Context`; omitted when blank.
             * @example The bakery is open from eight to six.
             */
            context: string;
            /**
             * @description How the agent behaves. Added to the prompt under `# Instructions`; omitted when blank.
             * @example Answer in one sentence.
             */
            customInstructions: string;
            /**
             * @description An id from `GET /languages`.
             * @example en-US
             */
            languageId: string;
            /**
             * @description The id of a voice from `GET /voices` that speaks the language; names are not accepted here.
             * @example espeak/gmw/en-US
             */
            voiceId: string;
            /**
             * @description Settings of the agent's calls, by the names and bounds of `POST /calls`. Absent settings take the default of `POST /calls` when a call is made.
             * @example {
             *       "greeting": "Hello, this is the bakery.",
             *       "selectedTools": [
             *         {
             *           "toolName": "hang_up"
             *         }
             *       ]
             *     }
             */
            callSettings: {
                /** @description Whether the call stays in its language. Otherwise the agent answers in the language that the STT detects, where it can, and switches back when the caller does. */
                languagePinned?: boolean;
                /**
                 * @description The configured LLM to use.
                 * @enum {string}
                 */
                model?: "model_a" | "model_b" | "model_c";
                /** @description Sampling temperature of the LLM. */
                temperature?: number;
                /**
                 * @description The opening line when the agent speaks first, spoken verbatim without the LLM. Without a greeting the LLM opens. Ignored when the user speaks first.
                 * @example Hello, this is the bakery.
                 */
                greeting?: string;
                /**
                 * @description Who opens the conversation.
                 * @enum {string}
                 */
                firstSpeaker?: "agent" | "user";
                /** @description Whether the caller may interrupt the agent's first message; every later one can be interrupted. Speech over an uninterruptible first message is answered after it. */
                interruptible?: boolean;
                /** @description Maximum length of the call in seconds, from the redemption of its stream token. */
                maxDuration?: number;
                /** @description Seconds without speech, typed text or DTMF after which `inactivityAction` is taken. */
                inactivityTimeout?: number;
                /**
                 * @description `prompt`: the agent asks whether the caller is still there, and hangs up after 3 unanswered prompts in a row.
                 * @enum {string}
                 */
                inactivityAction?: "hang_up" | "prompt";
                /**
                 * @description Maximum cost of the call in the currency of the service's prices, by the usage that its providers report. When it is reached, or the next request to the LLM or the TTS would exceed it, the agent says so and the call ends with `spend_limit`. STT without a price is not counted. 400 when a price of the LLM or the TTS is not configured.
                 * @example 0.5
                 */
                maxCost?: number;
                /** @description When false, no audio of the call is stored, and there is no recording. Words are stored all the same unless `transcriptEnabled` is false, too. */
                recordingEnabled?: boolean;
                /** @description When false, no word of the call is stored, spoken, typed or dialled, and neither are its prompt, its greeting and the parameters of its start: the transcript has times and no text. Audio, in which the words can be heard, is stored all the same unless `recordingEnabled` is false, too. */
                transcriptEnabled?: boolean;
                /** @description Whether the LLM is given the parameters of the carrier's `start`, as one JSON object marked as data. Otherwise only the record shows them. */
                useParameters?: boolean;
                /**
                 * @description What is not kept of the words and the sound. `card_number`: 13 to 19 digits with a valid check digit. `phone_number`, `email`, `national_id`: in the forms of the countries in which the language is spoken. `variables`: the values of the agent's variables, and each word of a name among them.
                 * @example [
                 *       "card_number",
                 *       "phone_number"
                 *     ]
                 */
                redact?: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
                analysis?: components["schemas"]["AnalysisSettings"];
                /**
                 * @description Tools that the agent may call.
                 * @example [
                 *       {
                 *         "toolName": "hang_up"
                 *       }
                 *     ]
                 */
                selectedTools?: components["schemas"]["SelectedTool"][];
            };
            /**
             * @description Saved tools of the account, in addition to those of `callSettings`; its calls have them as they are when the call is created. An override of `selectedTools` replaces both.
             * @example [
             *       "tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
             *     ]
             */
            toolIds: string[];
            /** @description Corpora of this account that the agent answers from, by the tool `query_corpus`: its settings are those of `query_corpus` in `selectedTools`, and without it there the LLM decides when to ask. An unknown id is 400. */
            corpusIds: string[];
            /**
             * @description What calls fill in: `{{name}}` in the three layers of the prompt and in the greeting stands for the value of the call. At most 50. A text with a name that is not declared is 400.
             * @example [
             *       {
             *         "name": "customer",
             *         "type": "string",
             *         "description": "Who is called."
             *       },
             *       {
             *         "name": "loaves",
             *         "type": "number",
             *         "default": 1
             *       }
             *     ]
             */
            variables: components["schemas"]["AgentVariable"][];
            /**
             * @description The settings that a call from this agent may give in `overrides`, by their names in `POST /calls`; none by default.
             * @example [
             *       "greeting",
             *       "maxDuration"
             *     ]
             */
            allowedOverrides: ("languagePinned" | "model" | "temperature" | "greeting" | "firstSpeaker" | "interruptible" | "maxDuration" | "inactivityTimeout" | "inactivityAction" | "maxCost" | "recordingEnabled" | "transcriptEnabled" | "useParameters" | "redact" | "analysis" | "selectedTools" | "voice" | "language")[];
            /** @description The number of the live version, whose fields these are. */
            version: number;
            /** @description The number of the newest change that was not published. */
            draftVersion: number | null;
            /**
             * Format: date-time
             * @description When the live version became that.
             * @example 2026-11-21T08:00:00.000Z
             */
            publishedAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When a version was last added or published.
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /** @default true */
        AgentChangesAutoPublishInput: boolean;
        /**
         * @description What to change. A field that is given replaces the whole field; the rest stays.
         * @example {
         *       "context": "The bakery is closed on Monday."
         *     }
         * @example {
         *       "name": "Night desk",
         *       "autoPublish": false
         *     }
         */
        AgentChangesInput: {
            /**
             * @description Display name of the agent; need not be unique.
             * @example Front desk
             */
            name?: string;
            /**
             * @description Who the agent is and what it is for: the first layer of the prompt.
             * @example You answer the telephone of a bakery.
             */
            basePrompt?: string;
            /**
             * @description What the agent knows. Added to the prompt under the heading `# Context`; omitted when blank.
             * @example The bakery is open from eight to six.
             */
            context?: string;
            /**
             * @description How the agent behaves. Added to the prompt under `# Instructions`; omitted when blank.
             * @example Answer in one sentence.
             */
            customInstructions?: string;
            /**
             * @description An id from `GET /languages`.
             * @example en-US
             */
            languageId?: string;
            /**
             * @description The id of a voice from `GET /voices` that speaks the language; names are not accepted here.
             * @example espeak/gmw/en-US
             */
            voiceId?: string;
            /**
             * @description Settings of the agent's calls, by the names and bounds of `POST /calls`. Absent settings take the default of `POST /calls` when a call is made.
             * @example {
             *       "greeting": "Hello, this is the bakery.",
             *       "selectedTools": [
             *         {
             *           "toolName": "hang_up"
             *         }
             *       ]
             *     }
             */
            callSettings?: {
                /** @description Whether the call stays in its language. Otherwise the agent answers in the language that the STT detects, where it can, and switches back when the caller does. */
                languagePinned?: boolean;
                /**
                 * @description The configured LLM to use.
                 * @enum {string}
                 */
                model?: "model_a" | "model_b" | "model_c";
                /** @description Sampling temperature of the LLM. */
                temperature?: number;
                /**
                 * @description The opening line when the agent speaks first, spoken verbatim without the LLM. Without a greeting the LLM opens. Ignored when the user speaks first.
                 * @example Hello, this is the bakery.
                 */
                greeting?: string;
                /**
                 * @description Who opens the conversation.
                 * @enum {string}
                 */
                firstSpeaker?: "agent" | "user";
                /** @description Whether the caller may interrupt the agent's first message; every later one can be interrupted. Speech over an uninterruptible first message is answered after it. */
                interruptible?: boolean;
                /** @description Maximum length of the call in seconds, from the redemption of its stream token. */
                maxDuration?: number;
                /** @description Seconds without speech, typed text or DTMF after which `inactivityAction` is taken. */
                inactivityTimeout?: number;
                /**
                 * @description `prompt`: the agent asks whether the caller is still there, and hangs up after 3 unanswered prompts in a row.
                 * @enum {string}
                 */
                inactivityAction?: "hang_up" | "prompt";
                /**
                 * @description Maximum cost of the call in the currency of the service's prices, by the usage that its providers report. When it is reached, or the next request to the LLM or the TTS would exceed it, the agent says so and the call ends with `spend_limit`. STT without a price is not counted. 400 when a price of the LLM or the TTS is not configured.
                 * @example 0.5
                 */
                maxCost?: number;
                /** @description When false, no audio of the call is stored, and there is no recording. Words are stored all the same unless `transcriptEnabled` is false, too. */
                recordingEnabled?: boolean;
                /** @description When false, no word of the call is stored, spoken, typed or dialled, and neither are its prompt, its greeting and the parameters of its start: the transcript has times and no text. Audio, in which the words can be heard, is stored all the same unless `recordingEnabled` is false, too. */
                transcriptEnabled?: boolean;
                /** @description Whether the LLM is given the parameters of the carrier's `start`, as one JSON object marked as data. Otherwise only the record shows them. */
                useParameters?: boolean;
                /**
                 * @description What is not kept of the words and the sound. `card_number`: 13 to 19 digits with a valid check digit. `phone_number`, `email`, `national_id`: in the forms of the countries in which the language is spoken. `variables`: the values of the agent's variables, and each word of a name among them.
                 * @example [
                 *       "card_number",
                 *       "phone_number"
                 *     ]
                 */
                redact?: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
                analysis?: components["schemas"]["AnalysisSettingsInput"];
                /**
                 * @description Tools that the agent may call.
                 * @example [
                 *       {
                 *         "toolName": "hang_up"
                 *       }
                 *     ]
                 */
                selectedTools?: components["schemas"]["SelectedToolInput"][];
            };
            /**
             * @description Saved tools of the account, in addition to those of `callSettings`; its calls have them as they are when the call is created. An override of `selectedTools` replaces both.
             * @example [
             *       "tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
             *     ]
             */
            toolIds?: string[];
            /** @description Corpora of this account that the agent answers from, by the tool `query_corpus`: its settings are those of `query_corpus` in `selectedTools`, and without it there the LLM decides when to ask. An unknown id is 400. */
            corpusIds?: string[];
            /**
             * @description What calls fill in: `{{name}}` in the three layers of the prompt and in the greeting stands for the value of the call. At most 50. A text with a name that is not declared is 400.
             * @example [
             *       {
             *         "name": "customer",
             *         "type": "string",
             *         "description": "Who is called."
             *       },
             *       {
             *         "name": "loaves",
             *         "type": "number",
             *         "default": 1
             *       }
             *     ]
             */
            variables?: components["schemas"]["AgentVariableInput"][];
            /**
             * @description The settings that a call from this agent may give in `overrides`, by their names in `POST /calls`; none by default.
             * @example [
             *       "greeting",
             *       "maxDuration"
             *     ]
             */
            allowedOverrides?: ("languagePinned" | "model" | "temperature" | "greeting" | "firstSpeaker" | "interruptible" | "maxDuration" | "inactivityTimeout" | "inactivityAction" | "maxCost" | "recordingEnabled" | "transcriptEnabled" | "useParameters" | "redact" | "analysis" | "selectedTools" | "voice" | "language")[];
            /** @description Whether calls get the change at once. Otherwise it is the draft, until it is published. */
            autoPublish?: components["schemas"]["AgentChangesAutoPublishInput"];
        };
        /**
         * @description What to publish.
         * @example {
         *       "version": 1
         *     }
         */
        AgentPublicationInput: {
            /**
             * @description The version that calls are to have from now on; the draft by default.
             * @example 1
             */
            version?: number;
        };
        /** @default true */
        AgentRestoreAutoPublishInput: boolean;
        /**
         * @description How to restore a version.
         * @example {
         *       "autoPublish": false
         *     }
         */
        AgentRestoreInput: {
            /** @description Whether calls get it at once. Otherwise it is the draft, until it is published. */
            autoPublish?: components["schemas"]["AgentRestoreAutoPublishInput"];
        };
        /** @description A place in the texts of an agent that each call fills. */
        AgentVariable: {
            /**
             * @description Written `{{name}}` in the texts.
             * @example customer
             */
            name: string;
            /**
             * @description The JSON type of its values.
             * @enum {string}
             */
            type: "string" | "number" | "boolean";
            /** @description The value in calls that give none, of the declared type. Without it every call must give one. */
            default?: string | number | boolean;
            /** @description For people. */
            description?: string;
        };
        /** @description A place in the texts of an agent that each call fills. */
        AgentVariableInput: {
            /**
             * @description Written `{{name}}` in the texts.
             * @example customer
             */
            name: string;
            /**
             * @description The JSON type of its values.
             * @enum {string}
             */
            type: "string" | "number" | "boolean";
            /** @description The value in calls that give none, of the declared type. Without it every call must give one. */
            default?: string | number | boolean;
            /** @description For people. */
            description?: string;
        };
        /** @description A version of an agent. Its fields never change. */
        AgentVersion: {
            /**
             * @description `agent_` and a UUIDv7.
             * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            agentId: string;
            /** @description Counts from 1; a number is never used again. */
            version: number;
            /**
             * @description `live`: calls have this version. `draft`: the newest change, which was not published. `earlier`: neither.
             * @enum {string}
             */
            state: "live" | "draft" | "earlier";
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /** @description The id of the API key that made it; null in versions of before there were versions. */
            createdBy: string | null;
            /** @description When it last became the live version; null when it never was. */
            publishedAt: string | null;
            /**
             * @description Display name of the agent; need not be unique.
             * @example Front desk
             */
            name: string;
            /**
             * @description Who the agent is and what it is for: the first layer of the prompt.
             * @example You answer the telephone of a bakery.
             */
            basePrompt: string;
            /**
             * @description What the agent knows. Added to the prompt under the heading `# Context`; omitted when blank.
             * @example The bakery is open from eight to six.
             */
            context: string;
            /**
             * @description How the agent behaves. Added to the prompt under `# Instructions`; omitted when blank.
             * @example Answer in one sentence.
             */
            customInstructions: string;
            /**
             * @description An id from `GET /languages`.
             * @example en-US
             */
            languageId: string;
            /**
             * @description The id of a voice from `GET /voices` that speaks the language; names are not accepted here.
             * @example espeak/gmw/en-US
             */
            voiceId: string;
            /**
             * @description Settings of the agent's calls, by the names and bounds of `POST /calls`. Absent settings take the default of `POST /calls` when a call is made.
             * @example {
             *       "greeting": "Hello, this is the bakery.",
             *       "selectedTools": [
             *         {
             *           "toolName": "hang_up"
             *         }
             *       ]
             *     }
             */
            callSettings: {
                /** @description Whether the call stays in its language. Otherwise the agent answers in the language that the STT detects, where it can, and switches back when the caller does. */
                languagePinned?: boolean;
                /**
                 * @description The configured LLM to use.
                 * @enum {string}
                 */
                model?: "model_a" | "model_b" | "model_c";
                /** @description Sampling temperature of the LLM. */
                temperature?: number;
                /**
                 * @description The opening line when the agent speaks first, spoken verbatim without the LLM. Without a greeting the LLM opens. Ignored when the user speaks first.
                 * @example Hello, this is the bakery.
                 */
                greeting?: string;
                /**
                 * @description Who opens the conversation.
                 * @enum {string}
                 */
                firstSpeaker?: "agent" | "user";
                /** @description Whether the caller may interrupt the agent's first message; every later one can be interrupted. Speech over an uninterruptible first message is answered after it. */
                interruptible?: boolean;
                /** @description Maximum length of the call in seconds, from the redemption of its stream token. */
                maxDuration?: number;
                /** @description Seconds without speech, typed text or DTMF after which `inactivityAction` is taken. */
                inactivityTimeout?: number;
                /**
                 * @description `prompt`: the agent asks whether the caller is still there, and hangs up after 3 unanswered prompts in a row.
                 * @enum {string}
                 */
                inactivityAction?: "hang_up" | "prompt";
                /**
                 * @description Maximum cost of the call in the currency of the service's prices, by the usage that its providers report. When it is reached, or the next request to the LLM or the TTS would exceed it, the agent says so and the call ends with `spend_limit`. STT without a price is not counted. 400 when a price of the LLM or the TTS is not configured.
                 * @example 0.5
                 */
                maxCost?: number;
                /** @description When false, no audio of the call is stored, and there is no recording. Words are stored all the same unless `transcriptEnabled` is false, too. */
                recordingEnabled?: boolean;
                /** @description When false, no word of the call is stored, spoken, typed or dialled, and neither are its prompt, its greeting and the parameters of its start: the transcript has times and no text. Audio, in which the words can be heard, is stored all the same unless `recordingEnabled` is false, too. */
                transcriptEnabled?: boolean;
                /** @description Whether the LLM is given the parameters of the carrier's `start`, as one JSON object marked as data. Otherwise only the record shows them. */
                useParameters?: boolean;
                /**
                 * @description What is not kept of the words and the sound. `card_number`: 13 to 19 digits with a valid check digit. `phone_number`, `email`, `national_id`: in the forms of the countries in which the language is spoken. `variables`: the values of the agent's variables, and each word of a name among them.
                 * @example [
                 *       "card_number",
                 *       "phone_number"
                 *     ]
                 */
                redact?: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
                analysis?: components["schemas"]["AnalysisSettings"];
                /**
                 * @description Tools that the agent may call.
                 * @example [
                 *       {
                 *         "toolName": "hang_up"
                 *       }
                 *     ]
                 */
                selectedTools?: components["schemas"]["SelectedTool"][];
            };
            /**
             * @description Saved tools of the account, in addition to those of `callSettings`; its calls have them as they are when the call is created. An override of `selectedTools` replaces both.
             * @example [
             *       "tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
             *     ]
             */
            toolIds: string[];
            /** @description Corpora of this account that the agent answers from, by the tool `query_corpus`: its settings are those of `query_corpus` in `selectedTools`, and without it there the LLM decides when to ask. An unknown id is 400. */
            corpusIds: string[];
            /**
             * @description What calls fill in: `{{name}}` in the three layers of the prompt and in the greeting stands for the value of the call. At most 50. A text with a name that is not declared is 400.
             * @example [
             *       {
             *         "name": "customer",
             *         "type": "string",
             *         "description": "Who is called."
             *       },
             *       {
             *         "name": "loaves",
             *         "type": "number",
             *         "default": 1
             *       }
             *     ]
             */
            variables: components["schemas"]["AgentVariable"][];
            /**
             * @description The settings that a call from this agent may give in `overrides`, by their names in `POST /calls`; none by default.
             * @example [
             *       "greeting",
             *       "maxDuration"
             *     ]
             */
            allowedOverrides: ("languagePinned" | "model" | "temperature" | "greeting" | "firstSpeaker" | "interruptible" | "maxDuration" | "inactivityTimeout" | "inactivityAction" | "maxCost" | "recordingEnabled" | "transcriptEnabled" | "useParameters" | "redact" | "analysis" | "selectedTools" | "voice" | "language")[];
        };
        /**
         * @description One field that differs.
         * @example {
         *       "path": "/callSettings/maxDuration",
         *       "before": 300,
         *       "after": 600
         *     }
         * @example {
         *       "path": "/context",
         *       "lines": [
         *         {
         *           "change": "same",
         *           "text": "The bakery is open from eight to six.\n"
         *         },
         *         {
         *           "change": "removed",
         *           "text": "It is closed on Sunday.\n"
         *         },
         *         {
         *           "change": "added",
         *           "text": "It is closed on Sunday and Monday.\n"
         *         }
         *       ]
         *     }
         */
        AgentVersionChange: {
            /**
             * @description JSON pointer to the field in the agent.
             * @example /callSettings/model
             */
            path: string;
            /** @description In `against`; absent where the field is absent there. */
            before?: unknown;
            /** @description In `version`; absent where the field is absent there. */
            after?: unknown;
            /**
             * @description Of the layers of the prompt instead of `before` and `after`: all lines of both texts, in order. With more than 500 changed lines, all between the first and the last of them count as changed.
             * @example [
             *       {
             *         "change": "same",
             *         "text": "The bakery is open from eight to six.\n"
             *       },
             *       {
             *         "change": "removed",
             *         "text": "It is closed on Sunday.\n"
             *       },
             *       {
             *         "change": "added",
             *         "text": "It is closed on Sunday and Monday.\n"
             *       }
             *     ]
             */
            lines?: {
                /** @enum {string} */
                change: "same" | "removed" | "added";
                /** @description Whole lines with their ends. */
                text: string;
            }[];
        };
        /**
         * @description What changed from the version `against` to `version`.
         * @example {
         *       "agentId": "agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "version": 3,
         *       "against": 2,
         *       "changes": [
         *         {
         *           "path": "/callSettings/maxDuration",
         *           "before": 300,
         *           "after": 600
         *         }
         *       ]
         *     }
         */
        AgentVersionDiff: {
            /**
             * @description `agent_` and a UUIDv7.
             * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            agentId: string;
            version: number;
            against: number;
            /** @description The fields that differ, by path; lists are compared as a whole. */
            changes: components["schemas"]["AgentVersionChange"][];
        };
        /**
         * @description A version of an agent in a list.
         * @example {
         *       "version": 3,
         *       "state": "live",
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "createdBy": "key_019aa5c8-5e00-7b3e-9c41-3b8f6a2d7e10",
         *       "publishedAt": "2026-11-21T08:00:00.000Z"
         *     }
         */
        AgentVersionSummary: {
            /** @description Counts from 1; a number is never used again. */
            version: number;
            /**
             * @description `live`: calls have this version. `draft`: the newest change, which was not published. `earlier`: neither.
             * @enum {string}
             */
            state: "live" | "draft" | "earlier";
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /** @description The id of the API key that made it; null in versions of before there were versions. */
            createdBy: string | null;
            /** @description When it last became the live version; null when it never was. */
            publishedAt: string | null;
        };
        /**
         * @description What the LLM of the call is to find out once it is over. `call.ended` waits for it, for 30 s at most.
         * @example {
         *       "summary": true
         *     }
         * @example {
         *       "schema": {
         *         "type": "object",
         *         "properties": {
         *           "wantsCallback": {
         *             "type": "boolean"
         *           },
         *           "topic": {
         *             "type": "string"
         *           }
         *         },
         *         "required": [
         *           "wantsCallback"
         *         ]
         *       },
         *       "prompt": "A caller who asks to be called again wants a callback."
         *     }
         */
        AnalysisSettings: {
            /** @description A JSON Schema (2020-12) of the type `object`, which `data` is to fit: at most 8192 characters and 8 levels, without external references. */
            schema?: {
                [key: string]: unknown;
            };
            /** @description What the LLM is to pay attention to. */
            prompt?: string;
            /** @description Whether there is to be a summary in a few sentences, which is the default where `schema` is absent. */
            summary?: boolean;
        };
        /**
         * @description What the LLM of the call is to find out once it is over. `call.ended` waits for it, for 30 s at most.
         * @example {
         *       "summary": true
         *     }
         * @example {
         *       "schema": {
         *         "type": "object",
         *         "properties": {
         *           "wantsCallback": {
         *             "type": "boolean"
         *           },
         *           "topic": {
         *             "type": "string"
         *           }
         *         },
         *         "required": [
         *           "wantsCallback"
         *         ]
         *       },
         *       "prompt": "A caller who asks to be called again wants a callback."
         *     }
         */
        AnalysisSettingsInput: {
            /** @description A JSON Schema (2020-12) of the type `object`, which `data` is to fit: at most 8192 characters and 8 levels, without external references. */
            schema?: {
                [key: string]: unknown;
            };
            /** @description What the LLM is to pay attention to. */
            prompt?: string;
            /** @description Whether there is to be a summary in a few sentences, which is the default where `schema` is absent. */
            summary?: boolean;
        };
        /**
         * @description An API key, without its text.
         * @example {
         *       "id": "key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "name": "front desk",
         *       "prefix": "tlk_ZkQ3x8Wn",
         *       "status": "active",
         *       "scopes": [
         *         "read",
         *         "calls"
         *       ],
         *       "expiresAt": null,
         *       "lastUsedAt": "2026-11-21T08:00:00.000Z",
         *       "previousWorksUntil": null,
         *       "revokedAt": null,
         *       "createdAt": "2026-11-20T08:00:00.000Z",
         *       "updatedAt": "2026-11-20T08:00:00.000Z"
         *     }
         */
        ApiKey: {
            /**
             * @description `key_` and a UUIDv7.
             * @example key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description What it is for. */
            name: string;
            /** @description The first characters of its text, to tell API keys apart. */
            prefix: string;
            /**
             * @description Only an `active` one is accepted.
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /** @description What it may do. */
            scopes: ("read" | "calls" | "write" | "admin")[];
            /** @description From then on it is refused; null: never. */
            expiresAt: string | null;
            /** @description Its last use, up to about a minute late; null before the first. */
            lastUsedAt: string | null;
            /** @description After a rotation: until when the previous text works, too. Null when it does not. */
            previousWorksUntil: string | null;
            /** @description When it was revoked. */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last changed, rotated or revoked.
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /**
         * @description What to change; the rest stays.
         * @example {
         *       "scopes": [
         *         "read"
         *       ]
         *     }
         */
        ApiKeyChangesInput: {
            /**
             * @description What it is for.
             * @example front desk
             */
            name?: string;
            /**
             * @description What it may do. `read`: reading: every `GET` and `HEAD` but those of `admin`. `calls`: creating and ending calls, and creating and cancelling transcriptions. `write`: creating, changing and deleting agents, corpora with their documents, webhooks and telephone numbers, and deleting calls and transcriptions. `admin`: API keys, publishable keys, people, the audit log, the account with its API keys of providers, its credentials at carriers and its secrets of tools, and the state of the service.
             * @example [
             *       "read",
             *       "calls"
             *     ]
             */
            scopes?: ("read" | "calls" | "write" | "admin")[];
            /**
             * @description From then on it is refused; null: never.
             * @example 2999-01-31T00:00:00.000Z
             */
            expiresAt?: string | null;
        };
        /**
         * @description How to rotate.
         * @example {
         *       "overlapSeconds": 3600
         *     }
         */
        ApiKeyRotationInput: {
            /** @description How long the previous text works, too. */
            overlapSeconds?: components["schemas"]["ApiKeyRotationOverlapSecondsInput"];
        };
        /**
         * @default 86400
         * @example 3600
         */
        ApiKeyRotationOverlapSecondsInput: number;
        /**
         * @description An API key with its text.
         * @example {
         *       "id": "key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "name": "front desk",
         *       "prefix": "tlk_ZkQ3x8Wn",
         *       "status": "active",
         *       "scopes": [
         *         "read",
         *         "calls"
         *       ],
         *       "expiresAt": null,
         *       "lastUsedAt": "2026-11-21T08:00:00.000Z",
         *       "previousWorksUntil": null,
         *       "revokedAt": null,
         *       "createdAt": "2026-11-20T08:00:00.000Z",
         *       "updatedAt": "2026-11-20T08:00:00.000Z",
         *       "key": "tlk_ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGfKi4oPq1NzYE"
         *     }
         */
        ApiKeyWithText: {
            /**
             * @description `key_` and a UUIDv7.
             * @example key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description What it is for. */
            name: string;
            /** @description The first characters of its text, to tell API keys apart. */
            prefix: string;
            /**
             * @description Only an `active` one is accepted.
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /** @description What it may do. */
            scopes: ("read" | "calls" | "write" | "admin")[];
            /** @description From then on it is refused; null: never. */
            expiresAt: string | null;
            /** @description Its last use, up to about a minute late; null before the first. */
            lastUsedAt: string | null;
            /** @description After a rotation: until when the previous text works, too. Null when it does not. */
            previousWorksUntil: string | null;
            /** @description When it was revoked. */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last changed, rotated or revoked.
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
            /** @description Its text: the header X-API-Key. It is not shown again. */
            key: string;
        };
        /** @description No audio of the caller had arrived for a while, until now: the network stalled or lost it, or the client sent none. Also at the loss of a stream and at the end of a call. */
        AudioGapEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "audio-gap";
            /** @description For how long, in milliseconds. */
            gapMs: number;
            /** @description How much of it never came, in milliseconds; the rest came late. */
            lostMs: number;
        };
        /**
         * @description One act.
         * @example {
         *       "id": "audit_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a",
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "actor": {
         *         "kind": "api_key",
         *         "id": "key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
         *       },
         *       "action": "api_key.rotated",
         *       "target": {
         *         "kind": "api_key",
         *         "id": "key_019aa5c8-7b22-7a1f-9d66-1a2b3c4d5e6f"
         *       },
         *       "details": {
         *         "overlapSeconds": 3600
         *       },
         *       "requestId": "req_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
         *     }
         */
        AuditEvent: {
            /** @description `audit_` and a UUIDv7. */
            id: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /** @description Who did it. */
            actor: {
                /**
                 * @description `api_key`: a request with this API key. `user`: a person who had signed in. `operator`: a command on the machine of the service, started by this user of its system. `service`: the service itself.
                 * @enum {string}
                 */
                kind: "api_key" | "user" | "operator" | "service";
                /** @description The id of the API key or the user, or the name of the operator's user. */
                id: string;
            };
            /**
             * @description What was done: `account.created`: an account was created. `account.updated`: the name or the settings of an account were changed. `api_key.created`: an API key was created. `api_key.updated`: the name, the scopes or the expiry of an API key was changed. `api_key.rotated`: an API key got another text. `api_key.revoked`: an API key was revoked. `provider_credential.created`: an account's own API key of a provider was stored. `provider_credential.deleted`: an account's own API key of a provider was deleted. `tool_secret.created`: an account's own secret of tools was stored. `tool_secret.deleted`: an account's own secret of tools was deleted. `tool.created`: a tool was saved. `tool.updated`: a saved tool was changed. `tool.deleted`: a saved tool was deleted. `carrier.created`: an account's credentials at a carrier were stored. `carrier.updated`: the name, the credentials or the limits of an account's carrier were changed. `carrier.deleted`: an account's credentials at a carrier were deleted, with its numbers. `phone_number.imported`: telephone numbers were imported from a carrier. `phone_number.updated`: the name, the agent, the webhook or the limits of a telephone number were changed. `phone_number.attached`: a telephone number was attached: its carrier sends its calls to the service. `phone_number.detached`: a telephone number was detached: its carrier does with its calls what it did before. `phone_number.deleted`: a telephone number was deleted from the account; the carrier keeps it. `publishable_key.created`: a publishable key was created. `publishable_key.updated`: the name, the agents, the origins or the limits of a publishable key were changed. `publishable_key.revoked`: a publishable key was revoked. `agent.created`: an agent was saved. `agent.updated`: an agent got another draft. `agent.published`: an agent got another live version. `agent.deleted`: an agent was deleted. `webhook.created`: a webhook was created. `webhook.updated`: a webhook was changed. `webhook.deleted`: a webhook was deleted. `webhook.secret_rotated`: a webhook got another secret. `user.invited`: a person was invited. `user.invitation_accepted`: a person accepted the invitation, by its link. `user.updated`: the name or the role of a person was changed. `user.link_created`: a person got another one-time link. `user.password_reset`: a person set a new password, by a link. `user.password_changed`: a person changed the password. `user.signed_in`: a person signed in. `user.signed_out`: a person signed out. `user.removed`: a person was removed. `owner_link.created`: a one-time link for the owner of the service was made. `owner_link.used`: a browser was opened by a link for the owner of the service. `call.listened`: an address was issued at which a client listens to a live call. `call.deleted`: a call was deleted with all of its data. `transcription.deleted`: a transcription was deleted with its audio and its result. `corpus.created`: a corpus was created. `corpus.updated`: the name, the description, the language, the mode or the metadata of a corpus was changed. `corpus.deleted`: a corpus was deleted with its documents. `document.created`: a document was added to a corpus. `document.replaced`: a document got other content. `document.reprocessed`: a document was to be processed again. `document.deleted`: a document was deleted with its file and its text.
             * @enum {string}
             */
            action: "account.created" | "account.updated" | "api_key.created" | "api_key.updated" | "api_key.rotated" | "api_key.revoked" | "provider_credential.created" | "provider_credential.deleted" | "tool_secret.created" | "tool_secret.deleted" | "tool.created" | "tool.updated" | "tool.deleted" | "carrier.created" | "carrier.updated" | "carrier.deleted" | "phone_number.imported" | "phone_number.updated" | "phone_number.attached" | "phone_number.detached" | "phone_number.deleted" | "publishable_key.created" | "publishable_key.updated" | "publishable_key.revoked" | "agent.created" | "agent.updated" | "agent.published" | "agent.deleted" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secret_rotated" | "user.invited" | "user.invitation_accepted" | "user.updated" | "user.link_created" | "user.password_reset" | "user.password_changed" | "user.signed_in" | "user.signed_out" | "user.removed" | "owner_link.created" | "owner_link.used" | "call.listened" | "call.deleted" | "transcription.deleted" | "corpus.created" | "corpus.updated" | "corpus.deleted" | "document.created" | "document.replaced" | "document.reprocessed" | "document.deleted";
            /** @description What it was done to. It may no longer exist. */
            target: {
                kind: string;
                id: string;
            };
            /** @description Depends on the action: `changed` (the names of the fields), `scopes`, `role`, `kind` (of a link), `expiresAt`, `overlapSeconds`, `eventTypes`, `enabled`. Never a secret, and never a text that somebody wrote. */
            details: {
                [key: string]: unknown;
            };
            /** @description The request that did it; null for commands. */
            requestId: string | null;
        };
        /** @description The caller's turn is over, and the answer waits for the passages. */
        AwaitPassagesCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "await-passages";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description The question to the corpora; counted from 1. */
            retrieval: number;
            /** @description For how long at most, in milliseconds. */
            waitMsMax: number;
        };
        /**
         * @description A tool that the service carries out by itself.
         * @example {
         *       "toolName": "hang_up",
         *       "description": "Ends the call once everything said before it has been heard. Say goodbye first.",
         *       "parameters": {
         *         "type": "object",
         *         "properties": {},
         *         "required": [],
         *         "additionalProperties": false
         *       },
         *       "readOnly": false
         *     }
         */
        BuiltInTool: {
            /** @description Its name for the LLM and in `selectedTools`. */
            toolName: string;
            description: string;
            /** @description The JSON Schema of its arguments, each of which `parameterOverrides` may fix. */
            parameters: {
                [key: string]: unknown;
            };
            /** @description It does nothing to the call. */
            readOnly: boolean;
        };
        /**
         * @description The current state of a call. Unknown values are null.
         * @example {
         *       "id": "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "agentId": null,
         *       "agentVersion": null,
         *       "variables": null,
         *       "status": "ended",
         *       "connectionType": "carrier_a",
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "startedAt": "2026-11-21T08:00:02.140Z",
         *       "endedAt": "2026-11-21T08:00:14.300Z",
         *       "durationMs": 12160,
         *       "endReason": "caller_hangup",
         *       "heldSince": null,
         *       "carrierCallId": "CA0123456789abcdef0123456789abcdef",
         *       "phone": {
         *         "direction": "inbound",
         *         "from": "+15550199",
         *         "to": "+15550100",
         *         "carrierId": "carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *         "phoneNumberId": "number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *         "headers": null,
         *         "carrierCode": null,
         *         "price": {
         *           "amount": 0.0085,
         *           "currency": "USD"
         *         }
         *       },
         *       "parameters": {
         *         "branch": "Mill Street",
         *         "returning": "true"
         *       },
         *       "configuration": {
         *         "languagePinned": false,
         *         "model": "model_b",
         *         "temperature": 0.3,
         *         "firstSpeaker": "agent",
         *         "interruptible": true,
         *         "maxDuration": 600,
         *         "inactivityTimeout": 20,
         *         "inactivityAction": "hang_up",
         *         "recordingEnabled": true,
         *         "transcriptEnabled": true,
         *         "useParameters": true,
         *         "redact": [
         *           "card_number"
         *         ],
         *         "analysis": {
         *           "schema": {
         *             "type": "object",
         *             "properties": {
         *               "wantsCallback": {
         *                 "type": "boolean"
         *               }
         *             },
         *             "required": [
         *               "wantsCallback"
         *             ]
         *           },
         *           "prompt": "A caller who asks to be called again wants a callback.",
         *           "summary": true
         *         },
         *         "selectedTools": [
         *           {
         *             "toolName": "hang_up"
         *           },
         *           {
         *             "toolName": "transfer",
         *             "parameterOverrides": {
         *               "target": "+15550100"
         *             }
         *           },
         *           {
         *             "definition": {
         *               "type": "http",
         *               "name": "order_status",
         *               "description": "Tells how far an order is.",
         *               "parameters": {
         *                 "type": "object",
         *                 "properties": {
         *                   "order": {
         *                     "type": "string"
         *                   }
         *                 },
         *                 "required": [
         *                   "order"
         *                 ]
         *               },
         *               "timeoutMs": 5000,
         *               "readOnly": true,
         *               "idempotent": false,
         *               "http": {
         *                 "method": "GET",
         *                 "url": "https://api.example.com/orders/{order}",
         *                 "headerNames": [
         *                   "Accept"
         *                 ]
         *               }
         *             }
         *           }
         *         ],
         *         "maxCost": null,
         *         "voice": "espeak/gmw/en-US",
         *         "language": "en-US",
         *         "websocket": null
         *       },
         *       "metadata": {
         *         "order": "A-17",
         *         "vip": true
         *       },
         *       "recording": {
         *         "channels": 2,
         *         "sampleRateHz": 8000,
         *         "durationMs": 12160,
         *         "complete": true
         *       },
         *       "recordingDeletedAt": null,
         *       "transcriptDeletedAt": null,
         *       "redaction": {
         *         "card_number": 1
         *       },
         *       "recordingPauses": null,
         *       "analysis": {
         *         "status": "completed",
         *         "reason": null,
         *         "summary": "The caller asked for the opening hours.",
         *         "data": {
         *           "wantsCallback": false
         *         },
         *         "truncated": false
         *       },
         *       "transcriptComplete": true,
         *       "counters": {
         *         "framesIn": 608,
         *         "framesOut": 236
         *       },
         *       "latency": {
         *         "endOfTurn": {
         *           "count": 2,
         *           "p50Ms": 520,
         *           "p90Ms": 540,
         *           "p95Ms": 540,
         *           "p99Ms": 540
         *         },
         *         "llmFirstToken": {
         *           "count": 2,
         *           "p50Ms": 120,
         *           "p90Ms": 310,
         *           "p95Ms": 310,
         *           "p99Ms": 310
         *         },
         *         "total": {
         *           "count": 2,
         *           "p50Ms": 780,
         *           "p90Ms": 990,
         *           "p95Ms": 990,
         *           "p99Ms": 990
         *         }
         *       },
         *       "network": null,
         *       "usage": [
         *         {
         *           "stage": "stt",
         *           "provider": "deepgram",
         *           "audioSeconds": 12.02,
         *           "cost": 0.001542567
         *         },
         *         {
         *           "stage": "llm",
         *           "provider": "openai",
         *           "model": "gpt-4o-mini",
         *           "inputTokens": 512,
         *           "outputTokens": 61,
         *           "cost": 0.0001134
         *         },
         *         {
         *           "stage": "tts",
         *           "provider": "espeak",
         *           "characters": 208,
         *           "cost": null
         *         }
         *       ],
         *       "cost": {
         *         "currency": "USD",
         *         "total": 0.001655967,
         *         "complete": false
         *       }
         *     }
         */
        Call: {
            /**
             * @description `call_` and a UUIDv7.
             * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description The saved agent that the call was created from. */
            agentId: string | null;
            /** @description The version of that agent, with which the call stays. */
            agentVersion: number | null;
            /**
             * @description The values of the agent's variables in this call, defaults included. Null without an agent, with `transcriptEnabled: false`, and once its transcript was deleted.
             * @example {
             *       "customer": "Mrs Miller",
             *       "loaves": 2
             *     }
             */
            variables: {
                [key: string]: string | number | boolean;
            } | null;
            /**
             * @description `created`: waits for its media stream. `queued`: an outbound telephone call that was not placed yet. `ringing`: a telephone call before its media stream. `active`: in progress. `ended`: over; `endReason` says why. `expired`: the stream did not connect in time. `failed`: ended before any audio by a fault of the service.
             * @enum {string}
             */
            status: "created" | "queued" | "ringing" | "active" | "ended" | "expired" | "failed";
            /** @enum {string} */
            connectionType: "carrier_a" | "carrier_b" | "carrier_c" | "websocket" | "webrtc";
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /** @description When the media stream connected. */
            startedAt: string | null;
            endedAt: string | null;
            /** @description From the connection of the stream to the end, by a monotonic clock. */
            durationMs: number | null;
            /** @description `caller_hangup`: the caller hung up: the carrier or the client closed the stream. `connection_lost`: the peer sent nothing for too long, not even a pong; or no audio, where `MEDIA_TIMEOUT_S` is set; or a client that may resume did not come back within 15 s after its connection was lost. `unreachable`: the audio of a WebRTC call found no way: no offer within 10 s, no RTP and no fallback within 15 s of the answer, or RTP that stopped and no fallback. `agent_hangup`: the agent hung up, by its tool `hang_up`. `api_hangup`: `POST /calls/{id}/end` ended the call. `max_duration`: the call reached its `maxDuration`. `inactivity`: the caller gave no words, DTMF or typed text for `inactivityTimeout` and did not answer the prompts, or for `MAX_WORDLESS_S`. `spend_limit`: `maxCost` or a limit per minute of the call or the account was reached. `transferred`: the agent transferred the caller, by its tool `transfer`. `token_expired`: the stream did not connect within `TOKEN_TTL_S`. `protocol_error`: the peer broke the protocol of its stream, or sent too many messages. `audio_flood`: the peer sent audio far ahead of real time, or too much audio that had to be dropped. `message_flood`: the peer sent more bytes of messages than the service parses. `slow_consumer`: the peer did not read the audio that it was sent. `provider_error`: the STT, LLM or TTS failed, and no retry and no fallback made up for it. `drain_timeout`: the service was stopped, and the call was still live after `DRAIN_MS`. `busy`: the line of the person that was called by telephone was busy. `no_answer`: the person that was called by telephone did not answer within `ringTimeout`. `declined`: the person that was called by telephone declined the call. `invalid_number`: the carrier cannot reach the number that was called. `carrier_failed`: the carrier did not place the call, or lost it. `no_capacity`: no slot was free: for an inbound call, or for 15 minutes for an outbound one. `unknown`: the carrier did not say whether it placed the call, or what became of it; the service never dials it again. `worker_lost`: the media worker died, or a defect of the service ended the call. */
            endReason: ("caller_hangup" | "connection_lost" | "unreachable" | "agent_hangup" | "api_hangup" | "max_duration" | "inactivity" | "spend_limit" | "transferred" | "token_expired" | "protocol_error" | "audio_flood" | "message_flood" | "slow_consumer" | "provider_error" | "drain_timeout" | "busy" | "no_answer" | "declined" | "invalid_number" | "carrier_failed" | "no_capacity" | "unknown" | "worker_lost") | null;
            /** @description Since when the caller of a live call is on hold; null for one who is not. `POST /calls/{id}/resume` ends it. */
            heldSince: string | null;
            /**
             * @description The carrier's own id for the call: the `callSid` in `start` of carrier_a, the `call_control_id` of carrier_b, the `callId` of carrier_c. Null before its stream has started, and for other connection types.
             * @example CA0123456789abcdef0123456789abcdef
             */
            carrierCallId: string | null;
            /** @description Of a telephone call that the service placed or answered itself; null for any other. */
            phone: {
                /**
                 * @description `outbound`: the service placed it.
                 * @enum {string}
                 */
                direction: "inbound" | "outbound";
                /**
                 * @description Who called: E.164 where the carrier gave that, otherwise as it came, such as `anonymous`.
                 * @example +15550199
                 */
                from: string;
                /**
                 * @description Who was called.
                 * @example +15550100
                 */
                to: string;
                /** @description The carrier of the account; it may be deleted since. */
                carrierId: string | null;
                /** @description The number of the account; it may be deleted since. */
                phoneNumberId: string | null;
                /** @description SIP headers of an inbound call, by lower-case names. Null without any, with `transcriptEnabled: false`, and once its transcript was deleted. */
                headers: {
                    [key: string]: string;
                } | null;
                /**
                 * @description The carrier's own code of why the call ended or was not placed.
                 * @example 486
                 */
                carrierCode: string | null;
                /** @description What the carrier charges, once it has said so: often after the end. */
                price: {
                    amount: number;
                    /**
                     * @description ISO 4217.
                     * @example USD
                     */
                    currency: string;
                } | null;
            } | null;
            /**
             * @description What the carrier's `start` handed to the call, by name: at most 64 parameters and 8192 bytes. `metadata` is what `POST /calls` said instead. Null before the call has ended, without any, with `transcriptEnabled: false`, and once its transcript was deleted.
             * @example {
             *       "order": "A-17"
             *     }
             */
            parameters: {
                [key: string]: string;
            } | null;
            /** @description The configuration of the call, as in `POST /calls`, without the prompt and the greeting. */
            configuration: {
                /** @description Id of the voice. */
                voice: string;
                /** @description The language in which the call starts. */
                language: string;
                languagePinned: boolean;
                /** @enum {string} */
                model: "model_a" | "model_b" | "model_c";
                temperature: number;
                /** @enum {string} */
                firstSpeaker: "agent" | "user";
                interruptible: boolean;
                maxDuration: number;
                inactivityTimeout: number;
                /** @enum {string} */
                inactivityAction: "hang_up" | "prompt";
                maxCost: number | null;
                recordingEnabled: boolean;
                transcriptEnabled: boolean;
                useParameters: boolean;
                redact: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
                /** @description With its defaults filled in; null for other connection types. */
                websocket: {
                    /** @enum {string} */
                    codec: "pcm_s16le" | "mulaw" | "alaw" | "opus";
                    /** @enum {number} */
                    inputSampleRate: 8000 | 16000 | 24000 | 48000;
                    /** @enum {number} */
                    outputSampleRate: 8000 | 16000 | 24000 | 48000;
                } | null;
                selectedTools: components["schemas"]["CallTool"][];
                analysis: components["schemas"]["AnalysisSettings"] | null;
            };
            /** @description As in the request. */
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @description Present once the recording can be downloaded. */
            recording: {
                channels: number;
                sampleRateHz: number;
                durationMs: number;
                /** @description False when audio is missing from it. */
                complete: boolean;
            } | null;
            /** @description When retention deleted the recording, and with it the call's events. */
            recordingDeletedAt: string | null;
            /** @description When retention deleted the transcript, and with it the call's events. */
            transcriptDeletedAt: string | null;
            /** @description How often each kind was found in what is kept of the call, and redacted. Null before the end, and without `redact`. */
            redaction: {
                [key: string]: number;
            } | null;
            /** @description When neither audio nor words were stored, in milliseconds since the media stream connected. Null before the end, and where they always were. */
            recordingPauses: {
                startMs: number;
                endMs: number;
            }[] | null;
            /** @description What the LLM has found out about the call. Null before the end, without `analysis` in the configuration, and once its transcript was deleted. */
            analysis: {
                /**
                 * @description `pending`: the LLM is being asked, or will be again.
                 * @enum {string}
                 */
                status: "pending" | "completed" | "failed";
                /** @description Why it has failed. `no_transcript`: nothing was said, or all of it while the recording was paused. `provider_failed`: the LLM failed, and neither retries nor fallbacks made up for it. `invalid_answer`: the LLM's answers did not fit the schema. `spend_limit`: the account has reached a spend limit. */
                reason: ("no_transcript" | "provider_failed" | "invalid_answer" | "spend_limit") | null;
                summary: string | null;
                /** @description Fits the schema of the settings. */
                data: {
                    [key: string]: unknown;
                } | null;
                /** @description The beginning of the transcript did not fit into the prompt. */
                truncated: boolean;
            } | null;
            /** @description False when turns may be missing from the transcript: a process was lost, or the disk was full. `usage` and `cost` may then be incomplete too. Null before the end. */
            transcriptComplete: boolean | null;
            /** @description Counters of the call by name, for diagnosis; they may change between versions. */
            counters: {
                [key: string]: number;
            } | null;
            /** @description Durations of the steps of a reply, over all replies of the call; steps that no reply had are absent. Null before the call has ended. */
            latency: {
                /** @description From the caller's last voiced frame to the end of the turn. */
                endOfTurn?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the caller's last voiced frame to the final transcript of the STT. */
                finalTranscript?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the end of the turn until the passages were there, or were waited for no longer. */
                retrieval?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the LLM request to its first text. */
                llmFirstToken?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the LLM's first text to the first segment handed to the TTS. */
                firstSegment?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From that segment to the TTS's first audio. */
                ttsFirstByte?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the first audio to the first frame sent. */
                firstFrame?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the caller's last voiced frame to the first frame that was sent. */
                total?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
            } | null;
            /**
             * @description What was measured of the network of a `webrtc` call while its audio travelled by RTP, over all of its connections; a figure is null where nothing was measured, such as what only the client knows before its first report. Null before the call has ended, for other connection types, and where RTP never connected.
             * @example {
             *       "lossInPercent": 0.41,
             *       "lossOutPercent": 0.2,
             *       "jitterInMs": 4.2,
             *       "jitterOutMs": 3.1,
             *       "roundTripMs": 38.5
             *     }
             */
            network: {
                /** @description Packets of the client that did not arrive, of all that it sent by RTP. */
                lossInPercent: number | null;
                /** @description Packets that did not reach the client, by its reports, of all that they cover. */
                lossOutPercent: number | null;
                /** @description Jitter of the client's packets by RFC 3550: the median over the call. */
                jitterInMs: number | null;
                /** @description The same of the service's packets, by the client's reports. */
                jitterOutMs: number | null;
                /** @description To the client and back, by RTCP: the median over the call. */
                roundTripMs: number | null;
            } | null;
            /** @description Usage of each provider in the call, including failed attempts that had started and, as items of their own, `discarded` replies. Null before the call has ended. */
            usage: {
                /**
                 * @description The stage that it served: `stt`, `llm` or `tts`.
                 * @enum {string}
                 */
                stage: "stt" | "llm" | "tts";
                /** @example openai */
                provider: string;
                /**
                 * @description Present when the provider has several models.
                 * @example gpt-4o-mini
                 */
                model?: string;
                /** @description Of an STT: audio sent to it, including silence. */
                audioSeconds?: number;
                /** @description Of an LLM. */
                inputTokens?: number;
                /** @description Of an LLM. */
                outputTokens?: number;
                /** @description Of a TTS: characters sent to it. */
                characters?: number;
                /**
                 * @description Some tokens are estimated from characters, because a reply was aborted before the provider reported its usage.
                 * @constant
                 */
                approximate?: true;
                /**
                 * @description Of replies that preemptive generation requested and that were not used, because the caller went on. They are an item of their own.
                 * @constant
                 */
                discarded?: true;
                /** @description In the currency of `cost`; null when the service has no price for it. */
                cost: number | null;
            }[] | null;
            /** @description Calculated with the service's prices at the end of the call; null when it has no prices. */
            cost: {
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /** @description Sum of all items that have a price. */
                total: number;
                /** @description False when an item of `usage` has no price. */
                complete: boolean;
            } | null;
        };
        /** @description What happened to a call (`event`), or what the call did in response (`command`). */
        CallEvent: components["schemas"]["InputEvent"] | components["schemas"]["CommandEvent"];
        /**
         * @description A call in a list. Unknown values are null.
         * @example {
         *       "id": "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "agentId": null,
         *       "agentVersion": null,
         *       "variables": null,
         *       "status": "ended",
         *       "connectionType": "carrier_a",
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "startedAt": "2026-11-21T08:00:02.140Z",
         *       "endedAt": "2026-11-21T08:00:14.300Z",
         *       "durationMs": 12160,
         *       "endReason": "caller_hangup",
         *       "heldSince": null,
         *       "carrierCallId": "CA0123456789abcdef0123456789abcdef",
         *       "phone": {
         *         "direction": "inbound",
         *         "from": "+15550199",
         *         "to": "+15550100",
         *         "carrierId": "carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *         "phoneNumberId": "number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *         "headers": null,
         *         "carrierCode": null,
         *         "price": {
         *           "amount": 0.0085,
         *           "currency": "USD"
         *         }
         *       },
         *       "parameters": {
         *         "branch": "Mill Street",
         *         "returning": "true"
         *       },
         *       "metadata": {
         *         "order": "A-17",
         *         "vip": true
         *       },
         *       "recording": {
         *         "channels": 2,
         *         "sampleRateHz": 8000,
         *         "durationMs": 12160,
         *         "complete": true
         *       },
         *       "recordingDeletedAt": null,
         *       "transcriptDeletedAt": null,
         *       "redaction": {
         *         "card_number": 1
         *       },
         *       "recordingPauses": null,
         *       "transcriptComplete": true,
         *       "counters": {
         *         "framesIn": 608,
         *         "framesOut": 236
         *       },
         *       "latency": {
         *         "endOfTurn": {
         *           "count": 2,
         *           "p50Ms": 520,
         *           "p90Ms": 540,
         *           "p95Ms": 540,
         *           "p99Ms": 540
         *         },
         *         "llmFirstToken": {
         *           "count": 2,
         *           "p50Ms": 120,
         *           "p90Ms": 310,
         *           "p95Ms": 310,
         *           "p99Ms": 310
         *         },
         *         "total": {
         *           "count": 2,
         *           "p50Ms": 780,
         *           "p90Ms": 990,
         *           "p95Ms": 990,
         *           "p99Ms": 990
         *         }
         *       },
         *       "network": null,
         *       "usage": [
         *         {
         *           "stage": "stt",
         *           "provider": "deepgram",
         *           "audioSeconds": 12.02,
         *           "cost": 0.001542567
         *         },
         *         {
         *           "stage": "llm",
         *           "provider": "openai",
         *           "model": "gpt-4o-mini",
         *           "inputTokens": 512,
         *           "outputTokens": 61,
         *           "cost": 0.0001134
         *         },
         *         {
         *           "stage": "tts",
         *           "provider": "espeak",
         *           "characters": 208,
         *           "cost": null
         *         }
         *       ],
         *       "cost": {
         *         "currency": "USD",
         *         "total": 0.001655967,
         *         "complete": false
         *       },
         *       "configuration": {
         *         "languagePinned": false,
         *         "model": "model_b",
         *         "temperature": 0.3,
         *         "firstSpeaker": "agent",
         *         "interruptible": true,
         *         "maxDuration": 600,
         *         "inactivityTimeout": 20,
         *         "inactivityAction": "hang_up",
         *         "recordingEnabled": true,
         *         "transcriptEnabled": true,
         *         "useParameters": true,
         *         "redact": [
         *           "card_number"
         *         ],
         *         "maxCost": null,
         *         "voice": "espeak/gmw/en-US",
         *         "language": "en-US",
         *         "websocket": null
         *       }
         *     }
         */
        CallSummary: {
            /**
             * @description `call_` and a UUIDv7.
             * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description The saved agent that the call was created from. */
            agentId: string | null;
            /** @description The version of that agent, with which the call stays. */
            agentVersion: number | null;
            /**
             * @description The values of the agent's variables in this call, defaults included. Null without an agent, with `transcriptEnabled: false`, and once its transcript was deleted.
             * @example {
             *       "customer": "Mrs Miller",
             *       "loaves": 2
             *     }
             */
            variables: {
                [key: string]: string | number | boolean;
            } | null;
            /**
             * @description `created`: waits for its media stream. `queued`: an outbound telephone call that was not placed yet. `ringing`: a telephone call before its media stream. `active`: in progress. `ended`: over; `endReason` says why. `expired`: the stream did not connect in time. `failed`: ended before any audio by a fault of the service.
             * @enum {string}
             */
            status: "created" | "queued" | "ringing" | "active" | "ended" | "expired" | "failed";
            /** @enum {string} */
            connectionType: "carrier_a" | "carrier_b" | "carrier_c" | "websocket" | "webrtc";
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /** @description When the media stream connected. */
            startedAt: string | null;
            endedAt: string | null;
            /** @description From the connection of the stream to the end, by a monotonic clock. */
            durationMs: number | null;
            /** @description `caller_hangup`: the caller hung up: the carrier or the client closed the stream. `connection_lost`: the peer sent nothing for too long, not even a pong; or no audio, where `MEDIA_TIMEOUT_S` is set; or a client that may resume did not come back within 15 s after its connection was lost. `unreachable`: the audio of a WebRTC call found no way: no offer within 10 s, no RTP and no fallback within 15 s of the answer, or RTP that stopped and no fallback. `agent_hangup`: the agent hung up, by its tool `hang_up`. `api_hangup`: `POST /calls/{id}/end` ended the call. `max_duration`: the call reached its `maxDuration`. `inactivity`: the caller gave no words, DTMF or typed text for `inactivityTimeout` and did not answer the prompts, or for `MAX_WORDLESS_S`. `spend_limit`: `maxCost` or a limit per minute of the call or the account was reached. `transferred`: the agent transferred the caller, by its tool `transfer`. `token_expired`: the stream did not connect within `TOKEN_TTL_S`. `protocol_error`: the peer broke the protocol of its stream, or sent too many messages. `audio_flood`: the peer sent audio far ahead of real time, or too much audio that had to be dropped. `message_flood`: the peer sent more bytes of messages than the service parses. `slow_consumer`: the peer did not read the audio that it was sent. `provider_error`: the STT, LLM or TTS failed, and no retry and no fallback made up for it. `drain_timeout`: the service was stopped, and the call was still live after `DRAIN_MS`. `busy`: the line of the person that was called by telephone was busy. `no_answer`: the person that was called by telephone did not answer within `ringTimeout`. `declined`: the person that was called by telephone declined the call. `invalid_number`: the carrier cannot reach the number that was called. `carrier_failed`: the carrier did not place the call, or lost it. `no_capacity`: no slot was free: for an inbound call, or for 15 minutes for an outbound one. `unknown`: the carrier did not say whether it placed the call, or what became of it; the service never dials it again. `worker_lost`: the media worker died, or a defect of the service ended the call. */
            endReason: ("caller_hangup" | "connection_lost" | "unreachable" | "agent_hangup" | "api_hangup" | "max_duration" | "inactivity" | "spend_limit" | "transferred" | "token_expired" | "protocol_error" | "audio_flood" | "message_flood" | "slow_consumer" | "provider_error" | "drain_timeout" | "busy" | "no_answer" | "declined" | "invalid_number" | "carrier_failed" | "no_capacity" | "unknown" | "worker_lost") | null;
            /** @description Since when the caller of a live call is on hold; null for one who is not. `POST /calls/{id}/resume` ends it. */
            heldSince: string | null;
            /**
             * @description The carrier's own id for the call: the `callSid` in `start` of carrier_a, the `call_control_id` of carrier_b, the `callId` of carrier_c. Null before its stream has started, and for other connection types.
             * @example CA0123456789abcdef0123456789abcdef
             */
            carrierCallId: string | null;
            /** @description Of a telephone call that the service placed or answered itself; null for any other. */
            phone: {
                /**
                 * @description `outbound`: the service placed it.
                 * @enum {string}
                 */
                direction: "inbound" | "outbound";
                /**
                 * @description Who called: E.164 where the carrier gave that, otherwise as it came, such as `anonymous`.
                 * @example +15550199
                 */
                from: string;
                /**
                 * @description Who was called.
                 * @example +15550100
                 */
                to: string;
                /** @description The carrier of the account; it may be deleted since. */
                carrierId: string | null;
                /** @description The number of the account; it may be deleted since. */
                phoneNumberId: string | null;
                /** @description SIP headers of an inbound call, by lower-case names. Null without any, with `transcriptEnabled: false`, and once its transcript was deleted. */
                headers: {
                    [key: string]: string;
                } | null;
                /**
                 * @description The carrier's own code of why the call ended or was not placed.
                 * @example 486
                 */
                carrierCode: string | null;
                /** @description What the carrier charges, once it has said so: often after the end. */
                price: {
                    amount: number;
                    /**
                     * @description ISO 4217.
                     * @example USD
                     */
                    currency: string;
                } | null;
            } | null;
            /**
             * @description What the carrier's `start` handed to the call, by name: at most 64 parameters and 8192 bytes. `metadata` is what `POST /calls` said instead. Null before the call has ended, without any, with `transcriptEnabled: false`, and once its transcript was deleted.
             * @example {
             *       "order": "A-17"
             *     }
             */
            parameters: {
                [key: string]: string;
            } | null;
            /** @description The configuration of the call, as in `POST /calls`, without the prompt, the greeting, the tools and `analysis`, which `GET /calls/{id}` shows. */
            configuration: {
                /** @description Id of the voice. */
                voice: string;
                /** @description The language in which the call starts. */
                language: string;
                languagePinned: boolean;
                /** @enum {string} */
                model: "model_a" | "model_b" | "model_c";
                temperature: number;
                /** @enum {string} */
                firstSpeaker: "agent" | "user";
                interruptible: boolean;
                maxDuration: number;
                inactivityTimeout: number;
                /** @enum {string} */
                inactivityAction: "hang_up" | "prompt";
                maxCost: number | null;
                recordingEnabled: boolean;
                transcriptEnabled: boolean;
                useParameters: boolean;
                redact: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
                /** @description With its defaults filled in; null for other connection types. */
                websocket: {
                    /** @enum {string} */
                    codec: "pcm_s16le" | "mulaw" | "alaw" | "opus";
                    /** @enum {number} */
                    inputSampleRate: 8000 | 16000 | 24000 | 48000;
                    /** @enum {number} */
                    outputSampleRate: 8000 | 16000 | 24000 | 48000;
                } | null;
            };
            /** @description As in the request. */
            metadata: {
                [key: string]: unknown;
            } | null;
            /** @description Present once the recording can be downloaded. */
            recording: {
                channels: number;
                sampleRateHz: number;
                durationMs: number;
                /** @description False when audio is missing from it. */
                complete: boolean;
            } | null;
            /** @description When retention deleted the recording, and with it the call's events. */
            recordingDeletedAt: string | null;
            /** @description When retention deleted the transcript, and with it the call's events. */
            transcriptDeletedAt: string | null;
            /** @description How often each kind was found in what is kept of the call, and redacted. Null before the end, and without `redact`. */
            redaction: {
                [key: string]: number;
            } | null;
            /** @description When neither audio nor words were stored, in milliseconds since the media stream connected. Null before the end, and where they always were. */
            recordingPauses: {
                startMs: number;
                endMs: number;
            }[] | null;
            /** @description False when turns may be missing from the transcript: a process was lost, or the disk was full. `usage` and `cost` may then be incomplete too. Null before the end. */
            transcriptComplete: boolean | null;
            /** @description Counters of the call by name, for diagnosis; they may change between versions. */
            counters: {
                [key: string]: number;
            } | null;
            /** @description Durations of the steps of a reply, over all replies of the call; steps that no reply had are absent. Null before the call has ended. */
            latency: {
                /** @description From the caller's last voiced frame to the end of the turn. */
                endOfTurn?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the caller's last voiced frame to the final transcript of the STT. */
                finalTranscript?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the end of the turn until the passages were there, or were waited for no longer. */
                retrieval?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the LLM request to its first text. */
                llmFirstToken?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the LLM's first text to the first segment handed to the TTS. */
                firstSegment?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From that segment to the TTS's first audio. */
                ttsFirstByte?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the first audio to the first frame sent. */
                firstFrame?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
                /** @description From the caller's last voiced frame to the first frame that was sent. */
                total?: {
                    /** @description Number of replies that had this step. */
                    count: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p50Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p90Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p95Ms: number;
                    /** @description Milliseconds; always a measured value (nearest rank). */
                    p99Ms: number;
                };
            } | null;
            /**
             * @description What was measured of the network of a `webrtc` call while its audio travelled by RTP, over all of its connections; a figure is null where nothing was measured, such as what only the client knows before its first report. Null before the call has ended, for other connection types, and where RTP never connected.
             * @example {
             *       "lossInPercent": 0.41,
             *       "lossOutPercent": 0.2,
             *       "jitterInMs": 4.2,
             *       "jitterOutMs": 3.1,
             *       "roundTripMs": 38.5
             *     }
             */
            network: {
                /** @description Packets of the client that did not arrive, of all that it sent by RTP. */
                lossInPercent: number | null;
                /** @description Packets that did not reach the client, by its reports, of all that they cover. */
                lossOutPercent: number | null;
                /** @description Jitter of the client's packets by RFC 3550: the median over the call. */
                jitterInMs: number | null;
                /** @description The same of the service's packets, by the client's reports. */
                jitterOutMs: number | null;
                /** @description To the client and back, by RTCP: the median over the call. */
                roundTripMs: number | null;
            } | null;
            /** @description Usage of each provider in the call, including failed attempts that had started and, as items of their own, `discarded` replies. Null before the call has ended. */
            usage: {
                /**
                 * @description The stage that it served: `stt`, `llm` or `tts`.
                 * @enum {string}
                 */
                stage: "stt" | "llm" | "tts";
                /** @example openai */
                provider: string;
                /**
                 * @description Present when the provider has several models.
                 * @example gpt-4o-mini
                 */
                model?: string;
                /** @description Of an STT: audio sent to it, including silence. */
                audioSeconds?: number;
                /** @description Of an LLM. */
                inputTokens?: number;
                /** @description Of an LLM. */
                outputTokens?: number;
                /** @description Of a TTS: characters sent to it. */
                characters?: number;
                /**
                 * @description Some tokens are estimated from characters, because a reply was aborted before the provider reported its usage.
                 * @constant
                 */
                approximate?: true;
                /**
                 * @description Of replies that preemptive generation requested and that were not used, because the caller went on. They are an item of their own.
                 * @constant
                 */
                discarded?: true;
                /** @description In the currency of `cost`; null when the service has no price for it. */
                cost: number | null;
            }[] | null;
            /** @description Calculated with the service's prices at the end of the call; null when it has no prices. */
            cost: {
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /** @description Sum of all items that have a price. */
                total: number;
                /** @description False when an item of `usage` has no price. */
                complete: boolean;
            } | null;
        };
        /** @description A tool of the call, as it was selected; of an MCP server each of its tools by itself. */
        CallTool: {
            /** @description The saved tool that `definition` comes from. */
            toolId?: string;
            toolName?: string;
            definition?: {
                /** @enum {string} */
                type: "http" | "client" | "mcp";
                name: string;
                description: string;
                parameters: {
                    [key: string]: unknown;
                };
                http?: {
                    /** @enum {string} */
                    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                    url: string;
                    /** @description Their values are not shown again. */
                    headerNames: string[];
                };
                /** @description The server of a tool of the type `mcp`. */
                mcp?: {
                    url: string;
                    headerNames: string[];
                };
                timeoutMs: number;
                readOnly: boolean;
                idempotent: boolean;
                whileRunning?: string;
            };
            parameterOverrides?: {
                [key: string]: unknown;
            };
        };
        /** @description The reply is stopped for good; `reason` says why the agent fell silent. */
        CancelReplyCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "cancel-reply";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description Whether the peer is asked to drop the audio that it has not played; not while DTMF tones are among it. */
            clear: boolean;
            /**
             * @description `words`, `dtmf`, `typed`: barge-in by a word that is no back-channel, by a DTMF digit, by typed text. `sustained_speech`: only in older calls, by speech without words. `inactivity`: the reply hung, and the caller is asked whether anybody is there. `llm_failed`: the LLM failed or timed out; an apology replaces the reply. `spend_limit`: a spend limit is reached, and the agent says so. `transfer`: the caller is being transferred. `hold`: the caller is put on hold. `call_ended`: `end` says why.
             * @enum {string}
             */
            reason: "words" | "dtmf" | "typed" | "inactivity" | "llm_failed" | "spend_limit" | "transfer" | "hold" | "call_ended" | "sustained_speech";
            /** @description How long the caller had been speaking without a break; 0 when silent. */
            speechMs: number;
            /** @description What the caller heard of the reply. Empty with `transcriptEnabled: false`. */
            heardText: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /**
         * @description An account at a carrier, without its secrets.
         * @example {
         *       "id": "carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "carrier": "carrier_a",
         *       "name": "main",
         *       "credentials": {
         *         "accountSid": "AC00000000000000000000000000000000"
         *       },
         *       "webhookUrls": {
         *         "voice": "https://agents.example.com/telephony/ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGf/voice",
         *         "status": "https://agents.example.com/telephony/ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGf/status"
         *       },
         *       "emulated": false,
         *       "maxConcurrentCalls": null,
         *       "callsPerSecond": 1,
         *       "allowedCountries": null,
         *       "allowedNumbers": null,
         *       "createdAt": "2026-11-20T08:00:00.000Z",
         *       "updatedAt": "2026-11-20T08:00:00.000Z",
         *       "verifiedAt": "2026-11-20T08:00:00.000Z"
         *     }
         */
        Carrier: {
            /**
             * @description `carrier_` and a UUIDv7.
             * @example carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /**
             * @description Which carrier it is.
             * @enum {string}
             */
            carrier: "carrier_a" | "carrier_b" | "carrier_c";
            /** @description What it is for. */
            name: string;
            /** @description The credentials that are not secret. */
            credentials: {
                [key: string]: string;
            };
            /** @description The addresses that the carrier calls. Attaching a number sets them at the carrier. Null where the service has no `PUBLIC_API_URL`. */
            webhookUrls: {
                /** Format: uri */
                voice: string;
                /** Format: uri */
                status: string;
            } | null;
            /** @description Whether its API is an emulator on this machine, whose people can call a number on request. */
            emulated: boolean;
            /**
             * @description How many of its calls may be dialling, ringing or live at once; null for no limit of its own.
             * @example 20
             */
            maxConcurrentCalls: number | null;
            /**
             * @description How many calls it may place a second from each of its numbers; the carrier has a limit, too.
             * @example 1
             */
            callsPerSecond: number;
            /** @description As in the request. */
            allowedCountries: string[] | null;
            /** @description As in the request. */
            allowedNumbers: string[] | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the carrier last accepted the credentials.
             * @example 2026-11-21T08:00:00.000Z
             */
            verifiedAt: string;
        };
        /**
         * @description What to change; the rest stays. A list that is given replaces the whole list, and null removes a limit.
         * @example {
         *       "maxConcurrentCalls": 20
         *     }
         */
        CarrierChangesInput: {
            /**
             * @description What it is for.
             * @example support
             */
            name?: string;
            /**
             * @description The credentials that the carrier gave to the account, all of them. They are checked by a harmless request to the carrier, and no answer ever shows one that is secret. carrier_a: `accountSid`, the Account SID, on the first page of the console; `authToken`, the primary Auth Token of the account. An API key cannot replace it: webhooks and streams are signed with this token. carrier_b: `apiKey`, an API key, version 2, from the page API Keys of the portal; `publicKey`, the public key of the account, from the page Keys & Credentials of the portal: webhooks are checked with it; `connectionId`, the id of a Voice API (Call Control) application that nothing else uses: its webhook address becomes the service's when a number is attached. For outbound calls it needs an outbound voice profile. carrier_c: `authId`, the Auth ID, on the first page of the console; `authToken`, the Auth Token of the same account or subaccount: webhooks and streams are signed with it.
             * @example {
             *       "accountSid": "AC00000000000000000000000000000000",
             *       "authToken": "0123456789abcdef0123456789abcdef"
             *     }
             */
            credentials?: {
                [key: string]: unknown;
            };
            /**
             * @description How many of its calls may be dialling, ringing or live at once; null for no limit of its own.
             * @example 20
             */
            maxConcurrentCalls?: number | null;
            /**
             * @description How many calls it may place a second from each of its numbers; the carrier has a limit, too.
             * @example 1
             */
            callsPerSecond?: number;
            /**
             * @description The countries that calls may be placed to; null for the country of the number that calls.
             * @example [
             *       "DE",
             *       "AT"
             *     ]
             */
            allowedCountries?: string[] | null;
            /**
             * @description Numbers, or beginnings of them, that calls may be placed to although their kind is refused: premium, shared-cost, satellite and emergency numbers.
             * @example [
             *       "+49180"
             *     ]
             */
            allowedNumbers?: string[] | null;
        };
        /** @description The number as it is now. */
        ChangedPhoneNumber: {
            /**
             * @description `number_` and a UUIDv7.
             * @example number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description E.164. */
            number: string;
            /**
             * @description `carrier_` and a UUIDv7.
             * @example carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            carrierId: string;
            /** @description What it is for; the number itself at first. */
            name: string;
            /**
             * @description The saved agent that answers calls to the number; null for none: they are refused.
             * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            agentId: string | null;
            /**
             * @description Asked for overrides before a call is answered: an address of the public internet. The number's agent answers as it is saved where no usable answer comes within 2 s. Null for none. Whenever an address is set, it gets a new secret.
             * @example https://example.com/inbound
             */
            inboundWebhookUrl: string | null;
            /**
             * @description How many inbound calls the number may have at once; further ones are refused. Null for no limit of its own.
             * @example 5
             */
            maxConcurrentCalls: number | null;
            /**
             * @description What a caller hears who is not connected; null for a phrase of the service.
             * @example All our lines are busy. Please call again later.
             */
            refusalText: string | null;
            /** @description The carrier sends the calls of the number to the service. */
            attached: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description Where the request has set `inboundWebhookUrl`: verifies what is sent there, as Standard Webhooks says. Shown only here.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazNhbGRldmVy
             */
            inboundWebhookSecret?: string;
        };
        /** @description The client confirmed a `clear`: it dropped the audio that it had not played. */
        ClearedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "cleared";
            /** @description Milliseconds of audio that it has played in the whole call. */
            playedMs: number;
        };
        /** @description Command of the call: what it did in response to its inputs. */
        CommandEvent: components["schemas"]["StateCommand"] | components["schemas"]["GenerateReplyCommand"] | components["schemas"]["PreemptiveStartCommand"] | components["schemas"]["ConversationTrimmedCommand"] | components["schemas"]["RetrieveCommand"] | components["schemas"]["AwaitPassagesCommand"] | components["schemas"]["PassagesUsedCommand"] | components["schemas"]["RetrievalEndedCommand"] | components["schemas"]["PreemptiveCancelCommand"] | components["schemas"]["SpeakCommand"] | components["schemas"]["MarkCommand"] | components["schemas"]["PauseCommand"] | components["schemas"]["ResumeCommand"] | components["schemas"]["RewindCommand"] | components["schemas"]["RequestInterimCommand"] | components["schemas"]["TurnEndedCommand"] | components["schemas"]["IgnoreCommand"] | components["schemas"]["CancelReplyCommand"] | components["schemas"]["RunToolCommand"] | components["schemas"]["SendDtmfCommand"] | components["schemas"]["LanguageCommand"] | components["schemas"]["TransferCommand"] | components["schemas"]["HeldCommand"] | components["schemas"]["ResumedCommand"] | components["schemas"]["RecordingPausedCommand"] | components["schemas"]["RecordingResumedCommand"] | components["schemas"]["TurnCommand"] | components["schemas"]["EndCommand"];
        /** @description An LLM provider refused a prompt as longer than its model's context. */
        ContextExceededEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "context-exceeded";
            /**
             * @description The provider that refused.
             * @example openai
             */
            provider: string;
            /** @description Limit for later prompts of the call, in estimated tokens. */
            tokensMax: number;
            /** @description The request was retried at once with a shortened prompt. */
            retried: boolean;
        };
        /** @description The conversation no longer fits the prompt: its oldest turns are dropped from the next `generate-reply` and all later ones. */
        ConversationTrimmedCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "conversation-trimmed";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description Number of dropped caller turns, each with everything up to the next one. */
            droppedTurns: number;
            /** @description Number of dropped messages. */
            droppedMessages: number;
            /** @description Number of tool results that are truncated for the LLM. */
            truncatedResults: number;
            /** @description Size of the prompt now, in estimated tokens. */
            tokens: number;
            /** @description Limit of the prompt, in estimated tokens. */
            tokensMax: number;
        };
        /**
         * @description Documents that agents answer from.
         * @example {
         *       "id": "cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "name": "Products",
         *       "description": "Prices, sizes and guarantees of our products.",
         *       "languageId": "en",
         *       "mode": "search",
         *       "metadata": {},
         *       "documents": {
         *         "processing": 1,
         *         "ready": 12,
         *         "failed": 0
         *       },
         *       "chunks": 340,
         *       "characters": 412800,
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "updatedAt": "2026-11-21T08:00:00.000Z"
         *     }
         */
        Corpus: {
            /**
             * @description `cor_` and a UUIDv7.
             * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            name: string;
            description: string;
            /** @description A BCP 47 language tag. */
            languageId: string;
            /** @enum {string} */
            mode: "search" | "full";
            metadata: {
                [key: string]: unknown;
            };
            /** @description How many documents are in each state. */
            documents: {
                processing: number;
                ready: number;
                failed: number;
            };
            /** @description The passages of all documents that are ready. */
            chunks: number;
            /** @description Of these passages. An English word has about six, a token about four. */
            characters: number;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /**
         * @description The passages of a corpus that fit a question.
         * @example {
         *       "corpusId": "cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "passages": [
         *         {
         *           "documentId": "doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11",
         *           "documentName": "catalogue.pdf",
         *           "ordinal": 7,
         *           "headings": [
         *             "Tyres",
         *             "Guarantee"
         *           ],
         *           "page": 12,
         *           "text": "All tyres have a guarantee of three years.",
         *           "score": 11.4
         *         }
         *       ],
         *       "tookMs": 4.2
         *     }
         */
        CorpusAnswer: {
            /**
             * @description `cor_` and a UUIDv7.
             * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            corpusId: string;
            /** @description The best first. */
            passages: components["schemas"]["Passage"][];
            /** @description How long the index took, ms. */
            tookMs: number;
        };
        /**
         * @description The fields that change.
         * @example {
         *       "mode": "full"
         *     }
         */
        CorpusChangesInput: {
            /**
             * @description Need not be unique.
             * @example Products
             */
            name?: string;
            /**
             * @description What its documents are about. The LLM reads it where it may choose what to look up.
             * @example Prices, sizes and guarantees of our products.
             */
            description?: string;
            /**
             * @description The language of its documents, as a BCP 47 tag; it decides words, stems and sentences.
             * @example en
             */
            languageId?: string;
            /**
             * @description `search`: an agent gets the passages that fit what was said. `full`: it gets the whole corpus with its prompt, for a few thousand tokens.
             * @enum {string}
             */
            mode?: "search" | "full";
            /**
             * @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused.
             * @example {
             *       "order": "A-17",
             *       "vip": true
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description A question to a corpus.
         * @example {
         *       "text": "how long is the guarantee on tyres",
         *       "passagesMax": 3
         *     }
         */
        CorpusQueryInput: {
            /**
             * @description A question, as it is spoken or typed.
             * @example how long is the guarantee on tyres
             */
            text: string;
            /** @description How many passages are given at most. */
            passagesMax?: components["schemas"]["CorpusQueryPassagesMaxInput"];
            /**
             * @description The language of the question, as a BCP 47 tag; by default that of the corpus.
             * @example en
             */
            languageId?: string;
        };
        /** @default 5 */
        CorpusQueryPassagesMaxInput: number;
        /**
         * @description A reply for which the LLM was given passages of a corpus.
         * @example {
         *       "callId": "call_019aa5d0-2c00-7b3e-9c41-3b8f6a2d7e12",
         *       "turn": 3,
         *       "at": "2026-11-21T09:12:04.310Z",
         *       "question": "How long is the guarantee on tyres?",
         *       "tookMs": 8.4,
         *       "passages": [
         *         {
         *           "corpusId": "cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *           "documentId": "doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11",
         *           "documentName": "catalogue.pdf",
         *           "page": 12,
         *           "ordinal": 20,
         *           "score": 11.25
         *         }
         *       ]
         *     }
         */
        CorpusRetrieval: {
            /**
             * @description `call_` and a UUIDv7.
             * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            callId: string;
            /** @description The place of the reply in the transcript of the call, from 0. */
            turn: number;
            /**
             * Format: date-time
             * @description When the reply began.
             * @example 2026-11-21T08:00:00.000Z
             */
            at: string;
            /** @description What the caller said before it. Null where nothing was said, and with `transcriptEnabled: false`. */
            question: string | null;
            /** @description How long it took to find the passages of all corpora, in milliseconds. */
            tookMs: number;
            /** @description Those of this corpus, the best first. */
            passages: components["schemas"]["PassageReference"][];
        };
        /**
         * @description The new call and the address of its media stream.
         * @example {
         *       "id": "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "websocketUrl": "wss://media.example.com/stream/l8mZpUT0cgqnHkGmRKgO2oVhZ8vAUIUSvh4Xg1wqB1E",
         *       "status": "created",
         *       "connectionType": "carrier_a",
         *       "createdAt": "2026-11-21T08:00:00.000Z"
         *     }
         */
        CreatedCall: {
            /**
             * @description `call_` and a UUIDv7.
             * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /**
             * Format: uri
             * @description Address of the media stream: single-use, short-lived, and returned only here.
             */
            websocketUrl: string;
            /**
             * @description `created`: waits for its media stream. `queued`: an outbound telephone call that was not placed yet. `ringing`: a telephone call before its media stream. `active`: in progress. `ended`: over; `endReason` says why. `expired`: the stream did not connect in time. `failed`: ended before any audio by a fault of the service.
             * @enum {string}
             */
            status: "created" | "queued" | "ringing" | "active" | "ended" | "expired" | "failed";
            /** @enum {string} */
            connectionType: "carrier_a" | "carrier_b" | "carrier_c" | "websocket" | "webrtc";
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
        };
        /**
         * @description A live transcription that waits for its stream.
         * @example {
         *       "id": "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "status": "queued",
         *       "websocketUrl": "wss://media.example.com/stream/LBv3oVx0nUTkHcEPWqFJ8mRy2KsGdZtI5aXb7N1fQ9hYwuM4",
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "expiresAt": "2026-11-21T08:01:00.000Z"
         *     }
         */
        CreatedLiveTranscription: {
            /**
             * @description `transcription_` and a UUIDv7.
             * @example transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @constant */
            status: "queued";
            /**
             * @description Where the client connects, once, until `expiresAt`. It contains a secret.
             * @example wss://media.example.com/stream/LBv3oVx0nUTkHcEPWqFJ8mRy2KsGdZtI5aXb7N1fQ9hYwuM4
             */
            websocketUrl: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            expiresAt: string;
        };
        /** @description Another voice activity detector decides from now on whether the caller speaks. */
        DetectorChangedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "detector-changed";
            /**
             * @description Its version. A worker whose event loop lags uses the cheaper `fvad2`, and the first one again when it no longer lags.
             * @example fvad2
             */
            detector: string;
        };
        /**
         * @description A document of a corpus. Unknown values are null.
         * @example {
         *       "id": "doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11",
         *       "corpusId": "cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "name": "catalogue.pdf",
         *       "source": "upload",
         *       "url": null,
         *       "fileName": "catalogue.pdf",
         *       "metadata": {},
         *       "status": "processing",
         *       "failure": null,
         *       "version": 1,
         *       "isFound": false,
         *       "hasFile": true,
         *       "format": null,
         *       "bytes": null,
         *       "pages": null,
         *       "chunks": null,
         *       "characters": null,
         *       "createdAt": "2026-11-21T08:01:00.000Z",
         *       "updatedAt": "2026-11-21T08:01:00.000Z",
         *       "processedAt": null
         *     }
         * @example {
         *       "id": "doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11",
         *       "corpusId": "cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "name": "catalogue.pdf",
         *       "source": "upload",
         *       "url": null,
         *       "fileName": "catalogue.pdf",
         *       "metadata": {},
         *       "status": "ready",
         *       "failure": null,
         *       "version": 1,
         *       "isFound": true,
         *       "hasFile": true,
         *       "format": "pdf",
         *       "bytes": 310412,
         *       "pages": 24,
         *       "chunks": 41,
         *       "characters": 48310,
         *       "createdAt": "2026-11-21T08:01:00.000Z",
         *       "updatedAt": "2026-11-21T08:01:01.200Z",
         *       "processedAt": "2026-11-21T08:01:01.200Z"
         *     }
         * @example {
         *       "id": "doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11",
         *       "corpusId": "cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "name": "catalogue.pdf",
         *       "source": "upload",
         *       "url": null,
         *       "fileName": "catalogue.pdf",
         *       "metadata": {},
         *       "status": "failed",
         *       "failure": {
         *         "code": "encrypted",
         *         "message": "the PDF is encrypted: save it without a password"
         *       },
         *       "version": 1,
         *       "isFound": false,
         *       "hasFile": true,
         *       "format": null,
         *       "bytes": null,
         *       "pages": null,
         *       "chunks": null,
         *       "characters": null,
         *       "createdAt": "2026-11-21T08:01:00.000Z",
         *       "updatedAt": "2026-11-21T08:01:01.200Z",
         *       "processedAt": "2026-11-21T08:01:01.200Z"
         *     }
         */
        Document: {
            /**
             * @description `doc_` and a UUIDv7.
             * @example doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11
             */
            id: string;
            /**
             * @description `cor_` and a UUIDv7.
             * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            corpusId: string;
            name: string;
            /**
             * @description Where its content comes from.
             * @enum {string}
             */
            source: "upload" | "url" | "text";
            /** @description Where it is fetched whenever it is processed. */
            url: string | null;
            /** @description Of the uploaded file, as the client gave it. */
            fileName: string | null;
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description `processing`: it waits or is read. `ready`: its text can be found. `failed`: `failure` says why; its text cannot be found.
             * @enum {string}
             */
            status: "processing" | "ready" | "failed";
            /** @description Why it has failed. */
            failure: {
                /**
                 * @description `unsupported_format`: it is none of plain text, Markdown, HTML, PDF and DOCX, by its content. `encrypted`: a password is needed to read it. `unreadable`: the file is damaged. `no_text`: it has no text, as a PDF of scanned pages has none. `too_many_pages`: it has more pages than are read. `too_much_text`: it has more text than one document may have. `too_complex`: reading it takes more processor time or memory than one document may take. `document_unavailable`: its address does not have it, or may not be fetched. `document_unreachable`: its address did not answer in several attempts. `abandoned`: it could not be processed after several attempts: the operator's log says why.
                 * @enum {string}
                 */
                code: "unsupported_format" | "encrypted" | "unreadable" | "no_text" | "too_many_pages" | "too_much_text" | "too_complex" | "document_unavailable" | "document_unreachable" | "abandoned";
                message: string;
            } | null;
            /** @description From 1; grows whenever it is processed again. */
            version: number;
            /** @description Whether its text can be found. While it is processed again, that is the text of the version before. */
            isFound: boolean;
            /** @description Whether its file is kept, so that it can be processed again. An address is fetched again. */
            hasFile: boolean;
            /** @description What it is by its content, once it was read; so for the following numbers. */
            format: ("text" | "markdown" | "html" | "pdf" | "docx") | null;
            /** @description Of its file. */
            bytes: number | null;
            /** @description Only of PDF. */
            pages: number | null;
            /** @description Its passages. */
            chunks: number | null;
            /** @description Of its passages. */
            characters: number | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
            /** @description When its processing ended last. */
            processedAt: string | null;
        };
        /**
         * @description A document by its address, or its text itself. One of `url` and `text` is required.
         * @example {
         *       "text": "# Guarantee\n\nEvery pump has a guarantee of five years.",
         *       "name": "Guarantee"
         *     }
         * @example {
         *       "url": "https://example.com/products.html",
         *       "metadata": {
         *         "edition": 7
         *       }
         *     }
         */
        DocumentContentInput: {
            /**
             * @description Where the document is fetched, now and whenever it is processed again: an address of the public internet. It is looked up when it is fetched; a private address is refused.
             * @example https://example.com/products.html
             */
            url?: string;
            /**
             * @description The document itself, as Markdown, or as what the end of its name says (`.txt`, `.html`).
             * @example # Guarantee
             *
             *     Every pump has a guarantee of five years.
             */
            text?: string;
            /**
             * @description Shown with its passages. By default the name of the file, or the end of the address; required with `text`.
             * @example Guarantee
             */
            name?: string;
            /**
             * @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused.
             * @example {
             *       "order": "A-17",
             *       "vip": true
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** @description A DTMF digit was received. */
        DtmfEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "dtmf";
            /** @description Empty with `transcriptEnabled: false`. */
            digit: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description `POST /calls/{id}/dtmf` sends digits, as tones in the agent's audio. */
        DtmfRequestedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "dtmf-requested";
            /** @description Empty with `transcriptEnabled: false`. */
            digits: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /**
         * @description Digits for the other end.
         * @example {
         *       "digits": "42#"
         *     }
         */
        DtmfRequestInput: {
            /**
             * @description The digits to send: 1 to 64 of 0-9, A-D, `*` and `#`.
             * @example 42#
             */
            digits: string;
        };
        /** @description The call is over; the last event of every call. */
        EndCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "end";
            /** @enum {string} */
            reason: "caller_hangup" | "connection_lost" | "unreachable" | "agent_hangup" | "api_hangup" | "max_duration" | "inactivity" | "spend_limit" | "transferred" | "token_expired" | "protocol_error" | "audio_flood" | "message_flood" | "slow_consumer" | "provider_error" | "drain_timeout" | "busy" | "no_answer" | "declined" | "invalid_number" | "carrier_failed" | "no_capacity" | "unknown" | "worker_lost";
        };
        /** @description The end of the call was requested from outside the conversation. */
        EndRequestedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "end-requested";
            /** @enum {string} */
            reason: "caller_hangup" | "connection_lost" | "unreachable" | "agent_hangup" | "api_hangup" | "max_duration" | "inactivity" | "spend_limit" | "transferred" | "token_expired" | "protocol_error" | "audio_flood" | "message_flood" | "slow_consumer" | "provider_error" | "drain_timeout" | "busy" | "no_answer" | "declined" | "invalid_number" | "carrier_failed" | "no_capacity" | "unknown" | "worker_lost";
        };
        /** @description The error: field `error` of every response that is not a success. */
        Error: {
            /**
             * @description Stable code for programs; its meaning never changes.
             * @enum {string}
             */
            code: "invalid_request" | "unknown_voice" | "unknown_language" | "unauthorized" | "forbidden" | "listening_not_allowed" | "not_found" | "method_not_allowed" | "not_acceptable" | "conflict" | "already_on_hold" | "not_on_hold" | "recording_paused" | "recording_not_paused" | "idempotency_mismatch" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "rate_limited" | "spend_limit" | "internal" | "overloaded" | "draining" | "insufficient_storage" | "database_lost" | "unavailable" | "node_unreachable";
            /** @description For humans; the wording may change. */
            message: string;
            /** @description All problems of the request that can be located in it. */
            details: {
                /** @description JSON pointer (RFC 6901) to what is wrong; empty for the whole body. */
                path: string;
                /** @description A sentence: the field, what is allowed, and what was sent. */
                message: string;
            }[];
            /** @description Also in the header X-Request-Id, and in the service's log. */
            requestId: string;
        };
        /** @description A reply is requested from the LLM, or its continuation after tool calls. */
        GenerateReplyCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "generate-reply";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description Number of messages of the conversation in the request. */
            messages: number;
            /** @description The language in which the LLM is asked to reply. */
            language: string;
        };
        /** @description The end of the call was requested from outside the conversation, after a goodbye. */
        GoodbyeRequestedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "goodbye-requested";
            /** @enum {string} */
            reason: "caller_hangup" | "connection_lost" | "unreachable" | "agent_hangup" | "api_hangup" | "max_duration" | "inactivity" | "spend_limit" | "transferred" | "token_expired" | "protocol_error" | "audio_flood" | "message_flood" | "slow_consumer" | "provider_error" | "drain_timeout" | "busy" | "no_answer" | "declined" | "invalid_number" | "carrier_failed" | "no_capacity" | "unknown" | "worker_lost";
        };
        /** @description The caller is on hold from now on and hears hold audio. The agent is silent, and nothing that the caller says, types or presses reaches it. */
        HeldCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "held";
            /** @description Milliseconds after which the hold ends by itself. */
            msMax: number;
        };
        /** @description `POST /calls/{id}/hold` puts the caller on hold. */
        HoldRequestedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "hold-requested";
            /** @description Milliseconds after which the hold ends by itself. */
            msMax: number;
        };
        /**
         * @description How long the hold may last.
         * @example {
         *       "maxDuration": 120
         *     }
         */
        HoldRequestInput: {
            /**
             * @description Seconds after which the hold ends by itself.
             * @default 300
             */
            maxDuration: number;
        } | null;
        /** @description The request of a tool of the type `http`. The LLM is given at most 16384 characters of a response of at most 64 KiB, which must be JSON or text. */
        HttpTool: {
            /**
             * @description Arguments that are not in `url` go into the query of GET and DELETE, and into a JSON body otherwise.
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description An http:// or https:// address on the public internet, at most 2048 characters. `{name}` in its path or its query stands for an argument, which is percent-encoded. The server is fixed: no argument can name it. Redirects are not followed.
             * @example https://api.example.com/orders/{order}
             */
            url: string;
            /**
             * @description At most 16, of at most 2048 characters each. `{{NAME}}` stands for the secret of this name: your account's own (`POST /tool-secrets`), or the one that the service is configured with as `TOOL_SECRET_NAME`, where it may be sent to this server; neither the LLM nor any response of this API contains it. Headers that belong to the connection or the body (`Host`, `Content-Length`, `Content-Type` and the like) are the service's own.
             * @example {
             *       "Authorization": "Bearer {{SHOP_TOKEN}}"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
        };
        /** @description The request of a tool of the type `http`. The LLM is given at most 16384 characters of a response of at most 64 KiB, which must be JSON or text. */
        HttpToolInput: {
            /**
             * @description Arguments that are not in `url` go into the query of GET and DELETE, and into a JSON body otherwise.
             * @enum {string}
             */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description An http:// or https:// address on the public internet, at most 2048 characters. `{name}` in its path or its query stands for an argument, which is percent-encoded. The server is fixed: no argument can name it. Redirects are not followed.
             * @example https://api.example.com/orders/{order}
             */
            url: string;
            /**
             * @description At most 16, of at most 2048 characters each. `{{NAME}}` stands for the secret of this name: your account's own (`POST /tool-secrets`), or the one that the service is configured with as `TOOL_SECRET_NAME`, where it may be sent to this server; neither the LLM nor any response of this API contains it. Headers that belong to the connection or the body (`Host`, `Content-Length`, `Content-Type` and the like) are the service's own.
             * @example {
             *       "Authorization": "Bearer {{SHOP_TOKEN}}"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
        };
        /** @description Words over the agent that are ignored: they need no reply and are in no turn. */
        IgnoreCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "ignore";
            /** @description Empty with `transcriptEnabled: false`. */
            text: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            startMs: number;
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            endMs: number;
            /**
             * @description `echo`: the agent's own words came back. Absent for a back-channel of the caller.
             * @enum {string}
             */
            reason?: "echo";
        };
        /** @description Input of the call: what happened to it. */
        InputEvent: components["schemas"]["LegStartedEvent"] | components["schemas"]["LegDetachedEvent"] | components["schemas"]["LegClosedEvent"] | components["schemas"]["EndRequestedEvent"] | components["schemas"]["GoodbyeRequestedEvent"] | components["schemas"]["InternalErrorEvent"] | components["schemas"]["SpeechStartedEvent"] | components["schemas"]["SpeechEndedEvent"] | components["schemas"]["SttInterimEvent"] | components["schemas"]["SttFinalEvent"] | components["schemas"]["ProsodyEvent"] | components["schemas"]["TurnModelEvent"] | components["schemas"]["SttFailedEvent"] | components["schemas"]["DtmfEvent"] | components["schemas"]["TypedEvent"] | components["schemas"]["ReplyTextEvent"] | components["schemas"]["ReplyToolCallEvent"] | components["schemas"]["ReplyEndEvent"] | components["schemas"]["ReplyFailedEvent"] | components["schemas"]["SegmentAudioEvent"] | components["schemas"]["SegmentEndEvent"] | components["schemas"]["SegmentFailedEvent"] | components["schemas"]["PlayoutStartedEvent"] | components["schemas"]["PlayoutEndedEvent"] | components["schemas"]["AudioGapEvent"] | components["schemas"]["VoiceChosenEvent"] | components["schemas"]["PhrasesChosenEvent"] | components["schemas"]["ProviderSwitchedEvent"] | components["schemas"]["DetectorChangedEvent"] | components["schemas"]["ContextExceededEvent"] | components["schemas"]["LimitReachedEvent"] | components["schemas"]["TransferStartedEvent"] | components["schemas"]["TransferFailedEvent"] | components["schemas"]["TransferRefusedEvent"] | components["schemas"]["HoldRequestedEvent"] | components["schemas"]["ResumeRequestedEvent"] | components["schemas"]["DtmfRequestedEvent"] | components["schemas"]["RecordingPauseRequestedEvent"] | components["schemas"]["RecordingResumeRequestedEvent"] | components["schemas"]["ToolResultEvent"] | components["schemas"]["PassagesEvent"] | components["schemas"]["RetrievalFailedEvent"] | components["schemas"]["MarkEvent"] | components["schemas"]["ClearedEvent"] | components["schemas"]["TickEvent"];
        /** @description The service failed while handling the previous event, and the call ends. */
        InternalErrorEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "internal-error";
            /** @description Error code, also in the service's log. */
            code: string;
        };
        Language: {
            /** @description For a saved agent's `languageId`; equal to the code. */
            id: string;
            /** @description BCP 47: a language (`en`), or a language and a region (`en-US`). */
            code: string;
            /** @description In English. */
            name: string;
            /** @description How many voices speak it; a voice of `en-US` also speaks `en`. */
            voices: number;
            /**
             * @description The STT providers that transcribe it, in the order in which calls use them. Never empty.
             * @example [
             *       "deepgram",
             *       "local"
             *     ]
             */
            stt: string[];
            /**
             * @description The TTS providers whose voices speak it. Never empty.
             * @example [
             *       "espeak"
             *     ]
             */
            tts: string[];
        };
        /** @description The call continues in this language. */
        LanguageCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "language";
            language: string;
            /**
             * @description `detected`: the STT detected it. `tool`: the LLM called `switch_language`.
             * @enum {string}
             */
            reason: "detected" | "tool";
        };
        /** @description The stream was closed, or is being closed. */
        LegClosedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "leg-closed";
            /** @enum {string} */
            reason: "caller_hangup" | "connection_lost" | "unreachable" | "agent_hangup" | "api_hangup" | "max_duration" | "inactivity" | "spend_limit" | "transferred" | "token_expired" | "protocol_error" | "audio_flood" | "message_flood" | "slow_consumer" | "provider_error" | "drain_timeout" | "busy" | "no_answer" | "declined" | "invalid_number" | "carrier_failed" | "no_capacity" | "unknown" | "worker_lost";
        };
        /** @description The media stream was lost. The call goes on when the client or the carrier connects another one: `leg-started` follows. */
        LegDetachedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "leg-detached";
        };
        /** @description The media stream started; audio can be sent from now on. */
        LegStartedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "leg-started";
            /**
             * @description The codec in which the caller's audio is recorded.
             * @enum {string}
             */
            codec: "mulaw" | "alaw" | "pcm_s16le";
            /** @description The carrier's own id for the call, where it has one. */
            carrierCallId?: string;
            /** @description What the carrier's `start` handed to the call. Empty with `transcriptEnabled: false`. */
            parameters?: {
                [key: string]: string;
            };
            /** @description Number of omitted parameters. */
            parameterCount?: number;
        };
        /** @description A provider request was not sent because the call or its account has reached a spend limit. */
        LimitReachedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "limit-reached";
            /**
             * @description Whether the limit is the call's or the account's.
             * @enum {string}
             */
            scope: "call" | "account";
            /**
             * @description The unit whose limit per minute is reached; `cost`: the call's `maxCost`.
             * @enum {string}
             */
            limit: "llm_requests" | "input_tokens" | "output_tokens" | "tts_characters" | "cost";
            /**
             * @description `refuse`: the agent says that it cannot answer, and the call continues. `end`: the agent says so, and the call ends.
             * @enum {string}
             */
            action: "end" | "refuse";
        };
        /**
         * @description Where a client listens to a live call.
         * @example {
         *       "url": "wss://media.example.com/stream/l_8f0a63d2b14c9e75Ow2kX0m1bT3yq7vR9sN4cE6hJ8pL5aZ_dF2gU0iW1xK7rM3tB9nYqVSoHQ",
         *       "expiresAt": "2026-11-28T09:31:00.000Z"
         *     }
         */
        ListenAddress: {
            /** @description The WebSocket's address, a secret: it is all that a client needs. It serves one connection. Add nothing to it. */
            url: string;
            /**
             * Format: date-time
             * @description Until when a client can connect there.
             * @example 2026-11-21T08:00:00.000Z
             */
            expiresAt: string;
        };
        /**
         * @default pcm_s16le
         * @enum {string}
         */
        LiveWebsocketCodecInput: "pcm_s16le" | "mulaw" | "alaw" | "opus";
        /**
         * @description How the audio travels. One channel; the rate is 16000 by default, and must be 8000 with mulaw and alaw.
         *
         *     Binary messages from the client are audio, of any length up to 1 s and no faster than real time; with Opus, one packet each. Text messages are JSON objects with a `type`; ignore unknown types and fields.
         *
         *     - From the service: `ready` (`transcriptionId`, `input`, `durationMs`) comes first; `interim` (`text`, `startMs`): the utterance so far; `final` (`index`, `text`, `startMs`, `endMs`, `words`; `language`): an utterance that is over; `error` (`code`, `message`); `end` (`reason`: an `endReason`, `durationMs`), then the socket closes.
         *     - From the client: `finalize`: ends the utterance now, whose `final` comes at once, empty where nothing was said; `keepAlive`: it is there, although it sends no audio; `end`: finalizes, then the transcription ends.
         * @example {
         *       "inputSampleRate": 16000
         *     }
         * @example {
         *       "codec": "opus",
         *       "inputSampleRate": 48000
         *     }
         */
        LiveWebsocketInput: {
            /** @description As in `POST /calls`. `pcm_s16le`: signed 16-bit samples, little-endian. */
            codec?: components["schemas"]["LiveWebsocketCodecInput"];
            /**
             * @description Hertz of the audio that the client sends.
             * @enum {number}
             */
            inputSampleRate?: 8000 | 16000 | 24000 | 48000;
        };
        /** @description A mark is sent after a segment; the peer returns it once the segment has been played. */
        MarkCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "mark";
            /** @description Reply and segment, as in `2.0`. */
            name: string;
        };
        /** @description A mark was returned: the audio before it was played or cleared. */
        MarkEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "mark";
            /** @description Reply and segment, as in `2.0`. */
            name: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description The server of a tool of the type `mcp`, which has tools of its own. */
        McpServerInput: {
            /**
             * @description The server's endpoint for Streamable HTTP: an http:// or https:// address on the public internet. Redirects are not followed.
             * @example https://mcp.example.com/mcp
             */
            url: string;
            /**
             * @description At most 16, of at most 2048 characters each. `{{NAME}}` stands for the secret of this name: your account's own (`POST /tool-secrets`), or the one that the service is configured with as `TOOL_SECRET_NAME`, where it may be sent to this server; neither the LLM nor any response of this API contains it. Headers that belong to the connection or the body (`Host`, `Content-Length`, `Content-Type` and the like) are the service's own.
             * @example {
             *       "Authorization": "Bearer {{SHOP_TOKEN}}"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description The tools of the server that calls may have; all of them by default, at most 64.
             * @example [
             *       "search_orders"
             *     ]
             */
            allowedTools?: string[];
        };
        /**
         * @default []
         * @example [
         *       "greeting",
         *       "maxDuration"
         *     ]
         */
        NewAgentAllowedOverridesInput: ("languagePinned" | "model" | "temperature" | "greeting" | "firstSpeaker" | "interruptible" | "maxDuration" | "inactivityTimeout" | "inactivityAction" | "maxCost" | "recordingEnabled" | "transcriptEnabled" | "useParameters" | "redact" | "analysis" | "selectedTools" | "voice" | "language")[];
        /**
         * @default carrier_a
         * @enum {string}
         */
        NewAgentCallConnectionTypeInput: "carrier_a" | "carrier_b" | "carrier_c" | "websocket" | "webrtc";
        /**
         * @description Settings of a call from a saved agent, in addition to the agent's.
         * @example {
         *       "metadata": {
         *         "order": "A-17"
         *       }
         *     }
         * @example {
         *       "connectionType": "websocket",
         *       "websocket": {
         *         "inputSampleRate": 16000,
         *         "outputSampleRate": 24000
         *       }
         *     }
         * @example {
         *       "version": 1,
         *       "variables": {}
         *     }
         */
        NewAgentCallInput: {
            /** @description The protocol of the media stream. `carrier_a`, `carrier_b`, `carrier_c`: the protocol of a telephone carrier, in G.711 at 8000 Hz. `websocket`: a protocol for your own programs, described at `websocket`. `webrtc`: for browsers: audio as RTP beside a WebSocket; 501 where the service lacks the optional package `node-datachannel` or `WEBRTC_UDP_PORTS`. */
            connectionType?: components["schemas"]["NewAgentCallConnectionTypeInput"];
            websocket?: components["schemas"]["WebsocketInput"];
            /**
             * @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused.
             * @example {
             *       "order": "A-17",
             *       "vip": true
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description The version of the agent to call from: its number, or `draft`. The live version by default. */
            version?: "draft" | number;
            /**
             * @description Values of the agent's variables. 400 for each that is missing and has no default, has another type, or is not declared. At most 16384 bytes as JSON together with the defaults.
             * @example {
             *       "customer": "Mrs Miller",
             *       "loaves": 2
             *     }
             */
            variables?: {
                [key: string]: string | number | boolean;
            };
            /**
             * @description Settings of this call in place of the agent's, by the names and bounds of `POST /calls`: those that the agent lists in `allowedOverrides`. A greeting is spoken as it is, without variables.
             * @example {
             *       "maxDuration": 300
             *     }
             */
            overrides?: {
                /** @description Whether the call stays in its language. Otherwise the agent answers in the language that the STT detects, where it can, and switches back when the caller does. */
                languagePinned?: boolean;
                /**
                 * @description The configured LLM to use.
                 * @enum {string}
                 */
                model?: "model_a" | "model_b" | "model_c";
                /** @description Sampling temperature of the LLM. */
                temperature?: number;
                /**
                 * @description The opening line when the agent speaks first, spoken verbatim without the LLM. Without a greeting the LLM opens. Ignored when the user speaks first.
                 * @example Hello, this is the bakery.
                 */
                greeting?: string;
                /**
                 * @description Who opens the conversation.
                 * @enum {string}
                 */
                firstSpeaker?: "agent" | "user";
                /** @description Whether the caller may interrupt the agent's first message; every later one can be interrupted. Speech over an uninterruptible first message is answered after it. */
                interruptible?: boolean;
                /** @description Maximum length of the call in seconds, from the redemption of its stream token. */
                maxDuration?: number;
                /** @description Seconds without speech, typed text or DTMF after which `inactivityAction` is taken. */
                inactivityTimeout?: number;
                /**
                 * @description `prompt`: the agent asks whether the caller is still there, and hangs up after 3 unanswered prompts in a row.
                 * @enum {string}
                 */
                inactivityAction?: "hang_up" | "prompt";
                /**
                 * @description Maximum cost of the call in the currency of the service's prices, by the usage that its providers report. When it is reached, or the next request to the LLM or the TTS would exceed it, the agent says so and the call ends with `spend_limit`. STT without a price is not counted. 400 when a price of the LLM or the TTS is not configured.
                 * @example 0.5
                 */
                maxCost?: number;
                /** @description When false, no audio of the call is stored, and there is no recording. Words are stored all the same unless `transcriptEnabled` is false, too. */
                recordingEnabled?: boolean;
                /** @description When false, no word of the call is stored, spoken, typed or dialled, and neither are its prompt, its greeting and the parameters of its start: the transcript has times and no text. Audio, in which the words can be heard, is stored all the same unless `recordingEnabled` is false, too. */
                transcriptEnabled?: boolean;
                /** @description Whether the LLM is given the parameters of the carrier's `start`, as one JSON object marked as data. Otherwise only the record shows them. */
                useParameters?: boolean;
                /**
                 * @description What is not kept of the words and the sound. `card_number`: 13 to 19 digits with a valid check digit. `phone_number`, `email`, `national_id`: in the forms of the countries in which the language is spoken. `variables`: the values of the agent's variables, and each word of a name among them.
                 * @example [
                 *       "card_number",
                 *       "phone_number"
                 *     ]
                 */
                redact?: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
                analysis?: components["schemas"]["AnalysisSettingsInput"];
                /**
                 * @description Tools that the agent may call.
                 * @example [
                 *       {
                 *         "toolName": "hang_up"
                 *       }
                 *     ]
                 */
                selectedTools?: components["schemas"]["SelectedToolInput"][];
                /**
                 * @description The id of a voice from `GET /voices` that speaks `language`, or its name if no other has the same.
                 * @example English (America)
                 */
                voice?: string;
                /**
                 * @description A code from `GET /languages`, in upper or lower case: the language of the agent and of the STT.
                 * @example en-US
                 */
                language?: string;
            };
        };
        /**
         * @default {}
         * @example {
         *       "greeting": "Hello, this is the bakery.",
         *       "selectedTools": [
         *         {
         *           "toolName": "hang_up"
         *         }
         *       ]
         *     }
         */
        NewAgentCallSettingsInput: {
            /** @description Whether the call stays in its language. Otherwise the agent answers in the language that the STT detects, where it can, and switches back when the caller does. */
            languagePinned?: boolean;
            /**
             * @description The configured LLM to use.
             * @enum {string}
             */
            model?: "model_a" | "model_b" | "model_c";
            /** @description Sampling temperature of the LLM. */
            temperature?: number;
            /**
             * @description The opening line when the agent speaks first, spoken verbatim without the LLM. Without a greeting the LLM opens. Ignored when the user speaks first.
             * @example Hello, this is the bakery.
             */
            greeting?: string;
            /**
             * @description Who opens the conversation.
             * @enum {string}
             */
            firstSpeaker?: "agent" | "user";
            /** @description Whether the caller may interrupt the agent's first message; every later one can be interrupted. Speech over an uninterruptible first message is answered after it. */
            interruptible?: boolean;
            /** @description Maximum length of the call in seconds, from the redemption of its stream token. */
            maxDuration?: number;
            /** @description Seconds without speech, typed text or DTMF after which `inactivityAction` is taken. */
            inactivityTimeout?: number;
            /**
             * @description `prompt`: the agent asks whether the caller is still there, and hangs up after 3 unanswered prompts in a row.
             * @enum {string}
             */
            inactivityAction?: "hang_up" | "prompt";
            /**
             * @description Maximum cost of the call in the currency of the service's prices, by the usage that its providers report. When it is reached, or the next request to the LLM or the TTS would exceed it, the agent says so and the call ends with `spend_limit`. STT without a price is not counted. 400 when a price of the LLM or the TTS is not configured.
             * @example 0.5
             */
            maxCost?: number;
            /** @description When false, no audio of the call is stored, and there is no recording. Words are stored all the same unless `transcriptEnabled` is false, too. */
            recordingEnabled?: boolean;
            /** @description When false, no word of the call is stored, spoken, typed or dialled, and neither are its prompt, its greeting and the parameters of its start: the transcript has times and no text. Audio, in which the words can be heard, is stored all the same unless `recordingEnabled` is false, too. */
            transcriptEnabled?: boolean;
            /** @description Whether the LLM is given the parameters of the carrier's `start`, as one JSON object marked as data. Otherwise only the record shows them. */
            useParameters?: boolean;
            /**
             * @description What is not kept of the words and the sound. `card_number`: 13 to 19 digits with a valid check digit. `phone_number`, `email`, `national_id`: in the forms of the countries in which the language is spoken. `variables`: the values of the agent's variables, and each word of a name among them.
             * @example [
             *       "card_number",
             *       "phone_number"
             *     ]
             */
            redact?: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
            analysis?: components["schemas"]["AnalysisSettingsInput"];
            /**
             * @description Tools that the agent may call.
             * @example [
             *       {
             *         "toolName": "hang_up"
             *       }
             *     ]
             */
            selectedTools?: components["schemas"]["SelectedToolInput"][];
        };
        /**
         * @default
         * @example The bakery is open from eight to six.
         */
        NewAgentContextInput: string;
        /** @default [] */
        NewAgentCorpusIdsInput: string[];
        /**
         * @default
         * @example Answer in one sentence.
         */
        NewAgentCustomInstructionsInput: string;
        /**
         * @description A saved agent. All fields except the name, the base prompt, the language and the voice have a default.
         * @example {
         *       "name": "Front desk",
         *       "basePrompt": "You answer the telephone of a bakery.",
         *       "context": "The bakery is open from eight to six.",
         *       "customInstructions": "Answer in one sentence.",
         *       "languageId": "en-US",
         *       "voiceId": "espeak/gmw/en-US",
         *       "callSettings": {
         *         "greeting": "Hello, this is the bakery.",
         *         "selectedTools": [
         *           {
         *             "toolName": "hang_up"
         *           }
         *         ]
         *       }
         *     }
         * @example {
         *       "name": "Front desk",
         *       "basePrompt": "You answer the telephone of a bakery.",
         *       "context": "You call {{customer}} about {{loaves}} loaves.",
         *       "customInstructions": "Answer in one sentence.",
         *       "languageId": "en-US",
         *       "voiceId": "espeak/gmw/en-US",
         *       "callSettings": {
         *         "greeting": "Hello, this is the bakery.",
         *         "selectedTools": [
         *           {
         *             "toolName": "hang_up"
         *           }
         *         ]
         *       },
         *       "variables": [
         *         {
         *           "name": "customer",
         *           "type": "string"
         *         },
         *         {
         *           "name": "loaves",
         *           "type": "number",
         *           "default": 1
         *         }
         *       ],
         *       "allowedOverrides": [
         *         "greeting",
         *         "maxDuration"
         *       ]
         *     }
         */
        NewAgentInput: {
            /**
             * @description Display name of the agent; need not be unique.
             * @example Front desk
             */
            name: string;
            /**
             * @description Who the agent is and what it is for: the first layer of the prompt.
             * @example You answer the telephone of a bakery.
             */
            basePrompt: string;
            /** @description What the agent knows. Added to the prompt under the heading `# Context`; omitted when blank. */
            context?: components["schemas"]["NewAgentContextInput"];
            /** @description How the agent behaves. Added to the prompt under `# Instructions`; omitted when blank. */
            customInstructions?: components["schemas"]["NewAgentCustomInstructionsInput"];
            /**
             * @description An id from `GET /languages`.
             * @example en-US
             */
            languageId: string;
            /**
             * @description The id of a voice from `GET /voices` that speaks the language; names are not accepted here.
             * @example espeak/gmw/en-US
             */
            voiceId: string;
            /** @description Settings of the agent's calls, by the names and bounds of `POST /calls`. Absent settings take the default of `POST /calls` when a call is made. */
            callSettings?: components["schemas"]["NewAgentCallSettingsInput"];
            /** @description Saved tools of the account, in addition to those of `callSettings`; its calls have them as they are when the call is created. An override of `selectedTools` replaces both. */
            toolIds?: components["schemas"]["NewAgentToolIdsInput"];
            /** @description Corpora of this account that the agent answers from, by the tool `query_corpus`: its settings are those of `query_corpus` in `selectedTools`, and without it there the LLM decides when to ask. An unknown id is 400. */
            corpusIds?: components["schemas"]["NewAgentCorpusIdsInput"];
            /** @description What calls fill in: `{{name}}` in the three layers of the prompt and in the greeting stands for the value of the call. At most 50. A text with a name that is not declared is 400. */
            variables?: components["schemas"]["NewAgentVariablesInput"];
            /** @description The settings that a call from this agent may give in `overrides`, by their names in `POST /calls`; none by default. */
            allowedOverrides?: components["schemas"]["NewAgentAllowedOverridesInput"];
        };
        /**
         * @default []
         * @example [
         *       "tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
         *     ]
         */
        NewAgentToolIdsInput: string[];
        /**
         * @default []
         * @example [
         *       {
         *         "name": "customer",
         *         "type": "string",
         *         "description": "Who is called."
         *       },
         *       {
         *         "name": "loaves",
         *         "type": "number",
         *         "default": 1
         *       }
         *     ]
         */
        NewAgentVariablesInput: components["schemas"]["AgentVariableInput"][];
        /**
         * @description What it is for and what it may do. Without `scopes` it has all but `admin`.
         * @example {
         *       "name": "front desk",
         *       "scopes": [
         *         "read",
         *         "calls"
         *       ]
         *     }
         * @example {
         *       "name": "shop"
         *     }
         */
        NewApiKeyInput: {
            /**
             * @description What it is for.
             * @example front desk
             */
            name: string;
            /**
             * @description What it may do. `read`: reading: every `GET` and `HEAD` but those of `admin`. `calls`: creating and ending calls, and creating and cancelling transcriptions. `write`: creating, changing and deleting agents, corpora with their documents, webhooks and telephone numbers, and deleting calls and transcriptions. `admin`: API keys, publishable keys, people, the audit log, the account with its API keys of providers, its credentials at carriers and its secrets of tools, and the state of the service.
             * @example [
             *       "read",
             *       "calls"
             *     ]
             */
            scopes?: ("read" | "calls" | "write" | "admin")[];
            /**
             * @description From then on it is refused; null: never.
             * @example 2999-01-31T00:00:00.000Z
             */
            expiresAt?: string | null;
        };
        /**
         * @default carrier_a
         * @enum {string}
         */
        NewCallConnectionTypeInput: "carrier_a" | "carrier_b" | "carrier_c" | "websocket" | "webrtc";
        /**
         * @default agent
         * @enum {string}
         */
        NewCallFirstSpeakerInput: "agent" | "user";
        /**
         * @default prompt
         * @enum {string}
         */
        NewCallInactivityActionInput: "hang_up" | "prompt";
        /** @default 30 */
        NewCallInactivityTimeoutInput: number;
        /**
         * @description Configuration of the call. All fields except the first three have defaults.
         * @example {
         *       "systemPrompt": "You answer the telephone of a bakery. The bakery is open from eight to six.",
         *       "voice": "English (America)",
         *       "language": "en-US"
         *     }
         * @example {
         *       "systemPrompt": "You answer the telephone of a bakery. The bakery is open from eight to six.",
         *       "voice": "English (America)",
         *       "language": "en-US",
         *       "connectionType": "websocket",
         *       "websocket": {
         *         "inputSampleRate": 16000,
         *         "outputSampleRate": 24000
         *       }
         *     }
         * @example {
         *       "systemPrompt": "You answer the telephone of a bakery. The bakery is open from eight to six.",
         *       "voice": "English (America)",
         *       "language": "en-US",
         *       "languagePinned": false,
         *       "model": "model_b",
         *       "temperature": 0.3,
         *       "firstSpeaker": "agent",
         *       "interruptible": true,
         *       "maxDuration": 600,
         *       "inactivityTimeout": 20,
         *       "inactivityAction": "hang_up",
         *       "recordingEnabled": true,
         *       "transcriptEnabled": true,
         *       "useParameters": true,
         *       "redact": [
         *         "card_number"
         *       ],
         *       "analysis": {
         *         "schema": {
         *           "type": "object",
         *           "properties": {
         *             "wantsCallback": {
         *               "type": "boolean"
         *             }
         *           },
         *           "required": [
         *             "wantsCallback"
         *           ]
         *         },
         *         "prompt": "A caller who asks to be called again wants a callback.",
         *         "summary": true
         *       },
         *       "selectedTools": [
         *         {
         *           "toolName": "hang_up"
         *         },
         *         {
         *           "toolName": "transfer",
         *           "parameterOverrides": {
         *             "target": "+15550100"
         *           }
         *         },
         *         {
         *           "definition": {
         *             "type": "http",
         *             "name": "order_status",
         *             "description": "Tells how far an order is.",
         *             "parameters": {
         *               "type": "object",
         *               "properties": {
         *                 "order": {
         *                   "type": "string"
         *                 }
         *               },
         *               "required": [
         *                 "order"
         *               ]
         *             },
         *             "timeoutMs": 5000,
         *             "readOnly": true,
         *             "idempotent": false,
         *             "http": {
         *               "method": "GET",
         *               "url": "https://api.example.com/orders/{order}",
         *               "headers": {
         *                 "Accept": "application/json"
         *               }
         *             }
         *           }
         *         }
         *       ],
         *       "greeting": "Hello, this is the bakery.",
         *       "connectionType": "carrier_a",
         *       "metadata": {
         *         "order": "A-17",
         *         "vip": true
         *       }
         *     }
         */
        NewCallInput: {
            /**
             * @description The entire system prompt; not blank.
             * @example You answer the telephone of a bakery. The bakery is open from eight to six.
             */
            systemPrompt: string;
            /**
             * @description The id of a voice from `GET /voices` that speaks `language`, or its name if no other has the same.
             * @example English (America)
             */
            voice: string;
            /**
             * @description A code from `GET /languages`, in upper or lower case: the language of the agent and of the STT.
             * @example en-US
             */
            language: string;
            /** @description Whether the call stays in its language. Otherwise the agent answers in the language that the STT detects, where it can, and switches back when the caller does. */
            languagePinned?: components["schemas"]["NewCallLanguagePinnedInput"];
            /** @description The configured LLM to use. */
            model?: components["schemas"]["NewCallModelInput"];
            /** @description Sampling temperature of the LLM. */
            temperature?: components["schemas"]["NewCallTemperatureInput"];
            /**
             * @description The opening line when the agent speaks first, spoken verbatim without the LLM. Without a greeting the LLM opens. Ignored when the user speaks first.
             * @example Hello, this is the bakery.
             */
            greeting?: string;
            /** @description Who opens the conversation. */
            firstSpeaker?: components["schemas"]["NewCallFirstSpeakerInput"];
            /** @description Whether the caller may interrupt the agent's first message; every later one can be interrupted. Speech over an uninterruptible first message is answered after it. */
            interruptible?: components["schemas"]["NewCallInterruptibleInput"];
            /** @description Maximum length of the call in seconds, from the redemption of its stream token. */
            maxDuration?: components["schemas"]["NewCallMaxDurationInput"];
            /** @description Seconds without speech, typed text or DTMF after which `inactivityAction` is taken. */
            inactivityTimeout?: components["schemas"]["NewCallInactivityTimeoutInput"];
            /** @description `prompt`: the agent asks whether the caller is still there, and hangs up after 3 unanswered prompts in a row. */
            inactivityAction?: components["schemas"]["NewCallInactivityActionInput"];
            /**
             * @description Maximum cost of the call in the currency of the service's prices, by the usage that its providers report. When it is reached, or the next request to the LLM or the TTS would exceed it, the agent says so and the call ends with `spend_limit`. STT without a price is not counted. 400 when a price of the LLM or the TTS is not configured.
             * @example 0.5
             */
            maxCost?: number;
            /** @description When false, no audio of the call is stored, and there is no recording. Words are stored all the same unless `transcriptEnabled` is false, too. */
            recordingEnabled?: components["schemas"]["NewCallRecordingEnabledInput"];
            /** @description When false, no word of the call is stored, spoken, typed or dialled, and neither are its prompt, its greeting and the parameters of its start: the transcript has times and no text. Audio, in which the words can be heard, is stored all the same unless `recordingEnabled` is false, too. */
            transcriptEnabled?: components["schemas"]["NewCallTranscriptEnabledInput"];
            /** @description Whether the LLM is given the parameters of the carrier's `start`, as one JSON object marked as data. Otherwise only the record shows them. */
            useParameters?: components["schemas"]["NewCallUseParametersInput"];
            /** @description What is not kept of the words and the sound. `card_number`: 13 to 19 digits with a valid check digit. `phone_number`, `email`, `national_id`: in the forms of the countries in which the language is spoken. `variables`: the values of the agent's variables, and each word of a name among them. */
            redact?: components["schemas"]["NewCallRedactInput"];
            analysis?: components["schemas"]["AnalysisSettingsInput"];
            /** @description The protocol of the media stream. `carrier_a`, `carrier_b`, `carrier_c`: the protocol of a telephone carrier, in G.711 at 8000 Hz. `websocket`: a protocol for your own programs, described at `websocket`. `webrtc`: for browsers: audio as RTP beside a WebSocket; 501 where the service lacks the optional package `node-datachannel` or `WEBRTC_UDP_PORTS`. */
            connectionType?: components["schemas"]["NewCallConnectionTypeInput"];
            websocket?: components["schemas"]["WebsocketInput"];
            /** @description Tools that the agent may call. */
            selectedTools?: components["schemas"]["NewCallSelectedToolsInput"];
            /**
             * @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused.
             * @example {
             *       "order": "A-17",
             *       "vip": true
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** @default false */
        NewCallInterruptibleInput: boolean;
        /** @default false */
        NewCallLanguagePinnedInput: boolean;
        /** @default 3000 */
        NewCallMaxDurationInput: number;
        /**
         * @default model_b
         * @enum {string}
         */
        NewCallModelInput: "model_a" | "model_b" | "model_c";
        /** @default true */
        NewCallRecordingEnabledInput: boolean;
        /**
         * @default []
         * @example [
         *       "card_number",
         *       "phone_number"
         *     ]
         */
        NewCallRedactInput: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
        /**
         * @default []
         * @example [
         *       {
         *         "toolName": "hang_up"
         *       }
         *     ]
         */
        NewCallSelectedToolsInput: components["schemas"]["SelectedToolInput"][];
        /** @default 0 */
        NewCallTemperatureInput: number;
        /** @default true */
        NewCallTranscriptEnabledInput: boolean;
        /** @default false */
        NewCallUseParametersInput: boolean;
        /**
         * @default null
         * @example [
         *       "DE",
         *       "AT"
         *     ]
         */
        NewCarrierAllowedCountriesInput: string[] | null;
        /**
         * @default null
         * @example [
         *       "+49180"
         *     ]
         */
        NewCarrierAllowedNumbersInput: string[] | null;
        /**
         * @default 1
         * @example 1
         */
        NewCarrierCallsPerSecondInput: number;
        /**
         * @description The account's credentials at a carrier, and what its calls may do.
         * @example {
         *       "carrier": "carrier_a",
         *       "name": "main",
         *       "credentials": {
         *         "accountSid": "AC00000000000000000000000000000000",
         *         "authToken": "0123456789abcdef0123456789abcdef"
         *       }
         *     }
         */
        NewCarrierInput: {
            /**
             * @description Which carrier it is. It is also the `connectionType` of its calls.
             * @example carrier_a
             * @enum {string}
             */
            carrier: "carrier_a" | "carrier_b" | "carrier_c";
            /**
             * @description What it is for.
             * @example support
             */
            name: string;
            /**
             * @description The credentials that the carrier gave to the account, all of them. They are checked by a harmless request to the carrier, and no answer ever shows one that is secret. carrier_a: `accountSid`, the Account SID, on the first page of the console; `authToken`, the primary Auth Token of the account. An API key cannot replace it: webhooks and streams are signed with this token. carrier_b: `apiKey`, an API key, version 2, from the page API Keys of the portal; `publicKey`, the public key of the account, from the page Keys & Credentials of the portal: webhooks are checked with it; `connectionId`, the id of a Voice API (Call Control) application that nothing else uses: its webhook address becomes the service's when a number is attached. For outbound calls it needs an outbound voice profile. carrier_c: `authId`, the Auth ID, on the first page of the console; `authToken`, the Auth Token of the same account or subaccount: webhooks and streams are signed with it.
             * @example {
             *       "accountSid": "AC00000000000000000000000000000000",
             *       "authToken": "0123456789abcdef0123456789abcdef"
             *     }
             */
            credentials: {
                [key: string]: unknown;
            };
            /** @description How many of its calls may be dialling, ringing or live at once; null for no limit of its own. */
            maxConcurrentCalls?: components["schemas"]["NewCarrierMaxConcurrentCallsInput"];
            /** @description How many calls it may place a second from each of its numbers; the carrier has a limit, too. */
            callsPerSecond?: components["schemas"]["NewCarrierCallsPerSecondInput"];
            /** @description The countries that calls may be placed to; null for the country of the number that calls. */
            allowedCountries?: components["schemas"]["NewCarrierAllowedCountriesInput"];
            /** @description Numbers, or beginnings of them, that calls may be placed to although their kind is refused: premium, shared-cost, satellite and emergency numbers. */
            allowedNumbers?: components["schemas"]["NewCarrierAllowedNumbersInput"];
        };
        /**
         * @default null
         * @example 20
         */
        NewCarrierMaxConcurrentCallsInput: number | null;
        /**
         * @default
         * @example Prices, sizes and guarantees of our products.
         */
        NewCorpusDescriptionInput: string;
        /**
         * @description A corpus without documents.
         * @example {
         *       "name": "Products",
         *       "description": "Prices, sizes and guarantees of our products.",
         *       "languageId": "en"
         *     }
         */
        NewCorpusInput: {
            /**
             * @description Need not be unique.
             * @example Products
             */
            name: string;
            /** @description What its documents are about. The LLM reads it where it may choose what to look up. */
            description?: components["schemas"]["NewCorpusDescriptionInput"];
            /** @description The language of its documents, as a BCP 47 tag; it decides words, stems and sentences. */
            languageId?: components["schemas"]["NewCorpusLanguageIdInput"];
            /** @description `search`: an agent gets the passages that fit what was said. `full`: it gets the whole corpus with its prompt, for a few thousand tokens. */
            mode?: components["schemas"]["NewCorpusModeInput"];
            /** @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused. */
            metadata?: components["schemas"]["NewCorpusMetadataInput"];
        };
        /**
         * @default en
         * @example en
         */
        NewCorpusLanguageIdInput: string;
        /**
         * @default {}
         * @example {
         *       "order": "A-17",
         *       "vip": true
         *     }
         */
        NewCorpusMetadataInput: {
            [key: string]: unknown;
        };
        /**
         * @default search
         * @enum {string}
         */
        NewCorpusModeInput: "search" | "full";
        /**
         * @description How the stream is transcribed.
         * @example {
         *       "language": "en-US"
         *     }
         * @example {
         *       "language": "en-US",
         *       "websocket": {
         *         "codec": "opus",
         *         "inputSampleRate": 48000
         *       }
         *     }
         * @example {
         *       "language": "en-US",
         *       "redact": [
         *         "card_number"
         *       ]
         *     }
         */
        NewLiveTranscriptionInput: {
            /**
             * @description A code from `GET /languages`, in upper or lower case. All of the audio is transcribed in it.
             * @example en-US
             */
            language: string;
            websocket?: components["schemas"]["NewLiveTranscriptionWebsocketInput"];
            /** @description Maximum length in seconds, from the redemption of its stream token. */
            maxDuration?: components["schemas"]["NewLiveTranscriptionMaxDurationInput"];
            /** @description Words that are likely. No provider takes them for live streams: a list that is not empty is 400. */
            vocabulary?: string[];
            /** @description What is not kept of the words, once the transcription is over: card numbers, telephone numbers, email addresses and national ids, as for calls. The stream has the words as they are. */
            redact?: components["schemas"]["NewLiveTranscriptionRedactInput"];
            /** @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused. */
            metadata?: components["schemas"]["NewLiveTranscriptionMetadataInput"];
        };
        /** @default 3000 */
        NewLiveTranscriptionMaxDurationInput: number;
        /**
         * @default {}
         * @example {
         *       "order": "A-17",
         *       "vip": true
         *     }
         */
        NewLiveTranscriptionMetadataInput: {
            [key: string]: unknown;
        };
        /**
         * @default []
         * @example [
         *       "card_number"
         *     ]
         */
        NewLiveTranscriptionRedactInput: ("card_number" | "phone_number" | "email" | "national_id")[];
        /**
         * @default {
         *       "codec": "pcm_s16le"
         *     }
         */
        NewLiveTranscriptionWebsocketInput: components["schemas"]["LiveWebsocketInput"];
        /**
         * @description The number to call, and the configuration of the call. `connectionType` follows from `from`; another one is refused.
         * @example {
         *       "to": "+12025550123",
         *       "from": "+12025550100",
         *       "systemPrompt": "You take orders for a bakery.",
         *       "voice": "English (America)",
         *       "language": "en-US"
         *     }
         */
        NewPhoneCallInput: {
            /**
             * @description The number to call, in E.164. By default only numbers of the country of `from` are called, and no emergency, premium-rate, shared-cost or satellite numbers: see `allowedCountries` and `allowedNumbers` of the carrier.
             * @example +12025550123
             */
            to: string;
            /**
             * @description The number that calls: the id of one of the account's telephone numbers, or its number in E.164.
             * @example +12025550100
             */
            from: string;
            /** @description How long it rings, in seconds, before the call ends with `no_answer`. */
            ringTimeout?: components["schemas"]["NewPhoneCallRingTimeoutInput"];
            /** @description The saved agent of the call. The other fields are then those of `POST /agents/{id}/calls` (`version`, `variables`, `overrides`, `metadata`); without it they are those of `POST /calls`. */
            agentId?: string;
        } & {
            [key: string]: unknown;
        };
        /** @default 30 */
        NewPhoneCallRingTimeoutInput: number;
        /**
         * @description An API key of the account at a provider.
         * @example {
         *       "provider": "openai",
         *       "apiKey": "sk-example-0123456789abcdef"
         *     }
         */
        NewProviderCredentialInput: {
            /**
             * @description The provider that gave the API key; it serves all stages in which calls use that provider.
             * @example openai
             */
            provider: string;
            /**
             * @description The API key that the provider gave to the account. No answer ever shows it.
             * @example sk-example-0123456789abcdef
             */
            apiKey: string;
        };
        /**
         * @description Which pages may start calls from which agents, and how many.
         * @example {
         *       "name": "shop",
         *       "agentIds": [
         *         "agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
         *       ],
         *       "origins": [
         *         "https://shop.example"
         *       ]
         *     }
         * @example {
         *       "name": "trial",
         *       "agentIds": [
         *         "agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
         *       ],
         *       "origins": [
         *         "http://localhost:5173"
         *       ],
         *       "limits": {
         *         "concurrentCalls": 2
         *       }
         *     }
         */
        NewPublishableKeyInput: {
            /**
             * @description What it is for.
             * @example shop
             */
            name: string;
            /**
             * @description The agents from which it may start calls.
             * @example [
             *       "agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
             *     ]
             */
            agentIds: string[];
            /**
             * @description The origins of the pages that may use it: scheme, host and port as browsers send them. No wildcards.
             * @example [
             *       "https://shop.example"
             *     ]
             */
            origins: string[];
            limits?: components["schemas"]["NewPublishableKeyLimitsInput"];
        };
        /**
         * @default {
         *       "startsPerMinute": 60,
         *       "startsPerMinutePerAddress": 6,
         *       "concurrentCalls": 20,
         *       "concurrentCallsPerAddress": 2,
         *       "maxCostPerDay": null,
         *       "maxCostPerDayPerAddress": null
         *     }
         */
        NewPublishableKeyLimitsInput: components["schemas"]["NewWebCallLimitsInput"];
        /** @default false */
        NewToolIdempotentInput: boolean;
        /**
         * @description A tool to save. `parameters` and `http` or `mcp` depend on the type.
         * @example {
         *       "type": "http",
         *       "name": "order_status",
         *       "description": "Tells how far an order is.",
         *       "parameters": {
         *         "type": "object",
         *         "properties": {
         *           "order": {
         *             "type": "string"
         *           }
         *         },
         *         "required": [
         *           "order"
         *         ]
         *       },
         *       "timeoutMs": 5000,
         *       "readOnly": true,
         *       "idempotent": false,
         *       "whileRunning": "I am looking that up.",
         *       "http": {
         *         "method": "GET",
         *         "url": "https://api.example.com/orders/{order}",
         *         "headers": {
         *           "Accept": "application/json"
         *         }
         *       }
         *     }
         */
        NewToolInput: {
            /**
             * @description `http`: the service sends a request. `client`: the program at the other end of a call's raw WebSocket or WebRTC carries it out. `mcp`: an MCP server, each of whose tools the LLM gets. It never changes.
             * @enum {string}
             */
            type: "http" | "client" | "mcp";
            /**
             * @description For the LLM; of an MCP server for people alone. Need not be unique in the account, but in a call.
             * @example order_status
             */
            name: string;
            /** @description For the LLM: what the tool does, and when to use it. */
            description?: string;
            /** @description A JSON Schema (2020-12) of the type `object`: the arguments that the LLM may choose. At most 8192 characters and 8 levels, without external references. The LLM's arguments are validated against it. */
            parameters?: {
                [key: string]: unknown;
            };
            http?: components["schemas"]["HttpToolInput"];
            mcp?: components["schemas"]["McpServerInput"];
            /** @description Timeout in milliseconds; after it the LLM is given a timeout error. */
            timeoutMs?: components["schemas"]["NewToolTimeoutMsInput"];
            /** @description The tool changes nothing: the LLM may be given it where tools with effects are not offered, and it is sent again like an `idempotent` one. */
            readOnly?: components["schemas"]["NewToolReadOnlyInput"];
            /** @description Twice is as once: an HTTP tool is sent once more, within `timeoutMs`, when its server could not be reached or answered 502, 503 or 504. */
            idempotent?: components["schemas"]["NewToolIdempotentInput"];
            /**
             * @description What the agent says while the tool takes long, in place of the service's own phrase.
             * @example I am looking that up.
             */
            whileRunning?: string;
        };
        /** @default false */
        NewToolReadOnlyInput: boolean;
        /**
         * @description A secret for headers of HTTP tools.
         * @example {
         *       "name": "SHOP_TOKEN",
         *       "hosts": [
         *         "api.example.com"
         *       ],
         *       "value": "shop-example-0123456789abcdef"
         *     }
         */
        NewToolSecretInput: {
            /**
             * @description Its name in headers of HTTP tools: `{{NAME}}`.
             * @example SHOP_TOKEN
             */
            name: string;
            /**
             * @description The servers that may receive it, over `https`. No other one ever does.
             * @example [
             *       "api.example.com"
             *     ]
             */
            hosts: string[];
            /**
             * @description The secret. No answer ever shows it.
             * @example shop-example-0123456789abcdef
             */
            value: string;
        };
        /** @default 10000 */
        NewToolTimeoutMsInput: number;
        /**
         * @default mix
         * @enum {string}
         */
        NewTranscriptionChannelsInput: "mix" | "separate";
        /** @default false */
        NewTranscriptionDeleteAudioInput: boolean;
        /**
         * @description What to transcribe, and how. One of `url` and `callId` is required.
         * @example {
         *       "url": "https://example.com/meeting.mp3",
         *       "vocabulary": [
         *         "Lario’s"
         *       ],
         *       "metadata": {
         *         "meeting": "A-17"
         *       }
         *     }
         * @example {
         *       "callId": "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "language": "en-US",
         *       "channels": "separate"
         *     }
         */
        NewTranscriptionInput: {
            /**
             * @description Where the audio is fetched: an address of the public internet. It is looked up when it is fetched; a private address is refused.
             * @example https://example.com/meeting.mp3
             */
            url?: string;
            /**
             * @description A call of the account whose recording is transcribed.
             * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            callId?: string;
            /**
             * @description A code from `GET /languages`, in upper or lower case, or `auto`: the provider detects the language. By default `auto` where a configured provider can, otherwise `en`, or the first language that one transcribes.
             * @example en-US
             */
            language?: string;
            /** @description `mix`: all channels are mixed to one. `separate`: each channel is transcribed for itself, as in a recording of a call, which has the caller left and the agent right. */
            channels?: components["schemas"]["NewTranscriptionChannelsInput"];
            /** @description `word`: the result has each word with its times. `segment`: only the utterances have times. */
            timestamps?: components["schemas"]["NewTranscriptionTimestampsInput"];
            /** @description Whether speakers are distinguished, by numbers from 0. */
            speakers?: components["schemas"]["NewTranscriptionSpeakersInput"];
            /** @description Words that are likely, such as names: at most 100 of 100 characters. */
            vocabulary?: components["schemas"]["NewTranscriptionVocabularyInput"];
            /** @description What is not kept of the words: card numbers, telephone numbers, email addresses and national ids, as for calls. The audio is then deleted when the transcription is over. */
            redact?: components["schemas"]["NewTranscriptionRedactInput"];
            /** @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused. */
            metadata?: components["schemas"]["NewTranscriptionMetadataInput"];
            /** @description Whether the audio is deleted as soon as the transcription is over, whatever the retention says. */
            deleteAudio?: components["schemas"]["NewTranscriptionDeleteAudioInput"];
        };
        /**
         * @default {}
         * @example {
         *       "order": "A-17",
         *       "vip": true
         *     }
         */
        NewTranscriptionMetadataInput: {
            [key: string]: unknown;
        };
        /**
         * @default []
         * @example [
         *       "card_number"
         *     ]
         */
        NewTranscriptionRedactInput: ("card_number" | "phone_number" | "email" | "national_id")[];
        /** @default false */
        NewTranscriptionSpeakersInput: boolean;
        /**
         * @default word
         * @enum {string}
         */
        NewTranscriptionTimestampsInput: "word" | "segment";
        /**
         * @default []
         * @example [
         *       "Lario’s",
         *       "Trunkline"
         *     ]
         */
        NewTranscriptionVocabularyInput: string[];
        /**
         * @description Who is invited, and what they may do.
         * @example {
         *       "email": "kim@example.com",
         *       "name": "Kim Miller",
         *       "role": "editor"
         *     }
         */
        NewUserInput: {
            /**
             * @description An email address, by which the person signs in.
             * @example kim@example.com
             */
            email: string;
            /**
             * @description What the person is called.
             * @example Kim Miller
             */
            name: string;
            /**
             * @description What the person may do. `owner`: everything, also people, API keys and the audit log. `editor`: all but `admin`. `viewer`: reading, but not what needs `admin`.
             * @example editor
             * @enum {string}
             */
            role: "owner" | "editor" | "viewer";
        };
        /**
         * @description What a page gives of a call; everything else is the agent's.
         * @example {
         *       "variables": {
         *         "customer": "Mrs Miller"
         *       }
         *     }
         * @example {
         *       "connectionType": "websocket"
         *     }
         */
        NewWebCallInput: {
            /**
             * @description The protocol of the media stream: `websocket` by default. `webrtc`: audio as RTP; 501 where the service lacks the optional package `node-datachannel` or `WEBRTC_UDP_PORTS`.
             * @enum {string}
             */
            connectionType?: "websocket" | "webrtc";
            websocket?: components["schemas"]["WebsocketInput"];
            /**
             * @description Values of the agent's variables, as in `POST /agents/{id}/calls`. The page's visitor can choose them.
             * @example {
             *       "customer": "Mrs Miller"
             *     }
             */
            variables?: {
                [key: string]: string | number | boolean;
            };
        };
        /** @default 20 */
        NewWebCallLimitsConcurrentCallsInput: number;
        /** @default 2 */
        NewWebCallLimitsConcurrentCallsPerAddressInput: number;
        /**
         * @description What calls it may start. An address is that of the client, of which an IPv6 address counts as its /64.
         * @example {
         *       "startsPerMinute": 30
         *     }
         */
        NewWebCallLimitsInput: {
            /** @description Requests to start a call within a minute, also those that are refused. */
            startsPerMinute?: components["schemas"]["NewWebCallLimitsStartsPerMinuteInput"];
            /** @description The same of one address. */
            startsPerMinutePerAddress?: components["schemas"]["NewWebCallLimitsStartsPerMinutePerAddressInput"];
            /** @description Calls at once, created or active. */
            concurrentCalls?: components["schemas"]["NewWebCallLimitsConcurrentCallsInput"];
            /** @description The same of one address. */
            concurrentCallsPerAddress?: components["schemas"]["NewWebCallLimitsConcurrentCallsPerAddressInput"];
            /** @description What the calls of a day (UTC, by their creation) may cost, in the currency of the service's prices; null: no limit. 400 when a price that an agent needs is not configured. */
            maxCostPerDay?: components["schemas"]["NewWebCallLimitsMaxCostPerDayInput"];
            /** @description The same of one address. */
            maxCostPerDayPerAddress?: components["schemas"]["NewWebCallLimitsMaxCostPerDayPerAddressInput"];
        };
        /**
         * @default null
         * @example 20
         */
        NewWebCallLimitsMaxCostPerDayInput: number | null;
        /**
         * @default null
         * @example 1
         */
        NewWebCallLimitsMaxCostPerDayPerAddressInput: number | null;
        /** @default 60 */
        NewWebCallLimitsStartsPerMinuteInput: number;
        /** @default 6 */
        NewWebCallLimitsStartsPerMinutePerAddressInput: number;
        /**
         * @default
         * @example billing
         */
        NewWebhookDescriptionInput: string;
        /** @default true */
        NewWebhookEnabledInput: boolean;
        /**
         * @description Where to send which events.
         * @example {
         *       "url": "https://example.com/hooks/trunkline",
         *       "eventTypes": [
         *         "call.ended"
         *       ]
         *     }
         */
        NewWebhookInput: {
            /**
             * @description Where events are sent: an address of the public internet. It is looked up at every attempt; a private address is refused.
             * @example https://example.com/hooks/trunkline
             */
            url: string;
            /**
             * @description The types of events to send: `call.created`: a call was created and waits for its media stream. `call.started`: the media stream of a call has connected. `call.ended`: a call is over, and its record and transcript are complete; the event has all of it. `call.expired`: a call was created, and its media stream did not connect in time. `recording.ready`: the recording of a call can be downloaded. `tool.failed`: a tool of a call has failed; sent when the call is over, at most 20 a call. `transcription.completed`: a transcription is complete; the event has its text. `transcription.failed`: a transcription has failed; the event says why. `document.ready`: a document of a corpus is processed: its text is found from now on. `document.failed`: a document of a corpus could not be processed; the event says why. `webhook.disabled`: another webhook of the account was disabled, because its endpoint fails or is gone, or its secret was lost.
             * @example [
             *       "call.ended",
             *       "recording.ready"
             *     ]
             */
            eventTypes: ("call.created" | "call.started" | "call.ended" | "call.expired" | "recording.ready" | "tool.failed" | "transcription.completed" | "transcription.failed" | "document.ready" | "document.failed" | "webhook.disabled")[];
            /** @description What it is for. */
            description?: components["schemas"]["NewWebhookDescriptionInput"];
            /** @description False: it gets no events. */
            enabled?: components["schemas"]["NewWebhookEnabledInput"];
        };
        /** @description A part of a document. */
        Passage: {
            /**
             * @description `doc_` and a UUIDv7.
             * @example doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11
             */
            documentId: string;
            documentName: string;
            /** @description The place of the passage in its document, from 0. */
            ordinal: number;
            /** @description The headings above it, the outermost first. */
            headings: string[];
            /** @description From 1; null where the document has no pages. */
            page: number | null;
            text: string;
            /** @description More is better; comparable only within one answer. */
            score: number;
        };
        /** @description Where a passage stands that the LLM was given. */
        PassageReference: {
            corpusId: string;
            documentId: string;
            /** @description Absent with `transcriptEnabled: false`. */
            documentName?: string;
            /** @description From 1. Absent where the document has no pages, and with `transcriptEnabled: false`. */
            page?: number;
            /** @description The place of the passage in the document, from 0. Absent with `transcriptEnabled: false`. */
            ordinal?: number;
            /** @description More is better; comparable only within one answer. */
            score: number;
        };
        /** @description The corpora of the call answered a `retrieve`. */
        PassagesEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "passages";
            /** @description The question to the corpora; counted from 1. */
            retrieval: number;
            /** @description How long it took to find them, in milliseconds. */
            tookMs: number;
            /** @description The best first. */
            passages: components["schemas"]["PassageReference"][];
        };
        /** @description The next `generate-reply` of the reply has these passages. */
        PassagesUsedCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "passages-used";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description The question to the corpora; counted from 1. */
            retrieval: number;
            /** @description How long it took to find them, in milliseconds. */
            tookMs: number;
            /** @description The best first. */
            passages: components["schemas"]["PassageReference"][];
            /** @description How long the answer has waited for them, in milliseconds. */
            waitMs: number;
        };
        /** @description The caller speaks over the reply: sending is paused until the words are known. `resume` or `cancel-reply` follows, unless all of the reply had been sent. */
        PauseCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "pause";
            /** @description The reply; counted from 1. */
            turnId: number;
        };
        /**
         * @description A telephone number of the account.
         * @example {
         *       "id": "number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "number": "+15550100",
         *       "carrierId": "carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "name": "front desk",
         *       "agentId": "agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "inboundWebhookUrl": null,
         *       "maxConcurrentCalls": 5,
         *       "refusalText": null,
         *       "attached": true,
         *       "createdAt": "2026-11-20T08:00:00.000Z",
         *       "updatedAt": "2026-11-20T08:00:00.000Z"
         *     }
         */
        PhoneNumber: {
            /**
             * @description `number_` and a UUIDv7.
             * @example number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description E.164. */
            number: string;
            /**
             * @description `carrier_` and a UUIDv7.
             * @example carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            carrierId: string;
            /** @description What it is for; the number itself at first. */
            name: string;
            /**
             * @description The saved agent that answers calls to the number; null for none: they are refused.
             * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            agentId: string | null;
            /**
             * @description Asked for overrides before a call is answered: an address of the public internet. The number's agent answers as it is saved where no usable answer comes within 2 s. Null for none. Whenever an address is set, it gets a new secret.
             * @example https://example.com/inbound
             */
            inboundWebhookUrl: string | null;
            /**
             * @description How many inbound calls the number may have at once; further ones are refused. Null for no limit of its own.
             * @example 5
             */
            maxConcurrentCalls: number | null;
            /**
             * @description What a caller hears who is not connected; null for a phrase of the service.
             * @example All our lines are busy. Please call again later.
             */
            refusalText: string | null;
            /** @description The carrier sends the calls of the number to the service. */
            attached: boolean;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /**
         * @description What to change; the rest stays.
         * @example {
         *       "name": "front desk",
         *       "maxConcurrentCalls": 5
         *     }
         */
        PhoneNumberChangesInput: {
            /**
             * @description What it is for.
             * @example support
             */
            name?: string;
            /**
             * @description The saved agent that answers calls to the number; null for none: they are refused.
             * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            agentId?: string | null;
            /**
             * @description Asked for overrides before a call is answered: an address of the public internet. The number's agent answers as it is saved where no usable answer comes within 2 s. Null for none. Whenever an address is set, it gets a new secret.
             * @example https://example.com/inbound
             */
            inboundWebhookUrl?: string | null;
            /**
             * @description How many inbound calls the number may have at once; further ones are refused. Null for no limit of its own.
             * @example 5
             */
            maxConcurrentCalls?: number | null;
            /**
             * @description What a caller hears who is not connected; null for a phrase of the service.
             * @example All our lines are busy. Please call again later.
             */
            refusalText?: string | null;
        };
        /**
         * @description The carrier whose numbers to import.
         * @example {
         *       "carrierId": "carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
         *     }
         */
        PhoneNumberImportInput: {
            /**
             * @description `carrier_` and a UUIDv7.
             * @example carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            carrierId: string;
            /** @description The `nextCursor` of the answer before. */
            cursor?: string;
        };
        /** @description Service phrases other than the built-in ones are used while the call is in this language. */
        PhrasesChosenEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "phrases-chosen";
            language: string;
            /**
             * @description `file`: from `PHRASES_FILE`. `translated`: translated by the LLM. `english`: English, because there are none in this language.
             * @enum {string}
             */
            origin: "file" | "translated" | "english";
            phrases: {
                /** @description Empty with `transcriptEnabled: false`. */
                inactivity: string;
                /** @description Empty with `transcriptEnabled: false`. */
                apology: string;
                /** @description Empty with `transcriptEnabled: false`. */
                filler: string;
                /** @description Empty with `transcriptEnabled: false`. */
                goodbye: string;
                /** @description Absent in calls of older versions. */
                limit?: string;
            };
        };
        /** @description Playout ended: by the playback clock everything sent has been played, or the rest was cleared. */
        PlayoutEndedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "playout-ended";
            /** @description The reply; counted from 1. 0 for hold audio and DTMF tones. */
            turnId: number;
            /** @description Milliseconds of audio sent since playout started. */
            sentMs: number;
        };
        /** @description Playout of the reply, of hold audio or of DTMF tones started, or restarted after the TTS did not keep up. */
        PlayoutStartedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "playout-started";
            /** @description The reply; counted from 1. 0 for hold audio and DTMF tones. */
            turnId: number;
        };
        /** @description The preemptive reply is cancelled because the caller's words changed. */
        PreemptiveCancelCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "preemptive-cancel";
        };
        /** @description Preemptive generation starts: the LLM is asked before the end of the turn is certain. The next `generate-reply` uses the result if the caller's words have not changed. */
        PreemptiveStartCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "preemptive-start";
            /** @description Number of messages of the conversation in the request. */
            messages: number;
            /** @description The language in which the LLM is asked to reply. */
            language: string;
        };
        /** @description How the caller's voice sounded before the pause that began 60 ms before. */
        ProsodyEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "prosody";
            /** @description For how long the caller had been quiet when the last voiced frame was there, in milliseconds. */
            quietMs: number;
            /** @description How long after that frame a sound came back, in milliseconds; 0 where none did. */
            soundMs: number;
        };
        /** @description An API key of the account at a provider, without its text. */
        ProviderCredential: {
            /**
             * @description `credential_` and a UUIDv7.
             * @example credential_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /**
             * @description The provider that gave the API key; it serves all stages in which calls use that provider.
             * @example openai
             */
            provider: string;
            /**
             * @description The end of the API key, to tell it from others; empty for one of fewer than 16 characters.
             * @example cdef
             */
            lastCharacters: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
        };
        /** @description A provider failed, and the call was switched to the next fallback. */
        ProviderSwitchedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "provider-switched";
            /**
             * @description The stage: `stt`, `llm` or `tts`.
             * @enum {string}
             */
            stage: "stt" | "llm" | "tts";
            /**
             * @description The provider that failed.
             * @example deepgram
             */
            from: string;
            /**
             * @description The fallback that is used from now on.
             * @example openai
             */
            to: string;
            /**
             * @description `failed`: its connection or its response failed. `refused`: it answered with an error status. `timed_out`: it sent nothing in time. `skipped`: no request was sent, because its circuit breaker is open or its stream limit is reached. `other_language`: it works, and does not transcribe the language that the call has changed to.
             * @enum {string}
             */
            code: "failed" | "refused" | "timed_out" | "skipped" | "other_language";
        };
        /**
         * @description A publishable key.
         * @example {
         *       "id": "publishable_key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "name": "shop",
         *       "key": "pk_ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGfKi4oPq1NzYE",
         *       "status": "active",
         *       "agentIds": [
         *         "agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
         *       ],
         *       "origins": [
         *         "https://shop.example"
         *       ],
         *       "limits": {
         *         "startsPerMinute": 60,
         *         "startsPerMinutePerAddress": 6,
         *         "concurrentCalls": 20,
         *         "concurrentCallsPerAddress": 2,
         *         "maxCostPerDay": null,
         *         "maxCostPerDayPerAddress": null
         *       },
         *       "createdAt": "2026-11-20T08:00:00.000Z",
         *       "updatedAt": "2026-11-20T08:00:00.000Z",
         *       "revokedAt": null
         *     }
         */
        PublishableKey: {
            /**
             * @description `publishable_key_` and a UUIDv7.
             * @example publishable_key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description What it is for. */
            name: string;
            /** @description Its text, for pages: the header X-API-Key. It is no secret. */
            key: string;
            /**
             * @description Only an `active` one is accepted.
             * @enum {string}
             */
            status: "active" | "revoked";
            /** @description The agents from which it may start calls. */
            agentIds: string[];
            /** @description The origins of the pages that may use it. */
            origins: string[];
            /** @description What calls it may start. An address is that of the client, of which an IPv6 address counts as its /64. */
            limits: {
                /** @description Requests to start a call within a minute, also those that are refused. */
                startsPerMinute: number;
                /** @description The same of one address. */
                startsPerMinutePerAddress: number;
                /** @description Calls at once, created or active. */
                concurrentCalls: number;
                /** @description The same of one address. */
                concurrentCallsPerAddress: number;
                /**
                 * @description What the calls of a day (UTC, by their creation) may cost, in the currency of the service's prices; null: no limit. 400 when a price that an agent needs is not configured.
                 * @example 20
                 */
                maxCostPerDay: number | null;
                /**
                 * @description The same of one address.
                 * @example 1
                 */
                maxCostPerDayPerAddress: number | null;
            };
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last changed or revoked.
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
            /** @description When it was revoked. */
            revokedAt: string | null;
        };
        /**
         * @description What to change; the rest stays. A list that is given replaces the whole list.
         * @example {
         *       "limits": {
         *         "startsPerMinute": 10
         *       }
         *     }
         * @example {
         *       "origins": [
         *         "https://shop.example",
         *         "https://www.shop.example"
         *       ]
         *     }
         */
        PublishableKeyChangesInput: {
            /**
             * @description What it is for.
             * @example shop
             */
            name?: string;
            /**
             * @description The agents from which it may start calls.
             * @example [
             *       "agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"
             *     ]
             */
            agentIds?: string[];
            /**
             * @description The origins of the pages that may use it: scheme, host and port as browsers send them. No wildcards.
             * @example [
             *       "https://shop.example"
             *     ]
             */
            origins?: string[];
            limits?: components["schemas"]["PublishableKeyLimitChangesInput"];
        };
        /** @description The limits to change; the others stay. */
        PublishableKeyLimitChangesInput: {
            /** @description Requests to start a call within a minute, also those that are refused. */
            startsPerMinute?: number;
            /** @description The same of one address. */
            startsPerMinutePerAddress?: number;
            /** @description Calls at once, created or active. */
            concurrentCalls?: number;
            /** @description The same of one address. */
            concurrentCallsPerAddress?: number;
            /**
             * @description What the calls of a day (UTC, by their creation) may cost, in the currency of the service's prices; null: no limit. 400 when a price that an agent needs is not configured.
             * @example 20
             */
            maxCostPerDay?: number | null;
            /**
             * @description The same of one address.
             * @example 1
             */
            maxCostPerDayPerAddress?: number | null;
        };
        /** @description From now on neither audio nor words are stored: what follows has no texts until `recording-resumed`. */
        RecordingPausedCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "recording-paused";
        };
        /** @description `POST /calls/{id}/recording/pause` pauses the recording. */
        RecordingPauseRequestedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "recording-pause-requested";
        };
        /** @description Audio and words are stored again. */
        RecordingResumedCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "recording-resumed";
            /** @description For how long they were not, in milliseconds. */
            pausedMs: number;
        };
        /** @description `POST /calls/{id}/recording/resume` resumes the recording. */
        RecordingResumeRequestedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "recording-resume-requested";
        };
        /**
         * @description What the replay of a call's journal found.
         * @example {
         *       "identical": true,
         *       "events": 4182,
         *       "commands": 96,
         *       "comparedUntilMs": 41220,
         *       "truncated": false,
         *       "pausedAtMs": null,
         *       "writtenBy": "trunkline/0.1.0",
         *       "replayedBy": "trunkline/0.1.0",
         *       "difference": null
         *     }
         */
        ReplayCheck: {
            /** @description The same inputs gave every command that the call gave, and no other. */
            identical: boolean;
            /** @description Inputs that were replayed, frames of audio included. */
            events: number;
            /** @description Commands that were equal. */
            commands: number;
            /** @description The last input that was replayed; ms since the call began. */
            comparedUntilMs: number;
            /** @description The journal lacks the call's end: the worker of the call died, or its disk was full. */
            truncated: boolean;
            pausedAtMs: number | null;
            /** @description The version of the software that carried the call. */
            writtenBy: string;
            /** @description The version that has replayed it. */
            replayedBy: string;
            /** @description Null where `identical` is true. */
            difference: {
                /** @description Where the two differ first; ms since the call began. */
                atMs: number;
                /** @description The kind of the input before; null where there is none. */
                after: string | null;
                /** @description The kind of the command that the call gave; null where it gave none. */
                journaled: string | null;
                /** @description The kind of the command that the replay gave; null where it gave none. */
                replayed: string | null;
            } | null;
        };
        /** @description The LLM finished the reply, or the part of it before its tool calls. */
        ReplyEndEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "reply-end";
            /** @description The reply; counted from 1. */
            turnId: number;
        };
        /** @description The LLM failed. */
        ReplyFailedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "reply-failed";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description Error code, also in the service's log. */
            code: string;
        };
        /** @description The LLM sent more text of the reply. */
        ReplyTextEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "reply-text";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description Empty with `transcriptEnabled: false`. */
            text: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description The LLM called a tool. */
        ReplyToolCallEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "reply-tool-call";
            /** @description The reply; counted from 1. */
            turnId: number;
            id: string;
            /** @description Empty with `transcriptEnabled: false` and no such tool exists. */
            name: string;
            /** @description Empty with `transcriptEnabled: false`. */
            argumentsJson: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description An STT without interim transcripts is asked for the words of the speech so far. It answers by `stt-interim`, or not at all. */
        RequestInterimCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "request-interim";
        };
        /** @description The caller's speech was no interruption: the paused reply resumes from the same sample. */
        ResumeCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "resume";
            /** @description The reply; counted from 1. */
            turnId: number;
            /**
             * @description `no_words`: the speech has no words. `back_channel`: it is a back-channel. `echo`: the agent's own words came back. `pause_timeout`: it continues, and the STT gave no words in time, such as for a television in the background.
             * @enum {string}
             */
            reason: "no_words" | "back_channel" | "echo" | "pause_timeout";
        };
        /** @description The hold is over. */
        ResumedCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "resumed";
            /**
             * @description `requested`: by the API. `expired`: after its longest time. `transfer`: the caller is being transferred. `goodbye`: the service ends the call, and the agent says so.
             * @enum {string}
             */
            reason: "requested" | "expired" | "transfer" | "goodbye";
            /** @description For how long the caller was on hold, in milliseconds. */
            heldMs: number;
            /**
             * @description The peer plays the audio that it has, because DTMF tones are among it. Absent where it is asked to drop it.
             * @constant
             */
            clear?: false;
        };
        /** @description `POST /calls/{id}/resume` ends the hold. */
        ResumeRequestedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "resume-requested";
        };
        /** @description A question to the corpora came to nothing. */
        RetrievalEndedCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "retrieval-ended";
            /** @description The question to the corpora; counted from 1. */
            retrieval: number;
            /**
             * @description `late`: the answer to the caller waited no longer; it has the passages to earlier words of the turn, if there are some. `failed`: there was no answer. `cancelled`, `unused`: the caller's words changed, before the answer came or after.
             * @enum {string}
             */
            outcome: "late" | "failed" | "cancelled" | "unused";
        };
        /** @description They did not, or not in time. The call goes on without. */
        RetrievalFailedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "retrieval-failed";
            /** @description The question to the corpora; counted from 1. */
            retrieval: number;
            /** @description Error code, also in the service's log. */
            code: string;
        };
        /** @description The corpora of the call are asked for what the caller has said so far, with `retrieval` `always`. An earlier question without an answer is aborted. */
        RetrieveCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "retrieve";
            /** @description The question to the corpora; counted from 1. */
            retrieval: number;
            /** @description Empty with `transcriptEnabled: false`. */
            question: string;
            /** @description The language of the call. */
            language: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description The caller has not heard the end of what was sent of the reply, because the stream was lost: it is sent again. */
        RewindCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "rewind";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description How much is sent again, in samples of the agent's audio. */
            samples: number;
        };
        /** @description A tool call starts; the LLM continues when its `tool-result` is there. */
        RunToolCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "run-tool";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description The tool call: its `tool-result` has the same id. */
            toolCallId: string;
            name: string;
            /** @description Empty with `transcriptEnabled: false`. */
            arguments: {
                [key: string]: unknown;
            };
        };
        /**
         * @description How to rotate.
         * @example {
         *       "overlapSeconds": 3600
         *     }
         */
        SecretRotationInput: {
            /** @description How long messages are signed with the previous secret, too. */
            overlapSeconds?: components["schemas"]["SecretRotationOverlapSecondsInput"];
        };
        /**
         * @default 86400
         * @example 3600
         */
        SecretRotationOverlapSecondsInput: number;
        /** @description The TTS sent audio. */
        SegmentAudioEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "segment-audio";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description The segment of the reply that the TTS synthesises in one request; counted from 0. */
            segment: number;
            /** @description At the rate of the stream. */
            samples: number;
            /** @description Words in this audio with their times, in milliseconds from the start of the segment. Empty with `transcriptEnabled: false`. */
            words: {
                text: string;
                startMs: number;
                endMs: number;
            }[];
            /** @description Number of omitted words. */
            wordCount?: number;
        };
        /** @description The TTS finished the segment. */
        SegmentEndEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "segment-end";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description The segment of the reply that the TTS synthesises in one request; counted from 0. */
            segment: number;
            /** @description Length of the segment, in samples at the rate of the stream. */
            samples: number;
        };
        /** @description The TTS failed. */
        SegmentFailedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "segment-failed";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description The segment of the reply that the TTS synthesises in one request; counted from 0. */
            segment: number;
            /** @description Error code, also in the service's log. */
            code: string;
        };
        /**
         * @description Exactly one of toolId, toolName, definition. No two tools of a call have the same name.
         * @example {
         *       "toolName": "hang_up"
         *     }
         * @example {
         *       "toolName": "transfer",
         *       "parameterOverrides": {
         *         "target": "+15550100"
         *       }
         *     }
         * @example {
         *       "toolName": "query_corpus",
         *       "parameterOverrides": {
         *         "corpusIds": [
         *           "cor_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e57"
         *         ],
         *         "retrieval": "always"
         *       }
         *     }
         * @example {
         *       "definition": {
         *         "type": "http",
         *         "name": "order_status",
         *         "description": "Tells how far an order is.",
         *         "parameters": {
         *           "type": "object",
         *           "properties": {
         *             "order": {
         *               "type": "string"
         *             }
         *           },
         *           "required": [
         *             "order"
         *           ]
         *         },
         *         "http": {
         *           "method": "GET",
         *           "url": "https://api.example.com/orders/{order}",
         *           "headers": {
         *             "Accept": "application/json"
         *           }
         *         },
         *         "timeoutMs": 5000,
         *         "readOnly": true,
         *         "idempotent": false
         *       }
         *     }
         */
        SelectedTool: {
            /**
             * @description A saved tool of the account: see `POST /tools`. The call has it as it was when the call was created.
             * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            toolId?: string;
            /**
             * @description A built-in tool: hang_up, send_dtmf, transfer, hold_call, pause_recording, resume_recording, query_corpus, switch_language. `send_dtmf` needs a telephone line: carrier_a, carrier_b, carrier_c. `query_corpus` searches the documents of corpora.
             * @enum {string}
             */
            toolName?: "hang_up" | "transfer" | "send_dtmf" | "hold_call" | "pause_recording" | "resume_recording" | "query_corpus" | "switch_language";
            definition?: components["schemas"]["ToolDefinition"];
            /** @description Fixed arguments, which the LLM neither chooses nor sees: `target` of `transfer`, `digits` of `send_dtmf`, `seconds` of `hold_call`, `language` of `switch_language`, the `parameters` of a definition or of a saved tool, of an MCP server those of any of its tools. `query_corpus` has settings here: `corpusIds`, which it needs unless the agent has corpora; `retrieval`: `tool` (the default: the LLM decides when to ask) or `always` (passages are fetched for every turn of the caller, while the caller still speaks); `passagesMax`, 1 to 20, 5 by default; `allowEffects`: after passages were read in a turn, the LLM may call tools with effects at once. Without it these are not offered until the caller has spoken again. */
            parameterOverrides?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description Exactly one of toolId, toolName, definition. No two tools of a call have the same name.
         * @example {
         *       "toolName": "hang_up"
         *     }
         * @example {
         *       "toolName": "transfer",
         *       "parameterOverrides": {
         *         "target": "+15550100"
         *       }
         *     }
         * @example {
         *       "toolName": "query_corpus",
         *       "parameterOverrides": {
         *         "corpusIds": [
         *           "cor_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e57"
         *         ],
         *         "retrieval": "always"
         *       }
         *     }
         * @example {
         *       "definition": {
         *         "type": "http",
         *         "name": "order_status",
         *         "description": "Tells how far an order is.",
         *         "parameters": {
         *           "type": "object",
         *           "properties": {
         *             "order": {
         *               "type": "string"
         *             }
         *           },
         *           "required": [
         *             "order"
         *           ]
         *         },
         *         "http": {
         *           "method": "GET",
         *           "url": "https://api.example.com/orders/{order}",
         *           "headers": {
         *             "Accept": "application/json"
         *           }
         *         },
         *         "timeoutMs": 5000,
         *         "readOnly": true,
         *         "idempotent": false
         *       }
         *     }
         */
        SelectedToolInput: {
            /**
             * @description A saved tool of the account: see `POST /tools`. The call has it as it was when the call was created.
             * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            toolId?: string;
            /**
             * @description A built-in tool: hang_up, send_dtmf, transfer, hold_call, pause_recording, resume_recording, query_corpus, switch_language. `send_dtmf` needs a telephone line: carrier_a, carrier_b, carrier_c. `query_corpus` searches the documents of corpora.
             * @enum {string}
             */
            toolName?: "hang_up" | "transfer" | "send_dtmf" | "hold_call" | "pause_recording" | "resume_recording" | "query_corpus" | "switch_language";
            definition?: components["schemas"]["ToolDefinitionInput"];
            /** @description Fixed arguments, which the LLM neither chooses nor sees: `target` of `transfer`, `digits` of `send_dtmf`, `seconds` of `hold_call`, `language` of `switch_language`, the `parameters` of a definition or of a saved tool, of an MCP server those of any of its tools. `query_corpus` has settings here: `corpusIds`, which it needs unless the agent has corpora; `retrieval`: `tool` (the default: the LLM decides when to ask) or `always` (passages are fetched for every turn of the caller, while the caller still speaks); `passagesMax`, 1 to 20, 5 by default; `allowEffects`: after passages were read in a turn, the LLM may call tools with effects at once. Without it these are not offered until the caller has spoken again. */
            parameterOverrides?: {
                [key: string]: unknown;
            };
        };
        /** @description DTMF digits are sent to the peer, or by the carrier. */
        SendDtmfCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "send-dtmf";
            digits: string;
            /**
             * @description They are tones in the agent's audio. Absent where the stream or the carrier has another way for them.
             * @constant
             */
            inBand?: true;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description A segment of the reply is handed to the TTS: the LLM's text or a service phrase. */
        SpeakCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "speak";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description The segment of the reply that the TTS synthesises in one request; counted from 0. */
            segment: number;
            /** @description Empty with `transcriptEnabled: false`. */
            text: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
            /**
             * @description Absent for text of the LLM. `greeting`: the call's greeting. `inactivity`: neither side spoke for too long. `filler`: the reply takes long. `apology`: the LLM failed. `goodbye`: the service ends the call. `limit`: a spend limit is reached.
             * @enum {string}
             */
            reason?: "greeting" | "inactivity" | "filler" | "apology" | "goodbye" | "limit";
        };
        /** @description The VAD detected that the caller stopped speaking. */
        SpeechEndedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "speech-ended";
            /**
             * @description The last voiced frame, in milliseconds since the media stream connected.
             * @example 5240
             */
            endMs: number;
        };
        /** @description The VAD detected that the caller started to speak. */
        SpeechStartedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "speech-started";
            /**
             * @description Start of the speech, in milliseconds since the media stream connected.
             * @example 5240
             */
            startMs: number;
        };
        /** @description The new state of the agent. */
        StateCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "state";
            /** @enum {string} */
            state: "listening" | "thinking" | "speaking" | "held";
            /** @description Latency of the reply that starts to play. */
            latency?: {
                /** @description Final transcript of the STT; 0 where it came earlier, absent where the reply was started without it; milliseconds since the caller's last voiced frame. */
                finalTranscriptMs?: number;
                /** @description End of the caller's turn was decided; milliseconds since the caller's last voiced frame. */
                endOfTurnMs: number;
                /** @description Passages for the reply were there, or were waited for no longer; absent where none are fetched for every turn; milliseconds since the caller's last voiced frame. */
                retrievalMs?: number;
                /** @description LLM request that produced the first text (the last one, after tool calls); milliseconds since the caller's last voiced frame. */
                llmRequestedMs?: number;
                /** @description First text of the LLM. Absent for replies without an LLM; milliseconds since the caller's last voiced frame. */
                firstTextMs?: number;
                /** @description First segment handed to the TTS; milliseconds since the caller's last voiced frame. */
                firstSegmentMs?: number;
                /** @description First audio of the TTS; milliseconds since the caller's last voiced frame. */
                firstAudioMs: number;
                /** @description First frame of the reply sent; milliseconds since the caller's last voiced frame. */
                firstFrameMs: number;
            };
        };
        /**
         * @description The state of the service.
         * @example {
         *       "version": "1.0.0",
         *       "checkedAt": "2026-11-21T08:00:00.000Z",
         *       "newCalls": {
         *         "accepted": true,
         *         "reason": null,
         *         "message": "new calls are accepted"
         *       },
         *       "slots": {
         *         "max": 1000,
         *         "active": 12,
         *         "reserved": 1
         *       },
         *       "workers": [
         *         {
         *           "id": "worker_1",
         *           "role": "media",
         *           "acceptsCalls": true,
         *           "calls": 12,
         *           "callsMax": 1000,
         *           "loopDelayMs": 3.5
         *         }
         *       ],
         *       "silentWorkers": 0,
         *       "providers": [
         *         {
         *           "stage": "llm",
         *           "provider": "openai",
         *           "circuitBreaker": "closed",
         *           "openInWorkers": 0,
         *           "answers": 412,
         *           "failures": 1,
         *           "medianDelayMs": 380,
         *           "p95DelayMs": 910
         *         }
         *       ],
         *       "jobs": {
         *         "waiting": 3,
         *         "running": 1,
         *         "dead": 0,
         *         "oldestDueSeconds": 0,
         *         "kinds": [
         *           {
         *             "kind": "webhook.deliver",
         *             "waiting": 3,
         *             "running": 1,
         *             "dead": 0
         *           }
         *         ]
         *       },
         *       "disk": {
         *         "state": "ok",
         *         "freeBytes": 53687091200,
         *         "minFreeBytes": 1073741824
         *       },
         *       "database": {
         *         "kind": "postgres",
         *         "state": "ok"
         *       },
         *       "nodes": [
         *         {
         *           "name": "node-1",
         *           "state": "accepting",
         *           "version": "1.0.0",
         *           "mediaUrl": "wss://node-1.example.com",
         *           "slots": {
         *             "max": 1000,
         *             "active": 12,
         *             "reserved": 1
         *           },
         *           "webrtc": false,
         *           "leaseLeftMs": 4310,
         *           "takenBy": null,
         *           "startedAt": "2026-11-21T07:00:00.000Z"
         *         }
         *       ],
         *       "configuration": [
         *         {
         *           "name": "speech recognition",
         *           "state": "ready",
         *           "message": "STT is deepgram, with the fallback local",
         *           "variables": [
         *             "STT"
         *           ]
         *         }
         *       ]
         *     }
         */
        Status: {
            /** @description Of the service. */
            version: string;
            /**
             * Format: date-time
             * @description When this was read; up to a second ago.
             * @example 2026-11-21T08:00:00.000Z
             */
            checkedAt: string;
            /** @description Whether new calls are accepted. */
            newCalls: {
                /** @description As `GET /readyz` says. */
                accepted: boolean;
                /** @description The error code of new calls while they are refused. */
                reason: ("draining" | "overloaded" | "insufficient_storage" | "database_lost" | "unavailable") | null;
                /** @description The same for people. */
                message: string;
            };
            /** @description The call slots of all workers of this node. */
            slots: {
                /** @description Calls that the workers can carry in their present state. */
                max: number;
                /** @description Calls that they carry. */
                active: number;
                /** @description Calls that were created and wait for their streams. */
                reserved: number;
            };
            /** @description The media workers that are connected. */
            workers: {
                /** @description One start of a media worker. */
                id: string;
                /**
                 * @description Which calls it carries: `webrtc` those of browsers by WebRTC alone, `media` all others.
                 * @enum {string}
                 */
                role: "media" | "webrtc";
                /** @description It listens and does not drain. */
                acceptsCalls: boolean;
                /** @description Calls that it carries. */
                calls: number;
                /** @description Calls that it can carry (`CALLS_PER_WORKER`). */
                callsMax: number;
                /** @description The delay of its event loop, the 99th percentile of the last seconds. */
                loopDelayMs: number;
            }[];
            /** @description Workers that did not say within half a second which circuit breakers are open. */
            silentWorkers: number;
            /** @description The configured providers, as the workers see them. */
            providers: {
                /**
                 * @description What it is used for.
                 * @enum {string}
                 */
                stage: "stt" | "llm" | "tts";
                /** @example openai */
                provider: string;
                /**
                 * @description `open`: it has failed repeatedly in at least one worker, whose calls use the fallbacks until a probe succeeds.
                 * @enum {string}
                 */
                circuitBreaker: "closed" | "open";
                /** @description In how many workers it is open. */
                openInWorkers: number;
                /** @description How often it has responded to calls, since the workers started. */
                answers: number;
                /** @description How often it has failed since then, also where a retry or a fallback made up for it. */
                failures: number;
                /** @description How long it takes to respond: half of its responses took less. STT: from the caller's last voiced frame to the final transcript. LLM, TTS: from the request to the first content. An estimate, from a histogram; null without responses. */
                medianDelayMs: number | null;
                /** @description The same of 95 % of its responses. STT: from the caller's last voiced frame to the final transcript. LLM, TTS: from the request to the first content. An estimate, from a histogram; null without responses. */
                p95DelayMs: number | null;
            }[];
            /** @description Background jobs, read at most 10 s ago; at most 100,000 of each are counted. */
            jobs: {
                /** @description Jobs that wait for their time or their turn. */
                waiting: number;
                /** @description Jobs in progress. */
                running: number;
                /** @description Jobs that have used up their attempts: `npm run admin -- jobs` lists them. */
                dead: number;
                /** @description For how long the job that is due the longest has waited. */
                oldestDueSeconds: number;
                /** @description The same by kind, of the kinds that have jobs, in the order of their names. */
                kinds: {
                    /** @example webhook.deliver */
                    kind: string;
                    /** @description Jobs that wait for their time or their turn. */
                    waiting: number;
                    /** @description Jobs in progress. */
                    running: number;
                    /** @description Jobs that have used up their attempts. */
                    dead: number;
                }[];
            };
            /** @description The disks of `DATA_DIR`. */
            disk: {
                /**
                 * @description `low`: new calls are refused.
                 * @enum {string}
                 */
                state: "ok" | "low" | "unknown";
                /** @description Of the fullest disk that the service writes to. */
                freeBytes: number | null;
                /** @description `DISK_FREE_MIN_MB` in bytes. */
                minFreeBytes: number;
            };
            /** @description Where calls and agents are stored. */
            database: {
                /** @enum {string} */
                kind: "sqlite" | "postgres";
                /**
                 * @description `lost`: it does not answer, and nothing is written.
                 * @enum {string}
                 */
                state: "ok" | "lost";
            };
            /** @description All nodes of the cluster, by name, as they were up to a second ago; empty in a service that is alone on its database. */
            nodes: {
                /**
                 * @description `NODE_NAME`.
                 * @example node-1
                 */
                name: string;
                /**
                 * @description `accepting`: it takes new calls where it has slots. `refusing`: it takes none at present. `draining`: it stops when its calls have ended. `gone`: its lease has ended, and other nodes record its calls.
                 * @enum {string}
                 */
                state: "accepting" | "refusing" | "draining" | "gone";
                /** @description Of its software. */
                version: string;
                /** @description `NODE_MEDIA_URL`; null where all nodes have one address. */
                mediaUrl: string | null;
                /** @description The call slots of its workers. */
                slots: {
                    /** @description Calls that the workers can carry in their present state. */
                    max: number;
                    /** @description Calls that they carry. */
                    active: number;
                    /** @description Calls that were created and wait for their streams. */
                    reserved: number;
                };
                /** @description It carries WebRTC calls. */
                webrtc: boolean;
                /** @description How long its calls are its own from now on; below 0 once the lease has ended. */
                leaseLeftMs: number;
                /** @description The node that has taken over its calls. */
                takenBy: string | null;
                /**
                 * Format: date-time
                 * @description When its control process started.
                 * @example 2026-11-21T08:00:00.000Z
                 */
                startedAt: string;
            }[];
            /** @description What is configured and what is missing; never a secret. */
            configuration: {
                /**
                 * @description A part of the configuration.
                 * @example speech recognition
                 */
                name: string;
                /**
                 * @description `ready`: it is configured. `missing`: calls with people need it, or it is unsafe without it. `optional`: it is not configured, and need not be.
                 * @enum {string}
                 */
                state: "ready" | "missing" | "optional";
                /** @description What it does at present, and which variable to set. */
                message: string;
                /**
                 * @description The environment variables that decide it, the one to set first.
                 * @example [
                 *       "STT"
                 *     ]
                 */
                variables: string[];
            }[];
        };
        /** @description The STT failed. */
        SttFailedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "stt-failed";
            /** @description Error code, also in the service's log. */
            code: string;
        };
        /** @description Final transcript of the utterance; empty where it had no words. */
        SttFinalEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "stt-final";
            /** @description Empty with `transcriptEnabled: false`. */
            text: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
            /** @description The language that the STT detected, where it reports one. */
            language?: string;
            /** @description How much later than its deadline it came, ms; absent where it came in time. */
            lateMs?: number;
            /** @description How sure the STT is that the caller's turn is over, 0 to 1; absent from STT without such a signal. */
            endOfTurn?: number;
        };
        /** @description Interim transcript of the utterance. An empty text answers `request-interim`: there are no words so far. */
        SttInterimEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "stt-interim";
            /** @description Empty with `transcriptEnabled: false`. */
            text: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
            /** @description The language that the STT detected, where it reports one. */
            language?: string;
            /** @description How sure the STT is that the caller's turn is over, 0 to 1; absent from STT without such a signal. */
            endOfTurn?: number;
        };
        /**
         * @description A call that a person of an emulated carrier begins.
         * @example {
         *       "from": "+12025550142",
         *       "to": "+12025550187"
         *     }
         */
        TestCall: {
            /** @description The number of the person, in E.164: by it and `to` the call is found in `GET /calls`. */
            from: string;
            /** @description The number that they call. */
            to: string;
        };
        /** @description A deadline of the call was reached. */
        TickEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "tick";
        };
        /**
         * @description A saved tool, without the values of its headers.
         * @example {
         *       "id": "tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "type": "http",
         *       "name": "order_status",
         *       "description": "Tells how far an order is.",
         *       "parameters": {
         *         "type": "object",
         *         "properties": {
         *           "order": {
         *             "type": "string"
         *           }
         *         },
         *         "required": [
         *           "order"
         *         ]
         *       },
         *       "timeoutMs": 5000,
         *       "readOnly": true,
         *       "idempotent": false,
         *       "whileRunning": "I am looking that up.",
         *       "http": {
         *         "method": "GET",
         *         "url": "https://api.example.com/orders/{order}",
         *         "headerNames": [
         *           "Authorization"
         *         ]
         *       },
         *       "mcp": null,
         *       "version": 1,
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "updatedAt": "2026-11-21T12:00:00.000Z"
         *     }
         */
        Tool: {
            /**
             * @description `tool_` and a UUIDv7.
             * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @enum {string} */
            type: "http" | "client" | "mcp";
            name: string;
            description: string | null;
            parameters: {
                [key: string]: unknown;
            } | null;
            http: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                url: string;
                /** @description Their values are not shown again. */
                headerNames: string[];
            } | null;
            mcp: {
                url: string;
                /** @description Their values are not shown again. */
                headerNames: string[];
                allowedTools: string[] | null;
                /** @description The tools that calls get. */
                toolNames: string[];
                /** @description Tools of the server that calls do not get, the first 50. `malformed`: it is no tool of the protocol. `name`: its name is not 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`, or has a secret of the tool's headers in it. `built_in`: its name is that of a built-in tool. `duplicate`: the server lists another tool of the same name before it. `schema`: its schema is too long, too deep, has external references, or cannot be compiled in time. `too_many`: the server has too many tools, or their schemas are too long together: name some in `allowedTools`. */
                omittedTools: {
                    name: string;
                    /** @enum {string} */
                    reason: "malformed" | "name" | "built_in" | "duplicate" | "schema" | "too_many";
                }[];
                /**
                 * Format: date-time
                 * @description When the server was last asked for its tools. It is asked again when a call is created and the list is older than 60 s.
                 * @example 2026-11-21T08:00:00.000Z
                 */
                listedAt: string;
                /** @description Why it could not be asked again; the earlier list stays. */
                listFailure: string | null;
                tools: {
                    name: string;
                    description: string;
                    parameters: {
                        [key: string]: unknown;
                    };
                }[];
            } | null;
            timeoutMs: number;
            readOnly: boolean;
            idempotent: boolean;
            whileRunning: string | null;
            /** @description 1 for the first; goes up with every change. */
            version: number;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /**
         * @description What to change. A field that is given replaces the whole field, headers included; the rest stays.
         * @example {
         *       "timeoutMs": 8000,
         *       "whileRunning": null
         *     }
         */
        ToolChangesInput: {
            /**
             * @description For the LLM; of an MCP server for people alone. Need not be unique in the account, but in a call.
             * @example order_status
             */
            name?: string;
            /** @description For the LLM: what the tool does, and when to use it. */
            description?: string;
            /** @description A JSON Schema (2020-12) of the type `object`: the arguments that the LLM may choose. At most 8192 characters and 8 levels, without external references. The LLM's arguments are validated against it. */
            parameters?: {
                [key: string]: unknown;
            };
            http?: components["schemas"]["HttpToolInput"];
            mcp?: components["schemas"]["McpServerInput"];
            /** @description Timeout in milliseconds; after it the LLM is given a timeout error. */
            timeoutMs?: number;
            /** @description The tool changes nothing: the LLM may be given it where tools with effects are not offered, and it is sent again like an `idempotent` one. */
            readOnly?: boolean;
            /** @description Twice is as once: an HTTP tool is sent once more, within `timeoutMs`, when its server could not be reached or answered 502, 503 or 504. */
            idempotent?: boolean;
            /** @description As in `POST /tools`; null for the service's own phrase. */
            whileRunning?: string | null;
        };
        /** @description A tool of your own, for one call or the calls of one agent. */
        ToolDefinition: {
            /**
             * @description `http`: the service sends a request. `client`: the program at the other end of a raw WebSocket carries it out when it receives `toolCall`; only with `connectionType` `websocket` or `webrtc`.
             * @enum {string}
             */
            type: "http" | "client";
            /** @description Name of the tool for the LLM; unique within the call. */
            name: string;
            /** @description For the LLM: what the tool does, and when to use it. */
            description: string;
            /** @description A JSON Schema (2020-12) of the type `object`: the arguments that the LLM may choose. At most 8192 characters and 8 levels, without external references. The LLM's arguments are validated against it. */
            parameters: {
                [key: string]: unknown;
            };
            http?: components["schemas"]["HttpTool"];
            /** @description Timeout in milliseconds; after it the LLM is given a timeout error. */
            timeoutMs: number;
            /** @description The tool changes nothing: the LLM may be given it where tools with effects are not offered, and it is sent again like an `idempotent` one. */
            readOnly: boolean;
            /** @description Twice is as once: an HTTP tool is sent once more, within `timeoutMs`, when its server could not be reached or answered 502, 503 or 504. */
            idempotent: boolean;
            /**
             * @description What the agent says while the tool takes long, in place of the service's own phrase.
             * @example I am looking that up.
             */
            whileRunning?: string;
        };
        /** @default false */
        ToolDefinitionIdempotentInput: boolean;
        /** @description A tool of your own, for one call or the calls of one agent. */
        ToolDefinitionInput: {
            /**
             * @description `http`: the service sends a request. `client`: the program at the other end of a raw WebSocket carries it out when it receives `toolCall`; only with `connectionType` `websocket` or `webrtc`.
             * @enum {string}
             */
            type: "http" | "client";
            /** @description Name of the tool for the LLM; unique within the call. */
            name: string;
            /** @description For the LLM: what the tool does, and when to use it. */
            description: string;
            /** @description A JSON Schema (2020-12) of the type `object`: the arguments that the LLM may choose. At most 8192 characters and 8 levels, without external references. The LLM's arguments are validated against it. */
            parameters: {
                [key: string]: unknown;
            };
            http?: components["schemas"]["HttpToolInput"];
            /** @description Timeout in milliseconds; after it the LLM is given a timeout error. */
            timeoutMs?: components["schemas"]["ToolDefinitionTimeoutMsInput"];
            /** @description The tool changes nothing: the LLM may be given it where tools with effects are not offered, and it is sent again like an `idempotent` one. */
            readOnly?: components["schemas"]["ToolDefinitionReadOnlyInput"];
            /** @description Twice is as once: an HTTP tool is sent once more, within `timeoutMs`, when its server could not be reached or answered 502, 503 or 504. */
            idempotent?: components["schemas"]["ToolDefinitionIdempotentInput"];
            /**
             * @description What the agent says while the tool takes long, in place of the service's own phrase.
             * @example I am looking that up.
             */
            whileRunning?: string;
        };
        /** @default false */
        ToolDefinitionReadOnlyInput: boolean;
        /** @default 10000 */
        ToolDefinitionTimeoutMsInput: number;
        /** @description A tool call completed or failed; this is what the LLM is given. */
        ToolResultEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "tool-result";
            /** @description The reply; counted from 1. */
            turnId: number;
            /** @description The tool call: its `tool-result` has the same id. */
            toolCallId: string;
            /** @description Empty with `transcriptEnabled: false`. */
            result: string;
            failed: boolean;
            /** @description What `query_corpus` has found; absent from other tools. */
            retrieval?: {
                /** @description How long it took to find them, in milliseconds. */
                tookMs: number;
                /** @description The best first. */
                passages: components["schemas"]["PassageReference"][];
            };
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /**
         * @description One run of a saved tool, in a call that is over or in a test.
         * @example {
         *       "id": "tool_run_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e11",
         *       "source": "call",
         *       "callId": "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e12",
         *       "toolName": "order_status",
         *       "startedAt": "2026-11-21T12:00:04.210Z",
         *       "durationMs": 84,
         *       "failed": false,
         *       "arguments": "{\"order\":\"A-17\"}",
         *       "result": "{\"state\":\"on its way\"}"
         *     }
         */
        ToolRun: {
            id: string;
            /** @enum {string} */
            source: "call" | "test";
            callId: string | null;
            /** @description The tool that ran: of an MCP server one of its tools. */
            toolName: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            startedAt: string;
            /** @description Null when the call ended first, as is `failed`. */
            durationMs: number | null;
            failed: boolean | null;
            /** @description JSON of the arguments, and what the LLM was given, each cut after 2000 characters; null where the call stores no words, and once its transcript was deleted. */
            arguments: string | null;
            result: string | null;
        };
        /** @description A secret for headers of HTTP tools, without its text. */
        ToolSecret: {
            /**
             * @description `tool_secret_` and a UUIDv7.
             * @example tool_secret_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /**
             * @description Its name in headers of HTTP tools: `{{NAME}}`.
             * @example SHOP_TOKEN
             */
            name: string;
            /** @description The servers that may receive it. */
            hosts: string[];
            /**
             * @description The end of the secret, to tell it from others; empty for one of fewer than 16 characters.
             * @example cdef
             */
            lastCharacters: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
        };
        /**
         * @description A saved tool as lists show it: of an MCP server the names of its tools.
         * @example {
         *       "id": "tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "type": "http",
         *       "name": "order_status",
         *       "description": "Tells how far an order is.",
         *       "parameters": {
         *         "type": "object",
         *         "properties": {
         *           "order": {
         *             "type": "string"
         *           }
         *         },
         *         "required": [
         *           "order"
         *         ]
         *       },
         *       "timeoutMs": 5000,
         *       "readOnly": true,
         *       "idempotent": false,
         *       "whileRunning": "I am looking that up.",
         *       "http": {
         *         "method": "GET",
         *         "url": "https://api.example.com/orders/{order}",
         *         "headerNames": [
         *           "Authorization"
         *         ]
         *       },
         *       "mcp": null,
         *       "version": 1,
         *       "createdAt": "2026-11-21T12:00:00.000Z",
         *       "updatedAt": "2026-11-21T12:00:00.000Z"
         *     }
         */
        ToolSummary: {
            /**
             * @description `tool_` and a UUIDv7.
             * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @enum {string} */
            type: "http" | "client" | "mcp";
            name: string;
            description: string | null;
            parameters: {
                [key: string]: unknown;
            } | null;
            http: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                url: string;
                /** @description Their values are not shown again. */
                headerNames: string[];
            } | null;
            mcp: {
                url: string;
                /** @description Their values are not shown again. */
                headerNames: string[];
                allowedTools: string[] | null;
                /** @description The tools that calls get. */
                toolNames: string[];
                /** @description Tools of the server that calls do not get, the first 50. `malformed`: it is no tool of the protocol. `name`: its name is not 1 to 64 of the characters A-Z, a-z, 0-9, `_` and `-`, or has a secret of the tool's headers in it. `built_in`: its name is that of a built-in tool. `duplicate`: the server lists another tool of the same name before it. `schema`: its schema is too long, too deep, has external references, or cannot be compiled in time. `too_many`: the server has too many tools, or their schemas are too long together: name some in `allowedTools`. */
                omittedTools: {
                    name: string;
                    /** @enum {string} */
                    reason: "malformed" | "name" | "built_in" | "duplicate" | "schema" | "too_many";
                }[];
                /**
                 * Format: date-time
                 * @description When the server was last asked for its tools. It is asked again when a call is created and the list is older than 60 s.
                 * @example 2026-11-21T08:00:00.000Z
                 */
                listedAt: string;
                /** @description Why it could not be asked again; the earlier list stays. */
                listFailure: string | null;
            } | null;
            timeoutMs: number;
            readOnly: boolean;
            idempotent: boolean;
            whileRunning: string | null;
            /** @description 1 for the first; goes up with every change. */
            version: number;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /** @default {} */
        ToolTestArgumentsInput: {
            [key: string]: unknown;
        };
        /**
         * @description What to run a saved tool with.
         * @example {
         *       "arguments": {
         *         "order": "A-17"
         *       }
         *     }
         */
        ToolTestInput: {
            /** @description The arguments, as the LLM would choose them. */
            arguments?: components["schemas"]["ToolTestArgumentsInput"];
            /**
             * @description Which tool of an MCP server to run; absent for other types.
             * @example search_orders
             */
            toolName?: string;
        };
        /**
         * @description What a test of a saved tool led to.
         * @example {
         *       "runId": "tool_run_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e11",
         *       "request": {
         *         "method": "GET",
         *         "url": "https://api.example.com/orders/A-17",
         *         "headers": {
         *           "Authorization": "Bearer ***"
         *         },
         *         "body": null
         *       },
         *       "response": {
         *         "status": 200
         *       },
         *       "result": "{\"state\":\"on its way\"}",
         *       "failed": false,
         *       "fault": null,
         *       "durationMs": 84
         *     }
         */
        ToolTestResult: {
            runId: string;
            /** @description The request, with `***` in place of secrets; null when nothing was sent. */
            request: {
                method: string;
                url: string;
                headers: {
                    [key: string]: string;
                };
                body: string | null;
            } | null;
            /** @description Null when there was none. */
            response: {
                /** @description Of HTTP; null for a result of an MCP server. */
                status: number | null;
            } | null;
            /** @description What the LLM would be given, before it is cut. */
            result: string;
            failed: boolean;
            /** @description What went wrong: the `code` of the log line `tool call failed`. */
            fault: ("arguments" | "busy" | "timeout" | "address_refused" | "unreachable" | "secret_refused" | "status" | "too_large" | "unreadable" | "protocol" | "server" | "client" | "internal") | null;
            durationMs: number;
        };
        /**
         * @description A transcription with its result. Unknown values are null.
         * @example {
         *       "id": "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "status": "processing",
         *       "source": "upload",
         *       "callId": null,
         *       "url": null,
         *       "fileName": "meeting.mp3",
         *       "options": {
         *         "language": "auto",
         *         "channels": "mix",
         *         "timestamps": "word",
         *         "speakers": false,
         *         "vocabulary": [
         *           "Lario’s"
         *         ],
         *         "redact": []
         *       },
         *       "metadata": {
         *         "meeting": "A-17"
         *       },
         *       "deleteAudio": false,
         *       "hasAudio": true,
         *       "progress": {
         *         "doneSeconds": 1.2,
         *         "durationSeconds": 2.5
         *       },
         *       "failure": null,
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "startedAt": "2026-11-21T08:00:00.200Z",
         *       "endedAt": null,
         *       "resultDeletedAt": null,
         *       "usage": null,
         *       "cost": null,
         *       "result": null
         *     }
         * @example {
         *       "id": "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "status": "completed",
         *       "source": "upload",
         *       "callId": null,
         *       "url": null,
         *       "fileName": "meeting.mp3",
         *       "options": {
         *         "language": "auto",
         *         "channels": "mix",
         *         "timestamps": "word",
         *         "speakers": false,
         *         "vocabulary": [
         *           "Lario’s"
         *         ],
         *         "redact": []
         *       },
         *       "metadata": {
         *         "meeting": "A-17"
         *       },
         *       "deleteAudio": false,
         *       "hasAudio": true,
         *       "progress": {
         *         "doneSeconds": 2.5,
         *         "durationSeconds": 2.5
         *       },
         *       "failure": null,
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "startedAt": "2026-11-21T08:00:00.200Z",
         *       "endedAt": "2026-11-21T08:00:01.400Z",
         *       "resultDeletedAt": null,
         *       "usage": [
         *         {
         *           "provider": "deepgram",
         *           "model": "nova-3",
         *           "audioSeconds": 2.5,
         *           "cost": 0.000179167
         *         }
         *       ],
         *       "cost": {
         *         "currency": "USD",
         *         "total": 0.000179167,
         *         "complete": true
         *       },
         *       "result": {
         *         "text": "good evening",
         *         "language": "en",
         *         "durationMs": 2500,
         *         "channels": 1,
         *         "utterances": [
         *           {
         *             "text": "good evening",
         *             "startMs": 100,
         *             "endMs": 800,
         *             "channel": 0
         *           }
         *         ],
         *         "words": [
         *           {
         *             "text": "good",
         *             "startMs": 100,
         *             "endMs": 300,
         *             "confidence": 0.98,
         *             "channel": 0
         *           },
         *           {
         *             "text": "evening",
         *             "startMs": 350,
         *             "endMs": 800,
         *             "confidence": 0.97,
         *             "channel": 0
         *           }
         *         ],
         *         "hasEstimatedTimes": false,
         *         "parts": [
         *           {
         *             "channel": 0,
         *             "startMs": 0,
         *             "endMs": 2500,
         *             "provider": "deepgram",
         *             "requests": 1,
         *             "usage": [
         *               {
         *                 "provider": "deepgram",
         *                 "model": "nova-3",
         *                 "audioSeconds": 2.5
         *               }
         *             ]
         *           }
         *         ]
         *       }
         *     }
         */
        Transcription: {
            /**
             * @description `transcription_` and a UUIDv7.
             * @example transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /**
             * @description `queued`: it waits. `processing`: `progress` says how far it is. `completed`: its result can be read. `failed`: `failure` says why. `cancelled`: by `cancelTranscription`.
             * @enum {string}
             */
            status: "queued" | "processing" | "completed" | "failed" | "cancelled";
            /**
             * @description Where its audio comes from.
             * @enum {string}
             */
            source: "upload" | "url" | "call" | "live";
            /** @description The call whose recording is transcribed; it may be deleted since. */
            callId: string | null;
            /** @description Where the audio is fetched. */
            url: string | null;
            /**
             * @description Of the uploaded file, as the client gave it.
             * @example meeting.mp3
             */
            fileName: string | null;
            /** @description As in the request, with defaults. */
            options: {
                /** @description A code of `GET /languages`, or `auto`. */
                language: string;
                /** @enum {string} */
                channels: "mix" | "separate";
                /** @enum {string} */
                timestamps: "word" | "segment";
                speakers: boolean;
                vocabulary: string[];
                redact: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
            };
            /** @description As in the request. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description As in the request. */
            deleteAudio: boolean;
            /** @description False once its audio is deleted, and for live transcriptions. */
            hasAudio: boolean;
            progress: {
                /** @description How much of the audio is transcribed. */
                doneSeconds: number;
                /** @description How much there is; null while that is not known. */
                durationSeconds: number | null;
            };
            /** @description Why it has failed. */
            failure: {
                /** @description Stable code for programs. */
                code: string;
                message: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            startedAt: string | null;
            endedAt: string | null;
            /** @description When retention deleted the result. */
            resultDeletedAt: string | null;
            /** @description What its requests used, by provider, those that failed included. Null before the end. */
            usage: {
                /** @example deepgram */
                provider: string;
                /** @description Present when the provider has several models. */
                model?: string;
                /** @description Audio sent to it. */
                audioSeconds?: number;
                inputTokens?: number;
                outputTokens?: number;
                characters?: number;
                /**
                 * @description Estimated: the provider does not report it.
                 * @constant
                 */
                approximate?: true;
                /** @description Null when the service has no price for it. */
                cost: number | null;
            }[] | null;
            /** @description With the service's present prices; null before the end, and when it has none. */
            cost: {
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /** @description Sum of all items that have a price. */
                total: number;
                /** @description False when an item of `usage` has no price. */
                complete: boolean;
            } | null;
            result: components["schemas"]["TranscriptionResult"];
        };
        /** @description What was said. Null before it is complete and once it is deleted. */
        TranscriptionResult: {
            text: string;
            /** @description The language that was asked for, or the one that most of the audio is in. */
            language: string;
            durationMs: number;
            channels: number;
            utterances: {
                text: string;
                /** @description Its start, in ms from the beginning of the audio. */
                startMs: number;
                /** @description Its end, in ms from the beginning of the audio. */
                endMs: number;
                /** @description From 0; always 0 with `channels: mix`. */
                channel: number;
                /** @description From 0; only where speakers were asked for. */
                speaker?: number;
            }[];
            /** @description In the order of their start, then of their channel; empty with `timestamps: segment`. */
            words: {
                text: string;
                /** @description Its start, in ms from the beginning of the audio. */
                startMs: number;
                /** @description Its end, in ms from the beginning of the audio. */
                endMs: number;
                /** @description 0 to 1; absent from providers that give none. */
                confidence?: number;
                /** @description From 0; always 0 with `channels: mix`. */
                channel: number;
                /** @description From 0; only where speakers were asked for. */
                speaker?: number;
            }[];
            /** @description The times of words are estimates: the provider gives none. */
            hasEstimatedTimes: boolean;
            /** @description The stretches of audio that were transcribed, by which provider, and what that used. */
            parts: {
                /** @description From 0; always 0 with `channels: mix`. */
                channel: number;
                /** @description Its start, in ms from the beginning of the audio. */
                startMs: number;
                /** @description Its end, in ms from the beginning of the audio. */
                endMs: number;
                /** @example deepgram */
                provider: string;
                /** @description How often a provider was asked, failed attempts included. */
                requests: number;
                usage: {
                    /** @example deepgram */
                    provider: string;
                    /** @description Present when the provider has several models. */
                    model?: string;
                    /** @description Audio sent to it. */
                    audioSeconds?: number;
                    inputTokens?: number;
                    outputTokens?: number;
                    characters?: number;
                    /**
                     * @description Estimated: the provider does not report it.
                     * @constant
                     */
                    approximate?: true;
                }[];
            }[];
        } | null;
        /**
         * @description A transcription, without its result. Unknown values are null.
         * @example {
         *       "id": "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "status": "processing",
         *       "source": "upload",
         *       "callId": null,
         *       "url": null,
         *       "fileName": "meeting.mp3",
         *       "options": {
         *         "language": "auto",
         *         "channels": "mix",
         *         "timestamps": "word",
         *         "speakers": false,
         *         "vocabulary": [
         *           "Lario’s"
         *         ],
         *         "redact": []
         *       },
         *       "metadata": {
         *         "meeting": "A-17"
         *       },
         *       "deleteAudio": false,
         *       "hasAudio": true,
         *       "progress": {
         *         "doneSeconds": 1.2,
         *         "durationSeconds": 2.5
         *       },
         *       "failure": null,
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "startedAt": "2026-11-21T08:00:00.200Z",
         *       "endedAt": null,
         *       "resultDeletedAt": null,
         *       "usage": null,
         *       "cost": null
         *     }
         * @example {
         *       "id": "transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "status": "completed",
         *       "source": "upload",
         *       "callId": null,
         *       "url": null,
         *       "fileName": "meeting.mp3",
         *       "options": {
         *         "language": "auto",
         *         "channels": "mix",
         *         "timestamps": "word",
         *         "speakers": false,
         *         "vocabulary": [
         *           "Lario’s"
         *         ],
         *         "redact": []
         *       },
         *       "metadata": {
         *         "meeting": "A-17"
         *       },
         *       "deleteAudio": false,
         *       "hasAudio": true,
         *       "progress": {
         *         "doneSeconds": 2.5,
         *         "durationSeconds": 2.5
         *       },
         *       "failure": null,
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "startedAt": "2026-11-21T08:00:00.200Z",
         *       "endedAt": "2026-11-21T08:00:01.400Z",
         *       "resultDeletedAt": null,
         *       "usage": [
         *         {
         *           "provider": "deepgram",
         *           "model": "nova-3",
         *           "audioSeconds": 2.5,
         *           "cost": 0.000179167
         *         }
         *       ],
         *       "cost": {
         *         "currency": "USD",
         *         "total": 0.000179167,
         *         "complete": true
         *       }
         *     }
         */
        TranscriptionSummary: {
            /**
             * @description `transcription_` and a UUIDv7.
             * @example transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /**
             * @description `queued`: it waits. `processing`: `progress` says how far it is. `completed`: its result can be read. `failed`: `failure` says why. `cancelled`: by `cancelTranscription`.
             * @enum {string}
             */
            status: "queued" | "processing" | "completed" | "failed" | "cancelled";
            /**
             * @description Where its audio comes from.
             * @enum {string}
             */
            source: "upload" | "url" | "call" | "live";
            /** @description The call whose recording is transcribed; it may be deleted since. */
            callId: string | null;
            /** @description Where the audio is fetched. */
            url: string | null;
            /**
             * @description Of the uploaded file, as the client gave it.
             * @example meeting.mp3
             */
            fileName: string | null;
            /** @description As in the request, with defaults. */
            options: {
                /** @description A code of `GET /languages`, or `auto`. */
                language: string;
                /** @enum {string} */
                channels: "mix" | "separate";
                /** @enum {string} */
                timestamps: "word" | "segment";
                speakers: boolean;
                vocabulary: string[];
                redact: ("card_number" | "phone_number" | "email" | "national_id" | "variables")[];
            };
            /** @description As in the request. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description As in the request. */
            deleteAudio: boolean;
            /** @description False once its audio is deleted, and for live transcriptions. */
            hasAudio: boolean;
            progress: {
                /** @description How much of the audio is transcribed. */
                doneSeconds: number;
                /** @description How much there is; null while that is not known. */
                durationSeconds: number | null;
            };
            /** @description Why it has failed. */
            failure: {
                /** @description Stable code for programs. */
                code: string;
                message: string;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            startedAt: string | null;
            endedAt: string | null;
            /** @description When retention deleted the result. */
            resultDeletedAt: string | null;
            /** @description What its requests used, by provider, those that failed included. Null before the end. */
            usage: {
                /** @example deepgram */
                provider: string;
                /** @description Present when the provider has several models. */
                model?: string;
                /** @description Audio sent to it. */
                audioSeconds?: number;
                inputTokens?: number;
                outputTokens?: number;
                characters?: number;
                /**
                 * @description Estimated: the provider does not report it.
                 * @constant
                 */
                approximate?: true;
                /** @description Null when the service has no price for it. */
                cost: number | null;
            }[] | null;
            /** @description With the service's present prices; null before the end, and when it has none. */
            cost: {
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /** @description Sum of all items that have a price. */
                total: number;
                /** @description False when an item of `usage` has no price. */
                complete: boolean;
            } | null;
        };
        /** @description The caller is transferred, and the call ends. Where the service controls the telephone call, this is a request to the carrier: `transfer-started` or `transfer-refused` follows. */
        TransferCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "transfer";
            /** @description Transfer target. Empty with `transcriptEnabled: false`. */
            target: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description The transfer led to nothing: the agent says so, on the stream that is there or on the next one. */
        TransferFailedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "transfer-failed";
            /** @description Transfer target. Empty with `transcriptEnabled: false`. */
            target: string;
            /**
             * @description `refused`: the service or the carrier does not call this target. `failed`: it could not be connected for another reason.
             * @enum {string}
             */
            outcome: "busy" | "no_answer" | "refused" | "failed";
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description The transfer that the agent asked for is not carried out; `text` is the reason for the LLM. The conversation goes on. */
        TransferRefusedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "transfer-refused";
            /** @description Empty with `transcriptEnabled: false`. */
            text: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /**
         * @description Where the caller goes.
         * @example {
         *       "target": "+12025550199"
         *     }
         */
        TransferRequestInput: {
            /**
             * @description A number in E.164, within the same rules as those of `POST /phone-calls`, or a SIP address.
             * @example +12025550199
             * @example sip:desk@example.com
             */
            target: string;
        };
        /** @description The carrier is about to ring the target of a transfer. The agent is silent until the transfer is over, and the stream may be lost meanwhile. */
        TransferStartedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "transfer-started";
            /** @description Transfer target. Empty with `transcriptEnabled: false`. */
            target: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /**
         * @description One side's uninterrupted contribution.
         * @example {
         *       "role": "agent",
         *       "text": "We are open from eight",
         *       "startMs": 5400,
         *       "endMs": 7020,
         *       "interrupted": true,
         *       "latency": {
         *         "finalTranscriptMs": 310,
         *         "endOfTurnMs": 520,
         *         "retrievalMs": 520,
         *         "llmRequestedMs": 520,
         *         "firstTextMs": 640,
         *         "firstSegmentMs": 690,
         *         "firstAudioMs": 760,
         *         "firstFrameMs": 780
         *       },
         *       "retrieval": {
         *         "tookMs": 12,
         *         "passages": [
         *           {
         *             "corpusId": "cor_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e57",
         *             "documentId": "doc_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e58",
         *             "documentName": "Opening hours.pdf",
         *             "page": 1,
         *             "ordinal": 0,
         *             "score": 7.4
         *           }
         *         ]
         *       }
         *     }
         */
        Turn: {
            /** @enum {string} */
            role: "agent" | "user";
            /** @description What was said; of an interrupted reply, what the caller heard. Absent with `transcriptEnabled: false`. */
            text?: string;
            /** @description Milliseconds since the media stream connected. */
            startMs: number;
            /** @description Milliseconds since the media stream connected. */
            endMs: number;
            /** @description Interrupted by the other side or by the end of the call. */
            interrupted: boolean;
            /**
             * @description The end of `text` is an estimate: the TTS gives no word timestamps, or the connection was lost before playout was confirmed.
             * @constant
             */
            approximate?: true;
            /** @description Latency of the reply. Absent for turns that answer nothing, such as a greeting. */
            latency?: {
                /** @description Final transcript of the STT; 0 where it came earlier, absent where the reply was started without it; milliseconds since the caller's last voiced frame. */
                finalTranscriptMs?: number;
                /** @description End of the caller's turn was decided; milliseconds since the caller's last voiced frame. */
                endOfTurnMs: number;
                /** @description Passages for the reply were there, or were waited for no longer; absent where none are fetched for every turn; milliseconds since the caller's last voiced frame. */
                retrievalMs?: number;
                /** @description LLM request that produced the first text (the last one, after tool calls); milliseconds since the caller's last voiced frame. */
                llmRequestedMs?: number;
                /** @description First text of the LLM. Absent for replies without an LLM; milliseconds since the caller's last voiced frame. */
                firstTextMs?: number;
                /** @description First segment handed to the TTS; milliseconds since the caller's last voiced frame. */
                firstSegmentMs?: number;
                /** @description First audio of the TTS; milliseconds since the caller's last voiced frame. */
                firstAudioMs: number;
                /** @description First frame of the reply sent; milliseconds since the caller's last voiced frame. */
                firstFrameMs: number;
            };
            /** @description The passages of corpora that the LLM was given for the reply, and the longest time in which some were found. Absent where none was asked. */
            retrieval?: {
                /** @description How long it took to find them, in milliseconds. */
                tookMs: number;
                /** @description The best first. */
                passages: components["schemas"]["PassageReference"][];
            };
        };
        /** @description A turn of the transcript is complete. */
        TurnCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "turn";
            turn: components["schemas"]["Turn"];
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description The caller's turn is over, and is answered. Until the answer is audible, further words reopen the turn: `cancel-reply` with `words` and without `clear` follows. */
        TurnEndedCommand: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "command";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "turn-ended";
            /** @description The pause from the last voiced frame until now, in milliseconds. */
            pauseMs: number;
            /** @description The pause that was decided on, in milliseconds. */
            waitMs: number;
            /** @description How probable it is that the turn is over, 0 to 1. */
            probability: number;
            /**
             * @description What weighed most. `waited for words`: the words of the last speech came later than `waitMs`.
             * @example [
             *       "provider 0.92",
             *       "question"
             *     ]
             */
            reasons: string[];
            /**
             * @description The same as one line.
             * @example answered after 180 ms: provider 0.92, question
             */
            summary: string;
        };
        /** @description The local turn model has judged the pause. */
        TurnModelEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "turn-model";
            /** @description How sure it is that the caller's turn is over, 0 to 1. */
            probability: number;
        };
        /** @description The caller typed text. */
        TypedEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "typed";
            /** @description Empty with `transcriptEnabled: false`. */
            text: string;
            /** @description Length of the omitted text in UTF-16 units. */
            chars?: number;
        };
        /** @description The usage by groups, in the order of day, agent and provider. */
        Usage: {
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            to: string;
            data: components["schemas"]["UsageGroup"][];
        };
        UsageGroup: {
            /**
             * @description The UTC day of the end of the calls and transcriptions.
             * @example 2026-01-31
             */
            day?: string;
            /** @description Null for calls that were created without an agent, and for transcriptions. */
            agentId?: string | null;
            /** @example openai */
            provider?: string;
            /** @description Calls that had a stream; by provider, those that used it. */
            calls: number;
            /** @description Of these calls, from the beginning of each stream to its end. */
            minutes: number;
            /** @description Of files and live streams that used a provider; by provider, those that used it. */
            transcriptions: number;
            /** @description Of the audio of these transcriptions. */
            transcribedMinutes: number;
            /** @description What has a price, in each currency in which prices were configured; mostly one, or none. Of transcriptions by the present prices. */
            costs: {
                /** @example USD */
                currency: string;
                total: number;
            }[];
            /** @description Whether all that was used has a price. */
            costComplete: boolean;
        };
        /**
         * @description A person of the account.
         * @example {
         *       "id": "user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "email": "kim@example.com",
         *       "name": "Kim Miller",
         *       "role": "editor",
         *       "status": "invited",
         *       "lastSignInAt": null,
         *       "createdAt": "2026-11-20T08:00:00.000Z",
         *       "updatedAt": "2026-11-20T08:00:00.000Z"
         *     }
         */
        User: {
            /**
             * @description `user_` and a UUIDv7.
             * @example user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description In lower case; an account has it once. */
            email: string;
            /** @description What the person is called. */
            name: string;
            /**
             * @description What the person may do.
             * @enum {string}
             */
            role: "owner" | "editor" | "viewer";
            /**
             * @description `invited` until the person has set a password.
             * @enum {string}
             */
            status: "invited" | "active";
            /** @description When the person last signed in; null before the first time. */
            lastSignInAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the name, the role or the password was last changed.
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /**
         * @description What to change; the rest stays.
         * @example {
         *       "role": "viewer"
         *     }
         */
        UserChangesInput: {
            /**
             * @description What the person is called.
             * @example Kim Miller
             */
            name?: string;
            /**
             * @description What the person may do. `owner`: everything, also people, API keys and the audit log. `editor`: all but `admin`. `viewer`: reading, but not what needs `admin`.
             * @example editor
             * @enum {string}
             */
            role?: "owner" | "editor" | "viewer";
        };
        /**
         * @description A person with a one-time link.
         * @example {
         *       "id": "user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "email": "kim@example.com",
         *       "name": "Kim Miller",
         *       "role": "editor",
         *       "status": "invited",
         *       "lastSignInAt": null,
         *       "createdAt": "2026-11-20T08:00:00.000Z",
         *       "updatedAt": "2026-11-20T08:00:00.000Z",
         *       "link": {
         *         "kind": "invitation",
         *         "url": "https://phone.example.com/dashboard/accept#tll_ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGfKi4oPq1NzYE",
         *         "expiresAt": "2026-11-23T08:00:00.000Z"
         *       }
         *     }
         */
        UserWithLink: {
            /**
             * @description `user_` and a UUIDv7.
             * @example user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** @description In lower case; an account has it once. */
            email: string;
            /** @description What the person is called. */
            name: string;
            /**
             * @description What the person may do.
             * @enum {string}
             */
            role: "owner" | "editor" | "viewer";
            /**
             * @description `invited` until the person has set a password.
             * @enum {string}
             */
            status: "invited" | "active";
            /** @description When the person last signed in; null before the first time. */
            lastSignInAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the name, the role or the password was last changed.
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
            /** @description The one-time link by which the person sets a password. */
            link: {
                /**
                 * @description Whether it sets the first password or another one.
                 * @enum {string}
                 */
                kind: "invitation" | "reset";
                /** @description For the person alone. It is not shown again. */
                url: string;
                /**
                 * Format: date-time
                 * @description Until when it works: 72 hours for an invitation, one hour for a reset.
                 * @example 2026-11-21T08:00:00.000Z
                 */
                expiresAt: string;
            };
        };
        Voice: {
            /**
             * @description Stable across restarts.
             * @example espeak/gmw/en-US
             */
            id: string;
            /**
             * @description Display name; need not be unique.
             * @example English (America)
             */
            name: string;
            /**
             * @description BCP 47.
             * @example en-US
             */
            language: string;
            /** @example espeak */
            provider: string;
        };
        /** @description The voice of the agent was selected anew because the language of the call changed. */
        VoiceChosenEvent: {
            /**
             * @description Milliseconds since the media stream connected.
             * @example 5240
             */
            atMs: number;
            /** @constant */
            source: "event";
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "voice-chosen";
            /** @description The requested language. */
            language: string;
            /** @description An id from `GET /voices`. */
            voiceId: string;
            /** @description False where no voice speaks the language; the previous voice then stays. */
            supportsLanguage: boolean;
        };
        /**
         * @description How loud both sides of a recording are over its time.
         * @example {
         *       "bucketMs": 500,
         *       "caller": [
         *         0,
         *         0,
         *         9104,
         *         12870,
         *         310
         *       ],
         *       "agent": [
         *         8212,
         *         15022,
         *         204,
         *         0,
         *         7790
         *       ]
         *     }
         */
        Waveform: {
            /** @description The length of a bucket in milliseconds, of all of them alike. */
            bucketMs: number;
            /** @description The largest amplitude of the caller in each bucket, 0 to 32767. */
            caller: number[];
            /** @description The largest amplitude of the agent in each bucket, 0 to 32767. */
            agent: number[];
        };
        /**
         * @description Where events are sent.
         * @example {
         *       "id": "webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "url": "https://example.com/hooks/trunkline",
         *       "description": "billing",
         *       "eventTypes": [
         *         "call.ended"
         *       ],
         *       "enabled": true,
         *       "disabledReason": null,
         *       "failingSince": null,
         *       "previousSecretUntil": null,
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "updatedAt": "2026-11-21T08:00:00.000Z"
         *     }
         */
        Webhook: {
            /**
             * @description `webhook_` and a UUIDv7.
             * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** Format: uri */
            url: string;
            description: string;
            eventTypes: ("call.created" | "call.started" | "call.ended" | "call.expired" | "recording.ready" | "tool.failed" | "transcription.completed" | "transcription.failed" | "document.ready" | "document.failed" | "webhook.disabled")[];
            enabled: boolean;
            /** @description Why it gets no events: `client`, it was disabled by a request; `gone`, its endpoint answered 410; `failing`, its endpoint has failed for days. Enable it with `PATCH`, then replay what failed. `secret_lost`, the service lost the key that sealed its secret, and made a new one: rotate the secret and give it to the endpoint first. */
            disabledReason: ("client" | "gone" | "failing" | "secret_lost") | null;
            /** @description Since when no attempt has succeeded. */
            failingSince: string | null;
            /** @description Until when messages are signed with the previous secret, too. */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
        };
        /**
         * @description What to change; the rest stays.
         * @example {
         *       "enabled": true
         *     }
         */
        WebhookChangesInput: {
            /**
             * @description Where events are sent: an address of the public internet. It is looked up at every attempt; a private address is refused.
             * @example https://example.com/hooks/trunkline
             */
            url?: string;
            /**
             * @description The types of events to send: `call.created`: a call was created and waits for its media stream. `call.started`: the media stream of a call has connected. `call.ended`: a call is over, and its record and transcript are complete; the event has all of it. `call.expired`: a call was created, and its media stream did not connect in time. `recording.ready`: the recording of a call can be downloaded. `tool.failed`: a tool of a call has failed; sent when the call is over, at most 20 a call. `transcription.completed`: a transcription is complete; the event has its text. `transcription.failed`: a transcription has failed; the event says why. `document.ready`: a document of a corpus is processed: its text is found from now on. `document.failed`: a document of a corpus could not be processed; the event says why. `webhook.disabled`: another webhook of the account was disabled, because its endpoint fails or is gone, or its secret was lost.
             * @example [
             *       "call.ended",
             *       "recording.ready"
             *     ]
             */
            eventTypes?: ("call.created" | "call.started" | "call.ended" | "call.expired" | "recording.ready" | "tool.failed" | "transcription.completed" | "transcription.failed" | "document.ready" | "document.failed" | "webhook.disabled")[];
            /**
             * @description What it is for.
             * @example billing
             */
            description?: string;
            /** @description False: it gets no events. */
            enabled?: boolean;
        };
        /**
         * @description One event for one webhook.
         * @example {
         *       "id": "delivery_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a",
         *       "eventId": "event_019aa5c8-6a10-7d3e-9c41-3b8f6a2d7e10",
         *       "eventType": "call.ended",
         *       "callId": "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "status": "delivered",
         *       "attempts": 1,
         *       "createdAt": "2026-11-21T08:03:20.000Z",
         *       "lastAttemptAt": "2026-11-21T08:03:20.050Z",
         *       "nextAttemptAt": null,
         *       "answer": {
         *         "status": 204,
         *         "excerpt": "",
         *         "tookMs": 31
         *       }
         *     }
         */
        WebhookDelivery: {
            /**
             * @description `delivery_` and a UUIDv7.
             * @example delivery_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a
             */
            id: string;
            /** @description The `webhook-id` of the message, the same in every attempt. */
            eventId: string;
            /** @enum {string} */
            eventType: "call.created" | "call.started" | "call.ended" | "call.expired" | "recording.ready" | "tool.failed" | "transcription.completed" | "transcription.failed" | "document.ready" | "document.failed" | "webhook.disabled";
            /** @description The call that the event is about. */
            callId: string | null;
            /**
             * @description `pending`: it is sent, or sent again, at `nextAttemptAt`. `delivered`: an attempt was answered with a status of 2xx. `failed`: it is not sent again, until it is replayed.
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            lastAttemptAt: string | null;
            nextAttemptAt: string | null;
            /** @description Of the last attempt. */
            answer: {
                /** @description Null where there was no answer. */
                status: number | null;
                /** @description The start of the answer, or why there was none. */
                excerpt: string;
                tookMs: number;
            } | null;
        };
        /**
         * @description One event for one webhook, with the body of its message.
         * @example {
         *       "id": "delivery_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a",
         *       "eventId": "event_019aa5c8-6a10-7d3e-9c41-3b8f6a2d7e10",
         *       "eventType": "call.created",
         *       "callId": "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "status": "delivered",
         *       "attempts": 1,
         *       "createdAt": "2026-11-21T08:03:20.000Z",
         *       "lastAttemptAt": "2026-11-21T08:03:20.050Z",
         *       "nextAttemptAt": null,
         *       "answer": {
         *         "status": 204,
         *         "excerpt": "",
         *         "tookMs": 31
         *       },
         *       "message": {
         *         "type": "call.created",
         *         "timestamp": "2026-11-21T08:03:20.000Z",
         *         "data": {
         *           "call": {
         *             "id": "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *             "status": "created"
         *           }
         *         }
         *       },
         *       "failedAttempts": [
         *         {
         *           "at": "2026-11-21T08:03:10.050Z",
         *           "status": 503,
         *           "excerpt": "busy",
         *           "tookMs": 12
         *         }
         *       ]
         *     }
         */
        WebhookDeliveryWithMessage: {
            /**
             * @description `delivery_` and a UUIDv7.
             * @example delivery_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a
             */
            id: string;
            /** @description The `webhook-id` of the message, the same in every attempt. */
            eventId: string;
            /** @enum {string} */
            eventType: "call.created" | "call.started" | "call.ended" | "call.expired" | "recording.ready" | "tool.failed" | "transcription.completed" | "transcription.failed" | "document.ready" | "document.failed" | "webhook.disabled";
            /** @description The call that the event is about. */
            callId: string | null;
            /**
             * @description `pending`: it is sent, or sent again, at `nextAttemptAt`. `delivered`: an attempt was answered with a status of 2xx. `failed`: it is not sent again, until it is replayed.
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            attempts: number;
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            lastAttemptAt: string | null;
            nextAttemptAt: string | null;
            /** @description Of the last attempt. */
            answer: {
                /** @description Null where there was no answer. */
                status: number | null;
                /** @description The start of the answer, or why there was none. */
                excerpt: string;
                tookMs: number;
            } | null;
            /** @description The body of the message as it would be sent now: its type, its timestamp and its data. Null where what the event is about was deleted. */
            message: {
                [key: string]: unknown;
            } | null;
            /** @description The attempts that failed, the latest first; of very many the latest alone. */
            failedAttempts: {
                /**
                 * Format: date-time
                 * @example 2026-11-21T08:00:00.000Z
                 */
                at: string;
                /** @description Null where there was no answer. */
                status: number | null;
                /** @description The start of the answer, or why there was none. */
                excerpt: string;
                tookMs: number;
            }[];
        };
        /**
         * @description What is sent again.
         * @example {
         *       "replayed": 17
         *     }
         */
        WebhookReplayed: {
            /** @description How many deliveries are sent again. */
            replayed: number;
        };
        /**
         * @description Which deliveries to send again; all that match.
         * @example {
         *       "createdAfter": "2026-11-21T08:00:00Z",
         *       "createdBefore": "2026-11-22T08:00:00Z"
         *     }
         */
        WebhookReplayInput: {
            /** @description Which deliveries to send again: those that failed, or those that were delivered. */
            status?: components["schemas"]["WebhookReplayStatusInput"];
            /**
             * @description Only events of this type.
             * @enum {string}
             */
            eventType?: "call.created" | "call.started" | "call.ended" | "call.expired" | "recording.ready" | "tool.failed" | "transcription.completed" | "transcription.failed" | "document.ready" | "document.failed" | "webhook.disabled";
            /** @description Only events of this call. */
            callId?: string;
            /**
             * Format: date-time
             * @description Of events at this time or later.
             */
            createdAfter?: string;
            /**
             * Format: date-time
             * @description Of events before this time.
             */
            createdBefore?: string;
        };
        /**
         * @default failed
         * @enum {string}
         */
        WebhookReplayStatusInput: "delivered" | "failed";
        /**
         * @description A webhook with its secret.
         * @example {
         *       "id": "webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
         *       "url": "https://example.com/hooks/trunkline",
         *       "description": "billing",
         *       "eventTypes": [
         *         "call.ended"
         *       ],
         *       "enabled": true,
         *       "disabledReason": null,
         *       "failingSince": null,
         *       "previousSecretUntil": null,
         *       "createdAt": "2026-11-21T08:00:00.000Z",
         *       "updatedAt": "2026-11-21T08:00:00.000Z",
         *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazNhbGRldmVy"
         *     }
         */
        WebhookWithSecret: {
            /**
             * @description `webhook_` and a UUIDv7.
             * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
             */
            id: string;
            /** Format: uri */
            url: string;
            description: string;
            eventTypes: ("call.created" | "call.started" | "call.ended" | "call.expired" | "recording.ready" | "tool.failed" | "transcription.completed" | "transcription.failed" | "document.ready" | "document.failed" | "webhook.disabled")[];
            enabled: boolean;
            /** @description Why it gets no events: `client`, it was disabled by a request; `gone`, its endpoint answered 410; `failing`, its endpoint has failed for days. Enable it with `PATCH`, then replay what failed. `secret_lost`, the service lost the key that sealed its secret, and made a new one: rotate the secret and give it to the endpoint first. */
            disabledReason: ("client" | "gone" | "failing" | "secret_lost") | null;
            /** @description Since when no attempt has succeeded. */
            failingSince: string | null;
            /** @description Until when messages are signed with the previous secret, too. */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-21T08:00:00.000Z
             */
            updatedAt: string;
            /** @description Verifies messages, as Standard Webhooks says. Shown only here. */
            secret: string;
        };
        /**
         * @default pcm_s16le
         * @enum {string}
         */
        WebsocketCodecInput: "pcm_s16le" | "mulaw" | "alaw" | "opus";
        /**
         * @description How audio travels when `connectionType` is `websocket`; ignored otherwise. One channel; the rates are 16000 by default, and must be 8000 with mulaw and alaw.
         *
         *     Binary messages are audio: 20 ms each from the service, and any length up to 1 s from the client; with Opus, one packet each in both directions. Text messages are JSON objects with a `type`; ignore unknown types and fields.
         *
         *     - From the service: `ready` (`callId`, `input`, `output`) comes first; `state` (`state`: listening, thinking, speaking, held; `latency`, as in a turn, when a reply starts to play); `transcript` (`role`, `text`, `final`, `turnId`; `approximate`, as in a turn); `mark` (`name`): return it once all audio before it has been played; `clear`: drop the audio that has not been played, and the marks in it; `toolCall` (`id`, `name`, `arguments`): carry out this tool of the type `client`; `error` (`code`, `message`); `ended` (`reason`: an `endReason`), then the socket closes.
         *     - From the client: `mark` (`name`); `cleared`, optional, confirms a `clear`; `dtmf` (`digit`); `text` (`text`): what the caller typed; `toolResult` (`id`, and `result`, any JSON, or `error`, a text); `end`: hangs up.
         * @example {
         *       "inputSampleRate": 16000,
         *       "outputSampleRate": 24000
         *     }
         * @example {
         *       "codec": "mulaw",
         *       "inputSampleRate": 8000,
         *       "outputSampleRate": 8000
         *     }
         */
        WebsocketInput: {
            /** @description For both directions. `pcm_s16le`: signed 16-bit samples, little-endian. `mulaw`, `alaw`: G.711. `opus`: one packet a message. The reference STT (`STT=reference`) decodes Opus at 16000 Hz and above at the bit rate that libopus chooses; at 8000 Hz it needs 32 kbit/s or more, and finds no words at the 10 kbit/s that libopus chooses there. */
            codec?: components["schemas"]["WebsocketCodecInput"];
            /**
             * @description Hertz of the audio that the client sends.
             * @enum {number}
             */
            inputSampleRate?: 8000 | 16000 | 24000 | 48000;
            /**
             * @description Hertz of the audio that the service sends.
             * @enum {number}
             */
            outputSampleRate?: 8000 | 16000 | 24000 | 48000;
        };
    };
    responses: {
        /** @description Bad Request. `invalid_request`: the request does not follow the OpenAPI document; `details` lists all problems. */
        InvalidRequest400: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "invalid_request";
                    };
                };
            };
        };
        /** @description Internal Server Error. `internal`: a bug in the service; its log has details under the same `requestId`. */
        Internal500: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "internal";
                    };
                };
            };
        };
        /** @description Service Unavailable. `overloaded`: there is no capacity for another call, the media workers do not keep up, or too many lists, downloads, questions to corpora, streams of events or hashes of passwords are in progress. `draining`: the service is about to stop. `insufficient_storage`: free disk space is too low for new calls; live calls continue. `database_lost`: the database does not answer, or its file was removed or replaced under the service, which writes nothing until it is back. `unavailable`: a part of the service is not responding at present, a tool's schema cannot be checked within 10 s, or the voice may belong to a provider that has never listed its own. */
        OverloadedOrDrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "overloaded" | "draining" | "insufficient_storage" | "database_lost" | "unavailable";
                    };
                };
            };
        };
        /** @description Bad Request. `invalid_request`: the request does not follow the OpenAPI document; `details` lists all problems. `unknown_voice`: `GET /voices` lists no such voice, or several of this name. `unknown_language`: `GET /languages` lists no such language; the message names those that there are. */
        InvalidRequestOrUnknownVoiceOrUnknownLanguage400: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "invalid_request" | "unknown_voice" | "unknown_language";
                    };
                };
            };
        };
        /** @description Request Timeout. `invalid_request`: the request took too long to arrive. */
        InvalidRequest408: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "invalid_request";
                    };
                };
            };
        };
        /** @description Payload Too Large. `payload_too_large`: the body is larger than 256 KiB. */
        PayloadTooLarge413: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "payload_too_large";
                    };
                };
            };
        };
        /** @description Unsupported Media Type. `unsupported_media_type`: the body is not application/json in UTF-8, or has a Content-Encoding; or an uploaded file is no WAV file, and FFmpeg, which reads others, is not installed. */
        UnsupportedMediaType415: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "unsupported_media_type";
                    };
                };
            };
        };
        /** @description Unauthorized. `unauthorized`: there is no API key in the header X-API-Key, or one that is unknown, expired or revoked; below `/dashboard/session/` there is no session, or the email or the password is wrong. */
        Unauthorized401: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "unauthorized";
                    };
                };
            };
        };
        /** @description Forbidden. `forbidden`: the API key, or the role of a person, lacks a scope that the operation needs or the request would grant; the message names it. A publishable key can only start web calls, from pages of its origins. */
        Forbidden403: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "forbidden";
                    };
                };
            };
        };
        /** @description Too Many Requests. `rate_limited`: the API key, the person or the account has reached its limit of requests a minute (`API_KEY_REQUESTS_PER_MINUTE`, `ACCOUNT_REQUESTS_PER_MINUTE`), the API key its limit of concurrent calls (`CALLS_PER_API_KEY`), the account its own limit of concurrent calls or of created calls a minute, or its limit of concurrent lists, downloads, questions to corpora, streams of events, tests of tools or requests that ask an MCP server for its tools, or a publishable key or an address its limit of starts a minute or of concurrent calls; or there were too many wrong passwords. `spend_limit`: the calls of the account have reached a spend limit per minute, or those of a publishable key or an address their limit of cost a day. */
        RateLimitedOrSpendLimit429: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "rate_limited" | "spend_limit";
                    };
                };
            };
        };
        /** @description Conflict. `idempotency_mismatch`: the Idempotency-Key was used with another request. */
        IdempotencyMismatch409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "idempotency_mismatch";
                    };
                };
            };
        };
        /** @description Not Implemented. `unavailable`: the request is valid, but needs what this service lacks, and `message` says what: WebRTC without the optional package `node-datachannel` (install it) or without `WEBRTC_UDP_PORTS` (set it), or saved tools, which are not in this version. */
        Unavailable501: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "unavailable";
                    };
                };
            };
        };
        /** @description Too Many Requests. `rate_limited`: the API key, the person or the account has reached its limit of requests a minute (`API_KEY_REQUESTS_PER_MINUTE`, `ACCOUNT_REQUESTS_PER_MINUTE`), the API key its limit of concurrent calls (`CALLS_PER_API_KEY`), the account its own limit of concurrent calls or of created calls a minute, or its limit of concurrent lists, downloads, questions to corpora, streams of events, tests of tools or requests that ask an MCP server for its tools, or a publishable key or an address its limit of starts a minute or of concurrent calls; or there were too many wrong passwords. */
        RateLimited429: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "rate_limited";
                    };
                };
            };
        };
        /** @description Service Unavailable. `overloaded`: there is no capacity for another call, the media workers do not keep up, or too many lists, downloads, questions to corpora, streams of events or hashes of passwords are in progress. `unavailable`: a part of the service is not responding at present, a tool's schema cannot be checked within 10 s, or the voice may belong to a provider that has never listed its own. */
        OverloadedOrUnavailable503: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "overloaded" | "unavailable";
                    };
                };
            };
        };
        /** @description Service Unavailable. `unavailable`: a part of the service is not responding at present, a tool's schema cannot be checked within 10 s, or the voice may belong to a provider that has never listed its own. */
        Unavailable503: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "unavailable";
                    };
                };
            };
        };
        /** @description Not Found. `not_found`: the resource does not exist, or belongs to another account. */
        NotFound404: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "not_found";
                    };
                };
            };
        };
        /** @description Conflict. `conflict`: not possible in the resource's current state, or the account has reached its limit of them (10,000 agents, 1,000 published versions of an agent, 50 webhooks, 500 API keys, 500 people, 500 publishable keys). */
        Conflict409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "conflict";
                    };
                };
            };
        };
        /** @description Gateway Timeout. `node_unreachable`: the call is on another node of the cluster, which did not answer in time; the message names the node. What was asked for may have been done: read the call before the request is repeated. */
        NodeUnreachable504: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "node_unreachable";
                    };
                };
            };
        };
        /** @description Conflict. `conflict`: not possible in the resource's current state, or the account has reached its limit of them (10,000 agents, 1,000 published versions of an agent, 50 webhooks, 500 API keys, 500 people, 500 publishable keys). `already_on_hold`: the caller is on hold already, perhaps by the same request, repeated. */
        ConflictOrAlreadyOnHold409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "conflict" | "already_on_hold";
                    };
                };
            };
        };
        /** @description Conflict. `conflict`: not possible in the resource's current state, or the account has reached its limit of them (10,000 agents, 1,000 published versions of an agent, 50 webhooks, 500 API keys, 500 people, 500 publishable keys). `not_on_hold`: the caller is not on hold; the hold may have ended by itself. */
        ConflictOrNotOnHold409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "conflict" | "not_on_hold";
                    };
                };
            };
        };
        /** @description Conflict. `conflict`: not possible in the resource's current state, or the account has reached its limit of them (10,000 agents, 1,000 published versions of an agent, 50 webhooks, 500 API keys, 500 people, 500 publishable keys). `recording_paused`: the recording is paused already, perhaps by the same request, repeated. */
        ConflictOrRecordingPaused409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "conflict" | "recording_paused";
                    };
                };
            };
        };
        /** @description Conflict. `conflict`: not possible in the resource's current state, or the account has reached its limit of them (10,000 agents, 1,000 published versions of an agent, 50 webhooks, 500 API keys, 500 people, 500 publishable keys). `recording_not_paused`: the recording is not paused. */
        ConflictOrRecordingNotPaused409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "conflict" | "recording_not_paused";
                    };
                };
            };
        };
        /** @description Forbidden. `forbidden`: the API key, or the role of a person, lacks a scope that the operation needs or the request would grant; the message names it. A publishable key can only start web calls, from pages of its origins. `listening_not_allowed`: the audio of the call may not be recorded, or the call is redacted when it is over. */
        ForbiddenOrListeningNotAllowed403: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "forbidden" | "listening_not_allowed";
                    };
                };
            };
        };
        /** @description Bad Request. `invalid_request`: the request does not follow the OpenAPI document; `details` lists all problems. `unknown_language`: `GET /languages` lists no such language; the message names those that there are. */
        InvalidRequestOrUnknownLanguage400: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "invalid_request" | "unknown_language";
                    };
                };
            };
        };
        /** @description Not Acceptable. `not_acceptable`: the header Accept allows none of the formats of a transcription; the message names them. */
        NotAcceptable406: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "not_acceptable";
                    };
                };
            };
        };
        /** @description Conflict. `conflict`: not possible in the resource's current state, or the account has reached its limit of them (10,000 agents, 1,000 published versions of an agent, 50 webhooks, 500 API keys, 500 people, 500 publishable keys). `idempotency_mismatch`: the Idempotency-Key was used with another request. */
        ConflictOrIdempotencyMismatch409: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "conflict" | "idempotency_mismatch";
                    };
                };
            };
        };
        /** @description Service Unavailable. `insufficient_storage`: free disk space is too low for new calls; live calls continue. `unavailable`: a part of the service is not responding at present, a tool's schema cannot be checked within 10 s, or the voice may belong to a provider that has never listed its own. */
        InsufficientStorageOrUnavailable503: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "insufficient_storage" | "unavailable";
                    };
                };
            };
        };
        /** @description Precondition Failed. `precondition_failed`: the header If-Match names another version than the agent, the tool or the account has: it was changed meanwhile. */
        PreconditionFailed412: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "precondition_failed";
                    };
                };
            };
        };
        /** @description Service Unavailable. `draining`: the service is about to stop. `insufficient_storage`: free disk space is too low for new calls; live calls continue. `database_lost`: the database does not answer, or its file was removed or replaced under the service, which writes nothing until it is back. `unavailable`: a part of the service is not responding at present, a tool's schema cannot be checked within 10 s, or the voice may belong to a provider that has never listed its own. */
        DrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: components["schemas"]["Error"] & {
                        /** @enum {unknown} */
                        code?: "draining" | "insufficient_storage" | "database_lost" | "unavailable";
                    };
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Id of this request, also in the service's log.
         * @example req_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
         */
        "X-Request-Id": string;
        /**
         * @description Seconds to wait before a retry.
         * @example 5
         */
        "Retry-After": number;
        /**
         * @description For each limit of requests that applies: its name, how many requests remain (`r`), and in how many seconds all of them are available again (`t`). As the IETF's draft-ietf-httpapi-ratelimit-headers says.
         * @example "api_key";r=59999;t=1, "account";r=119999;t=1
         */
        RateLimit: string;
        /**
         * @description For each limit of requests that applies: its name, and its requests (`q`) within so many seconds (`w`).
         * @example "api_key";q=60000;w=60, "account";q=120000;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description How to authenticate (RFC 9110, section 11.6.1): with a key in the header X-API-Key.
         * @example ApiKey realm="Trunkline", header="X-API-Key"
         */
        "WWW-Authenticate": string;
        /** @description Address of the new resource, relative to the address of this request. */
        Location: string;
        /** @description Present when the response was created by an earlier request with the same Idempotency-Key. */
        "Idempotent-Replayed": "true";
        /** @description `no`: a proxy that knows this header, such as nginx, sends each event on at once. */
        "X-Accel-Buffering": "no";
        /** @description Identifies this version of a recording, for If-Range and If-None-Match, or of an agent, for If-Match. */
        ETag: string;
        /** @description Byte ranges are supported. */
        "Accept-Ranges": "bytes";
        /** @description The range of these bytes and the length of the file; with 416 only the length. */
        "Content-Range": string;
        /** @description A name for the file. */
        "Content-Disposition": string;
        /** @description The length of the whole file in bytes. */
        "Content-Length": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listCalls: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Calls that are in this state now. */
                status?: "created" | "queued" | "ringing" | "active" | "ended" | "expired" | "failed";
                /** @description Calls with this connection type. */
                connectionType?: "carrier_a" | "carrier_b" | "carrier_c" | "websocket" | "webrtc";
                /** @description Calls that ended for this reason. */
                endReason?: "caller_hangup" | "connection_lost" | "unreachable" | "agent_hangup" | "api_hangup" | "max_duration" | "inactivity" | "spend_limit" | "transferred" | "token_expired" | "protocol_error" | "audio_flood" | "message_flood" | "slow_consumer" | "provider_error" | "drain_timeout" | "busy" | "no_answer" | "declined" | "invalid_number" | "carrier_failed" | "no_capacity" | "unknown" | "worker_lost";
                /** @description Calls that were created from this saved agent. */
                agentId?: string;
                /**
                 * @description Calls with this id at their carrier, known once their stream has started.
                 * @example CA0123456789abcdef0123456789abcdef
                 */
                carrierCallId?: string;
                /** @description Telephone calls in this direction. */
                direction?: "inbound" | "outbound";
                /**
                 * @description Telephone calls from this number or address, exactly as the record shows it; in a query, + is written %2B.
                 * @example +15550199
                 */
                from?: string;
                /**
                 * @description Telephone calls to this number or address.
                 * @example +15550100
                 */
                to?: string;
                /**
                 * @description Calls that were created at this time or later.
                 * @example 2026-11-21T08:00:00.000Z
                 */
                createdAfter?: string;
                /**
                 * @description Calls that were created before this time.
                 * @example 2026-11-22T08:00:00.000Z
                 */
                createdBefore?: string;
                /**
                 * @description `header[name]=value`: telephone calls whose carrier sent this header with exactly this value, as the record shows it. The case of the name does not matter. At most 4, and all must match.
                 * @example {
                 *       "x-customer": "1234"
                 *     }
                 */
                header?: {
                    [key: string]: string;
                };
                /**
                 * @description `metadata[key]=value`: calls whose metadata has this top-level key with this value. The key must not contain brackets. Strings are written as they are, numbers and booleans as in JSON. At most 8, and all must match.
                 * @example {
                 *       "order": "A-17"
                 *     }
                 */
                metadata?: {
                    [key: string]: string;
                };
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of calls, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CallSummary"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    createCall: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique key for this request, ideally random, so that it can be retried without creating a second call: for 24 hours the same request with the same key and API key returns the first response again. Only created calls are stored; a refused request can be retried. A different request with the same key is 409.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCallInput"];
            };
        };
        responses: {
            /** @description The new call and the address of its media stream. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCall"];
                };
            };
            400: components["responses"]["InvalidRequestOrUnknownVoiceOrUnknownLanguage400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["IdempotencyMismatch409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimitedOrSpendLimit429"];
            500: components["responses"]["Internal500"];
            501: components["responses"]["Unavailable501"];
            503: components["responses"]["OverloadedOrDrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503"];
        };
    };
    getCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state of a call. Unknown values are null. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deleteCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getTranscript: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 1000
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turns in order; none before the call has ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Turn"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    endCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description The call is over. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            /** @description The end of the call was requested. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    holdCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HoldRequestInput"];
            };
        };
        responses: {
            /** @description The caller is on hold. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["ConflictOrAlreadyOnHold409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    resumeCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description The caller is with the agent again. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["ConflictOrNotOnHold409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    pauseRecording: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description The recording is paused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["ConflictOrRecordingPaused409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    resumeRecording: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description The recording goes on once neither side speaks and no words of the pause can come any more. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["ConflictOrRecordingNotPaused409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    getRecording: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of files that the client has: 304 when the file is one of them. */
                "If-None-Match"?: string;
                /**
                 * @description One range of bytes, counted from 0, including the last one: `bytes=0-499`, `bytes=500-`, or `bytes=-500` for the last 500. Several ranges and malformed ones are ignored.
                 * @example bytes=0-43
                 */
                Range?: string;
                /** @description The entity tag of the part that the client has: when the file has another one, all of it is sent. */
                "If-Range"?: string;
            };
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Length": components["headers"]["Content-Length"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": unknown;
                };
            };
            /** @description The requested bytes. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": unknown;
                };
            };
            /** @description If-None-Match names this recording. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            /** @description Range Not Satisfiable. `range_not_satisfiable`: the header Range requests bytes outside the file. */
            416: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: components["schemas"]["Error"] & {
                            /** @enum {unknown} */
                            code?: "range_not_satisfiable";
                        };
                    };
                };
            };
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    headRecording: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of files that the client has: 304 when the file is one of them. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recording is there. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Length": components["headers"]["Content-Length"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description If-None-Match names this recording. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request. `invalid_request`: the request does not follow the OpenAPI document; `details` lists all problems. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Unauthorized. `unauthorized`: there is no API key in the header X-API-Key, or one that is unknown, expired or revoked; below `/dashboard/session/` there is no session, or the email or the password is wrong. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Forbidden. `forbidden`: the API key, or the role of a person, lacks a scope that the operation needs or the request would grant; the message names it. A publishable key can only start web calls, from pages of its origins. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found. `not_found`: the resource does not exist, or belongs to another account. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Too Many Requests. `rate_limited`: the API key, the person or the account has reached its limit of requests a minute (`API_KEY_REQUESTS_PER_MINUTE`, `ACCOUNT_REQUESTS_PER_MINUTE`), the API key its limit of concurrent calls (`CALLS_PER_API_KEY`), the account its own limit of concurrent calls or of created calls a minute, or its limit of concurrent lists, downloads, questions to corpora, streams of events, tests of tools or requests that ask an MCP server for its tools, or a publishable key or an address its limit of starts a minute or of concurrent calls; or there were too many wrong passwords. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Internal Server Error. `internal`: a bug in the service; its log has details under the same `requestId`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Service Unavailable. `unavailable`: a part of the service is not responding at present, a tool's schema cannot be checked within 10 s, or the voice may belong to a provider that has never listed its own. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listenToCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Where a client listens to a live call. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenAddress"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["ForbiddenOrListeningNotAllowed403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    getWaveform: {
        parameters: {
            query?: {
                /**
                 * @description How many buckets to divide the recording into.
                 * @example 1600
                 */
                buckets?: number;
            };
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How loud both sides of a recording are over its time. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Waveform"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    checkReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the replay of a call's journal found. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayCheck"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    listCallEvents: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 1000
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events in order of time. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "atMs": 5240,
                     *           "source": "event",
                     *           "kind": "speech-started",
                     *           "startMs": 5200
                     *         },
                     *         {
                     *           "atMs": 5240,
                     *           "source": "command",
                     *           "kind": "pause",
                     *           "turnId": 2
                     *         },
                     *         {
                     *           "atMs": 5340,
                     *           "source": "event",
                     *           "kind": "playout-ended",
                     *           "turnId": 2,
                     *           "sentMs": 1320
                     *         },
                     *         {
                     *           "atMs": 5510,
                     *           "source": "event",
                     *           "kind": "stt-interim",
                     *           "text": "and on"
                     *         },
                     *         {
                     *           "atMs": 5510,
                     *           "source": "command",
                     *           "kind": "cancel-reply",
                     *           "turnId": 2,
                     *           "clear": true,
                     *           "reason": "words",
                     *           "speechMs": 310,
                     *           "heardText": "We are"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["CallEvent"][];
                        /** @description Cursor of the next page; null when there can be no more events. For a call that is not over it leads to later events. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    createPhoneCall: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique key for this request, ideally random, so that it can be retried without creating a second call: for 24 hours the same request with the same key and API key returns the first response again. Only created calls are stored; a refused request can be retried. A different request with the same key is 409.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPhoneCallInput"];
            };
        };
        responses: {
            /** @description The current state of a call. Unknown values are null. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequestOrUnknownVoiceOrUnknownLanguage400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["ConflictOrIdempotencyMismatch409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimitedOrSpendLimit429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["DrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503"];
        };
    };
    transferCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferRequestInput"];
            };
        };
        responses: {
            /** @description The request was passed on; the events of the call show what comes of it. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    sendDtmf: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `call_` and a UUIDv7.
                 * @example call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DtmfRequestInput"];
            };
        };
        responses: {
            /** @description The request was passed on; the events of the call show what comes of it. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Call"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    createLiveTranscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique key for this request, ideally random, so that it can be retried without creating a second call: for 24 hours the same request with the same key and API key returns the first response again. Only created calls are stored; a refused request can be retried. A different request with the same key is 409.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLiveTranscriptionInput"];
            };
        };
        responses: {
            /** @description A live transcription that waits for its stream. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedLiveTranscription"];
                };
            };
            400: components["responses"]["InvalidRequestOrUnknownLanguage400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["IdempotencyMismatch409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimitedOrSpendLimit429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrDrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503"];
        };
    };
    listTranscriptions: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Transcriptions in this state. */
                status?: "queued" | "processing" | "completed" | "failed" | "cancelled";
                /** @description Transcriptions with audio from there. */
                source?: "upload" | "url" | "call" | "live";
                /** @description Transcriptions of the recording of this call. */
                callId?: string;
                /**
                 * @description Transcriptions that were created at this time or later.
                 * @example 2026-11-21T08:00:00.000Z
                 */
                createdAfter?: string;
                /**
                 * @description Transcriptions that were created before this time.
                 * @example 2026-11-22T08:00:00.000Z
                 */
                createdBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of transcriptions, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TranscriptionSummary"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    createTranscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique key for this request, ideally random, so that it can be retried without creating a second call: for 24 hours the same request with the same key and API key returns the first response again. Only created calls are stored; a refused request can be retried. A different request with the same key is 409.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTranscriptionInput"];
                "multipart/form-data": {
                    /** @description The audio, in any format. */
                    file: string;
                    /**
                     * @description A code from `GET /languages`, in upper or lower case, or `auto`: the provider detects the language. By default `auto` where a configured provider can, otherwise `en`, or the first language that one transcribes.
                     * @example en-US
                     */
                    language?: string;
                    /**
                     * @description `mix`: all channels are mixed to one. `separate`: each channel is transcribed for itself, as in a recording of a call, which has the caller left and the agent right.
                     * @default mix
                     * @enum {string}
                     */
                    channels?: "mix" | "separate";
                    /**
                     * @description `word`: the result has each word with its times. `segment`: only the utterances have times.
                     * @default word
                     * @enum {string}
                     */
                    timestamps?: "word" | "segment";
                    /**
                     * @description Whether speakers are distinguished, by numbers from 0.
                     * @default false
                     */
                    speakers?: boolean;
                    /**
                     * @description Words that are likely, such as names: at most 100 of 100 characters.
                     * @default []
                     * @example [
                     *       "Lario’s",
                     *       "Trunkline"
                     *     ]
                     */
                    vocabulary?: unknown[];
                    /**
                     * @description What is not kept of the words: card numbers, telephone numbers, email addresses and national ids, as for calls. The audio is then deleted when the transcription is over.
                     * @default []
                     * @example [
                     *       "card_number"
                     *     ]
                     */
                    redact?: unknown[];
                    /**
                     * @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused.
                     * @default {}
                     * @example {
                     *       "order": "A-17",
                     *       "vip": true
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description Whether the audio is deleted as soon as the transcription is over, whatever the retention says.
                     * @default false
                     */
                    deleteAudio?: boolean;
                };
            };
        };
        responses: {
            /** @description The transcription is queued. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptionSummary"];
                };
            };
            400: components["responses"]["InvalidRequestOrUnknownLanguage400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["IdempotencyMismatch409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrDrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503"];
        };
    };
    getTranscription: {
        parameters: {
            query?: {
                /** @description The format of the answer, whatever the header Accept says. */
                format?: "json" | "text" | "srt" | "vtt";
            };
            header?: {
                /**
                 * @description Without `format`, the format of the answer: application/json, text/plain, application/x-subrip, text/vtt.
                 * @example text/vtt
                 */
                Accept?: string;
            };
            path: {
                /**
                 * @description `transcription_` and a UUIDv7.
                 * @example transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transcription. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcription"];
                    "text/plain": string;
                    "application/x-subrip": string;
                    "text/vtt": string;
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            406: components["responses"]["NotAcceptable406"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    deleteTranscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `transcription_` and a UUIDv7.
                 * @example transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The transcription was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    getTranscriptionAudio: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags of files that the client has: 304 when the file is one of them. */
                "If-None-Match"?: string;
                /**
                 * @description One range of bytes, counted from 0, including the last one: `bytes=0-499`, `bytes=500-`, or `bytes=-500` for the last 500. Several ranges and malformed ones are ignored.
                 * @example bytes=0-43
                 */
                Range?: string;
                /** @description The entity tag of the part that the client has: when the file has another one, all of it is sent. */
                "If-Range"?: string;
            };
            path: {
                /**
                 * @description `transcription_` and a UUIDv7.
                 * @example transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Length": components["headers"]["Content-Length"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": unknown;
                    "audio/mpeg": unknown;
                    "audio/mp4": unknown;
                    "audio/ogg": unknown;
                    "audio/flac": unknown;
                    "audio/webm": unknown;
                    "application/octet-stream": unknown;
                };
            };
            /** @description The requested bytes. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "audio/wav": unknown;
                    "audio/mpeg": unknown;
                    "audio/mp4": unknown;
                    "audio/ogg": unknown;
                    "audio/flac": unknown;
                    "audio/webm": unknown;
                    "application/octet-stream": unknown;
                };
            };
            /** @description If-None-Match names this file. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            /** @description Range Not Satisfiable. `range_not_satisfiable`: the header Range requests bytes outside the file. */
            416: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        error: components["schemas"]["Error"] & {
                            /** @enum {unknown} */
                            code?: "range_not_satisfiable";
                        };
                    };
                };
            };
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    cancelTranscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `transcription_` and a UUIDv7.
                 * @example transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description The transcription is over. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptionSummary"];
                };
            };
            /** @description The end of the live transcription was requested. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptionSummary"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
            504: components["responses"]["NodeUnreachable504"];
        };
    };
    listCorpora: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of corpora, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Corpus"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    createCorpus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCorpusInput"];
            };
        };
        responses: {
            /** @description Documents that agents answer from. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Corpus"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getCorpus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Documents that agents answer from. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Corpus"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deleteCorpus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The corpus was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updateCorpus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorpusChangesInput"];
            };
        };
        responses: {
            /** @description Documents that agents answer from. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Corpus"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    queryCorpus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorpusQueryInput"];
            };
        };
        responses: {
            /** @description The passages of a corpus that fit a question. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CorpusAnswer"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    listCorpusRetrievals: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of what was retrieved, the latest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CorpusRetrieval"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    listDocuments: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Documents in this state. */
                status?: "processing" | "ready" | "failed";
                /** @description Documents that came from there. */
                source?: "upload" | "url" | "text";
            };
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of documents, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Document"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    addDocument: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique key for this request, ideally random, so that it can be retried without creating a second call: for 24 hours the same request with the same key and API key returns the first response again. Only created calls are stored; a refused request can be retried. A different request with the same key is 409.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentContentInput"];
                "multipart/form-data": {
                    /** @description The document. */
                    file: string;
                    /** @description Shown with its passages. By default the name of the file. */
                    name?: string;
                    /**
                     * @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused.
                     * @example {
                     *       "order": "A-17",
                     *       "vip": true
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description The document is being processed. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["ConflictOrIdempotencyMismatch409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrDrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503"];
        };
    };
    getDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /**
                 * @description `doc_` and a UUIDv7.
                 * @example doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11
                 */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A document of a corpus. Unknown values are null. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    replaceDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /**
                 * @description `doc_` and a UUIDv7.
                 * @example doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11
                 */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentContentInput"];
                "multipart/form-data": {
                    /** @description The document. */
                    file: string;
                    /** @description Shown with its passages. By default the name of the file. */
                    name?: string;
                    /**
                     * @description Any JSON object, returned unchanged: at most 8192 bytes as JSON and 5 levels deep. Numbers are doubles; only the key `__proto__` is refused.
                     * @example {
                     *       "order": "A-17",
                     *       "vip": true
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description The document is being processed. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrDrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503"];
        };
    };
    deleteDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /**
                 * @description `doc_` and a UUIDv7.
                 * @example doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11
                 */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    reprocessDocument: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `cor_` and a UUIDv7.
                 * @example cor_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /**
                 * @description `doc_` and a UUIDv7.
                 * @example doc_019aa5c9-1a00-7b3e-9c41-3b8f6a2d7e11
                 */
                documentId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description The document is being processed. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /**
                 * @description Agents whose name contains this, in any case.
                 * @example desk
                 */
                name?: string;
                /**
                 * @description Agents with exactly this language.
                 * @example en-US
                 */
                languageId?: string;
                /**
                 * @description Agents with this voice.
                 * @example espeak/gmw/en-US
                 */
                voiceId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of agents, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Agent"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgentInput"];
            };
        };
        responses: {
            /** @description A saved agent, as its calls have it. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["InvalidRequestOrUnknownVoiceOrUnknownLanguage400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["InsufficientStorageOrUnavailable503"];
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A saved agent, as its calls have it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the agent that the change was made for: the number of its live version, and after a hyphen that of its draft. 412 when the agent was changed meanwhile.
                 * @example "1-2"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentChangesInput"];
            };
        };
        responses: {
            /** @description A saved agent, as its calls have it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["InvalidRequestOrUnknownVoiceOrUnknownLanguage400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            412: components["responses"]["PreconditionFailed412"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["InsufficientStorageOrUnavailable503"];
        };
    };
    listAgentVersions: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AgentVersionSummary"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    getAgentVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /** @description The number of a version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A version of an agent. Its fields never change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentVersion"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    compareAgentVersions: {
        parameters: {
            query?: {
                /** @description The version to compare with; the live version by default. */
                against?: number;
            };
            header?: never;
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /** @description The number of a version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What changed from the version `against` to `version`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentVersionDiff"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    restoreAgentVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /** @description The number of a version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AgentRestoreInput"] | null;
            };
        };
        responses: {
            /** @description A saved agent, as its calls have it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["InsufficientStorageOrUnavailable503"];
        };
    };
    publishAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AgentPublicationInput"] | null;
            };
        };
        responses: {
            /** @description A saved agent, as its calls have it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    createAgentCall: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique key for this request, ideally random, so that it can be retried without creating a second call: for 24 hours the same request with the same key and API key returns the first response again. Only created calls are stored; a refused request can be retried. A different request with the same key is 409.
                 * @example 8e03978e-40d5-43e8-bc93-6894a57f9324
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The id of an agent, or `id@version` for a call from one version of it.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10@3
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewAgentCallInput"] | null;
            };
        };
        responses: {
            /** @description The new call and the address of its media stream. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCall"];
                };
            };
            400: components["responses"]["InvalidRequestOrUnknownVoiceOrUnknownLanguage400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["ConflictOrIdempotencyMismatch409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimitedOrSpendLimit429"];
            500: components["responses"]["Internal500"];
            501: components["responses"]["Unavailable501"];
            503: components["responses"]["OverloadedOrDrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503"];
        };
    };
    createWebCall: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `agent_` and a UUIDv7.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewWebCallInput"] | null;
            };
        };
        responses: {
            /** @description The new call and the address of its media stream. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCall"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimitedOrSpendLimit429"];
            500: components["responses"]["Internal500"];
            501: components["responses"]["Unavailable501"];
            503: components["responses"]["OverloadedOrDrainingOrInsufficientStorageOrDatabaseLostOrUnavailable503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All webhooks of the account, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        nextCursor: null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhookInput"];
            };
        };
        responses: {
            /** @description A webhook with its secret. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `webhook_` and a UUIDv7.
                 * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where events are sent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `webhook_` and a UUIDv7.
                 * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `webhook_` and a UUIDv7.
                 * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookChangesInput"];
            };
        };
        responses: {
            /** @description Where events are sent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `webhook_` and a UUIDv7.
                 * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecretRotationInput"];
            };
        };
        responses: {
            /** @description A webhook with its secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Only deliveries with this status. */
                status?: "pending" | "delivered" | "failed";
                /** @description Only events of this type. */
                eventType?: "call.created" | "call.started" | "call.ended" | "call.expired" | "recording.ready" | "tool.failed" | "transcription.completed" | "transcription.failed" | "document.ready" | "document.failed" | "webhook.disabled";
                /** @description Only events of this call. */
                callId?: string;
                /** @description Of events at this time or later. */
                createdAfter?: string;
                /** @description Of events before this time. */
                createdBefore?: string;
            };
            header?: never;
            path: {
                /**
                 * @description `webhook_` and a UUIDv7.
                 * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `webhook_` and a UUIDv7.
                 * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /**
                 * @description `delivery_` and a UUIDv7.
                 * @example delivery_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event for one webhook, with the body of its message. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryWithMessage"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `webhook_` and a UUIDv7.
                 * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
                /**
                 * @description `delivery_` and a UUIDv7.
                 * @example delivery_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is sent again. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplayed"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `webhook_` and a UUIDv7.
                 * @example webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookReplayInput"];
            };
        };
        responses: {
            /** @description What is sent again. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplayed"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /**
                 * @description `false`: the response ends after the events that there are.
                 * @example false
                 */
                follow?: "true" | "false";
                /** @description `true`: also `calls.activity`, with what live calls do: all of them at first, and then once a second those that have changed. And `transcriptions.activity`, with how far transcriptions of files are, at most once a second. They have no `id` and are not repeated. */
                activity?: "true" | "false";
            };
            header?: {
                /**
                 * @description The `id` of the last event that the client has: those after it follow. Browsers and libraries send it by themselves when they connect again. Without it the stream begins with what happens from now on.
                 * @example 17
                 */
                "Last-Event-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, in order, until the client disconnects. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Accel-Buffering": components["headers"]["X-Accel-Buffering"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description API keys that are in this state now. */
                status?: "active" | "expired" | "revoked";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of API keys, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApiKeyInput"];
            };
        };
        responses: {
            /** @description An API key with its text. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithText"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `key_` and a UUIDv7.
                 * @example key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An API key, without its text. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `key_` and a UUIDv7.
                 * @example key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChangesInput"];
            };
        };
        responses: {
            /** @description An API key, without its text. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `key_` and a UUIDv7.
                 * @example key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyRotationInput"];
            };
        };
        responses: {
            /** @description An API key with its text. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithText"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `key_` and a UUIDv7.
                 * @example key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An API key, without its text. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description People with this role. */
                role?: "owner" | "editor" | "viewer";
                /** @description People in this state. */
                status?: "invited" | "active";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of people, in the order in which they were invited. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    inviteUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUserInput"];
            };
        };
        responses: {
            /** @description A person with a one-time link. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithLink"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `user_` and a UUIDv7.
                 * @example user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person of the account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    removeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `user_` and a UUIDv7.
                 * @example user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person was removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `user_` and a UUIDv7.
                 * @example user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChangesInput"];
            };
        };
        responses: {
            /** @description A person of the account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    createUserLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `user_` and a UUIDv7.
                 * @example user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person with a one-time link. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithLink"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listPublishableKeys: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Publishable keys that are in this state now. */
                status?: "active" | "revoked";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of publishable keys, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PublishableKey"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    createPublishableKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPublishableKeyInput"];
            };
        };
        responses: {
            /** @description A publishable key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishableKey"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getPublishableKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `publishable_key_` and a UUIDv7.
                 * @example publishable_key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A publishable key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishableKey"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updatePublishableKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `publishable_key_` and a UUIDv7.
                 * @example publishable_key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishableKeyChangesInput"];
            };
        };
        responses: {
            /** @description A publishable key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishableKey"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    revokePublishableKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `publishable_key_` and a UUIDv7.
                 * @example publishable_key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A publishable key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishableKey"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Events of this action. */
                action?: "account.created" | "account.updated" | "api_key.created" | "api_key.updated" | "api_key.rotated" | "api_key.revoked" | "provider_credential.created" | "provider_credential.deleted" | "tool_secret.created" | "tool_secret.deleted" | "tool.created" | "tool.updated" | "tool.deleted" | "carrier.created" | "carrier.updated" | "carrier.deleted" | "phone_number.imported" | "phone_number.updated" | "phone_number.attached" | "phone_number.detached" | "phone_number.deleted" | "publishable_key.created" | "publishable_key.updated" | "publishable_key.revoked" | "agent.created" | "agent.updated" | "agent.published" | "agent.deleted" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secret_rotated" | "user.invited" | "user.invitation_accepted" | "user.updated" | "user.link_created" | "user.password_reset" | "user.password_changed" | "user.signed_in" | "user.signed_out" | "user.removed" | "owner_link.created" | "owner_link.used" | "call.listened" | "call.deleted" | "transcription.deleted" | "corpus.created" | "corpus.updated" | "corpus.deleted" | "document.created" | "document.replaced" | "document.reprocessed" | "document.deleted";
                /** @description Acts of this kind of actor. */
                actorKind?: "api_key" | "user" | "operator" | "service";
                /**
                 * @description Acts of this actor.
                 * @example key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                actorId?: string;
                /** @description Acts on this kind of thing. */
                targetKind?: "account" | "api_key" | "provider_credential" | "tool_secret" | "tool" | "carrier" | "phone_number" | "publishable_key" | "agent" | "webhook" | "user" | "owner_link" | "call" | "transcription" | "corpus" | "document";
                /**
                 * @description Acts on this one.
                 * @example agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                targetId?: string;
                /**
                 * @description Events of this time or later.
                 * @example 2026-11-21T08:00:00.000Z
                 */
                createdAfter?: string;
                /**
                 * @description Events before this time.
                 * @example 2026-11-22T08:00:00.000Z
                 */
                createdBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the audit log, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEvent"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An account: what it may have, and for how long it keeps what it has. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the account that the change was made for. 412 when it was changed meanwhile.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountChangesInput"];
            };
        };
        responses: {
            /** @description An account: what it may have, and for how long it keeps what it has. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            412: components["responses"]["PreconditionFailed412"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listProviderCredentials: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of provider credentials, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ProviderCredential"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    createProviderCredential: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProviderCredentialInput"];
            };
        };
        responses: {
            /** @description An API key of the account at a provider, without its text. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderCredential"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getProviderCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `credential_` and a UUIDv7.
                 * @example credential_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An API key of the account at a provider, without its text. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderCredential"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deleteProviderCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `credential_` and a UUIDv7.
                 * @example credential_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API key was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listCarriers: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of carriers, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Carrier"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    createCarrier: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCarrierInput"];
            };
        };
        responses: {
            /** @description An account at a carrier, without its secrets. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Carrier"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getCarrier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `carrier_` and a UUIDv7.
                 * @example carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An account at a carrier, without its secrets. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Carrier"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deleteCarrier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `carrier_` and a UUIDv7.
                 * @example carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The carrier was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updateCarrier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `carrier_` and a UUIDv7.
                 * @example carrier_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CarrierChangesInput"];
            };
        };
        responses: {
            /** @description An account at a carrier, without its secrets. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Carrier"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    importPhoneNumbers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PhoneNumberImportInput"];
            };
        };
        responses: {
            /** @description The numbers of one page of the carrier's list, as the account has them now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PhoneNumber"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listPhoneNumbers: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Numbers of this carrier. */
                carrierId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of telephone numbers, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PhoneNumber"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getPhoneNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `number_` and a UUIDv7.
                 * @example number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A telephone number of the account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhoneNumber"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deletePhoneNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `number_` and a UUIDv7.
                 * @example number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updatePhoneNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `number_` and a UUIDv7.
                 * @example number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PhoneNumberChangesInput"];
            };
        };
        responses: {
            /** @description The number as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedPhoneNumber"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    attachPhoneNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `number_` and a UUIDv7.
                 * @example number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description A telephone number of the account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhoneNumber"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    detachPhoneNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `number_` and a UUIDv7.
                 * @example number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description How to detach it. */
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Takes the number for detached without asking the carrier, for an account at the carrier that is no longer there.
                     * @default false
                     */
                    force?: boolean;
                } | null;
            };
        };
        responses: {
            /** @description A telephone number of the account. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PhoneNumber"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    testCallPhoneNumber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `number_` and a UUIDv7.
                 * @example number_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What the person who calls says. */
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description What the person says, each after the agent has spoken; they hang up after the last reply. Without texts they listen for 10 s.
                     * @default []
                     * @example [
                     *       "Hello",
                     *       "When do you open?"
                     *     ]
                     */
                    says?: string[];
                } | null;
            };
        };
        responses: {
            /** @description A call that a person of an emulated carrier begins. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestCall"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    testTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `tool_` and a UUIDv7.
                 * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolTestInput"];
            };
        };
        responses: {
            /** @description What a test of a saved tool led to. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolTestResult"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listToolRuns: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Runs of calls, or tests. */
                source?: "call" | "test";
                /** @description Runs that failed, or those that did not. */
                failed?: "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description `tool_` and a UUIDv7.
                 * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the runs of a tool, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ToolRun"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    listTools: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /** @description Tools of this type. */
                type?: "http" | "client" | "mcp";
                /**
                 * @description Tools with exactly this name.
                 * @example order_status
                 */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of saved tools, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ToolSummary"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    createTool: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToolInput"];
            };
        };
        responses: {
            /** @description A saved tool, without the values of its headers. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listBuiltInTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All built-in tools, on one page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BuiltInTool"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `tool_` and a UUIDv7.
                 * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A saved tool, without the values of its headers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deleteTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `tool_` and a UUIDv7.
                 * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tool was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            409: components["responses"]["Conflict409"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    updateTool: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the tool that the change was made for. 412 when the tool was changed meanwhile.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description `tool_` and a UUIDv7.
                 * @example tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolChangesInput"];
            };
        };
        responses: {
            /** @description A saved tool, without the values of its headers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tool"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            412: components["responses"]["PreconditionFailed412"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    listToolSecrets: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 100
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tool secrets, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ToolSecret"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    createToolSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToolSecretInput"];
            };
        };
        responses: {
            /** @description A secret for headers of HTTP tools, without its text. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolSecret"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            408: components["responses"]["InvalidRequest408"];
            409: components["responses"]["Conflict409"];
            413: components["responses"]["PayloadTooLarge413"];
            415: components["responses"]["UnsupportedMediaType415"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getToolSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `tool_secret_` and a UUIDv7.
                 * @example tool_secret_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A secret for headers of HTTP tools, without its text. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolSecret"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    deleteToolSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `tool_secret_` and a UUIDv7.
                 * @example tool_secret_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret was deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            404: components["responses"]["NotFound404"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description What divides the calls into groups: one or more of `day`, `agent`, `provider`, separated by commas. */
                groupBy?: string;
                /**
                 * @description Calls that ended at this time or later; 30 days before `to` by default.
                 * @example 2025-12-01T00:00:00Z
                 */
                from?: string;
                /**
                 * @description Calls that ended before this time, which is now by default; at most 366 days after `from`.
                 * @example 2026-01-31T00:00:00Z
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage by groups, in the order of day, agent and provider. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    listVoices: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 5000
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /**
                 * @description A code from `GET /languages`, in upper or lower case. A bare language (`en`) stands for its regions too (`en-GB`).
                 * @example en
                 */
                language?: string;
                /**
                 * @description The `provider` of a voice, exactly as listed.
                 * @example espeak
                 */
                provider?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of voices that match the filters. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Voice"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    listLanguages: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items.
                 * @example 5000
                 */
                limit?: number;
                /** @description The `nextCursor` of the previous page, requested with the same filters. */
                cursor?: string;
                /**
                 * @description A code from `GET /languages`, in upper or lower case. A bare language (`en`) stands for its regions too (`en-GB`).
                 * @example en
                 */
                language?: string;
                /**
                 * @description The `provider` of a voice, exactly as listed.
                 * @example espeak
                 */
                provider?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of languages that match the filters. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Language"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["OverloadedOrUnavailable503"];
        };
    };
    getStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the service. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
            400: components["responses"]["InvalidRequest400"];
            401: components["responses"]["Unauthorized401"];
            403: components["responses"]["Forbidden403"];
            429: components["responses"]["RateLimited429"];
            500: components["responses"]["Internal500"];
            503: components["responses"]["Unavailable503"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidRequest400"];
            500: components["responses"]["Internal500"];
        };
    };
}
