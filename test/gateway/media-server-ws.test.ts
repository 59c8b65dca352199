import { describe } from "vitest";
import { mediaServerContract } from "../contract/media-server/media-server-contract.ts";

describe("the media server on ws", () => mediaServerContract("ws"));
