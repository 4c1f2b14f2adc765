// PostgreSQL as WebAssembly, in this process: the package @electric-sql/pglite. A start takes seconds, so one server
// serves all databases, and each is a schema of its own.
export const packageName = "@electric-sql/pglite";
export const name = "pglite";

const text = (value) => value;
const decimal = (value) => ({ decimal: value });
const real = (value) => ({ real: value.replace("Infinity", "Inf") });
// By the numbers of PostgreSQL's types; what is not listed is text.
const PARSERS = {
  16: (value) => value === "t" || value === "true",
  17: (value) => ({ blob: value.slice(2) }),
  20: BigInt, 21: BigInt, 23: BigInt, 26: BigInt,
  25: text, 1043: text, 1042: text, 114: text, 3802: text, 705: text, 19: text,
  700: real, 701: real,
  1700: (value) => (value === "NaN" ? { real: "NaN" } : decimal(value)),
  1082: (value) => ({ date: value }), 1083: (value) => ({ time: value }),
  1114: (value) => ({ timestamp: value }), 1184: (value) => ({ timestamp: value }),
  1186: (value) => ({ duration: value }), 2950: (value) => ({ uuid: value }),
};

let server = null;

export async function open(load) {
  if (server === null) server = await (await load(packageName)).PGlite.create();
  await server.exec("ROLLBACK; DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; RESET ALL");
  return {
    async run(text) {
      const answer = await server.query(text, [], { rowMode: "array", parsers: PARSERS });
      if (answer.fields.length === 0) return undefined;
      return { columns: answer.fields.length, rows: answer.rows };
    },
  };
}
