// @ts-check
// The server that the service is compared with: one fixed resource on node:http and pg, as a competent programmer
// would write it. Named prepared statements on a pool of connections, reads by id on two pipelined ones as in the
// service, the same typed table and index as the service creates, no authentication, no audit log.
import { createServer } from 'node:http';
import process from 'node:process';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';

const COPIES = ['orders', 'orders_single', 'orders_bulk'];
const COLUMNS =
  'order_number, customer_email, status, channel, quantity, total, gift, ordered_at, ship_on, address';
const RECORD = `_id uuid, order_number text, customer_email text, status text, channel text, quantity bigint,
  total double precision, gift boolean, ordered_at timestamptz, ship_on date, address jsonb`;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, text => text);

const options = {
  connectionString: process.env.DATABASE_URL,
  // As in the service: with 32 concurrent connections, parallel scans bring no gain.
  options: '-c TimeZone=UTC -c max_parallel_workers_per_gather=0 -c jit=off',
};
const pool = new pg.Pool({ ...options, max: 15, idleTimeoutMillis: 0 });
const pipelined = [1, 2].map(() => new pg.Client({ ...options, pipeline: true }));
let nextPipelined = 0;

/**
 * Sends a query before the result of the one before has come. Queries of one turn of the event loop are sent in one
 * write, on the same connection.
 * @param {import('pg').QueryConfig} query
 */
function sendAtOnce(query) {
  const client =
    pipelined.find(each => streamOf(each).writableCorked > 0) ??
    /** @type {pg.Client} */ (pipelined[nextPipelined++ % pipelined.length]);
  const stream = streamOf(client);
  if (stream.writableCorked === 0) {
    stream.cork();
    setImmediate(() => stream.uncork());
  }
  return client.query(query);
}

/**
 * @param {pg.Client} client
 * @returns {import('node:net').Socket}
 */
function streamOf(client) {
  return /** @type {any} */ (client).connection.stream;
}

async function createTables() {
  await pool.query('CREATE SCHEMA bare');
  for (const copy of COPIES) {
    await pool.query(`
      CREATE TABLE bare.${copy} (
        _id uuid PRIMARY KEY,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        x jsonb NOT NULL DEFAULT '{}',
        order_number text COLLATE "C" NOT NULL,
        customer_email text COLLATE "C" NOT NULL,
        status text COLLATE "C" NOT NULL,
        channel text COLLATE "C",
        quantity bigint NOT NULL,
        total double precision NOT NULL,
        gift boolean,
        ordered_at timestamptz NOT NULL,
        ship_on date,
        address jsonb
      );
      CREATE INDEX ON bare.${copy} (status NULLS FIRST, ordered_at NULLS FIRST, _id)`);
  }
}

/** @param {string} id */
async function readOne(id) {
  const { rows } = await sendAtOnce({
    name: 'read-one',
    text: `SELECT _id, created_at, updated_at, ${COLUMNS} FROM bare.orders WHERE _id = $1`,
    values: [id],
  });
  return rows[0];
}

/** @param {{ status: string, limit: number }} query */
async function newest({ status, limit }) {
  const { rows } = await pool.query({
    name: 'newest',
    text: `SELECT _id, created_at, updated_at, ${COLUMNS} FROM bare.orders
      WHERE status = $1 ORDER BY ordered_at DESC NULLS LAST, _id DESC LIMIT $2`,
    values: [status, limit],
  });
  return rows;
}

/** @param {{ least?: number }} body */
async function aggregate({ least }) {
  const { rows } = await pool.query({
    name: least === undefined ? 'aggregate' : 'aggregate some',
    text: `SELECT status, count(*) AS orders, sum(quantity)::bigint AS pieces, avg(total) AS mean
      FROM bare.orders ${least === undefined ? '' : 'WHERE total >= $1'} GROUP BY status ORDER BY status`,
    values: least === undefined ? [] : [least],
  });
  return rows;
}

/**
 * @param {string} copy
 * @param {any} order
 */
async function insertOne(copy, order) {
  const _id = uuidv7();
  await pool.query({
    name: `insert-${copy}`,
    text: `INSERT INTO bare.${copy} (_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      _id,
      order.order_number,
      order.customer_email,
      order.status,
      order.channel,
      order.quantity,
      order.total,
      order.gift,
      order.ordered_at,
      order.ship_on,
      order.address,
    ],
  });
  return { _id };
}

/**
 * Sends the orders as one JSON parameter, which costs Node the least CPU.
 * @param {string} copy
 * @param {any[]} orders
 */
async function insertMany(copy, orders) {
  for (const order of orders) order._id = uuidv7();
  await pool.query({
    name: `bulk-${copy}`,
    text: `INSERT INTO bare.${copy} (_id, ${COLUMNS})
      SELECT _id, ${COLUMNS} FROM jsonb_to_recordset($1::jsonb) AS r (${RECORD})`,
    values: [JSON.stringify(orders)],
  });
  return { inserted: orders.length };
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<any>}
 */
async function route(request) {
  const [, copy = '', rest] = (request.url ?? '').split('/');
  if (!COPIES.includes(copy)) return undefined;
  if (request.method === 'GET') return rest && readOne(rest);
  const body = JSON.parse(await bodyOf(request));
  if (rest === undefined) return insertOne(copy, body);
  if (rest === 'bulk') return insertMany(copy, body);
  if (rest === 'query') return newest(body);
  return rest === 'aggregate' ? aggregate(body) : undefined;
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<string>}
 */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const server = createServer(async (request, response) => {
  try {
    const answer = await route(request);
    const text = JSON.stringify(answer ?? { error: 'NotFound' });
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  } catch (error) {
    response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
  }
});

await createTables();
await Promise.all(pipelined.map(client => client.connect()));
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close(() => void Promise.all([pool.end(), ...pipelined.map(client => client.end())]));
  process.disconnect?.();
});
