import { useState } from "react";
import { useNavigate } from "react-router";
import { CallError } from "../api/call.ts";
import { words } from "../words/words.ts";
import { searchOrder } from "./find-order.ts";
import { LEAVING } from "./scanner.ts";

/** Opens the page on which the order of a scanned or typed number is packed. `problem`: why it could not be opened. */
export function useOpenOrder(): { readonly open: (code: string) => Promise<unknown>; readonly problem: string | null } {
	const navigate = useNavigate();
	const [problem, setProblem] = useState<string | null>(null);
	const open = async (code: string): Promise<unknown> => {
		setProblem(null);
		try {
			const id = await searchOrder(code);
			if (id !== null) {
				void navigate(`/warehouse/orders/${id}`);
				return LEAVING;
			}
			setProblem(words.queue.notFound(code));
		} catch (error) {
			if (!(error instanceof CallError)) throw error;
			setProblem(error.message);
		}
		return null;
	};
	return { open, problem };
}
