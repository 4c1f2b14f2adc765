#!/usr/bin/env node
// Any SQL engine that is a package of npm, as an engine for qualm:
//
//     qualm hunt 'exec:node adapters/node.mjs --path FOLDER --dialect sqlite adapters/shims/sqljs.mjs'
//     qualm hunt 'exec:node adapters/node.mjs --path FOLDER --dialect postgres adapters/shims/pglite.mjs'
//
// Packages agree on nothing, so a module of a few lines says how one is used: it exports `packageName`, `open(load, ...args)`,
// which gives `{ run(text), close() }`, and perhaps `name`. `load(NAME)` imports a package of --path. `run` gives
// `{ columns, rows }` with rows as arrays, or nothing for a statement without rows; both may be promises. What is a bigint
// becomes an integer, and a number a float unless `integers` is exported as true (for engines that know no difference).
// The protocol is in docs/adapter.md. The engine runs in a thread of its own, which the main one ends when a statement
// takes too long; the database is gone then, and everything until the next `open` is a limit as well.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const USAGE = `usage: node.mjs [OPTION]... SHIM [OPEN-ARG]...

Runs statements for qualm in an engine that is a package of npm; adapters/shims has modules that say how some are used.

  --path FOLDER        the folder that has node_modules
  --dialect NAME|FILE  a built-in dialect, or a dialect file (docs/dialects.md); without it qualm probes the engine
  --name NAME          the engine's name [default: the package's]
  --init SQL           run this in each new database; may be given several times
  --reset SQL          run these statements to empty the database instead of opening another
  --explain WORDS      what to put before a query for its plan, e.g. EXPLAIN
  --plans-only         EXPLAIN of a change does not run it
  --knobs FILE         settings that must not change results, as in knobs/`;

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        path: { type: "string", default: "." },
        dialect: { type: "string" },
        name: { type: "string" },
        init: { type: "string", multiple: true, default: [] },
        reset: { type: "string", multiple: true, default: [] },
        explain: { type: "string" },
        "plans-only": { type: "boolean", default: false },
        knobs: { type: "string" },
      },
    });
    if (positionals.length === 0) throw new Error("which SHIM?");
    return { ...values, shim: positionals[0], open: positionals.slice(1) };
  } catch (error) {
    process.stderr.write(`node.mjs: ${error.message}\n${USAGE}\n`);
    process.exit(2);
  }
}

const options = isMainThread ? readArguments() : workerData.options;
const require = createRequire(path.resolve(options.path, "node_modules", "any.js"));
const shim = isMainThread ? null : await import(pathToFileURL(path.resolve(options.shim)));

/** A package of --path: as a module where it is one, otherwise as what `require` gives. */
async function load(name) {
  const folder = path.join(path.resolve(options.path), "node_modules", name);
  const about = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  if (about.type !== "module") return require(name);
  return import(pathToFileURL(require.resolve(name)));
}

function packageVersion() {
  const file = path.join(path.resolve(options.path), "node_modules", shim.packageName, "package.json");
  return JSON.parse(fs.readFileSync(file, "utf8")).version;
}

// ---------------------------------------------------------------- values

function wrap(value) {
  if (value === null || value === undefined) return "null";
  switch (typeof value) {
    case "boolean":
      return String(value);
    case "bigint":
      return value >= -(2n ** 63n) && value < 2n ** 64n ? String(value) : `{"decimal":"${value}"}`;
    case "number":
      return wrapNumber(value);
    case "string":
      return JSON.stringify(value);
    default:
      return wrapObject(value);
  }
}

function wrapNumber(value) {
  if (shim.integers && Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  if (Number.isNaN(value)) return '{"real":"NaN"}';
  if (!Number.isFinite(value)) return value > 0 ? '{"real":"Inf"}' : '{"real":"-Inf"}';
  return `{"real":"${Object.is(value, -0) ? "-0.0" : value}"}`;
}

function wrapObject(value) {
  if (value instanceof Uint8Array) return `{"blob":"${Buffer.from(value).toString("hex")}"}`;
  if (value instanceof Date) return `{"timestamp":${JSON.stringify(value.toISOString())}}`;
  if (Array.isArray(value)) return `[${value.map(wrap).join(",")}]`;
  // A shim names what has no type in JavaScript: {decimal: "1.50"}, {date: "2020-02-29"}.
  const keys = Object.keys(value);
  if (keys.length === 1 && TAGS.has(keys[0])) return JSON.stringify(value);
  return `{"other":${JSON.stringify(JSON.stringify(value))}}`;
}

const TAGS = new Set(["decimal", "date", "time", "timestamp", "duration", "uuid", "real", "blob", "other"]);

// ---------------------------------------------------------------- the engine

let database = null;

async function open() {
  if (database !== null && options.reset.length > 0) {
    for (const text of options.reset) await database.run(text);
  } else {
    const old = database;
    database = null;
    if (old?.close) await old.close();
    database = await shim.open(load, ...options.open);
  }
  for (const text of options.init) await database.run(text);
  return '{"done":true}';
}

async function run(text) {
  const answer = await database.run(text);
  if (!answer) return '{"done":true}';
  const rows = answer.rows.map((row) => `[${row.map(wrap).join(",")}]`);
  return `{"columns":${answer.columns},"rows":[${rows.join(",")}]}`;
}

/** Operators of a plan in text, one per line: the depth is the indentation, names and numbers are left out. */
async function plan(text) {
  if (!options.explain) return "{}";
  const answer = await database.run(`${options.explain} ${text}`);
  const nodes = [];
  for (const row of answer?.rows ?? []) {
    const last = row.filter((cell) => typeof cell === "string").pop() ?? "";
    for (const line of last.split("\n")) {
      const drawn = line.match(/^[\s│├└─|+`\-\\>*]*/)[0];
      const word = line.slice(drawn.length).match(/^[A-Za-z_]+(?: [A-Z][A-Za-z]*(?![\w.]))*/);
      if (word) nodes.push({ depth: Math.floor(drawn.length / 2), operator: word[0] });
    }
  }
  return JSON.stringify({ plan: nodes.slice(0, 200) });
}

