// Stoolap: the package @stoolap/node. Its rows have numbers of JavaScript, where a whole float is an integer.
export const packageName = "@stoolap/node";
export const name = "stoolap";
export const integers = true;

const CHANGES = /^\s*(CREATE|DROP|ALTER|INSERT|UPDATE|DELETE|SET|PRAGMA|ANALYZE|VACUUM|BEGIN|COMMIT|ROLLBACK|TRUNCATE)\b/i;

export async function open(load) {
  const { Database } = await load(packageName);
  const database = Database.openSync("memory://");
  return {
    run(text) {
      if (CHANGES.test(text) && !/\bRETURNING\b/i.test(text)) {
        database.executeSync(text);
        return undefined;
      }
      const { columns, rows } = database.queryRawSync(text);
      return { columns: columns.length, rows };
    },
    close: () => database.closeSync(),
  };
}
