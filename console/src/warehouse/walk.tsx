import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation, useNavigate, useSearchParams } from "react-router";
import { type Asked, CallError } from "../api/call.ts";
import { useFile } from "../api/file.ts";
import { useWrite } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Empty, Loading, Page, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { AllStops } from "./all-stops.tsx";
import { FinishWalk } from "./finish-walk.tsx";
import { isCodeOf } from "./lot-code.ts";
import { keepListOfWalk, listOfWalk, nameOfStop, type PickList, type PickStop, useMarks } from "./marks.ts";
import { nameOfOrder } from "./order-name.ts";
import { usePicking } from "./picking.ts";
import { Said, useSaid } from "./said.tsx";
import { wrongWithStop } from "./stale-stop.ts";
import { Stop } from "./stop.tsx";
import { recalledBatchIn } from "./what-is.ts";

/** The pick list as a walk from location to location. Its address says for which orders, or for how many boxes. */
export default function Walk({ me }: { me: Me }): ReactNode {
	const mayPick = hasRole(me, "warehouse");
	const [search] = useSearchParams();
	const { search: address, state } = useLocation();
	const navigate = useNavigate();
	/** Names the walk in its entry of the tab's history; null: its list was not made yet. */
	const walk = (state as { readonly walk?: string } | null)?.walk ?? null;
	const { run, error } = useWrite("make_pick_list");
	// it is made once, and kept: the list must not change while a person works through it
	const last = useRef<{ readonly walk: string; readonly list: PickList } | null>(null);
	const [list, setList] = useState(() => listOfWalk(walk));
	const [round, setRound] = useState(1);
	const make = async (): Promise<void> => {
		const made = await run({ body: bodyOf(search) });
		if (made === null) return;
		last.current = { walk: crypto.randomUUID(), list: made };
		keepListOfWalk(last.current);
		setRound(round + 1);
		await navigate({ search: address }, { replace: true, state: { walk: last.current.walk } });
	};
	useEffect(() => {
		const known = last.current?.walk === walk ? last.current.list : listOfWalk(walk);
		setList(known);
		if (mayPick && known === null) void make();
	}, [walk, address, mayPick]);
	const chosen = new Set(search.getAll("order")).size;
	const back = (
		<Link className="button" to="/warehouse">
			{words.walk.back}
		</Link>
	);
	return (
		<div className="touch">
			<Page
				title={words.walk.title}
				actions={
					<>
						{list === null ? null : <Paper list={list} />}
						{back}
					</>
				}
			>
				<Problem error={error} retry={() => void make()} />
				{mayPick ? null : <Empty title={words.walk.needsRole} hint={words.walk.needsRoleHint} />}
				{mayPick && list === null && error === null ? <Loading /> : null}
				{list !== null && list.orders < chosen && list.orders > 0 ? (
					<p className="quiet">{words.walk.leftOut(chosen - list.orders)}</p>
				) : null}
				{list === null ? null : <Stops key={`${round} ${walk}`} list={list} me={me} again={make} />}
			</Page>
		</div>
	);
}

/** The walk on paper, to tick off: for the orders that are shown, whatever the queue has now. */
function Paper({ list }: { list: PickList }): ReactNode {
	const shown = new Set(list.stops.flatMap(({ orders }) => orders.map(({ order_id }) => order_id)));
	const body = { order_ids: [...shown] };
	const { save, isBusy, error } = useFile("make_pick_list", "application/pdf");
	return (
		<>
			<Problem error={error} />
			<button type="button" disabled={isBusy || shown.size === 0} onClick={() => void save({ body }, words.walk.file)}>
				{words.walk.print}
			</button>
		</>
	);
}

type WalkBody = NonNullable<Asked<"make_pick_list">["body"]>;

