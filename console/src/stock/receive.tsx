import { type ReactNode, useState } from "react";
import { useNavigate } from "react-router";
import type { EndedOf } from "../api/run.ts";
import { useTrial } from "../api/trial.ts";
import { useRead, useWrite } from "../api/use.ts";
import type { Me } from "../app/roles.ts";
import { Answer } from "../parts/answer.tsx";
import { Facts, Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { type Receipt, ReceiptForm } from "./receipt-form.tsx";

/** Receives units of a batch, into a new or an existing lot, after showing a preview. */
export default function Receive({ me }: { me: Me }): ReactNode {
	const navigate = useNavigate();
	const trial = useTrial("receive_batch");
	const { tried, would, isBusy, carryOut } = trial;
	const locate = useWrite("locate_lot");
	const [location, setLocation] = useState<string | null>(null);
	const confirm = async (): Promise<void> => {
		const received = await carryOut();
		if (received === null) return;
		const { fg_id } = received;
		// the page of the lot shows whether it has its location
		if (location !== null) await locate.run({ params: { fg_id }, body: { location } });
		void navigate(`/stock/${fg_id}`);
	};
	return (
		<Page title={words.receive.title}>
			<p>{words.receive.intro}</p>
			<ReceiptForm me={me} trial={trial} onLocation={setLocation} />
			{would === null || tried?.body === undefined ? null : (
				<Preview {...{ location, would, isBusy }} asked={tried.body} confirm={() => void confirm()} />
			)}
		</Page>
	);
}

interface PreviewProps {
	readonly asked: Receipt;
	readonly location: string | null;
	readonly would: EndedOf<"receive_batch">;
	readonly isBusy: boolean;
	readonly confirm: () => void;
}

/** Whether the lot exists already. */
const isKnown = ({ units }: Receipt, { received }: PreviewProps["would"]): boolean => received !== units;

/** A value of an existing lot that was not typed. */
function OfLot({ fg_id, what }: { fg_id: string; what: "expires_on" | "location" }): ReactNode {
	const { data } = useRead("get_lot", { params: { fg_id } });
	return data?.fg_id === fg_id ? (data[what] ?? words.none) : null;
}

/** The preview, and the button that carries it out. */
const Preview = ({ asked, location, would, isBusy, confirm }: PreviewProps): ReactNode => (
	<Answer className="card after" label={words.receive.would}>
		<h2>{words.receive.would}</h2>
		<Facts
			facts={[
				[words.receive.formula, asked.formula],
				[words.receive.brand, asked.brand_code ?? words.sharedStock],
				[words.receive.batch, asked.batch_number],
				[words.stock.units, asked.units],
				[
					words.receive.expires,
					asked.expires_on ?? (isKnown(asked, would) ? <OfLot key="day" {...would} what="expires_on" /> : null),
				],
				[
					words.stock.location,
					location ?? (isKnown(asked, would) ? <OfLot key="location" {...would} what="location" /> : null),
				],
				[words.reason, asked.reason],
			]}
		/>
		<p>{isKnown(asked, would) ? words.receive.knownLot(would.received) : words.receive.newLot}</p>
		{would.quarantined ? <p className="bad">{words.receive.quarantined}</p> : null}
		<button type="button" className="main" disabled={isBusy} onClick={confirm}>
			{words.receive.confirm(asked.units)}
		</button>
	</Answer>
);
