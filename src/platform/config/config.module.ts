import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ByteBudget } from '../../base/kernel/bounds/byte-budget.js';
import { Clock, SystemClock } from '../../base/kernel/clock.js';
import { Secrets } from './secrets.js';
import { Settings } from './settings.js';

/**
 * The master keys of this process. Outside production, when SECRETS_MASTER_KEYS is missing, a random key is generated
 * once and stored in DATA_DIR, so that the service starts without settings and can decrypt its secrets after a restart.
 */
function masterKeys(settings: Settings): readonly string[] {
  if (settings.SECRETS_MASTER_KEYS.length > 0) return settings.SECRETS_MASTER_KEYS;
  const file = join(settings.DATA_DIR, 'master-key');
  mkdirSync(settings.DATA_DIR, { recursive: true });
  try {
    // With wx, only one of two processes that start together writes the file, and both read the same key.
    writeFileSync(file, `development:${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return [readFileSync(file, 'utf8').trim()];
}

/** Provides the settings, secrets, the clock and the memory budget to all modules. */
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
