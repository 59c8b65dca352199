import { type Signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import type { CallActivity } from "../../../app/events/activity.ts";
import { liveActivity, useEvents } from "../../../app/events/use-events.ts";
import { durationText, timeText } from "../../../app/format.ts";
import { mayAct } from "../../../app/roles.ts";
import { useQuery } from "../../../app/use-query.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { ErrorNote, Failure } from "../../../ui/failure.tsx";
import { ListenPanel, useListening } from "../../../ui/listen.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Page, Section } from "../../../ui/page.tsx";
import { Playback } from "../../../ui/playback.ts";
import { Player } from "../../../ui/player.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import type { SilenceExplainer } from "../model/silences.ts";
import type { Timeline } from "../model/timeline.ts";
import { transcriptRows } from "../model/transcript-rows.ts";
import type { Call, Span } from "../model/types.ts";
import { lengthOf, revealing, type View, viewFrom, wholeCall } from "../model/viewport.ts";
import type { CallData } from "./call-data.ts";
import { CallFacts, Costs } from "./call-facts.tsx";
import { type CallModel, modelOf } from "./call-model.ts";
import { Delays } from "./delays.tsx";
import { Downloads, recordingUrl } from "./downloads.tsx";
import { type Selection, sceneOf } from "./drawing.ts";
import { EventTable } from "./event-table.tsx";
import { Network } from "./network.tsx";
import { ReplyDetails, ToolDetails } from "./reply-details.tsx";
import { SilenceDetails } from "./silence-details.tsx";
import { SilenceList } from "./silence-list.tsx";
import { TimeLine } from "./time-line.tsx";
import { Transcript } from "./transcript.tsx";
import "./call-view.css";

export interface CallViewProps {
  readonly call: Call;
  /** What is loaded of it beside; it is open. */
  readonly data: CallData;
  /** Why the call could not be loaded again. */
  readonly error: unknown;
  readonly onStale: () => void;
  readonly parent: { title: string; href: string };
}

/** So much of a call is shown at first. */
const FIRST_VIEW_MS = 120_000;

export function CallView({ call, data, error, onStale, parent }: CallViewProps) {
  const playback = useMemo(() => new Playback(), [call.id]);
  useLoading(call, data, onStale);
  const events = data.events.value;
  const turns = data.turns.value;
  const isComplete = data.eventsState.value.status === "complete";
  const listening = useListening();
  const model = useMemo(() => modelOf(call, { events, turns, isComplete }), [call, events, turns, isComplete]);
  return (
    <Page
      title={titleOf(call)}
      parent={parent}
      actions={
        <>
          {call.status === "active" && mayAct("editor") && (
            <Button onClick={() => listening.start(call.id, titleOf(call))}>Listen</Button>
          )}
          <Downloads call={call} data={data} />
        </>
      }
    >
      <ErrorNote error={error} />
      <ListenPanel control={listening} />
      <CallFacts call={call} />
      {call.recording !== null && (
        <Player playback={playback} url={recordingUrl(call.id)} durationMs={call.recording.durationMs} />
      )}
      <CallBody call={call} data={data} model={model} playback={playback} />
    </Page>
  );
}

/** The other side of a telephone call; for any other call, when it was. */
function titleOf({ phone, startedAt, createdAt }: Call): string {
  if (phone !== null) return phone.direction === "outbound" ? phone.to : phone.from;
  return `Call of ${timeText(new Date(startedAt ?? createdAt), new Date())}`;
}

/** Loads the waveform when there is one, follows the call while it is live, and notices that it is gone. */
function useLoading(call: Call, data: CallData, onStale: () => void): void {
  const isOver = call.endedAt !== null;
  const wasOver = useRef(isOver);
  useEffect(() => {
    if (isOver && !wasOver.current) data.ended();
    wasOver.current = isOver;
  }, [data, isOver]);
  const hasRecording = call.recording !== null;
  useEffect(() => {
    if (hasRecording) void data.loadWaveform();
  }, [data, hasRecording]);
  useFollowing(call, data);
  // Something of an open call that is gone may mean that the call is.
  useSignalEffect(() => {
    if (data.eventsState.value.status === "gone" || data.turnsState.value.status === "gone") onStale();
  });
  useEffect(() => {
    const onShown = (): void => {
      if (!document.hidden) onStale();
    };
    document.addEventListener("visibilitychange", onShown);
    return () => document.removeEventListener("visibilitychange", onShown);
  }, [onStale]);
}

/** Reads on when a turn of the live call is complete, and when it begins and ends. */
function useFollowing(call: Call, data: CallData): void {
  const soon = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const follow = useCallback((): void => {
    void data.follow();
    clearTimeout(soon.current);
    soon.current = setTimeout(() => void data.follow(), WRITTEN_MS);
  }, [data]);
  useEvents(call.endedAt === null ? LIVE : [], ({ data: of }) => {
    const { call: about } = (of ?? {}) as { call?: { id?: string } };
    if (about === undefined || about.id === call.id) follow();
  });
  const turns = useComputed(() => turnsOf(liveActivity.value.get(call.id))).value;
  useEffect(() => {
    if (turns > 0) follow();
  }, [turns, follow]);
  useEffect(() => () => clearTimeout(soon.current), []);
}

/** How many turns are complete; 0 also where nothing is known of the call. */
const turnsOf = (activity: CallActivity | undefined): number =>
  activity === undefined ? 0 : activity.agentTurns + activity.callerTurns;

/** At these a live call has new events, besides at each turn. */
const LIVE = ["call.started", "call.ended"];
/** What has just happened can be read once it is written, within a second. */
const WRITTEN_MS = 1_200;

interface CallBodyProps {
  readonly call: Call;
  readonly data: CallData;
  readonly model: CallModel;
  readonly playback: Playback;
}

function CallBody({ call, data, model, playback }: CallBodyProps) {
  const { timeline, silences, explainer } = model;
  const view = useCallView(timeline, playback);
  const { selection, selectReply, selectSilence, seek } = useSelection(model, view, playback);
  const scene = useMemo(
    () => sceneOf(timeline, silences, data.waveform.value),
    [timeline, silences, data.waveform.value],
  );
  const rows = useMemo(() => transcriptRows(timeline), [timeline]);
  if (timeline.durationMs === 0 && data.eventsState.value.status === "complete")
    return (
      <Empty
        title={call.endedAt === null ? "The media stream has not connected yet." : "The media stream never connected."}
      />
    );
  return (
    <>
      <TimeLine
        scene={scene}
        hasRecording={call.recording !== null}
        view={view}
        playback={playback}
        selection={selection}
        onSelectReply={selectReply}
        onSelectSilence={selectSilence}
      />
      <EventsState data={data} call={call} />
      <div class="call-columns">
        <section aria-label="Transcript">
          <h2 class="call-heading">Transcript</h2>
          {rows.length === 0 ? (
            <Empty title="Nothing was said." />
          ) : (
            <Transcript
              rows={rows}
              playback={playback}
              turnId={selection.turnId}
              onSelectReply={selectReply}
              onSeek={seek}
            />
          )}
        </section>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard. */}
        <section class="call-side" aria-label="Details" tabIndex={0}>
          <p class="hidden" role="status">
            {shownText(selection)}
          </p>
          <Details
            call={call}
            timeline={timeline}
            explainer={explainer}
            selection={selection}
            onSelectReply={selectReply}
          />
        </section>
      </div>
      <Section title="All of it, in lists">
        <Lists
          call={call}
          data={data}
          model={model}
          selection={selection}
          onSelectSilence={selectSilence}
          onSeek={seek}
        />
      </Section>
    </>
  );
}

