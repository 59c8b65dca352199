// Messages between the nodes of a cluster: src/cluster.

import { LIST_BYTES_MAX } from "../control-api/api.ts";
import { WORKER_ANSWER_MS_MAX } from "../service/admission.ts";

/** How long a node waits for another one's answer, whose worker may take WORKER_ANSWER_MS_MAX of it. */
export const NODE_ANSWER_MS_MAX = WORKER_ANSWER_MS_MAX + 500;

/** For how long the end of a call is passed on to its node, also after the client was answered that the node did not answer. */
export const NODE_END_LASTS_MS = 60_000;

/** Requests of one node that wait for answers; one more is refused. */
export const NODE_REQUESTS_PENDING_MAX = 1_000;

/** Requests of other nodes that one node works at; more wait in the database until their time is over. */
export const NODE_REQUESTS_HANDLED_MAX = 100;

/** A request, and an answer, as JSON. A page of events, with its largest first event, stays below it. */
export const NODE_REQUEST_BYTES_MAX = 64 * 1_024;
export const NODE_ANSWER_BYTES_MAX = 2 * LIST_BYTES_MAX;

/** Messages that were handled are known for this many more, so that none is handled twice. */
export const NODE_MESSAGES_KNOWN_MAX = 10_000;

/** What Postgres takes as the payload of a notification is less than 8,000 bytes. */
export const ANNOUNCEMENT_BYTES_MAX = 7_900;

/** Announcements that wait to be sent; one more is dropped. */
export const ANNOUNCEMENTS_PENDING_MAX = 64;

/** How often a node looks for messages of which it has got no notification, and checks the connection that gets them. */
export const NODE_MESSAGES_POLL_MS = 1_000;

/** An answer that the database has not taken is sent again after this time, and messages are looked for again once, when they could not be read. */
export const NODE_MESSAGES_RETRY_MS = 100;

/** How long the check of that connection may take; it is then replaced. */
export const NODE_LISTENING_CHECK_MS_MAX = 2_000;

/** The pause before a lost connection is replaced; it doubles with each failure, up to the second. */
export const NODE_LISTENING_RETRY_MS_FIRST = 50;
export const NODE_LISTENING_RETRY_MS_MAX = 1_000;

/** Connections to Postgres for messages, besides the one that gets notifications. */
export const NODE_MESSAGE_CONNECTIONS_MAX = 3;

/** How often messages are deleted whose time was over this long ago. */
export const NODE_MESSAGES_DELETED_MS = 60_000;

/** A node that has a stream of what live calls do says so this often; others report to it for as long as the second. */
export const ACTIVITY_WANTED_MS = 5_000;
export const ACTIVITY_WANTED_LASTS_MS = 15_000;

/** Calls in one announcement of what live calls do, and holds in one of who is on hold: both stay below ANNOUNCEMENT_BYTES_MAX. */
export const ACTIVITIES_PER_ANNOUNCEMENT = 20;
export const HOLDS_PER_ANNOUNCEMENT = 60;

/** A node announces what accounts spend there, where it has changed, this often, and all of it as often as the second. */
export const NODE_SPEND_ANNOUNCED_MS = 1_000;
export const NODE_SPEND_REPEATED_MS = 10_000;

/** Accounts in one such announcement, which stays below ANNOUNCEMENT_BYTES_MAX. */
export const SPENDS_PER_ANNOUNCEMENT = 25;

/** So many accounts a node announces, those that are nearest to a limit first. */
export const NODE_SPENDS_MAX = 500;

/** A node announces all of its holds this often, and what it has not announced for as long as the second is forgotten. */
export const HOLDS_ANNOUNCED_MS = 10_000;
export const HOLDS_FORGOTTEN_MS = 30_000;

/** Callers who are on hold at other nodes; of more, those that were heard of longest ago are forgotten. */
export const HOLDS_OF_NODES_MAX = 50_000;
