import { type FormEvent, type ReactNode, useState } from "react";
import { useSearchParams } from "react-router";
import { useRead } from "../api/use.ts";
import { PoolField } from "../catalogue/fields.tsx";
import { Field, textOf } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { Explained } from "./explained.tsx";

/** Maximum number of SKUs or keys that a field suggests. */
const SUGGESTED = 500;
const NAMES = ["sku", "brand_code", "key"] as const;

/** How a SKU's count is computed, now or at a past time. The question is in the address, so that it can be shared. */
export default function Explain(): ReactNode {
	const [search, setSearch] = useSearchParams();
	const asked = search.toString();
	const ask = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const question = new URLSearchParams();
		for (const name of NAMES) {
			const text = textOf(form, name);
			if (text !== undefined) question.set(name, text);
		}
		const at = textOf(form, "at");
		if (at !== undefined) question.set("at", new Date(at).toISOString());
		setSearch(question);
	};
	return (
		<Page title={words.counts.title}>
			<p>{words.counts.intro}</p>
			<Question key={asked} asked={search} onAsk={ask} />
			{search.has("sku") ? <Explained key={`answer ${asked}`} question={questionOf(search)} /> : null}
		</Page>
	);
}

function Question(props: { asked: URLSearchParams; onAsk: (event: FormEvent<HTMLFormElement>) => void }): ReactNode {
	const { asked, onAsk } = props;
	const { data: skus } = useRead("list_skus", { query: { limit: SUGGESTED } });
	const { data: keys } = useRead("list_keys", { query: { limit: SUGGESTED } });
	const [brand, setBrand] = useState(asked.get("brand_code") ?? "");
	return (
		<form onSubmit={onAsk}>
			<Field
				label={words.counts.sku}
				name="sku"
				list="skus"
				defaultValue={asked.get("sku") ?? ""}
				required
				autoComplete="off"
			/>
			<datalist id="skus">
				{skus?.items.map(({ sku, name }) => (
					<option key={sku} value={sku}>
						{name}
					</option>
				))}
			</datalist>
			<PoolField
				label={words.counts.pool}
				name="brand_code"
				none={words.counts.allPools}
				value={brand}
				onValue={setBrand}
			/>
			<Field
				label={words.counts.key}
				hint={words.counts.keyHint}
				name="key"
				list="keys"
				defaultValue={asked.get("key") ?? ""}
				autoComplete="off"
			/>
			<datalist id="keys">
				{keys?.items.map(({ pk, partner, name }) => (
					<option key={pk} value={pk}>{`${partner}: ${name}`}</option>
				))}
			</datalist>
			<Field
				label={words.counts.at}
				hint={words.counts.atHint}
				name="at"
				type="datetime-local"
				step={1}
				defaultValue={localTime(asked.get("at"))}
			/>
			<button type="submit" className="main">
				{words.counts.explain}
			</button>
		</form>
	);
}

const questionOf = (asked: URLSearchParams) => {
	const [sku = "", brand_code, key, at] = ["sku", "brand_code", "key", "at"].map(
		(name) => asked.get(name) ?? undefined,
	);
	const query = {
		...(brand_code === undefined ? {} : { brand_code }),
		...(key === undefined ? {} : { key }),
		...(at === undefined ? {} : { at }),
	};
	return { sku, query };
};

const MINUTE_MS = 60_000;
/** Characters of a local time without its milliseconds: YYYY-MM-DDTHH:MM:SS. */
const TIME_LENGTH = 19;

/** An instant as a field shows it: in the time zone of the reader. */
function localTime(at: string | null): string {
	const moment = new Date(at ?? "");
	if (Number.isNaN(moment.getTime())) return "";
	return new Date(moment.getTime() - moment.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, TIME_LENGTH);
}
