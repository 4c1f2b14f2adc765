// Grafeo for qualm in JavaScript, for releases that are newer than the one that can be built in:
//   npm install --prefix FOLDER @grafeo-db/js@0.6.0
//   qualm hunt 'exec:env NODE_PATH=FOLDER/node_modules node examples/grafeo_adapter.js'
// and with 'gremlin' behind it for its Gremlin, whose statements about indexes are still in Cypher.
// The protocol is in docs/adapter.md. JavaScript has one kind of number, so a whole float arrives as an integer, and dates
// arrive as text: the dialect leaves dates out.
const { GrafeoDB } = require("@grafeo-db/js");
const { version } = require("@grafeo-db/js/package.json");

const common = {
  indexes: [{
    name: "hash", target: "node", create: "CREATE INDEX {name} FOR (n:{label}) ON (n.{property})", drop: "DROP INDEX {name}",
  }],
  errors: [["timeout", "Limit"], ["Internal error", "Internal"], ["panicked", "Internal"]],
};

const cypher = {
  ...common,
  base: "opencypher",
  name: "grafeo",
  kinds: ["int", "float", "text", "bool", "list"],
  trails: false,
  self_test: {
    statements: ["CREATE (:A {x: 1})-[:E {w: 2}]->(:B {y: 'b'}), (:A {x: 2})"],
    question: "MATCH (a:A) OPTIONAL MATCH (a)-[e:E]->(b:B) RETURN a.x AS x, e.w AS w, b.y AS y",
    answer: [[1, 2, "b"], [2, null, null]],
  },
};

const gremlin = {
  ...common,
  base: "gremlin",
  name: "grafeo-gremlin",
  literals: [["float", "{}"]],
  anonymous: "",
  nan: null,
  infinity: null,
  negative_infinity: null,
  without: ["create_graph", "select", "predicate_not"],
  self_test: {
    statements: [
      "g.addV('A').property('x',1)",
      "g.addV('B').property('y',3)",
      "g.V().hasLabel('A').as('a').V().hasLabel('B').addE('E').from('a')",
    ],
    question: "g.V().hasLabel('A').out('E').values('y')",
    answer: [[3]],
  },
};

const dialect = process.argv[2] === "gremlin" ? gremlin : cypher;

function wrapNumber(value) {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return value;
  if (Number.isNaN(value)) return { real: "NaN" };
  if (!Number.isFinite(value)) return { real: value > 0 ? "Inf" : "-Inf" };
  return { real: Object.is(value, -0) ? "-0.0" : String(value) };
}

function wrapObject(value) {
  const wrapped = Object.entries(value).map(([key, held]) => [key, wrap(held)]);
  const properties = Object.fromEntries(wrapped.filter(([key]) => !key.startsWith("_")));
  if (value._labels) return { node: { id: value._id, labels: value._labels, properties } };
  if (value._type) {
    return { relationship: { id: value._id, type: value._type, from: value._source, to: value._target, properties } };
  }
  return { map: Object.fromEntries(wrapped) };
}

function wrap(value) {
  if (value === undefined) return null;
  if (typeof value === "number") return wrapNumber(value);
  if (typeof value === "bigint") return { decimal: String(value) };
  if (Buffer.isBuffer(value) || value instanceof Uint8Array) return { blob: Buffer.from(value).toString("hex") };
  if (Array.isArray(value)) return value.map(wrap);
  return value !== null && typeof value === "object" ? wrapObject(value) : value;
}

let db;
async function answer(request) {
  if (request.do === "hello") return { protocol: 1, name: "grafeo", version, language: "graph", dialect };
  if (request.do === "open") {
    if (db) db.close();
    db = GrafeoDB.create();
    return { done: true };
  }
  if (request.do === "plan") return {};
  const steps = request.text.startsWith("g.");
  const result = await (steps ? db.executeGremlin(request.text) : db.executeCypher(request.text));
  // What it says of a change is the numbers of what was changed.
  if (!steps && !/\b(RETURN|SHOW)\b/i.test(request.text)) return { done: true };
  return { columns: result.columns.length, rows: result.rows().map((row) => row.map(wrap)) };
}

async function main() {
  for await (const line of require("readline").createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    if (request.do === "close") break;
    const reply = await answer(request).catch((error) => ({ error: String(error.message) }));
    process.stdout.write(JSON.stringify(reply) + "\n");
  }
  process.exit(0);
}

main();
