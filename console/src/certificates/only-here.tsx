import type { ReactNode } from "react";
import { isLocal } from "../parts/local.ts";
import { words } from "../words/words.ts";
import type { Certificate } from "./state.tsx";

/** Warns, before a label is printed, that its code would lead buyers nowhere. */
export const OnlyHere = ({ verify_url }: Pick<Certificate, "verify_url">): ReactNode =>
	isLocal(verify_url) ? <p className="wrong">{words.certificate.onlyHere}</p> : null;
