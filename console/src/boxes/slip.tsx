import { type ReactNode, useState } from "react";
import { useFile } from "../api/file.ts";
import { Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";

const PAPERS = ["A4", "LETTER"] as const;
type Paper = (typeof PAPERS)[number];

/** The paper size of the reader's country: these countries use LETTER. */
const usual = (): Paper => (/-(US|CA|MX)$/i.test(navigator.language) ? "LETTER" : "A4");

/** Prints the packing slip of the box in which an order waits, or else of the one that left last. */
export function Slip({ order, name }: { order: string; name: string }): ReactNode {
	const [paper, setPaper] = useState(usual);
	const { save, isBusy, error } = useFile("pack_order", "application/pdf");
	return (
		<>
			<Problem error={error} />
			<div className="buttons">
				<button
					type="button"
					disabled={isBusy}
					onClick={() => void save({ params: { id: order }, body: { paper } }, words.pack.slipFile(name))}
				>
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
