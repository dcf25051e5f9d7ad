import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { FirstStep } from '../http/platform-adapter.js';
import { currentSpan } from './current-span.js';

const propagator = new W3CTraceContextPropagator();

/**
 * A server span for every request, within the trace that its `traceparent` names. It tells the route's pattern and not the
 * path: what a client writes there may be secret.
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
    // What a gateway passes on belongs under this span.
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
