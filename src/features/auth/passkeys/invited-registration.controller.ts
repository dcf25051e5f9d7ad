import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body } from '../../../platform/http/validated.decorators.js';
import { JoinOrgBody } from '../../orgs/invites/invite.dto.js';
import type { CeremonyOptions } from './ceremonies.service.js';
import { InvitedRegistrations } from './invited-registrations.service.js';
import { CreatedCredentialBody, SignedInView, StartInvitedRegistrationBody } from './passkey.dto.js';

const NOT_FOUND = {
  description: 'The code is unknown, revoked, used up or expired, or is for another person.',
};

@ApiTags('Authentication')
@ApiForbiddenResponse({
  description:
    'Passkeys are off on this installation, or the request with the cookie comes from another page.',
})
@ApiTooManyRequestsResponse({ description: 'Too many requests. Retry in a minute.' })
@Controller('v2/login/invitation')
export class InvitedRegistrationController {
  constructor(private readonly registrations: InvitedRegistrations) {}

  @Post('options')
  @HttpCode(200)
  @Limited('invitation-options')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Start to join by an invitation as a new person, who gets a passkey' })
  @ApiOkResponse({
    description: 'Read them with `PublicKeyCredential.parseCreationOptionsFromJSON`. Valid for 5 minutes.',
    schema: { type: 'object', additionalProperties: true },
  })
  @ApiNotFoundResponse(NOT_FOUND)
  @ApiConflictResponse({ description: 'Somebody is signed in, who can join with that account.' })
  startInvitedRegistration(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() body: StartInvitedRegistrationBody,
  ): Promise<CeremonyOptions> {
    return this.registrations.start(request, response, body);
  }

  @Post()
  @Limited('invitation')
  @Requires({ public: true })
  @ApiOperation({
    summary: 'Join by an invitation: create the user with the passkey and open a session',
    description: 'Somebody who is signed in sends only the code, and joins with that account.',
  })
  @ApiExtraModels(CreatedCredentialBody, JoinOrgBody)
  @ApiBody({
    schema: { oneOf: [CreatedCredentialBody, JoinOrgBody].map(model => ({ $ref: getSchemaPath(model) })) },
  })
  @ApiCreatedResponse({ type: SignedInView, description: 'The token is only in the cookie.' })
  @ApiNotFoundResponse(NOT_FOUND)
  @ApiConflictResponse({ description: 'The person is a member, or the passkey is registered already.' })
  finishInvitedRegistration(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() body: object,
  ): Promise<SignedInView> {
    return this.registrations.finish(request, response, body);
  }
}
