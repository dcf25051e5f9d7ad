import type { INestApplication } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { ByteBudget } from '../base/kernel/bounds/byte-budget.js';
import { forwardTargets } from '../features/gateway/forwarding.service.js';
import { Settings } from '../platform/config/settings.js';
import { AccessGuard } from '../platform/http/access/access.guard.js';
import { DescribedApp } from '../platform/http/documentation/documentation.module.js';
import { ErrorFilter } from '../platform/http/error.filter.js';
import { requestLog } from '../platform/http/request-log.js';
import { cors } from '../platform/http/server/cors.js';
import {
  CORRELATION_HEADER,
  correlationId,
  refuseOldChunks,
  requireOneHost,
  requirePath,
} from '../platform/http/server/first-steps.js';
import { FixedHeaders, platformHeaders } from '../platform/http/server/fixed-headers.js';
import { Readiness } from '../platform/http/server/listening.js';
import {
  countingAnswers,
  type FirstStep,
  type PlatformAdapter,
} from '../platform/http/server/platform-adapter.js';
import { servesDocumentation } from './app.module.js';
import { Metrics } from './metrics/metrics.service.js';

/** Everything around the routes except the guard. It is the same for the service, the tests and the OpenAPI file. */
export function setUpApp(app: INestApplication, logger: Logger, ...before: FirstStep[]): void {
  const settings = app.get(Settings);
  const express = app as NestExpressApplication;
  express.set('etag', false);
  express.disable('x-powered-by');
  express.set('trust proxy', settings.TRUSTED_PROXIES.length > 0 ? [...settings.TRUSTED_PROXIES] : false);
  const adapter = app.getHttpAdapter() as unknown as PlatformAdapter;
  adapter.limitConnections(settings.KEEP_ALIVE_TIMEOUT_MS, settings.MAX_CONNECTIONS);
  adapter.sendAlways(new FixedHeaders(platformHeaders(helmetOptions(settings)), CORRELATION_HEADER));
  adapter.doFirst(
    ...before,
    correlationId,
    requestLog(logger, app.get(Metrics).answered),
    requirePath,
    refuseOldChunks,
    cors(settings),
    requireOneHost,
  );
  const readiness = app.get(Readiness);
  adapter.endConnectionsWhile(() => readiness.isLeaving);
  adapter.countAnswers(countingAnswers(app.get(ByteBudget)));
  app.useGlobalFilters(new ErrorFilter(app.get(HttpAdapterHost), settings.PUBLIC_URL, app.get(AccessGuard)));
  if (servesDocumentation(settings)) app.get(DescribedApp).app = app;
  if (forwardTargets(settings).length > 0) adapter.takeUpgrades();
}

/**
 * The default policy forbids a response to load or run anything; pages of the service set their own policy. HSTS is
 * only sent over https.
 */
function helmetOptions(settings: Settings) {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: settings.PUBLIC_URL.startsWith('https:'),
  };
}
