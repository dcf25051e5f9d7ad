import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import pg from 'pg';
import { sqlState } from '../kernel/sql-state.js';
import { currentSpan } from './current-span.js';

// biome-ignore lint/suspicious/noExplicitAny: every form of node-postgres' query passes through untouched
type Query = (this: pg.Client, ...given: any[]) => any;

/**
 * A client span for every statement that a traced request sends, whatever sends it. It tells what kind of statement it is,
 * neither its text nor its values nor what an error says: they hold users' data.
 */
export function traceDatabase(tracer: Tracer): void {
  const client = pg.Client.prototype as unknown as { query: Query };
  const { query } = client;
  client.query = function traced(...given) {
    const parent = currentSpan.getStore();
    // Neither what is not sampled nor what goes on after the answer.
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
      const told = (error: unknown, result: unknown) => {
        end(span, error);
        callback(error, result);
      };
      return query.apply(this, [...given.slice(0, -1), told]);
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

/** The first word of a statement. */
function operationOf(asked: string | { text?: unknown }): string {
  const text = typeof asked === 'string' ? asked : asked.text;
  return (
    /^\s*([a-z]+)/i.exec(typeof text === 'string' ? text.slice(0, 100) : '')?.[1]?.toUpperCase() ?? 'QUERY'
  );
}