/** What is selected, by the address, and what selects and goes to other things. */
function useSelection({ timeline, silences }: CallModel, view: Signal<View>, playback: Playback) {
  const { query, change } = useQuery();
  const selection = selectionOf(query, silences);
  const reveal = (span: Span): void => {
    view.value = revealing(view.value, span, timeline.durationMs);
  };
  useEffect(() => {
    const span = selectedSpan(timeline, selection);
    if (span !== undefined) reveal(span);
  }, [selection.turnId, selection.silence?.startMs, timeline.lanes.length]);
  return {
    selection,
    selectReply: (turnId: number): void => change({ reply: String(turnId), silence: undefined }, { push: true }),
    selectSilence: (silence: Span): void => {
      change({ silence: String(silence.startMs), reply: undefined }, { push: true });
      reveal(silence);
    },
    seek: (atMs: number): void => {
      playback.seek(atMs);
      reveal({ startMs: atMs, endMs: atMs });
    },
  };
}

/** What of the call is shown: it follows what is played, and the end of a live call. */
function useCallView({ durationMs, isLive }: Timeline, playback: Playback) {
  const view = useSignal<View>({ startMs: 0, endMs: Math.min(Math.max(durationMs, 500), FIRST_VIEW_MS) });
  const known = useSignal(durationMs);
  useEffect(() => {
    const before = known.value;
    known.value = durationMs;
    const { endMs } = view.value;
    if (endMs < before || before === durationMs) return;
    view.value =
      isLive && lengthOf(view.value) >= FIRST_VIEW_MS
        ? viewFrom(view.value, durationMs, durationMs)
        : firstView(durationMs);
  }, [durationMs]);
  const isPast = useComputed(() => {
    const { startMs, endMs } = view.value;
    return playback.isPlaying.value && (playback.atMs.value > endMs || playback.atMs.value < startMs);
  });
  useSignalEffect(() => {
    if (!isPast.value) return;
    const shown = view.peek();
    view.value = viewFrom(shown, playback.atMs.peek() - 0.1 * lengthOf(shown), known.peek());
  });
  return view;
}

