import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { FormBody } from '../../../http/form-body.decorator.js';
import type { PlatformRequest } from '../../../http/platform-request.js';
import { Limited } from '../../../http/rate-limit/limited.decorator.js';
import { Requires } from '../../../http/requires.decorator.js';
import type { ReadBody } from '../mounted-request.js';
import { Interactions } from './interactions.service.js';

/** Pages for people: sign in, and allow or not. */
@ApiExcludeController()
@Controller('oidc/interaction')
export class InteractionsController {
  constructor(private readonly interactions: Interactions) {}

  @Get(':uid')
  @Limited('authorization')
  @Requires({ public: true })
  showInteraction(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    return this.interactions.show(request, response);
  }

  @Post(':uid')
  @FormBody()
  @Limited('authorization')
  @Requires({ public: true })
  decideInteraction(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    return this.interactions.decide(request, response, body);
  }
}
