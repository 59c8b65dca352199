import { expect, test } from "vitest";
import { RECORDS_WAITING_MAX } from "../../../src/core/limits/storage/storage.ts";
import { Admission } from "../../../src/process/control/admission.ts";

const state = () => ({
  databaseLost: false,
  diskLow: false,
  workers: 1,
  rendererFailing: false,
  recordsWaiting: 0,
  freeSlots: 1,
});

function admissionOf(values: ReturnType<typeof state>): Admission {
  return new Admission({
    isDatabaseLost: () => values.databaseLost,
    isDiskLow: () => values.diskLow,
    workerCount: () => values.workers,
    isRendererFailing: () => values.rendererFailing,
    recordsWaiting: () => values.recordsWaiting,
    freeSlots: () => values.freeSlots,
  });
}

test.each([
  ["the database is lost", { databaseLost: true }, "database_lost"],
  ["the disk is low", { diskLow: true }, "insufficient_storage"],
  ["no worker is connected", { workers: 0 }, "unavailable"],
  ["the renderer cannot be started", { rendererFailing: true }, "unavailable"],
  ["too many records are waiting", { recordsWaiting: RECORDS_WAITING_MAX }, "overloaded"],
  ["no slot is free", { freeSlots: 0 }, "overloaded"],
  ["more slots are taken than there are", { freeSlots: -1 }, "overloaded"],
] as const)("New calls are refused while %s", (_, change, reason) => {
  const values = state();
  const admission = admissionOf(values);
  expect(admission.newCalls).toEqual({ accepted: true });
  Object.assign(values, change);
  expect(admission.newCalls).toEqual({ accepted: false, reason });
  Object.assign(values, state());
  expect(admission.newCalls).toEqual({ accepted: true });
});

test("Draining refuses new calls for good and is the first of several reasons", () => {
  const values = { ...state(), databaseLost: true, diskLow: true, workers: 0, freeSlots: 0 };
  const admission = admissionOf(values);
  admission.drain();
  expect(admission.newCalls).toEqual({ accepted: false, reason: "draining" });
  Object.assign(values, state());
  expect(admission.newCalls).toEqual({ accepted: false, reason: "draining" });
});

test("Of several reasons the one that the operator must act on comes first", () => {
  const values = { ...state(), databaseLost: true, diskLow: true, workers: 0, freeSlots: 0 };
  const admission = admissionOf(values);
  const reason = (): unknown => admission.newCalls;
  expect(reason()).toMatchObject({ reason: "database_lost" });
  values.databaseLost = false;
  expect(reason()).toMatchObject({ reason: "insufficient_storage" });
  values.diskLow = false;
  expect(reason()).toMatchObject({ reason: "unavailable" });
  values.workers = 1;
  expect(reason()).toMatchObject({ reason: "overloaded" });
});
