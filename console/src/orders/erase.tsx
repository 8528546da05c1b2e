import { type FormEvent, type ReactNode, useState } from "react";
import { useLongWrite } from "../api/run.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { words } from "../words/words.ts";

/** Erases the customer's data of an order that has ended. */
export function EraseCustomer({ orderId }: { orderId: string }): ReactNode {
	const [isOpen, setOpen] = useState(false);
	return (
		<>
			<button type="button" onClick={() => setOpen(true)}>
				{words.orders.erase}
			</button>
			{isOpen ? <Erase orderId={orderId} onClose={() => setOpen(false)} /> : null}
		</>
	);
}

function Erase({ orderId, onClose }: { orderId: string; onClose: () => void }): ReactNode {
	const { run, isBusy, progress, error } = useLongWrite("erase_customers");
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		if ((await run({ body: { order: orderId } })) !== null) onClose();
	};
	return (
		<Dialog title={words.orders.erase} onClose={onClose}>
			<form onSubmit={(event) => void submit(event)}>
				<Problem error={error} />
				<p>{words.orders.eraseHint}</p>
				<Progress run={progress} isBusy={isBusy} />
				<Buttons send={words.orders.erase} isBusy={isBusy} leave={words.close} onLeave={onClose} />
			</form>
		</Dialog>
	);
}
