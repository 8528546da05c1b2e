import { type ReactNode, useEffect } from "react";
import { Link, useSearchParams } from "react-router";
import type { Asked, DataOf } from "../api/call.ts";
import { useFile } from "../api/file.ts";
import { useWrite } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Empty, Loading, Page, Problem } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { AllStops } from "./all-stops.tsx";
import { FinishWalk } from "./finish-walk.tsx";
import { isCodeOf } from "./lot-code.ts";
import { nameOfStop, type PickStop, useMarks } from "./marks.ts";
import { Said, useSaid } from "./said.tsx";
import { Stop } from "./stop.tsx";

type PickList = DataOf<"make_pick_list">;

/** The pick list as a walk from location to location. Its address says for which orders, or for how many boxes. */
export default function Walk({ me }: { me: Me }): ReactNode {
	const mayPick = hasRole(me, "warehouse");
	const [search] = useSearchParams();
	const asked = search.toString();
	// it is asked for once: the list must not change under the feet of who walks
	const { run, done: list, error } = useWrite("make_pick_list");
	useEffect(() => {
		if (mayPick) void run({ body: bodyOf(new URLSearchParams(asked)) });
	}, [asked, mayPick]);
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
						{list === undefined ? null : <Paper asked={bodyOf(search)} />}
						{back}
					</>
				}
			>
				<Problem error={error} retry={() => void run({ body: bodyOf(search) })} />
				{mayPick ? null : <Empty title={words.walk.needsRole} hint={words.walk.needsRoleHint} />}
				{mayPick && list === undefined && error === null ? <Loading /> : null}
				{list === undefined ? null : <Stops key={asked} list={list} />}
			</Page>
		</div>
	);
}

/** The walk on paper, to tick off. */
function Paper({ asked: body }: { asked: WalkBody }): ReactNode {
	const { save, isBusy, error } = useFile("make_pick_list", "application/pdf");
	return (
		<>
			<Problem error={error} />
			<button type="button" disabled={isBusy} onClick={() => void save({ body }, words.walk.file)}>
				{words.walk.print}
			</button>
		</>
	);
}

type WalkBody = NonNullable<Asked<"make_pick_list">["body"]>;

function bodyOf(search: URLSearchParams): WalkBody {
	const order_ids = search.getAll("order");
	if (order_ids.length > 0) return { order_ids };
	const [boxes, brand_code] = [search.get("boxes"), search.get("brand_code")];
	return { ...(boxes ? { boxes: Number(boxes) } : {}), ...(brand_code ? { brand_code } : {}) };
}

function Stops({ list: { stops, units } }: { list: PickList }): ReactNode {
	const [marks, mark] = useMarks();
	const { message, say, clear } = useSaid();
	const index = stops.findIndex((stop) => marks[nameOfStop(stop)] === undefined);
	const stop = stops[index];
	const take = (taken: PickStop): void => {
		mark(taken, "taken");
		say("right", words.walk.right(taken.batch_number));
	};
	const scan = (code: string): void => {
		if (stop === undefined) return;
		const before = stops.find((one) => isCodeOf(one, code) && marks[nameOfStop(one)] === "taken");
		if (isCodeOf(stop, code)) take(stop);
		else if (before !== undefined) say("told", words.walk.takenAlready(before.batch_number));
		else say("wrong", whyWrong(stops, stop, code));
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
			{isDone ? (
				<FinishWalk stops={stops} marks={marks} />
			) : (
				<Stop
					stop={stop}
					onScan={scan}
					onTake={() => take(stop)}
					onMissing={() => {
						mark(stop, "missing");
						clear();
					}}
				/>
			)}
			<AllStops stops={stops} marks={marks} onUndo={(one) => mark(one, null)} />
		</>
	);
}

/** Why a scanned code does not confirm the present stop. */
function whyWrong(stops: readonly PickStop[], stop: PickStop, code: string): string {
	const wrong = words.walk.wrong(code, stop.batch_number);
	const other = stops.find((one) => isCodeOf(one, code));
	if (other === undefined) return wrong;
	return `${wrong} ${words.walk.wrongElsewhere(code, other.location ?? words.walk.noLocation)}`;
}
