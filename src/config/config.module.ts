import { getHeapStatistics } from 'node:v8';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ByteBudget } from '../kernel/byte-budget.js';
import { Clock, SystemClock } from '../kernel/clock.js';
import { masterKeys } from './development-keys.js';
import { Secrets } from './secrets.js';
import { Settings } from './settings.js';

/** Settings, secrets, the clock and the memory budget, for every module. */
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
        { provide: ByteBudget, useFactory: () => new ByteBudget(memoryBudget(settings)) },
      ],
      exports: [Settings, Secrets, Clock, ByteBudget],
    };
  }
}

function memoryBudget({ MEMORY_BUDGET_BYTES: given }: Settings): number {
  return given > 0 ? given : getHeapStatistics().heap_size_limit / 2;
}
