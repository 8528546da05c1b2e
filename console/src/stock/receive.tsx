import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import type { EndedOf } from "../api/run.ts";
import { useTrial } from "../api/trial.ts";
import type { Me } from "../app/roles.ts";
import { Answer } from "../parts/answer.tsx";
import { Facts, Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { type Receipt, ReceiptForm } from "./receipt-form.tsx";

/** Receives units of a batch, into a new lot or one that is there. What will be is shown first. */
export default function Receive({ me }: { me: Me }): ReactNode {
	const navigate = useNavigate();
	const trial = useTrial("receive_batch");
	const { tried, would, isBusy, carryOut } = trial;
	const confirm = async (): Promise<void> => {
		const received = await carryOut();
		if (received !== null) void navigate(`/stock/${received.fg_id}`);
	};
	return (
		<Page title={words.receive.title}>
			<p>{words.receive.intro}</p>
			<ReceiptForm me={me} trial={trial} />
			{would === null || tried?.body === undefined ? null : (
				<Preview asked={tried.body} would={would} isBusy={isBusy} confirm={() => void confirm()} />
			)}
		</Page>
	);
}

interface PreviewProps {
	readonly asked: Receipt;
	readonly would: EndedOf<"receive_batch">;
	readonly isBusy: boolean;
	readonly confirm: () => void;
}

/** What will be, and the button that makes it so. */
const Preview = ({ asked, would, isBusy, confirm }: PreviewProps): ReactNode => (
	<Answer className="card after" label={words.receive.would}>
		<h2>{words.receive.would}</h2>
		<Facts
			facts={[
				[words.receive.formula, asked.formula],
				[words.receive.brand, asked.brand_code ?? words.sharedStock],
				[words.receive.batch, asked.batch_number],
				[words.stock.units, asked.units],
				[words.receive.expires, asked.expires_on],
			]}
		/>
		<p>{would.received === asked.units ? words.receive.newLot : words.receive.knownLot(would.received)}</p>
		{would.quarantined ? <p className="bad">{words.receive.quarantined}</p> : null}
		<button type="button" className="main" disabled={isBusy} onClick={confirm}>
			{words.receive.confirm(asked.units)}
		</button>
	</Answer>
);
