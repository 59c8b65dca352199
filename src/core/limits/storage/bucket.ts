// The S3-compatible bucket: see src/store/bucket/.

/** How often the journals of live calls are shipped by default, and the range of BUCKET_SEGMENT_S. */
export const SEGMENT_S_DEFAULT = 5;
export const SEGMENT_S_MIN = 1;
export const SEGMENT_S_MAX = 60;

/**
 * A node that ships the journal of a live call puts a segment within so long after SEGMENT_S: the age of an object is counted in whole
 * seconds, and the rest is for what it does between two of them.
 */
export const SEGMENT_LATE_MS = 2_000;

/** The longest segment: a journal that has more to ship becomes several. A call of 48 kHz on both sides has under 200 KB a second. */
export const SEGMENT_BYTES_MAX = 4 * 1024 * 1024;

/** Journals and files that are shipped at once: each has one segment, or one part, in memory. */
export const SHIPMENTS_CONCURRENT_MAX = 8;

/** How long one request to the bucket may take, its body included. */
export const BUCKET_REQUEST_MS_MAX = 20_000;

/** An object up to this length is put by one request; a longer one in parts of this length. S3 asks for 5 MiB at least. */
export const BUCKET_PART_BYTES = 8 * 1024 * 1024;

/** Bytes of an object that are read ahead of a slow reader. */
export const BUCKET_READ_BYTES = 1024 * 1024;

/** Objects that are deleted at once. */
export const BUCKET_DELETIONS_CONCURRENT_MAX = 8;

/** Nothing that was sent to the bucket can arrive after so long: what was deleted before is deleted once more then. */
export const BUCKET_LATE_MS = 2 * BUCKET_REQUEST_MS_MAX;

/**
 * How long an upload keeps others from storing a file with its key: longer than it takes to store the file and then its record.
 */
export const RESERVATION_MS = 3_600_000;

/** How long a job is postponed that needs a file of the bucket for which the disk of its node has too little room. */
export const ROOM_AWAITED_MS = 60_000;

/** Objects of ids that are younger are no orphans: their records may be about to be stored. An upload may take for hours. */
export const ORPHAN_AGE_MS = 24 * 3_600_000;

/** How long the bucket may take to answer at the start before the service goes on without having seen it. */
export const BUCKET_START_MS_MAX = 5_000;

/** After so long a request is made again that is one of the many for a journal or a file; then the whole of it has failed. */
export const BUCKET_RETRY_DELAYS_MS = [200, 800, 2_000] as const;

/**
 * So many requests for one object may be made again when it is put in parts. Each takes BUCKET_REQUEST_MS_MAX at most: they lengthen an
 * upload by minutes, which must end within RESERVATION_MS.
 */
export const BUCKET_PUT_RETRIES_MAX = 16;

/** How long the record of a call waits for the end of its journal to be in the bucket; afterwards it is shipped when that is possible. */
export const BUCKET_END_MS_MAX = 5_000;

/** How long after the end of a call its node may still bring the end of its journal; afterwards the record is made of what was shipped. */
export const INCOMPLETE_AFTER_MS = 3_600_000;

/** How often local files are compared with the store and the bucket. */
export const LOCAL_FILES_CHECK_MS = 60_000;

/** How long a local copy of what is in the bucket is kept after its last use. */
export const LOCAL_COPY_MS = 10 * 60_000;

/** Calls that are looked up in the store by one query. */
export const LOCAL_FILES_PER_QUERY = 500;

/** When a deletion is tried again: for a month where the bucket is away, because what is left are words and audio. */
export const BUCKET_DELETION_RETRIES_MS: readonly number[] = [
  ...[10_000, 60_000, 600_000],
  ...Array.from({ length: 24 * 30 }, () => 3_600_000),
];

/** Journals of taken calls whose growth is remembered; of more, that of the oldest is observed from the beginning. */
export const GROWING_JOURNALS_MAX = 10_000;

/** How soon the beginning of a new journal is shipped: where the node is lost or cut off soon after, it has a record all the same. */
export const BUCKET_BEGINNING_MS = 1_000;