function bodyOf(search: URLSearchParams): WalkBody {
	const order_ids = search.getAll("order");
	if (order_ids.length > 0) return { order_ids, to_pick: true };
	const [boxes, brand_code] = [search.get("boxes"), search.get("brand_code")];
	return { ...(boxes ? { boxes: Number(boxes) } : {}), ...(brand_code ? { brand_code } : {}) };
}

interface StopsProps {
	readonly list: PickList;
	readonly me: Me;
	/** Makes the list again, from the lots that the orders have now. */
	readonly again: () => unknown;
}

function Stops({ list: { stops, units }, me, again }: StopsProps): ReactNode {
	const [marks, mark] = useMarks();
	const { message, say, clear } = useSaid();
	const picking = usePicking();
	const [reopened, setReopened] = useState(0);
	const index = stops.findIndex((stop) => marks[nameOfStop(stop)] === undefined);
	const stop = stops[index];
	const [isStale, setIsStale] = useState(false);
	const take = async (taken: PickStop): Promise<void> => {
		const wrong = await wrongWithStop(taken);
		if (wrong !== null) {
			setIsStale(true);
			return say("wrong", wrong);
		}
		mark(taken, "taken");
		say("right", words.walk.right(taken.batch_number));
	};
	const scan = async (code: string): Promise<void> => {
		if (stop === undefined) return;
		const before = stops.find((one) => isCodeOf(one, code) && marks[nameOfStop(one)] === "taken");
		if (isCodeOf(stop, code)) await take(stop);
		else if (before !== undefined) say("told", words.walk.takenAlready(before.batch_number));
		else say("wrong", await whyWrong(stops, stop, code));
	};
	if (stops.length === 0) return <Empty title={words.walk.empty} hint={words.walk.emptyHint} />;
	const taken = stops.filter((one) => marks[nameOfStop(one)] === "taken").reduce((sum, one) => sum + one.units, 0);
	const isDone = stop === undefined;
	return (
		<>
			<progress value={taken} max={units} aria-label={words.walk.progress} />
			<p>
				{isDone ? null : <span className="strong">{words.walk.at(index + 1, stops.length)}</span>}{" "}
				{words.walk.taken(taken, units)}
			</p>
			<Said message={message} />
			{isStale || [...picking.outcomes.values()].some(({ outcome }) => outcome === "refused") ? (
				<div className="buttons">
					<button type="button" className="main" onClick={again}>
						{words.walk.again}
					</button>
				</div>
			) : null}
			{isDone ? (
				<FinishWalk stops={stops} marks={marks} picking={picking} mayCorrect={hasRole(me, "operator")} />
			) : (
				<Stop
					stop={stop}
					reopened={reopened}
					onScan={scan}
					onTake={() => void take(stop)}
					onMissing={() => {
						mark(stop, "missing");
						clear();
					}}
				/>
			)}
			<AllStops
				stops={stops}
				marks={marks}
				isPicked={(id) => picking.outcomes.get(id)?.outcome === "picked"}
				onUndo={(one) => {
					mark(one, null);
					clear();
					setReopened(reopened + 1);
				}}
			/>
		</>
	);
}

/** Why a scanned code does not confirm the present stop. What is recalled is put aside, whatever the stop is. */
async function whyWrong(stops: readonly PickStop[], stop: PickStop, code: string): Promise<string> {
	const other = stops.find((one) => isCodeOf(one, code));
	const order = stops.flatMap(({ orders }) => orders).find((one) => nameOfOrder(one) === code);
	if (other === undefined && order !== undefined) return words.walk.isOrder(code);
	const wrong = words.walk.wrong(code, stop.batch_number);
	if (other !== undefined)
		return `${wrong} ${words.walk.wrongElsewhere(code, other.location ?? words.walk.noLocation)}`;
	try {
		const recalled = await recalledBatchIn(code);
		return recalled === null ? wrong : words.walk.recalled(recalled);
	} catch (error) {
		if (!(error instanceof CallError)) throw error;
		return wrong; // the code is wrong, whatever the service would have answered
	}
}
