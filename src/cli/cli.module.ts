import { type DynamicModule, Module } from '@nestjs/common';
import { Bootstrap } from '../app.bootstrap.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ConfigModule } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';

/** The service's own modules that commands use: no routes are served and no job runs. */
@Module({})
export class CliModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ConfigModule.with(settings),
        DatabaseModule,
        AuditModule,
        OutboundModule,
        IdentityModule,
        OrgsModule,
        AuthModule,
      ],
      providers: [Bootstrap],
    };
  }
}
