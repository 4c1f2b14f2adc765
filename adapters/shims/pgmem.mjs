// A PostgreSQL in JavaScript, for tests of programs: the package pg-mem.
export const packageName = "pg-mem";
export const name = "pgmem";

const INTEGERS = new Set(["integer", "bigint", "smallint"]);

export async function open(load) {
  const { public: schema } = (await load(packageName)).newDb();
  return {
    run(text) {
      const { fields, rows } = schema.query(text);
      if (!/^\s*(SELECT|WITH|VALUES)\b/i.test(text)) return undefined;
      const integer = fields.map((field) => INTEGERS.has(field.type));
      // Its objects have the columns in order; those of equal names get a number.
      const cells = (row) => Object.values(row).map((value, i) => (integer[i] && Number.isInteger(value) ? BigInt(value) : value));
      return { columns: fields.length, rows: rows.map(cells) };
    },
  };
}
