import { type ReactNode, useState } from "react";
import { CallError, callForFile } from "../api/call.ts";
import { Problem } from "../parts/page.tsx";
import { saveFile } from "../parts/save-file.ts";
import { words } from "../words/words.ts";

const PAPERS = ["A4", "LETTER"] as const;
type Paper = (typeof PAPERS)[number];

/** The paper of the reader's country: these print on LETTER. */
const usual = (): Paper => (/-(US|CA|MX)$/i.test(navigator.language) ? "LETTER" : "A4");

/** Prints the packing slip of the box in which an order waits, or else of the one that left last. */
export function Slip({ order, name }: { order: string; name: string }): ReactNode {
	const [paper, setPaper] = useState(usual);
	const [isBusy, setBusy] = useState(false);
	const [error, setError] = useState<CallError | null>(null);
	const print = async (): Promise<void> => {
		setBusy(true);
		setError(null);
		try {
			const asked = { params: { id: order }, body: { paper } };
			saveFile(await callForFile("pack_order", asked, "application/pdf"), words.pack.slipFile(name));
		} catch (caught) {
			if (!(caught instanceof CallError)) throw caught;
			setError(caught);
		} finally {
			setBusy(false);
		}
	};
	return (
		<>
			<Problem error={error} />
			<div className="buttons">
				<button type="button" disabled={isBusy} onClick={() => void print()}>
					{words.pack.slip}
				</button>
				<label>
					{words.pack.paper}{" "}
					<select value={paper} onChange={({ target }) => setPaper(target.value as Paper)}>
						{PAPERS.map((one) => (
							<option key={one}>{one}</option>
						))}
					</select>
				</label>
			</div>
		</>
	);
}
