import { createLinks } from "../src/assembly/links.ts";

/** Addresses for events in tests that have no service with an address. */
export const LINKS = createLinks(() => "https://coa.example.com", { carriers: {} });
