import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { toConfig } from "../../src/config.ts";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { ROOT, readText } from "../tidy/source.ts";

/*
 * deploy/compose.yml and deploy/kubernetes: that the settings are the service's, and that nothing is allowed that it
 * does not need.
 */

type Tree = Record<string, unknown>;

/** Seconds that a node needs to stop after its delay: docs/operator/running.md, "Stop". */
const STOPS_WITHIN_S = 15;
/** Maximum number of connections that a node opens: docs/operator/postgresql.md. */
const CONNECTIONS_OF_A_NODE = 38;
const { port: PORT, coaPort: COA_PORT } = toConfig({});
const SECRETS = {
	HOLDFAST_DATABASE_URL: "postgresql://holdfast:secret@db.internal:5432/holdfast",
	HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
};

describe("deploy/compose.yml", () => {
	const { services } = parse(readText("deploy/compose.yml")) as { services: Record<string, Tree> };
	const { postgres = {}, holdfast = {} } = services;

	it("confines both services, and bounds their memory, processes and logs", () => {
		for (const service of Object.values(services))
			expect(service).toMatchObject({
				read_only: true,
				cap_drop: ["ALL"],
				security_opt: ["no-new-privileges:true"],
				mem_limit: expect.stringMatching(/^\d+g$/),
				pids_limit: expect.any(Number),
				logging: { options: { "max-size": expect.any(String), "max-file": expect.any(String) } },
			});
		expect(postgres["user"]).toBe("postgres");
		expect(holdfast["user"]).toBeUndefined(); // the image's own account
	});

	it("publishes the service's ports on this machine alone", () => {
		expect(holdfast["ports"]).toEqual([`127.0.0.1:${PORT}:${PORT}`, `127.0.0.1:${COA_PORT}:${COA_PORT}`]);
		expect(postgres["ports"]).toBeUndefined();
	});

	it("gives settings that the service takes", () => {
		const given = { ...(holdfast["environment"] as Record<string, string>), ...SECRETS };
		const filled = Object.entries(given).map(([name, value]) => [
			name,
			value.replace(/\$\{\w+:-(.*)\}/, "$1").replace(/\$\{\w+_URL:\?.*\}/, "https://holdfast.example.com"),
		]);
		expect(toConfig(Object.fromEntries(filled))).toMatchObject({ trustedProxies: expect.anything() });
	});

	it("starts the service when PostgreSQL answers, has connections for two nodes, and leaves both time to stop", () => {
		expect(holdfast["depends_on"]).toEqual({ postgres: { condition: "service_healthy" } });
		const [, most] = /max_connections=(\d+)/.exec(String(postgres["command"])) ?? [];
		expect(Number(most)).toBeGreaterThan(2 * CONNECTIONS_OF_A_NODE);
		expect(Number.parseInt(String(holdfast["stop_grace_period"]), 10)).toBeGreaterThanOrEqual(STOPS_WITHIN_S);
		const { context, dockerfile } = holdfast["build"] as { context: string; dockerfile: string };
		expect(existsSync(join(ROOT, "deploy", context, dockerfile))).toBe(true);
	});
});

describe("deploy/kubernetes/holdfast.yaml", () => {
	const documents = parseAllDocuments(readText("deploy/kubernetes/holdfast.yaml")).map((one) => one.toJS() as Tree);
	const spec = (kind: string): Tree => documents.find((one) => one["kind"] === kind)?.["spec"] as Tree;
	const deployment = spec("Deployment") as {
		replicas: number;
		strategy: Tree;
		selector: { matchLabels: Tree };
		template: { metadata: { labels: Tree }; spec: Tree };
	};
	const pod = deployment.template.spec;
	const [container = {}] = pod["containers"] as Tree[];
	const [migrate = {}] = pod["initContainers"] as Tree[];
	const { data } = documents.find((one) => one["kind"] === "ConfigMap") as { data: Record<string, string> };

	it("has the parts that go together", () => {
		expect(documents.map((one) => one["kind"])).toEqual([
			"ConfigMap",
			"Deployment",
			"Service",
			"PodDisruptionBudget",
			"NetworkPolicy",
		]);
		const { labels } = deployment.template.metadata;
		expect(deployment.selector.matchLabels).toEqual(labels);
		expect(spec("Service")["selector"]).toEqual(labels);
		expect(spec("PodDisruptionBudget")["selector"]).toEqual({ matchLabels: labels });
		expect(spec("NetworkPolicy")["podSelector"]).toEqual({ matchLabels: labels });
	});

	it("gives settings that the service takes, and takes secrets from a secret", () => {
		const config = toConfig({ ...data, ...SECRETS });
		expect(config.metricsPort).toBe(9_464);
		expect(Object.keys(data).filter((name) => Object.hasOwn(SECRETS, name))).toEqual([]);
		for (const one of [container, migrate])
			expect(one["envFrom"]).toEqual([{ configMapRef: { name: "holdfast" } }, { secretRef: { name: "holdfast" } }]);
	});

	it("runs the service as the restricted profile of Kubernetes demands", () => {
		expect(pod).toMatchObject({
			automountServiceAccountToken: false,
			securityContext: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: "RuntimeDefault" } },
		});
		for (const one of [container, migrate])
			expect(one).toMatchObject({
				securityContext: {
					allowPrivilegeEscalation: false,
					readOnlyRootFilesystem: true,
					capabilities: { drop: ["ALL"] },
				},
				resources: { requests: expect.any(Object), limits: expect.any(Object) },
			});
	});

	it("migrates before a node serves, and keeps all nodes serving while one is replaced", () => {
		const [, launcher = "", command] = migrate["command"] as string[];
		expect([existsSync(join(ROOT, launcher)), command]).toEqual([true, "migrate"]);
		expect(migrate["image"]).toBe(container["image"]);
		expect(deployment.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
		expect(spec("PodDisruptionBudget")["maxUnavailable"]).toBeLessThan(deployment.replicas);
	});

	it("asks the service's probes, and stops a node after its delay", () => {
		const readiness = container["readinessProbe"] as {
			httpGet: Tree;
			periodSeconds: number;
			timeoutSeconds: number;
			failureThreshold: number;
		};
		expect(readiness.httpGet).toEqual({ path: "/readyz", port: PORT });
		for (const probe of ["startupProbe", "livenessProbe"])
			expect(container[probe]).toMatchObject({ httpGet: { path: "/livez", port: PORT } });
		const { stopDelaySeconds } = toConfig({ ...data, ...SECRETS });
		const { periodSeconds, timeoutSeconds, failureThreshold } = readiness;
		expect(stopDelaySeconds).toBe(periodSeconds * failureThreshold + timeoutSeconds + 1);
		expect(pod["terminationGracePeriodSeconds"]).toBe(stopDelaySeconds + STOPS_WITHIN_S);
	});

	it("lets only ports in on which the service listens", () => {
		const listens = (container["ports"] as { containerPort: number }[]).map((one) => one.containerPort);
		expect(listens).toEqual([PORT, COA_PORT, Number(data["HOLDFAST_METRICS_PORT"])]);
		const { ingress, policyTypes } = spec("NetworkPolicy") as {
			ingress: { from: Tree[]; ports: { port: number }[] }[];
			policyTypes: string[];
		};
		expect(policyTypes).toEqual(["Ingress", "Egress"]);
		for (const { from, ports } of ingress) {
			expect(from.length).toBeGreaterThan(0);
			for (const one of ports) expect(listens).toContain(one.port);
		}
	});
});
