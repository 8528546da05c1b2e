import { expect, it } from "vitest";
import { withVerifiedTls } from "./client.ts";

const URL = "postgresql://h/db";

it.each([
	[`${URL}?sslmode=require`, `${URL}?sslmode=verify-full`],
	[`${URL}?application_name=a&sslmode=prefer&x=1`, `${URL}?application_name=a&sslmode=verify-full&x=1`],
	[`${URL}?sslmode=verify-ca`, `${URL}?sslmode=verify-full`],
	[`${URL}?sslmode=disable`, `${URL}?sslmode=disable`],
	[`${URL}?sslmode=no-verify`, `${URL}?sslmode=no-verify`],
	[URL, URL],
])("%s is opened as %s", (url, opened) => {
	expect(withVerifiedTls(url)).toBe(opened);
});
