import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabaseUrl } from '../../harness/database.js';
import { scratchDirectory, startService } from '../start/service.js';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
}

interface Sending {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly unknown[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

const SERVER = 2;
const CLIENT = 3;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

/** The spans that a collector received, by service. */
async function startCollector() {
  const sent: Sending[] = [];
  const headers: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    headers.push(request.headers['x-collector-key'] as string | undefined);
    expect(request.url).toBe('/v1/traces');
    sent.push((await json(request)) as Sending);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const spans = () =>
    sent.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans)),
    );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sent, headers, spans };
}

async function startTraced(settings: Record<string, string>) {
  const DATABASE_URL = await freshDatabaseUrl();
  const DATA_DIR = await scratchDirectory();
  const service = await startService({ DATABASE_URL, DATA_DIR, ...settings });
  return { service, key: /iak_\S+/.exec(service.output())?.[0] as string };
}

const attributesOf = ({ attributes }: SentSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

it("a request is a server span in the caller's trace, with its statements as children and without secrets", async () => {
  const collector = await startCollector();
  const { service, key } = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=of%20the%20collector',
    OTEL_SERVICE_NAME: 'records-of-a-test',
  });
  const answer = await fetch(`${service.url}/v1/collections`, {
    method: 'POST',
    headers: {
      'x-platform-api-key': key,
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-${CALLER}-01`,
    },
    body: JSON.stringify({ name: 'told-to-nobody' }),
  });
  expect(answer.status).toBe(200);
  // A stop sends the pending spans.
  service.child.kill('SIGTERM');
  expect((await service.ended).status).toBe(0);

  const spans = collector.spans();
  const servers = spans.filter(({ kind }) => kind === SERVER);
  expect(servers).toHaveLength(1);
  const [server] = servers as [SentSpan];
  expect(server).toMatchObject({ name: 'POST /v1/collections', traceId: TRACE, parentSpanId: CALLER });
  expect(attributesOf(server)).toEqual({
    'http.request.method': 'POST',
    'http.route': '/v1/collections',
    'http.response.status_code': 200,
    'platform.correlation_id': answer.headers.get('x-correlation-id'),
  });
  const statements = spans.filter(({ kind }) => kind === CLIENT);
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    expect(statement).toMatchObject({ traceId: TRACE, parentSpanId: server.spanId });
    expect(attributesOf(statement)).toMatchObject({ 'db.system.name': 'postgresql' });
  }
  const text = JSON.stringify(collector.sent);
  expect(text).toContain('records-of-a-test');
  expect(new Set(collector.headers)).toEqual(new Set(['of the collector']));
  for (const secret of [key, key.slice(-12), 'told-to-nobody', 'SELECT "'])
    expect(text).not.toContain(secret);
});

it('a request is not traced if its caller does not trace it, or if the sampling ratio is 0', async () => {
  const collector = await startCollector();
  const { service } = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  const ready = (flags: string) =>
    fetch(`${service.url}/health/ready`, { headers: { traceparent: `00-${TRACE}-${CALLER}-${flags}` } });
  await fetch(`${service.url}/health/ready`);
  await ready('00');
  await ready('01');
  service.child.kill('SIGTERM');
  await service.ended;
  // For readiness: the tables, the migrations that are applied, and the lowest version that may run.
  expect(collector.spans().map(({ name, traceId }) => [name, traceId])).toEqual([
    ['SELECT', TRACE],
    ['SELECT', TRACE],
    ['SELECT', TRACE],
    ['GET /health/ready', TRACE],
  ]);
});

it('an unreachable collector delays neither requests nor the stop', async () => {
  const { service } = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  service.child.kill('SIGTERM');
  expect((await service.ended).status).toBe(0);
});
