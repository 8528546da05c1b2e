import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import type { Me } from "../app/roles.ts";
import { List } from "../parts/list.tsx";
import { Facts, Failed, Loading, Page, Problem, State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { LotActions } from "./lot-actions.tsx";
import { LotCertificates, LotHolds, LotRecall } from "./lot-links.tsx";
import { MOVE_COLUMNS } from "./move-columns.tsx";

/** One lot: where its units are, whom they are for, and every move of them. */
export default function LotPage({ me }: { me: Me }): ReactNode {
	const { fg_id = "" } = useParams();
	const params = { fg_id };
	const { data: lot, error, refetch } = useRead("get_lot", { params });
	const retry = (): void => void refetch();
	if (lot === undefined) {
		return error === null ? <Loading /> : <Failed title={words.stock.title} error={error} retry={retry} />;
	}
	return (
		<Page title={`${lot.formula} ${lot.batch_number}`} actions={<LotActions lot={lot} me={me} />}>
			<Problem error={error} retry={retry} />
			{lot.recalled_at === null ? null : <LotRecall lot={lot} at={lot.recalled_at} />}
			<LotFacts lot={lot} />
			<LotHolds fg_id={lot.fg_id} />
			<LotCertificates batch_number={lot.batch_number} />
			<List
				id="list_lot_moves"
				params={params}
				caption={words.stock.moves}
				keyOf={({ seq }) => String(seq)}
				empty={{ title: words.lot.noMoves, hint: words.lot.noMovesHint }}
				emptyFiltered={words.lot.noMoves}
				columns={MOVE_COLUMNS}
			/>
		</Page>
	);
}

const LotFacts = ({ lot }: { lot: DataOf<"get_lot"> }): ReactNode => (
	<Facts
		facts={[
			[
				words.stock.formula,
				<Link key="formula" to={`/catalogue/formulas?q=${encodeURIComponent(lot.formula)}`}>
					{lot.formula}
				</Link>,
			],
			[words.stock.pool, lot.brand_code ?? words.stock.shared],
			[
				words.stock.expires,
				lot.expires_on === null ? (
					words.lot.never
				) : (
					<State key="expires" word={lot.expires_on} tone={lot.in_date ? "plain" : "bad"} />
				),
			],
			[words.lot.receivedOn, lot.received_on],
			[words.stock.location, lot.location],
			[words.stock.available, lot.available],
			[words.stock.held, lot.held],
			[words.stock.allocated, lot.allocated],
			[words.stock.quarantined, lot.quarantined],
			[words.lot.consumed, lot.consumed],
			[words.lot.shipped, lot.shipped],
			[words.lot.destroyed, lot.destroyed],
		]}
	/>
);