function hello() {
  const said = {
    protocol: 1,
    name: options.name ?? shim.name ?? shim.packageName,
    version: packageVersion(),
    language: "sql",
    plans_only: options["plans-only"],
    batch: true,
  };
  if (options.dialect) said.dialect = options.dialect;
  if (options.knobs) said.knobs = fs.readFileSync(options.knobs, "utf8");
  return JSON.stringify(said);
}

function failed(error) {
  const text = error?.message ?? String(error);
  // A trap of WebAssembly is the engine's own death: what follows in this database says nothing.
  const internal = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
  return JSON.stringify(internal ? { error: text, class: "internal" } : { error: text });
}

async function replyTo(request, text) {
  try {
    if (request.do === "hello") return hello();
    if (request.do === "open") return await open();
    if (request.do === "plan") return await plan(text);
    return await run(text);
  } catch (error) {
    return failed(error);
  }
}

// ---------------------------------------------------------------- requests

// Each reply by itself and at once: what was answered before the engine ends this process has been said.
// A pipe takes less than all of a long one, or nothing while it is full.
function say(reply) {
  let data = Buffer.from(`${reply}\n`);
  while (data.length > 0) {
    try {
      data = data.subarray(fs.writeSync(1, data));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(PAUSE, 0, 0, 1);
    }
  }
}
const PAUSE = new Int32Array(new SharedArrayBuffer(4));

// What both threads see: whether a statement runs or its reply is being written, which one of its request it is, and when
// it began.
const [STATE, INDEX, BEGAN] = [0, 1, 2];
const [IDLE, RUNNING, STRUCK] = [0, 1, 2];
const now = () => Math.floor(performance.timeOrigin + performance.now()) & 0x3fffffff;

async function work() {
  const shared = new Int32Array(workerData.shared);
  // Engines that print must not write between the replies.
  console.log = console.error;
  parentPort.on("message", async (request) => {
    const texts = request.texts ?? [request.text];
    for (let index = 0; index < texts.length; index++) {
      Atomics.store(shared, INDEX, index);
      Atomics.store(shared, BEGAN, now());
      Atomics.store(shared, STATE, RUNNING);
      const reply = await replyTo(request, texts[index]);
      if (Atomics.compareExchange(shared, STATE, RUNNING, IDLE) !== RUNNING) return;
      say(reply);
    }
  });
}

const LIMIT = '{"error":"the statement took too long, and the engine was ended","class":"limit"}';
const WATCH_MS = 50;

async function serve() {
  const shared = new Int32Array(new SharedArrayBuffer(12));
  let worker = null;
  let request = null;
  const start = () => {
    worker = new Worker(new URL(import.meta.url), { workerData: { options, shared: shared.buffer } });
    worker.on("error", (error) => {
      process.stderr.write(`${error?.stack ?? error}\n`);
      process.exit(1);
    });
  };
  setInterval(() => {
    const limit = request?.limit_ms;
    if (!limit || now() - Atomics.load(shared, BEGAN) < limit) return;
    if (Atomics.compareExchange(shared, STATE, RUNNING, STRUCK) !== RUNNING) return;
    const left = (request.texts?.length ?? 1) - Atomics.load(shared, INDEX);
    worker.terminate();
    worker = null;
    for (let i = 0; i < left; i++) say(LIMIT);
  }, WATCH_MS);
  start();
  for await (const line of readline.createInterface({ input: process.stdin })) {
    request = JSON.parse(line);
    if (request.do === "close") break;
    if (worker === null && request.do === "open") start();
    if (worker !== null) worker.postMessage(request);
    else for (const _ of request.texts ?? [request.text]) say(LIMIT);
  }
  process.exit(0);
}

await (isMainThread ? serve() : work());
