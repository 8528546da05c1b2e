import { defineKinds } from "../../ground/engine/kind.ts";
import { destroy, quarantine } from "./quarantine.ts";
import { recall } from "./recall.ts";
import { restore } from "./restore.ts";

/** The commands that take units of bad lots from holds and orders, and give them back. */
export const RECALL_COMMANDS = defineKinds({ quarantine, destroy, recall, restore });
