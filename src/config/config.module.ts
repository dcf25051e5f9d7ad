import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from '../kernel/clock.js';
import { masterKeys } from './development-keys.js';
import { Secrets } from './secrets.js';
import { Settings } from './settings.js';

/** Settings, secrets and the clock, for every module. */
@Global()
@Module({})
export class ConfigModule {
  static with(settings: Settings, clock: Clock = new SystemClock()): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: Settings, useValue: settings },
        { provide: Secrets, useFactory: () => new Secrets(masterKeys(settings)) },
        { provide: Clock, useValue: clock },
      ],
      exports: [Settings, Secrets, Clock],
    };
  }
}
