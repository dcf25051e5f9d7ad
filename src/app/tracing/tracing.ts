import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { VERSION } from '../../base/kernel/version.js';
import type { Settings } from '../../platform/config/settings.js';
import type { FirstStep } from '../../platform/http/server/platform-adapter.js';
import { requestSpans, traceDatabase } from './spans.js';

/** Timeout of exports, so that an unreachable collector does not delay the shutdown. */
const LAST_SENDING_MS = 3_000;

export interface Tracing {
  /** Must run first for every request. */
  readonly step: FirstStep;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

type TracingSettings = Pick<
  Settings,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_SERVICE_NAME'
  | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** Starts tracing requests and their statements. Sends spans to a collector by OTLP over HTTP. */
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

/** Reads `name=value` pairs with percent-encoded values (OpenTelemetry specification, OTLP exporter). */
function headersOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map(pair => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}
