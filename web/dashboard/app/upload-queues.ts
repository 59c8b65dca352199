import { effect } from "@preact/signals";
import { currentSession } from "./session.ts";
import { type NamedFile, UploadQueue, type UploadQueueOptions } from "./uploads.ts";

/** They go on while other pages are looked at, so they are not of a page. */
const queues = new Map<string, UploadQueue<never, unknown>>();

/** The uploads of the person who is signed in to one place, such as a corpus; `options` count when it is asked for first. */
export function uploadQueue<File extends NamedFile, Answer>(
  place: string,
  options: UploadQueueOptions<File, Answer>,
): UploadQueue<File, Answer> {
  const key = `${currentSession()?.user.id ?? ""} ${place}`;
  const known = queues.get(key) as UploadQueue<File, Answer> | undefined;
  if (known !== undefined) return known;
  const made = new UploadQueue(options);
  queues.set(key, made as unknown as UploadQueue<never, unknown>);
  effect(() => {
    void made.uploads.value;
    warnBeforeLeaving();
  });
  return made;
}

/** The browser asks before it closes a page that is sending. */
function warnBeforeLeaving(): void {
  const isBusy = [...queues.values()].some((queue) => queue.isBusy);
  window.onbeforeunload = isBusy ? (event) => event.preventDefault() : null;
}
