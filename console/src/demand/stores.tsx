import { type ReactNode, useState } from "react";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { type Column, List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { useBrandFilter } from "./pool.tsx";
import { RemoveStore, SetStore, type Store } from "./store-dialogs.tsx";

type Doing = { readonly verb: "set" | "remove"; readonly of: Store };

/** A store whose stock nobody has set yet. */
const newStore = (store: string): Store => ({ store, brand_code: null, shared: false });

/** The stores of the label platform, and unknown stores with waiting orders. */
export default function Stores({ me }: { me: Me }): ReactNode {
	const brand = useBrandFilter();
	const [doing, setDoing] = useState<Doing | null>(null);
	const mayWrite = hasRole(me, "operator");
	const close = (): void => setDoing(null);
	const set = (
		<button type="button" className="main" onClick={() => setDoing({ verb: "set", of: newStore("") })}>
			{words.stores.set}
		</button>
	);
	return (
		<Page title={words.stores.title} actions={mayWrite ? set : undefined}>
			<p>{words.stores.intro}</p>
			<Unknown onSet={mayWrite ? (store) => setDoing({ verb: "set", of: newStore(store) }) : null} />
			<List
				id="list_stores"
				caption={words.stores.title}
				filters={[{ name: "q", label: words.stores.q }, brand]}
				keyOf={({ store }) => store}
				empty={{ title: words.stores.empty, hint: words.stores.emptyHint }}
				emptyFiltered={words.stores.emptyFiltered}
				columns={mayWrite ? [...COLUMNS, actColumn(setDoing)] : COLUMNS}
			/>
			{doing?.verb === "set" ? <SetStore of={doing.of} onClose={close} /> : null}
			{doing?.verb === "remove" ? <RemoveStore of={doing.of} onClose={close} /> : null}
		</Page>
	);
}

const COLUMNS: readonly Column<Store>[] = [
	{ head: words.stores.store, cell: ({ store }) => store },
	{ head: words.stores.brand, cell: ({ brand_code }) => brand_code ?? words.stock.shared },
	{
		head: words.stores.shared,
		cell: ({ brand_code, shared }) => (brand_code === null || shared ? words.stores.yes : words.stores.no),
	},
];

const actColumn = (act: (doing: Doing) => void): Column<Store> => ({
	head: words.exceptions.act,
	cell: (one) => (
		<div className="actions">
			{(["set", "remove"] as const).map((verb) => (
				<button key={verb} type="button" onClick={() => act({ verb, of: one })}>
					{verb === "set" ? words.stores.change : words.stores.remove}
					<span className="unseen"> {one.store}</span>
				</button>
			))}
		</div>
	),
});

/** Stores that orders name, but that nobody has set: nothing is promised for them. */
function Unknown({ onSet }: { onSet: ((store: string) => void) | null }): ReactNode {
	const { data } = useRead("list_stores", { query: { limit: 1 } });
	if (data === undefined || data.unknown.length === 0) return null;
	return (
		<section className="card">
			<h2>{words.stores.unknown}</h2>
			<p>{words.stores.unknownHint}</p>
			<ul className="plain">
				{data.unknown.map((store) => (
					<li key={store}>
						{onSet === null ? (
							store
						) : (
							<button type="button" onClick={() => onSet(store)}>
								{words.stores.setOne(store)}
							</button>
						)}
					</li>
				))}
			</ul>
		</section>
	);
}
