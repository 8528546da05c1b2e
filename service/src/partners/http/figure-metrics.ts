import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export function metricsOn(registry: Registry) {
	const registers = [registry];
	return {
		counter: (name: string, help: string, labelNames: string[]) => new Counter({ name, help, labelNames, registers }),
		gauge: (name: string, help: string, labelNames: string[] = []) => new Gauge({ name, help, labelNames, registers }),
		histogram: (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
			new Histogram({ name, help, buckets, labelNames, registers }),
	};
}

/** One value of a figure, with its labels. */
export interface Sample {
	readonly labels: { readonly [label: string]: string };
	readonly value: number;
}

/** Figures that are updated at intervals and keep their values in between. */
export interface Figures {
	/** Replaces all values. */
	note(samples: readonly Sample[]): void;
}

export interface FigureOptions {
	readonly name: string;
	readonly help: string;
	readonly labelNames?: readonly string[];
}

/** A figure that tasks update. Absent until the first update. */
export function createFigures(registry: Registry, { name, help, labelNames = [] }: FigureOptions): Figures {
	const gauge = new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
	gauge.reset();
	return {
		note(samples) {
			gauge.reset();
			for (const { labels, value } of samples) gauge.set(labels, value);
		},
	};
}

/** A figure with labels that is read at each scrape. */
export function addFigure(
	registry: Registry,
	{ name, help, labelNames = [] }: FigureOptions,
	read: () => readonly Sample[] | Promise<readonly Sample[]>,
): void {
	new Gauge({
		name,
		help,
		labelNames: [...labelNames],
		registers: [registry],
		async collect() {
			const samples = await read();
			this.reset();
			for (const { labels, value } of samples) this.set(labels, value);
		},
	});
}
