import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Makes the metrics of a registry. */
export function metricsOn(registry: Registry) {
	const registers = [registry];
	return {
		counter: (name: string, help: string, labelNames: string[]) => new Counter({ name, help, labelNames, registers }),
		gauge: (name: string, help: string, labelNames: string[] = []) => new Gauge({ name, help, labelNames, registers }),
		histogram: (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
			new Histogram({ name, help, buckets, labelNames, registers }),
	};
}

/** One value of a figure, and what tells it from the others. */
export interface Sample {
	readonly labels: { readonly [label: string]: string };
	readonly value: number;
}

/** Figures that somebody looks up now and then, and which stand until the next look. */
export interface Figures {
	/** Puts these values in the place of the last ones. */
	note(samples: readonly Sample[]): void;
}

export interface FigureOptions {
	readonly name: string;
	readonly help: string;
	readonly labelNames?: readonly string[];
}

/** A figure that tasks look up. Absent until the first look. */
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

/** A figure with labels that is read when the metrics are. */
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
