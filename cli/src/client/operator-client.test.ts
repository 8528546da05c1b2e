import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newOperatorToken } from "../../../service/src/partners/operators/token.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { holdfast, type Ran } from "../../../service/test/processes/holdfast.ts";

/** Number of connections on which the next replies are lost after the service sent them. */
let losing = 0;
/** What is sent in place of a lost reply, as a proxy does. */
let instead = "";
let house: House;
let pipe: Server;
let env: Record<string, string>;

beforeAll(async () => {
	house = await openHouse();
	await house.importWorld({ formulas: [{ code: "F", name: "F", status: "active" }] });
	const port = Number(new URL(house.api).port);
	pipe = createServer((client) => {
		const upstream = connect(port, "127.0.0.1");
		const end = (): void => {
			client.destroy();
			upstream.destroy();
		};
		for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
		client.on("data", (chunk) => upstream.write(chunk));
		upstream.on("data", (chunk) => {
			if (losing > 0) losing--;
			else return void client.write(chunk);
			if (instead === "") return end();
			client.end(instead);
			upstream.destroy();
		});
	}).listen(0, "127.0.0.1");
	await once(pipe, "listening");
	const socket = { HOLDFAST_ADMIN_SOCKET: house.socket };
	const { json } = await holdfast(["operators", "token", "far", "--role", "operator", "--json"], socket);
	env = {
		HOLDFAST_URL: `http://127.0.0.1:${(pipe.address() as AddressInfo).port}`,
		HOLDFAST_OPERATOR_TOKEN: json.token,
	};
});
afterAll(async () => {
	pipe.close();
	await house.close();
});

const receive = (batch: string): Promise<Ran> =>
	holdfast(["stock", "receive", "--formula", "F", "--batch", batch, "--units", "5", "--json"], env);
const received = async (batch: string): Promise<unknown> =>
	(await house.db.query("select available from lot where batch_number = $1", [batch])).rows;

describe("A command whose connection breaks", () => {
	it("sends a write again, which is carried out once, and prints its first reply", async () => {
		losing = 2;
		const ran = await receive("AGAIN");
		expect(ran).toMatchObject({ code: 0, json: { received: 5 } });
		expect(losing).toBe(0);
		expect(await received("AGAIN")).toEqual([{ available: 5 }]);
	});

	it("sends a read again", async () => {
		losing = 1;
		expect(await holdfast(["stock", "show", "--formula", "F", "--json"], env)).toMatchObject({ code: 0 });
	});

	it.for([502, 503, 504])(
		"and is answered %s by a proxy sends its write again, which is carried out once",
		async (status) => {
			instead = `HTTP/1.1 ${status} Bad\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: 4\r\n\r\n<p/>`;
			losing = 1;
			const ran = await receive(`PROXY-${status}`);
			[instead, losing] = ["", 0];
			expect(ran).toMatchObject({ code: 0, json: { received: 5 } });
			expect(await received(`PROXY-${status}`)).toEqual([{ available: 5 }]);
		},
	);

	it("that is never answered says that its outcome is not known; it was carried out once", async () => {
		losing = Number.POSITIVE_INFINITY;
		const ran = await receive("LOST");
		losing = 0;
		expect([ran.code, ran.json.error.code]).toEqual([1, "outcome_unknown"]);
		expect(ran.err).toContain("check before you repeat it");
		expect(await received("LOST")).toEqual([{ available: 5 }]);
	}, 60_000);

	it("where nobody listens says so at once", async () => {
		const nobody = { ...env, HOLDFAST_URL: "http://127.0.0.1:9" };
		const { json } = await holdfast(["keys", "list", "--json"], nobody);
		expect(json.error).toEqual({
			code: "refused",
			message: expect.stringMatching(/^The service at http:\/\/127.0.0.1:9 cannot be reached/),
		});
	});
});

describe("From another machine, a command says what is wrong with", () => {
	const said = async (settings: Record<string, string>): Promise<string> => {
		const { code, err } = await holdfast(["keys", "list"], settings);
		expect(code).toBe(1);
		return err;
	};

	it("a token with a typo, which is not sent", async () => {
		const typo = { ...env, HOLDFAST_OPERATOR_TOKEN: `${env["HOLDFAST_OPERATOR_TOKEN"]}`.slice(0, -1) };
		expect(await said(typo)).toMatch(/^HOLDFAST_OPERATOR_TOKEN is not a whole token/);
	});

	it("a token that the service does not know", async () => {
		const { op, os } = newOperatorToken();
		const unknown = { ...env, HOLDFAST_OPERATOR_TOKEN: `${op}:${os}` };
		expect(await said(unknown)).toContain("an admin makes another with");
	});

	it("an address with a path, or of the certificates, and one that does not speak TLS", async () => {
		const at = (url: string) => said({ ...env, HOLDFAST_URL: url });
		for (const url of [`${house.api}/api/v1`, house.coa])
			expect(await at(url)).toContain(`The operator's API is not served at ${url}`);
		expect(await at(house.api.replace("http:", "https:"))).toMatch(/cannot be reached: TLS failed at this address/);
	});

	it("an address without a token, and makes no database here", async () => {
		const forgotten = { HOLDFAST_URL: house.api, HOLDFAST_DATA_DIR: "/nonexistent/data" };
		expect(await said(forgotten)).toContain("set HOLDFAST_OPERATOR_TOKEN to an operator's token");
	});
});
