import { defineKinds } from "../../ground/engine/kind.ts";
import { correct } from "./correct.ts";
import { drawDown } from "./draw-down.ts";
import { receive } from "./receive.ts";

export const STOCK_COMMANDS = defineKinds({ receive, correct, drawDown });
