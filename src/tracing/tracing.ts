import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Settings } from '../config/settings.js';
import type { FirstStep } from '../http/platform-adapter.js';
import { VERSION } from '../kernel/version.js';
import { traceDatabase } from './database-spans.js';
import { requestSpans } from './request-spans.js';

/** A collector that does not take spans must not hold up a stop. */
const LAST_SENDING_MS = 3_000;

/** Traces of this process, sent to a collector by OTLP over HTTP. */
export interface Tracing {
  /** To be done first to every request. */
  readonly step: FirstStep;
  /** Sends what is not sent yet. */
  stop(): Promise<void>;
}

type TracingSettings = Pick<
  Settings,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** Begins to trace requests and what they ask the database. Imported only where traces are wanted. */
export function startTracing(settings: TracingSettings): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${settings.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '')}/v1/traces`,
    headers: headersOf(settings.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: LAST_SENDING_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.OTEL_SERVICE_NAME,
      'service.version': VERSION,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('typed-collections', VERSION);
  traceDatabase(tracer);
  return { step: requestSpans(tracer), stop: () => provider.shutdown().catch(() => undefined) };
}

/** `name=value` pairs, values percent-encoded (OpenTelemetry's specification of the OTLP exporter). */
function headersOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map(pair => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
