import { Global, Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { OutboundFetch } from './outbound-fetch.js';

/** Provides `OutboundFetch` to every module. */
@Global()
@Module({
  providers: [
    {
      provide: OutboundFetch,
      useFactory: (settings: Settings) => new OutboundFetch(settings.OUTBOUND_ALLOW_INSECURE_HOSTS),
      inject: [Settings],
    },
  ],
  exports: [OutboundFetch],
})
export class OutboundModule {}
