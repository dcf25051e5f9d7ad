import { Module } from '@nestjs/common';
import { PlaceStep } from './access/place.step.js';
import { RequestPlaces } from './access/request-places.js';
import { BodyStep } from './body/body.step.js';
import { BodyMemory } from './body/body-reader.js';
import { QueryStep } from './query.step.js';
import { RateLimits } from './rate-limit/rate-limit.step.js';
import { AuthFailures, SourceAttempts } from './rate-limit/source-attempts.service.js';
import { Readiness } from './server/listening.js';

/** Provides the parts that routes of all features use. */
@Module({
  providers: [
    RequestPlaces,
    PlaceStep,
    BodyStep,
    BodyMemory,
    QueryStep,
    Readiness,
    SourceAttempts,
    AuthFailures,
    RateLimits,
  ],
  exports: [
    RequestPlaces,
    PlaceStep,
    BodyStep,
    QueryStep,
    Readiness,
    SourceAttempts,
    AuthFailures,
    RateLimits,
  ],
})
export class HttpModule {}
