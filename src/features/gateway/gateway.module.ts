import {
  All,
  Controller,
  type DynamicModule,
  Module,
  Req,
  Res,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { FORWARDED, STREAMED_BODY } from '../../platform/http/body/body.decorators.js';
import { HttpModule } from '../../platform/http/http.module.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Forwarding, type ForwardTarget } from './forwarding.service.js';

/**
 * The routes of one target: every method, at its prefix and below. Settings name the prefix, so each target has a
 * class.
 */
function forwardingController(target: ForwardTarget): Type<unknown> {
  @ApiExcludeController()
  @Controller(target.prefix)
  class ForwardingController {
    constructor(private readonly forwarding: Forwarding) {}

    @All(['', '*path'])
    @Requires({ forwarded: target.kind })
    @SetMetadata(STREAMED_BODY, FORWARDED)
    forward(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
      return this.forwarding.forward(request, response, target);
    }
  }
  return ForwardingController;
}

/** The routes that the gateway forwards. */
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
