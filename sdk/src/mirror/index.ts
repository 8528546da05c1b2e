export { type Certificates, CoaMirror } from "./coa-mirror.ts";
export { InventoryMirror, type InventoryMirrorOptions } from "./inventory-mirror.ts";
export type { MirrorAlert, MirrorOptions, MirrorStatus } from "./options.ts";
export { fileStore, type MirrorStore, memoryStore } from "./store.ts";