const firstView = (durationMs: number): View =>
  durationMs <= FIRST_VIEW_MS ? wholeCall(durationMs) : { startMs: 0, endMs: FIRST_VIEW_MS };

function selectionOf(query: Readonly<Record<string, string>>, silences: readonly Span[]): Selection {
  const turnId = query.reply === undefined ? undefined : Number(query.reply);
  const silence =
    query.silence === undefined ? undefined : silences.find(({ startMs }) => String(startMs) === query.silence);
  return { turnId: Number.isInteger(turnId) ? turnId : undefined, silence };
}

function selectedSpan({ lanes }: Timeline, { turnId, silence }: Selection): Span | undefined {
  if (silence !== undefined) return silence;
  const spans = lanes.filter((one) => one.turnId === turnId).flatMap(({ sent }) => (sent === undefined ? [] : [sent]));
  const [first] = spans;
  return first === undefined ? undefined : { startMs: first.startMs, endMs: spans.at(-1)?.endMs ?? first.endMs };
}

/** What the details are about, for those who do not see that they changed. */
function shownText({ turnId, silence }: Selection): string {
  if (silence !== undefined) return `Details: the silence at ${durationText(silence.startMs)}`;
  return turnId === undefined ? "" : `Details: reply ${turnId}`;
}

/** What of the call is not there, and why. */
function EventsState({ data, call }: { data: CallData; call: Call }) {
  const state = data.eventsState.value;
  switch (state.status) {
    case "loading":
      return <Loading what="the events" />;
    case "gone":
      return (
        <p role="status">
          <Badge tone="neutral">
            The events were deleted with the recording or the transcript, when their retention ended.
          </Badge>
        </p>
      );
    case "failed":
      return <Failure error={state.error} onRetry={() => void data.follow()} />;
    case "complete":
      if (call.endedAt === null)
        return (
          <p class="soft">
            The call is live: this is what has happened so far.{" "}
            <Button kind="quiet" onClick={() => void data.follow()}>
              Read on
            </Button>
          </p>
        );
      return call.transcriptComplete === false ? (
        <p role="status">
          <Badge tone="warn">Turns may be missing: a process was lost, or the disk was full.</Badge>
        </p>
      ) : null;
  }
}

interface DetailsProps {
  readonly call: Call;
  readonly timeline: Timeline;
  readonly explainer: SilenceExplainer;
  readonly selection: Selection;
  readonly onSelectReply: (turnId: number) => void;
}

function Details({ call, timeline, explainer, selection, onSelectReply }: DetailsProps) {
  const { turnId, silence } = selection;
  if (silence !== undefined)
    return <SilenceDetails silence={silence} explanation={explainer.explain(silence)} onSelectReply={onSelectReply} />;
  const reply = timeline.replies.find((one) => one.turnId === turnId);
  if (reply !== undefined)
    return <ReplyDetails reply={reply} lanes={timeline.lanes.filter((one) => one.turnId === turnId)} />;
  return <Delays call={call} />;
}

interface ListsProps {
  readonly call: Call;
  readonly data: CallData;
  readonly model: CallModel;
  readonly selection: Selection;
  readonly onSelectSilence: (silence: Span) => void;
  readonly onSeek: (atMs: number) => void;
}

function Lists({ call, data, model, selection, onSelectSilence, onSeek }: ListsProps) {
  const { timeline, silences, explainer } = model;
  const gaps = timeline.conditions.filter(({ kind }) => kind === "network");
  const tools = timeline.replies.flatMap((reply) => reply.tools);
  return (
    <Tabs
      label="Parts of the call"
      of="list"
      tabs={[
        {
          name: "silences",
          title: `Silences (${silences.length})`,
          content: () => (
            <SilenceList
              silences={silences}
              explainer={explainer}
              selected={selection.silence}
              onSelect={onSelectSilence}
            />
          ),
        },
        { name: "events", title: "Events", content: () => <EventTable events={data.events.value} onSeek={onSeek} /> },
        {
          name: "tools",
          title: `Tools (${tools.length})`,
          content: () =>
            tools.length === 0 ? (
              <Empty title="No tool was called." />
            ) : (
              <div class="call-tool-list">
                {tools.map((run) => (
                  <ToolDetails key={run.id} run={run} />
                ))}
              </div>
            ),
        },
        { name: "cost", title: "Cost", content: () => <Costs call={call} /> },
        {
          name: "network",
          title: "Network",
          content: () => <Network call={call} gaps={gaps} onSeek={onSeek} />,
        },
      ]}
    />
  );
}
