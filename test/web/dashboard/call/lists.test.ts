import { describe, expect, test } from "vitest";
import { RowHeights } from "../../../../web/dashboard/app/row-heights.ts";
import { fieldsText, filteredEvents, groupOf } from "../../../../web/dashboard/pages/call/model/event-rows.ts";
import { timelineOf } from "../../../../web/dashboard/pages/call/model/timeline.ts";
import { transcriptSrt, transcriptText } from "../../../../web/dashboard/pages/call/model/transcript-files.ts";
import { transcriptRows } from "../../../../web/dashboard/pages/call/model/transcript-rows.ts";
import type { Turn } from "../../../../web/dashboard/pages/call/model/types.ts";
import { goldenCall } from "./golden.ts";

const rowsOf = (name: string) => {
  const { facts, events } = goldenCall(name);
  return transcriptRows(timelineOf(facts, events));
};

describe("the transcript in time", () => {
  test("says of an interrupted turn what the caller did not hear", () => {
    expect(rowsOf("websocket/interruption")).toMatchObject([
      { role: "agent", text: "Hello, this is the bakery.", unheard: "", turnId: 1 },
      { role: "user", text: "what do you sell", turnId: 2 },
      {
        role: "agent",
        text: "We have rye bread, white bread, rolls, and",
        unheard: "on Fridays a plum cake that people come for from far away.",
        isInterrupted: true,
        delayMs: 727,
        turnId: 2,
      },
      { role: "user", text: "wait I meant today", turnId: 3 },
      { role: "agent", text: "We are open until six.", unheard: "", turnId: 3 },
    ]);
  });

  test("has the tools between the turns", () => {
    const notes = rowsOf("carrier_a/slow-tool").filter(({ kind }) => kind === "note");
    expect(notes).toMatchObject([{ startMs: 4_272, text: "Tool find_order: 4.0 s, failed", turnId: 2 }]);
  });
});

describe("files of a transcript", () => {
  const TURNS: Turn[] = [
    { role: "agent", text: "Hello.\n\nWho is there?", startMs: 0, endMs: 1_400, interrupted: false },
    { role: "user", startMs: 2_000, endMs: 2_500, interrupted: false },
    { role: "user", text: "Me.", startMs: 3_723_004, endMs: 3_724_000, interrupted: false },
  ];

  test("as text has a line for each turn", () => {
    expect(transcriptText(TURNS)).toBe(
      "[00:00:00.000] Agent: Hello. Who is there?\n[00:00:02.000] Caller: \n[01:02:03.004] Caller: Me.\n",
    );
  });

  test("as SRT has a cue for each turn with words, numbered, without a blank line in it", () => {
    expect(transcriptSrt(TURNS)).toBe(
      "1\n00:00:00,000 --> 00:00:01,400\nAgent: Hello. Who is there?\n\n2\n01:02:03,004 --> 01:02:04,000\nCaller: Me.\n",
    );
  });
});

describe("the table of events", () => {
  const { events } = goldenCall("carrier_a/slow-tool");

  test("leaves out what comes many times a second, unless it is asked for", () => {
    const coarse = filteredEvents(events, { group: undefined, isFine: false });
    expect(coarse.map((place) => events[place]?.kind)).not.toContain("segment-audio");
    expect(filteredEvents(events, { group: undefined, isFine: true })).toHaveLength(events.length);
  });

  test("has those of one kind alone, each at its place", () => {
    const tools = filteredEvents(events, { group: "Tools", isFine: false });
    expect(tools.map((place) => events[place]?.kind)).toEqual(["run-tool", "tool-result"]);
  });

  test("puts a kind that it does not know among those of the call", () => {
    expect(groupOf({ atMs: 0, source: "command", kind: "new-kind" } as never)).toBe("Call");
  });

  test("shows the fields of an event on one line", () => {
    const event = events.find(({ kind }) => kind === "run-tool");
    expect(event && fieldsText(event)).toBe('turnId: 2  toolCallId: 2.1  name: find_order  arguments: {"order":"12"}');
  });
});

describe("the heights of rows", () => {
  test("are estimates until they are measured, and what comes after moves with them", () => {
    const heights = new RowHeights(100, () => 20);
    expect([heights.offsetOf(10), heights.totalHeight]).toEqual([200, 2_000]);
    expect(heights.measured(5, 50)).toBe(true);
    expect(heights.measured(5, 50)).toBe(false);
    expect([heights.offsetOf(5), heights.offsetOf(6), heights.totalHeight]).toEqual([100, 150, 2_030]);
  });

  test("say which row is where", () => {
    const heights = new RowHeights(4, (index) => 10 * (index + 1));
    expect([-5, 0, 9, 10, 29, 30, 99, 1_000].map((offset) => heights.rowAt(offset))).toEqual([0, 0, 0, 1, 1, 2, 3, 3]);
    expect(new RowHeights(0, () => 10).rowAt(5)).toBe(0);
  });

  test("grow and shrink with the list, and forget what was measured", () => {
    const heights = new RowHeights(2, () => 10);
    heights.measured(0, 30);
    heights.resize(3);
    expect(heights.totalHeight).toBe(50);
    heights.resize(1);
    expect(heights.totalHeight).toBe(30);
    heights.forget();
    expect(heights.totalHeight).toBe(10);
  });
});
