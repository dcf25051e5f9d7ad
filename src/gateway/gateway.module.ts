import { type DynamicModule, Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import type { ForwardTarget } from './forward-target.js';
import { forwardingController } from './forwarding.controller.js';
import { Forwarding } from './forwarding.service.js';

/** What the gateway has others answer. */
@Module({})
export class GatewayModule {
  static with(targets: readonly ForwardTarget[]): DynamicModule {
    return {
      module: GatewayModule,
      imports: [HttpModule],
      controllers: targets.map(forwardingController),
      providers: [Forwarding],
    };
  }
}
