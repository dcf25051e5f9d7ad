import { All, Controller, Req, Res, SetMetadata, type Type } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { PlatformRequest } from '../http/platform-request.js';
import { Requires } from '../http/requires.decorator.js';
import { FORWARDED, STREAMED_BODY } from '../http/streamed-body.decorator.js';
import type { ForwardTarget } from './forward-target.js';
import { Forwarding } from './forwarding.service.js';

/** The routes of one target: every method, at its prefix and below. A class for each, since settings say where. */
export function forwardingController(target: ForwardTarget): Type<unknown> {
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
