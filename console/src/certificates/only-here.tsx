import type { ReactNode } from "react";
import { words } from "../words/words.ts";
import type { Certificate } from "./state.tsx";

/** Hosts that lead to the reader's own machine, or to none. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/** A warning before a label is printed whose code would lead buyers nowhere. */
export const OnlyHere = ({ verify_url }: Pick<Certificate, "verify_url">): ReactNode =>
	LOOPBACK.test(new URL(verify_url).hostname) ? <p className="wrong">{words.certificate.onlyHere}</p> : null;
