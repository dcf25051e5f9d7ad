import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '@opentelemetry/api';

/** The span of the request in hand, if it is traced. */
export const currentSpan = new AsyncLocalStorage<Span>();
