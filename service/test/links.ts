import { createLinks } from "../src/assembly/links.ts";

/** Addresses for events, for tests without a service that has an address. */
export const LINKS = createLinks(() => "https://coa.example.com", { carriers: {} });
