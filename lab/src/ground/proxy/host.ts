/** The process of the lab's proxies: it passes bytes in time even when the lab itself is busy. */
import type { AnswerMessage, Order, OrderMessage } from "./messages.ts";
import { Proxy } from "./proxy.ts";

const proxies = new Map<number, Proxy>();

async function obey(proxy: Proxy, order: Exclude<Order, { kind: "open" }>): Promise<void> {
	switch (order.kind) {
		case "upstream":
			return proxy.switchTo(order.upstream);
		case "cut":
			return proxy.cut(order.cuts);
		case "stop-cutting":
			return proxy.stopCutting();
		case "silence":
			return proxy.silence(order.directions, order.newToo);
		case "silence-at-commit":
			return await proxy.silenceAtCommit();
		case "forget-commit":
			return proxy.forgetCommit();
		case "slow":
			return proxy.slowDown(order.slow);
		case "heal":
			return proxy.heal(order.after);
		case "look":
			return undefined;
	}
}

async function answer({ id, proxy: number, order }: OrderMessage): Promise<AnswerMessage> {
	try {
		if (order.kind === "open") {
			const opened = new Proxy(order.upstream);
			await opened.listen();
			proxies.set(number, opened);
			return { id, state: opened.state };
		}
		const proxy = proxies.get(number);
		if (proxy === undefined) throw new Error(`there is no proxy ${number}`);
		await obey(proxy, order);
		return { id, state: proxy.state };
	} catch (error) {
		return { id, error: String(error) };
	}
}

process.on("message", (message) => {
	void answer(message as OrderMessage).then((reply) => process.send?.(reply));
});
// a Ctrl-C is for the lab, which stops this process regularly
process.on("SIGINT", () => undefined);
process.on("disconnect", () => {
	for (const proxy of proxies.values()) proxy.close();
	process.exit(0);
});
