// SQLite as WebAssembly: the package sql.js.
export const packageName = "sql.js";

export async function open(load) {
  const SQL = await (await load("sql.js"))();
  const database = new SQL.Database();
  return {
    run(text) {
      const [answer] = rowsOf(database, text);
      return answer;
    },
    close: () => database.close(),
  };
}

/** One answer for each statement that has columns. Integers come as bigint. */
function* rowsOf(database, text) {
  const statement = database.prepare(text);
  try {
    const columns = statement.getColumnNames().length;
    const rows = [];
    while (statement.step()) rows.push(statement.get(null, { useBigInt: true }));
    if (columns > 0) yield { columns, rows };
  } finally {
    statement.free();
  }
}
