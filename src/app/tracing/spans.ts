import { AsyncLocalStorage } from 'node:async_hooks';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import pg from 'pg';
import { sqlState } from '../../base/kernel/sql-state.js';
import type { FirstStep } from '../../platform/http/server/platform-adapter.js';

/** The span of the current request, if it is traced. */
const currentSpan = new AsyncLocalStorage<Span>();

const propagator = new W3CTraceContextPropagator();

/**
 * Starts a server span for every request, in the trace of its `traceparent` header. The span has the pattern of the
 * route instead of the path, because a path may contain secrets.
 */
export function requestSpans(tracer: Tracer): FirstStep {
  return (request, response) => {
    const { method, headers } = request;
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = tracer.startSpan(
      method,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
      parent,
    );
    currentSpan.enterWith(span);
    // The gateway forwards these headers, so that the spans of other services come under this one.
    propagator.inject(trace.setSpan(parent, span), headers, defaultTextMapSetter);
    response.once('close', () => {
      const route: unknown = request.route?.path;
      if (typeof route === 'string') span.updateName(`${method} ${route}`).setAttribute('http.route', route);
      span.setAttributes({
        'http.response.status_code': response.statusCode,
        'platform.correlation_id': request.correlationId,
      });
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
  };
}

// biome-ignore lint/suspicious/noExplicitAny: every form of node-postgres' query passes through untouched
type Query = (this: pg.Client, ...given: any[]) => any;

/**
 * Starts a client span for every statement of a traced request. The span has the kind of statement but not its text,
 * parameters or error message, which contain data of users.
 */
export function traceDatabase(tracer: Tracer): void {
  const client = pg.Client.prototype as unknown as { query: Query };
  const { query } = client;
  client.query = function traced(...given) {
    const parent = currentSpan.getStore();
    // Requests that are not sampled, and work after the answer, have no recording span.
    if (!parent?.isRecording()) return query.apply(this, given);
    const operation = operationOf(given[0]);
    const span = tracer.startSpan(
      operation,
      {
        kind: SpanKind.CLIENT,
        attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation },
      },
      trace.setSpan(ROOT_CONTEXT, parent),
    );
    const callback = given.at(-1);
    if (typeof callback === 'function') {
      const traced = (error: unknown, result: unknown) => {
        end(span, error);
        callback(error, result);
      };
      return query.apply(this, [...given.slice(0, -1), traced]);
    }
    const answer = query.apply(this, given);
    Promise.resolve(answer).then(
      () => end(span),
      error => end(span, error),
    );
    return answer;
  };
}

function end(span: Span, error?: unknown): void {
  if (error) {
    const state = sqlState(error);
    if (state !== undefined) span.setAttribute('db.response.status_code', state);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** The first word of a statement in upper case. */
function operationOf(asked: string | { text?: unknown }): string {
  const text = typeof asked === 'string' ? asked : asked.text;
  return (
    /^\s*([a-z]+)/i.exec(typeof text === 'string' ? text.slice(0, 100) : '')?.[1]?.toUpperCase() ?? 'QUERY'
  );
}
