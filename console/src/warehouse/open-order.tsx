import type { FormEvent, ReactNode } from "react";
import { Field, textOf } from "../parts/form.tsx";
import { words } from "../words/words.ts";
import { Alarm } from "./alarm.tsx";
import { useScanner } from "./scanner.ts";
import { useOpenOrder } from "./use-open-order.ts";

/** Opens the page on which an order is packed: by scanning the order, or by typing its number. */
export function OpenOrder(): ReactNode {
	const { open, problem } = useOpenOrder();
	useScanner(open);
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		const code = textOf(new FormData(event.currentTarget), "order")?.trim();
		if (code) void open(code);
	};
	return (
		<>
			<form className="line" onSubmit={submit}>
				<Field
					label={words.queue.openField}
					hint={words.queue.openHint}
					name="order"
					maxLength={200}
					autoComplete="off"
					data-scan=""
				/>
				<button type="submit">{words.queue.open}</button>
			</form>
			<Alarm text={problem} />
		</>
	);
}
